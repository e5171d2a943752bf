"""What every run tries, and what only `course.py test --full`: one case of a kind is enough while one works."""

from __future__ import annotations

from typing import Any

import pytest


def full(*values: object) -> Any:
    """A case of a parametrized test for `--full`: it goes another case's way with other values, or takes long."""
    return pytest.param(*values, marks=pytest.mark.full)
