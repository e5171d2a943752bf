"""How long each norm took, a panel a size; and RMSNorm's time over LayerNorm's with its scatter."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from widgets import formats, style
from widgets.experiments.timing import Measured, Ratio, Timing
from widgets.pictures.chart import Chart, powers
from widgets.pictures.page import PANEL, Page, Rect, box, faint, write

HEAD, FOOT, ROW = 56.0, 26.0, 36.0  # above and below the rows; a row of two marks
LEFT, RIGHT = 140.0, PANEL - 62.0  # of the plot; the numbers need room on its right
LINE = 18.0  # a row of the ratios
COLOURS = {"LayerNorm": style.LAYER_NORM, "RMSNorm": style.RMS_NORM}
ABSENT = {"compiled": "compiled for another size"}  # why a row is empty
KEY = "● forward   □ with backward   band: half of the rounds"


def timing_figures(found: Sequence[Timing], compared: Sequence[Ratio]) -> list[Page]:
    """A panel for each size, a row for each contestant, a mark with its number for each timing; then the ratios.

    compared: RMSNorm over LayerNorm, as widgets.experiments.timing.ratios gives them
    """
    sizes = list(dict.fromkeys((each.rows, each.d) for each in found))
    contestants = {each.name: each.how for each in sorted(found, key=lambda each: each.kind == "Linear")}
    figures = [_size(size, contestants, [each for each in found if (each.rows, each.d) == size]) for size in sizes]
    return [*figures, *([_ratios(compared)] if compared else [])]


def _size(size: tuple[int, int], contestants: Mapping[str, str], found: Sequence[Timing]) -> Page:
    place = Rect(LEFT, FOOT, RIGHT - LEFT, ROW * len(contestants))
    page = Page(PANEL, HEAD + place.height + FOOT)
    write(page, 8, place.top + 37, "{} rows of {} numbers".format(*size), fontsize=style.LARGE, weight="bold")
    faint(page, 8, place.top + 18, KEY)
    chart = _durations(page, place, found)
    for row, (name, how) in enumerate(contestants.items()):
        y = place.top - ROW * (row + 0.5)
        write(page, LEFT - 6, y - 4, name, ha="right", fontsize=style.SMALL)
        here = [each for each in found if each.name == name]
        for timing in here:
            words = formats.duration(timing.median)
            _mark(chart, y + (-8 if timing.backward else 8), timing, words, COLOURS.get(timing.kind, style.INK))
        if not here:
            faint(page, LEFT + 2, y - 4, ABSENT.get(how, "not measured"))
    return page


def _durations(page: Page, place: Rect, found: Sequence[Timing]) -> Chart:
    """A logarithmic axis that begins and ends where the timings do, and has powers of ten in between."""
    low, high = (end(math.log10(each) for each in ends) for end, ends in zip((min, max), _ends(found), strict=True))
    room = max(0.15, 0.04 * (high - low))
    first, last = math.ceil(low - room), math.floor(high + room)
    ticks = powers(first, last, formats.duration, step=max(1, math.ceil((last - first) / 2.5)))
    across = (10 ** (low - room), 10 ** (high + room))
    return Chart(page, place, across, (place.bottom, place.top), across_ticks=ticks, logarithmic="x")


def _ends(found: Sequence[Measured]) -> tuple[list[float], list[float]]:
    return [each.low for each in found], [each.high for each in found]


def _ratios(compared: Sequence[Ratio]) -> Page:
    """A row for each pair, grouped by size, on a logarithmic axis around 1, which is as wide as it must be."""
    sizes = list(dict.fromkeys((each.rows, each.d) for each in compared))
    place = Rect(LEFT, FOOT, RIGHT - LEFT, LINE * (len(compared) + len(sizes)))
    page = Page(PANEL, HEAD + place.height + FOOT)
    write(page, 8, place.top + 37, "RMSNorm’s time over LayerNorm’s", fontsize=style.LARGE, weight="bold")
    faint(page, 8, place.top + 18, "below 1: RMSNorm takes less time")
    lows, highs = _ends(compared)
    furthest = max(2.2, *highs, *(1 / low for low in lows)) * 1.1
    ticks = {ratio: f"{ratio:g}" for ratio in _marks(furthest) if 1 / furthest < ratio < furthest}
    chart = Chart(page, place, (1 / furthest, furthest), (place.bottom, place.top), ticks, logarithmic="x")
    box(page, chart.x(1) - 0.6, place.bottom, 1.2, place.height, facecolor=style.INK)
    y = place.top - LINE
    for rows, d in sizes:
        write(page, 8, y + 3, f"{rows} × {d}", fontsize=style.SMALL, weight="bold")
        for each in (each for each in compared if (each.rows, each.d) == (rows, d)):
            y -= LINE
            words = f"{each.how}, backward" if each.backward else each.how
            write(page, LEFT - 8, y + 5, words, ha="right", fontsize=style.SMALL)
            _mark(chart, y + LINE / 2, each, formats.number(each.median), style.RMS_NORM)
        y -= LINE
    return page


def _marks(furthest: float) -> tuple[float, ...]:
    """Ratios at which ticks do not touch on an axis that ends at this one."""
    if furthest < 6:
        return 0.25, 0.5, 1.0, 2.0, 4.0
    return (0.25, 1.0, 4.0) if furthest < 14 else (0.1, 1.0, 10.0)


def _mark(chart: Chart, y: float, each: Measured, words: str, colour: str) -> None:
    """The middle half of the rounds as a band, the median as a mark, its number at the right edge."""
    low, high = chart.x(each.low), chart.x(each.high)
    box(chart.page, low, y - 5, max(high - low, 1), 10, facecolor=colour, alpha=0.3)
    look = {"marker": "s", "markerfacecolor": style.PAPER} if each.backward else {"marker": "o"}
    dot = chart.dot(colour, **look, size=7, markeredgecolor=colour)
    chart.put(dot, each.median, y)
    write(chart.page, PANEL - 8, y - 4, words, ha="right", fontsize=style.SMALL, weight="bold")
