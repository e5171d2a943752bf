"""The overall shift: what happens to both results when the same number is added to every component."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from torch import Tensor

from widgets.explorers.explorer import Explorer
from widgets.flipbook.controls import Control, Slider, TextBox
from widgets.formats import number
from widgets.inputs import as_vector, number_range, parse_vector, yes_or_no
from widgets.maths.norms import ShiftSteps, in_words, shift_steps, shift_steps_along
from widgets.pictures.overall_shift import OverallShiftPicture

EXAMPLE = (2.0, -1.0, 0.5, 3.0, -0.5, 1.0)
SHIFTS = 201
SCALES = [round(0.02 * k, 2) for k in range(1, 151)]


def overall_shift(x: object = None, layernorm_only: bool = False, shift: tuple[float, float] = (-5.0, 5.0)) -> Explorer:
    """LayerNorm and RMSNorm of one vector, step by step, while a slider adds the same number to every component.

    x: 2 to 12 numbers (list, tuple, numpy array or tensor), by default (2, -1, 0.5, 3, -0.5, 1)
    layernorm_only: shows the LayerNorm path alone, as in lesson 01
    shift: the slider's smallest and largest value, in 201 positions, and 0 where it lies between them
    Raises TypeError or ValueError in a sentence when one of them is something else.
    """
    x, layernorm_only = as_vector(EXAMPLE if x is None else x), yes_or_no("layernorm_only", layernorm_only)
    return OverallShift(x, layernorm_only, *number_range("shift", shift))


class OverallShift(Explorer):
    """The explorer that `overall_shift` returns; its vector can be typed anew."""

    def __init__(self, x: Tensor, layernorm_only: bool, lowest: float, highest: float) -> None:
        self.x0, self.layernorm_only, self.furthest = x, layernorm_only, max(abs(lowest), abs(highest))
        start = min(max(0.0, lowest), highest)
        shifts = sorted({*np.linspace(lowest, highest, SHIFTS).round(9).tolist(), start})
        digits = min(6, max(2, math.ceil(-math.log10((highest - lowest) / (SHIFTS - 1)))))
        self._written = partial(number, digits=digits, sign=True)
        controls: dict[str, Control] = {
            "shift": Slider("overall shift", shifts, start, self._written),
            "scale": Slider("scale", SCALES, 1.0),
            "x": TextBox("your own x₀", ", ".join(f"{component:.12g}" for component in x.tolist())),
        }
        presets: dict[str, dict[str, Any]] = {
            f"shift {self._named(start)}": {"shift": start},
            f"shift {self._named(highest)}": {"shift": highest},
            "constant vector": {"x": ", ".join(["1"] * len(x))},
        }
        super().__init__(controls, presets)

    def _named(self, shift: float) -> str:
        """A shift on a button: a whole number as such, another one as the slider writes it."""
        return number(shift, 0, sign=True) if shift == round(shift) else self._written(shift)

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

    def along(self, places: Sequence[Mapping[str, float]]) -> list[ShiftSteps]:
        return shift_steps_along(self.x0, [at["scale"] for at in places], [at["shift"] for at in places])

    def words(self, steps: ShiftSteps) -> str:
        """Two sentences of one form at every shift, so that a recording keeps their words once."""
        shift, scale = self._written(steps.shift), number(steps.scale)
        x, _, _, rms_norm = (number(mean) for mean, _ in steps.facts.tolist())
        results = "LayerNorm’s result mean 0"
        if not self.layernorm_only:
            results += f", RMSNorm’s mean {rms_norm}"
        return f"Shift {shift}, scale {scale}: x has mean {x}, {results}. {self._next(steps)}"

    def _next(self, steps: ShiftSteps) -> str:
        """A question where the shift is 0, else what has changed since."""
        if steps.shift == 0:
            return f"Add a shift: which {'rows' if self.layernorm_only else 'result'} will follow?"
        layer_norm, rms_norm = map(number, steps.changes.tolist())
        if self.layernorm_only:
            return f"Since shift 0 it has changed by {layer_norm} at most."
        return f"Since shift 0 they have changed by {layer_norm} and {rms_norm} at most."

    def lines(self, steps: ShiftSteps) -> str:
        rows = {
            "x": steps.layer_norm.x,
            "x − mean": steps.layer_norm.centred,
            "LayerNorm": steps.layer_norm.result,
        }
        if not self.layernorm_only:
            rows["RMSNorm"] = steps.rms_norm.result
        head = f"overall shift {self._written(steps.shift)}, scale {number(steps.scale)}"
        facts = (in_words(*found) for found in steps.facts.tolist())
        return "\n".join([head, *(_line(*row, found) for row, found in zip(rows.items(), facts, strict=False))])


def _line(name: str, row: Tensor, facts: str) -> str:
    return f"{name:<10}" + "".join(f" {number(value):>6}" for value in row.tolist()) + "   " + facts
