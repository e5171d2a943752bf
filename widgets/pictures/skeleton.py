"""The skeleton of a gated layer beside the two-layer network: matrices drawn to one scale, area for parameters."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle

from widgets import style
from widgets.maths.budget import Budget, Ledger
from widgets.pictures.page import box, page, write

WIDTH, HEIGHT = 720, 318
MIDDLE = 146.0  # the height on which both layers begin and end
BORDER = 336  # between the two
APART = 17  # from the middle to each branch's matrix
ARROW, VECTOR, ROUND = 20.0, 8.0, 15.0  # an arrow's length, a vector's thickness, an operation's radius


def skeleton_figure(ledger: Ledger) -> Figure:
    """Both layers from left to right: x, the matrices with the shapes of their weights, what happens between, y."""
    figure, axes = page(WIDTH, HEIGHT)
    relu, gated = ledger.relu, ledger.gated
    scale = min(182 / (budget.d_model + budget.d_ff) for budget in (relu, gated))
    scale = min(scale, 130 / max(relu.d_model, relu.d_ff), 88 / max(gated.d_model, gated.d_ff))
    _two_layers(_Pen(axes, 10, scale, relu))
    box(axes, BORDER, 20, 0.8, HEIGHT - 34, facecolor=style.RULE)
    _gated(_Pen(axes, BORDER + 18, scale, gated))
    write(axes, 10, 6, "An area is a number of parameters, on one scale.", fontsize=style.SMALL, color=style.FAINT)
    return figure


def _two_layers(pen: _Pen) -> None:
    budget = pen.budget
    pen.title("Two layers with ReLU", style.INPUT)
    pen.vector("x")
    pen.arrow()
    pen.matrix("up", budget.d_ff, budget.d_model, style.INPUT)
    pen.arrow()
    pen.operation("ReLU", style.INPUT)
    pen.arrow()
    pen.matrix("down", budget.d_model, budget.d_ff, style.OUTPUT)
    pen.arrow()
    pen.vector("y")


def _gated(pen: _Pen) -> None:
    d_model, d_ff = pen.budget.d_model, pen.budget.d_ff
    pen.title("SwiGLU", style.GATE)
    pen.vector("x")
    branch = d_ff * pen.scale / 2 + APART
    lower = pen.copy(MIDDLE - branch)
    upper = pen.copy(MIDDLE + branch)
    for at, name, colour in ((upper, "gate", style.GATE), (lower, "up", style.CONTENT)):
        pen.arrow_to(at)
        at.matrix(name, d_ff, d_model, colour)
    upper.arrow()
    upper.operation("Swish", style.GATE)
    pen.x = upper.x + ARROW
    upper.say(upper.x + 20, 3, "gate", style.GATE)
    lower.say(upper.x - 10, -6, "content", style.CONTENT)
    for at in (upper, lower):
        at.line_to(pen.x + ROUND, pen.y + (ROUND if at is upper else -ROUND))
    pen.operation("×", style.OUTPUT)
    pen.arrow()
    pen.matrix("down", d_model, d_ff, style.OUTPUT)
    pen.arrow()
    pen.vector("y")


class _Pen:
    """Draws one layer from left to right at the height y; `x` is where the next part begins."""

    def __init__(self, axes: Axes, x: float, scale: float, budget: Budget, y: float = MIDDLE) -> None:
        self.axes, self.x, self.y, self.scale, self.budget = axes, x, y, scale, budget

    def copy(self, y: float) -> _Pen:
        return _Pen(self.axes, self.x + 1.4 * ARROW, self.scale, self.budget, y)

    def title(self, name: str, colour: str) -> None:
        matrices, d_model, d_ff = self.budget.matrices, self.budget.d_model, self.budget.d_ff
        write(self.axes, self.x, HEIGHT - 18, name, fontsize=style.LARGE, weight="bold", color=colour)
        total = f"{matrices} × {d_ff} × {d_model} = {self.budget.parameters:,} parameters"
        write(self.axes, self.x, HEIGHT - 34, total, fontsize=style.SMALL)

    def vector(self, name: str) -> None:
        height = self.budget.d_model * self.scale
        box(self.axes, self.x, self.y - height / 2, VECTOR, height, facecolor=style.INPUT)
        self.say(self.x + VECTOR / 2, height / 2 + 5, name, style.INK)
        write(self.axes, self.x + VECTOR / 2, self.y - height / 2 - 12, str(self.budget.d_model), **_SMALL)
        self.x += VECTOR

    def matrix(self, name: str, rows: int, columns: int, colour: str) -> None:
        height, width = rows * self.scale, columns * self.scale
        box(self.axes, self.x, self.y - height / 2, width, height, facecolor=colour)
        self.say(self.x + width / 2, height / 2 + 5, name, colour)
        write(self.axes, self.x + width / 2, self.y - height / 2 - 12, f"({rows}, {columns})", **_SMALL)
        self.x += width

    def operation(self, name: str, colour: str) -> None:
        look = {"facecolor": style.PAPER, "edgecolor": colour, "linewidth": 1.4}
        self.axes.add_patch(Circle((self.x + ROUND, self.y), ROUND, **look))
        large = {"fontsize": style.LARGE + 3, "y": self.y - 5.5} if len(name) == 1 else {**_SMALL, "y": self.y - 3}
        write(self.axes, self.x + ROUND, text=name, **{"ha": "center", **large})
        self.x += 2 * ROUND

    def arrow(self) -> None:
        self.line_to(self.x + ARROW, self.y)
        self.x += ARROW

    def arrow_to(self, other: _Pen) -> None:
        self.line_to(other.x, other.y)

    def line_to(self, x: float, y: float) -> None:
        arrow = {"arrowstyle": "-|>", "color": style.FAINT, "shrinkA": 2, "shrinkB": 2, "linewidth": 1}
        self.axes.annotate("", (x, y), (self.x, self.y), arrowprops=arrow)

    def say(self, x: float, above: float, text: str, colour: str) -> None:
        write(self.axes, x, self.y + above, text, ha="center", color=colour, weight="bold", fontsize=style.SMALL + 0.5)


_SMALL = {"ha": "center", "fontsize": style.SMALL - 0.5}
