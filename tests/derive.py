"""Make the notebook that students get from the solved one, with nbgrader's own preprocessors.

What comes out is what `nbgrader generate_assignment` releases, but for the header and the gradebook, which belong to
an instructor's course.
"""

from __future__ import annotations

import nbformat
from nbformat import NotebookNode
from nbgrader.preprocessors import (
    CheckCellMetadata,
    ClearHiddenTests,
    ClearMarkScheme,
    ClearOutput,
    ClearSolutions,
    ComputeChecksums,
    LockCells,
)

STEPS = (
    LockCells,
    ClearSolutions,
    ClearOutput,
    ClearHiddenTests,
    ClearMarkScheme,
    ComputeChecksums,
    CheckCellMetadata,
)


def derive(solved: NotebookNode) -> NotebookNode:
    """The exercise without answers, hidden tests and outputs; the solved notebook stays as it is.

    Raises nbgrader's own errors for markers that do not close or metadata that do not fit together.
    """
    notebook, resources = nbformat.from_dict(solved), {}
    for step in STEPS:
        notebook, resources = step().preprocess(notebook, resources)
    return notebook
