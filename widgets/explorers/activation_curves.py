"""Three curves: ReLU, sigmoid and Swish, read off at any z."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from widgets.explorers.explorer import Explorer
from widgets.flipbook.controls import Check, Control, Slider
from widgets.formats import number
from widgets.inputs import real_number, yes_or_no
from widgets.maths.activations import SWISH_ONE
from widgets.maths.gates import CURVES, CurvesAt, curves_along, curves_at
from widgets.pictures.activation_curves import REACH, ActivationCurvesPicture

BETAS = (0.3, 4.3)  # below 0.3 Swish leaves the page; the explorer of beta goes down to 0
Z = np.union1d(np.linspace(-REACH, REACH, 201).round(2), [-SWISH_ONE, SWISH_ONE])
BETA = np.linspace(*BETAS, 201).round(2)


def activation_curves(z: float = 2.0, beta: float = 1.0, gelu: bool = False, slopes: bool = False) -> Explorer:
    """ReLU, sigmoid and Swish on one pair of axes; a slider moves a line that reads off their values.

    z: where the line starts, -5 to 5, to the nearest 0.05 or 1.2785
    beta: the bend of Swish, 0.3 to 4.3, to the nearest 0.02; 1 in every gate of this course
    gelu, slopes: whether GELU and the slopes are shown at the start; checkboxes change it
    Raises TypeError or ValueError in a sentence when one of them is something else.
    """
    z, beta = real_number("z", z, -REACH, REACH), real_number("beta", beta, *BETAS)
    return ActivationCurves(z, beta, yes_or_no("gelu", gelu), yes_or_no("slopes", slopes))


class ActivationCurves(Explorer):
    """The explorer that `activation_curves` returns."""

    def __init__(self, z: float, beta: float, gelu: bool, slopes: bool) -> None:
        controls: dict[str, Control] = {
            "z": Slider("z", Z, z),
            "beta": Slider("β of Swish", BETA, beta),
            "gelu": Check("GELU", gelu),
            "slopes": Check("slopes", slopes),
            "bend": Check("bend Swish with β", beta != 1),
        }
        presets: dict[str, dict[str, Any]] = {
            "z = 0": {"z": 0.0},
            "Swish is least": {"z": -SWISH_ONE, "beta": 1.0},
            "Swish is 1": {"z": SWISH_ONE, "beta": 1.0},
            "z = 4": {"z": 4.0},
        }
        super().__init__(controls, presets)
        self.relabel("beta", shown=self.bend)

    def take(self, name: str) -> dict[str, float]:
        self.relabel("beta", shown=self.bend)
        return {} if self.bend else {"beta": 1.0}

    def paint(self) -> ActivationCurvesPicture:
        return ActivationCurvesPicture(self.gelu, self.slopes, self.bend)

    def steps(self, z: float, beta: float) -> CurvesAt:
        return curves_at(z, beta)

    def along(self, places: Sequence[Mapping[str, float]]) -> list[CurvesAt]:
        return curves_along([at["z"] for at in places], [at["beta"] for at in places])

    def words(self, steps: CurvesAt) -> str:
        """What the checkboxes add to the picture is in the sentence, too."""
        relu, sigmoid, swish, gelu = (number(value, 3) for value in steps.values)
        at = f"At z = {number(steps.z)}" + (f", β = {number(steps.beta)}" if self.bend else "")
        gates = f"sigmoid {sigmoid} ({steps.sigmoid_state} as a gate), Swish {swish} ({steps.swish_state})"
        more = f", GELU {gelu}" if self.gelu else ""
        if self.slopes:
            slopes = list(zip(CURVES, steps.slopes, strict=True))[: 3 + self.gelu]
            more += ". Slopes: " + ", ".join(f"{name} {number(slope, 3)}" for name, slope in slopes)
        return f"{at}: ReLU {relu}, {gates}{more}."

    def lines(self, steps: CurvesAt) -> str:
        rows = [("", list(CURVES))]
        rows += [(name, [number(value, 3) for value in getattr(steps, f"{name}s")]) for name in ("value", "slope")]
        lines = [f"{name:<6}" + "".join(f"{cell:>9}" for cell in row) for name, row in rows]
        return "\n".join([f"z = {number(steps.z)}, β = {number(steps.beta)}", *lines])
