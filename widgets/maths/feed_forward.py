"""Feed-forward layers step by step: the gated family and the two-layer network it replaced.

Weights have the shapes that torch.nn.Linear stores: (numbers out, numbers in). No layer here has a bias.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from widgets.maths.activations import gelu, relu, sigmoid, swish

FAMILY: dict[str, Callable[[Tensor], Tensor]] = {
    "GLU": sigmoid,
    "bilinear": lambda z: z,
    "ReGLU": relu,
    "GeGLU": gelu,
    "SwiGLU": swish,
}
"""Every gated layer by name, with what it does to the gate input: the one thing in which they differ."""


@dataclass(frozen=True)
class GatedSteps:
    """One gated layer on its way from x to the output.

    gate = activation(gate_input) and product = gate * content, position by position.
    x, output: (..., d_model); gate_input, gate, content, product: (..., d_ff).
    """

    x: Tensor
    gate_input: Tensor
    gate: Tensor
    content: Tensor
    product: Tensor
    output: Tensor


def gate_function(family: str) -> Callable[[Tensor], Tensor]:
    """The activation on the gate branch of a gated layer, by the layer's name in any case.

    Raises TypeError for a name that is not text, ValueError for one that is not in FAMILY.
    """
    wanted = f"Expected one of {', '.join(FAMILY)}"
    if not isinstance(family, str):
        raise TypeError(f"{wanted}; got {family!r}, which is not text.")
    for name, activation in FAMILY.items():
        if name.casefold() == family.strip().casefold():
            return activation
    raise ValueError(f"{wanted}; got {family[:40]!r}.")


def gated_steps(x: Tensor, gate: Tensor, up: Tensor, down: Tensor, family: str = "SwiGLU") -> GatedSteps:
    """Activate one branch, multiply it into the other, project the product back.

    x: (..., d_model); gate, up: (d_ff, d_model); down: (d_model, d_ff) -> output: (..., d_model)
    Raises ValueError for an unknown family or shapes that do not fit together.
    Source: Shazeer 2020, section 2, where gate, up, down are W, V, W2; LLaMA calls them w1, w3, w2.
    """
    activation = gate_function(family)
    _check_shapes(x, gate, up, down)
    gate_input = x @ gate.T
    opened = activation(gate_input)
    content = x @ up.T
    product = opened * content
    return GatedSteps(x, gate_input, opened, content, product, product @ down.T)


def relu_feed_forward(x: Tensor, up: Tensor, down: Tensor) -> Tensor:
    """The two-layer network of the first Transformers, without biases: up, ReLU, down.

    x: (..., d_model); up: (d_ff, d_model); down: (d_model, d_ff) -> (..., d_model)
    Source: Shazeer 2020, section 1, after T5.
    """
    return relu(x @ up.T) @ down.T


STATES = ("flipped", "closed", "attenuated", "passed", "amplified")


def gate_states(gate: Tensor) -> list[str]:
    """What each gate does to its content, with the gate read to one decimal.

    Below 0 the content is flipped, at 0.0 closed off, between attenuated, at 1.0 passed, above 1 amplified.
    gate: (d_ff,) finite -> d_ff of the words in STATES
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


def _check_shapes(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> None:
    d_model = x.shape[-1] if x.dim() else 0
    d_ff = gate.shape[0] if gate.dim() else 0
    for name, weight, wanted in (
        ("gate", gate, (d_ff, d_model)),
        ("up", up, (d_ff, d_model)),
        ("down", down, (d_model, d_ff)),
    ):
        if tuple(weight.shape) != wanted or 0 in wanted:
            raise ValueError(
                f"Expected the {name} weight to have the shape {wanted}, for {d_model} numbers in and"
                f" {d_ff} gates; got {tuple(weight.shape)}."
            )
