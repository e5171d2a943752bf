"""The overall shift: what happens to both results when the same number is added to every component."""

from __future__ import annotations

import numpy as np
from ipywidgets import FloatSlider
from torch import Tensor

from widgets.explorers.explorer import Explorer
from widgets.explorers.vector_box import EXAMPLE, vector_box
from widgets.flipbook.flipbook import Flipbook
from widgets.formats import number
from widgets.inputs import as_vector
from widgets.maths.norms import ShiftSteps, mean_and_rms, shift_steps
from widgets.pictures.overall_shift import OverallShiftPicture

SHIFTS = 201
SCALES = [round(0.02 * k, 2) for k in range(1, 151)]


def overall_shift(x: object = None, layernorm_only: bool = False, shift: tuple[float, float] = (-5.0, 5.0)) -> Explorer:
    """LayerNorm and RMSNorm of one vector, step by step, while a slider adds the same number to every component.

    x: 2 to 12 numbers (list, tuple, numpy array or tensor), by default (2, -1, 0.5, 3, -0.5, 1)
    layernorm_only: shows the LayerNorm path alone, as in lesson 01
    shift: the slider's smallest and largest value, in 201 positions
    Raises TypeError or ValueError in a sentence when x or shift is something else.
    """
    return OverallShift(as_vector(EXAMPLE if x is None else x), bool(layernorm_only), *_range(shift))


class OverallShift(Explorer):
    """The explorer that `overall_shift` returns; its vector can be typed anew."""

    def __init__(self, x: Tensor, layernorm_only: bool, lowest: float, highest: float) -> None:
        self.x, self.layernorm_only, self.furthest = x, layernorm_only, max(abs(lowest), abs(highest))
        step = (highest - lowest) / (SHIFTS - 1)
        start = min(max(0.0, lowest), highest)
        positions = {"shift": np.linspace(lowest, highest, SHIFTS).round(9), "scale": SCALES}
        picture = self._picture()
        flipbook = Flipbook(picture.figure, self._show, picture.moving, positions, {"shift": start, "scale": 1.0})
        sliders = {
            "shift": FloatSlider(start, min=lowest, max=highest, step=step, description="overall shift"),
            "scale": FloatSlider(1.0, min=SCALES[0], max=SCALES[-1], step=0.02, description="scale"),
        }
        super().__init__(flipbook, sliders, self._text, (vector_box(x, self._take, self.refuse),))

    def _picture(self) -> OverallShiftPicture:
        size = self.x.abs().max().item()
        largest = max(size + self.furthest, size * SCALES[-1])
        self.picture = OverallShiftPicture(len(self.x), largest, self.layernorm_only)
        return self.picture

    def _take(self, x: Tensor) -> None:
        with self.flipbook.lock:
            self.x = x
            picture = self._picture()
            self.draw(picture.figure, self._show, picture.moving)

    def _show(self, shift: float, scale: float) -> str:
        steps = shift_steps(self.x, scale, shift)
        self.picture.show(steps)
        return _words(steps, shift, scale, self.layernorm_only)

    def _text(self, shift: float, scale: float) -> str:
        steps = shift_steps(self.x, scale, shift)
        rows = {
            "x": steps.layer_norm.x,
            "x − mean": steps.layer_norm.centred,
            "LayerNorm": steps.layer_norm.result,
        }
        if not self.layernorm_only:
            rows["RMSNorm"] = steps.rms_norm.result
        head = f"overall shift {number(shift, sign=True)}, scale {number(scale)}"
        return "\n".join([head, *(_line(name, row) for name, row in rows.items())])


def _line(name: str, row: Tensor) -> str:
    return f"{name:<10}" + "".join(f"{number(value):>7}" for value in row.tolist()) + "   " + mean_and_rms(row)


def _words(steps: ShiftSteps, shift: float, scale: float, layernorm_only: bool) -> str:
    layer_norm, rms_norm = (number(change) for change in steps.changes())
    where = f"Shift {number(shift, sign=True)}, scale {number(scale)}"
    text = f"{where}: since shift 0, LayerNorm’s result has changed by {layer_norm}"
    if layernorm_only:
        return f"{text} at most."
    mean = number(steps.rms_norm.result.mean().item())
    return f"{text} at most, RMSNorm’s by {rms_norm} (its mean is {mean})."


def _range(shift: object) -> tuple[float, float]:
    wanted = "Expected shift=(smallest, largest), two numbers with smallest < largest, 0.001 apart, at most 1e6 in size"
    try:
        lowest, highest = (float(end) for end in shift)
    except (TypeError, ValueError) as problem:
        raise TypeError(f"{wanted}; got {shift!r}.") from problem
    if not (-1e6 <= lowest < highest <= 1e6 and highest - lowest >= 1e-3):
        raise ValueError(f"{wanted}; got {shift!r}.")
    return lowest, highest
