"""The notebooks as they are stored, and as they run: rules that keep them readable and reproducible.

nbval runs every notebook, on its own: `pytest --nbval`, which is part of `python3 course.py test`.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from itertools import groupby, pairwise
from pathlib import Path
from statistics import median
from types import SimpleNamespace

import nbformat
import pytest
from nbformat import NotebookNode

from conftest import ANOTHER_MACHINE, pytest_configure, pytest_runtest_setup
from tests.derive import derive
from tests.notebooks import (
    LESSONS,
    NOT_COMPARED,
    OUTPUTS_VARY,
    ROOT,
    SOLUTIONS,
    canonical,
    kept_metadata,
    notebooks_in,
    read,
    short,
    trouble_with,
)

# Cells whose stored outputs are not compared when the notebook is run again, each with its reason.
NOT_REPRODUCIBLE: dict[tuple[str, str], str] = {
    ("lessons/03_gating.ipynb", "learn-picture"): "errors after training; their order is compared in the next cell",
    ("lessons/03_gating.ipynb", "biased-run"): "the same with biases; what is certain is compared in the next cell",
    ("lessons/07_modern_block.ipynb", "time"): "whether a compiler was found here",
    ("lessons/07_modern_block.ipynb", "timings"): "times; that they are complete is compared in the next cell",
    ("lessons/07_modern_block.ipynb", "operations-listed"): "torch's choice; what is certain is in the next cell",
    ("lessons/07_modern_block.ipynb", "train"): "losses after training; that they fall is in the next cell",
}

every_notebook = pytest.mark.parametrize("path", notebooks_in(), ids=short)


def code_cells(path: Path) -> list[NotebookNode]:
    return [cell for cell in read(path).cells if cell.cell_type == "code"]


def prose_cells(path: Path) -> list[NotebookNode]:
    return [cell for cell in read(path).cells if cell.cell_type == "markdown"]


def lines(cell: NotebookNode) -> list[str]:
    """The lines of a cell that are not blank."""
    return [line for line in cell.source.splitlines() if line.strip()]


def words(cell: NotebookNode) -> int:
    """How many words of prose a cell holds: code blocks, tables, displayed formulas and HTML tags aside."""
    prose = re.sub(r"```.*?```|\$\$.*?\$\$|<[^>]*>|\]\([^)]*\)|^\s*\|.*$", " ", cell.source, flags=re.S | re.M)
    return len(re.findall(r"\S*\w\S*", prose))


def headings(cell: NotebookNode) -> list[str]:
    """The marks of a cell's headings, `##` for one of level 2; a comment in a code block is none."""
    return re.findall(r"^(#{1,6}) ", re.sub(r"```.*?```", "", cell.source, flags=re.S), flags=re.M)


def printed(cell: NotebookNode) -> list[str]:
    """Everything a cell printed or returned as text."""
    outputs = [output.get("text", "") for output in cell.outputs]
    for output in cell.outputs:
        outputs += [str(value) for kind, value in output.get("data", {}).items() if kind not in NOT_COMPARED]
    return outputs


# As stored


@every_notebook
def test_is_stored_in_the_canonical_form(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == canonical(read(path)), "run `python3 course.py refresh`"


@every_notebook
def test_was_run_from_top_to_bottom(path: Path) -> None:
    """nbval does not compare a cell without a count at all, so a stripped notebook would pass it."""
    cells = code_cells(path)
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))


@every_notebook
def test_is_small(path: Path) -> None:
    assert path.stat().st_size < 300_000


@every_notebook
def test_cells_have_readable_names(path: Path) -> None:
    """A name such as `overall-shift`, which stays when cells move; not the random one an editor gives."""
    names = [cell.id for cell in read(path).cells]
    assert len(set(names)) == len(names)
    assert [name for name in names if not re.fullmatch(r"[a-z]+[a-z0-9]*(-[a-z0-9]+)*", name)] == []
    assert [name for name in names if re.fullmatch(r"(?=.*\d)[0-9a-f]{8}(-[0-9a-f-]+)?", name)] == []


@every_notebook
def test_no_cell_went_wrong(path: Path) -> None:
    for cell in code_cells(path):
        assert not [output for output in cell.outputs if output.output_type == "error"], cell.id
        assert not [output for output in cell.outputs if output.get("name") == "stderr"], cell.id


@every_notebook
def test_nothing_stored_belongs_to_one_machine(path: Path) -> None:
    """No addresses of objects, no folders of whoever ran it, no repr of a widget with all its traits."""
    for cell in code_cells(path):
        for text in printed(cell):
            assert not re.search(r"\bat 0x[0-9a-f]+|/home/|/Users/|[A-Z]:\\|/tmp/|layout=Layout\(", text), cell.id


@every_notebook
def test_no_widget_is_stored(path: Path) -> None:
    """A stored view says "model not found", and a stored state is as large as the lesson."""
    assert not re.search(r"application/vnd\.jupyter\.widget-(view|state)\+json", path.read_text(encoding="utf-8"))


# What nbval does not compare, or compares wrongly


@every_notebook
def test_outputs_are_compared(path: Path) -> None:
    """Only the cells in the list above are let off, and none is let off by a comment."""
    let_off = {
        (short(path), cell.id)
        for cell in code_cells(path)
        if not OUTPUTS_VARY.isdisjoint(cell.metadata.get("tags", [])) or "NBVAL_" in cell.source.upper()
    }
    assert let_off == {key for key in NOT_REPRODUCIBLE if key[0] == short(path)}
    assert [cell.id for cell in code_cells(path) if "raises-exception" in cell.metadata.get("tags", [])] == []


@every_notebook
def test_cells_end_in_something_to_look_at(path: Path) -> None:
    for cell in code_cells(path):
        assert not cell.source.rstrip().endswith(";"), f"{cell.id}: nbval compares what `;` hides"
        assert not re.search(r"^_ *=", cell.source, flags=re.M), f"{cell.id}: a value nobody looks at"


@every_notebook
def test_code_is_python_alone(path: Path) -> None:
    """A mistyped magic and a failing `!command` pass every check; clear_output and Output confuse nbval."""
    for cell in code_cells(path):
        ast.parse(cell.source)
        assert not re.search(r"\b(clear_output|get_ipython|interact|interactive_output|Output)\b", cell.source), cell.id


@every_notebook
def test_randomness_is_local(path: Path) -> None:
    for cell in code_cells(path):
        assert "torch.manual_seed" not in cell.source, f"{cell.id}: torch.Generator().manual_seed(0) instead"


# The rhythm of a lesson


@every_notebook
def test_code_cells_are_short(path: Path) -> None:
    sizes = sorted(len(lines(cell)) for cell in code_cells(path))
    assert median(sizes) <= 5
    assert sizes[int(0.9 * (len(sizes) - 1))] <= 12
    assert sizes[-1] <= 20


@every_notebook
def test_one_idea_a_cell(path: Path) -> None:
    for cell in code_cells(path):
        definitions = [node for node in ast.parse(cell.source).body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
        assert len(definitions) <= 1, cell.id


@every_notebook
def test_imports_are_in_one_cell(path: Path) -> None:
    importing = [
        cell
        for cell in code_cells(path)
        if any(isinstance(node, ast.Import | ast.ImportFrom) for node in ast.walk(ast.parse(cell.source)))
    ]
    assert [cell.id for cell in importing[1:]] == []
    assert all(len(lines(cell)) <= 6 for cell in importing)


@every_notebook
def test_prose_and_code_take_turns(path: Path) -> None:
    kinds = [cell.cell_type for cell in read(path).cells]
    assert max(len(list(run)) for kind, run in groupby(kinds) if kind == "code") <= 3


@every_notebook
def test_no_cell_is_a_wall_of_text(path: Path) -> None:
    assert {cell.id: words(cell) for cell in prose_cells(path) if words(cell) > 130} == {}


@every_notebook
def test_every_picture_answers_a_question(path: Path) -> None:
    """Since the picture before it something was asked, in prose or with `predict`."""
    unasked, asked = [], False
    for cell in read(path).cells:
        asked = asked or ("?" in cell.source if cell.cell_type == "markdown" else "predict(" in cell.source)
        if any("image/png" in output.get("data", {}) for output in cell.get("outputs", [])):
            unasked += [] if asked else [cell.id]
            asked = False
    assert unasked == []


@every_notebook
def test_the_code_of_a_question_is_hidden(path: Path) -> None:
    """It holds every answer, and which one is right; the form under it asks the same in words."""
    asking = [cell for cell in code_cells(path) if re.search(r"^predict\(", cell.source, flags=re.M)]
    assert [cell.id for cell in asking if not cell.metadata.get("jupyter", {}).get("source_hidden")] == []


@every_notebook
def test_headings_are_steps_of_one(path: Path) -> None:
    """One title, in the first cell, and no level that is skipped: what a screen reader navigates by."""
    levels = [len(marks) for cell in prose_cells(path) for marks in headings(cell)]
    assert levels[0] == 1 and levels.count(1) == 1
    assert headings(read(path).cells[0])
    assert all(deeper <= level + 1 for level, deeper in pairwise(levels))


# As they run: nbval runs each of them (see conftest.py above), and this is what it does not look at


@pytest.mark.parametrize("path", notebooks_in([SOLUTIONS]), ids=short)
def test_an_exercise_is_its_solution_without_the_answers(path: Path) -> None:
    made, stored = derive(read(path)).cells, read(LESSONS / path.name).cells
    assert [(cell.id, cell.source.rstrip()) for cell in made] == [(cell.id, cell.source) for cell in stored]
    assert [kept_metadata(cell) for cell in made] == [cell.metadata for cell in stored]


def test_a_notebooks_kernel_is_started_in_another_machines_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """And nothing else is; what somebody has said goes before it."""
    for name in ANOTHER_MACHINE:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    before = dict(os.environ)
    for path, expected in (("a.ipynb", ANOTHER_MACHINE | before), ("test_a.py", before)):
        starting = pytest_runtest_setup(SimpleNamespace(path=Path(path)))
        next(starting)
        assert dict(os.environ) == expected
        with pytest.raises(StopIteration):
            starting.send(None)
        assert dict(os.environ) == before


@pytest.mark.parametrize(
    ("config", "said", "threads"),
    [
        (SimpleNamespace(workerinput={}), None, "1"),
        (SimpleNamespace(workerinput={}), "7", "7"),
        (SimpleNamespace(), None, None),
    ],
)
def test_beside_another_process_torch_has_one_thread(
    monkeypatch: pytest.MonkeyPatch, config: object, said: str | None, threads: str | None
) -> None:
    """Alone it has them all, and what somebody has said goes before it."""
    monkeypatch.setattr(os, "environ", {"OMP_NUM_THREADS": said} if said else {})
    pytest_configure(config)
    assert os.environ.get("OMP_NUM_THREADS") == threads


@pytest.mark.full
def test_nbval_plays_another_machine(tmp_path: Path) -> None:
    """A notebook that stores which machine it was run on passes only on the other one."""
    asks = "import os\nprint(os.environ['ATEN_CPU_CAPABILITY'], os.environ['OMP_NUM_THREADS'])"
    stored = [nbformat.v4.new_output("stream", text="default 1\n")]
    cell = nbformat.v4.new_code_cell(asks, id="asks", execution_count=1, outputs=stored)
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), tmp_path / "asks.ipynb")
    command = [sys.executable, "-m", "pytest", "-p", "conftest", "--nbval", str(tmp_path / "asks.ipynb")]
    env = {name: value for name, value in os.environ.items() if name not in ANOTHER_MACHINE}
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
    assert done.returncode == 0 and "1 passed" in done.stdout, done.stdout


@pytest.mark.full
@every_notebook
def test_what_is_stored_is_what_this_machine_gives(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """nbval plays another machine. This is a plain run with all threads, in which what can be compiled is compiled."""
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    assert trouble_with(path) == []
