"""What a gate does to its content: in a word, along the curves, and at several positions at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from widgets.maths import activations
from widgets.maths.activations import swish

LOWEST, HIGHEST = -6.0, 3.0  # gate inputs worth turning through: below, Swish is nearly 0, above, nearly z


def gate_states(gate: Tensor) -> list[str]:
    """What each gate does to its content, with the gate read to one decimal.

    Below 0 the content is flipped, at 0.0 closed off, between attenuated, at 1.0 passed, above 1 amplified.
    gate: (d_ff,) finite -> d_ff of these five words
    Raises ValueError for a gate that is not finite, or not one row of numbers.
    """
    if gate.dim() != 1:
        raise ValueError(f"Expected one row of gates; got an array of shape {tuple(gate.shape)}.")
    if not torch.isfinite(gate).all():
        raise ValueError(f"Expected gates that are finite; got {gate[~torch.isfinite(gate)][0].item()}.")
    return [_state(round(number, 1)) for number in gate.tolist()]


def _state(gate: float) -> str:
    if gate < 0:
        return "flipped"
    if gate == 0:
        return "closed"
    if gate == 1:
        return "passed"
    return "attenuated" if gate < 1 else "amplified"


@dataclass(frozen=True)
class CurvesAt:
    """The four curves at one z, in the order of CURVES, and what sigmoid and Swish do as gates there."""

    z: float
    beta: float
    values: list[float]
    slopes: list[float]
    sigmoid_state: str
    swish_state: str


CURVES = ("ReLU", "sigmoid", "Swish", "GELU")


def curves_at(z: float, beta: float = 1.0) -> CurvesAt:
    """ReLU, sigmoid, Swish with this beta, and GELU at z, with their slopes."""
    return curves_along([z], [beta])[0]


def curves_along(z: Sequence[float], betas: Sequence[float]) -> list[CurvesAt]:
    """The same for as many z and betas, computed together."""
    at, beta = (torch.tensor(numbers, dtype=torch.float64) for numbers in (z, betas))
    values = torch.stack([activations.relu(at), activations.sigmoid(at), swish(at, beta), activations.gelu(at)])
    slopes = [activations.relu_derivative(at), activations.sigmoid_derivative(at)]
    slopes += [activations.swish_derivative(at, beta), activations.gelu_derivative(at)]
    states = (gate_states(row) for row in values[1:3])
    return [
        CurvesAt(*one) for one in zip(z, betas, values.T.tolist(), torch.stack(slopes).T.tolist(), *states, strict=True)
    ]


@dataclass(frozen=True)
class FlowSteps:
    """Gates acting position by position: product = Swish(gate_input) * content, and each state in a word.

    content, gate_input, gate, product: (positions,)
    """

    content: Tensor
    gate_input: Tensor
    gate: Tensor
    product: Tensor
    states: list[str]

    def largest(self, position: int) -> FlowSizes:
        """The largest sizes while the gate input at `position` runs from LOWEST to HIGHEST; none is 0."""
        gate = swish(self.gate.new_tensor(HIGHEST)).item()
        product = max(self.product.abs().max().item(), abs(self.content[position].item()) * gate, 1e-9)
        return FlowSizes(max(self.content.abs().max().item(), 1e-9), -LOWEST, gate, product)


@dataclass(frozen=True)
class FlowSizes:
    """The largest size in each row of a flow."""

    content: float
    gate_input: float
    gate: float
    product: float


def flow_steps(content: Tensor, gate_input: Tensor) -> FlowSteps:
    """Let each position's gate act on its content.

    content, gate_input: (positions,) finite
    Raises ValueError when the two have different shapes.
    """
    if content.shape != gate_input.shape:
        raise ValueError(
            f"Expected as many gate inputs as contents; got the shapes {tuple(gate_input.shape)} and"
            f" {tuple(content.shape)}."
        )
    gate = swish(gate_input)
    return FlowSteps(content, gate_input, gate, gate * content, gate_states(gate))
