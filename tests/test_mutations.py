"""The mutation run itself: what it changes, and that a change nobody notices is found."""

from __future__ import annotations

import ast

import pytest

from tests.mutations import ROOMS, ROOT, changed, places, sample


@pytest.mark.parametrize(
    ("code", "others"),
    [
        ("f(a < b)", ["f(a <= b)", "pass"]),
        ("assert a is None", ["assert a is not None"]),
        ("f(3, 0.5, True, 'text')", ["f(4, 0.5, True, 'text')", "f(3, 1.0, True, 'text')", "f(3, 0.5, False, 'text')"]),
        ("if a:\n    raise b", ["pass", "if a:\n    pass"]),
        ("def f(a: 3=1) -> 4:\n    'words'\n    return a", ["def f(a: 3=2) -> 4:\n    'words'\n    return a"]),
    ],
)
def test_what_is_changed(code: str, others: list[str]) -> None:
    found = []
    for number in range(len(places(ast.parse(code)))):
        tree = ast.parse(code)
        places(tree)[number].put()
        found.append(ast.unparse(tree))
    assert {ast.unparse(ast.parse(other)) for other in others} <= set(found)
    assert ast.unparse(ast.parse(code)) not in found


def test_words_and_annotations_are_left_alone() -> None:
    assert places(ast.parse("def f(a: 3) -> 4:\n    'words'\n    import b")) == []


def test_a_seed_chooses_the_same_changes() -> None:
    assert sample(["maths"], 20, seed=7) == sample(["maths"], 20, seed=7) != sample(["maths"], 20, seed=8)


def test_a_change_says_where_it_is() -> None:
    [(_, path, number)] = sample(["maths"], 1, seed=7)
    text, said = changed(path, number)
    ast.parse(text)
    assert said.startswith("widgets/maths/")


def test_every_room_has_its_tests() -> None:
    for names in ROOMS.values():
        assert [name for name in names if not (ROOT / f"tests/test_{name}.py").exists()] == []
