"""Running a lesson so that its explorers can be taken along."""

from __future__ import annotations

from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode

SHIP = "from widgets.site.shipping import ship_all\n\nship_all(coarse={coarse})"
BUNDLE = "application/json"
TIMEOUT = 600  # seconds a cell: the last one draws every position of every explorer


def run(path: Path, coarse: bool = False) -> tuple[NotebookNode, dict[str, dict]]:
    """The notebook with its outputs, and what each widget in it needs on a page: model id -> see shipping.

    coarse: fewer positions and settings, for a quick trial. Raises nbclient's CellExecutionError when a cell fails.
    """
    notebook = nbformat.read(path, as_version=4)
    notebook.cells.append(nbformat.v4.new_code_cell(SHIP.format(coarse=coarse)))
    client = NotebookClient(
        notebook,
        timeout=TIMEOUT,
        kernel_name="python3",
        resources={"metadata": {"path": str(path.parent)}},
        store_widget_state=False,
        extra_arguments=["--IPKernelApp.log_level=ERROR"],
    )
    done = client.execute()
    (output,) = done.cells.pop().outputs
    return done, output.data[BUNDLE]
