"""Decoder blocks as diagrams, drawn from the steps that their own code takes."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyBboxPatch

from widgets import style
from widgets.experiments.wiring import Wire

COLUMN, ROW = 5.0, 0.6  # inches: the width of one block, the height of one step
MIDDLE, LANE, SKIP = (
    1.75,
    0.72,
    0.2,
)  # inches: the main line from the left, half a fork, the residual from the left
TOP, HALF_BOX, RADIUS, MARGIN = 0.85, 0.16, 0.13, 0.23

COLOURS = {
    "input": style.INPUT,
    "LayerNorm": style.LAYER_NORM,
    "RMSNorm": style.RMS_NORM,
    "gate_proj": style.GATE,
    "silu": style.GATE,
    "up_proj": style.CONTENT,
    "relu": style.CONTENT,
    "down_proj": style.OUTPUT,
}
SIGNS = {"add": "+", "mul": "×"}
PARTS = {"feed_forward": "feed-forward"}
CHANGES = {
    "LayerNorm": "change 1:\nLayerNorm\nbecomes RMSNorm",
    "RMSNorm": "change 1:\nRMSNorm,\nwas LayerNorm",
    "relu": "change 2:\ntwo layers with ReLU\nbecome SwiGLU",
    "silu": "change 2:\nSwiGLU, was two\nlayers with ReLU",
}


class DecoderBlocks:
    """One column for each block, its steps from top to bottom; the places that change framed and named.

    blocks: title -> its wiring (widgets.experiments.wiring.wiring)
    """

    def __init__(self, blocks: dict[str, Sequence[Wire]]) -> None:
        depth = max(wire.depth for wires in blocks.values() for wire in wires)
        width, height = COLUMN * len(blocks), TOP + ROW * (depth + 1)
        self.figure = Figure(figsize=(width, height))
        axes = self.figure.add_axes((0, 0, 1, 1), xlim=(0, width), ylim=(height, 0))
        axes.set_axis_off()
        for column, (title, wires) in enumerate(blocks.items()):
            _Column(axes, COLUMN * column, title, wires)


class _Column:
    """One block: where each of its steps stands, and the marks for it."""

    def __init__(self, axes: Axes, left: float, title: str, wires: Sequence[Wire]) -> None:
        self.axes, self.left, self.middle = axes, left, left + MIDDLE
        self._text(self.middle, 0.3, title, size=style.LARGE, weight="bold", ha="center")
        self.places: dict[str, tuple[float, float]] = {}
        for wire in wires:
            self.places[wire.name] = self._place(wire, wires)
        for part in dict.fromkeys(wire.part for wire in wires if wire.part):
            self._frame([wire for wire in wires if wire.part == part], PARTS.get(part, part))
        for wire in wires:
            if not wire.part and wire.operation in CHANGES:
                self._frame([wire])
            for name in wire.inputs:
                self._arrow(self.places[name], self.places[wire.name], RADIUS if wire.operation in SIGNS else HALF_BOX)
        for wire in wires:
            self._step(wire)
        x, y = self.places[wires[-1].name]
        self._line([(x, y), (x, y + 0.7 * ROW)])

    def _place(self, wire: Wire, wires: Sequence[Wire]) -> tuple[float, float]:
        """A step stands in the middle; two of one depth stand side by side; what follows one stays there."""
        row = [each.name for each in wires if each.depth == wire.depth]
        x = self.middle
        if len(row) > 1:
            x += LANE * (1 if row.index(wire.name) else -1)
        elif len(wire.inputs) == 1:
            x = self.places[wire.inputs[0]][0]
        return x, TOP + ROW * wire.depth

    def _step(self, wire: Wire) -> None:
        x, y = self.places[wire.name]
        words = wire.words
        colour = COLOURS.get(words, COLOURS.get(wire.operation, style.INK))
        if wire.operation in SIGNS:
            sign = SIGNS[wire.operation]
            self.axes.add_patch(Circle((x, y), RADIUS, facecolor=style.PAPER, edgecolor=colour, linewidth=1.4))
            self._text(x, y, sign, size=style.LARGE, ha="center")
            self._text(x + 0.2, y + 0.14, words, size=style.SMALL)
            return
        half = 0.16 + 0.043 * len(words)
        self._box(
            x - half,
            y - HALF_BOX,
            x + half,
            y + HALF_BOX,
            facecolor=style.PAPER,
            edgecolor=colour,
            linewidth=1.8,
        )
        self._text(x, y, words, ha="center")

    def _frame(self, wires: Sequence[Wire], name: str = "") -> None:
        """A frame around some steps, dashed and named beside it when it is a place that changes."""
        change = next((CHANGES[wire.operation] for wire in wires if wire.operation in CHANGES), "")
        rows = [self.places[wire.name][1] for wire in wires]
        half = 1.38 if name else 0.8
        top, bottom = min(rows) - MARGIN, max(rows) + MARGIN
        look = (
            {"linestyle": (0, (4, 2)), "linewidth": 1.6, "edgecolor": style.INK}
            if change
            else {"edgecolor": style.RULE}
        )
        self._box(self.middle - half, top, self.middle + half, bottom, facecolor="none", **look)
        words = f"{name}\n{change}" if name and change else name or change
        self._text(self.middle + half + 0.12, (top + bottom) / 2, words, size=style.NORMAL)

    def _arrow(self, start: tuple[float, float], end: tuple[float, float], half: float) -> None:
        """Straight down to the next row; out and in again past the rows between; along the lane to where lanes join.

        half: from the middle of the step at the end to its edge
        """
        (x0, y0), (x1, y1) = start, end
        between = y0 + ROW / 2
        if x0 == x1 and y1 - y0 > 1.5 * ROW:
            skip = self.left + SKIP
            self._line([(x0, between), (skip, between), (skip, y1), (x1 - half, y1)])
        elif x0 == x1:
            self._line([(x0, y0), (x1, y1 - half)])
        elif x0 == self.middle:
            self._line([(x0, y0), (x0, between), (x1, between), (x1, y1 - half)])
        else:
            self._line([(x0, y0), (x0, y1), (x1 + (half if x0 > x1 else -half), y1)])

    def _line(self, points: list[tuple[float, float]]) -> None:
        """A line through the points with an arrow head at the last."""
        self.axes.plot(*zip(*points[:-1], strict=True), color=style.INK, linewidth=1.2, zorder=0.5)
        arrow = {"arrowstyle": "-|>", "color": style.INK, "linewidth": 1.2, "shrinkA": 0, "shrinkB": 0}
        self.axes.annotate("", points[-1], points[-2], arrowprops=arrow, zorder=0.5)

    def _box(self, left: float, top: float, right: float, bottom: float, **look: object) -> None:
        box = FancyBboxPatch((left, top), right - left, bottom - top, boxstyle="round,pad=0,rounding_size=0.08", **look)
        self.axes.add_patch(box)

    def _text(self, x: float, y: float, words: str, **look: object) -> None:
        self.axes.text(x, y, words, **{"size": style.NORMAL, "color": style.INK, "va": "center"} | look)
