"""The rule of the house: numbers travel one way, and each room knows only what it needs.

maths and experiments -> pictures -> flipbook -> explorers; checks stands beside them and knows none of them.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import resolve_name
from pathlib import Path

import pytest

from tests.notebooks import ROOT, notebooks_in, read

WIDGETS = ROOT / "widgets"

# What each room may import besides Python's own library. A new room, or a new package, is entered here.
MAY_IMPORT = {
    "widgets": {"widgets.explorers"},
    "widgets.style": set(),
    "widgets.formats": set(),
    "widgets.inputs": {"numpy", "torch"},
    "widgets.precision": {"torch"},
    "widgets.maths": {"numpy", "torch", "widgets.formats", "widgets.inputs", "widgets.maths"},
    "widgets.experiments": {
        "numpy",
        "torch",
        "widgets.experiments",
        "widgets.formats",
        "widgets.inputs",
        "widgets.maths",
        "widgets.precision",
    },
    "widgets.pictures": {
        "matplotlib",
        "mpl_toolkits.mplot3d",
        "numpy",
        "torch",
        "widgets.experiments",
        "widgets.formats",
        "widgets.maths",
        "widgets.pictures",
        "widgets.style",
    },
    "widgets.flipbook": {
        "PIL",
        "anywidget",
        "matplotlib",
        "numpy",
        "traitlets",
        "widgets.flipbook",
        "widgets.formats",
        "widgets.style",
    },
    "widgets.explorers": {
        "IPython",
        "anywidget",
        "ipywidgets",
        "matplotlib",
        "numpy",
        "torch",
        "traitlets",
        "widgets.experiments",
        "widgets.explorers",
        "widgets.flipbook",
        "widgets.formats",
        "widgets.inputs",
        "widgets.maths",
        "widgets.pictures",
        "widgets.precision",
        "widgets.style",
    },
    "widgets.site": {
        "IPython",
        "latex2mathml",
        "nbclient",
        "nbconvert",
        "nbformat",
        "numpy",
        "pygments",
        "torch",
        "widgets.explorers",
        "widgets.flipbook",
        "widgets.site",
    },
    "widgets.checks": {"numpy", "torch", "widgets.checks", "widgets.inputs", "widgets.maths", "widgets.precision"},
}


def room(path: Path) -> str:
    """The room of a file: the package's folder or file right under widgets/, or the package itself."""
    inside = path.relative_to(WIDGETS).with_suffix("").parts
    return "widgets" if inside == ("__init__",) else f"widgets.{inside[0]}"


def imports(code: str, package: str) -> Iterator[str]:
    """Every name that some code of a package imports, in full: `from a import b` gives a.b."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = resolve_name("." * node.level + (node.module or ""), package)
            yield from (f"{base}.{alias.name}" for alias in node.names)


def forbidden(room: str, code: str, package: str | None = None) -> list[str]:
    """The imports of some code that its room does not allow; `package` is the folder it lies in, if not the room."""
    return [
        name
        for name in imports(code, package or room)
        if name.partition(".")[0] not in sys.stdlib_module_names
        and not any(f"{name}.".startswith(f"{allowed}.") for allowed in MAY_IMPORT[room])
    ]


def bad_habits(code: str) -> list[str]:
    """What no file and no notebook of the course does, whatever its room."""
    found = []
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Attribute) and ast.unparse(node) == "sys.path":
            found.append("sys.path: the package is installed, it is found from anywhere")
        if isinstance(node, ast.ImportFrom | ast.Import):
            line = ast.unparse(node)
            if "pyplot" in line or "pylab" in line:
                found.append(f"{line}: figures are made with matplotlib.figure.Figure, nothing is global")
            if "ipywidgets import widgets" in line or "as widgets" in line:
                found.append(f"{line}: `widgets` is our own package")
    return found


def code_of(path: Path) -> str:
    """The Python of a module, or of all code cells of a notebook."""
    if path.suffix == ".py":
        return path.read_text(encoding="utf-8")
    return "\n".join(cell.source for cell in read(path).cells if cell.cell_type == "code")


MODULES = sorted(WIDGETS.rglob("*.py"))


def test_a_room_knows_only_what_it_may() -> None:
    package = {path: ".".join(path.parent.relative_to(ROOT).parts) for path in MODULES}
    found = {path.relative_to(ROOT): forbidden(room(path), code_of(path), package[path]) for path in MODULES}
    assert {path: names for path, names in found.items() if names} == {}


def test_no_bad_habits() -> None:
    found = {path.relative_to(ROOT): bad_habits(code_of(path)) for path in [*MODULES, *notebooks_in()]}
    assert {path: habits for path, habits in found.items() if habits} == {}


@pytest.mark.full
def test_nothing_brings_pyplot_along() -> None:
    """Not even by a detour through another package."""
    question = "import sys, widgets; sys.exit('matplotlib.pyplot' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", question], cwd=ROOT).returncode == 0


@pytest.mark.parametrize(
    ("where", "code"),
    [
        ("widgets.maths", "import matplotlib"),
        ("widgets.maths", "def late():\n    from ipywidgets import FloatSlider"),
        ("widgets.maths", "from widgets import style"),
        ("widgets.maths", "from widgets.experiments import decoder"),
        ("widgets.pictures", "from ipywidgets import FloatSlider"),
        ("widgets.pictures", "from widgets.flipbook.flipbook import Flipbook"),
        ("widgets.flipbook", "import torch"),
        ("widgets.flipbook", "from widgets.pictures.page import Page"),
        ("widgets.flipbook", "from widgets import maths"),
        ("widgets.checks", "from widgets.explorers.explorer import Explorer"),
        ("widgets.checks", "import matplotlib.figure"),
        ("widgets.checks", "import solutions"),
        ("widgets.explorers", "from widgets.checks import verdict"),
        ("widgets.checks", "from ..pictures import page"),
        ("widgets.explorers", "import pandas"),
    ],
)
def test_the_rule_notices(where: str, code: str) -> None:
    assert len(forbidden(where, code)) == 1


@pytest.mark.parametrize(
    "code",
    [
        "import sys\nsys.path.insert(0, '..')",
        "import matplotlib.pyplot as plt",
        "from matplotlib import pyplot",
        "from ipywidgets import widgets",
        "import ipywidgets as widgets",
    ],
)
def test_bad_habits_are_noticed(code: str) -> None:
    assert len(bad_habits(code)) == 1


def test_a_good_import_is_left_alone() -> None:
    code = "import math\nfrom torch import Tensor\nfrom widgets.maths.norms import rms"
    assert forbidden("widgets.maths", code) == bad_habits(code) == []
