"""ReLU, sigmoid and Swish on one pair of axes, GELU and the slopes on request, and a line that reads them off."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from matplotlib.artist import Artist

from widgets import formats, style
from widgets.maths import activations
from widgets.maths.gates import CurvesAt
from widgets.pictures.chart import Chart
from widgets.pictures.page import box, page, write

WIDTH, HEIGHT = 720, 316
LEFT, BOTTOM, ACROSS, UP = 26, 24, 420, 286  # the chart
REACH = 5  # z runs from -5 to 5
TABLE = 474  # the left edge of the table
VALUE, SLOPE = TABLE + 140, TABLE + 220  # the right edges of its columns


@dataclass(frozen=True)
class Look:
    """How one curve is told from the others: colour, dashes, the shape of its dot, where its name stands."""

    name: str
    colour: str
    dashes: object
    marker: str
    name_at: tuple[float, float]


LOOKS = (
    Look("ReLU", style.INK, (0, (5, 2)), "s", (3.02, 3.9)),
    Look("sigmoid", style.SIGMOID, (0, (1, 1.2)), "D", (-4.9, 0.2)),
    Look("Swish", style.GATE, "-", "o", (3.5, 2.8)),
    Look("GELU", style.GELU, (0, (6, 2, 1, 2)), "^", (2.4, 1.75)),
)


class ActivationCurvesPicture:
    """The curves, a line at z with a dot on each, a table of the values there, and what each does as a gate.

    gelu: with GELU as the fourth curve; slopes: with the slope of every curve as a thin line; bend: Swish follows
    beta, for which every position costs a curve.
    """

    def __init__(self, gelu: bool, slopes: bool, bend: bool) -> None:
        self.figure, axes = page(WIDTH, HEIGHT)
        size = {"left": LEFT, "bottom": BOTTOM, "width": ACROSS, "height": UP}
        ticks = {"across_ticks": range(-REACH, REACH + 1), "up_ticks": range(-1, REACH + 1)}
        self.chart = Chart(axes, **size, across=(-REACH, REACH), up=(-1, REACH), **ticks)
        write(axes, LEFT + ACROSS + 8, BOTTOM - 4, "z", weight="bold")
        heading = {"ha": "right", "fontsize": style.SMALL, "color": style.FAINT, "y": 236}
        write(axes, VALUE, text="value", **heading)
        write(axes, SLOPE, text="slope (thin)" if slopes else "", **heading)
        small = {"fontsize": style.SMALL, "color": style.FAINT}
        write(axes, TABLE, 98, "as a gate, read to one decimal:", **small)
        write(axes, TABLE, 37, "below 0 flipped · 0.0 closed · 1.0 passed", **small)
        write(axes, TABLE, 24, "between attenuated · above 1 amplified", **small)
        self.gates = [write(axes, TABLE, y, weight="bold", color=LOOKS[k].colour) for k, y in ((1, 77), (2, 59))]
        self.z = write(axes, TABLE, 264, fontsize=style.LARGE, weight="bold")
        self.line = box(axes, 0, BOTTOM, 1.2, UP, facecolor=style.INPUT)
        self.curves = [_Curve(self.chart, look, 210 - 26 * k, slopes) for k, look in enumerate(LOOKS[: 3 + gelu])]
        self.swish = _Swish(self.chart, slopes)
        self.bend = bend
        self.moving = [self.line, self.z, *self.gates, *(self.swish.artists if bend else ())]
        self.moving += [artist for curve in self.curves for artist in curve.moving]

    def show(self, at: CurvesAt) -> None:
        """Moves the line and the dots to z; bends Swish to beta, if it is to bend."""
        self.line.set_x(self.chart.x(at.z) - 0.6)
        self.z.set_text(f"z = {formats.number(at.z)}" + (f"   β = {formats.number(at.beta)}" if at.beta != 1 else ""))
        self.gates[0].set_text(f"sigmoid: {at.sigmoid_state}")
        self.gates[1].set_text(f"Swish: {at.swish_state}")
        if self.bend:
            self.swish.show(at.beta)
        for curve, value, slope in zip(self.curves, at.values, at.slopes, strict=False):
            curve.show(at.z, value, slope)


class _Curve:
    """One curve's name, dot and row in the table; and its line and slope, unless it is Swish, which bends."""

    def __init__(self, chart: Chart, look: Look, row: float, slopes: bool) -> None:
        self.chart, self.slopes = chart, slopes
        axes, bold = chart.axes, {"color": look.colour, "weight": "bold"}
        for name, width in ((look.name.lower(), 1.7), (f"{look.name.lower()}_derivative", 0.9))[: 1 + slopes]:
            if look.name != "Swish":
                function = getattr(activations, name)
                chart.curve(function, points=1001, color=look.colour, linestyle=look.dashes, linewidth=width)
        write(axes, chart.x(look.name_at[0]), chart.y(look.name_at[1]), look.name, **bold)
        write(axes, TABLE + 16, row, look.name, **bold)
        axes.plot([TABLE + 5], [row + 3.6], look.marker, color=look.colour, markersize=6)
        self.value, self.slope = (write(axes, right, row, ha="right") for right in (VALUE, SLOPE))
        self.dot = chart.dot(look.colour, look.marker)
        self.moving: list[Artist] = [self.dot, self.value, self.slope]

    def show(self, z: float, value: float, slope: float) -> None:
        self.chart.put(self.dot, z, value)
        self.value.set_text(formats.number(value, 3))
        self.slope.set_text(formats.number(slope, 3) if self.slopes else "")


class _Swish:
    """Swish for any beta, its slope, and marks where it is least and where it is 1."""

    def __init__(self, chart: Chart, slopes: bool) -> None:
        self.chart, self.beta = chart, 1.0
        look = {"color": style.GATE, "zorder": 3}
        self.line = chart.curve(activations.swish, linewidth=2.2, **look)
        self.slopes = [chart.curve(activations.swish_derivative, linewidth=0.9, **look)] if slopes else []
        self.ticks = [box(chart.axes, 0, 0, 1.2, 12, facecolor=style.GATE) for _ in range(2)]
        self.words = [write(chart.axes, 0, 0, fontsize=style.SMALL, color=style.GATE) for _ in range(2)]
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
        one = activations.swish_one(self.beta)
        self._put(1, one, 1.0, f"Swish = 1 at {formats.number(one, 3)}", 8, -27)
        z, least = activations.swish_least(self.beta) if self.beta else (-REACH, -REACH / 2)
        self._put(0, z, least, f"least, {formats.number(least, 3)} at {formats.number(z, 3)}", -40, -18)
        for artist in (self.ticks[0], self.words[0]):
            artist.set_visible(z > 0.7 * -REACH)

    def _put(self, k: int, z: float, value: float, words: str, right: float, up: float) -> None:
        x, y = self.chart.x(z), self.chart.y(value)
        self.ticks[k].set_xy((x - 0.6, y - 6))
        self.words[k].set_position((x + right, y + up))
        self.words[k].set_text(words)
