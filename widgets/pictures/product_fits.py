"""Learning a product: prediction against truth for several networks, inside and outside the training range."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from torch import Tensor

from widgets import style
from widgets.experiments.product_task import INSIDE, OUTSIDE, ProductFit
from widgets.formats import two_digits
from widgets.pictures.page import box, page, write

WIDTH, HEIGHT = 720, 330
SIDE, LEFT = 130.0, 96.0  # of one square panel; of the first
ROWS = ((168, INSIDE, "inside", f"within ±{INSIDE:g}"), (8, OUTSIDE, "outside", f"±{INSIDE:g} to ±{OUTSIDE:g}"))
SHOWN = 150  # points in a cloud; more would hide one another
COLOURS = (style.INPUT, style.GELU, style.GATE, style.CONTENT)


def product_figure(fits: Sequence[ProductFit]) -> Figure:
    """A column for each of up to four networks; above, points of the training range; below, points outside it.

    Each cloud is of the seed with the middle error; a perfect prediction lies on the diagonal.
    """
    figure, axes = page(WIDTH, HEIGHT)
    faint = {"fontsize": style.SMALL, "color": style.FAINT}
    for bottom, _, name, where in ROWS:
        write(axes, 4, bottom + SIDE - 12, name, weight="bold")
        for k, words in enumerate((where, "across: truth", "up: prediction", "line: perfect")):
            write(axes, 4, bottom + SIDE - 28 - 14 * k, words, **faint)
    for k, (fit, colour) in enumerate(zip(fits, COLOURS, strict=False)):
        left = LEFT + k * (SIDE + 24)
        write(axes, left, 312, fit.network, fontsize=style.LARGE, weight="bold", color=colour)
        write(axes, left + SIDE, 312, f"{fit.parameters} parameters", ha="right", **faint)
        _panel(axes, left, 0, fit.truth_inside, fit.predicted_inside, fit.error_inside, colour)
        _panel(axes, left, 1, fit.truth_outside, fit.predicted_outside, fit.error_outside, colour)
    return figure


def _panel(axes: Axes, left: float, row: int, truth: Tensor, predicted: Tensor, error: Tensor, colour: str) -> None:
    bottom, reach = ROWS[row][:2]
    middle = predicted[error.argsort()[len(error) // 2]]
    box(axes, left, bottom, SIDE, SIDE, facecolor="none", edgecolor=style.RULE, linewidth=1)
    axes.plot([left, left + SIDE], [bottom, bottom + SIDE], color=style.FAINT, linewidth=0.9)
    across, up = (((v[:SHOWN] / reach**2).clamp(-1, 1) + 1) / 2 * SIDE for v in (truth, middle))
    axes.plot((left + across).numpy(), (bottom + up).numpy(), ".", color=colour, markersize=3.2)
    small = {"fontsize": style.SMALL - 0.5, "ha": "right"}
    write(axes, left + SIDE - 4, bottom + 16, f"error {two_digits(error.median().item())}", weight="bold", **small)
    seeds = f"{two_digits(error.min().item())} … {two_digits(error.max().item())}"
    write(axes, left + SIDE - 4, bottom + 5, seeds, color=style.FAINT, **small)
