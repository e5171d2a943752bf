"""Gates position by position: content, gate input, gate and product in rows, the state in a word and a hatch."""

from __future__ import annotations

from matplotlib.artist import Artist

from widgets import formats, style
from widgets.maths.gates import FlowSteps
from widgets.pictures.page import DASHED, PANEL, Page, Rect, box, faint, write

HEIGHT = 364
COLUMNS = Rect(71, 26, 268, HEIGHT - 28)
HALF = 4  # columns on a panel
CONTENT, GATE_INPUT, GATE, PRODUCT = 303, 237, 173, 106  # the heights of the lines that bars stand on
CHIP = 46  # the height of the boxes that show a state
REACH = {CONTENT: 27.0, GATE_INPUT: 16.0, GATE: 24.0, PRODUCT: 34.0}  # of the longest bar
COLOURS = {CONTENT: style.CONTENT, GATE_INPUT: style.INPUT, GATE: style.GATE, PRODUCT: style.OUTPUT}
TITLES = {
    CONTENT: ("content", "x · up"),
    GATE_INPUT: ("gate input", "z = x · gate"),
    GATE: ("gate", "Swish(z)"),
    PRODUCT: ("product", "gate ×", "content"),
}

EMPTY = {"facecolor": style.PAPER, "edgecolor": style.FAINT, "linewidth": 0.8, "hatch": None}
LOOKS = {
    "closed": EMPTY,
    "attenuated": {**EMPTY, "edgecolor": style.OUTPUT, "hatch": "||||"},
    "passed": {**EMPTY, "facecolor": style.OUTPUT, "edgecolor": style.OUTPUT},
    "amplified": {**EMPTY, "facecolor": style.OUTPUT, "edgecolor": style.PAPER, "hatch": "////"},
    "flipped": {**EMPTY, "edgecolor": style.OUTPUT, "hatch": "xxxx"},
}
"""How each state looks, in the product bar and in the box under it."""

RULES = (
    "to one decimal: gate below 0 flipped, 0.0 closed,",
    "0.1 to 0.9 attenuated, 1.0 passed, above amplified",
)
"""How a gate, read to one decimal, is put into a word; a line a panel."""


class GateFlowPicture:
    """Up to eight columns, four on a panel; the one at `position` (from 0) follows its gate input."""

    def __init__(self, steps: FlowSteps, position: int) -> None:
        count = len(steps.states)
        self.units = _units(steps, position)
        self.panels, self.columns = [], []
        for first in range(0, count, HALF):
            places = range(first, min(first + HALF, count))
            page = Page(PANEL, HEIGHT)
            self.panels.append(page)
            self._furniture(page, first == 0, count <= HALF)
            self.columns += [_Column(page, k - first, self.units, steps, k, k == position) for k in places]
        self.column = self.columns[position]
        self.moving = self.column.moving
        rows = {"the products": Rect(COLUMNS.left, 58, COLUMNS.width, 94), "the words": Rect(0, 28, PANEL, 30)}
        self.covers = {name: [place.on(k) for k in range(len(self.panels))] for name, place in rows.items()}

    @staticmethod
    def _furniture(page: Page, first: bool, alone: bool) -> None:
        for base, (name, *below) in TITLES.items():
            write(page, 2, base + 5, name, fontsize=12, weight="bold", color=COLOURS[base])
            for k, words in enumerate(below):
                faint(page, 2, base - 11 - 13 * k, words)
            box(page, COLUMNS.left, base - 0.5, COLUMNS.width, 1, facecolor=style.FAINT)
        faint(page, 2, CHIP - 5, "content is")
        for k, rule in enumerate(RULES if alone else [RULES[not first]]):
            faint(page, 2, 14 - 12 * k if alone else 6, rule)

    def show(self, steps: FlowSteps) -> None:
        """Moves the chosen column to these steps; the others stay as they are."""
        self.column.show(steps)


class _Column:
    """One position: its four bars with their numbers, the content's outline at the product, and its state."""

    def __init__(self, page: Page, place: int, units: dict[int, float], steps: FlowSteps, k: int, chosen: bool) -> None:
        self.units, self.k = units, k
        pitch = COLUMNS.width / HALF
        left = COLUMNS.left + place * pitch
        x, width = left + pitch / 2, 34
        frame = {"fill": False, "edgecolor": style.INPUT, "linewidth": 1.4}
        if chosen:
            box(page, left, CHIP - 3, pitch, COLUMNS.top - CHIP + 3, **frame)
        write(page, x, HEIGHT - 16, str(k + 1), ha="center", fontsize=style.SMALL, weight="bold")
        content = steps.content[k].item()
        outline = {"fill": False, "edgecolor": style.CONTENT, "linewidth": 1, "linestyle": DASHED}
        self.outline = box(page, x - width / 2 - 3, PRODUCT, width + 6, content * units[PRODUCT], **outline)
        self.bars = {base: box(page, x - width / 2, base, width, 0, facecolor=COLOURS[base]) for base in COLOURS}
        self.numbers = {base: write(page, x, base, ha="center", fontsize=style.SMALL) for base in COLOURS}
        self._stand(CONTENT, content)
        self.chip = box(page, x - 22, CHIP, 44, 11)
        self.word = write(page, x, CHIP - 14, ha="center", fontsize=style.SMALL)
        turning = (GATE_INPUT, GATE, PRODUCT)
        self.moving: list[Artist] = [part[base] for part in (self.bars, self.numbers) for base in turning]
        self.moving += [self.chip, self.word]
        self.show(steps)

    def show(self, steps: FlowSteps) -> None:
        for base, row in ((GATE_INPUT, steps.gate_input), (GATE, steps.gate), (PRODUCT, steps.product)):
            self._stand(base, row[self.k].item())
        state = steps.states[self.k]
        if state != self.word.get_text():
            self.word.set_text(state)
            for shape in (self.bars[PRODUCT], self.chip):
                shape.set(**LOOKS[state])

    def _stand(self, base: int, value: float) -> None:
        height = value * self.units[base]
        beyond = self.outline.get_height() if base == PRODUCT else 0  # the number stands clear of the outline too
        self.bars[base].set_height(height)
        self.numbers[base].set_text(formats.fitted(value, 6))
        self.numbers[base].set_y(base + (max(height, beyond) + 3 if value >= 0 else min(height, beyond) - 11))


def _units(steps: FlowSteps, position: int) -> dict[int, float]:
    """Points for the number 1 in each row; content and product share one, so that their bars can be compared."""
    largest = steps.largest(position)
    shared = min(REACH[PRODUCT] / largest.product, REACH[CONTENT] / largest.content)
    return {
        CONTENT: shared,
        GATE_INPUT: REACH[GATE_INPUT] / largest.gate_input,
        GATE: REACH[GATE] / largest.gate,
        PRODUCT: shared,
    }
