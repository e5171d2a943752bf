"""How the whole suite runs: file by file, the longest first, and notebooks as on another machine."""

from __future__ import annotations

import os
from collections.abc import Generator
from unittest import mock

import pytest

# Another machine, as far as this one can play it: fewer instructions, one thread, no compiler (which stumbles over
# fewer instructions). What is stored was made without this, so that one run by nbval compares two machines.
ANOTHER_MACHINE = {"ATEN_CPU_CAPABILITY": "default", "OMP_NUM_THREADS": "1", "TORCHDYNAMO_DISABLE": "1"}

# The groups that take longest, in the order in which to start them: two run at a time, and the last one to start
# should be a short one.
BROWSER = "chromium"  # the fixture that all of them have
LONGEST = (
    BROWSER,
    "test_grading",
    "07_modern_block",
    "test_explorers",
    "test_checks_table",
    "test_checks_bank",
    "test_course",
    "test_pictures",
)
TRANSFORMERS = ("test_census", "test_decoder", "test_gating_maths", "test_norms", "test_swiglu_budget")  # load it


def group(item: pytest.Item) -> str:
    """What runs in one process, one after the other: a file, or all that needs the browser, or transformers."""
    if BROWSER in getattr(item, "fixturenames", ()):
        return BROWSER
    return "transformers" if item.path.stem in TRANSFORMERS else item.path.stem


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Start the longest groups first; within a group the order stays."""
    rank = {name: k for k, name in enumerate(LONGEST)}
    items.sort(key=lambda item: rank.get(group(item), len(rank)))
    if config.pluginmanager.hasplugin("xdist"):
        for item in items:
            item.add_marker(pytest.mark.xdist_group(group(item)))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None]:
    """A notebook's kernel is started by the setup of its first cell: it gets the other machine's environment.

    What somebody has said in the environment goes before it.
    """
    another = ANOTHER_MACHINE | os.environ if item.path.suffix == ".ipynb" else {}
    with mock.patch.dict(os.environ, another):
        return (yield)
