"""Execute the notebooks and store them in one canonical form: `python3 course.py refresh [--check]`.

Stored outputs are what nbval compares and what a reader sees before running anything, so they are never
stripped and never edited by hand: this is the one command that writes them.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode

ROOT = Path(__file__).resolve().parent.parent
LESSONS = ROOT / "lessons"
SOLUTIONS = ROOT / "solutions"

CELL_TIMEOUT = 120  # seconds; nbval is given the same in pyproject.toml
KEPT_CELL_METADATA = ("deletable", "editable", "nbgrader", "tags")
NOT_COMPARED = ("image/png", "image/jpeg")  # by nbval either: the same picture has other bytes elsewhere
OUTPUTS_VARY = {"nbval-ignore-output", "nbval-skip"}  # the tags of cells whose outputs nbval does not compare


class NotebookFails(Exception):
    """A notebook that does not run from top to bottom; the message says where, in a sentence."""


def notebooks_in(places: Iterable[Path] = (LESSONS, SOLUTIONS)) -> list[Path]:
    """The notebooks among some files and folders; without any, every notebook of the course, in order."""
    return [
        path for place in places for path in ([place] if place.suffix == ".ipynb" else sorted(place.glob("*.ipynb")))
    ]


def short(path: Path) -> str:
    """A path as the course says it: from the course's folder, with forward slashes."""
    path = path.resolve()
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else str(path)


def read(path: Path) -> NotebookNode:
    """The stored notebook. Raises ValueError, in a sentence, if the file is none."""
    try:
        return nbformat.read(path, as_version=4)
    except Exception as error:  # nbformat stumbles in many ways over what is no notebook
        raise ValueError(f"{short(path)} is not a notebook that can be read: {error}") from error


def source(path: Path) -> NotebookNode:
    """What a notebook is executed from: itself, or its solution without the answers if it is an exercise."""
    solved = SOLUTIONS / path.name
    if path.resolve().parent == LESSONS and solved.exists():
        from tests.derive import derive  # nbgrader takes a second to import, and only exercises need it

        return derive(read(solved))
    return read(path)


def execute(notebook: NotebookNode, path: Path, env: dict[str, str] | None = None) -> NotebookNode:
    """Run a notebook from top to bottom in its own folder, and return it with the outputs in it.

    env: added to the kernel's environment. Raises NotebookFails at the first cell that does not end well.
    """
    client = NotebookClient(
        notebook,
        timeout=CELL_TIMEOUT,
        kernel_name="python3",
        resources={"metadata": {"path": str(path.resolve().parent)}},
        store_widget_state=False,
        record_timing=False,
        coalesce_streams=True,
        extra_arguments=["--IPKernelApp.log_level=ERROR"],
    )
    reached = 0

    def note_cell(cell: NotebookNode, cell_index: int) -> None:
        nonlocal reached
        reached = cell_index

    client.on_cell_start = note_cell
    try:
        return client.execute(env={**os.environ, **(env or {})})
    except CellExecutionError as error:
        trouble = f"raises {error.ename}: {error.evalue}"
    except CellTimeoutError:
        trouble = f"did not finish within {CELL_TIMEOUT} seconds"
    except DeadKernelError:
        trouble = "made the kernel die"
    raise NotebookFails(f"{short(path)}: {name_cell(notebook, reached)} {trouble}")


def name_cell(notebook: NotebookNode, index: int) -> str:
    """A cell as a person finds it: its place among all cells, counted from 1, and its id."""
    return f"cell {index + 1} ({notebook.cells[index].get('id', 'without an id')})"


def canonical(notebook: NotebookNode) -> str:
    """The one text in which a notebook is stored: no widget state, no timing, no trace of an editor."""
    notebook = nbformat.from_dict(notebook)
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    for cell in notebook.cells:
        cell.source = cell.source.rstrip()
        cell.metadata = kept_metadata(cell)
        for output in cell.get("outputs", []):
            # A stored view shows "model not found" to whoever opens the notebook before running it.
            output.get("data", {}).pop("application/vnd.jupyter.widget-view+json", None)
            output.get("metadata", {}).pop("application/vnd.jupyter.widget-view+json", None)
    return nbformat.writes(notebook).rstrip("\n") + "\n"


def kept_metadata(cell: NotebookNode) -> dict[str, object]:
    """What the course says about a cell: nbgrader's notes, tags, and whether its code is folded away."""
    kept = {key: cell.metadata[key] for key in KEPT_CELL_METADATA if key in cell.metadata}
    if cell.metadata.get("jupyter", {}).get("source_hidden"):
        kept["jupyter"] = {"source_hidden": True}
    return kept


def compared(cell: NotebookNode) -> list[dict[str, object]]:
    """What is compared of a cell's outputs: the same as nbval compares."""
    outputs = []
    for output in cell.get("outputs", []):
        kept = {key: value for key, value in output.items() if key in ("name", "text", "ename", "evalue")}
        data = {kind: value for kind, value in output.get("data", {}).items() if kind not in NOT_COMPARED}
        outputs.append(kept | data)
    return outputs


def differences(stored: NotebookNode, fresh: NotebookNode) -> Iterator[str]:
    """How a stored notebook differs from a fresh execution of its source, a sentence each."""
    for index, (old, new) in enumerate(zip_longest(stored.cells, fresh.cells)):
        if old is None or new is None:
            yield f"has {len(stored.cells)} cells instead of {len(fresh.cells)}"
            return
        where = name_cell(stored, index)
        if blank(old) != blank(new):
            yield f"{where} is another cell than in its source"
        elif OUTPUTS_VARY.isdisjoint(old.metadata.get("tags", [])) and compared(old) != compared(new):
            yield f"{where} now gives {brief(compared(new))}, stored is {brief(compared(old))}"


def blank(cell: NotebookNode) -> dict[str, object]:
    """A cell without what running it changes, but with its count."""
    return {key: value for key, value in cell.items() if key != "outputs"}


def brief(value: object, limit: int = 300) -> str:
    """A value on one line, shortened if it is long."""
    text = repr(value)
    return text if len(text) <= limit else text[:limit] + " …"


def trouble_with(path: Path, env: dict[str, str] | None = None) -> list[str]:
    """What is not up to date about a stored notebook, found by running it once: a list of sentences.

    Raises NotebookFails if it does not run.
    """
    stored = read(path)
    # Both sides in canonical form, so that only real differences are left to name.
    fresh = nbformat.reads(canonical(execute(source(path), path, env)), as_version=4)
    found = list(differences(nbformat.reads(canonical(stored), as_version=4), fresh))
    if path.read_text(encoding="utf-8") != canonical(stored):
        found.append("it is not stored in the canonical form")
    return found


def refresh(path: Path) -> str:
    """Run a notebook, store it in canonical form, and say what happened."""
    fresh = canonical(execute(source(path), path))
    if path.exists() and path.read_text(encoding="utf-8") == fresh:
        return "unchanged"
    path.write_text(fresh, encoding="utf-8", newline="\n")
    return "stored anew"


def check(path: Path) -> str:
    """Run a notebook and say that it is up to date, or raise NotebookFails saying what is not."""
    found = trouble_with(path)
    if found:
        raise NotebookFails("not up to date: " + "; ".join(found))
    return "up to date"


def main(arguments: Sequence[str] | None = None) -> int:
    """Refresh or check notebooks, one line each; returns 1 if one fails or is not up to date."""
    parser = argparse.ArgumentParser("course.py refresh", description="Run and store all notebooks.")
    parser.add_argument("--check", action="store_true", help="change nothing, say which are not up to date")
    parser.add_argument("notebooks", nargs="*", type=Path, help="only these notebooks or folders")
    options = parser.parse_args(arguments)
    paths = notebooks_in(options.notebooks or (LESSONS, SOLUTIONS))
    if not paths:
        print("There is no notebook there.")
        return 1
    failed = 0
    for number, path in enumerate(paths, start=1):
        print(f"[{number}/{len(paths)}] {short(path)} ... ", end="", flush=True)
        start = time.perf_counter()
        try:
            outcome = check(path) if options.check else refresh(path)
        except (NotebookFails, ValueError) as error:
            outcome, failed = f"{error}", failed + 1
        print(f"{outcome} ({time.perf_counter() - start:.1f} s)")
    if failed:
        trouble = "are not up to date: run `course.py refresh`" if options.check else "could not be run"
        print(f"{failed} of {len(paths)} notebooks {trouble}.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
