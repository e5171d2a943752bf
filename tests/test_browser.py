"""The lessons as a student has them: in a real JupyterLab, in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.browser import Lesson
from tests.notebooks import LESSONS, notebooks_in

every_lesson = pytest.mark.parametrize("path", notebooks_in([LESSONS]), ids=lambda path: path.stem)


@every_lesson
def test_opens_as_stored_and_runs(open_lesson: Callable[..., Lesson], path: Path) -> None:
    """Before running: pictures and text, no view of a widget that is gone. After: no error anywhere."""
    lesson = open_lesson(path)
    before = words_of(lesson)
    assert "model not found" not in before
    assert "Error displaying widget" not in before
    lesson.run_all()
    assert lesson.errors() == []
    assert "Error displaying widget" not in words_of(lesson)
    assert lesson.complaints == []


def words_of(lesson: Lesson) -> str:
    """All that can be read in a lesson, scrolled through from its first cell to its last."""
    return "\n".join(lesson.show(cell).inner_text() for cell in lesson.cells())
