"""The overall shift: what happens to both results when the same number is added to every component."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from torch import Tensor

from widgets.explorers.explorer import Explorer
from widgets.flipbook.controls import Control, Slider, TextBox
from widgets.formats import number
from widgets.inputs import as_vector, number_range, parse_vector, yes_or_no
from widgets.maths.norms import ShiftSteps, mean_and_rms, shift_steps
from widgets.pictures.overall_shift import OverallShiftPicture

EXAMPLE = (2.0, -1.0, 0.5, 3.0, -0.5, 1.0)
SHIFTS = 201
SCALES = [round(0.02 * k, 2) for k in range(1, 151)]


def overall_shift(x: object = None, layernorm_only: bool = False, shift: tuple[float, float] = (-5.0, 5.0)) -> Explorer:
    """LayerNorm and RMSNorm of one vector, step by step, while a slider adds the same number to every component.

    x: 2 to 12 numbers (list, tuple, numpy array or tensor), by default (2, -1, 0.5, 3, -0.5, 1)
    layernorm_only: shows the LayerNorm path alone, as in lesson 01
    shift: the slider's smallest and largest value, in 201 positions
    Raises TypeError or ValueError in a sentence when one of them is something else.
    """
    x, layernorm_only = as_vector(EXAMPLE if x is None else x), yes_or_no("layernorm_only", layernorm_only)
    return OverallShift(x, layernorm_only, *number_range("shift", shift))


class OverallShift(Explorer):
    """The explorer that `overall_shift` returns; its vector can be typed anew."""

    def __init__(self, x: Tensor, layernorm_only: bool, lowest: float, highest: float) -> None:
        self.x0, self.layernorm_only, self.furthest = x, layernorm_only, max(abs(lowest), abs(highest))
        shifts = np.linspace(lowest, highest, SHIFTS).round(9)
        start = min(max(0.0, lowest), highest)
        digits = 2 if (highest - lowest) / (SHIFTS - 1) >= 0.005 else 4
        controls: dict[str, Control] = {
            "shift": Slider("overall shift", shifts, start, partial(number, digits=digits, sign=True)),
            "scale": Slider("scale", SCALES, 1.0),
            "x": TextBox("your own x₀", ", ".join(f"{component:.12g}" for component in x.tolist())),
        }
        presets: dict[str, dict[str, Any]] = {
            f"shift {number(start, 0)}": {"shift": start},
            f"shift {number(highest, 0, sign=True)}": {"shift": highest},
            "constant vector": {"x": ", ".join(["1"] * len(x))},
        }
        super().__init__(controls, presets)

    def take(self, name: str) -> dict[str, float]:
        self.x0 = parse_vector(self.x)
        return {}

    def paint(self) -> OverallShiftPicture:
        size = self.x0.abs().max().item()
        largest = max(size + self.furthest, size * SCALES[-1])
        largest_result = shift_steps(self.x0, SCALES[-1]).largest()[not self.layernorm_only]
        return OverallShiftPicture(len(self.x0), largest, self.layernorm_only, largest_result)

    def steps(self, shift: float, scale: float) -> ShiftSteps:
        return shift_steps(self.x0, scale, shift)

    def words(self, steps: ShiftSteps) -> str:
        return _at_rest(steps, self.layernorm_only) if steps.shift == 0 else _moved(steps, self.layernorm_only)

    def lines(self, steps: ShiftSteps) -> str:
        rows = {
            "x": steps.layer_norm.x,
            "x − mean": steps.layer_norm.centred,
            "LayerNorm": steps.layer_norm.result,
        }
        if not self.layernorm_only:
            rows["RMSNorm"] = steps.rms_norm.result
        head = f"overall shift {number(steps.shift, sign=True)}, scale {number(steps.scale)}"
        return "\n".join([head, *(_line(name, row) for name, row in rows.items())])


def _line(name: str, row: Tensor) -> str:
    return f"{name:<10}" + "".join(f"{number(value):>7}" for value in row.tolist()) + "   " + mean_and_rms(row)


def _at_rest(steps: ShiftSteps, layernorm_only: bool) -> str:
    where = f"Shift 0, scale {number(steps.scale)}: x has mean {number(steps.layer_norm.x.mean().item())}"
    mean = number(steps.rms_norm.result.mean().item())
    if layernorm_only:
        return f"{where}, LayerNorm’s result has mean 0. Add a shift: which rows will follow?"
    return f"{where}, LayerNorm’s result mean 0, RMSNorm’s mean {mean}. Add a shift: which result will follow?"


def _moved(steps: ShiftSteps, layernorm_only: bool) -> str:
    layer_norm, rms_norm = (number(change) for change in steps.changes())
    where = f"Shift {number(steps.shift, sign=True)}, scale {number(steps.scale)}"
    text = f"{where}: since shift 0, LayerNorm’s result has changed by {layer_norm}"
    if layernorm_only:
        return f"{text} at most."
    mean = number(steps.rms_norm.result.mean().item())
    return f"{text} at most, RMSNorm’s by {rms_norm} (its mean is {mean})."
