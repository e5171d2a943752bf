"""How many open decoder families use which norm and which feed-forward network."""

from __future__ import annotations

from collections.abc import Mapping

from widgets import formats, style
from widgets.pictures.page import PANEL, Page, box, write

LEFT, LONGEST = 148.0, 106.0  # where bars begin; how long all families together are
ROW, GAP, HEAD = 22.0, 26.0, 46.0
COLOURS = {"LayerNorm": style.LAYER_NORM, "RMSNorm": style.RMS_NORM, "gated": style.GATE}
SPLIT = 3  # questions on the first panel


def census_figures(counts: Mapping[str, Mapping[str, int]]) -> list[Page]:
    """Bars of families: norm, feed-forward, both together; beside them the norm's eps and QK-norm.

    counts: question -> answer -> families, as widgets.experiments.census.counts gives them
    """
    questions = list(counts.items())
    families = sum(counts["norm"].values())
    titles = (f"{families} open decoder families", "")
    parts = (questions[:SPLIT], questions[SPLIT:])
    height = HEAD + max(sum(GAP + ROW * len(answers) for _, answers in part) for part in parts)
    figures = []
    for title, part in zip(titles, parts, strict=True):
        page = Page(PANEL, height)
        write(page, 8, height - 17, title, fontsize=style.LARGE, weight="bold")
        y = height - HEAD
        for question, answers in part:
            y = _group(page, y, question, answers)
        figures.append(page)
    return figures


def _group(page: Page, y: float, question: str, answers: Mapping[str, int]) -> float:
    """One question and its bars from this height downwards; gives the height that comes next."""
    write(page, 8, y, question, weight="bold")
    everybody = sum(answers.values())
    for answer, count in answers.items():
        y -= ROW
        length = LONGEST * count / everybody
        write(page, LEFT - 8, y, answer, ha="right")
        box(page, LEFT, y - 4, length, 16, facecolor=COLOURS.get(answer, style.INPUT))
        write(page, LEFT + length + 6, y, f"{count} ({formats.percent(count / everybody, 0)})")
    return y - GAP
