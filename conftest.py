"""How the whole suite runs: the longest files first, and notebooks as on another machine."""

from __future__ import annotations

import os
from collections.abc import Generator
from unittest import mock

import pytest

# Another machine, as far as this one can play it: fewer instructions, one thread, no compiler (which stumbles over
# fewer instructions). What is stored was made without this, so that one run by nbval compares two machines.
ANOTHER_MACHINE = {"ATEN_CPU_CAPABILITY": "default", "OMP_NUM_THREADS": "1", "TORCHDYNAMO_DISABLE": "1"}

# The files that take longest, in the order in which to start them: two files run at a time, and the last one to start
# should be a short one.
LONGEST = (
    "test_grading.py",
    "test_explorers.py",
    "test_browser_explorers.py",
    "test_pictures.py",
    "test_site_browser.py",
    "07_modern_block.ipynb",
    "test_properties.py",
    "test_checks_bank.py",
    "test_course.py",
    "test_browser.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Start the longest files first; within a file the order stays."""
    rank = {name: k for k, name in enumerate(LONGEST)}
    items.sort(key=lambda item: rank.get(item.path.name, len(rank)))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None]:
    """A notebook's kernel is started by the setup of its first cell: it gets the other machine's environment.

    What somebody has said in the environment goes before it.
    """
    another = ANOTHER_MACHINE | os.environ if item.path.suffix == ".ipynb" else {}
    with mock.patch.dict(os.environ, another):
        return (yield)
