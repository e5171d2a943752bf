"""Decoder blocks as diagrams, drawn from the steps that their own code takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.patches import Circle, FancyBboxPatch

from widgets import style
from widgets.experiments.wiring import Wire
from widgets.pictures.page import DASHED, PANEL, Page, arrow, fitted, wide, write

ROW, TOP = 41.0, 50.0  # points: the height of one step; from the upper edge to the first one
MIDDLE, LANES, SKIP = 114.0, 174.0, 8.0  # across: the main line; the width that lanes share; what goes past the steps
BOX, RADIUS = 23.0, 10.0  # a box's height, a circle's radius
FRAME, NARROW, MARGIN = 98.0, 56.0, 17.0  # half a part's frame, half a single step's, and what a frame adds up and down

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
    "LayerNorm": ("change 1:", "LayerNorm", "becomes RMSNorm"),
    "RMSNorm": ("change 1:", "RMSNorm,", "was LayerNorm"),
    "relu": ("change 2:", "two layers, ReLU", "become SwiGLU"),
    "silu": ("change 2:", "SwiGLU, was two", "layers with ReLU"),
}


def block_figures(blocks: Mapping[str, Sequence[Wire]]) -> list[Page]:
    """One panel for each block, its steps from top to bottom; the places that change framed and named.

    blocks: title -> the wiring of a block (widgets.experiments.wiring.wiring)
    """
    depth = max(wire.depth for wires in blocks.values() for wire in wires)
    figures = []
    for title, wires in blocks.items():
        page = Page(PANEL, TOP + ROW * (depth + 1))
        _Column(page, title, wires).draw()
        figures.append(page)
    return figures


class _Column:
    """One block: where each of its steps stands, and the marks for it."""

    def __init__(self, page: Page, title: str, wires: Sequence[Wire]) -> None:
        self.page, self.wires, self.top = page, wires, page.height - TOP
        self._title(title)
        self.rows: dict[int, list[Wire]] = {}
        for wire in wires:
            self.rows.setdefault(wire.depth, []).append(wire)
        self.places: dict[str, tuple[float, float]] = {}
        for row in self.rows.values():
            self._place(row)

    def _place(self, row: list[Wire]) -> None:
        """Steps of one depth stand side by side, a single one in the middle; what follows one step stays under it."""
        for lane, wire in enumerate(row):
            x = MIDDLE + LANES * ((lane + 0.5) / len(row) - 0.5)
            if len(row) == 1 and len(wire.inputs) == 1:
                x = self.places[wire.inputs[0]][0]
            self.places[wire.name] = x, self.top - ROW * wire.depth

    def _title(self, title: str) -> None:
        """The block's name as far as there is room, and whole what tells two blocks of one class apart."""
        look: dict[str, Any] = {"fontsize": style.LARGE, "weight": "bold"}
        name, comma, number = title.partition(", ")
        name = fitted(name, PANEL - 16 - wide(comma + number, **look), **look)
        write(self.page, 8, self.page.height - 17, name + comma + number, **look)

    def draw(self) -> None:
        """Frames first, then arrows, then the steps over them."""
        for part in dict.fromkeys(wire.part for wire in self.wires if wire.part):
            self._frame([wire for wire in self.wires if wire.part == part], PARTS.get(part, part))
        for wire in self.wires:
            if not wire.part and wire.operation in CHANGES:
                self._frame([wire])
            for name in wire.inputs:
                self._arrow(name, wire)
        for wire in self.wires:
            self._step(wire)
        x, y = self.places[self.wires[-1].name]
        arrow(self.page, (x, y), (x, y - 0.72 * ROW))

    def _step(self, wire: Wire) -> None:
        x, y = self.places[wire.name]
        colour = COLOURS.get(wire.words, COLOURS.get(wire.operation, style.INK))
        look = {"facecolor": style.PAPER, "edgecolor": colour, "zorder": 2}
        if wire.operation in SIGNS:
            self.page.add(Circle((x, y), RADIUS, linewidth=1.4, **look))
            write(self.page, x, y - 5.5, SIGNS[wire.operation], fontsize=style.LARGE, ha="center", zorder=3)
            write(self.page, x + 14, y - 13, self._short(wire), fontsize=style.SMALL)
            return
        self._box(x, y, self._half(wire), BOX / 2, linewidth=1.8, **look)
        write(self.page, x, y - 4.5, self._short(wire), ha="center", zorder=3)

    def _short(self, wire: Wire) -> str:
        """The step's words as far as there is room for them; a box is never empty."""
        return fitted(wire.words, self._room(wire)) or ("" if wire.operation in SIGNS else "…")

    def _room(self, wire: Wire) -> float:
        """Points for a step's words: in its lane, or, where it stands alone, to the nearer side of a frame.

        A sign's stand beside it, as far as to the next step or its part's frame.
        """
        row, x = self.rows[wire.depth], self.places[wire.name][0]
        if wire.operation in SIGNS:
            beside = [self.places[other.name][0] - self._half(other) for other in row]
            edge = MIDDLE + FRAME if wire.part else PANEL
            return min([side for side in beside if side > x], default=edge) - x - 16
        return (LANES / len(row) if len(row) > 1 else 2 * (FRAME - abs(x - MIDDLE))) - 20

    def _frame(self, wires: Sequence[Wire], name: str = "") -> None:
        """A frame around some steps, dashed and named beside it when it is a place that changes."""
        change = next((CHANGES[wire.operation] for wire in wires if wire.operation in CHANGES), ())
        heights = [self.places[wire.name][1] for wire in wires]
        middle, half = (max(heights) + min(heights)) / 2, FRAME if name else NARROW
        edge = {"linestyle": DASHED, "linewidth": 1.6, "edgecolor": style.INK} if change else {"edgecolor": style.RULE}
        tall = (max(heights) - min(heights)) / 2 + MARGIN
        self._box(MIDDLE, middle, half, tall, facecolor="none", zorder=0.4, **edge)
        crowded = max(map(len, self.rows.values())) > 3  # then arrows come down where the words would stand
        lines, x = [*([name] if name else []), *change], MIDDLE + (FRAME if crowded else half) + 8
        for k, words in enumerate(lines):
            y = middle + 7 * len(lines) - 14 * k - 11
            look = {"fontsize": style.SMALL, "weight": "bold" if name and not k else "normal"}
            write(self.page, x, y, fitted(words, PANEL - x - 2, **look), **look)

    def _arrow(self, name: str, wire: Wire) -> None:
        """From one step to a later one: down, along and into it, past what stands between."""
        (x0, y0), (x1, y1) = self.places[name], self.places[wire.name]
        sign, next_row, turn = wire.operation in SIGNS, y0 - y1 < 1.5 * ROW, y0 - ROW / 2
        top, side = y1 + (RADIUS if sign else BOX / 2), self._half(wire)
        if x0 == x1 and (next_row or self._free(name, wire)):
            arrow(self.page, (x0, y0), (x1, top))
        elif next_row and not sign:
            arrow(self.page, (x0, y0), (x0, turn), (x1, turn), (x1, top))
        elif self._free(name, wire):
            arrow(self.page, (x0, y0), (x0, y1), (x1 + (side if x0 > x1 else -side), y1))
        else:
            skip = SKIP if x0 <= MIDDLE else MIDDLE + FRAME - 5
            end = (x1 + (side if skip > x1 else -side), y1)
            arrow(self.page, (x0, y0), (x0, turn), (skip, turn), (skip, y1), end)

    def _half(self, wire: Wire) -> float:
        """From the middle of a step to its side: by the number of letters, within the lane, and never in a word."""
        if wire.operation in SIGNS:
            return RADIUS
        words = self._short(wire)
        return max(8 + min(3.7 * len(words), self._room(wire) / 2), 3 + wide(words) / 2)

    def _free(self, name: str, wire: Wire) -> bool:
        """Whether nothing stands under a step down to the height of another."""
        x, y = self.places[name]
        below = self.places[wire.name][1]
        return all(
            abs(place[0] - x) > self._half(other) + 3
            for other in self.wires
            for place in [self.places[other.name]]
            if below < place[1] < y or (place[1] == below and other is not wire)
        )

    def _box(self, x: float, y: float, half: float, tall: float, **look: Any) -> None:
        """A box around (x, y), with round corners."""
        round_corners = "round,pad=0,rounding_size=5"
        self.page.add(FancyBboxPatch((x - half, y - tall), 2 * half, 2 * tall, boxstyle=round_corners, **look))
