"""How many open decoder families use which norm and which feed-forward network."""

from __future__ import annotations

from collections.abc import Mapping

from widgets import style
from widgets.pictures.page import box, page, write

WIDTH, LEFT, UNIT = 760.0, 190.0, 3.6  # points; UNIT is the length of one family
ROW, GAP = 24.0, 22.0
COLOURS = {"LayerNorm": style.LAYER_NORM, "RMSNorm": style.RMS_NORM, "gated": style.GATE}


class CensusPicture:
    """Bars of families: norm, feed-forward, both together; then the norm's eps and QK-norm."""

    def __init__(self, groups: Mapping[str, Mapping[str, int]]) -> None:
        height = 46 + sum(GAP + ROW * len(rows) for rows in groups.values())
        families = sum(groups["norm"].values())
        self.figure, self.axes = page(WIDTH, height)
        write(self.axes, 20, height - 22, f"{families} open decoder families", fontsize=style.LARGE)
        y = height - 46
        for title, rows in groups.items():
            write(self.axes, 20, y - 4, title, fontsize=style.SMALL, color=style.FAINT)
            y -= GAP
            total = sum(rows.values())
            for words, count in rows.items():
                write(self.axes, LEFT - 10, y, words, ha="right")
                box(self.axes, LEFT, y - 4, UNIT * count, 15, facecolor=COLOURS.get(words, style.INPUT))
                share = f"{count}  ({round(100 * count / total)} %)"
                write(self.axes, LEFT + UNIT * count + 7, y, share)
                y -= ROW
