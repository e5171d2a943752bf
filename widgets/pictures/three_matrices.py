"""x through the three matrices: gate input, gate, content and product in columns, and a ReLU network beside them."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.artist import Artist
from matplotlib.text import Text

from widgets import style
from widgets.maths.feed_forward import BothSteps
from widgets.maths.gates import gate_states
from widgets.pictures.page import PANEL, BarRow, Page, Rect, faint, write

HEIGHT = 364
LEFT, ACROSS = 100, PANEL - 104  # the columns of bars
ROWS = {  # the middle of each row, from the bottom, and how far its bars reach
    "x": (314, 12),
    "first": (264, 14),
    "gate": (213, 14),
    "content": (162, 14),
    "product": (109, 14),
    "output": (28, 14),
}
STATES = (71, 58)  # where the words stand that say what the gates do: every other one is lower, so that none touch
LARGEST = {"x": 3.0, "first": 6.0, "gate": 6.0, "content": 6.0, "product": 12.0, "output": 12.0}  # of a whole bar
ACTIVATIONS = {"SwiGLU": "Swish(z)", "GeGLU": "GELU(z)", "ReGLU": "ReLU(z)", "GLU": "σ(z)", "bilinear": "z itself"}


class ThreeMatricesPicture:
    """Two panels: the gated layer, in which a second projection sets the gate, and the ReLU network.

    steps: only their sizes count, and the family, which names the gated layer and its activation.
    """

    def __init__(self, steps: BothSteps) -> None:
        left, right = Page(PANEL, HEIGHT), Page(PANEL, HEIGHT)
        self.panels = [left, right]
        self.layers = _Gated(left, steps), _Relu(right, steps)
        self.moving = [artist for layer in self.layers for artist in layer.moving]
        self.covers = {
            "gate": [_row("gate").on(0)],
            "product": [_row("product").on(0), _row("product").on(1)],
            "output": [_row("output").on(0), _row("output").on(1)],
        }

    def show(self, steps: BothSteps) -> None:
        """Moves all bars, numbers and words to these steps."""
        for layer in self.layers:
            layer.show(steps)


class _Layer:
    """One panel: rows of bars under each other, each with its name and how it comes about."""

    def __init__(self, page: Page, title: str, colour: str) -> None:
        write(page, 6, HEIGHT - 14, title, fontsize=style.LARGE, weight="bold", color=colour)
        self.page, self.rows = page, {}

    def add(self, row: str, count: int, name: str, below: str, colour: str) -> None:
        """A row of bars with its name, and below it the formula, both left of the bars."""
        middle, reach = ROWS[row]
        write(self.page, 6, middle + 3, name, weight="bold", color=colour)
        faint(self.page, 6, middle - 12, below)
        self.rows[row] = BarRow(self.page, Rect(LEFT, middle - reach, ACROSS, 2 * reach), count, colour)

    def words(self, count: int) -> list[Text]:
        """Places for a word under each column of the products."""
        pitch = ACROSS / count
        across = [LEFT + (k + 0.5) * pitch for k in range(count)]
        return [write(self.page, x, STATES[k % 2], ha="center", fontsize=style.SMALL) for k, x in enumerate(across)]

    @property
    def moving(self) -> list[Artist]:
        return [artist for row in self.rows.values() for artist in row.artists]

    def stand(self, row: str, values: Sequence[float]) -> None:
        """Gives a row's bars their heights."""
        self.rows[row].show(values, self.rows[row].reach / LARGEST[row])


class _Gated(_Layer):
    def __init__(self, page: Page, steps: BothSteps) -> None:
        super().__init__(page, steps.family, style.GATE)
        d_model, d_ff = len(steps.gated.x), len(steps.gated.gate)
        self.add("x", d_model, "x", "one token", style.INPUT)
        self.add("first", d_ff, "gate input z", "gate @ x", style.INPUT)
        self.add("gate", d_ff, "gate", ACTIVATIONS[steps.family], style.GATE)
        self.add("content", d_ff, "content", "up @ x", style.CONTENT)
        self.add("product", d_ff, "product", "gate × content", style.OUTPUT)
        self.add("output", d_model, "output", "down @ product", style.OUTPUT)
        self.states = self.words(d_ff)
        faint(page, 6, STATES[1], "to one decimal:")

    @property
    def moving(self) -> list[Artist]:
        return [*super().moving, *self.states]

    def show(self, steps: BothSteps) -> None:
        """Moves the panel."""
        now = steps.gated
        rows = {"x": now.x, "first": now.gate_input, "gate": now.gate, "content": now.content}
        for row, values in {**rows, "product": now.product, "output": now.output}.items():
            self.stand(row, values.tolist())
        for word, state in zip(self.states, gate_states(now.gate), strict=True):
            word.set_text(state)


class _Relu(_Layer):
    def __init__(self, page: Page, steps: BothSteps) -> None:
        super().__init__(page, "ReLU network, same size", style.INPUT)
        d_model, d_ff = len(steps.relu.x), len(steps.relu.hidden)
        self.add("x", d_model, "x", "one token", style.INPUT)
        self.add("first", d_ff, "hidden h", "up @ x", style.CONTENT)
        self.add("gate", d_ff, "switch", "1 if h > 0", style.GATE)
        self.add("content", d_ff, "content", "h once more", style.CONTENT)
        self.add("product", d_ff, "ReLU(h)", "switch × h", style.OUTPUT)
        self.add("output", d_model, "output", "down @ ReLU(h)", style.OUTPUT)

    def show(self, steps: BothSteps) -> None:
        """Moves the panel."""
        now = steps.relu
        rows = {"x": now.x, "first": now.hidden, "gate": now.switch, "content": now.hidden}
        for row, values in {**rows, "product": now.passed, "output": now.output}.items():
            self.stand(row, values.tolist())


def _row(name: str) -> Rect:
    """A row across its panel, numbers and words included."""
    middle, reach = ROWS[name]
    below = middle - STATES[1] + 5 if name == "product" else reach + 14
    return Rect(0, middle - below, PANEL, below + reach + 13)
