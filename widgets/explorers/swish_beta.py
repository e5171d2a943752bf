"""Beta: Swish between a straight line and ReLU."""

from __future__ import annotations

import numpy as np

from widgets.explorers.explorer import Explorer
from widgets.flipbook.controls import Slider
from widgets.formats import number
from widgets.inputs import real_number
from widgets.maths.activations import BetaSteps, beta_steps
from widgets.pictures.swish_beta import SwishBetaPicture

LARGEST = 10
POSITIONS = np.linspace(0, LARGEST, 101).round(2)


def swish_beta(beta: float = 1.0) -> Explorer:
    """Swish as a slider takes beta from 0, the line z / 2, to 10, nearly ReLU.

    beta: where it starts, 0 to 10, to the nearest 0.1
    Raises TypeError or ValueError in a sentence when beta is something else.
    """
    return SwishBeta(real_number("beta", beta, 0, LARGEST))


class SwishBeta(Explorer):
    """The explorer that `swish_beta` returns."""

    def __init__(self, beta: float) -> None:
        presets = {
            "0: a straight line": {"beta": 0.0},
            "1: SiLU": {"beta": 1.0},
            "1.7: nearly GELU": {"beta": 1.7},
            "10: nearly ReLU": {"beta": 10.0},
        }
        super().__init__({"beta": Slider("β", POSITIONS, beta)}, presets)

    def paint(self) -> SwishBetaPicture:
        return SwishBetaPicture()

    def steps(self, beta: float) -> BetaSteps:
        return beta_steps(beta)

    def words(self, steps: BetaSteps) -> str:
        return ", ".join(self.lines(steps).splitlines()) + "."

    def lines(self, steps: BetaSteps) -> str:
        least, furthest = "a straight line, z / 2", "further and further from ReLU"
        if steps.beta > 0:
            depth, at = number(-steps.least, 3), number(-steps.least_at, 3)
            least, furthest = f"least −{depth} at z = −{at}", f"furthest from ReLU by {depth} at z = ±{at}"
        return f"β = {number(steps.beta)}\n{least}\n{furthest}\n1 at z = {number(steps.one, 3)}"
