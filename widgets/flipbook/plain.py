"""Matplotlib's own defaults, whatever styles and settings a notebook or a matplotlibrc has made."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from matplotlib import rcParams, rcParamsDefault

# Settings that decide how a picture looks; the others (backends, folders, how files are saved) stay as they are.
_LOOKS = (
    *("axes", "axes3d", "figure", "font", "hatch", "lines", "markers", "mathtext", "patch", "path", "polaraxes"),
    *("scatter", "svg", "text", "xaxis", "xtick", "yaxis", "ytick"),
)
_NAMES = [name for name in rcParamsDefault if name.partition(".")[0] in _LOOKS]
_one_at_a_time = threading.RLock()  # callbacks draw in a thread of their own


@contextmanager
def plain() -> Iterator[None]:
    """Draws the block in matplotlib's default look; also a decorator. Afterwards the notebook's settings are back.

    A setting that another thread changes meanwhile keeps that change.
    """
    with _one_at_a_time:
        theirs = {name: rcParams[name] for name in _NAMES if rcParams[name] != rcParamsDefault[name]}
        rcParams.update({name: rcParamsDefault[name] for name in theirs})
        try:
            yield
        finally:
            rcParams.update({name: own for name, own in theirs.items() if rcParams[name] == rcParamsDefault[name]})
