"""Feed-forward layers step by step: the gated family and the two-layer network it replaced.

Weights have the shapes that torch.nn.Linear stores: (numbers out, numbers in). No layer here has a bias.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

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
