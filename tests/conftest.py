"""Fixtures for several files: one JupyterLab and one Chromium for all that need a browser; explorers drawn quickly."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from unittest import mock

import pytest

import course
from tests import browser as browsers
from tests.notebooks import LESSONS


@pytest.fixture(scope="session")
def chromium() -> Iterator[browsers.Browser]:
    """Chromium. Without one the test fails in CI, and is skipped elsewhere."""
    if browsers.find_chromium() is None:
        advice = "no Chromium was found: install it, or say where it is in the environment variable CHROMIUM"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(advice)
    with browsers.chromium() as browser:
        yield browser


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that JupyterLab serves: a copy of the lessons; a test puts a notebook of its own beside them."""
    folder = tmp_path_factory.mktemp("lab") / "lessons"
    return shutil.copytree(LESSONS, folder, ignore=shutil.ignore_patterns(".ipynb_checkpoints"))


@pytest.fixture(scope="session")
def lab(served: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a JupyterLab with the settings of `course.py lab`."""
    venv = tmp_path_factory.mktemp("venv")
    with mock.patch.object(course, "VENV", venv):
        course.keep_widgets()
    with browsers.jupyterlab(served, f"--LabApp.app_settings_dir={venv / 'share/jupyter/lab/settings'}") as address:
        yield address


@pytest.fixture(scope="session")
def student(chromium: browsers.Browser) -> Iterator[browsers.BrowserContext]:
    """Somebody at a laptop, whose Chromium keeps what JupyterLab has sent once."""
    with chromium.new_context(viewport=browsers.LAPTOP) as context:
        yield context


@pytest.fixture(scope="module")
def open_lesson(student: browsers.BrowserContext, lab: str) -> Iterator[Callable[[str], browsers.Lesson]]:
    """A function that opens a notebook by its path in the served folder; its pages are closed after a file's tests."""
    opened: list[browsers.Lesson] = []

    def open_it(path: str) -> browsers.Lesson:
        opened.append(browsers.open_lesson(student, lab, path))
        return opened[-1]

    yield open_it
    for lesson in opened:
        if not lesson.page.is_closed():
            lesson.close()


@pytest.fixture
def short_reels(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each reel takes the ends of its slider and the middle: for tests that play none."""
    from widgets.flipbook.recording import Recorder  # with torch behind it: not for those who only collect tests

    record = Recorder.record

    def ends(recorder: Recorder, show: Callable, along: Sequence[float], *rest: object) -> object:
        return record(recorder, show, sorted({along[0], along[len(along) // 2], along[-1]}), *rest)

    monkeypatch.setattr(Recorder, "record", ends)
