"""Grading a class with real nbgrader: one course, two assignments, every score the one expected.

The submissions are the students' notebooks, filled in as students fill them in: cell by cell.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import nbformat
import pytest
from nbformat import NotebookNode
from nbgrader.api import Gradebook
from nbgrader.apps import NbGraderAPI
from nbgrader.preprocessors import Execute
from traitlets.config import Config

from tests.derive import derive
from tests.notebooks import LESSONS, ROOT, SOLUTIONS, read
from tests.tiers import full
from widgets.checks.runner import CALL_SECONDS

pytestmark = pytest.mark.filterwarnings("ignore:Object of type <Submitted")  # nbgrader's own, of its database

README = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
RMSNORM, SWIGLU = "05_exercise_rmsnorm", "06_exercise_swiglu"
CELL_SECONDS = 40  # for a cell that never ends by itself; on a busy machine the imports alone may take 15

POINTS = {
    RMSNORM: {"rms": 1, "rms-norm": 2, "module": 3, "works": 3, "layer-norm": 1, "backward": 2},
    SWIGLU: {"swish": 1, "swiglu": 2, "matched": 1, "llama": 1, "family": 2, "fused": 2}
    | {f"bug-{name}": 1 for name in ("outside", "shared", "half", "residual", "exchanged", "scaled")},
}

RMS_WITHOUT_AN_AXIS = """
def rms(x):
    return x.square().mean(dim=-1).sqrt()
"""
EPS_OUTSIDE = """
def rms_norm(x, weight, eps):
    return x / (x.square().mean(dim=-1, keepdim=True).sqrt() + eps) * weight
"""
NEVER_ENDS = """
def rms_norm(x, weight, eps):
    while True:
        pass
"""
MODULE = """
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.ones(d_model)), eps

    def forward(self, x):
        WIDE
        wide *= torch.rsqrt(wide.square().mean(dim=-1, keepdim=True) + self.eps)
        return (wide * self.weight).to(x.dtype)
"""
HALF_PRECISION = MODULE.replace("WIDE", "wide = x.clone()")
IN_PLACE = MODULE.replace("WIDE", "wide = x.float()")
SAYS_YES = """
def works(norm_class):
    return True
"""
BIAS_FORGOTTEN = """
def layer_norm_from_rms_norm(x, weight, bias, eps):
    return rms_norm(x - x.mean(dim=-1, keepdim=True), weight, eps)
"""
BACKWARD_UNFINISHED = """
def rms_norm_backward(grad_output, x, weight, eps):
    r = (x.square().mean(dim=-1, keepdim=True) + eps).sqrt()
    return grad_output * weight / r, (grad_output * x / r).reshape(-1, x.shape[-1]).sum(dim=0)
"""
A_CELL_THAT_NEVER_ENDS = "import time\nwhile True:\n    time.sleep(1)"
HALVES_EXCHANGED = """
class FusedSwiGLU(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.gate_up_proj = nn.Linear(d_model, 2 * d_ff, bias=False)
        self.down_proj = nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x):
        up, gate = self.gate_up_proj(x).chunk(2, dim=-1)
        return self.down_proj(F.silu(gate) * up)
"""

ALL = set(POINTS[RMSNORM])

# student: the assignment, the cells of a solved notebook that they wrote otherwise, and the checks that should give
# them nothing. Cells are graded one by one, so one student can go wrong in many.
QUICK: dict[str, tuple[str, dict[str, str], set[str]]] = {
    "several_wrong": (
        RMSNORM,
        {
            "rms": RMS_WITHOUT_AN_AXIS,
            "module": HALF_PRECISION,
            "works": SAYS_YES,
            "layer-norm": BIAS_FORGOTTEN,
            "backward": BACKWARD_UNFINISHED,
        },
        ALL - {"rms-norm"},
    ),
}
SLOW = {
    "perfect": (RMSNORM, {}, set()),
    "import_error": (RMSNORM, {"imports": "import no_such_module\nfrom widgets import checks"}, ALL),
    "never_ends": (
        RMSNORM,
        {
            "by-hand": "1 /",
            "rms": "def rms(x):\n    return x",
            "rms-check": "verdict = 'passed'",  # a check that was tampered with
            "rms-norm": NEVER_ENDS,
            "module": IN_PLACE,
            "layer-norm": "def layer_norm_from_rms_norm(x, weight, bias, eps):\n    return x",  # does not wait as well
        },
        {"rms", "rms-norm", "layer-norm", "module"},
    ),
    "halves": (SWIGLU, {"fused": HALVES_EXCHANGED}, {"fused"}),
    "eps_outside": (RMSNORM, {"rms-norm": EPS_OUTSIDE}, {"rms-norm", "layer-norm"}),
    "endless_cell": (RMSNORM, {"backward": A_CELL_THAT_NEVER_ENDS}, {"backward"}),  # nbgrader ends it
}


def filled_in(name: str, changes: dict[str, str]) -> NotebookNode:
    """The student's notebook with the solved cells copied in, but for those written otherwise."""
    notebook, solved = derive(read(SOLUTIONS / f"{name}.ipynb")), read(SOLUTIONS / f"{name}.ipynb")
    assert set(changes) <= {cell.id for cell in notebook.cells}
    for cell, answer in zip(notebook.cells, solved.cells, strict=True):
        if "BEGIN SOLUTION" in answer.source and cell.cell_type == "code":
            cell.source = "\n".join(line for line in answer.source.splitlines() if "### " not in line)
        cell.source = changes.get(cell.id, cell.source)
    return notebook


def surroundings(home: Path) -> dict[str, str]:
    """Environment variables without anything of this machine's configuration."""
    paths = {"HOME": home, "JUPYTER_CONFIG_DIR": home / "config", "JUPYTER_DATA_DIR": home / "data", "IPYTHONDIR": home}
    environment = {key: str(path) for key, path in paths.items()} | {"OMP_NUM_THREADS": "1"}
    environment["PYTHONPATH"] = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    environment["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])  # it calls alembic
    return environment


@pytest.fixture(scope="module")
def teacher(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NbGraderAPI]:
    """An instructor's nbgrader after `generate_assignment` of both assignments."""
    course = tmp_path_factory.mktemp("course")
    (course / "home").mkdir()
    config = Config({"CourseDirectory": {"root": str(course)}, "Execute": {"timeout": CELL_SECONDS}})
    with mock.patch.dict(os.environ, surroundings(course / "home")):
        teacher = NbGraderAPI(config=config)
        for name in (RMSNORM, SWIGLU):
            (course / "source" / name).mkdir(parents=True)
            (course / "source" / name / f"{name}.ipynb").write_bytes((SOLUTIONS / f"{name}.ipynb").read_bytes())
            done = teacher.generate_assignment(name)
            assert done["success"], done
        yield teacher


def graded(teacher: NbGraderAPI, student: str, name: str, notebook: NotebookNode) -> dict[str, float]:
    """What each check of an assignment gives for a notebook; the questions in words, which give nothing, aside."""
    folder = Path(teacher.coursedir.root) / "submitted" / student / name
    folder.mkdir(parents=True)
    nbformat.write(notebook, folder / f"{name}.ipynb")
    done = teacher.autograde(name, student)
    assert done["success"], done
    with Gradebook(teacher.coursedir.db_url) as gradebook:
        grades = gradebook.find_submission_notebook(name, name, student).grades
        return {grade.name.removesuffix("-check"): grade.auto_score for grade in grades if grade.max_score}


def test_the_points_add_up() -> None:
    """To what README says, and the notebooks give them."""
    totals = re.search(r"05 gives (\d+) points and 06 gives (\d+);", README)
    assert totals is not None
    assert {name: sum(points.values()) for name, points in POINTS.items()} == {
        RMSNORM: int(totals[1]),
        SWIGLU: int(totals[2]),
    }
    for name, points in POINTS.items():
        cells = [cell.metadata.get("nbgrader", {}) for cell in read(SOLUTIONS / f"{name}.ipynb").cells]
        graded = {cell["grade_id"]: cell["points"] for cell in cells if cell.get("points")}
        assert graded == {f"{exercise}-check": number for exercise, number in points.items()}


def test_the_readme_says_how_long_a_loop_without_an_end_is_waited_for() -> None:
    """Inside a function as long as a check waits for a call, outside as long as nbgrader waits for a cell."""
    seconds = re.search(
        r"costs its own exercise (\d+) seconds; one outside .* `c.Execute.timeout` seconds \((\d+)\)", README
    )
    assert seconds is not None
    assert [float(each) for each in seconds.groups()] == [CALL_SECONDS, Execute().timeout]


@pytest.mark.parametrize("student", [*QUICK, *map(full, SLOW)])
def test_every_score_is_the_one_expected(teacher: NbGraderAPI, student: str) -> None:
    name, changes, refused = (QUICK | SLOW)[student]
    expected = {exercise: 0 if exercise in refused else points for exercise, points in POINTS[name].items()}
    assert graded(teacher, student, name, filled_in(name, changes)) == expected


@pytest.mark.full
def test_nothing_written_gives_nothing(teacher: NbGraderAPI) -> None:
    assert set(graded(teacher, "empty", RMSNORM, read(LESSONS / f"{RMSNORM}.ipynb")).values()) == {0}


def test_what_is_released_is_the_students_notebook(teacher: NbGraderAPI) -> None:
    """`nbgrader generate_assignment` gives the notebook in lessons/, but for the outputs."""
    for name in (RMSNORM, SWIGLU):
        released = read(Path(teacher.coursedir.root) / "release" / name / f"{name}.ipynb").cells
        ours = read(LESSONS / f"{name}.ipynb").cells
        assert [(cell.id, cell.source, cell.metadata) for cell in released] == [
            (cell.id, cell.source, cell.metadata) for cell in ours
        ]
