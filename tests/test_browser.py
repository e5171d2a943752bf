"""The lessons as a student has them: in a real JupyterLab, in a real browser."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from jupyterlab.commands import get_app_dir
from nbformat import NotebookNode

import course
from tests.browser import Lesson
from tests.notebooks import LESSONS, notebooks_in, read, short

FIRST = notebooks_in([LESSONS])[0]


@pytest.mark.full
def test_a_lesson_runs(open_lesson: Callable[[str], Lesson]) -> None:
    """Its pictures are there, and alive."""
    lesson = open_lesson(FIRST.name)
    lesson.run_all()
    looks_right(lesson, FIRST)


@pytest.mark.full
@pytest.mark.parametrize("path", notebooks_in([LESSONS]), ids=short)
def test_opens_as_stored(open_lesson: Callable[[str], Lesson], path: Path) -> None:
    """Each picture is there before anything runs, without the view of a widget that is gone."""
    looks_right(open_lesson(path.name), path)


def looks_right(lesson: Lesson, path: Path) -> None:
    """Pictures where pictures are stored, and no sign that something went wrong."""
    seen = lesson.look()
    drawn = {cell.id for cell in read(path).cells for output in cell.get("outputs", []) if is_picture(output)}
    assert {cell for cell, sight in seen.items() if sight.pictures} == drawn, path.name
    words = "\n".join(sight.words for sight in seen.values())
    assert "model not found" not in words
    assert "Error displaying widget" not in words
    assert lesson.errors() == []
    assert lesson.complaints == []


def is_picture(output: NotebookNode) -> bool:
    return "image/png" in output.get("data", {})


def test_the_settings_are_where_jupyterlab_looks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(course, "VENV", tmp_path)
    course.keep_widgets()
    [written] = (path for path in tmp_path.rglob("*") if path.is_file())
    looked_in = Path(get_app_dir()).relative_to(sys.prefix) / "settings/overrides.d"
    assert written.parent.relative_to(tmp_path) == looked_in
