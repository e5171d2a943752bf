"""ReLU, sigmoid and Swish on one pair of axes, GELU and the slopes on request, and a line that reads them off."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from matplotlib.artist import Artist

from widgets import style
from widgets.maths import activations
from widgets.maths.gates import CurvesAt
from widgets.pictures.chart import Chart
from widgets.pictures.page import box, page, write

WIDTH, HEIGHT = 720, 326
LEFT, BOTTOM, ACROSS, UP = 26, 24, 420, 294  # the chart
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
    Look("sigmoid", style.SIGMOID, (0, (1, 1.2)), "D", (-4.9, 0.18)),
    Look("Swish", style.GATE, "-", "o", (3.5, 2.75)),
    Look("GELU", style.GELU, (0, (6, 2, 1, 2)), "^", (1.5, 0.82)),
)


class ActivationCurvesPicture:
    """The curves, a line at z with a dot on each, a table of the values there, and what each does as a gate."""

    def __init__(self) -> None:
        self.figure, axes = page(WIDTH, HEIGHT)
        size = {"left": LEFT, "bottom": BOTTOM, "width": ACROSS, "height": UP}
        ticks = {"across_ticks": range(-REACH, REACH + 1), "up_ticks": range(-1, REACH + 1)}
        self.chart = Chart(axes, **size, across=(-REACH, REACH), up=(-1, REACH), **ticks)
        write(axes, LEFT + ACROSS + 8, BOTTOM - 4, "z", weight="bold")
        self.line = box(axes, 0, BOTTOM, 1.2, UP, facecolor=style.INPUT)
        self.curves = [_Curve(self.chart, look, 216 - 27 * k) for k, look in enumerate(LOOKS)]
        self.swish_marks = _SwishMarks(self.chart)
        self.z = write(axes, TABLE, 272, fontsize=style.LARGE, weight="bold")
        heading = {"ha": "right", "fontsize": style.SMALL, "color": style.FAINT, "y": 243}
        write(axes, VALUE, text="value", **heading)
        self.slope_heading = write(axes, SLOPE, text="slope", **heading)
        self.gates = [write(axes, TABLE, y, weight="bold", color=LOOKS[k].colour) for k, y in ((1, 80), (2, 62))]
        small = {"fontsize": style.SMALL, "color": style.FAINT}
        write(axes, TABLE, 101, "as a gate, read to one decimal:", **small)
        write(axes, TABLE, 40, "below 0 flipped · 0.0 closed · 1.0 passed", **small)
        write(axes, TABLE, 27, "between attenuated · above 1 amplified", **small)
        self.moving = [self.line, self.z, self.slope_heading, *self.gates, *self.swish_marks.artists]
        self.moving += [artist for curve in self.curves for artist in curve.artists]
        self.beta: float | None = None

    def choose(self, gelu: bool, slopes: bool) -> None:
        """Which curves are shown: GELU, and the slope of every curve that is."""
        for curve in self.curves:
            curve.choose(gelu or curve.look.name != "GELU", slopes)
        self.slope_heading.set_visible(slopes)

    def show(self, at: CurvesAt) -> None:
        """Moves the line and the dots to z and, where beta has changed, bends the curve of Swish."""
        self.line.set_x(self.chart.x(at.z) - 0.6)
        self.z.set_text(f"z = {style.number(at.z)}" + (f"   β = {style.number(at.beta)}" if at.beta != 1 else ""))
        for curve, value, slope in zip(self.curves, at.values, at.slopes, strict=True):
            curve.show(at.z, value, slope)
        self.gates[0].set_text(f"sigmoid: {at.sigmoid_state}")
        self.gates[1].set_text(f"Swish: {at.swish_state}")
        if at.beta != self.beta:
            self.beta = at.beta
            swish = self.curves[2]
            self.chart.redraw(swish.line, partial(activations.swish, beta=at.beta))
            self.chart.redraw(swish.slope_line, partial(activations.swish_derivative, beta=at.beta))
            self.swish_marks.show(at.beta)


class _Curve:
    """One curve, its slope as a thin line, its dot and its row in the table."""

    def __init__(self, chart: Chart, look: Look, row: float) -> None:
        self.chart, self.look = chart, look
        axes, dashes = chart.axes, {"color": look.colour, "linestyle": look.dashes}
        function = getattr(activations, look.name.lower())
        slope = getattr(activations, f"{look.name.lower()}_derivative")
        self.line = chart.curve(function, linewidth=2.2 if look.name == "Swish" else 1.7, **dashes)
        self.slope_line = chart.curve(slope, linewidth=0.9, **dashes)
        x, y = look.name_at
        self.name = write(axes, chart.x(x), chart.y(y), look.name, color=look.colour, weight="bold")
        self.row_name = write(axes, TABLE + 16, row, look.name, color=look.colour, weight="bold")
        (self.row_dot,) = axes.plot([TABLE + 5], [row + 3.6], look.marker, color=look.colour, markersize=6)
        self.value, self.slope = (write(axes, x, row, ha="right") for x in (VALUE, SLOPE))
        self.dot = chart.dot(look.colour, look.marker)
        lines = [self.line, self.slope_line, self.dot, self.row_dot]
        self.artists: list[Artist] = [*lines, self.name, self.row_name, self.value, self.slope]

    def choose(self, shown: bool, slopes: bool) -> None:
        for artist in self.artists:
            artist.set_visible(shown)
        for artist in (self.slope_line, self.slope):
            artist.set_visible(shown and slopes)

    def show(self, z: float, value: float, slope: float) -> None:
        self.chart.put(self.dot, z, value)
        self.value.set_text(style.number(value, 3))
        self.slope.set_text(style.number(slope, 3))


class _SwishMarks:
    """Where Swish is least and where it is 1, for any beta."""

    def __init__(self, chart: Chart) -> None:
        self.chart = chart
        self.ticks = [box(chart.axes, 0, 0, 1.2, 12, facecolor=style.GATE) for _ in range(2)]
        self.words = [write(chart.axes, 0, 0, fontsize=style.SMALL, color=style.GATE) for _ in range(2)]
        self.words[0].set_ha("center")
        self.artists: list[Artist] = [*self.ticks, *self.words]

    def show(self, beta: float) -> None:
        one = activations.swish_one(beta)
        self._put(1, one, 1.0, f"1 at {style.number(one, 3)}", 7, -13)
        z, least = activations.swish_least(beta) if beta > 0 else (-REACH - 1.0, 0.0)
        self._put(0, z, least, f"least, {style.number(least, 3)} at {style.number(z, 3)}", 0, -20)
        for artist in (self.ticks[0], self.words[0]):
            artist.set_visible(z > -0.6 * REACH)

    def _put(self, k: int, z: float, value: float, words: str, right: float, up: float) -> None:
        x, y = self.chart.x(z), self.chart.y(value)
        self.ticks[k].set_xy((x - 0.6, y - 6))
        self.words[k].set_position((x + right, y + up))
        self.words[k].set_text(words)
