"""x through the three matrices of a gated layer, beside a ReLU network with as many parameters."""

from __future__ import annotations

import numpy as np
import torch

from widgets.explorers.explorer import Explorer
from widgets.flipbook.controls import Choice, Control, Slider
from widgets.formats import number
from widgets.inputs import as_vector, one_of, real_number
from widgets.maths.feed_forward import BothSteps, both_steps, matched
from widgets.maths.gates import gate_states
from widgets.pictures.three_matrices import ThreeMatricesPicture

X = (1.0, 2.0, -1.0)
GATE = ((-1.0, -1.0, 1.0), (0.0, 1.5, -1.0), (1.0, 0.0, 1.0), (0.5, 0.5, -0.5))
UP = ((1.0, 0.5, 0.5), (-1.0, 0.5, 1.0), (0.5, 0.5, 1.0), (-0.5, -0.5, 0.5))
DOWN = ((1.0, 0.0, 0.5, 0.0), (0.0, 1.0, 0.0, -0.5), (0.5, 0.0, 0.0, 1.0))  # all three as in lessons 03 and 04
FAMILIES = {"Swish": "SwiGLU", "GELU": "GeGLU", "ReLU": "ReGLU", "sigmoid": "GLU", "none": "bilinear"}
FURTHEST = 3.0
COMPONENTS = np.linspace(-FURTHEST, FURTHEST, 61).round(1)
SIZES = np.linspace(0, 2, 41).round(2)


def three_matrices(x: object = None, activation: str = "Swish") -> Explorer:
    """One token through the three matrices of a gated layer; a slider for each of its components, and its size.

    x: 3 numbers from -3 to 3, each to the nearest 0.1, by default (1, 2, -1); the matrices are those of lessons 03
    and 04, with d_ff 4
    activation: what makes the gate: "Swish" (SwiGLU), "GELU", "ReLU", "sigmoid" or "none" (bilinear)
    Raises TypeError or ValueError in a sentence when one of them is something else.
    """
    vector = as_vector(X if x is None else x, fewest=len(X), most=len(X))
    start = [real_number(f"component {k} of x", one, -FURTHEST, FURTHEST) for k, one in enumerate(vector.tolist(), 1)]
    return ThreeMatrices(start, one_of("activation", activation, FAMILIES))


class ThreeMatrices(Explorer):
    """The explorer that `three_matrices` returns."""

    def __init__(self, start: list[float], activation: str) -> None:
        self.matrices = matched(*(torch.tensor(weight, dtype=torch.float64) for weight in (GATE, UP, DOWN)))
        sliders = {f"x{k}": Slider(f"x{_lowered(k)}", COMPONENTS, one) for k, one in enumerate(start, start=1)}
        sliders["size"] = Slider("x times", SIZES, 1.0)
        controls: dict[str, Control] = {
            **sliders,
            "activation": Choice("activation on the gate", list(FAMILIES), activation),
        }
        presets = {
            "start": {**{f"x{k}": one for k, one in enumerate(start, start=1)}, "size": 1.0},
            "half of x": {"size": 0.5},
            "twice x": {"size": 2.0},
        }
        super().__init__(controls, presets)

    def paint(self) -> ThreeMatricesPicture:
        return ThreeMatricesPicture(both_steps(torch.ones(len(X)).double(), self.matrices, FAMILIES[self.activation]))

    def steps(self, x1: float, x2: float, x3: float, size: float) -> BothSteps:
        x = size * torch.tensor([x1, x2, x3], dtype=torch.float64)
        return both_steps(x, self.matrices, FAMILIES[self.activation])

    def words(self, steps: BothSteps) -> str:
        gated, relu = (_row(one.output.tolist()) for one in (steps.gated, steps.relu))
        states = gate_states(steps.gated.gate)
        what = ", ".join(f"position {k} {state}" for k, state in enumerate(states, start=1))
        read = f"x = {_row(steps.gated.x.tolist())}. Gates read to one decimal: {what}."
        return f"{read} {steps.family} gives {gated}, the ReLU network {relu}."

    def lines(self, steps: BothSteps) -> str:
        now = steps.gated
        rows = {"x": now.x, "gate input": now.gate_input, "gate": now.gate, "content": now.content}
        rows |= {"product": now.product, "output": now.output, "ReLU network": steps.relu.output}
        return "\n".join([steps.family, *(_line(name, row.tolist()) for name, row in rows.items())])


def _row(values: list[float]) -> str:
    return f"({', '.join(number(value) for value in values)})"


def _line(name: str, values: list[float]) -> str:
    return f"{name:<13}" + "".join(f" {number(value):>6}" for value in values)


def _lowered(k: int) -> str:
    return chr(ord("₀") + k)
