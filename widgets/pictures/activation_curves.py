"""ReLU, sigmoid and Swish on one pair of axes, GELU and the slopes on request, and a line that reads them off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from matplotlib.artist import Artist
from matplotlib.text import Text

from widgets import formats, style
from widgets.maths import activations
from widgets.maths.activations import beta_steps
from widgets.maths.gates import CurvesAt
from widgets.pictures.chart import Chart, whole
from widgets.pictures.page import PANEL, Page, Rect, box, faint, line, write

HEIGHT = 300
REACH = 5  # z runs from -5 to 5
PLOT = Rect(27, 24, 296, 268)
VALUE, SLOPE = 196, 324  # the right edges of the table's columns
ROW, PITCH = 222, 27  # the table's first row, and from one to the next
GATES = 110  # the height of the words about gates


@dataclass(frozen=True)
class Look:
    """How one curve is told from the others: colour, dashes, the shape of its dot, where its name stands."""

    name: str
    colour: str
    dashes: Any
    marker: str
    name_at: tuple[float, float]


LOOKS = (
    Look("ReLU", style.INK, (0, (5, 2)), "s", (2.45, 4.1)),
    Look("sigmoid", style.SIGMOID, (0, (1, 1.2)), "D", (-4.9, 0.25)),
    Look("Swish", style.GATE, "-", "o", (3.45, 2.75)),
    Look("GELU", style.GELU, (0, (6, 2, 1, 2)), "^", (2.35, 1.65)),
)


class ActivationCurvesPicture:
    """The curves and a line at z with a dot on each; beside them the values there, and what each does as a gate.

    gelu: with GELU as the fourth curve; slopes: with the slope of every curve as a thin line; bend: Swish follows
    beta, for which every position costs a curve.
    """

    def __init__(self, gelu: bool, slopes: bool, bend: bool) -> None:
        plot = Page(PANEL, HEIGHT)
        table = Page(PANEL, HEIGHT)
        ticks = whole(range(-REACH, REACH + 1)), whole(range(-1, REACH + 1))
        self.chart = Chart(plot, PLOT, (-REACH, REACH), (-1, REACH), *ticks)
        faint(plot, PLOT.right + 7, PLOT.bottom - 4, "z", weight="bold")
        self.line = box(plot, 0, PLOT.bottom, 1.4, PLOT.height, facecolor=style.INPUT)
        self.curves = [_Curve(self.chart, look, slopes) for look in LOOKS[: 3 + gelu]]
        self.swish = _Swish(self.chart, slopes)
        self.table = _Table(table, LOOKS[: 3 + gelu], slopes)
        self.bend, self.panels, self.covers = bend, [plot, table], self.table.covers
        self.moving = [self.line, *(curve.dot for curve in self.curves), *self.table.moving]
        self.moving += self.swish.artists if bend else []

    def show(self, at: CurvesAt) -> None:
        """Moves the line and the dots to z; bends Swish to beta, if it is to bend."""
        self.line.set_x(self.chart.x(at.z) - 0.7)
        if self.bend:
            self.swish.show(at.beta)
        for curve, value in zip(self.curves, at.values, strict=False):
            self.chart.put(curve.dot, at.z, value)
        self.table.show(at)


class _Curve:
    """One curve's name and dot; and its line and slope, unless it is Swish, which bends."""

    def __init__(self, chart: Chart, look: Look, slopes: bool) -> None:
        page = chart.page
        for name, width in ((look.name.lower(), 1.7), (f"{look.name.lower()}_derivative", 0.9))[: 1 + slopes]:
            if look.name != "Swish":
                function = getattr(activations, name)
                chart.curve(function, points=1001, color=look.colour, linestyle=look.dashes, linewidth=width)
        x, y = chart.x(look.name_at[0]), chart.y(look.name_at[1])
        write(page, x, y, look.name, fontsize=style.SMALL, color=look.colour, weight="bold")
        self.dot = chart.dot(look.colour, look.marker)


class _Table:
    """The value and the slope of each curve at z, and what sigmoid and Swish do as gates."""

    def __init__(self, page: Page, looks: Sequence[Look], slopes: bool) -> None:
        self.slopes = slopes
        self.z = write(page, 10, HEIGHT - 28, fontsize=style.LARGE + 3, weight="bold")
        faint(page, VALUE, ROW + PITCH, "value", ha="right")
        faint(page, SLOPE, ROW + PITCH, "slope (thin)" if slopes else "", ha="right")
        self.rows = [self._row(page, look, ROW - PITCH * k) for k, look in enumerate(looks)]
        faint(page, 10, GATES, "As a gate, read to one decimal:")
        bold: dict[str, Any] = {"weight": "bold", "fontsize": style.LARGE - 1}
        self.gates = [
            write(page, 10, GATES - 23 - 22 * k, color=look.colour, **bold) for k, look in enumerate(LOOKS[1:3])
        ]
        faint(page, 10, 24, "below 0 flipped · 0.0 closed · 1.0 passed")
        faint(page, 10, 8, "between attenuated · above 1 amplified")
        self.moving = [self.z, *self.gates, *(text for row in self.rows for text in row)]
        self.covers = {
            "the values": [(1, 80, ROW - PITCH * len(looks) + 16, PANEL - 80, PITCH * len(looks) + 2)],
            "the gates": [(1, 0, GATES - 52, PANEL, 46)],
        }

    @staticmethod
    def _row(page: Page, look: Look, y: float) -> tuple[Text, Text]:
        mark = {"marker": look.marker, "markersize": 7, "linestyle": "none"}
        line(page, [17], [y + 4.5], color=look.colour, **mark)
        write(page, 30, y, look.name, color=look.colour, weight="bold", fontsize=style.LARGE - 1)
        value, slope = (write(page, right, y, ha="right", fontsize=style.LARGE - 1) for right in (VALUE, SLOPE))
        return value, slope

    def show(self, at: CurvesAt) -> None:
        self.z.set_text(f"z = {formats.number(at.z)}" + (f"   β = {formats.number(at.beta)}" if at.beta != 1 else ""))
        self.gates[0].set_text(f"sigmoid: {at.sigmoid_state}")
        self.gates[1].set_text(f"Swish: {at.swish_state}")
        for (value, slope), number, rise in zip(self.rows, at.values, at.slopes, strict=False):
            value.set_text(formats.number(number, 3))
            slope.set_text(formats.number(rise, 3) if self.slopes else "")


class _Swish:
    """Swish for any beta, its slope, and marks where it is least and where it is 1."""

    def __init__(self, chart: Chart, slopes: bool) -> None:
        self.chart, self.beta = chart, 1.0
        look: dict[str, Any] = {"color": style.GATE, "zorder": 3}
        self.line = chart.curve(activations.swish, linewidth=2.2, **look)
        self.slopes = [chart.curve(activations.swish_derivative, linewidth=0.9, **look)] if slopes else []
        self.ticks = [box(chart.page, 0, 0, 1.2, 12, facecolor=style.GATE) for _ in range(2)]
        self.words = [write(chart.page, 0, 0, fontsize=style.SMALL, color=style.GATE) for _ in range(2)]
        self.artists: list[Artist] = [self.line, *self.slopes, *self.ticks, *self.words]
        self._mark()

    def show(self, beta: float) -> None:
        if beta == self.beta:
            return
        self.beta = beta
        self.chart.redraw(self.line, partial(activations.swish, beta=beta))
        for slope in self.slopes:
            self.chart.redraw(slope, partial(activations.swish_derivative, beta=beta))
        self._mark()

    def _mark(self) -> None:
        now = beta_steps(self.beta)
        one = (now.one, 1.0), f"1 at {formats.number(now.one, 3)}", (8, -26)
        least = (now.least_at, now.least), f"least {formats.number(now.least, 3)}", (-36, -20)
        for tick, text, ((z, value), words, offset) in zip(self.ticks, self.words, (least, one), strict=True):
            x, y = self.chart.x(z), self.chart.y(value)
            tick.set_xy((x - 0.6, y - 6))
            text.set_position((x + offset[0], y + offset[1]))
            text.set_text(words)
        for artist in (self.ticks[0], self.words[0]):
            artist.set_visible(now.least_at > 0.6 * -REACH)
