"""Three curves: ReLU, sigmoid and Swish, read off at any z."""

from __future__ import annotations

import numpy as np
from ipywidgets import Checkbox, FloatSlider

from widgets.explorers.explorer import Explorer
from widgets.flipbook.flipbook import Flipbook
from widgets.formats import number
from widgets.inputs import real_number
from widgets.maths.gates import CURVES, CurvesAt, curves_at
from widgets.pictures.activation_curves import REACH, ActivationCurvesPicture

BETAS = (0.3, 4.3)  # below 0.3 Swish leaves the page; the explorer of beta goes down to 0
POSITIONS = {"z": np.linspace(-REACH, REACH, 201).round(2), "beta": np.linspace(*BETAS, 201).round(2)}


def activation_curves(z: float = 2.0, beta: float = 1.0, gelu: bool = False, slopes: bool = False) -> Explorer:
    """ReLU, sigmoid and Swish on one pair of axes; a slider moves a line that reads off their values.

    z: where the line starts, -5 to 5, to the nearest 0.05
    beta: the bend of Swish, 0.3 to 4.3, to the nearest 0.02; 1 in every gate of this course
    gelu, slopes: whether GELU and the slopes are shown at the start; checkboxes change it
    Raises TypeError or ValueError in a sentence when z or beta is something else.
    """
    return ActivationCurves(
        real_number("z", z, -REACH, REACH), real_number("beta", beta, *BETAS), bool(gelu), bool(slopes)
    )


class ActivationCurves(Explorer):
    """The explorer that `activation_curves` returns."""

    def __init__(self, z: float, beta: float, gelu: bool, slopes: bool) -> None:
        start = {"z": z, "beta": beta}
        self.picture = ActivationCurvesPicture(gelu, slopes, bend=beta != 1)
        flipbook = Flipbook(self.picture.figure, self._show, self.picture.moving, POSITIONS, start)
        sliders = {
            "z": FloatSlider(z, min=-REACH, max=REACH, step=0.05, description="z"),
            "beta": FloatSlider(beta, min=BETAS[0], max=BETAS[1], step=0.02, description="β of Swish"),
        }
        self.gelu, self.slopes, self.bend = (
            Checkbox(ticked, description=words, indent=False, layout={"width": "auto"})
            for ticked, words in ((gelu, "GELU"), (slopes, "slopes"), (beta != 1, "bend Swish with β"))
        )
        self.gelu.observe(self._redraw, "value")
        self.slopes.observe(self._redraw, "value")
        self.bend.observe(self._bend, "value")
        super().__init__(flipbook, sliders, self._text, (self.gelu, self.slopes, self.bend))
        self._show_beta()

    def _redraw(self, _: object = None) -> None:
        with self.flipbook.lock:
            self.picture = ActivationCurvesPicture(self.gelu.value, self.slopes.value, self.bend.value)
            beta = self.sliders["beta"].value if self.bend.value else 1.0
            self.draw(self.picture.figure, self._show, self.picture.moving, beta=beta)

    def _bend(self, _: object) -> None:
        self._redraw()
        self._show_beta()

    def _show_beta(self) -> None:
        self.sliders["beta"].layout.display = None if self.bend.value else "none"

    def _show(self, z: float, beta: float) -> str:
        at = curves_at(z, beta)
        self.picture.show(at)
        relu, sigmoid, swish, _ = (number(value, 3) for value in at.values)
        gates = f"sigmoid {sigmoid} ({at.sigmoid_state} as a gate), Swish {swish} ({at.swish_state})"
        return f"At z = {number(z)}: ReLU {relu}, {gates}."

    def _text(self, z: float, beta: float) -> str:
        at: CurvesAt = curves_at(z, beta)
        rows = [("", CURVES)]
        rows += [
            (name, [number(value, 3) for value in row]) for name, row in (("value", at.values), ("slope", at.slopes))
        ]
        lines = [f"{name:<6}" + "".join(f"{cell:>9}" for cell in row) for name, row in rows]
        return "\n".join([f"z = {number(z)}, β = {number(beta)}", *lines])
