"""Fixtures for tests that need a browser: one JupyterLab and one Chromium for the whole run."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

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
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a JupyterLab that serves a copy of the lessons."""
    folder = tmp_path_factory.mktemp("lab") / "lessons"
    shutil.copytree(LESSONS, folder, ignore=shutil.ignore_patterns(".ipynb_checkpoints"))
    with browsers.jupyterlab(folder) as address:
        yield address


@pytest.fixture
def open_lesson(chromium: browsers.Browser, lab: str) -> Iterator[Callable[..., browsers.Lesson]]:
    """A function that opens a notebook by its name; the pages are closed after the test."""
    opened: list[browsers.Lesson] = []

    def open_it(name: str | Path, **context: object) -> browsers.Lesson:
        opened.append(browsers.open_lesson(chromium, lab, Path(name).name, **context))
        return opened[-1]

    yield open_it
    for lesson in opened:
        lesson.close()
