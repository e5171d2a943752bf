"""A recording over one slider or a whole grid of two, in little space: how each column differs from its neighbours."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

Reel = Mapping[str, Any]  # widgets.flipbook.recording.Reel


def packed(reel: Reel, grid: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    """What page.js makes reels from: one for every row and every column of the grid.

    grid: slider -> its positions, one slider or two; the recording runs along the last one first.
    Gives {"grid", "shared": what does not change, "tables": for each column its texts, or null for numbers, "steps":
    for each column the differences of neighbours, along the last slider and then along the first}. Numbers are whole
    hundredths of a point.
    """
    shape = tuple(map(len, grid.values()))
    tables = [_table(column) for column in reel["columns"]]
    steps = [_steps(column, table, shape) for column, table in zip(reel["columns"], tables, strict=True)]
    shared = {key: reel[key] for key in ("marks", "defs", "tracks", "words")}
    return {"grid": dict(grid), "shared": shared, "tables": [t and list(t) for t in tables], "steps": steps}


def _table(column: Sequence[str | float]) -> dict[str | float, int] | None:
    """Each different text with its number, in the order of what it says; None for a column of plain numbers."""
    if all(not isinstance(value, str) and round(100 * float(value)) / 100 == value for value in column):
        return None
    return {value: number for number, value in enumerate(sorted(set(column), key=_order))}


def _order(value: str | float) -> tuple[float, str]:
    text = str(value)
    try:
        return float(text.replace("−", "-").rstrip(" ↑↓")), text
    except ValueError:
        return 0.0, text


def _steps(column: Sequence[str | float], table: dict | None, shape: tuple[int, ...]) -> list[int]:
    whole = [round(100 * float(value)) if table is None else table[value] for value in column]
    steps = np.array(whole, dtype=np.int64).reshape(shape)
    for axis in reversed(range(len(shape))):
        steps = np.diff(steps, axis=axis, prepend=0)
    return steps.ravel().tolist()


def compressed(value: object) -> str:
    """JSON, gzip, base64: unpacked by the browser itself."""
    raw = json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()
    return base64.b64encode(gzip.compress(raw, 9, mtime=0)).decode()
