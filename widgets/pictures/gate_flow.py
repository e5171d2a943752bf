"""Gates position by position: content, gate input, gate and product in rows, the state in a word and a hatch."""

from __future__ import annotations

from matplotlib.artist import Artist
from matplotlib.axes import Axes

from widgets import formats, style
from widgets.maths.activations import SWISH_ONE, swish
from widgets.maths.gates import FlowSteps
from widgets.pictures.page import box, page, write

WIDTH, HEIGHT = 720, 326
LEFT, RIGHT = 118, 712  # the columns
LOWEST, HIGHEST = -6.0, 3.0  # gate inputs that the picture can show
CONTENT, GATE_INPUT, GATE, PRODUCT = 281, 218, 161, 103  # the heights of the lines that bars stand on
CHIP = 39  # the height of the boxes that show a state
REACH = {CONTENT: 24.0, GATE_INPUT: 16.0, GATE: 24.0, PRODUCT: 34.0}  # of the longest bar
COLOURS = {CONTENT: style.CONTENT, GATE_INPUT: style.INPUT, GATE: style.GATE, PRODUCT: style.OUTPUT}

EMPTY = {"facecolor": style.PAPER, "edgecolor": style.FAINT, "linewidth": 0.8, "hatch": None}
LOOKS = {
    "closed": EMPTY,
    "attenuated": {**EMPTY, "edgecolor": style.OUTPUT, "hatch": "||||"},
    "passed": {**EMPTY, "facecolor": style.OUTPUT, "edgecolor": style.OUTPUT},
    "amplified": {**EMPTY, "facecolor": style.OUTPUT, "edgecolor": style.PAPER, "hatch": "////"},
    "flipped": {**EMPTY, "edgecolor": style.OUTPUT, "hatch": "xxxx"},
}
"""How each state looks, in the product bar and in the box under it."""

RULE = (
    "gate read to one decimal: below 0 (z < 0) flipped · 0.0 closed · between attenuated · "
    f"1.0 passed · above 1 (z > {formats.number(SWISH_ONE)}) amplified"
)


class GateFlowPicture:
    """Eight columns or fewer; the one at `position` (from 0) follows its gate input."""

    def __init__(self, steps: FlowSteps, position: int) -> None:
        self.figure, axes = page(WIDTH, HEIGHT)
        for base, name, below in (
            (CONTENT, "content", "x · up weights"),
            (GATE_INPUT, "gate input z", "x · gate weights"),
            (GATE, "gate", "Swish(z)"),
            (PRODUCT, "product", "gate × content"),
        ):
            write(axes, 6, base + 4, name, weight="bold", color=COLOURS[base])
            write(axes, 6, base - 9, below, fontsize=style.SMALL, color=style.FAINT)
            box(axes, LEFT, base - 0.4, RIGHT - LEFT, 0.8, facecolor=style.FAINT)
        faint = {"fontsize": style.SMALL, "color": style.FAINT}
        write(axes, 6, CHIP + 1, "so the content is", **faint)
        write(axes, (LEFT + RIGHT) / 2, 5, RULE, ha="center", **faint)
        pitch = (RIGHT - LEFT) / len(steps.states)
        frame = {"fill": False, "edgecolor": style.INPUT, "linewidth": 1.2}
        box(axes, LEFT + position * pitch + 1, 18, pitch - 2, HEIGHT - 20, **frame)
        units = _units(steps, position)
        columns = [_Column(axes, LEFT + (k + 0.5) * pitch, pitch, units, steps, k) for k in range(len(steps.states))]
        self.column = columns[position]
        self.moving = self.column.moving

    def show(self, steps: FlowSteps) -> None:
        """Moves the chosen column to these steps; the others stay as they are."""
        self.column.show(steps)


class _Column:
    """One position: its four bars with their numbers, the content's outline at the product, and its state."""

    def __init__(self, axes: Axes, x: float, pitch: float, units: dict[int, float], steps: FlowSteps, k: int) -> None:
        self.units, self.k = units, k
        width = min(0.5 * pitch, 40)
        content = steps.content[k].item()
        outline = {"fill": False, "edgecolor": style.CONTENT, "linewidth": 0.9, "linestyle": (0, (3, 2))}
        self.outline = box(axes, x - width / 2 - 2.5, PRODUCT, width + 5, content * units[PRODUCT], **outline)
        self.bars, self.numbers = {}, {}
        for base, colour in COLOURS.items():
            self.bars[base] = box(axes, x - width / 2, base, width, 0, facecolor=colour)
            self.numbers[base] = write(axes, x, base, ha="center", fontsize=style.SMALL)
        self._stand(CONTENT, content)
        self.chip = box(axes, x - 22, CHIP, 44, 11)
        self.word = write(axes, x, CHIP - 12, ha="center", fontsize=style.SMALL, weight="bold")
        turning = (GATE_INPUT, GATE, PRODUCT)
        self.moving: list[Artist] = [part[base] for part in (self.bars, self.numbers) for base in turning]
        self.moving += [self.chip, self.word]
        self.show(steps)

    def show(self, steps: FlowSteps) -> None:
        for base, row in ((GATE_INPUT, steps.gate_input), (GATE, steps.gate), (PRODUCT, steps.product)):
            self._stand(base, row[self.k].item())
        state = steps.states[self.k]
        for shape in (self.bars[PRODUCT], self.chip):
            shape.set(**LOOKS[state])
        self.word.set_text(state)

    def _stand(self, base: int, value: float) -> None:
        height = value * self.units[base]
        beyond = self.outline.get_height() if base == PRODUCT else 0  # the number stands clear of the outline too
        self.bars[base].set_height(height)
        self.numbers[base].set_text(formats.number(value))
        self.numbers[base].set_y(base + (max(height, beyond) + 3 if value >= 0 else min(height, beyond) - 9.5))


def _units(steps: FlowSteps, position: int) -> dict[int, float]:
    """Points for the number 1 in each row; content and product share one, so that their bars can be compared."""
    turned = steps.content[position].abs() * swish(steps.gate_input.new_tensor(HIGHEST))
    largest_product = max(steps.product.abs().max().item(), turned.item(), 1e-9)
    shared = min(REACH[PRODUCT] / largest_product, REACH[CONTENT] / max(steps.content.abs().max().item(), 1e-9))
    gate = REACH[GATE] / swish(steps.gate_input.new_tensor(HIGHEST)).item()
    return {CONTENT: shared, GATE_INPUT: REACH[GATE_INPUT] / -LOWEST, GATE: gate, PRODUCT: shared}
