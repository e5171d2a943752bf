"""The losses of models that are being trained."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from widgets import formats, style
from widgets.pictures.chart import Chart, whole
from widgets.pictures.page import DASHED, PANEL, Page, Rect, faint, line, write

HEIGHT = 312.0
PLOT = Rect(28, 40, PANEL - 46, 196)
LOOKS: tuple[dict[str, Any], ...] = ({"color": style.LAYER_NORM}, {"color": style.RMS_NORM, "linestyle": DASHED})


class LossCurves:
    """One line for each model, its name and its last value above; the scale is there before the lines are."""

    def __init__(self, names: Sequence[str], steps: int, highest: float = 5.5) -> None:
        page = Page(PANEL, HEIGHT)
        self.panels, self.moving, self.covers = [page], [], {}
        faint(page, 8, HEIGHT - 14, "training loss in nats, the mean of up to ten steps")
        faint(page, PLOT.right, 8, "steps", ha="right")
        ticks = whole(sorted({round(steps * k / 4) for k in range(5)})), whole(range(0, 6))
        self.chart, self.highest = Chart(page, PLOT, (0, steps), (0, highest), *ticks), highest
        self.lines, self.words = {}, {}
        for row, (name, look) in enumerate(zip(names, LOOKS, strict=False)):
            y = HEIGHT - 36 - 20 * row
            line(page, (8, 40), (y + 4, y + 4), linewidth=2, **look)
            write(page, 92, y, name if len(name) <= 34 else name[:33] + "…", fontsize=style.SMALL)
            self.words[name] = write(page, 48, y, "", weight="bold")
            thin = line(page, (), (), linewidth=0.7, alpha=0.35, **look)
            self.lines[name] = [thin, line(page, (), (), linewidth=2, **look)]

    def show(self, curves: Mapping[str, Sequence[float]]) -> None:
        """name -> the losses so far, one a step."""
        for name, losses in curves.items():
            if not losses:
                continue
            smooth = [sum(losses[max(0, at - 9) : at + 1]) / min(at + 1, 10) for at in range(len(losses))]
            for one, values in zip(self.lines[name], (losses, smooth), strict=True):
                one.set_data(
                    [self.chart.x(at) for at in range(len(values))],
                    [self.chart.y(min(y, self.highest)) for y in values],
                )
            self.words[name].set_text(formats.fitted(smooth[-1], 5))
