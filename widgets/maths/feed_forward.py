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


def gated_steps(x: Tensor, gate: Tensor, up: Tensor, down: Tensor, family: str = "SwiGLU") -> GatedSteps:
    """Activate one branch, multiply it into the other, project the product back.

    x: (..., d_model); gate, up: (d_ff, d_model); down: (d_model, d_ff); family: a name in FAMILY
    -> output: (..., d_model)
    Source: Shazeer 2020, section 2, where gate, up, down are W, V, W2; LLaMA calls them w1, w3, w2.
    """
    gate_input = x @ gate.T
    opened = FAMILY[family](gate_input)
    content = x @ up.T
    product = opened * content
    return GatedSteps(x, gate_input, opened, content, product, product @ down.T)


@dataclass(frozen=True)
class ReluSteps:
    """The two-layer network on its way from x to the output, with ReLU as what it is: a switch times the number.

    switch is 1 where hidden is positive and 0 elsewhere; passed = switch * hidden.
    x, output: (..., d_model); hidden, switch, passed: (..., d_ff).
    """

    x: Tensor
    hidden: Tensor
    switch: Tensor
    passed: Tensor
    output: Tensor


def relu_steps(x: Tensor, up: Tensor, down: Tensor) -> ReluSteps:
    """The two-layer network of the first Transformers, without biases: up, ReLU, down.

    x: (..., d_model); up: (d_ff, d_model); down: (d_model, d_ff) -> output: (..., d_model)
    Source: Shazeer 2020, section 1, after T5.
    """
    hidden = x @ up.T
    switch = (hidden > 0).to(hidden.dtype)
    passed = relu(hidden)
    return ReluSteps(x, hidden, switch, passed, passed @ down.T)


@dataclass(frozen=True)
class Matrices:
    """A gated layer's three matrices and, with as many parameters, the two of a ReLU network.

    gate, up: (d_ff, d_model); down: (d_model, d_ff); relu_up: (3/2 d_ff, d_model); relu_down: (d_model, 3/2 d_ff)
    """

    gate: Tensor
    up: Tensor
    down: Tensor
    relu_up: Tensor
    relu_down: Tensor


def matched(gate: Tensor, up: Tensor, down: Tensor) -> Matrices:
    """The gated layer's matrices, and a ReLU network of equal size made of the same rows.

    Its up projection has all rows of `up` and the last half of the rows of `gate`; its down projection has all columns
    of `down` and the last half of them once more. So its first d_ff hidden numbers are the gated layer's content.
    Raises ValueError for matrices whose shapes do not fit together, and for an odd d_ff, which has no such half.
    """
    d_ff, d_model = gate.shape
    if up.shape != gate.shape or down.shape != (d_model, d_ff) or d_ff % 2:
        shapes = ", ".join(str(tuple(weight.shape)) for weight in (gate, up, down))
        raise ValueError(
            "Expected gate and up of one shape (d_ff, d_model), d_ff even, and down of the shape (d_model, d_ff);"
            f" got the shapes {shapes}."
        )
    half = d_ff // 2
    return Matrices(gate, up, down, torch.cat([up, gate[half:]]), torch.cat([down, down[:, half:]], dim=1))


@dataclass(frozen=True)
class BothSteps:
    """One token in both layers, and the activation on the gate branch by its layer's name."""

    gated: GatedSteps
    relu: ReluSteps
    family: str


def both_steps(x: Tensor, matrices: Matrices, family: str = "SwiGLU") -> BothSteps:
    """The same x through the gated layer and through the ReLU network beside it.

    x: (d_model,)
    """
    gated = gated_steps(x, matrices.gate, matrices.up, matrices.down, family)
    return BothSteps(gated, relu_steps(x, matrices.relu_up, matrices.relu_down), family)
