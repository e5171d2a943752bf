"""What eps does to small vectors: the RMS of the result against the size of the input."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from matplotlib.lines import Line2D

from widgets import formats, style
from widgets.maths.norms import EpsRule, EpsSteps
from widgets.pictures.page import box, page, write

WIDTH, HEIGHT = 720, 292
LEFT, RIGHT, BOTTOM, TOP = 46, 420, 40, 262  # the plot
BARS = 456  # where the bars begin
LOOKS = [(style.RMS_NORM, "-"), (style.LAYER_NORM, "--"), (style.GATE, ":"), (style.CONTENT, "-.")]


class EpsPicture:
    """One curve a rule over the input's size on a log axis, a line at the present size, and a bar a rule."""

    def __init__(self, rules: Sequence[EpsRule], smallest: float, largest: float) -> None:
        self.rules, self.first, self.last = rules, math.log10(smallest), math.log10(largest)
        self.figure, axes = page(WIDTH, HEIGHT)
        self._furniture(axes)
        sizes = torch.logspace(self.first, self.last, 121, dtype=torch.float64)
        for rule, (colour, dashes) in zip(rules, LOOKS, strict=False):
            heights = [self.y(value) for value in rule.result(sizes).tolist()]
            xs = [self.x(size) for size in sizes.tolist()]
            axes.add_line(Line2D(xs, heights, color=colour, linestyle=dashes, linewidth=2))
        self.line = box(axes, LEFT, BOTTOM, 1.2, TOP - BOTTOM, facecolor=style.INK)
        self.size = write(axes, LEFT, TOP + 8, ha="center", weight="bold")
        self.dots, self.bars, self.numbers = [], [], []
        pitch = (TOP - BOTTOM) / max(3, len(rules))
        for k, (rule, (colour, dashes)) in enumerate(zip(rules, LOOKS, strict=False)):
            y = TOP - 26 - k * pitch
            write(axes, BARS + 28, y + 12, str(rule))
            axes.add_line(Line2D([BARS, BARS + 22], [y + 16, y + 16], color=colour, linestyle=dashes, linewidth=2))
            box(axes, BARS, y - 16, WIDTH - 64 - BARS, 20, facecolor=style.RULE)
            self.bars.append(box(axes, BARS, y - 16, 0, 20, facecolor=colour))
            self.numbers.append(write(axes, WIDTH - 8, y - 11, ha="right", weight="bold"))
            self.dots.append(box(axes, 0, 0, 8, 8, facecolor=colour, edgecolor=style.PAPER, linewidth=1))
        self.moving = [self.line, self.size, *self.dots, *self.bars, *self.numbers]

    def _furniture(self, axes) -> None:
        for value in (0.0, 0.5, 1.0):
            box(axes, LEFT, self.y(value) - 0.4, RIGHT - LEFT, 0.8, facecolor=style.RULE)
            write(axes, LEFT - 6, self.y(value) - 4, f"{value:.1f}", ha="right", color=style.FAINT)
        for power in range(math.ceil(self.first), math.floor(self.last) + 1):
            write(
                axes, self.x(10.0**power), BOTTOM - 15, f"1e{power}".replace("-", "−"), ha="center", color=style.FAINT
            )
        write(axes, LEFT - 36, TOP + 8, "RMS of the result", fontsize=style.SMALL)
        write(axes, (LEFT + RIGHT) / 2, BOTTOM - 32, "RMS of the input", ha="center", fontsize=style.SMALL)
        write(axes, BARS, TOP + 8, "RMS of the result at this size", fontsize=style.SMALL)

    def x(self, size: float) -> float:
        """Where an input of this RMS stands on the page."""
        return LEFT + (math.log10(size) - self.first) / (self.last - self.first) * (RIGHT - LEFT)

    def y(self, value: float) -> float:
        """Where a result of this RMS stands on the page."""
        return BOTTOM + value * (TOP - BOTTOM - 8)

    def show(self, steps: EpsSteps) -> None:
        """Moves the line, the dots and the bars to an input of this size."""
        x = self.x(steps.size)
        self.line.set_x(x - 0.6)
        self.size.set_position((min(max(x, LEFT + 76), RIGHT), TOP + 8))
        self.size.set_text(formats.scientific(steps.size))
        for dot, bar, number, value in zip(self.dots, self.bars, self.numbers, steps.results, strict=True):
            dot.set_xy((x - 4, self.y(value) - 4))
            bar.set_width(value * (WIDTH - 64 - BARS))
            number.set_text(formats.number(value, 3))
