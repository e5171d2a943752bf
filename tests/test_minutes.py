"""The minutes that titles and READMEs state are those of the formula in tests/minutes.py, and its parts add up."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

import widgets
from tests.minutes import CALLS, STATED, code_minutes, minutes, prose_minutes, rounded
from tests.notebooks import LESSONS, ROOT, notebooks_in, read

SLACK = 4  # minutes by which a lesson may change before its title must


@pytest.mark.parametrize("path", notebooks_in([LESSONS]), ids=lambda path: path.stem)
def test_a_title_states_what_the_formula_gives(path: Path) -> None:
    notebook = read(path)
    stated = [int(number) for _, number in re.findall(STATED, notebook.cells[0].source)]
    assert len(stated) == 1 and stated[0] % 5 == 0
    assert abs(stated[0] - minutes(notebook)) <= SLACK, "run `python -m tests.minutes`"


@pytest.mark.parametrize("place", [ROOT, LESSONS], ids=lambda place: place.name)
def test_a_readme_states_the_same(place: Path) -> None:
    rows = re.findall(r"^\| `(\d\d_\w+)` \| .*? \| (\d+) \|$", (place / "README.md").read_text("utf-8"), flags=re.M)
    stated = {path.stem: re.search(STATED, read(path).cells[0].source)[2] for path in notebooks_in([LESSONS])}
    assert dict(rows) == stated


def test_every_public_name_has_its_minutes() -> None:
    assert set(widgets.__all__) - set(CALLS) == set()


def test_reading() -> None:
    """130 words in a minute; a table is read, a formula and a code block are not."""
    assert prose_minutes(new_markdown_cell("word " * 260)) == 2
    cell = new_markdown_cell("$$a + b$$\n\n```python\nx = 1\n```\n\n| " + "word " * 65 + "| <b> |")
    assert prose_minutes(cell) == 0.5


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ('predict("Is it so?", "yes", "no", right="A")', 1),
        ("overall_shift(x)", 2),
        ("pair = train_pair(steps=9)\npair", 3),
        ("x.mean()", 1 / 3),
        ("import torch\nfrom torch import nn", 0),
        ("def rms(x):\n    raise NotImplementedError()", 0),
        ("checks.check_rms(rms)", 0),
    ],
)
def test_code(code: str, expected: float) -> None:
    assert code_minutes(new_code_cell(code)) == expected


def test_exercises_say_how_long_they_take() -> None:
    task = new_markdown_cell("Write\n\n*Easy, 10 minutes*")
    assert minutes(new_notebook(cells=[task])) == pytest.approx(10 + 4 / 130)


@pytest.mark.parametrize(("value", "said"), [(1.0, 5), (32.4, 30), (32.6, 35)])
def test_rounding(value: float, said: int) -> None:
    assert rounded(value) == said
