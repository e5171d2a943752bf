"""How the whole suite runs: file by file, the longest first, and notebooks as on another machine."""

from __future__ import annotations

import os
from collections.abc import Generator
from pathlib import Path
from unittest import mock

import pytest

# Another machine, as far as this one can play it: fewer instructions, one thread, no compiler (which stumbles over
# fewer instructions). What is stored was made without this, so that one run by nbval compares two machines.
ANOTHER_MACHINE = {"ATEN_CPU_CAPABILITY": "default", "OMP_NUM_THREADS": "1", "TORCHDYNAMO_DISABLE": "1"}

# Files that run in one process, one after the other: all that need JupyterLab, all that show pages of their own in
# Chromium, and all that load transformers. The monkey is a group of its own: it plays as long as all others that need
# JupyterLab together, and has one for itself.
TOGETHER = {
    **dict.fromkeys(
        ("test_browser", "test_browser_explorers", "test_far_away", "test_hub", "test_keyboard", "test_predict"),
        "jupyterlab",
    ),
    "test_monkey": "monkey",
    **dict.fromkeys(("test_canvas", "test_site_browser", "test_view"), "pages"),
    **dict.fromkeys(
        ("test_census", "test_decoder", "test_gating_maths", "test_norms", "test_swiglu_budget"), "transformers"
    ),
}

# What takes longest, in the order in which to start it: two run at a time, and the last one to start should be short.
LONGEST = (
    "pages",
    "jupyterlab",
    "monkey",
    "test_memory",
    "test_machines",
    "test_grading",
    "07_modern_block",
    "test_checks_table",
    "test_checks_bank",
    "test_course",
    "test_explorers",
    "test_pictures",
)


def pytest_configure(config: pytest.Config) -> None:
    """Beside other processes, torch has one thread in each: more of them wait for one another's cores."""
    if hasattr(config, "workerinput"):
        os.environ.setdefault("OMP_NUM_THREADS", "1")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Start with what takes longest; within a file the order stays."""
    rank = {name: k for k, name in enumerate(LONGEST)}
    items.sort(key=lambda item: rank.get(TOGETHER.get(item.path.stem, item.path.stem), len(rank)))


@pytest.hookimpl(optionalhook=True)  # pytest-xdist's, which not everybody has who only runs notebooks
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    """As --dist=loadfile, but that some files go together. (xdist's own groups are not seen by pytest 9.2.)"""
    from xdist.scheduler import LoadFileScheduling

    class Together(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = super()._split_scope(nodeid)
            return TOGETHER.get(Path(file).stem, file)

    return Together(config, log) if config.getvalue("dist") == "loadfile" else None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None]:
    """A notebook's kernel is started by the setup of its first cell: it gets the other machine's environment.

    What somebody has said in the environment goes before it.
    """
    another = ANOTHER_MACHINE | os.environ if item.path.suffix == ".ipynb" else {}
    with mock.patch.dict(os.environ, another):
        return (yield)
