"""The norms as a row of steps: as they stand they are right, and a mistake exchanges a step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

Step = Callable[..., Any]
OVER_FEATURES: dict[str, Any] = {"dim": -1, "keepdim": True}


def widened(x: Tensor) -> Tensor:
    """x in float32 or wider."""
    return x.to(torch.promote_types(x.dtype, torch.float32))


def centred(x: Tensor) -> Tensor:
    """x without its mean."""
    return x - x.mean(**OVER_FEATURES)


def mean_square(x: Tensor, over: dict[str, Any]) -> Tensor:
    """The mean of the squares over these axes."""
    return x.square().mean(**over)


@dataclass(frozen=True)
class Scale:
    """What a norm divides by: the root of (mean square + eps), over the last axis.

    axes(x); statistic(x, over); back(statistic); root(statistic); add(statistic, eps, root, d)
    """

    axes: Step = lambda x: -1
    keepdim: bool = True
    statistic: Step = mean_square
    back: Step = lambda statistic: statistic
    root: Step = torch.sqrt
    add: Step = lambda statistic, eps, root, d: root(statistic + eps)

    def measure(self, x: Tensor, eps: float) -> Tensor:
        statistic = self.statistic(x, {"dim": self.axes(x), "keepdim": self.keepdim})
        return self.add(self.back(statistic), eps, self.root, x.shape[-1])


@dataclass(frozen=True)
class RMS(Scale):
    """x: (..., d) -> (..., 1), the root mean square. returned(scale, x)"""

    returned: Step = lambda scale, x: scale

    def __call__(self, x: Tensor) -> Tensor:
        return self.returned(self.measure(x, 0.0), x)


@dataclass(frozen=True)
class Norm(Scale):
    """x: (..., d), weight and bias: (d,) -> (..., d), RMSNorm in the dtype of x.

    Computed in float32 or wider and cast before the weight is applied, as in the LLaMA code.
    order(x, weight, eps, bias); given(eps, x); before(wide, weight); measured(wide); divide(wide, scale);
    cast(result, x); after(result, x); gain(result, weight); shift(result, weight, bias)
    """

    order: Step = lambda x, weight, eps, bias: (x, weight, eps, bias)
    given: Step = lambda eps, x: eps
    widen: Step = widened
    before: Step = lambda wide, weight: wide
    centre: Step = lambda wide: wide
    measured: Step = lambda wide: wide
    divide: Step = torch.div
    cast: Step = lambda result, x: result.to(x.dtype)
    after: Step = lambda result, x: result
    gain: Step = torch.mul
    shift: Step = lambda result, weight, bias: result + bias

    def __call__(self, x: Tensor, weight: Tensor, eps: float, bias: Tensor | None = None) -> Tensor:
        x, weight, eps, bias = self.order(x, weight, eps, bias)
        wide = self.centre(self.before(self.widen(x), weight))
        scale = self.measure(self.measured(wide), self.given(eps, x))
        result = self.gain(self.after(self.cast(self.divide(wide, scale), x), x), weight)
        return (result if bias is None else self.shift(result, weight, bias)).to(x.dtype)


@dataclass(frozen=True)
class Backward(Scale):
    """grad_output and x: (..., d), weight: (d,) -> gradients for x: (..., d) and weight: (d,).

    Source: differentiate x / √(mean(x²) + eps) * weight; torch/_decomp/decompositions.py has the same formula.
    order(grad_output, x, weight); given(eps, x); through(grad_output, weight); second(z, grad, grad_output, x);
    divide(grad, scale); last(grad_x, weight); share(grad_output, z, x, weight); total(shares); returned(two gradients)
    """

    order: Step = lambda grad_output, x, weight: (grad_output, x, weight)
    given: Step = lambda eps, x: eps
    through: Step = torch.mul
    second: Step = lambda z, grad, grad_output, x: z * (grad * z).mean(**OVER_FEATURES)
    divide: Step = torch.div
    last: Step = lambda grad_x, weight: grad_x
    share: Step = lambda grad_output, z, x, weight: grad_output * z
    total: Step = lambda shares: shares.reshape(-1, shares.shape[-1]).sum(dim=0)
    returned: Step = lambda grad_x, grad_weight: (grad_x, grad_weight)

    def __call__(self, grad_output: Tensor, x: Tensor, weight: Tensor, eps: float) -> tuple[Tensor, Tensor]:
        grad_output, x, weight = self.order(grad_output, x, weight)
        scale = self.measure(x, self.given(eps, x))
        z, grad = x / scale, self.through(grad_output, weight)
        grad_x = self.last(self.divide(grad - self.second(z, grad, grad_output, x), scale), weight)
        return self.returned(grad_x, self.total(self.share(grad_output, z, x, weight)))


def rms(x: Tensor, **steps: Any) -> Tensor:
    """x: (..., d) -> (..., 1), the root mean square."""
    return RMS(**steps)(x)


class _Derived(torch.autograd.Function):
    """RMSNorm with a backward of its own: `Backward` with some of its steps exchanged."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, eps: float, steps: dict[str, Step]) -> Tensor:
        ctx.save_for_backward(x, weight)
        ctx.eps, ctx.steps = eps, steps
        return Norm()(x, weight, eps)

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> tuple[Tensor | None, ...]:  # type: ignore[override]
        x, weight = ctx.saved_tensors
        return *Backward(**ctx.steps)(grad_output, x, weight, ctx.eps), None, None


def rms_norm(x: Tensor, weight: Tensor, eps: float, *, derived: dict[str, Step] | None = None, **steps: Any) -> Tensor:
    """x: (..., d), weight: (d,) -> (..., d), RMSNorm. derived: the steps of its own backward that are exchanged"""
    return Norm(**steps)(x, weight, eps) if derived is None else _Derived.apply(x, weight, eps, derived)


def layer_norm_from_rms_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float, **steps: Any) -> Tensor:
    """x: (..., d), weight and bias: (d,) -> (..., d), LayerNorm as RMSNorm of the centred vector."""
    return Norm(**{"centre": centred, **steps})(x, weight, eps, bias)


def rms_norm_backward(
    grad_output: Tensor, x: Tensor, weight: Tensor, eps: float, **steps: Any
) -> tuple[Tensor, Tensor]:
    """grad_output and x: (..., d), weight: (d,) -> gradients for x: (..., d) and weight: (d,)."""
    return Backward(**steps)(grad_output, x, weight, eps)
