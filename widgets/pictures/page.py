"""A blank page measured in points, and a row of bars with their numbers: what every picture is made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeVar

from matplotlib.artist import Artist
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.lines import Line2D
from matplotlib.patches import FancyArrowPatch, Rectangle
from matplotlib.text import Text
from matplotlib.textpath import text_to_path
from matplotlib.transforms import Affine2D

from widgets import formats, style

PANEL = 340.0  # points: the width of one panel; at 315 CSS pixels its smallest text is 11 pixels high
DASHED = (0, (3, 2))

Drawn = TypeVar("Drawn", bound=Artist)
Cover = tuple[int, float, float, float, float]  # of a row that can be hidden: panel, x, y, width, height in points


@dataclass(frozen=True)
class Rect:
    """A place on a page, in points from its bottom left."""

    left: float
    bottom: float
    width: float
    height: float

    @property
    def right(self) -> float:
        return self.left + self.width

    @property
    def top(self) -> float:
        return self.bottom + self.height

    @property
    def middle(self) -> float:
        """Half its height."""
        return self.bottom + self.height / 2

    def on(self, panel: int) -> Cover:
        """The same as a cover on a panel."""
        return panel, self.left, self.bottom, self.width, self.height


class Page(Figure):
    """An empty figure of this size in points, in which places are measured in points from the bottom left.

    It has no Axes: they would work out their limits anew with every artist, and an explorer has 300 ms to come up.
    """

    def __init__(self, width: float, height: float) -> None:
        super().__init__(figsize=(width / 72, height / 72), dpi=72, facecolor="none")
        self.height = height
        self._points = Affine2D().scale(1 / 72) + self.dpi_scale_trans

    def add(self, artist: Drawn) -> Drawn:
        """Puts an artist on the page, above those that are there."""
        artist.set_transform(self._points)
        self.add_artist(artist)
        return artist


def write(page: Page, x: float, y: float, text: str = "", **look: Any) -> Text:
    """A text standing on its baseline at (x, y)."""
    look = {"fontsize": style.NORMAL, "color": style.INK, "va": "baseline", **look}
    return page.add(Text(x, y, text, **look))


def wide(text: str, fontsize: float = style.NORMAL, weight: str = "normal") -> float:
    """How many points a text takes on its line."""
    font = FontProperties(size=fontsize, weight=weight)
    return text_to_path.get_text_width_height_descent(text, font, ismath=False)[0]


def fitted(text: str, room: float, **look: Any) -> str:
    """A text, or as much of its beginning as there is room for, in points, with an ellipsis at its end; else nothing.

    look: its fontsize and weight, if they are others than a word in a picture has
    """
    shorter = (text[:end] + "…" for end in range(len(text) - 1, -1, -1))
    return next((each for each in (text, *shorter) if wide(each, **look) <= room), "")


def faint(page: Page, x: float, y: float, text: str = "", **look: Any) -> Text:
    """A small grey text: a tick, a legend, what is only there to be looked up."""
    return write(page, x, y, text, **{"fontsize": style.SMALL, "color": style.FAINT, **look})


def box(page: Page, x: float, y: float, width: float, height: float, **look: Any) -> Rectangle:
    """A rectangle with its lower left corner at (x, y)."""
    return page.add(Rectangle((x, y), width, height, **{"linewidth": 0, **look}))


def line(page: Page, x: Sequence[float], y: Sequence[float], **look: Any) -> Line2D:
    """A line through points of the page."""
    return page.add(Line2D(x, y, **{"color": style.INK, "linewidth": 1.6, **look}))


def arrow(page: Page, *points: tuple[float, float], colour: str = style.INK) -> None:
    """A line through points of the page, with an arrow head at the last."""
    line(page, *zip(*points, strict=True), color=colour, linewidth=1.2, zorder=0.5)
    tip: dict[str, Any] = {"arrowstyle": "-|>", "mutation_scale": 11, "shrinkA": 0, "shrinkB": 0, "linewidth": 1.2}
    page.add(FancyArrowPatch(points[-2], points[-1], color=colour, zorder=0.5, **tip))


class BarRow:
    """Bars that stand on one line, up or down, with their numbers at the ends; optionally outlines to compare with.

    place: the line is half way up; the longest bar reaches the edge, and its number stands beyond it.
    """

    def __init__(self, page: Page, place: Rect, count: int, colour: str, outlined: bool = False) -> None:
        self.base, self.reach = place.middle, place.height / 2
        pitch = place.width / count
        self.crowded = pitch < 30  # where numbers with a minus touch
        self.characters = max(3, round((pitch - 12) / 7.5))  # what a number may take, in its smallest digits
        width = min(0.62 * pitch, 44)
        centres = [place.left + (k + 0.5) * pitch for k in range(count)]
        self.bars = [box(page, x - width / 2, self.base, width, 0, facecolor=colour) for x in centres]
        outline = {"fill": False, "edgecolor": style.INK, "linewidth": 0.9, "linestyle": DASHED}
        wide = width + 5
        self.outlines = [box(page, x - wide / 2, self.base, wide, 0, **outline) for x in centres if outlined]
        self.numbers = [write(page, x, self.base, ha="center", fontsize=style.SMALL) for x in centres]
        box(page, place.left, self.base - 0.5, place.width, 1, facecolor=style.FAINT)

    @property
    def artists(self) -> list[Artist]:
        return [*self.bars, *self.outlines, *self.numbers]

    def show(self, values: Sequence[float], unit: float, outlines: Sequence[float] | None = None) -> None:
        """values: one number a bar; unit: points for the number 1. A bar too long ends at its reach, with an arrow."""
        reached = [self.cut(outline * unit) for outline in outlines or [0.0] * len(self.bars)]
        for bar, number, value, beyond in zip(self.bars, self.numbers, values, reached, strict=True):
            height = self.cut(value * unit)
            self.stretch(bar, height)
            arrow = "" if abs(value * unit) <= self.reach + 1e-6 else "↑" if value > 0 else "↓"
            number.set_text(formats.fitted(value, max(3, self.characters - len(arrow))) + arrow)
            self.lift(number, value, height, beyond)
        for rectangle, height in zip(self.outlines, reached, strict=False):
            self.stretch(rectangle, height)
        if self.crowded:
            self.stagger()

    def stagger(self) -> None:
        """Moves a number that would touch the one before it further out."""
        for before, number in pairwise(self.numbers):
            y = number.get_position()[1]
            if abs(y - before.get_position()[1]) < 10 and min(len(before.get_text()), len(number.get_text())) > 3:
                number.set_y(y + (11 if y >= self.base else -11))

    def lift(self, number: Text, value: float, height: float, beyond: float = 0.0) -> None:
        """Stands a number at the end of its bar, clear of an outline that goes beyond it."""
        y = self.base + (max(height, beyond) + 3 if value >= 0 else min(height, beyond) - 11)
        if number.get_position()[1] != y:
            number.set_y(y)

    def keep_clear(self, line: float) -> None:
        """Moves the numbers that a line at this height would strike through to its far side."""
        for number in self.numbers:
            y = number.get_position()[1]
            if y - 1 < line < y + 9:
                number.set_y(line + 2.5 if y >= self.base else line - 11)

    @staticmethod
    def stretch(bar: Rectangle, height: float) -> None:
        """Gives a bar its height; one that has it already is left alone, and so need not be recorded anew."""
        if bar.get_height() != height:
            bar.set_height(height)

    def cut(self, height: float) -> float:
        """The height a bar can have, in points, to a tenth, which is less than a pixel on any screen."""
        return round(max(-self.reach, min(self.reach, height)), 1)
