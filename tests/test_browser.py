"""The lessons as a student has them: in a real JupyterLab, in a real browser."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from jupyterlab.commands import get_app_dir
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook

import course
from tests.browser import Browser, Lesson, jupyterlab
from tests.browser import open_lesson as open_in
from tests.notebooks import LESSONS, notebooks_in, read

FIRST, *OTHERS = notebooks_in([LESSONS])


def test_opens_as_stored(open_lesson: Callable[..., Lesson]) -> None:
    """Each picture is there before anything runs, without the view of a widget that is gone."""
    lesson = open_lesson(FIRST)
    looks_right(lesson, FIRST)
    for path in OTHERS:
        lesson.stop()
        lesson.open(path.name)
        looks_right(lesson, path)


def test_runs(open_lesson: Callable[..., Lesson]) -> None:
    """And after a run each picture is there again, alive. (The other explorers: test_browser_explorers.)"""
    lesson = open_lesson(FIRST)
    lesson.run_all()
    looks_right(lesson, FIRST)


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


def test_yesterdays_explorer_plays_before_anything_has_run(
    chromium: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the settings of `course.py lab`: saved with its explorers, opened on another day, its kernel long gone."""
    monkeypatch.setattr(course, "VENV", tmp_path / "venv")
    course.keep_widgets()
    (folder := tmp_path / "work").mkdir()
    cells = [new_code_cell("from widgets import overall_shift\n\novershift = overall_shift()\novershift", id="shift")]
    nbformat.write(new_notebook(cells=cells, metadata=read(FIRST).metadata), folder / "copy.ipynb")
    with jupyterlab(folder, f"--LabApp.app_settings_dir={tmp_path / 'venv/share/jupyter/lab/settings'}") as address:
        lesson = open_in(chromium, address, "copy.ipynb")
        lesson.run_all()
        lesson.save()
        lesson.close()
        lesson = open_in(chromium, address, "copy.ipynb")
        place = lesson.show("shift")
        before = place.locator("svg[role=img]").first.get_attribute("aria-label")
        lesson.press(place.get_by_role("slider").first, "ArrowRight", times=3)
        moved = "([cell, before]) => cell.querySelector('svg[role=img]').getAttribute('aria-label') !== before"
        lesson.page.wait_for_function(moved, arg=[place.element_handle(), before])
        assert lesson.complaints == []
        lesson.close()
    assert "application/vnd.jupyter.widget-state+json" in read(folder / "copy.ipynb").metadata.widgets


def test_the_settings_are_where_jupyterlab_looks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(course, "VENV", tmp_path)
    course.keep_widgets()
    [written] = (path for path in tmp_path.rglob("*") if path.is_file())
    looked_in = Path(get_app_dir()).relative_to(sys.prefix) / "settings/overrides.d"
    assert written.parent.relative_to(tmp_path) == looked_in
