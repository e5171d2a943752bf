"""The skeleton of a gated layer beside the two-layer network: matrices drawn to one scale, area for parameters."""

from __future__ import annotations

from typing import Any

from matplotlib.patches import Circle

from widgets import style
from widgets.maths.budget import Budget, Ledger
from widgets.pictures.page import PANEL, Page, arrow, box, faint, write

HEIGHT = 330
MIDDLE = 152.0  # the height on which both layers begin and end
APART = 20  # from the middle to each branch's matrix
ARROW, VECTOR, ROUND = 14.0, 8.0, 20.0  # an arrow's length, a vector's thickness, an operation's radius


def skeleton_figures(ledger: Ledger) -> list[Page]:
    """Each layer from left to right: x, the matrices with the shapes of their weights, what happens between, y."""
    relu, gated = ledger.relu, ledger.gated
    scale = min(150 / (gated.d_model + gated.d_ff), 210 / (relu.d_model + relu.d_ff))
    scale = min(scale, 210 / max(relu.d_model, relu.d_ff), 104 / max(gated.d_model, gated.d_ff))
    figures = []
    for budget, draw in ((relu, _two_layers), (gated, _gated)):
        page = Page(PANEL, HEIGHT)
        draw(_Pen(page, 10, scale, budget))
        figures.append(page)
    faint(figures[0], 8, 5, "An area is a number of parameters, on one scale.")
    return figures


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
    upper, lower = _branches(pen)
    pen.x = upper.x
    for branch, name, colour, down in ((upper, "gate", style.GATE, -1), (lower, "content", style.CONTENT, 1)):
        corner = (pen.x + ROUND, branch.y)
        arrow(pen.page, (branch.x, branch.y), corner, (corner[0], pen.y - down * ROUND), colour=style.FAINT)
        write(pen.page, corner[0] + 5, branch.y - 4, name, color=colour, weight="bold", fontsize=style.SMALL)
    pen.operation("×", style.OUTPUT)
    pen.arrow()
    pen.matrix("down", d_model, d_ff, style.OUTPUT)
    pen.arrow()
    pen.vector("y")


def _branches(pen: _Pen) -> tuple[_Pen, _Pen]:
    """The two matrices that x is multiplied by side by side, and Swish after the upper one."""
    d_model, d_ff = pen.budget.d_model, pen.budget.d_ff
    branch = d_ff * pen.scale / 2 + APART
    upper, lower = (_Pen(pen.page, pen.x + 1.4 * ARROW, pen.scale, pen.budget, MIDDLE + up) for up in (branch, -branch))
    for at, name, colour in ((upper, "gate", style.GATE), (lower, "up", style.CONTENT)):
        arrow(pen.page, (pen.x, pen.y), (at.x - 1, at.y), colour=style.FAINT)
        at.matrix(name, d_ff, d_model, colour)
    upper.arrow()
    upper.operation("Swish", style.GATE)
    return upper, lower


class _Pen:
    """Draws one layer from left to right at the height y; `x` is where the next part begins."""

    def __init__(self, page: Page, x: float, scale: float, budget: Budget, y: float = MIDDLE) -> None:
        self.page, self.x, self.y, self.scale, self.budget = page, x, y, scale, budget

    def title(self, name: str, colour: str) -> None:
        matrices, d_model, d_ff = self.budget.matrices, self.budget.d_model, self.budget.d_ff
        write(self.page, 8, HEIGHT - 16, name, fontsize=style.LARGE, weight="bold", color=colour)
        count = self.budget.parameters
        shown = f"{count:,}" if count < 10**12 else f"{count:.3g}"
        total = f"{matrices} × {d_ff} × {d_model} = {shown} parameters"
        write(self.page, 8, HEIGHT - 34, total, fontsize=style.SMALL)

    def vector(self, name: str) -> None:
        height = self.budget.d_model * self.scale
        box(self.page, self.x, self.y - height / 2, VECTOR, height, facecolor=style.INPUT)
        self.say(self.x + VECTOR / 2, height / 2 + 5, name, style.INK)
        self.under(self.x + VECTOR / 2, height, str(self.budget.d_model))
        self.x += VECTOR

    def matrix(self, name: str, rows: int, columns: int, colour: str) -> None:
        height, width = rows * self.scale, columns * self.scale
        box(self.page, self.x, self.y - height / 2, width, height, facecolor=colour)
        self.say(self.x + width / 2, height / 2 + 5, name, colour)
        self.under(self.x + width / 2, height, f"({rows}, {columns})")
        self.x += width

    def operation(self, name: str, colour: str) -> None:
        look: dict[str, Any] = {"facecolor": style.PAPER, "edgecolor": colour, "linewidth": 1.4}
        self.page.add(Circle((self.x + ROUND, self.y), ROUND, **look))
        look = {"fontsize": style.LARGE + 3, "y": self.y - 6} if len(name) == 1 else {"y": self.y - 4}
        write(self.page, self.x + ROUND, text=name, **{"ha": "center", "fontsize": style.SMALL, **look})
        self.x += 2 * ROUND

    def arrow(self) -> None:
        arrow(self.page, (self.x + 1, self.y), (self.x + ARROW - 1, self.y), colour=style.FAINT)
        self.x += ARROW

    def say(self, x: float, above: float, text: str, colour: str) -> None:
        write(self.page, x, self.y + above, text, ha="center", color=colour, weight="bold", fontsize=style.SMALL)

    def under(self, x: float, height: float, text: str) -> None:
        """A shape under something of this height, kept on the page."""
        half = 3.4 * len(text)
        x = min(max(x, half + 4), PANEL - half - 4)
        write(self.page, x, self.y - height / 2 - 14, text, ha="center", fontsize=style.SMALL)
