"""The losses of models that are being trained."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from widgets import formats, style
from widgets.pictures.chart import Chart
from widgets.pictures.page import box, page, write

WIDTH, HEIGHT = 640.0, 300.0
LOOKS = ({"color": style.LAYER_NORM}, {"color": style.RMS_NORM, "linestyle": (0, (5, 2))})


class LossCurves:
    """One line for each model, its name and its last value at the end; the scale is there before the lines are."""

    def __init__(self, names: Sequence[str], steps: int, highest: float = 5.5) -> None:
        self.figure, self.axes = page(WIDTH, HEIGHT)
        write(self.axes, 20, HEIGHT - 24, "training loss in nats, each step and the mean of the last ten")
        ticks = [round(steps * k / 4) for k in range(5)]
        self.chart = Chart(self.axes, 50, 40, 400, HEIGHT - 90, (0, steps), (1, highest), ticks, range(1, 6))
        write(self.axes, 460, 28, "steps", fontsize=style.SMALL, color=style.FAINT)
        self.lines, self.words = {}, {}
        for name, look in zip(names, LOOKS, strict=False):
            (faint,) = self.axes.plot([], [], linewidth=0.7, alpha=0.35, **look)
            (line,) = self.axes.plot([], [], linewidth=2, **look)
            self.lines[name] = (faint, line)
            self.words[name] = write(self.axes, 460, 0, "", color=look["color"])
        box(self.axes, 50, 39.5, 400, 1, facecolor=style.FAINT)

    def show(self, curves: Mapping[str, Sequence[float]]) -> None:
        """name -> the losses so far, one a step."""
        places: list[float] = []
        for name, losses in curves.items():
            if not losses:
                continue
            smooth = [sum(losses[max(0, at - 9) : at + 1]) / min(at + 1, 10) for at in range(len(losses))]
            for line, values in zip(self.lines[name], (losses, smooth), strict=True):
                line.set_data([self.chart.x(at) for at in range(len(values))], [self.chart.y(y) for y in values])
            y = self.chart.y(smooth[-1])
            while any(abs(y - other) < 14 for other in places):
                y += 2
            places.append(y)
            self.words[name].set(text=f"{formats.number(smooth[-1])}  {name}", y=y - 3)
