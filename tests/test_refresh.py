"""`course.py refresh`: what it stores, what it compares, and what it says when a notebook does not run."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from tests import notebooks
from tests.notebooks import canonical, differences, main, read
from tests.tiers import full

VIEW = "application/vnd.jupyter.widget-view+json"


def stored(folder: Path, *sources: str) -> Path:
    """A notebook with some code cells, not yet run."""
    cells = [new_code_cell(source, id=f"cell-{place}") for place, source in enumerate(sources, start=1)]
    path = folder / "some lésson.ipynb"
    nbformat.write(new_notebook(cells=cells), path)
    return path


def run_once(text: str = "a tensor", png: str = "AAAA", **cell: object) -> nbformat.NotebookNode:
    """A notebook as a kernel might leave it: a heading, and a cell that gave some text and a picture."""
    output = new_output("display_data", {"text/plain": text, "image/png": png, VIEW: {"model_id": "1f"}})
    ran = new_code_cell("x", id="x", execution_count=1, outputs=[output], **cell)
    return new_notebook(cells=[new_markdown_cell("# Title", id="title"), ran])


# The canonical form


def test_the_canonical_form_forgets_editors_and_machines() -> None:
    messy = run_once(metadata={"scrolled": True, "collapsed": False, "execution": {"iopub": "now"}, "tags": ["t"]})
    messy.cells[1].source = "x  \n\n"
    messy.metadata = {
        "kernelspec": {"name": "my-env", "display_name": "mine"},
        "language_info": {"name": "python", "version": "3.13.1"},
        "widgets": {"application/vnd.jupyter.widget-state+json": {}},
    }
    messy.nbformat_minor = 4
    text = canonical(messy)
    tidy = nbformat.reads(text, as_version=4)
    assert tidy.metadata == {
        "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    assert (tidy.nbformat, tidy.nbformat_minor) == (4, 5)
    assert [cell.id for cell in tidy.cells] == ["title", "x"]
    assert tidy.cells[1].metadata == {"tags": ["t"]}
    assert tidy.cells[1].source == "x"
    assert set(tidy.cells[1].outputs[0].data) == {"text/plain", "image/png"}
    assert text.endswith("}\n") and not text.endswith("\n\n")
    assert text.startswith('{\n "cells": [\n  {\n   "cell_type"')
    assert canonical(tidy) == text


def test_the_canonical_form_writes_letters_as_letters_and_keeps_what_nbgrader_needs() -> None:
    note = {"grade_id": "rms", "locked": False, "solution": True}
    notebook = run_once("µ − é 范数", metadata={"nbgrader": note, "deletable": False, "editable": False})
    text = canonical(notebook)
    assert "µ − é 范数" in text
    assert nbformat.reads(text, as_version=4).cells[1].metadata == notebook.cells[1].metadata


def test_hidden_code_stays_hidden_and_hidden_outputs_are_shown() -> None:
    notebook = run_once(metadata={"jupyter": {"source_hidden": True, "outputs_hidden": True}})
    cell = nbformat.reads(canonical(notebook), as_version=4).cells[1]
    assert cell.metadata == {"jupyter": {"source_hidden": True}}
    shown = run_once(metadata={"jupyter": {"source_hidden": False}})
    assert nbformat.reads(canonical(shown), as_version=4).cells[1].metadata == {}


def test_the_words_of_a_picture_stay_and_the_view_of_a_widget_goes() -> None:
    notebook = run_once()
    notebook.cells[1].outputs[0].metadata = {"image/png": {"alt": "Two columns of bars."}, VIEW: {"x": 1}}
    output = nbformat.reads(canonical(notebook), as_version=4).cells[1].outputs[0]
    assert output.metadata == {"image/png": {"alt": "Two columns of bars."}}


def test_the_original_is_left_alone() -> None:
    notebook = run_once()
    canonical(notebook)
    assert VIEW in notebook.cells[1].outputs[0].data


# What counts as a difference: what nbval compares, and no more


def test_other_text_is_a_difference_other_pixels_are_not() -> None:
    assert list(differences(run_once(), run_once(png="BBBB"))) == []
    [said] = differences(run_once("1.000"), run_once("1.001"))
    assert said.startswith("cell 2 (x) now gives ") and "1.001" in said and "1.000" in said


@pytest.mark.parametrize("tag", ["nbval-ignore-output", "nbval-skip"])
def test_a_cell_may_be_let_off(tag: str) -> None:
    let_off = {"metadata": {"tags": [tag]}}
    assert list(differences(run_once("1", **let_off), run_once("2", **let_off))) == []


def test_another_source_another_count_and_a_missing_cell_are_differences() -> None:
    changed = run_once()
    changed.cells[0].source = "# Another title"
    assert list(differences(run_once(), changed)) == ["cell 1 (title) is another cell than in its source"]
    changed = run_once()
    changed.cells[1].execution_count = None
    assert list(differences(changed, run_once())) == ["cell 2 (x) is another cell than in its source"]
    longer = run_once()
    longer.cells.append(new_code_cell("y", id="y"))
    assert list(differences(run_once(), longer)) == ["has 2 cells instead of 3"]


def test_a_picture_that_is_no_longer_there_is_no_difference_but_a_missing_text_is() -> None:
    """As nbval has it: the text of an explorer is compared, its picture is not."""
    without_picture, without_text = run_once(), run_once()
    del without_picture.cells[1].outputs[0].data["image/png"]
    del without_text.cells[1].outputs[0].data["text/plain"]
    assert list(differences(without_picture, run_once())) == []
    assert len(list(differences(without_text, run_once()))) == 1


# The command, with a real kernel


def test_refresh_runs_stores_and_then_finds_nothing_to_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = stored(tmp_path, "import os", "os.path.basename(os.getcwd())", "print('a')\nprint('é')")
    assert main([str(path)]) == 0
    assert "[1/1] " in (said := capsys.readouterr().out) and "stored anew" in said
    assert [cell.execution_count for cell in read(path).cells] == [1, 2, 3]
    assert read(path).cells[1].outputs[0].data["text/plain"] == repr(tmp_path.name)
    assert read(path).cells[2].outputs[0].text == "a\né\n"
    assert main(["--check", str(tmp_path)]) == 0
    assert "up to date" in capsys.readouterr().out
    before = path.read_bytes()
    path.write_text(path.read_text(encoding="utf-8").replace("é\\n", "e\\n") + "\n", encoding="utf-8")
    spoiled = path.read_bytes()
    assert main(["--check", str(path)]) == 1
    said = capsys.readouterr().out
    assert "not up to date: cell 3 (cell-3) now gives" in said and "canonical form" in said
    assert path.read_bytes() == spoiled, "--check changes nothing"
    assert main([str(path)]) == 0
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("code", "trouble"),
    [
        ("1 / 0", "raises ZeroDivisionError: division by zero"),
        full("import os\nos._exit(1)", "made the kernel die"),
        full("import time\ntime.sleep(60)", "did not finish within 1 seconds"),
    ],
)
def test_a_failing_cell_is_named_in_a_sentence(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    code: str,
    trouble: str,
) -> None:
    monkeypatch.setattr(notebooks, "CELL_TIMEOUT", 1)
    path = stored(tmp_path, "1", code, "2")
    before = path.read_bytes()
    assert main([str(path)]) == 1
    said = capsys.readouterr().out
    assert f"some lésson.ipynb: cell 2 (cell-2) {trouble}" in said
    assert said.endswith("1 of 1 notebooks could not be run.\n")
    assert path.read_bytes() == before


@pytest.mark.parametrize("content", [None, "", "not json", "[1]", '{"cells": 3}'])
def test_what_is_no_notebook_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str | None
) -> None:
    path = tmp_path / "x.ipynb"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    assert main([str(path)]) == 1
    assert "x.ipynb is not a notebook that can be read" in capsys.readouterr().out


def test_a_folder_without_notebooks_is_not_called_up_to_date(tmp_path: Path) -> None:
    assert main(["--check", str(tmp_path)]) == 1
