"""A small chart on a page: two axes with ticks, and places for numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import torch
from matplotlib.lines import Line2D
from torch import Tensor

from widgets import formats, style
from widgets.pictures.page import Page, Rect, box, faint, line

Ticks = Mapping[float, str]  # a number on an axis -> what is written there


def whole(numbers: Iterable[float]) -> Ticks:
    """Ticks without decimals."""
    return {number: formats.number(number, 0) for number in numbers}


def powers(first: int, last: int, words: Callable[[float], str] = formats.scientific, step: int = 1) -> Ticks:
    """Ticks at powers of ten, from one exponent to another."""
    return {10.0**power: words(10.0**power) for power in range(first, last + 1, step)}


class Chart:
    """A rectangle of the page in which numbers have places.

    across, up: the numbers at its edges; logarithmic: "x", "y" or "xy" for axes on which equal steps are equal factors
    """

    def __init__(
        self,
        page: Page,
        place: Rect,
        across: tuple[float, float],
        up: tuple[float, float],
        across_ticks: Ticks | None = None,
        up_ticks: Ticks | None = None,
        logarithmic: str = "",
    ) -> None:
        self.page, self.place, self.across = page, place, across
        self._scales = {axis: math.log10 if axis in logarithmic else float for axis in "xy"}
        self._x, self._y = self._fit("x", across, place.width), self._fit("y", up, place.height)
        for number, words in (across_ticks or {}).items():
            box(page, self.x(number) - 0.4, place.bottom, 0.8, place.height, facecolor=self._ink(number))
            faint(page, self.x(number), place.bottom - 14, words, ha="center")
        for number, words in (up_ticks or {}).items():
            box(page, place.left, self.y(number) - 0.4, place.width, 0.8, facecolor=self._ink(number))
            faint(page, place.left - 5, self.y(number) - 4, words, ha="right")

    def _fit(self, axis: str, ends: tuple[float, float], points: float) -> tuple[float, float]:
        """Where an axis begins, on its scale, and points for one of its units."""
        first, last = map(self._scales[axis], ends)
        return first, points / (last - first)

    @staticmethod
    def _ink(number: float) -> str:
        return style.RULE if number else style.FAINT

    def x(self, number: float) -> float:
        """Where this number lies across the page, in points."""
        first, unit = self._x
        return self.place.left + (self._scales["x"](number) - first) * unit

    def y(self, number: float) -> float:
        """Where this number lies up the page, in points."""
        first, unit = self._y
        return self.place.bottom + (self._scales["y"](number) - first) * unit

    def plot(self, x: Iterable[float], y: Iterable[float], **look: Any) -> Line2D:
        """A line through numbers."""
        return line(self.page, [self.x(number) for number in x], [self.y(number) for number in y], **look)

    def curve(self, function: Callable[[Tensor], Tensor], points: int = 61, **look: Any) -> Line2D:
        """The function over the whole width, as a line."""
        z = self._spread(points)
        return self.plot(z.tolist(), function(z).tolist(), **look)

    def redraw(self, line: Line2D, function: Callable[[Tensor], Tensor]) -> None:
        """Gives a line drawn by `curve` another function."""
        line.set_ydata([self.y(number) for number in function(self._spread(np.size(line.get_xdata()))).tolist()])

    def _spread(self, points: int) -> Tensor:
        """Numbers from edge to edge, closer together in the middle, where our curves bend."""
        left, right = self.across
        part = torch.linspace(-1, 1, points, dtype=torch.float64)
        return (left + right) / 2 + (right - left) / 2 * part * part.abs().sqrt()

    def dot(self, colour: str, marker: str = "o", size: float = 8, **look: Any) -> Line2D:
        """One mark, to be put somewhere by `put`."""
        look = {"marker": marker, "markersize": size, "markeredgecolor": style.PAPER, **look}
        return line(self.page, [self.place.left], [self.place.bottom], **{"color": colour, "zorder": 4, **look})

    def put(self, dot: Line2D, x: float, y: float) -> Line2D:
        """Moves a mark to the place of two numbers."""
        dot.set_data([self.x(x)], [self.y(y)])
        return dot
