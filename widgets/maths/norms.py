"""LayerNorm and RMSNorm, step by step.

RMSNorm here means: eps inside the root, gain only, no mean (as torch.nn.RMSNorm and the LLaMA code).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from widgets.formats import fitted, scientific
from widgets.maths.places import apart, column


def rms(x: Tensor, eps: float = 0.0) -> Tensor:
    """Root mean square over the last axis: the square root of the mean of the squares.

    x: (..., d) -> (..., 1)
    Source: Zhang & Sennrich 2019, eq. 4 (which has no eps); eps inside the root as in torch.nn.RMSNorm.
    """
    return (x.square().mean(dim=-1, keepdim=True) + eps).sqrt()


def mean_and_rms(*vectors: Tensor) -> Tensor:
    """The mean and the root mean square of each vector.

    vectors: (..., d) each -> (..., vectors, 2)
    """
    rows = torch.stack(vectors, dim=-2)
    return torch.cat([rows.mean(dim=-1, keepdim=True), rms(rows)], dim=-1)


def in_words(mean: float, size: float) -> str:
    """A vector's mean and RMS, such as "mean 0.83   RMS 1.61"; large ones with fewer decimals."""
    return f"mean {fitted(mean, 6)}   RMS {fitted(size, 6)}"


@dataclass(frozen=True)
class NormSteps:
    """One vector on its way through a norm, before the gain.

    x, centred, result: (..., d); mean, scale: (..., 1). RMSNorm subtracts nothing: its mean is None and its
    `centred` is x itself.
    """

    x: Tensor
    mean: Tensor | None
    centred: Tensor
    scale: Tensor
    result: Tensor


def layer_norm_steps(x: Tensor, eps: float = 1e-5) -> NormSteps:
    """Subtract the mean, then divide by the root of (variance + eps); the variance divides by d, not d - 1.

    x: (..., d), floating point
    Source: torch.nn.LayerNorm with weight 1 and bias 0.
    """
    mean = x.mean(dim=-1, keepdim=True)
    centred = x - mean
    scale = rms(centred, eps)
    return NormSteps(x, mean, centred, scale, centred / scale)


def rms_norm_steps(x: Tensor, eps: float = 1e-5) -> NormSteps:
    """Divide by the root of (mean square + eps); the mean stays in.

    x: (..., d), floating point
    Source: torch.nn.RMSNorm with weight 1.
    """
    scale = rms(x, eps)
    return NormSteps(x, None, x, scale, x / scale)


@dataclass(frozen=True)
class ShiftSteps:
    """The vector scale * x0 + shift down both paths, and both results at shift 0 to compare with.

    facts: (4, 2), mean and RMS of x, x - mean, LayerNorm's result and RMSNorm's
    changes: (2,), the largest change of any component since shift 0 in LayerNorm's result and in RMSNorm's
    """

    scale: float
    shift: float
    layer_norm: NormSteps
    rms_norm: NormSteps
    layer_norm_unshifted: Tensor
    rms_norm_unshifted: Tensor
    facts: Tensor
    changes: Tensor

    def largest(self) -> tuple[float, float]:
        """The largest size a component of either result can have, whatever the shift: (LayerNorm, RMSNorm).

        A component c of LayerNorm's result, which no shift changes, can be at most √(1 + c²) in RMSNorm's: with the
        mean m of the shifted vector that component is (c + m/s) / √(1 + (m/s)²), s the root of (variance + eps).
        """
        layer_norm = self.layer_norm.result.abs().max().item()
        return layer_norm, (1 + layer_norm**2) ** 0.5


def shift_steps(x0: Tensor, scale: float = 1.0, shift: float = 0.0, eps: float = 1e-5) -> ShiftSteps:
    """Multiply by the scale, add the shift to every component, and normalise both ways.

    x0: (d,), floating point
    """
    return shift_steps_along(x0, [scale], [shift], eps)[0]


def shift_steps_along(
    x0: Tensor, scales: Sequence[float], shifts: Sequence[float], eps: float = 1e-5
) -> list[ShiftSteps]:
    """The same for as many scales and shifts, computed together.

    x0: (d,), floating point
    """
    scale, shift = column(scales), column(shifts)
    x = scale * x0
    layer_norm, rms_norm = layer_norm_steps(x + shift, eps), rms_norm_steps(x + shift, eps)
    before = layer_norm_steps(x, eps).result, rms_norm_steps(x, eps).result
    facts = mean_and_rms(layer_norm.x, layer_norm.centred, layer_norm.result, rms_norm.result)
    changes = torch.stack([layer_norm.result - before[0], rms_norm.result - before[1]], dim=-2).abs().amax(dim=-1)
    return apart(ShiftSteps(scale, shift, layer_norm, rms_norm, *before, facts, changes))  # type: ignore[arg-type]


def output_rms(size: Tensor, eps: float, inside: bool = True) -> Tensor:
    """The RMS of the normalised vector when the input's RMS is `size`: 1 but for eps.

    size: (...), above 0 -> (...); inside: eps under the root, else added to the root
    Source: RMS(x) / sqrt(RMS(x)^2 + eps), and RMS(x) / (RMS(x) + eps).
    """
    return size / (size.square() + eps).sqrt() if inside else size / (size + eps)


@dataclass(frozen=True)
class EpsRule:
    """One way to use eps: under the root, or added to the root."""

    eps: float
    inside: bool

    def __str__(self) -> str:
        return f"ε = {scientific(self.eps)} {'inside' if self.inside else 'outside'} the root"

    def result(self, size: Tensor) -> Tensor:
        """The RMS of the result for inputs of these sizes: (...) -> (...)."""
        return output_rms(size, self.eps, self.inside)


@dataclass(frozen=True)
class EpsSteps:
    """An input of one size, and the RMS of its result under each rule."""

    size: float
    results: list[float]


def eps_steps(rules: Sequence[EpsRule], size: float) -> EpsSteps:
    """The RMS of the result under each rule, for an input whose RMS is `size`, above 0."""
    return EpsSteps(size, [rule.result(torch.tensor(size, dtype=torch.float64)).item() for rule in rules])
