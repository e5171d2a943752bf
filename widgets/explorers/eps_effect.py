"""What eps does to small vectors."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
from ipywidgets import FloatLogSlider

from widgets.explorers.explorer import Explorer
from widgets.flipbook.flipbook import Flipbook
from widgets.formats import number, scientific
from widgets.maths.norms import EpsRule, eps_steps
from widgets.pictures.eps_effect import LOOKS, EpsPicture

LOWEST, HIGHEST = -5, 1  # powers of ten
STEPS = 240


def eps_effect(inside: Iterable[float] = (1e-5, 1e-6), outside: Iterable[float] = (1e-6,)) -> Explorer:
    """The RMS of RMSNorm's result while a slider moves the size of its input, for several ways to use eps.

    inside, outside: values of eps under the root and added to the root, one to four in all, each above 0 and at most 1
    Raises TypeError or ValueError in a sentence when they are something else.
    """
    rules = [EpsRule(eps, True) for eps in _values(inside)] + [EpsRule(eps, False) for eps in _values(outside)]
    if not 1 <= len(rules) <= len(LOOKS):
        raise ValueError(f"Expected one to {len(LOOKS)} values of eps in all; got {len(rules)}.")
    return Eps(rules)


class Eps(Explorer):
    """The explorer that `eps_effect` returns."""

    def __init__(self, rules: Sequence[EpsRule]) -> None:
        self.rules, self.picture = rules, EpsPicture(rules, 10.0**LOWEST, 10.0**HIGHEST)
        sizes = np.logspace(LOWEST, HIGHEST, STEPS + 1)
        flipbook = Flipbook(self.picture.figure, self._show, self.picture.moving, {"size": sizes}, {"size": 1e-3})
        step = (HIGHEST - LOWEST) / STEPS
        slider = FloatLogSlider(1e-3, base=10, min=LOWEST, max=HIGHEST, step=step, description="RMS of the input")
        slider.readout_format = ".1e"
        super().__init__(flipbook, {"size": slider}, self._text)

    def _show(self, size: float) -> str:
        steps = eps_steps(self.rules, size)
        self.picture.show(steps)
        each = "; ".join(f"{rule}: {number(value, 3)}" for rule, value in zip(self.rules, steps.results, strict=True))
        return f"Input with RMS {scientific(size)}. RMS of the result: {each}."

    def _text(self, size: float) -> str:
        lines = [f"RMS of the input {scientific(size)}"]
        for rule, value in zip(self.rules, eps_steps(self.rules, size).results, strict=True):
            lines.append(f"{rule!s:<30}RMS of the result {number(value, 3)}")
        return "\n".join(lines)


def _values(given: object) -> list[float]:
    wanted = "Expected eps as numbers in a list, each above 0 and at most 1"
    if isinstance(given, str | bytes):
        raise TypeError(f"{wanted}; got the text {given!r}.")
    try:
        values = [float(eps) for eps in given]
    except (TypeError, ValueError) as problem:
        raise TypeError(f"{wanted}; got {given!r}.") from problem
    for eps in values:
        if not (math.isfinite(eps) and 0 < eps <= 1):
            raise ValueError(f"{wanted}; got {eps}.")
    return values
