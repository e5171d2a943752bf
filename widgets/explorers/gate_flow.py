"""Gate flow: eight gates acting position by position, one of them turned by a slider."""

from __future__ import annotations

import numpy as np
from ipywidgets import Dropdown, FloatSlider

from widgets.explorers.explorer import Explorer
from widgets.flipbook.flipbook import Flipbook
from widgets.formats import number
from widgets.inputs import as_vector, real_number, whole_number
from widgets.maths.gates import FlowSteps, flow_steps
from widgets.pictures.gate_flow import HIGHEST, LOWEST, GateFlowPicture

CONTENT = (1.6, -1.2, 0.8, 1.4, -0.9, 1.1, -1.5, 0.7)
GATE_INPUT = (-1.3, 0.0, 0.7, 1.3, 2.4, -5.0, 1.0, -0.6)
POSITIONS = np.linspace(LOWEST, HIGHEST, 181).round(2)


def gate_flow(content: object = None, gate_input: object = None, position: int = 3) -> Explorer:
    """Content, gate input, gate = Swish(gate input) and product at eight positions; a slider turns one gate input.

    content: 2 to 8 numbers; gate_input: as many, from -6 to 3 (beyond 3, Swish(z) is nearly z)
    position: the one to turn at the start, counted from 1
    Raises TypeError or ValueError in a sentence when one of them is something else.
    """
    content = as_vector(CONTENT if content is None else content, most=8)
    gates = as_vector(GATE_INPUT[: len(content)] if gate_input is None else gate_input, most=8)
    for k, z in enumerate(gates.tolist(), start=1):
        real_number(f"gate input {k}", z, LOWEST, HIGHEST)
    steps = flow_steps(content, gates)
    return GateFlow(steps, whole_number("position", position, most=len(content)) - 1)


class GateFlow(Explorer):
    """The explorer that `gate_flow` returns."""

    def __init__(self, steps: FlowSteps, position: int) -> None:
        self.content, self.gate_input, self.position = steps.content, steps.gate_input.clone(), position
        self.picture = GateFlowPicture(steps, position)
        z = self.gate_input[position].item()
        flipbook = Flipbook(self.picture.figure, self._show, self.picture.moving, {"z": POSITIONS}, {"z": z})
        slider = FloatSlider(z, min=LOWEST, max=HIGHEST, step=0.05, description=_described(position))
        choice = [(str(k + 1), k) for k in range(len(steps.states))]
        self.choice = Dropdown(
            options=choice, value=position, description="position to turn", layout={"width": "200px"}
        )
        self.choice.observe(self._choose, "value")
        super().__init__(flipbook, {"z": slider}, self._text, (self.choice,))

    def _choose(self, change: dict) -> None:
        with self.flipbook.lock:
            self.gate_input[self.position] = self.flipbook.snapped(self.values)["z"]
            self.position = change["new"]
            self.sliders["z"].description = _described(self.position)
            self.picture = GateFlowPicture(flow_steps(self.content, self.gate_input), self.position)
            z = self.gate_input[self.position].item()
            self.draw(self.picture.figure, self._show, self.picture.moving, z=z)

    def _steps(self, z: float) -> FlowSteps:
        gate_input = self.gate_input.clone()
        gate_input[self.position] = z
        return flow_steps(self.content, gate_input)

    def _show(self, z: float) -> str:
        steps, k = self._steps(z), self.position
        self.picture.show(steps)
        content, gate, product = (number(row[k].item()) for row in (steps.content, steps.gate, steps.product))
        sum_of_it = f"the gate Swish({number(z)}) = {gate} times the content {content} is {product}"
        return f"Position {k + 1}: {sum_of_it}; the content is {steps.states[k]}."

    def _text(self, z: float) -> str:
        steps = self._steps(z)
        rows = {"content": steps.content, "gate input": steps.gate_input, "gate": steps.gate, "product": steps.product}
        lines = [_line(name, [number(value) for value in row.tolist()]) for name, row in rows.items()]
        return "\n".join([f"turning position {self.position + 1}", *lines, _line("state", steps.states)])


def _described(position: int) -> str:
    return f"gate input of position {position + 1}"


def _line(name: str, cells: list[str]) -> str:
    return f"{name:<11}" + "".join(f"{cell:>11}" for cell in cells)
