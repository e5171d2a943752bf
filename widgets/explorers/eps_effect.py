"""What eps does to small vectors."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from widgets.explorers.explorer import Explorer
from widgets.flipbook.controls import Slider
from widgets.formats import number, scientific
from widgets.inputs import eps_values
from widgets.maths.norms import EpsRule, EpsSteps, eps_steps
from widgets.pictures.eps_effect import LOOKS, EpsPicture

LOWEST, HIGHEST = -5, 1  # powers of ten
SIZES = np.logspace(LOWEST, HIGHEST, 181)  # thirty in a factor of ten: as fine as two digits can tell


def eps_effect(inside: Sequence[float] = (1e-5, 1e-6), outside: Sequence[float] = (1e-6,)) -> Explorer:
    """The RMS of RMSNorm's result while a slider moves the size of its input, for several ways to use eps.

    inside, outside: values of eps under the root and added to the root, one to four in all, each above 0 and at most 1
    Raises TypeError or ValueError in a sentence when they are something else.
    """
    rules = [EpsRule(eps, True) for eps in eps_values("inside", inside)]
    rules += [EpsRule(eps, False) for eps in eps_values("outside", outside)]
    if not 1 <= len(rules) <= len(LOOKS):
        raise ValueError(f"Expected one to {len(LOOKS)} values of eps in all; got {len(rules)}.")
    return Eps(rules)


class Eps(Explorer):
    """The explorer that `eps_effect` returns."""

    def __init__(self, rules: Sequence[EpsRule]) -> None:
        self.rules = rules
        controls = {"size": Slider("RMS of the input", SIZES, 1e-3, scientific)}
        root = f"RMS = √ε of {scientific(rules[0].eps)}"
        wanted = {"RMS 1": 1.0, root: math.sqrt(rules[0].eps), f"RMS {scientific(10.0**LOWEST)}": 10.0**LOWEST}
        presets = {label: {"size": size} for label, size in wanted.items() if size >= SIZES[0]}
        super().__init__(controls, presets)

    def paint(self) -> EpsPicture:
        return EpsPicture(self.rules, 10.0**LOWEST, 10.0**HIGHEST)

    def steps(self, size: float) -> EpsSteps:
        return eps_steps(self.rules, size)

    def words(self, steps: EpsSteps) -> str:
        each = "; ".join(f"{rule}: {number(value, 3)}" for rule, value in zip(self.rules, steps.results, strict=True))
        return f"Input with RMS {scientific(steps.size)}. RMS of the result: {each}."

    def lines(self, steps: EpsSteps) -> str:
        lines = [f"RMS of the input {scientific(steps.size)}"]
        for rule, value in zip(self.rules, steps.results, strict=True):
            lines.append(f"{rule!s:<30}RMS of the result {number(value, 3)}")
        return "\n".join(lines)
