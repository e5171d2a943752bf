"""What eps does to small vectors: the RMS of the result against the size of the input."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch

from widgets import formats, style
from widgets.maths.norms import EpsRule, EpsSteps
from widgets.pictures.chart import Chart, powers
from widgets.pictures.page import DASHED, PANEL, Page, Rect, box, faint, line, write

HEIGHT = 262
PLOT = Rect(36, 50, 290, 176)
BAR = Rect(10, 0, 262, 22)  # the longest bar; its bottom is the row's
LOOKS = ((style.RMS_NORM, "-"), (style.LAYER_NORM, DASHED), (style.GATE, ":"), (style.INPUT, "-."))


class EpsPicture:
    """One curve a rule over the input's size on a log axis and a line at the present size; beside it a bar a rule."""

    def __init__(self, rules: Sequence[EpsRule], smallest: float, largest: float) -> None:
        looks = list(zip(rules, LOOKS, strict=False))
        plot = Page(PANEL, HEIGHT)
        self.chart = _chart(plot, smallest, largest)
        sizes = torch.logspace(math.log10(smallest), math.log10(largest), 121, dtype=torch.float64)
        for rule, (colour, dashes) in looks:
            self.chart.plot(sizes.tolist(), rule.result(sizes).tolist(), color=colour, linestyle=dashes, linewidth=2)
        self.line = box(plot, PLOT.left, PLOT.bottom, 1.2, PLOT.height, facecolor=style.INK)
        self.size = write(plot, PLOT.left, PLOT.bottom - 32, ha="center", weight="bold")
        self.dots = [_dot(plot, colour) for _, (colour, _) in looks]
        bars = Page(PANEL, HEIGHT)
        faint(bars, BAR.left, HEIGHT - 18, "RMS of the result at this size")
        self.rows = [_Row(bars, HEIGHT - 72 - 56 * k, str(rule), *look) for k, (rule, look) in enumerate(looks)]
        self.panels, self.covers = [plot, bars], {"the results": [(1, 0, 0, PANEL, HEIGHT - 24)]}
        self.moving = [self.line, self.size, *self.dots]
        self.moving += [artist for row in self.rows for artist in (row.bar, row.number)]

    def show(self, steps: EpsSteps) -> None:
        """Moves the line, the dots and the bars to an input of this size."""
        x = self.chart.x(steps.size)
        self.line.set_x(x - 0.6)
        self.size.set_position((min(max(x, PLOT.left + 10), PLOT.right - 14), PLOT.bottom - 32))
        self.size.set_text(formats.scientific(steps.size))
        for dot, row, value in zip(self.dots, self.rows, steps.results, strict=True):
            dot.set_xy((x - 4, self.chart.y(value) - 4))
            row.show(value)


class _Row:
    """A rule's name with the look of its curve, and its bar on the way to 1."""

    def __init__(self, page: Page, y: float, name: str, colour: str, dashes: Any) -> None:
        line(page, (BAR.left, BAR.left + 26), (y + 32, y + 32), color=colour, linestyle=dashes, linewidth=2)
        write(page, BAR.left + 34, y + 28, name)
        box(page, BAR.left, y, BAR.width, BAR.height, facecolor=style.RULE)
        self.bar = box(page, BAR.left, y, 0, BAR.height, facecolor=colour)
        self.number = write(page, PANEL - 10, y + 6, ha="right", weight="bold")

    def show(self, value: float) -> None:
        """value: from 0 to 1."""
        self.bar.set_width(value * BAR.width)
        self.number.set_text(formats.number(value, 3))


def _chart(page: Page, smallest: float, largest: float) -> Chart:
    """The axes of the plot: powers of ten across, 0 to 1 up."""
    first, last = math.ceil(math.log10(smallest)), math.floor(math.log10(largest))
    heights = {value: f"{value:.1f}" for value in (0.0, 0.5, 1.0)}
    chart = Chart(page, PLOT, (smallest, largest), (0, 1.03), powers(first, last), heights, logarithmic="x")
    faint(page, PLOT.left - 32, HEIGHT - 18, "RMS of the result")
    faint(page, (PLOT.left + PLOT.right) / 2, 3, "RMS of the input", ha="center")
    return chart


def _dot(page: Page, colour: str):
    return box(page, 0, 0, 8, 8, facecolor=colour, edgecolor=style.PAPER, linewidth=1)
