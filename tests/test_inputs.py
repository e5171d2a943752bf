"""A person's numbers: taken for a good reason, or refused in a sentence that says what was expected and what came."""

from __future__ import annotations

import itertools
import time
from decimal import Decimal

import numpy as np
import pytest
import torch

from widgets.inputs import (
    as_list,
    as_vector,
    eps_values,
    number_range,
    one_of,
    parse_vector,
    real_number,
    shortened,
    whole_number,
    words,
    yes_or_no,
)

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


class Raises:
    """An object whose own methods raise."""

    def __repr__(self):
        raise SystemError("on purpose")

    __float__ = __index__ = __array__ = __repr__


class Endless(list):
    def __iter__(self):
        return itertools.count()


def nested(depth):
    return [nested(depth - 1)] if depth else 1.0


ROW = "not a row of numbers"
REFUSED = [
    ("1 2 3", TypeError, ROW),
    (b"12", TypeError, ROW),
    ([], ValueError, "got 0"),
    ([1.0], ValueError, "got 1"),
    (5, ValueError, "single number 5"),
    (np.array(5), ValueError, "single number 5"),
    (torch.tensor(5.5), ValueError, "single number 5.5"),
    (torch.tensor(5.5, device="meta"), ValueError, "got tensor("),
    (range(13), ValueError, "got 13"),
    (range(2 * 10**8), ValueError, "got 200000000"),
    (itertools.count(), TypeError, "got count(0)"),
    (itertools.repeat(1.0), TypeError, ROW),
    (Endless([1, 2]), ValueError, "Expected"),
    ([1.0, float("nan")], ValueError, "nan"),
    ([1.0, float("inf")], ValueError, "inf"),
    ([1.0, 1e300], ValueError, "1e+300"),
    ([10**400, 1], ValueError, "finite"),
    ([Decimal("1e999999999"), 1], ValueError, "finite"),
    ([[1.0, 2.0]], TypeError, ROW),
    ([nested(400), 1], TypeError, ROW),
    (torch.zeros(2, 3), ValueError, "shape (2, 3)"),
    ([[1, 2], [3]], TypeError, ROW),
    ([1, "2"], TypeError, ROW),
    ([1, None], TypeError, ROW),
    (None, TypeError, ROW),
    ({"a": 1}, TypeError, ROW),
    ({1, 2}, TypeError, ROW),
    ([1 + 2j, 1], TypeError, ROW),
    (torch.tensor([1 + 2j, 1]), TypeError, ROW),
    (np.array([1 + 2j, 1]), TypeError, ROW),
    ([True, False], TypeError, ROW),
    ([np.True_, 1], TypeError, ROW),
    (torch.tensor([True, False]), TypeError, ROW),
    (np.array([True, False]), TypeError, ROW),
    (np.ma.array([1, 2, 3], mask=[0, 1, 0]), TypeError, ROW),
    ([np.ma.masked, 1], TypeError, ROW),
    (np.array([1, 2], dtype="m8[s]"), TypeError, ROW),
    (np.array(["1", "2"]), TypeError, ROW),
    (np.array([1, "a"], dtype=object), TypeError, ROW),
    (torch.zeros(3, device="meta"), TypeError, ROW),
    (Raises(), TypeError, "an object of type Raises"),
    ([Raises(), 1], TypeError, ROW),
]


@pytest.mark.parametrize("values", TAKEN, ids=repr)
def test_taken(values):
    vector = as_vector(values)
    assert vector.dtype == torch.float64
    assert vector.dim() == 1
    assert not vector.requires_grad
    given = values.tolist() if isinstance(values, torch.Tensor) else values
    assert vector.tolist() == [float(value) for value in given]


def refusal(kind, take, *arguments, **named):
    """The sentence that refuses; in at most a tenth of a second, on one line, and not long."""
    start = time.perf_counter()
    with pytest.raises(kind) as refused:
        take(*arguments, **named)
    assert time.perf_counter() - start < 0.1
    sentence = str(refused.value)
    assert type(refused.value) is kind
    assert "\n" not in sentence
    assert len(sentence) < 220
    assert sentence.startswith("Expected ")
    return sentence


@pytest.mark.parametrize(("values", "kind", "expected"), REFUSED, ids=lambda case: shortened(case)[:40])
def test_refused(values, kind, expected):
    sentence = refusal(kind, as_vector, values)
    assert sentence.startswith("Expected 2 to 12 numbers in one row")
    assert expected in sentence


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ([1, 2], "[1, 2]"),
        ("x" * 10_000_000, "'xxx"),
        (range(10**9), "range(0, 1000000000)"),
        (list(range(100)), "[0, 1, 2, 3, 4, 5, ...]"),
        (10**5000, "a number of 16610 bits"),
        (Raises(), "an object of type Raises"),
        (refusal, "<function refusal>"),
        ("two\nlines", "'two\\nlines'"),
        (np.zeros((2, 2)), "array([[0., 0.], [0., 0.]])"),
        (nested(300), "[[[[[[[...]]]]]]]"),
    ],
    ids=lambda case: repr(type(case)),
)
def test_anything_is_said_in_sixty_characters(value, expected):
    assert shortened(value).startswith(expected)
    assert len(shortened(value)) <= 60


NO_NUMBERS = ["1", b"1", None, True, np.True_, 1 + 2j, np.complex64(1), torch.tensor(True), torch.tensor(1 + 2j)]
NO_NUMBERS += [[1], torch.ones(1), np.ones(1), np.ma.masked, np.array(1, "m8[s]"), Raises(), object(), float]


@pytest.mark.parametrize("value", NO_NUMBERS, ids=shortened)
def test_no_number(value):
    assert refusal(TypeError, real_number, "z", value, -5, 5).startswith("Expected z to be a number from -5 to 5; got ")
    assert refusal(TypeError, whole_number, "steps", value).startswith("Expected steps to be a whole number from 1 to ")


def test_numbers():
    for value in (
        2,
        2.0,
        np.float32(2),
        np.int8(2),
        torch.tensor(2),
        torch.tensor(2.0, requires_grad=True),
        Decimal(2),
    ):
        assert real_number("z", value, -5, 5) == 2.0
    for value in (2, np.int8(2), torch.tensor(2)):
        assert whole_number("steps", value) == 2
    for value in (6, -6, float("nan"), float("inf"), 10**400, Decimal("1e999999999")):
        refusal(ValueError, real_number, "z", value, -5, 5)
    for value in (0, 11, 10**400):
        refusal(ValueError, whole_number, "steps", value, most=10)
    for value in (2.0, Decimal(2), np.float32(2)):
        refusal(TypeError, whole_number, "steps", value)


def test_values_of_eps():
    assert eps_values("inside", (1e-5, 1)) == [1e-5, 1.0]
    assert eps_values("inside", []) == []
    assert eps_values("inside", np.array([1e-6])) == [1e-6]
    for values in ([0], [-1], [1.5], [float("nan")], [float("inf")], [1e-5] * 5, [10**400], 1e-5):
        assert refusal(ValueError, eps_values, "inside", values).startswith(
            "Expected inside to be up to 4 values of eps"
        )
    for values in ("1e-5", ["1e-5"], [True], itertools.count(), None, [1e-5 + 1j], {1e-5}, "1" * 10**7):
        refusal(TypeError, eps_values, "inside", values)


def test_a_range():
    assert number_range("shift", (-5, 5)) == (-5.0, 5.0)
    assert number_range("shift", torch.tensor([0.0, 1e6])) == (0.0, 1e6)
    for values in ((5, -5), (0, 0), (0, 1e-4), (0, 1e7), (0, 10**400), (0, float("nan")), (1,), (1, 2, 3), 5):
        assert refusal(ValueError, number_range, "shift", values).startswith("Expected shift to be (low, high), two ")
    for values in ("15", ("1", "5"), (False, True), None, {1, 5}, itertools.count(), (0, 1j), (Raises(), 1)):
        refusal(TypeError, number_range, "shift", values)


def test_yes_and_names_and_lists():
    assert yes_or_no("gelu", True) is True and yes_or_no("gelu", np.False_) is False
    for value in ("no", 1, None, np.array([1, 2]), torch.tensor(True), Raises()):
        assert refusal(TypeError, yes_or_no, "gelu", value).startswith("Expected gelu to be True or False; got ")
    assert one_of("norm", "a", ("a", "b", "c")) == "a"
    assert refusal(ValueError, one_of, "norm", "d", ("a", "b", "c")) == "Expected norm to be a, b or c; got 'd'."
    for value in (None, ["a"], 3, b"a", Raises()):
        refusal(TypeError, one_of, "norm", value, ("a", "b"))
    assert as_list("Expected sizes", (1, "2"), 1, 2) == [1, "2"]
    for things in ([], [1] * 3, range(10**12), Endless()):
        refusal(ValueError, as_list, "Expected sizes", things, 1, 2)
    for things in (3, "ab", {1, 2}, None, Raises(), itertools.count()):
        refusal(TypeError, as_list, "Expected sizes", things, 1, 2)


def test_texts():
    assert words("topic", "rmsnorm", 40) == "rmsnorm"
    for text in ("", "  ", "x" * 41, "\ud800"):
        assert refusal(ValueError, words, "topic", text, 40).isascii()
    for text in (None, b"x", 3, Raises()):
        refusal(TypeError, words, "topic", text, 40)


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
        "[1, 2",
        "1, 2)",
        "[1, 2)",
        "tensor([1, 2])",
        "(" * 100_000,
        " " * 900 + "(",
        "1 " * 10_000_000,
        "\ud800 1",
    ],
    ids=shortened,
)
def test_typed_and_refused(text):
    assert refusal(ValueError, parse_vector, text).startswith("Expected 2 to 12 numbers")
