"""Beta: Swish between a straight line and ReLU."""

from __future__ import annotations

import numpy as np

from widgets.explorers.explorer import Explorer
from widgets.flipbook.controls import Slider
from widgets.formats import number
from widgets.inputs import real_number
from widgets.maths.activations import swish_least, swish_one
from widgets.pictures.swish_beta import SwishBetaPicture

LARGEST = 10
POSITIONS = np.linspace(0, LARGEST, 201).round(2)


def swish_beta(beta: float = 1.0) -> Explorer:
    """Swish as a slider takes beta from 0, the line z / 2, to 10, nearly ReLU.

    beta: where it starts, 0 to 10
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

    def steps(self, beta: float) -> float:
        return beta

    def words(self, beta: float) -> str:
        return ", ".join(self.lines(beta).splitlines()) + "."

    def lines(self, beta: float) -> str:
        least = "a straight line, z / 2"
        if beta > 0:
            z, value = swish_least(beta)
            least = f"least {number(value, 3)} at z = {number(z, 3)}"
        return f"β = {number(beta)}\n{least}\n1 at z = {number(swish_one(beta), 3)}"
