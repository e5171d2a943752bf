"""What a gated layer costs beside the two-layer network: bars, a table, and where real models lie."""

from __future__ import annotations

from itertools import groupby

from matplotlib.artist import Artist
from matplotlib.axes import Axes

from widgets import formats, style
from widgets.maths.budget import MODELS, LedgerSteps, Model
from widgets.pictures.page import box, page, write

WIDTH, HEIGHT = 720, 330
LEFT, UNIT, MOST = 118, 18.0, 24.0  # bars start here; points for d_model^2 (or for d_model); the longest, in units
COUNT, AGAINST = 640, 712  # right edges of the table's columns
BAR = 17
PARAMETERS, ACTIVATIONS = 250, 168  # the upper bar of each pair
LINE = 26  # the height of the line of real models
NARROWEST, WIDEST = 2.4, 8.2  # d_ff / d_model at its ends


class ParameterLedgerPicture:
    """Two pairs of bars in units of d_model, their numbers, and a line of d_ff / d_model with real models on it."""

    def __init__(self) -> None:
        self.figure, axes = page(WIDTH, HEIGHT)
        self.title = write(axes, 6, HEIGHT - 18, fontsize=style.LARGE, weight="bold")
        self.rule = write(axes, 6, HEIGHT - 35, fontsize=style.SMALL)
        self.verdict = write(axes, AGAINST, HEIGHT - 18, ha="right", fontsize=style.LARGE, weight="bold")
        self.parameters = _Pair(axes, PARAMETERS, "parameters = multiply-adds per token", "d²")
        self.activations = _Pair(axes, ACTIVATIONS, "activations per token, between the matrices", "d")
        budget = LEFT + 8 * UNIT
        box(axes, budget - 0.6, PARAMETERS - BAR - 12, 1.2, 2 * BAR + 15, facecolor=style.INK)
        write(axes, budget + 4, PARAMETERS - BAR - 13, "budget 8 d²", fontsize=style.SMALL)
        _line_of_models(axes)
        self.here = box(axes, 0, LINE - 9, 3, 18, facecolor=style.GATE)
        self.ratio = write(axes, 0, LINE - 20, ha="center", weight="bold", color=style.GATE, fontsize=style.SMALL)
        self.moving = [self.title, self.rule, self.verdict, self.here, self.ratio]
        self.moving += [artist for pair in (self.parameters, self.activations) for artist in pair.moving]

    def show(self, steps: LedgerSteps) -> None:
        """Moves the bars, the table and the mark to this ledger, and says how its width came about."""
        ledger, width = steps.ledger, steps.width
        relu, gated = ledger.relu, ledger.gated
        self.title.set_text(f"d_model {gated.d_model}   d_ff {gated.d_ff}")
        self.rule.set_text(
            f"two thirds of 4 d_model: {width.two_thirds},  × {formats.number(width.multiplier)}: {width.multiplied},"
            f"  up to a multiple of {width.multiple_of}: {width.d_ff}"
        )
        self.verdict.set_text(" ".join(ledger.verdict))
        parts = [("gate", ledger.ratio), ("up", ledger.ratio), ("down", ledger.ratio)]
        self.parameters.show(parts, relu.parameters, gated.parameters)
        parts = [("gate input", ledger.ratio), ("content", ledger.ratio)]
        self.activations.show(parts, relu.activations, gated.activations)
        x = _x(min(max(ledger.ratio, NARROWEST), WIDEST))
        self.here.set_x(x - 1.5)
        self.ratio.set_position((min(max(x, 70), WIDTH - 70), LINE - 20))
        self.ratio.set_text(f"▲ d_ff / d_model = {formats.number(ledger.ratio, 3)}")


class _Pair:
    """The two-layer network's bar, which in these units never changes, and the gated layer's bar under it."""

    def __init__(self, axes: Axes, y: float, heading: str, unit: str) -> None:
        parameters = unit == "d²"
        write(axes, LEFT, y + BAR + 8, heading, weight="bold")
        faint = {"ha": "right", "fontsize": style.SMALL, "color": style.FAINT, "y": y + BAR + 8}
        write(axes, COUNT, text="count", **faint)
        write(axes, AGAINST, text="against ReLU", **faint)
        self.y = y - BAR - 5
        for base, name in ((y, "ReLU, two layers"), (self.y, "gated")):
            write(axes, 6, base + 5, name, fontsize=style.SMALL)
        for k, word in enumerate(("up", "down") if parameters else ("hidden",)):
            segment = _Segment(axes, y, style.INPUT)
            segment.show(4.0 * k, 4.0, f"{word} 4 {unit}")
        colours = (style.GATE, style.CONTENT, style.OUTPUT)
        self.segments = [_Segment(axes, self.y, colour) for colour in colours[: 3 if parameters else 2]]
        self.unit = unit
        self.relu, self.gated = (write(axes, COUNT, base + 5, ha="right") for base in (y, self.y))
        self.against = write(axes, AGAINST, self.y + 5, ha="right", weight="bold")
        self.moving: list[Artist] = [self.relu, self.gated, self.against]
        self.moving += [artist for segment in self.segments for artist in segment.moving]

    def show(self, parts: list[tuple[str, float]], relu: int, gated: int) -> None:
        for k, (segment, (word, units)) in enumerate(zip(self.segments, parts, strict=True)):
            segment.show(units * k, units, f"{word} {formats.number(units)} {self.unit}")
        self.relu.set_text(formats.counted(relu))
        self.gated.set_text(formats.counted(gated))
        self.against.set_text(f"{formats.number(100 * (gated / relu - 1), 1, sign=True)} %")


class _Segment:
    """A part of a bar with its name in it, as long as there is room."""

    def __init__(self, axes: Axes, y: float, colour: str) -> None:
        self.bar = box(axes, LEFT, y, 0, BAR, facecolor=colour, edgecolor=style.PAPER, linewidth=1)
        self.word = write(axes, LEFT, y + 5, color=style.PAPER, fontsize=style.SMALL - 0.5, ha="center")
        self.moving: list[Artist] = [self.bar, self.word]

    def show(self, start: float, units: float, word: str) -> None:
        left, right = (LEFT + min(end, MOST) * UNIT for end in (start, start + units))
        self.bar.set(x=left, width=right - left)
        self.word.set_position(((left + right) / 2, self.word.get_position()[1]))
        fits = right - left > 5.2 * len(word)
        self.word.set_text(word if fits else word.split()[0] if right - left > 30 else " ")


def _x(ratio: float) -> float:
    return 30 + (ratio - NARROWEST) / (WIDEST - NARROWEST) * (WIDTH - 60)


def _line_of_models(axes: Axes) -> None:
    box(axes, _x(NARROWEST), LINE - 0.5, _x(WIDEST) - _x(NARROWEST), 1, facecolor=style.FAINT)
    write(axes, 6, 108, "d_ff / d_model of real models, and what it does to the parameters", weight="bold")
    box(axes, _x(8 / 3) - 0.6, LINE - 8, 1.2, 16, facecolor=style.INK)
    write(axes, _x(8 / 3) - 4, LINE + 4, "8/3", ha="right", fontsize=style.SMALL)
    by_ratio = sorted(MODELS, key=lambda model: round(model.ledger.ratio, 1))
    groups = groupby(by_ratio, key=lambda model: round(model.ledger.ratio, 1))
    for level, (_, group) in zip((3, 2, 1, 0, 0, 0), groups, strict=True):
        models = list(group)
        x, y = _x(models[0].ledger.ratio), LINE + 12 + 15 * level
        box(axes, x - 0.4, LINE - 4, 0.8, y - LINE + 4, facecolor=style.FAINT)
        side = {"ha": "right", "x": x - 4} if x > WIDTH - 120 else {"ha": "left", "x": x + 4}
        write(axes, y=y, text=f"{_names(models)}: {_cost(models)}", fontsize=style.SMALL, **side)


def _cost(models: list[Model]) -> str:
    ratios = sorted({formats.number(model.ledger.ratio) for model in models})
    over = max(model.ledger.excess for model in models)
    kept = all(model.ledger.keeps_budget for model in models)
    return "–".join(ratios) + (" ✓ keeps the budget" if kept else f", {formats.number(100 * over, 0, sign=True)} %")


def _names(models: list[Model]) -> str:
    """The models' names, a family's name only once: "Llama-3 8B, 70B"."""
    words, family = [], ""
    for model in models:
        name, size = model.name.rsplit(" ", 1)
        words.append(size if name == family else model.name)
        family = name
    return ", ".join(words)
