"""The tables in lessons/data: rows of a file with commas between their cells."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

from widgets.inputs import shortened


def read_table(path: str | Path, columns: Sequence[str]) -> list[dict[str, str]]:
    """The rows of a table that has these columns.

    Raises TypeError for what is no path, ValueError for a file that cannot be read and for another table.
    """
    wanted = f"Expected the path of a table with the columns {', '.join(columns)}"
    if not isinstance(path, str | Path):
        raise TypeError(f"{wanted}; got {shortened(path)}.")
    try:
        with Path(path).open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
    except (OSError, ValueError, csv.Error) as problem:  # ValueError: what is no text, and no path
        raise ValueError(f"{wanted}; {shortened(path)} cannot be read: {shortened(problem)}.") from problem
    if not rows:
        raise ValueError(f"{wanted}; got no rows.")
    for row in rows:
        if missing := [name for name in columns if not isinstance(row.get(name), str)]:
            raise ValueError(f"{wanted}; got a row without {missing[0]}.")
    return rows
