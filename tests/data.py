"""The scripts that made what the lessons read, as modules."""

from __future__ import annotations

import importlib.util
from types import ModuleType

from tests.notebooks import LESSONS

DATA = LESSONS / "data"


def script(name: str) -> ModuleType:
    """lessons/data/<name>.py, imported without running it."""
    spec = importlib.util.spec_from_file_location(f"script_{name}", DATA / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
