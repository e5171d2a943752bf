"""Learning a product: prediction against truth for several networks, inside and outside the training range."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from widgets import style
from widgets.experiments.product_task import INSIDE, OUTSIDE, ProductFit
from widgets.formats import two_digits
from widgets.pictures.chart import Chart
from widgets.pictures.page import PANEL, Page, Rect, box, faint, write

HEIGHT, SIDE = 380.0, 126.0  # of a panel, of one square
COLUMNS = (16.0, 194.0)  # the left edges of the squares on a panel
SHOWN = 150  # points in a cloud; more would hide one another
NOTES = ("across: truth · up: prediction · line: perfect", "numbers: mean squared error, the middle seed’s")
BOLD = {"fontsize": style.SMALL, "weight": "bold"}
COLOURS = (style.INPUT, style.GELU, style.GATE, style.CONTENT)


def product_figures(fits: Sequence[ProductFit]) -> list[Page]:
    """Two networks a panel; above, points of the training range; below, points outside it.

    Each cloud is of the seed with the middle error; a perfect prediction lies on the diagonal.
    """
    looks = list(zip(fits, COLOURS, strict=False))
    figures = []
    for first in range(0, len(looks), len(COLUMNS)):
        page = Page(PANEL, HEIGHT)
        for left, (fit, colour) in zip(COLUMNS, looks[first : first + len(COLUMNS)], strict=False):
            _network(page, left, fit, colour)
        figures.append(page)
    for k, words in enumerate(NOTES):
        faint(figures[min(k, len(figures) - 1)], 8, 6 + 14 * (len(figures) == 1 and k == 0), words)
    return figures


def _network(page: Page, left: float, fit: ProductFit, colour: str) -> None:
    write(page, left, HEIGHT - 17, fit.network, fontsize=style.LARGE, weight="bold", color=colour)
    faint(page, left, HEIGHT - 33, f"{fit.parameters} parameters")
    inside = fit.truth_inside, fit.predicted_inside, fit.error_inside
    outside = fit.truth_outside, fit.predicted_outside, fit.error_outside
    _square(page, Rect(left, 192, SIDE, SIDE), INSIDE, f"within ±{INSIDE:g}", inside, colour)
    _square(page, Rect(left, 36, SIDE, SIDE), OUTSIDE, f"±{INSIDE:g} to ±{OUTSIDE:g}", outside, colour)


def _square(page: Page, place: Rect, reach: float, where: str, fit: tuple[Tensor, Tensor, Tensor], colour: str) -> None:
    """Truth across, the middle seed's prediction up; the seeds' errors above."""
    truth, predicted, error = fit
    edge = (-(reach**2), reach**2)
    chart = Chart(page, place, edge, edge)
    box(page, *(place.left, place.bottom, SIDE, SIDE), facecolor="none", edgecolor=style.RULE, linewidth=1)
    chart.plot(edge, edge, color=style.FAINT, linewidth=1)
    middle = predicted[error.argsort()[(len(error) - 1) // 2]]  # of an even number the one that median() gives
    across, up = (values[:SHOWN].clamp(*edge).tolist() for values in (truth, middle))
    chart.plot(across, up, color=colour, linestyle="none", marker=".", markersize=4)
    faint(page, place.left, place.top + 5, where)
    write(page, place.right, place.top + 5, two_digits(error.median().item()), ha="right", **BOLD)
