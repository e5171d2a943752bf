"""A person's numbers: taken for a good reason, or refused in a sentence that says what was expected and what came."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from widgets.explorers.vector_box import parse_vector
from widgets.inputs import as_vector

TAKEN = [
    [1, 2],
    (1.5, -2),
    range(12),
    np.array([1, 2, 3], dtype=np.int8),
    np.array([1, 2], dtype=np.uint16),
    np.array([1, 2], dtype=np.float16),
    np.array([1, 2], dtype=">f8"),
    [0.2, 0.1],
    torch.tensor([1, 2]),
    torch.tensor([1.0, 2.0], requires_grad=True),
    torch.tensor([1.0, 2.0], dtype=torch.bfloat16),
    [torch.tensor(1.0), torch.tensor(2.0)],
    [np.float32(1), 2],
]
REFUSED = [
    ("1 2 3", TypeError, "text"),
    (b"12", TypeError, "text"),
    ([], ValueError, "got 0"),
    ([1.0], ValueError, "got 1"),
    (5, ValueError, "single number 5"),
    (range(13), ValueError, "got 13"),
    ([1.0, float("nan")], ValueError, "nan"),
    ([1.0, float("inf")], ValueError, "inf"),
    ([1.0, 1e300], ValueError, "1e+300"),
    ([10**400, 1], TypeError, "not a row of numbers"),
    ([[1.0, 2.0]], ValueError, "shape"),
    (torch.zeros(2, 3), ValueError, "shape"),
    ([[1, 2], [3]], TypeError, "not a row of numbers"),
    ([1, "2"], TypeError, "not a row of numbers"),
    ([1, None], TypeError, "not a row of numbers"),
    (None, TypeError, "not a row of numbers"),
    ({"a": 1}, TypeError, "not a row of numbers"),
    ([1 + 2j, 1], TypeError, "not a row of numbers"),
    ([True, False], TypeError, "not a row of numbers"),
    (np.array([1, "a"], dtype=object), TypeError, "not a row of numbers"),
]


@pytest.mark.parametrize("values", TAKEN, ids=repr)
def test_taken(values):
    vector = as_vector(values)
    assert vector.dtype == torch.float64
    assert vector.dim() == 1
    assert not vector.requires_grad
    given = values.tolist() if isinstance(values, torch.Tensor) else values
    assert vector.tolist() == [float(value) for value in given]


@pytest.mark.parametrize(("values", "kind", "words"), REFUSED, ids=lambda case: repr(case)[:40])
def test_refused(values, kind, words):
    with pytest.raises(kind) as refusal:
        as_vector(values)
    sentence = str(refusal.value)
    assert words in sentence
    assert sentence.startswith("Expected 2 to 12 numbers")
    assert "\n" not in sentence
    assert len(sentence) < 200


def test_the_vector_is_a_copy():
    given = torch.tensor([1.0, 2.0], dtype=torch.float64)
    as_vector(given)[0] = 9.0
    assert given.tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("1 2", [1, 2]),
        ("1,2", [1, 2]),
        (" 1 ,  -2,.5 ", [1, -2, 0.5]),
        ("−1, 2e-1, +3.", [-1, 0.2, 3]),
        ("1\t2", [1, 2]),
        ("[1, 2]", [1, 2]),
        ("(1 2)", [1, 2]),
    ],
)
def test_typed(text, numbers):
    assert parse_vector(text).tolist() == numbers


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "1",
        "a b",
        "1 2 x",
        "1;2",
        "nan 1",
        "inf 1",
        "1e300 1",
        "1_0 2",
        "1 2 3 4 5 6 7 8 9 10 11 12 13",
        "[[1, 2]]",
        "tensor([1, 2])",
    ],
)
def test_typed_and_refused(text):
    with pytest.raises(ValueError, match="Expected 2 to 12 numbers"):
        parse_vector(text)
