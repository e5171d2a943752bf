"""What the ablation found: the losses of four arms, and what changing one part does when the seed is kept."""

from __future__ import annotations

from collections.abc import Iterable

from widgets import formats, style
from widgets.experiments.ablation import Arm, Difference, Results
from widgets.pictures.chart import Chart, Ticks
from widgets.pictures.page import PANEL, Page, Rect, box, faint, write

HEIGHT, PITCH = 318.0, 58.0  # of a panel; from one row to the next
PLOT = Rect(24, 42, PANEL - 48, HEIGHT - 82)
COLOURS = {"LayerNorm": style.LAYER_NORM, "RMSNorm": style.RMS_NORM}
MARKERS = {"ReLU": "o", "SwiGLU": "D"}


def ablation_figures(found: Results) -> list[Page]:
    """A row an arm, a mark a run, a line at the mean; beside it paired differences, bars of two standard errors."""
    losses = Page(PANEL, HEIGHT)
    write(losses, 8, HEIGHT - 17, "Held-out loss in nats", fontsize=style.LARGE, weight="bold")
    faint(losses, 8, 8, "a mark a seed; line: the mean")
    chart = _chart(losses, [loss for by_seed in found.losses.values() for loss in by_seed.values()])
    for row, arm in enumerate(found.losses):
        _losses(chart, _height(row), found, arm)
    changes = Page(PANEL, HEIGHT)
    write(changes, 8, HEIGHT - 17, "Change with the seed kept", fontsize=style.LARGE, weight="bold")
    faint(changes, 8, 8, "below 0 is better; square: mean, two standard errors")
    ends = [each.mean + k * each.standard_error for each in found.differences for k in (-2, 2)]
    values = [value for each in found.differences for value in each.by_seed.values()]
    chart = _chart(changes, [0.0, *ends, *values], sign=True)
    for row, difference in enumerate(found.differences):
        _difference(chart, _height(row), difference)
    return [losses, changes]


def _chart(page: Page, values: Iterable[float], sign: bool = False) -> Chart:
    """Axes across, wide enough for these numbers; up the page are points."""
    ticks = _ticks(min(values), max(values), sign)
    return Chart(page, PLOT, (min(ticks), max(ticks)), (PLOT.bottom, PLOT.top), across_ticks=ticks)


def _ticks(lowest: float, highest: float, sign: bool, step: float = 0.05) -> Ticks:
    """Round numbers from below the lowest to above the highest."""
    while (highest - lowest) / step > 6:
        step *= 2
    first, last = int(lowest // step), int(-(-highest // step))
    numbers = [round(step * k, 6) for k in range(first, max(last, first + 1) + 1)]
    return {number: formats.number(number, sign=sign) for number in numbers}


def _height(row: int) -> float:
    """Of the marks of a row, in points."""
    return PLOT.top - 38 - PITCH * row


def _losses(chart: Chart, y: float, found: Results, arm: Arm) -> None:
    norm, feed_forward = arm
    _title(chart.page, y, f"{norm} + {feed_forward}", formats.number(found.mean(arm), 3))
    for loss in found.losses[arm].values():
        chart.put(chart.dot(COLOURS[norm], MARKERS[feed_forward], size=7), loss, y)
    box(chart.page, chart.x(found.mean(arm)) - 1, y - 11, 2, 22, facecolor=style.INK, zorder=5)


def _difference(chart: Chart, y: float, found: Difference) -> None:
    mean = f"{formats.number(found.mean, 3, sign=True)} {found.p_in_words}"
    _title(chart.page, y, f"{found.change} {found.kept}", mean)
    for value in found.by_seed.values():
        chart.put(chart.dot(style.FAINT, size=6), value, y - 5)
    reach = 2 * found.standard_error
    low, high = chart.x(found.mean - reach), chart.x(found.mean + reach)
    box(chart.page, low, y + 4, high - low, 2, facecolor=style.INK)
    chart.put(chart.dot(style.INK, "s", size=7), found.mean, y + 5)


def _title(page: Page, y: float, left: str, right: str) -> None:
    """What a row is, and its number, on paper so that no rule strikes them through."""
    box(page, 2, y + 14, PANEL - 4, 17, facecolor=style.PAPER, zorder=1.5)
    write(page, 8, y + 18, left, fontsize=style.SMALL, zorder=3)
    write(page, PANEL - 8, y + 18, right, fontsize=style.SMALL, ha="right", zorder=3)
