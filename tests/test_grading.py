"""Grading a class with real nbgrader: one course, two assignments, every score the one expected.

The submissions are the students' notebooks, filled in as students fill them in: cell by cell.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from nbgrader.api import Gradebook, MissingEntry

from tests.derive import derive
from tests.notebooks import LESSONS, ROOT, SOLUTIONS, read

RMSNORM, SWIGLU = "05_exercise_rmsnorm", "06_exercise_swiglu"
CELL_SECONDS = 15  # for a cell that never ends by itself; every check is done in less

RMS_POINTS = {"rms": 1, "rms-norm": 2, "module": 3, "works": 3, "layer-norm": 1, "backward": 2}
SWIGLU_POINTS = {"swish": 1, "swiglu": 2, "matched": 1, "llama": 1, "family": 2, "bugs": 6, "fused": 2}

Change = Callable[[str], str]


def instead(old: str, new: str) -> Change:
    """A cell in which something is written another way. Raises AssertionError if it is not there."""

    def change(source: str) -> str:
        assert old in source
        return source.replace(old, new)

    return change


def written(source: str) -> Change:
    """A cell in which something else stands."""
    return lambda _: source


EPS_OUTSIDE = instead("torch.rsqrt(mean_square + eps)", "1 / (torch.sqrt(mean_square) + eps)")
SAYS_YES = written("def works(norm_class):\n    return True")
FOREVER = written("def rms_norm(x, weight, eps):\n    while True:\n        pass")

SUBMISSIONS: dict[str, tuple[dict[str, Change], int]] = {
    # student: what they changed in a solved notebook, and the points they should get
    "perfect": ({}, 12),
    "eps_outside": ({"rms-norm": EPS_OUTSIDE}, 12 - 2 - 1),  # LayerNorm is built on it
    "no_keepdim": ({"rms": instead("dim=-1, keepdim=True", "dim=-1")}, 12 - 1),
    "half_precision": ({"module": instead("x.to(torch.promote_types(x.dtype, torch.float32))", "x")}, 12 - 3),
    "in_place": ({"module": instead("wide = wide * ", "wide *= ")}, 12 - 3),
    "says_yes": ({"works": SAYS_YES}, 12 - 3),
    "bias_forgotten": ({"layer-norm": instead(" + bias", "")}, 12 - 1),
    "backward_unfinished": (
        {"backward": instead("(grad - z * (grad * z).mean(dim=-1, keepdim=True))", "grad")},
        12 - 2,
    ),
    "import_error": ({"imports": instead("import torch\n", "import no_such_module\nimport torch\n")}, 0),
    "loop_in_a_call": ({"rms-norm": FOREVER}, 12 - 2 - 1),
    "loop_in_a_cell": ({"backward": written("while True:\n    pass")}, 12 - 2),
    "tampers": (
        {
            "rms": written("def rms(x):\n    return x"),
            "rms-check": written("verdict = 'passed'"),
            "by-hand": written("1 /"),
        },
        12 - 1,
    ),
}


def filled_in(name: str, changes: dict[str, Change]) -> NotebookNode:
    """The student's notebook with the solved cells copied in, but for the changes."""
    notebook, solved = derive(read(SOLUTIONS / f"{name}.ipynb")), read(SOLUTIONS / f"{name}.ipynb")
    for cell, answer in zip(notebook.cells, solved.cells, strict=True):
        if "BEGIN SOLUTION" in answer.source and cell.cell_type == "code":
            cell.source = "\n".join(line for line in answer.source.splitlines() if "### " not in line)
        if cell.id in changes:
            cell.source = changes[cell.id](cell.source)
    return notebook


def submit(course: Path, student: str, name: str, notebook: NotebookNode) -> None:
    folder = course / "submitted" / student / name
    folder.mkdir(parents=True)
    nbformat.write(notebook, folder / f"{name}.ipynb")


def nbgrader(course: Path, *arguments: str) -> None:
    """One nbgrader command in the course's folder, with nothing of this machine's configuration."""
    home = course / "home"
    paths = {"HOME": home, "JUPYTER_CONFIG_DIR": home / "config", "JUPYTER_DATA_DIR": home / "data", "IPYTHONDIR": home}
    environment = {**os.environ, **{key: str(path) for key, path in paths.items()}, "OMP_NUM_THREADS": "1"}
    environment["PYTHONPATH"] = os.pathsep.join([str(ROOT), environment.get("PYTHONPATH", "")])
    environment["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), environment["PATH"]])  # it calls alembic
    command = [sys.executable, "-m", "nbgrader", *arguments]
    done = subprocess.run(command, cwd=course, env=environment, capture_output=True, text=True, timeout=1800)
    assert done.returncode == 0, done.stderr[-3000:]


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An instructor's folder after `generate_assignment` and `autograde` of both assignments."""
    course = tmp_path_factory.mktemp("course")
    (course / "home").mkdir()
    (course / "nbgrader_config.py").write_text(f"c = get_config()\nc.Execute.timeout = {CELL_SECONDS}\n")
    for name in (RMSNORM, SWIGLU):
        (course / "source" / name).mkdir(parents=True)
        (course / "source" / name / f"{name}.ipynb").write_bytes((SOLUTIONS / f"{name}.ipynb").read_bytes())
        nbgrader(course, "generate_assignment", name)
    for student, (changes, _) in SUBMISSIONS.items():
        submit(course, student, RMSNORM, filled_in(RMSNORM, changes))
    for name in (RMSNORM, SWIGLU):
        submit(course, "empty", name, read(LESSONS / f"{name}.ipynb"))
    submit(course, "perfect", SWIGLU, filled_in(SWIGLU, {}))
    submit(course, "halves", SWIGLU, filled_in(SWIGLU, {"fused": instead("gate, up = ", "up, gate = ")}))
    for name in (RMSNORM, SWIGLU):
        nbgrader(course, "autograde", name)
    return course


@pytest.fixture(scope="module")
def scores(course: Path) -> dict[tuple[str, str], float]:
    """What each student got for each assignment."""
    return read_scores(course)


def read_scores(course: Path) -> dict[tuple[str, str], float]:
    found = {}
    with Gradebook(f"sqlite:///{course / 'gradebook.db'}") as gradebook:
        for assignment in gradebook.assignments:
            for student in gradebook.students:
                try:
                    submission = gradebook.find_submission(assignment.name, student.id)
                except MissingEntry:
                    continue
                found[assignment.name, student.id] = submission.score
    return found


def test_the_points_add_up() -> None:
    assert sum(RMS_POINTS.values()) == 12
    for name, points in ((RMSNORM, RMS_POINTS), (SWIGLU, SWIGLU_POINTS)):
        graded = [
            cell.metadata.nbgrader for cell in read(SOLUTIONS / f"{name}.ipynb").cells if "nbgrader" in cell.metadata
        ]
        assert sum(cell.get("points", 0) for cell in graded) == sum(points.values())


def test_every_score_is_the_one_expected(scores: dict[tuple[str, str], float]) -> None:
    expected = {(RMSNORM, student): points for student, (_, points) in SUBMISSIONS.items()} | {(RMSNORM, "empty"): 0}
    assert {key: score for key, score in scores.items() if key[0] == RMSNORM} == expected


def test_the_second_assignment_is_graded_as_well(scores: dict[tuple[str, str], float]) -> None:
    points = sum(SWIGLU_POINTS.values())
    expected = {"perfect": points, "halves": points - SWIGLU_POINTS["fused"], "empty": 0}
    assert {student: score for (name, student), score in scores.items() if name == SWIGLU} == expected


def test_what_is_released_is_the_students_notebook(course: Path) -> None:
    """`nbgrader generate_assignment` gives the notebook in lessons/, but for the outputs."""
    for name in (RMSNORM, SWIGLU):
        released = read(course / "release" / name / f"{name}.ipynb").cells
        ours = read(LESSONS / f"{name}.ipynb").cells
        assert [(cell.id, cell.source, cell.metadata) for cell in released] == [
            (cell.id, cell.source, cell.metadata) for cell in ours
        ]
