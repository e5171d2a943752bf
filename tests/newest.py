"""The packages that pyproject.toml names, without their ranges, one a line: what a monthly run installs."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def requirements(*extras: str) -> list[str]:
    """What the package needs, and what some of its extras add, as pyproject.toml has it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [*project["dependencies"], *(need for extra in extras for need in project["optional-dependencies"][extra])]


def name(requirement: str) -> str:
    """`matplotlib` of `matplotlib>=3.9,<3.12`."""
    return re.match(r"[\w-]+", requirement)[0]


def floors() -> dict[str, str]:
    """The oldest release that pyproject.toml allows of each package the course needs, but torch (one release)."""
    found = [re.match(r"([\w-]+)>=([\d.]+),<", requirement) for requirement in requirements()]
    return {each[1]: each[2] for each in found if each}


if __name__ == "__main__":
    print(*sorted(set(map(name, requirements("site", "test")))), sep="\n")
