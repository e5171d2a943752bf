"""A blank page measured in points, and a row of bars with their numbers: what most pictures are made of."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.text import Text

from widgets import formats, style


def page(width: float, height: float) -> tuple[Figure, Axes]:
    """An empty figure of this size in points, and one Axes that fills it, measured in points from the bottom left.

    One Axes because each further one costs about 20 ms, and an explorer has 400 to come up.
    """
    figure = Figure(figsize=(width / 72, height / 72), dpi=72, facecolor="none")
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set_xlim(0, width)
    axes.set_ylim(0, height)
    return figure, axes


def write(axes: Axes, x: float, y: float, text: str = "", **look: object) -> Text:
    """A text standing on its baseline at (x, y)."""
    look = {"fontsize": style.NORMAL, "color": style.INK, "va": "baseline", **look}
    return axes.text(x, y, text, **look)


def box(axes: Axes, x: float, y: float, width: float, height: float, **look: object) -> Rectangle:
    """A rectangle with its lower left corner at (x, y), not cut off at the edge of the page."""
    return axes.add_patch(Rectangle((x, y), width, height, **{"linewidth": 0, "clip_on": False, **look}))


class BarRow:
    """Bars that stand on one line, up or down, with their numbers at the ends; optionally outlines to compare with.

    left, right: the ends of the line; base: its height; reach: the longest bar, all in points.
    """

    def __init__(
        self,
        axes: Axes,
        count: int,
        left: float,
        right: float,
        base: float,
        reach: float,
        colour: str,
        outlined: bool = False,
    ) -> None:
        self.base, self.reach, self.digits = base, reach, 2 if count <= 8 else 1
        pitch = (right - left) / count
        width = min(0.62 * pitch, 44)
        centres = [left + (k + 0.5) * pitch for k in range(count)]
        look = {"facecolor": colour}
        self.bars = [box(axes, x - width / 2, base, width, 0, **look) for x in centres]
        outline = {"fill": False, "edgecolor": style.INK, "linewidth": 0.9, "linestyle": (0, (3, 2))}
        wide = width + 5
        self.outlines = [box(axes, x - wide / 2, base, wide, 0, **outline) for x in centres if outlined]
        size = style.SMALL if count <= 9 else style.SMALL - 1.5
        self.numbers = [write(axes, x, base, ha="center", fontsize=size) for x in centres]
        box(axes, left, base - 0.4, right - left, 0.8, facecolor=style.FAINT)

    @property
    def artists(self) -> list[Artist]:
        return [*self.bars, *self.outlines, *self.numbers]

    def show(self, values: Sequence[float], unit: float, outlines: Sequence[float] | None = None) -> None:
        """values: one number a bar; unit: points for the number 1. A bar too long ends at `reach`, with an arrow."""
        outlines = [0.0] * len(self.bars) if outlines is None else outlines
        for bar, number, value, outline in zip(self.bars, self.numbers, values, outlines, strict=True):
            height, beyond = self.cut(value * unit), self.cut(outline * unit)
            self.stretch(bar, height)
            arrow = "" if abs(value * unit) <= self.reach else " ↑" if value > 0 else " ↓"
            number.set_text(formats.number(value, self.digits) + arrow)
            y = self.base + (max(height, beyond) + 3 if value >= 0 else min(height, beyond) - 9.5)
            if number.get_position()[1] != y:
                number.set_y(y)
        for rectangle, outline in zip(self.outlines, outlines, strict=False):
            self.stretch(rectangle, self.cut(outline * unit))

    def keep_clear(self, line: float) -> None:
        """Moves the numbers that a line at this height would strike through to its far side."""
        for number in self.numbers:
            y = number.get_position()[1]
            if y - 1 < line < y + 8:
                number.set_y(line + 2.5 if y >= self.base else line - 9.5)

    @staticmethod
    def stretch(bar: Rectangle, height: float) -> None:
        """Gives a bar its height; one that has it already is left alone, and so need not be recorded anew."""
        if bar.get_height() != height:
            bar.set_height(height)

    def cut(self, height: float) -> float:
        """The height a bar can have, in points, to a thousandth."""
        return round(max(-self.reach, min(self.reach, height)), 3)
