"""Gate flow: eight gates acting position by position, one of them turned by a slider."""

from __future__ import annotations

from typing import Any

import numpy as np

from widgets.explorers.explorer import Explorer
from widgets.flipbook.controls import Choice, Control, Slider, TextBox
from widgets.formats import number
from widgets.inputs import as_vector, real_number, whole_number
from widgets.maths.gates import HIGHEST, LOWEST, FlowSteps, flow_steps
from widgets.pictures.gate_flow import GateFlowPicture

CONTENT = (1.6, -1.2, 0.8, 1.4, -0.9, 1.1, -1.5, 0.7)
GATE_INPUT = (-1.3, 0.0, 0.7, 1.3, 2.4, -5.0, 1.0, -0.6)
POSITIONS = np.linspace(LOWEST, HIGHEST, 181).round(2)
STATES = {"closed": -6.0, "flipped": -1.3, "attenuated": 0.7, "passed": 1.3, "amplified": 3.0}  # a gate input for each


def gate_flow(content: object = None, gate_input: object = None, position: int | None = None) -> Explorer:
    """Content, gate input, gate = Swish(gate input) and product at eight positions; a slider turns one gate input.

    content: 2 to 8 numbers; gate_input: as many, from -6 to 3 (beyond 3, Swish(z) is nearly z)
    position: the one to turn at the start, counted from 1; the third unless given, or the last of two. Its gate input
    is taken to the nearest 0.05
    Raises TypeError or ValueError in a sentence when one of them is something else.
    """
    content = as_vector(CONTENT if content is None else content, most=8)
    gates = as_vector(GATE_INPUT[: len(content)] if gate_input is None else gate_input, most=8)
    for k, z in enumerate(gates.tolist(), start=1):
        real_number(f"gate input {k}", z, LOWEST, HIGHEST)
    steps = flow_steps(content, gates)
    position = min(3, len(content)) if position is None else position
    return GateFlow(steps, whole_number("position", position, most=len(content)) - 1)


class GateFlow(Explorer):
    """The explorer that `gate_flow` returns."""

    def __init__(self, steps: FlowSteps, turned: int) -> None:
        self.content, self.gate_input, self.turned = steps.content, steps.gate_input.clone(), turned
        self._first = steps.gate_input
        controls: dict[str, Control] = {
            "gates": TextBox("gate inputs", ""),  # not shown: reset writes into it, for the gates turned before
            "z": Slider(_described(turned), POSITIONS, self.gate_input[turned].item()),
            "position": Choice("position to turn", [str(k + 1) for k in range(len(steps.states))], str(turned + 1)),
        }
        presets: dict[str, dict[str, Any]] = {state: {"z": z} for state, z in STATES.items()}
        reset = {"gates": "as at the start", "z": self.gate_input[turned].item(), "position": str(turned + 1)}
        super().__init__(controls, {"reset": reset, **presets})
        self.relabel("gates", shown=False)

    def take(self, name: str) -> dict[str, float]:
        if name == "gates":
            self.gate_input, self.gates = self._first.clone(), ""
        else:
            self.gate_input[self.turned] = self.z
        self.turned = int(self.position) - 1
        self.relabel("z", _described(self.turned))
        return {"z": self.gate_input[self.turned].item()}

    def paint(self) -> GateFlowPicture:
        return GateFlowPicture(flow_steps(self.content, self.gate_input), self.turned)

    def steps(self, z: float) -> FlowSteps:
        gate_input = self.gate_input.clone()
        gate_input[self.turned] = z
        return flow_steps(self.content, gate_input)

    def words(self, steps: FlowSteps) -> str:
        k = self.turned
        rows = (steps.content, steps.gate_input, steps.gate, steps.product)
        content, z, gate, product = (number(row[k].item()) for row in rows)
        sum_of_it = f"the gate Swish({z}) = {gate} times the content {content} is {product}"
        return f"Position {k + 1}: {sum_of_it}; with the gate read to one decimal, the content is {steps.states[k]}."

    def lines(self, steps: FlowSteps) -> str:
        rows = {"content": steps.content, "gate input": steps.gate_input, "gate": steps.gate, "product": steps.product}
        lines = [_line(name, [number(value) for value in row.tolist()]) for name, row in rows.items()]
        return "\n".join([f"turning position {self.turned + 1}", *lines, _line("state", steps.states)])


def _described(position: int) -> str:
    return f"gate input of position {position + 1}"


def _line(name: str, cells: list[str]) -> str:
    return f"{name:<11}" + "".join(f"{cell:>11}" for cell in cells)
