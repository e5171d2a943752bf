"""What the ablation found: the losses of four arms, and what changing one part does when the seed is kept."""

from __future__ import annotations

from widgets import formats, style
from widgets.experiments.ablation import ARMS, Difference, Results
from widgets.pictures.chart import Chart
from widgets.pictures.page import box, page, write

WIDTH, HEIGHT = 880.0, 345.0
NORM_COLOURS = {"LayerNorm": style.LAYER_NORM, "RMSNorm": style.RMS_NORM}
MARKERS = {"ReLU": "o", "SwiGLU": "D"}


class AblationPicture:
    """Left: a mark for each run, a line at each arm's mean. Right: paired differences, bars of two standard errors."""

    def __init__(self, found: Results) -> None:
        self.figure, self.axes = page(WIDTH, HEIGHT)
        write(self.axes, 20, HEIGHT - 22, "held-out loss in nats, one mark a seed", fontsize=style.LARGE)
        write(self.axes, 450, 10, "squares: means, with two standard errors", fontsize=style.SMALL, color=style.FAINT)
        write(self.axes, 450, HEIGHT - 22, "change with the seed kept; below 0 is better", fontsize=style.LARGE)
        self._losses(found)
        self._differences(found.differences)

    def _losses(self, found: Results) -> None:
        every = [loss for arm in ARMS for loss in found.losses[arm].values()]
        ticks = _ticks(min(every), max(every))
        chart = Chart(self.axes, 55, 72, 350, HEIGHT - 120, (-0.5, len(ARMS) - 0.5), (ticks[0], ticks[-1]))
        for tick in ticks:
            self._rule(chart, tick, formats.number(tick))
        for column, arm in enumerate(ARMS):
            norm, feed_forward = arm
            values = found.losses[arm]
            for place, loss in enumerate(values.values()):
                dot = chart.dot(NORM_COLOURS[norm], MARKERS[feed_forward], size=6)
                chart.put(dot, column - 0.28 + 0.4 * place / max(len(values) - 1, 1), loss)
            average = found.mean(arm)
            box(
                self.axes,
                chart.x(column - 0.34),
                chart.y(average) - 0.8,
                chart.x(0.52) - chart.x(0),
                1.6,
                facecolor=style.INK,
            )
            write(
                self.axes, chart.x(column + 0.2), chart.y(average) - 4, formats.number(average, 3), fontsize=style.SMALL
            )
            self._under(chart, column, norm, f"+ {feed_forward}")

    def _differences(self, found: list[Difference]) -> None:
        every = [value for difference in found for value in difference.by_seed.values()]
        ticks = _ticks(min(every), max(every))
        chart = Chart(self.axes, 490, 72, 370, HEIGHT - 120, (-0.5, len(found) - 0.4), (ticks[0], ticks[-1]))
        for tick in ticks:
            self._rule(chart, tick, formats.number(tick, sign=True))
        box(self.axes, chart.left, chart.y(0) - 0.6, chart.width, 1.2, facecolor=style.FAINT)
        for column, difference in enumerate(found):
            for value in difference.by_seed.values():
                chart.put(chart.dot(style.FAINT, "o", size=5), column - 0.12, value)
            reach = 2 * difference.standard_error
            low, high = chart.y(difference.mean - reach), chart.y(difference.mean + reach)
            box(self.axes, chart.x(column + 0.08) - 1, low, 2, high - low, facecolor=style.INK)
            chart.put(chart.dot(style.INK, "s", size=7), column + 0.08, difference.mean)
            words = formats.number(difference.mean, 3, sign=True)
            write(self.axes, chart.x(column + 0.16), chart.y(difference.mean) - 4, words, fontsize=style.SMALL)
            self._under(chart, column, *difference.change.replace("→ ", "→\n").split("\n"), difference.kept)

    def _rule(self, chart: Chart, tick: float, words: str) -> None:
        box(self.axes, chart.left, chart.y(tick) - 0.3, chart.width, 0.6, facecolor=style.RULE)
        write(self.axes, chart.left - 6, chart.y(tick) - 3, words, fontsize=style.SMALL, color=style.FAINT, ha="right")

    def _under(self, chart: Chart, column: float, *lines: str) -> None:
        for line, words in enumerate(lines):
            write(self.axes, chart.x(column), 54 - 14 * line, words, ha="center", fontsize=style.SMALL)


def _ticks(lowest: float, highest: float, step: float = 0.05) -> list[float]:
    """Round numbers from below the lowest to above the highest."""
    while (highest - lowest) / step > 8:
        step *= 2
    first, last = int(lowest // step), int(-(-highest // step))
    return [round(step * k, 6) for k in range(first, last + 1)]
