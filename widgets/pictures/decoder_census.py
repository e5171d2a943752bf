"""How many open decoder families use which norm and which feed-forward network."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from widgets import style
from widgets.pictures.page import box, page, write

WIDTH, LEFT, UNIT = 760.0, 190.0, 3.6  # points; UNIT is the length of one family
ROW, GAP = 24.0, 22.0


class CensusPicture:
    """Bars of families: norm, feed-forward, both together; then the norm's eps and QK-norm."""

    def __init__(self, census: Sequence[Mapping[str, str]]) -> None:
        groups = counts(census)
        height = 46 + sum(GAP + ROW * len(rows) for rows in groups.values())
        self.figure, self.axes = page(WIDTH, height)
        write(self.axes, 20, height - 22, f"{len(census)} open decoder families", fontsize=style.LARGE)
        y = height - 46
        for title, rows in groups.items():
            write(self.axes, 20, y - 4, title, fontsize=style.SMALL, color=style.FAINT)
            y -= GAP
            total = sum(count for _, count, _ in rows)
            for words, count, colour in rows:
                write(self.axes, LEFT - 10, y, words, ha="right")
                box(self.axes, LEFT, y - 4, UNIT * count, 15, facecolor=colour)
                share = f"{count}  ({round(100 * count / total)} %)"
                write(self.axes, LEFT + UNIT * count + 7, y, share)
                y -= ROW


def counts(census: Sequence[Mapping[str, str]]) -> dict[str, list[tuple[str, int, str]]]:
    """Title of a group -> its bars: words, number of families, colour; the longest first."""
    colours = {"LayerNorm": style.LAYER_NORM, "RMSNorm": style.RMS_NORM, "gated": style.GATE}
    groups = {
        "norm": Counter(row["norm"] for row in census),
        "feed-forward": Counter("gated" if row["gated"] == "yes" else "not gated" for row in census),
        "both changes": Counter(_both(row) for row in census),
        "eps of the RMSNorms": Counter(row["eps"] for row in census if row["norm"] == "RMSNorm"),
        "norm on queries and keys": Counter("QK-norm" if row["qk_norm"] == "yes" else "none" for row in census),
    }
    return {
        title: [(words, count, colours.get(words, style.INPUT)) for words, count in group.most_common()]
        for title, group in groups.items()
    }


def _both(row: Mapping[str, str]) -> str:
    rms, gated = row["norm"] == "RMSNorm", row["gated"] == "yes"
    return {
        (True, True): "RMSNorm and gated",
        (True, False): "only RMSNorm",
        (False, True): "only gated",
        (False, False): "neither",
    }[rms, gated]
