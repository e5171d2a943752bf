"""Swish, the gated layers and their widths with switches: without any they are right."""

from __future__ import annotations

import math
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor


def swish(
    z: Tensor,
    beta: float | None = None,
    *,
    form: str = "z * sigmoid(beta * z)",
    slope: str = "beta",
    default: float = 1.0,
) -> Tensor:
    """z: (...) -> (...), Swish; then the switches."""
    beta = default if beta is None else beta
    steep = z if slope == "ignored" else beta * z
    match form:
        case "z * sigmoid(beta * z)":
            return z * torch.sigmoid(steep)
        case "beta outside":
            return beta * z * torch.sigmoid(z)
        case "beta twice":
            return steep * torch.sigmoid(steep)
        case "beta divides":
            return z * torch.sigmoid(z / beta) if beta else z * 0.5
        case "sigmoid":
            return torch.sigmoid(steep)
        case "minus forgotten":
            return z * torch.sigmoid(-steep)
        case "quotient":
            return z / (1 + torch.exp(-steep))
        case "other quotient":
            return z * torch.exp(steep) / (1 + torch.exp(steep))
        case "both quotients":
            rising = torch.exp(steep)
            return torch.where(z >= 0, z / (1 + torch.exp(-steep)), z * rising / (1 + rising))
        case "tanh":
            return z * torch.tanh(steep)
        case "sum":
            return z + torch.sigmoid(steep)
        case "square":
            return z * z * torch.sigmoid(steep)
        case "derivative":
            return torch.sigmoid(steep) * (1 + steep * torch.sigmoid(-steep))
    return {"relu": F.relu, "gelu": F.gelu, "softplus": F.softplus, "mish": F.mish, "hardswish": F.hardswish}[form](z)


def _activated(z: Tensor, name: str) -> Tensor:
    match name:
        case "none":
            return z
        case "gelu tanh":
            return F.gelu(z, approximate="tanh")
        case "swish, beta 1.702":
            return z * torch.sigmoid(1.702 * z)
        case "softmax":
            return z.softmax(dim=-1)
        case "relu squared":
            return F.relu(z).square()
        case "swish by exp":
            return z / (1 + torch.exp(-z))
        case "swish of swish":
            return F.silu(F.silu(z))
    return {"swish": F.silu, "sigmoid": torch.sigmoid, "relu": F.relu, "gelu": F.gelu, "tanh": torch.tanh}[name](z)


def gated(
    x: Tensor,
    gate: Tensor,
    up: Tensor,
    down: Tensor,
    *,
    activation: str = "swish",
    on: str = "gate",
    branches: str = "both",
    combine: str = "product",
    after: str = "",
    transposed: bool = True,
) -> Tensor:
    """x: (..., d_model); gate, up: (d_ff, d_model); down: (d_model, d_ff) -> (..., d_model), SwiGLU; then the switches.

    Source: Shazeer 2020, eq. 6.
    """
    if not transposed:
        gate, up, down = gate.T, up.T, down.T
    opened, content = x @ gate.T, x @ up.T
    if branches == "gate twice":
        content = opened
    elif branches == "up twice":
        opened = content
    if on in ("gate", "both"):
        opened = _activated(opened, activation)
    if on in ("up", "both"):
        content = _activated(content, activation)
    hidden = _combined(opened, content, branches, combine, activation)
    if on == "product":
        hidden = _activated(hidden, activation)
    result = hidden @ down.T
    if on == "output":
        result = _activated(result, activation)
    return _finished(result, x, after)


def _combined(opened: Tensor, content: Tensor, branches: str, combine: str, activation: str) -> Tensor:
    if branches == "gate only":
        return opened
    if branches == "up only":
        return _activated(content, activation)
    if branches == "content only":
        return content
    return {"product": opened * content, "sum": opened + content, "difference": opened - content}[combine]


def _finished(result: Tensor, x: Tensor, after: str) -> Tensor:
    match after:
        case "residual added":
            return result + x
        case "normalised":
            return result / result.square().mean(dim=-1, keepdim=True).sqrt()
    return result


FAMILY = {"glu": "sigmoid", "bilinear": "none", "reglu": "relu", "geglu": "gelu", "swiglu": "swish"}


def family(
    x: Tensor,
    gate: Tensor,
    up: Tensor,
    down: Tensor,
    kind: str,
    *,
    glu: str = "sigmoid",
    bilinear: str = "none",
    reglu: str = "relu",
    geglu: str = "gelu",
    swiglu: str = "swish",
    always: str = "",
    **switches: Any,
) -> Tensor:
    """The shapes of `gated`; kind is one of FAMILY, whose activations can be exchanged one by one."""
    table = {"glu": glu, "bilinear": bilinear, "reglu": reglu, "geglu": geglu, "swiglu": swiglu}
    return gated(x, gate, up, down, activation=always or table[kind], **switches)


def fused(
    x: Tensor,
    gate: Tensor,
    up: Tensor,
    down: Tensor,
    *,
    saved: str = "one matrix",
    halves: str = "gate first",
    loaded: str = "gate first",
    **switches: Any,
) -> Tensor:
    """`gated`, with gate and up in one matrix, saved as that or as two; halves and loaded are switches."""
    if saved == "two matrices" and loaded == "up first":
        gate, up = up, gate
    if halves == "up first":
        gate, up = up, gate
    elif halves == "interleaved":
        joint = torch.cat([gate, up])
        gate, up = joint[0::2], joint[1::2]
    return gated(x, gate, up, down, **switches)


def matched_d_ff(d_model: int, relu_d_ff: int, *, rule: str = "largest that fits", multiple: int = 1) -> int:
    """The largest width of three matrices that cost no more than two of relu_d_ff; then the switches."""
    width = {
        "largest that fits": 2 * relu_d_ff // 3,
        "rounded up": -(-2 * relu_d_ff // 3),
        "nearest": round(2 * relu_d_ff / 3),
        "not reduced": relu_d_ff,
        "half": relu_d_ff // 2,
        "a third": relu_d_ff // 3,
        "three halves": 3 * relu_d_ff // 2,
        "4/3": 4 * relu_d_ff // 3,
        "8/3 of d_model": 8 * d_model // 3,
        "2/3 of d_model": 2 * d_model // 3,
        "4 d_model": 4 * d_model,
        "0.66": int(0.66 * relu_d_ff),
        "0.667": int(0.667 * relu_d_ff),
        "0.67": int(0.67 * relu_d_ff),
        "divided first": relu_d_ff // 3 * 2,
        "one too small": (2 * relu_d_ff - 1) // 3,
        "biases in the ReLU network": (2 * d_model * relu_d_ff + relu_d_ff + d_model) // (3 * d_model),
        "biases in both": (2 * d_model * relu_d_ff + relu_d_ff) // (3 * d_model + 2),
        "parameters": 3 * d_model * (2 * relu_d_ff // 3),
    }[rule]
    return -(-width // multiple) * multiple if multiple > 0 else width // -multiple * -multiple


def llama_d_ff(
    d_model: int,
    multiple_of: int = 256,
    multiplier: float = 1.0,
    *,
    base: str = "8/3",
    rounding: str = "up",
    order: str = "multiplier first",
    use_multiple: int | None = None,
    use_multiplier: bool = True,
    cut: str = "both times",
) -> int:
    """Two thirds of 4 d_model, times the multiplier, rounded up to a multiple; then the switches.

    Source: meta-llama/llama, llama/model.py, FeedForward.
    """
    multiple = use_multiple or multiple_of
    factor = multiplier if use_multiplier else 1.0
    width = {"8/3": 8 * d_model // 3, "4": 4 * d_model, "2/3": 2 * d_model // 3, "4/3": 4 * d_model // 3}[base]
    if cut != "both times":
        exact = factor * (width if cut == "first time" else 8 * d_model / 3)
        return math.ceil(exact / multiple) * multiple
    if order == "multiplier first":
        return _rounded(int(factor * width), multiple, rounding)
    if order == "rounding first":
        return int(factor * _rounded(width, multiple, rounding))
    return _rounded(int(factor * factor * width), multiple, rounding)


def _rounded(width: int, multiple: int, rounding: str) -> int:
    return {
        "up": -(-width // multiple) * multiple,
        "down": width // multiple * multiple,
        "nearest": round(width / multiple) * multiple,
        "none": width,
        "always one more": (width // multiple + 1) * multiple,
        "added": width + multiple,
    }[rounding]
