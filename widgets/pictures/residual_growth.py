"""The residual stream against depth, a curve an arm, with the last numbers in a list under the curves."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from widgets import formats, style
from widgets.experiments.depth import NO_NORM, Growth
from widgets.pictures.page import PANEL, Page, box, line, write

LEFT, RIGHT = 44.0, 326.0  # of the plot, on a panel of the usual width
PLOT, LINE = 150.0, 19.0  # the plot's height, and that of a line of the list
TEXT = style.SMALL
MOST, BELOW = 6, 0.06  # decades of sizes above 1 that are shown; what is shown below 1, as a part of them
COLOURS = {NO_NORM: style.INPUT, "LayerNorm": style.LAYER_NORM, "RMSNorm": style.RMS_NORM}
WIDTHS = {NO_NORM: 3.0, "LayerNorm": 5.0, "RMSNorm": 1.8}  # told apart without colours, and where one hides another
DASHES = {"ReLU": "-", "SwiGLU": (0, (3, 1.5))}


class ResidualGrowth:
    """The size of the stream after every block; beside it, if a norm stands after its layer, what is left of the input.

    A broad line is LayerNorm's, so that RMSNorm's thin one can be seen where both take the same way.
    """

    def __init__(self, growths: Sequence[Growth]) -> None:
        self.growths, self.depth = growths, len(growths[0].sizes) - 1
        self.panels = [self._sizes()]
        if any(growth.arm.place == "after" for growth in growths):
            self.panels.append(self._kept())

    def _sizes(self) -> Page:
        decades = self._decades()
        unit, zero = PLOT / (1 + BELOW) / decades, BELOW * PLOT / (1 + BELOW)
        powers = range(0, decades + 1, 2 if decades > 3 else 1)
        ticks = {f"1e{power}" if power > 1 else str(10**power): zero + power * unit for power in powers}
        page, bottom = self._panel("size of the residual stream (RMS)", ticks, last_size)
        for growth in self.growths:
            inside = [size for size in growth.sizes if size <= 10**decades]
            curve = [bottom + max(zero + math.log10(max(size, 0.1)) * unit, 0.0) for size in inside]
            beyond = [bottom + PLOT + 6] if len(inside) < len(growth.sizes) else []
            self._curve(page, growth, curve + beyond)
        return page

    def _decades(self) -> int:
        """As many as the largest size needs, as far as they are shown at all."""
        largest = max(size for growth in self.growths for size in growth.sizes)
        return math.ceil(math.log10(min(max(largest, 1.01), 10**MOST)))

    def _kept(self) -> Page:
        heights = {f"{share:.1f}": share * PLOT for share in (0.0, 0.5, 1.0)}
        page, bottom = self._panel("share of the input in the stream (cosine)", heights, last_share)
        for growth in self.growths:
            finite = [share for share in growth.kept if not math.isnan(share)]
            self._curve(page, growth, [bottom + share * PLOT for share in finite])
        return page

    def _panel(self, title: str, ticks: dict[str, float], last: Callable[[Growth], str]) -> tuple[Page, float]:
        """A plot with nothing in it, and the list under it; gives the height of the plot's lower edge as well."""
        bottom = 52 + LINE * (len(self.growths) - 1)
        page = Page(PANEL, bottom + PLOT + 30)
        faint = {"fontsize": TEXT, "color": style.FAINT}
        write(page, 8, bottom + PLOT + 13, title, fontsize=TEXT, weight="bold")
        for words, height in ticks.items():
            box(page, LEFT, bottom + height - 0.3, RIGHT - LEFT, 0.6, facecolor=style.RULE)
            write(page, LEFT - 6, bottom + height - 4, words, ha="right", **faint)
        for block in range(0, self.depth + 1, max(1, round(self.depth / 4))):
            words = f"{block} blocks" if block == 0 else str(block)
            write(page, self.x(block), bottom - 17, words, ha="left" if block == 0 else "center", **faint)
        for row, growth in enumerate(self.growths):
            y = bottom - 44 - LINE * row
            line(page, (10, 36), (y + 4, y + 4), **_look(growth))
            write(page, LEFT, y, str(growth.arm), fontsize=TEXT)
            write(page, RIGHT, y, last(growth), ha="right", fontsize=TEXT, weight="bold")
        return page, bottom

    def _curve(self, page: Page, growth: Growth, heights: Sequence[float]) -> None:
        line(page, [self.x(block) for block in range(len(heights))], heights, **_look(growth))

    def x(self, block: float) -> float:
        """Where the stream after this block stands across the page; 0 is the input."""
        return LEFT + block / self.depth * (RIGHT - LEFT)


def in_words(size: float) -> str:
    """A size to two digits: 4.5, 490, 4,900, 2e16, and ∞ beyond float32."""
    if not math.isfinite(size):
        return "∞"
    return formats.scientific(size) if size >= 1e5 else f"{float(f'{size:.2g}'):,g}"


def last_size(growth: Growth) -> str:
    """What the stream ends with, or the block after which a number in it has left float32."""
    return f"∞ at block {growth.overflow}" if growth.overflow else in_words(growth.sizes[-1])


def last_share(growth: Growth) -> str:
    """The cosine between the end and the input; nothing to compare once float32 is left."""
    return "–" if growth.overflow else formats.number(growth.kept[-1])


def _look(growth: Growth) -> dict:
    look = {"color": COLOURS[growth.arm.norm], "linestyle": DASHES[growth.arm.feed_forward]}
    after = {"marker": "o", "markersize": 5, "markerfacecolor": style.PAPER} if growth.arm.place == "after" else {}
    return {**look, **after, "linewidth": WIDTHS[growth.arm.norm], "zorder": 3 - (growth.arm.norm == "LayerNorm")}
