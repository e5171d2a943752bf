"""The instructor's guide keeps up with the lessons: its questions, sections, answers and cards are the real ones."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest

from tests.minutes import code_minutes, prose_minutes
from tests.notebooks import LESSONS, SOLUTIONS, notebooks_in, read
from widgets.checks import mistakes
from widgets.checks.mistakes.diagnosis import Mistake

GUIDE = (LESSONS / "teaching.md").read_text(encoding="utf-8")
CHAPTERS = {title[:2]: text for title, text in re.findall(r"^## (\d\d .*?)\n(.*?)(?=^## )", GUIDE, flags=re.M | re.S)}
READ = [path for path in notebooks_in([LESSONS]) if path.stem[:2] in CHAPTERS]

every_lesson = pytest.mark.parametrize("path", READ, ids=lambda path: path.stem)


def rows(text: str, columns: int) -> list[list[str]]:
    """The rows of all tables with so many columns, their heads included."""
    cells = ([cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line[:2] == "| ")
    return [row for row in cells if len(row) == columns]


def questions(path: Path) -> Iterator[tuple[str, ast.Call]]:
    for cell in read(path).cells:
        if cell.cell_type == "code" and cell.source.startswith("predict("):
            yield cell.id, ast.parse(cell.source).body[0].value


def sections(path: Path) -> dict[str, float]:
    """heading -> minutes; what comes before the first one is the opening."""
    found, heading = {"Opening": 0.0}, "Opening"
    for cell in read(path).cells:
        prose = cell.cell_type == "markdown"
        new = re.search(r"^## (.*)$", cell.source, flags=re.M) if prose else None
        heading = new[1] if new else heading
        found[heading] = found.get(heading, 0.0) + (prose_minutes(cell) if prose else code_minutes(cell))
    return found


def test_the_guide_covers_the_lessons() -> None:
    assert {path.stem[:2] for path in READ} >= {"01", "02", "03", "04", "07"}


@every_lesson
def test_every_question_is_there_with_its_answer(path: Path) -> None:
    guide = {
        re.match(r"`([a-z0-9-]+)` (.*)", row[0]).groups(): row
        for row in rows(CHAPTERS[path.stem[:2]], 4)
        if row[0][0] == "`"
    }
    asked = {(name, call.args[0].value): call for name, call in questions(path)}
    assert set(guide) == set(asked)
    for key, call in asked.items():
        _, right, split, _ = guide[key]
        marked = [keyword.value.value for keyword in call.keywords if keyword.arg == "right"]
        assert right == "".join(marked or "–"), key
        shares = [re.match(r"([A-D]) (\d+): (.*)", share).groups() for share in split.split("<br>")]
        answers = [answer.value for answer in call.args[1:]]
        assert [(letter, answer) for letter, _, answer in shares] == list(zip("ABCD", answers, strict=False)), key
        assert sum(int(share) for _, share, _ in shares) == 100, key


@every_lesson
def test_every_section_is_there_with_its_minutes(path: Path) -> None:
    chapter = CHAPTERS[path.stem[:2]]
    plan = [row for row in rows(chapter, 4) + rows(chapter, 2) if row[1].isdigit()]
    found = sections(path)
    assert [row[0] for row in plan] == list(found)
    assert all(abs(int(row[1]) - found[row[0]]) <= 2 for row in plan)


@pytest.mark.parametrize(("column", "minutes"), [(2, 50), (3, 90)])
def test_a_plan_fits_into_its_time(column: int, minutes: int) -> None:
    planned = [row[column] for chapter in CHAPTERS.values() for row in rows(chapter, 4) if row[1].isdigit()]
    assert minutes - 5 <= sum(int(share) for share in planned if share.isdigit()) <= minutes


def test_every_answer_in_words_has_its_rubric() -> None:
    explained = [
        cell.id for path in notebooks_in([SOLUTIONS]) for cell in read(path).cells if cell.id.endswith("-explained")
    ]
    assert re.findall(r"^\| `([a-z-]+-explained)` \|", GUIDE, flags=re.M) == explained


def test_the_cards_are_real() -> None:
    names = set()
    for module in iter_modules(mistakes.__path__):
        for kept in vars(import_module(f"{mistakes.__name__}.{module.name}")).values():
            names |= {one.name for one in (kept if isinstance(kept, tuple) else (kept,)) if isinstance(one, Mistake)}
    table = GUIDE.split("| card | where | ask |")[1].split("\n\n")[0]
    cards = [row[0] for row in rows(table, 3) if not set(row[0]) <= {"-"}]
    assert len(cards) == 10
    assert set(cards) - names == set()


def test_links_lead_somewhere() -> None:
    headings = {
        re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        for heading in re.findall(r"^#+ (.*)$", GUIDE, flags=re.M)
    }
    for target in re.findall(r"\]\(([^)]+)\)", GUIDE):
        place, _, anchor = target.partition("#")
        assert not place or (LESSONS / place).exists(), target
        assert place or anchor in headings, target
