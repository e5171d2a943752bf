"""Swish as beta turns it from the line z / 2 into ReLU."""

from __future__ import annotations

from functools import partial

from widgets import formats, style
from widgets.maths import activations
from widgets.maths.activations import BetaSteps
from widgets.pictures.chart import Chart, whole
from widgets.pictures.page import DASHED, PANEL, Page, Rect, faint, write

HEIGHT = 292
PLOT = Rect(28, 24, 290, 250)
DOTTED = (0, (1, 1.2))
ROWS = ((200, "▼ least value"), (132, "● equals 1"), (64, "furthest from ReLU"))


class SwishBetaPicture:
    """Swish for one beta between its two limits; beside it where it is least and where it is 1, in words."""

    def __init__(self) -> None:
        plot = Page(PANEL, HEIGHT)
        self.chart = Chart(plot, PLOT, (-4, 4), (-2, 4), whole(range(-4, 5)), whole(range(-2, 5)))
        faint(plot, PLOT.right + 8, PLOT.bottom - 4, "z", weight="bold")
        self.chart.curve(lambda z: z / 2, color=style.INK, linestyle=DOTTED, linewidth=1.4)
        self.chart.curve(activations.relu, points=1001, color=style.INK, linestyle=DASHED, linewidth=1.4)
        self.line = self.chart.curve(activations.swish, points=45, linewidth=2.4, color=style.GATE)
        self.marks = [self.chart.dot(style.GATE, marker) for marker in ("v", "o")]
        words = Page(PANEL, HEIGHT)
        self.beta = write(words, 10, HEIGHT - 40, fontsize=style.LARGE + 5, weight="bold", color=style.GATE)
        self.numbers = _table(words)
        _limits(self.chart)
        self.panels = [plot, words]
        self.covers = {heading.strip("▼● "): [(1, 0, y - 26, PANEL, 22)] for y, heading in ROWS}
        self.moving = [self.line, *self.marks, self.beta, *self.numbers]

    def show(self, steps: BetaSteps) -> None:
        """Bends the curve to this beta and moves the marks along."""
        self.chart.redraw(self.line, partial(activations.swish, beta=steps.beta))
        self.beta.set_text(f"β = {formats.number(steps.beta)}")
        self.chart.put(self.marks[1], steps.one, 1)
        texts = ["none: a straight line", f"at z = {formats.number(steps.one, 3)}", "grows without end"]
        if steps.beta > 0:
            self.chart.put(self.marks[0], max(steps.least_at, -4), steps.least)
            texts[0] = f"{formats.number(steps.least, 3)} at z = {formats.number(steps.least_at, 3)}"
            texts[2] = f"by {formats.number(-steps.least, 3)}, at z = ±{formats.number(-steps.least_at, 3)}"
        self.marks[0].set_visible(steps.beta > 0 and steps.least_at >= -4)
        for text, words in zip(self.numbers, texts, strict=True):
            text.set_text(words)


def _table(page: Page) -> list:
    """The headings, and under each a place for what is true at this beta."""
    for y, heading in ROWS:
        write(page, 10, y, heading, weight="bold")
    return [write(page, 10, y - 20, fontsize=style.LARGE) for y, _ in ROWS]


def _limits(chart: Chart) -> None:
    """Names the two curves between which Swish lies."""
    write(chart.page, chart.x(3.95), chart.y(0.75), "z / 2: β = 0", fontsize=style.SMALL, ha="right")
    write(chart.page, chart.x(3.05), chart.y(3.45), "ReLU: large β", fontsize=style.SMALL, ha="right")
