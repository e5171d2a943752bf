"""A small chart on a page: two axes with ticks, and places for numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from torch import Tensor

from widgets import formats, style
from widgets.pictures.page import box, write


class Chart:
    """A rectangle of the page in which numbers have places.

    left, bottom, width, height: in points; across, up: the numbers at its edges; ticks: the numbers written there.
    """

    def __init__(
        self,
        axes: Axes,
        left: float,
        bottom: float,
        width: float,
        height: float,
        across: tuple[float, float],
        up: tuple[float, float],
        across_ticks: Sequence[float] = (),
        up_ticks: Sequence[float] = (),
    ) -> None:
        self.axes, self.across = axes, across
        self.left, self.bottom, self.width, self.height = left, bottom, width, height
        self._x_unit, self._y_unit = width / (across[1] - across[0]), height / (up[1] - up[0])
        self._x_zero, self._y_zero = left - across[0] * self._x_unit, bottom - up[0] * self._y_unit
        tick = {"fontsize": style.SMALL, "color": style.FAINT}
        for number in across_ticks:
            box(axes, self.x(number) - 0.3, bottom, 0.6, height, facecolor=style.RULE)
            write(axes, self.x(number), bottom - 12, formats.number(number, 0), ha="center", **tick)
        for number in up_ticks:
            box(axes, left, self.y(number) - 0.3, width, 0.6, facecolor=style.RULE)
            write(axes, left - 5, self.y(number) - 3, formats.number(number, 0), ha="right", **tick)
        if 0 in across_ticks:
            box(axes, self.x(0) - 0.4, bottom, 0.8, height, facecolor=style.FAINT)
        if 0 in up_ticks:
            box(axes, left, self.y(0) - 0.4, width, 0.8, facecolor=style.FAINT)

    def x(self, number: float) -> float:
        """Where this number lies across the page, in points."""
        return self._x_zero + number * self._x_unit

    def y(self, number: float) -> float:
        """Where this number lies up the page, in points."""
        return self._y_zero + number * self._y_unit

    def curve(self, function: Callable[[Tensor], Tensor], points: int = 61, **look: object) -> Line2D:
        """The function over the whole width, as a line."""
        z = self._spread(points)
        (line,) = self.axes.plot(self.x(z.numpy()), self.y(function(z).numpy()), **{"linewidth": 1.6, **look})
        return line

    def redraw(self, line: Line2D, function: Callable[[Tensor], Tensor]) -> None:
        """Gives a line drawn by `curve` another function."""
        line.set_ydata(self.y(function(self._spread(len(line.get_xdata()))).numpy()))

    def _spread(self, points: int) -> Tensor:
        """Numbers from edge to edge, closer together in the middle, where our curves bend."""
        left, right = self.across
        part = torch.linspace(-1, 1, points, dtype=torch.float64)
        return (left + right) / 2 + (right - left) / 2 * part * part.abs().sqrt()

    def dot(self, colour: str, marker: str = "o", size: float = 7) -> Line2D:
        """One mark, to be put somewhere by `put`."""
        look = {"marker": marker, "markersize": size, "color": colour, "markeredgecolor": style.PAPER}
        (dot,) = self.axes.plot([self.left], [self.bottom], clip_on=False, zorder=4, **look)
        return dot

    def put(self, dot: Line2D, x: float, y: float) -> None:
        """Moves a mark to the place of two numbers."""
        dot.set_data([self.x(x)], [self.y(y)])
