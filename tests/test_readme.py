"""What the README promises: its links lead somewhere, its calls work, its map is the course."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import course
import widgets
from tests.notebooks import LESSONS, ROOT, notebooks_in, read, short

README = (ROOT / "README.md").read_text(encoding="utf-8")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
CALLS = re.findall(rf"`((?:{'|'.join(widgets.__all__)})\(.*?\))`(?= [|.]| puts)", README)


def course_map(text: str) -> dict[str, tuple[str, int]]:
    """The table of notebooks in a README: name -> the question it answers, minutes."""
    rows = re.findall(r"^\| `(\w+)` \| (.*?) \| (\d+) \|$", text, flags=re.M)
    return {name: (question, int(minutes)) for name, question, minutes in rows}


def anchor(heading: str) -> str:
    """How a heading is called in a link, on code hosts."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


@pytest.mark.parametrize("path", [*ROOT.glob("*.md"), LESSONS / "README.md"], ids=short)
def test_links_lead_somewhere(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    anchors = [anchor(heading) for heading in re.findall(r"^#+ (.*)$", text, flags=re.M)]
    for target in re.findall(r"\]\(([^)]+)\)", text):
        if target.startswith("#"):
            assert target[1:] in anchors
        elif "://" not in target:
            assert (path.parent / target).exists(), target


def test_every_call_for_teachers_works() -> None:
    assert len(CALLS) >= 5
    for call in CALLS:
        eval(call, vars(widgets).copy())


def test_the_map_is_the_course() -> None:
    the_map = course_map(README)
    assert course_map((LESSONS / "README.md").read_text(encoding="utf-8")) == the_map
    assert set(the_map) >= {path.stem for path in notebooks_in([LESSONS])}
    hours, minutes = divmod(sum(minutes for _, minutes in the_map.values()), 60)
    assert f"That is {hours} hours {minutes} minutes." in README


@pytest.mark.parametrize("path", notebooks_in([LESSONS]), ids=lambda path: path.stem)
def test_a_lesson_opens_with_its_question_and_its_minutes(path: Path) -> None:
    question, minutes = course_map(README)[path.stem]
    opening = read(path).cells[0].source
    assert question in opening
    assert f"{minutes} minutes" in opening


def test_what_a_class_needs_is_what_was_measured() -> None:
    """The same version, kernels, seconds and memory in README's sentence as in CONTRIBUTING's row."""
    row = re.search(
        r"\| (\d+) kernels with lesson 02 on .* \| version (\S+) \| .* after (\d+) s, (\d+) MB each", CONTRIBUTING
    )
    assert row is not None
    kernels, version, seconds, megabytes = row.groups()
    gigabytes = round(int(kernels) * int(megabytes) / 1000)
    words = " ".join(README.split())
    assert f"In version {version}, {kernels} kernels with lesson 02 took about {gigabytes} GB" in words
    assert f"on two cores, {seconds} seconds" in words


def test_every_command_is_explained() -> None:
    for command in course.COMMANDS:
        assert f"course.py {command}" in README + CONTRIBUTING
