"""The stored outputs hold elsewhere too: other locales, threads, instructions, versions, and with much taken away.

All of it is marked `full`: each case runs the notebooks once more, in a process of its own.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode

from tests import newest
from tests.notebooks import LESSONS, ROOT, canonical, differences, execute, read

pytestmark = pytest.mark.full

NOTEBOOKS = (
    "lessons/01_layernorm.ipynb",
    "lessons/02_rmsnorm.ipynb",
    "lessons/03_gating.ipynb",
    "lessons/04_swiglu.ipynb",
)
QUICK = NOTEBOOKS[1:3]
OLDEST = [f"{name}=={version}" for name, version in newest.floors().items()]

SURROUNDINGS = {
    "C locale, odd time zone, no fontconfig": {
        "LC_ALL": "C",
        "TZ": "Asia/Kathmandu",
        "FONTCONFIG_FILE": "/nowhere/fonts.conf",
        "PYTHONHASHSEED": "1234",
        "MPLBACKEND": "svg",
    },
    "one thread": {"OMP_NUM_THREADS": "1"},
    "four threads": {"OMP_NUM_THREADS": "4"},
    "plain instructions": {"ATEN_CPU_CAPABILITY": "default"},
    "a home that is not there": {"HOME": "/nowhere"},
}


def nbval(
    notebooks: tuple[str, ...], env: Mapping[str, str] | None = None, folder: Path = ROOT, before: tuple[str, ...] = ()
) -> None:
    """Runs notebooks under strict nbval in a process of its own, without conftest.py's other machine."""
    passes(("--nbval", "--noconftest", *notebooks), env, folder, before)


def passes(
    arguments: tuple[str, ...], env: Mapping[str, str] | None = None, folder: Path = ROOT, before: tuple[str, ...] = ()
) -> None:
    """Pytest with these arguments, in a process of its own, ends well."""
    command = [*before, sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    done = subprocess.run(
        command, cwd=folder, env={**os.environ, **(env or {})}, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, f"{done.stdout[-3000:]}\n{done.stderr[-1000:]}"


@pytest.mark.parametrize("env", SURROUNDINGS.values(), ids=SURROUNDINGS)
def test_outputs_hold_in_other_surroundings(env: dict[str, str]) -> None:
    nbval(NOTEBOOKS, env)


def test_outputs_hold_with_a_matplotlib_of_ones_own(tmp_path: Path) -> None:
    """Pictures are drawn in the course's own style, whatever somebody has set."""
    rc = tmp_path / "matplotlibrc"
    rc.write_text(
        "text.usetex: True\nfont.size: 20\npath.sketch: 1, 100, 2\naxes.facecolor: black\nfont.family: serif\n"
    )
    nbval(NOTEBOOKS, {"MATPLOTLIBRC": str(rc)})


def test_outputs_hold_without_any_network() -> None:
    """In a network namespace with nothing in it but the loopback address, on which kernels talk."""
    alone = ("unshare", "--net", "--map-root-user", "sh", "-c", 'ip link set lo up && exec "$@"', "sh")
    if shutil.which("unshare") is None or subprocess.run([*alone, "true"], capture_output=True).returncode != 0:
        pytest.skip("no network namespace can be made here")
    nbval(QUICK, before=alone)


def test_outputs_hold_in_a_folder_that_cannot_be_written() -> None:
    """A read-only checkout, for somebody who is bound by that: everybody but root, who gives up the right not to be."""
    bound = ("setpriv", "--bounding-set=-dac_override,-dac_read_search") if os.geteuid() == 0 else ()
    if bound and (shutil.which("setpriv") is None or subprocess.run([*bound, "true"], capture_output=True).returncode):
        pytest.skip("root cannot give up its rights here")
    with tempfile.TemporaryDirectory() as folder:  # pytest's own keeps everybody else out
        Path(folder).chmod(0o755)
        course, home = Path(folder, "course"), Path(folder, "home")
        shutil.copytree(ROOT, course, ignore=shutil.ignore_patterns(".git", ".venv", "work", "__pycache__", ".*_cache"))
        for path in [*course.rglob("*"), course]:
            path.chmod(0o555 if path.is_dir() else 0o444)
        home.mkdir()
        assert subprocess.run([*bound, "touch", course / "a"], capture_output=True).returncode != 0
        nbval(QUICK, {"HOME": str(home), "PYTHONPATH": str(course)}, course, bound)


def test_outputs_are_the_same_ten_times_in_a_row() -> None:
    for _ in range(10):
        nbval(QUICK[:1])


@pytest.mark.parametrize("name", ["02_rmsnorm", "03_gating"])
def test_outputs_hold_in_a_notebook_that_asks_for_ipympl(name: str) -> None:
    """`%matplotlib widget` in the first cell, as people who plot themselves write it."""
    path = LESSONS / f"{name}.ipynb"
    notebook = read(path)
    notebook.cells.insert(0, nbformat.v4.new_code_cell("%matplotlib widget"))
    del execute(notebook, path).cells[0]
    assert list(differences(uncounted(read(path)), uncounted(notebook))) == []


def uncounted(notebook: NotebookNode) -> NotebookNode:
    """A notebook in canonical form, its cells without the numbers that one more cell before them shifts."""
    notebook = nbformat.reads(canonical(notebook), as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.execution_count = None
    return notebook


@pytest.mark.skipif(
    sys.version_info >= (3, 13), reason="numpy 1.26.4 has no wheel for Python 3.13, nor for a newer one"
)
def test_the_oldest_versions_that_are_promised(tmp_path: Path) -> None:
    """Installed into a folder that goes first; where no package index answers, nothing can be said."""
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--only-binary=:all:"]
    done = subprocess.run([*pip, "--target", str(tmp_path), *OLDEST], capture_output=True, text=True, timeout=300)
    if "from versions: none" in done.stderr:
        pytest.skip("the package index does not answer")
    assert done.returncode == 0, done.stderr[-2000:]
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    passes(("tests/test_flipbook.py", "tests/test_explorers.py"), {"PYTHONPATH": path})
    nbval(NOTEBOOKS, {"PYTHONPATH": path})
