"""The lessons as a student has them: in a real JupyterLab, in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from nbformat import NotebookNode

from tests.browser import Lesson
from tests.notebooks import LESSONS, notebooks_in, read

every_lesson = pytest.mark.parametrize("path", notebooks_in([LESSONS]), ids=lambda path: path.stem)


@every_lesson
def test_opens_as_stored_and_runs(open_lesson: Callable[..., Lesson], path: Path) -> None:
    """Each picture is there before anything runs, without the view of a widget that is gone; and after, alive."""
    drawn = {cell.id for cell in read(path).cells for output in cell.get("outputs", []) if is_picture(output)}
    lesson = open_lesson(path)
    for run in (False, True):
        if run:
            lesson.run_all()
        seen = lesson.look()
        assert {cell for cell, sight in seen.items() if sight.pictures} == drawn
        words = "\n".join(sight.words for sight in seen.values())
        assert "model not found" not in words
        assert "Error displaying widget" not in words
        assert lesson.errors() == []
        assert lesson.complaints == []


def is_picture(output: NotebookNode) -> bool:
    return "image/png" in output.get("data", {})
