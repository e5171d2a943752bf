"""How long each norm took, on one logarithmic scale for all sizes."""

from __future__ import annotations

import math
from collections.abc import Sequence

from widgets import formats, style
from widgets.experiments.timing import Timing
from widgets.pictures.page import box, page, write

LEFT, COLUMN, ROW, TOP, BOTTOM = 150.0, 250.0, 30.0, 62.0, 40.0
COLOURS = {"LayerNorm": style.LAYER_NORM, "RMSNorm": style.RMS_NORM}


class NormTimingsPicture:
    """A column for each size, a row for each contestant: a filled circle for forward, an open square with backward."""

    def __init__(self, found: Sequence[Timing]) -> None:
        sizes = list(dict.fromkeys((each.rows, each.d) for each in found))
        names = list(dict.fromkeys(each.name for each in sorted(found, key=lambda each: each.kind == "Linear")))
        width, height = LEFT + COLUMN * len(sizes), TOP + ROW * len(names) + BOTTOM
        self.figure, self.axes = page(width, height)
        self._lowest = math.floor(math.log10(min(each.low for each in found)))
        self._highest = math.ceil(math.log10(max(each.high for each in found)))
        rows = {name: BOTTOM + ROW * (len(names) - at - 0.5) for at, name in enumerate(names)}
        for name, y in rows.items():
            write(self.axes, LEFT - 12, y - 3, name, ha="right")
        for column, (count, d) in enumerate(sizes):
            left = LEFT + COLUMN * column
            write(self.axes, left + COLUMN / 2, height - 44, f"{count} rows of {d} numbers", ha="center")
            for power in range(self._lowest, self._highest + 1):
                x = self._x(left, 10.0**power)
                box(self.axes, x - 0.3, BOTTOM, 0.6, ROW * len(names), facecolor=style.RULE)
                words = formats.duration(10.0**power)
                write(self.axes, x, BOTTOM - 14, words, ha="center", fontsize=style.SMALL, color=style.FAINT)
            for each in found:
                if (each.rows, each.d) == (count, d):
                    self._mark(left, rows[each.name], each)
        words = "● forward   □ forward and backward   line: the middle half of the rounds   one thread"
        write(self.axes, LEFT, height - 20, words, fontsize=style.SMALL)

    def _mark(self, left: float, y: float, timing: Timing) -> None:
        colour = COLOURS.get(timing.kind, style.INK)
        y += -4 if timing.backward else 4
        low, high = self._x(left, timing.low), self._x(left, timing.high)
        box(self.axes, low, y - 0.8, high - low, 1.6, facecolor=colour)
        look = {"marker": "s", "markerfacecolor": style.PAPER} if timing.backward else {"marker": "o"}
        self.axes.plot([self._x(left, timing.median)], [y], color=colour, markersize=6, **look)

    def _x(self, left: float, microseconds: float) -> float:
        share = (math.log10(microseconds) - self._lowest) / (self._highest - self._lowest)
        return left + 16 + share * (COLUMN - 46)
