"""The norms with switches: without any they are right, and each switch makes one mistake."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor


def _statistic(x: Tensor, name: str, dim: Any, keepdim: bool) -> Tensor:
    """What stands under the root, over the axes `dim`."""
    many: dict[str, Any] = {"dim": dim, "keepdim": keepdim}
    match name:
        case "mean square":
            return x.square().mean(**many)
        case "variance":
            return x.var(correction=0, **many)
        case "unbiased variance":
            return x.var(correction=1, **many)
        case "sum of squares":
            return x.square().sum(**many)
        case "sum of squares by d - 1":
            return x.square().sum(**many) / (_count(x, dim) - 1)
        case "mean":
            return x.mean(**many)
        case "square of the mean":
            return x.mean(**many).square()
        case "mean absolute value":
            return x.abs().mean(**many)
        case "sum of absolute values":
            return x.abs().sum(**many)
        case "largest absolute value":
            return x.abs().amax(**many)
        case "root of the sum, by d":
            return x.square().sum(**many) / _count(x, dim) ** 2
    raise AssertionError(name)


def _count(x: Tensor, dim: Any) -> int:
    """How many numbers are taken together."""
    return x.numel() // x.sum(dim=dim).numel()


def _axes(x: Tensor, over: str) -> Any:
    """The axes that a statistic is taken over; torch raises IndexError later when x has too few."""
    return {
        "features": -1,
        "tokens": -2,
        "the first axis": 0,
        "the second axis": 1,
        "the second and third axis": (1, 2),
        "tokens and features": tuple(range(x.dim()))[-2:],
        "all but the first axis": tuple(range(1, x.dim())) or 0,
        "everything": tuple(range(x.dim())),
    }[over]


def _root(value: Tensor, times: int) -> Tensor:
    for _ in range(times):
        value = value.sqrt()
    return value


def rms(
    x: Tensor,
    statistic: str = "mean square",
    over: str = "features",
    keepdim: bool = True,
    roots: int = 1,
    added: float = 0.0,
    added_outside: float = 0.0,
    result: str = "rms",
) -> Tensor:
    """x: (..., d) -> (..., 1), the root mean square; every argument but the first is a switch."""
    scale = _root(_statistic(x, statistic, _axes(x, over), keepdim) + added, roots) + added_outside
    return {
        "rms": scale,
        "reciprocal": 1 / scale,
        "normalised": x / scale if result == "normalised" else scale,
    }[result]


def rms_norm(
    x: Tensor,
    weight: Tensor,
    eps: float,
    bias: Tensor | None = None,
    *,
    centred: bool = False,
    statistic: str = "mean square",
    over: str = "features",
    keepdim: bool = True,
    roots: int = 1,
    eps_in: str = "root",
    use_eps: float | None = None,
    operation: str = "divide",
    gain: str = "applied",
    offset: str = "added",
    cut: str = "",
    inner: torch.dtype | str = "at least float32",
    order: str = "x, weight, eps",
    after: str = "",
) -> Tensor:
    """x: (..., d), weight and bias: (d,) -> (..., d), RMSNorm; every argument after the bias is a switch.

    Computed in float32 or wider and cast back before the weight is applied, as in the LLaMA code.
    """
    if order == "x, bias, weight":
        weight, bias = bias, weight  # type: ignore[assignment]
    elif order != "x, weight, eps":
        passed = dict(zip(order.split(", "), (x, weight, torch.as_tensor(eps, dtype=x.dtype)), strict=True))
        x, weight, eps = passed["x"], passed["weight"], passed["eps"]  # type: ignore[assignment]
    eps = eps if use_eps is None else use_eps
    wide = _widened(x, inner)
    if gain == "before":
        wide = wide * weight.to(wide.dtype)
    if centred:
        wide = wide - (wide.detach() if cut == "mean" else wide).mean(dim=-1, keepdim=True)
    scale = _scale(wide.detach() if cut == "denominator" else wide, statistic, over, keepdim, roots, eps_in, eps)
    result = (wide / scale if operation == "divide" else wide * scale).to(x.dtype)
    if after == "mean subtracted":
        result = result - result.mean(dim=-1, keepdim=True)
    elif after == "residual added":
        result = result + x
    result = _gained(result, weight.detach() if cut == "weight" else weight, gain)
    return result if bias is None else _shifted(result, weight, bias, offset)


def _widened(x: Tensor, inner: torch.dtype | str) -> Tensor:
    if inner == "own":
        return x
    return x.to(inner) if isinstance(inner, torch.dtype) else x.to(torch.promote_types(x.dtype, torch.float32))


def _scale(x: Tensor, statistic: str, over: str, keepdim: bool, roots: int, eps_in: str, eps: float) -> Tensor:
    mean_square = _statistic(x, statistic, _axes(x, over), keepdim)
    match eps_in:
        case "root":
            return _root(mean_square + eps, roots)
        case "nowhere":
            return _root(mean_square, roots)
        case "outside":
            return _root(mean_square, roots) + eps
        case "sum":  # d times too much of it, or d times too little
            return _root(mean_square + eps / x.shape[-1], roots)
        case "squared":
            return _root(mean_square + eps**2, roots)
        case "subtracted":
            return _root(mean_square - eps, roots)
        case "floor":
            return _root(mean_square, roots).clamp(min=eps)
        case "floor of the length":
            return _root(mean_square, roots).clamp(min=eps / x.shape[-1] ** 0.5)
        case "floor inside":
            return _root(mean_square.clamp(min=eps), roots)
    raise AssertionError(eps_in)


def _gained(result: Tensor, weight: Tensor, gain: str) -> Tensor:
    match gain:
        case "applied":
            return result * weight
        case "forgotten" | "before":
            return result
        case "added":
            return result + weight
        case "one plus":
            return result * (1 + weight)
        case "twice":
            return result * weight * weight
        case "divided":
            return result / weight
        case "absolute":
            return result * weight.abs()
        case "averaged":
            return result * weight.mean()
        case "dot product":
            return (result * weight).sum(dim=-1, keepdim=True).expand_as(result)
    raise AssertionError(gain)


def _shifted(result: Tensor, weight: Tensor, bias: Tensor, offset: str) -> Tensor:
    match offset:
        case "added":
            return result + bias
        case "forgotten":
            return result
        case "subtracted":
            return result - bias
        case "times weight":
            return result + weight * bias
    raise AssertionError(offset)


def layer_norm_from_rms_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float, **switches: Any) -> Tensor:
    """x: (..., d), weight and bias: (d,) -> (..., d), LayerNorm as RMSNorm of the centred vector."""
    return rms_norm(x, weight, eps, bias, **{"centred": True, **switches})


def rms_norm_backward(
    grad_output: Tensor,
    x: Tensor,
    weight: Tensor,
    eps: float,
    *,
    gain: str = "applied",
    correction: str = "mean",
    centred: bool = False,
    eps_in: str = "root",
    scaled: int = 1,
    weight_sum: str = "tokens",
    weight_of: str = "normalised",
    returned: str = "x, weight",
    statistic: str = "mean square",
    use_eps: float | None = None,
    order: str = "grad_output, x, weight",
) -> tuple[Tensor, Tensor]:
    """grad_output and x: (..., d), weight: (d,) -> gradients for x: (..., d) and weight: (d,); then the switches.

    Source: differentiate x / √(mean(x²) + eps) * weight; torch/_decomp/decompositions.py has the same formula.
    """
    passed = dict(zip(order.split(", "), (grad_output, x, weight), strict=True))
    grad_output, x, weight = passed["grad_output"], passed["x"], passed["weight"]
    eps = eps if use_eps is None else use_eps
    scale = _scale(x, statistic, "features", True, 1, eps_in, eps)
    normalised = x / scale
    ways = {"applied": weight, "divided": 1 / weight}
    grad = grad_output * ways.get(gain, 1.0)
    many: dict[str, Any] = {"dim": -1, "keepdim": True}
    inner = (grad * normalised).mean(**many)
    term = {
        "mean": normalised * inner,
        "none": torch.zeros_like(x),
        "sum": normalised * inner * x.shape[-1],
        "plus": -normalised * inner,
        "inner only": inner,
        "unnormalised": x * (grad * x).mean(**many),
        "over everything": normalised * (grad * normalised).mean(),
        "gain forgotten": normalised * (grad_output * normalised).mean(**many),
    }[correction]
    grad_x = (grad - term) / scale**scaled
    if gain == "last":
        grad_x = grad_x * weight
    if centred:
        grad_x = grad_x - grad_x.mean(**many)
    product = grad_output * {"normalised": normalised, "x": x, "nothing": 1.0, "gained": normalised * weight}[weight_of]
    tokens = product.reshape(-1, x.shape[-1])
    grad_weight = {
        "tokens": tokens.sum(dim=0),
        "nothing": product,
        "mean": tokens.mean(dim=0),
        "features": product.sum(dim=-1),
        "first axis": product.sum(dim=0) if product.dim() > 1 else product,
    }[weight_sum]
    return (grad_x, grad_weight) if returned == "x, weight" else (grad_weight, grad_x)
