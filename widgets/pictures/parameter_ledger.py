"""What a gated layer costs beside the two-layer network: bars, their numbers, and where real models lie."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from matplotlib.artist import Artist

from widgets import formats, style
from widgets.maths.budget import MODELS, LedgerSteps, Model
from widgets.pictures.chart import Chart
from widgets.pictures.page import PANEL, Page, Rect, box, faint, write

HEIGHT = 290
LEFT, RIGHT, BAR, ROW = 8, PANEL - 8, 17, 40  # of the bars; their height; from one bar to the next
PARAMETERS, ACTIVATIONS = 150, 234  # the upper bar of each pair
VERDICT = Rect(0, 26, PANEL, 36)
LINE = Rect(24, 34, PANEL - 54, 8)  # d_ff / d_model of real models
NARROWEST, WIDEST = 2.4, 8.2  # d_ff / d_model at its ends
LIST = 150  # the first of the models below one another
PITCH = 15


class ParameterLedgerPicture:
    """How a width comes about and what it costs in parameters; beside it in activations, and where real models lie."""

    def __init__(self) -> None:
        left, right = Page(PANEL, HEIGHT), Page(PANEL, HEIGHT)
        self.title = write(left, LEFT, HEIGHT - 18, fontsize=style.LARGE, weight="bold")
        self.rules = [write(left, LEFT, HEIGHT - 41 - 16 * k, fontsize=style.SMALL) for k in range(3)]
        write(left, LEFT, PARAMETERS + 38, "parameters = multiply-adds per token", weight="bold")
        self.parameters = _Pair(left, PARAMETERS, "d²", 13.5, ("up", "down"), ("gate", "up", "down"))
        self.verdict = write(left, LEFT, VERDICT.bottom + 12, fontsize=style.LARGE + 1, weight="bold")
        budget = LEFT + 8 * self.parameters.unit
        for y in (PARAMETERS, PARAMETERS - ROW):
            box(left, budget - 0.6, y - 4, 1.2, BAR + 7, facecolor=style.INK)
        write(left, budget + 4, PARAMETERS - ROW - 16, "budget 8 d²", fontsize=style.SMALL)
        write(right, LEFT, ACTIVATIONS + 38, "activations per token, before down", weight="bold")
        self.activations = _Pair(right, ACTIVATIONS, "d", 20.0, ("hidden",), ("gate input", "content"))
        self.models = _Models(right)
        self.panels = [left, right]
        self.covers = {"the verdict": [VERDICT.on(0)], "real models": [(1, 0, 0, PANEL, LIST + 14)]}
        self.moving = [self.title, *self.rules, self.verdict, *self.models.moving]
        self.moving += [artist for pair in (self.parameters, self.activations) for artist in pair.moving]

    def show(self, steps: LedgerSteps) -> None:
        """Moves the bars, the numbers and the mark to this ledger, and says how its width came about."""
        ledger, width = steps.ledger, steps.width
        self.title.set_text(f"d_model {ledger.gated.d_model}   d_ff {ledger.gated.d_ff}")
        words = (
            f"two thirds of 4 d_model: {width.two_thirds}",
            f"times the multiplier {formats.number(width.multiplier)}: {width.multiplied}",
            f"up to a multiple of {width.multiple_of}: {width.d_ff}",
        )
        for rule, text in zip(self.rules, words, strict=True):
            rule.set_text(text)
        self.verdict.set_text("  ".join(ledger.verdict))
        self.parameters.show(ledger.ratio, ledger.relu.parameters, ledger.gated.parameters)
        self.activations.show(ledger.ratio, ledger.relu.activations, ledger.gated.activations)
        self.models.show(ledger.ratio)


class _Pair:
    """The two-layer network's bar, which in these units never changes, and the gated layer's bar under it.

    measure: what is counted, "d²" or "d"; unit: points for one of it; relu, gated: the names of the bars' parts
    """

    def __init__(
        self, page: Page, y: float, measure: str, unit: float, relu: Sequence[str], gated: Sequence[str]
    ) -> None:
        self.measure, self.unit, self.parts = measure, unit, gated
        write(page, LEFT, y + BAR + 4, f"ReLU: {_times(len(relu))}4 {measure}", fontsize=style.SMALL)
        for k, word in enumerate(relu):
            _Segment(page, y, unit, style.INPUT).show(4.0 * k, 4.0, word)
        colours = (style.GATE, style.CONTENT, style.OUTPUT)
        self.segments = [_Segment(page, y - ROW, unit, colour) for colour in colours[: len(gated)]]
        self.words = write(page, LEFT, y - ROW + BAR + 4, fontsize=style.SMALL)
        self.counts = [write(page, RIGHT, y + BAR + 4 - ROW * k, ha="right") for k in range(2)]
        self.moving: list[Artist] = [self.words, *self.counts]
        self.moving += [artist for segment in self.segments for artist in segment.moving]

    def show(self, ratio: float, relu: int, gated: int) -> None:
        """ratio: d_ff / d_model of the gated layer; relu, gated: the two counts."""
        for k, (segment, word) in enumerate(zip(self.segments, self.parts, strict=True)):
            segment.show(ratio * k, ratio, word)
        beyond = " →" if LEFT + len(self.parts) * ratio * self.unit > RIGHT + 0.1 else ""
        self.words.set_text(f"gated: {_times(len(self.parts))}{formats.number(ratio)} {self.measure}{beyond}")
        self.counts[0].set_text(formats.counted(relu))
        self.counts[1].set_text(f"{formats.counted(gated)}, {formats.percent(gated / relu - 1, sign=True)}")


class _Segment:
    """A part of a bar with its name in it, as long as there is room."""

    def __init__(self, page: Page, y: float, unit: float, colour: str) -> None:
        self.unit = unit
        self.bar = box(page, LEFT, y, 0, BAR, facecolor=colour, edgecolor=style.PAPER, linewidth=1)
        self.word = write(page, LEFT, y + 5, color=style.PAPER, fontsize=style.SMALL, ha="center")
        self.moving: list[Artist] = [self.bar, self.word]

    def show(self, start: float, length: float, word: str) -> None:
        """start, length: in units of d or d²."""
        left, right = (min(LEFT + end * self.unit, RIGHT) for end in (start, start + length))
        self.bar.set(x=left, width=right - left)
        self.word.set_position(((left + right) / 2, self.word.get_position()[1]))
        fitting = (text for text in (word, word.split()[0]) if right - left > 7.4 * len(text))
        self.word.set_text(next(fitting, " "))


class _Models:
    """Real models below one another, and a line of d_ff / d_model with a mark for each and for the present layer."""

    def __init__(self, page: Page) -> None:
        faint(page, LEFT, LIST, "real models: d_ff / d_model, parameters against ReLU")
        self.chart = Chart(page, LINE, (NARROWEST, WIDEST), (0, 1))
        box(page, LINE.left, LINE.middle - 0.5, LINE.width, 1, facecolor=style.FAINT)
        by_ratio = sorted(MODELS, key=lambda model: round(model.ledger.ratio, 1))
        groups = groupby(by_ratio, key=lambda model: round(model.ledger.ratio, 1))
        for k, (_, models) in enumerate(groups):
            self._group(page, LIST - PITCH * (k + 1) - 2, list(models))
        self.here = box(page, 0, LINE.bottom - 5, 3, 18, facecolor=style.GATE)
        self.ratio = write(page, 0, 8, ha="center", weight="bold", color=style.GATE, fontsize=style.SMALL)
        self.moving: list[Artist] = [self.here, self.ratio]

    def _group(self, page: Page, y: float, models: list[Model]) -> None:
        ratios = sorted({formats.number(model.ledger.ratio) for model in models})
        kept = all(model.ledger.keeps_budget for model in models)
        over = max(model.ledger.excess for model in models)
        cost = "✓" if kept else formats.percent(over, 0, sign=True)
        write(page, LEFT, y, _names(models), fontsize=style.SMALL)
        write(page, RIGHT - 46, y, "–".join(ratios), fontsize=style.SMALL, ha="right")
        write(page, RIGHT + 4, y, cost, fontsize=style.SMALL, ha="right")
        x = self.chart.x(models[0].ledger.ratio)
        box(page, x - 0.8, LINE.bottom, 1.6, LINE.height, facecolor=style.INK)

    def show(self, ratio: float) -> None:
        """Moves the mark to d_ff / d_model of the present layer."""
        x = self.chart.x(min(max(ratio, NARROWEST), WIDEST))
        self.here.set_x(x - 1.5)
        words = f"here d_ff / d_model = {formats.number(ratio, 3)}"
        words = f"{'← ' if ratio < NARROWEST else ''}{words}{' →' if ratio > WIDEST else ''}"
        half = 2 + 3.7 * len(words)
        self.ratio.set_position((min(max(x, half), PANEL - half), 8))
        self.ratio.set_text(words)


def _times(parts: int) -> str:
    return f"{parts} × " if parts > 1 else ""


def _names(models: list[Model]) -> str:
    """The models' names, a family's name only once: "Llama-3 8B, 70B"."""
    words, family = [], ""
    for model in models:
        name, size = model.name.rsplit(" ", 1)
        words.append(size if name == family else model.name)
        family = name
    return ", ".join(words)
