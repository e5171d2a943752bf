"""Swish as beta turns it from the line z / 2 into ReLU."""

from __future__ import annotations

from functools import partial

from matplotlib.artist import Artist

from widgets import formats, style
from widgets.maths import activations
from widgets.pictures.chart import Chart
from widgets.pictures.page import page, write

WIDTH, HEIGHT = 720, 300
LEFT, BOTTOM, ACROSS, UP = 26, 24, 470, 270
TEXT = 524  # the left edge of the words beside the chart


class SwishBetaPicture:
    """Swish for one beta between its two limits, with the place where it is least and the place where it is 1."""

    def __init__(self) -> None:
        self.figure, axes = page(WIDTH, HEIGHT)
        size = {"left": LEFT, "bottom": BOTTOM, "width": ACROSS, "height": UP}
        self.chart = Chart(axes, **size, across=(-4, 4), up=(-2, 4), across_ticks=range(-4, 5), up_ticks=range(-2, 5))
        write(axes, LEFT + ACROSS + 8, BOTTOM - 4, "z", weight="bold")
        self._limit(lambda z: z / 2, "z / 2, the limit at β = 0", (0, (1, 1.2)), (-2.9, -1.75))
        self._limit(activations.relu, "ReLU, the limit for large β", (0, (5, 2)), (0.3, 3.3))
        self.line = self.chart.curve(activations.swish, linewidth=2.4, color=style.GATE)
        self.marks = [self.chart.dot(style.GATE, marker) for marker in ("v", "o")]
        self.beta = write(axes, TEXT, 246, fontsize=style.LARGE, weight="bold", color=style.GATE)
        rows = ((208, "▼ least value"), (146, "● equals 1"), (84, "furthest from ReLU"))
        for y, heading in rows:
            write(axes, TEXT, y, heading, weight="bold")
        self.numbers = [write(axes, TEXT, y - 17) for y, _ in rows]
        self.moving: list[Artist] = [self.line, *self.marks, self.beta, *self.numbers]

    def _limit(self, curve, name: str, dashes: object, name_at: tuple[float, float]) -> None:
        self.chart.curve(curve, points=1001, color=style.INK, linestyle=dashes, linewidth=1.3)
        x, y = (self.chart.x(name_at[0]), self.chart.y(name_at[1]))
        write(self.chart.axes, x, y, name, fontsize=style.SMALL)

    def show(self, beta: float) -> None:
        """Bends the curve to this beta and moves the marks along."""
        self.chart.redraw(self.line, partial(activations.swish, beta=beta))
        self.beta.set_text(f"β = {formats.number(beta)}")
        one = activations.swish_one(beta)
        self.chart.put(self.marks[1], one, 1)
        texts = ["none: a straight line", f"at z = {formats.number(one, 3)}", "grows without end"]
        if beta > 0:
            z, least = activations.swish_least(beta)
            self.chart.put(self.marks[0], max(z, -4), least)
            texts[0] = f"{formats.number(least, 3)} at z = {formats.number(z, 3)}"
            texts[2] = f"by {formats.number(-least, 3)}, at z = ±{formats.number(-z, 3)}"
        self.marks[0].set_visible(beta > 0 and z >= -4)
        for text, words in zip(self.numbers, texts, strict=True):
            text.set_text(words)
