"""The curves that switch or gate: sigmoid, ReLU, Swish and GELU, each with its derivative.

Every function acts on each component by itself, keeps shape and dtype, and stays finite, with a finite
gradient, for any finite input of float16, bfloat16, float32 or float64. Here sigma means the sigmoid.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor

# Swish is least at -(1 + W(1/e)), where its value is -W(1/e), with W = Lambert's W. Swish(z) - Swish(-z) = z;
# so it is exactly 1 at the mirror image of its minimum.
SWISH_ONE = 1.2784645427610738
SWISH_LEAST = 1.0 - SWISH_ONE  # about -0.2785


def sigmoid(z: Tensor) -> Tensor:
    """1 / (1 + exp(-z)): between 0 and 1, a half at 0.

    z: (...) -> (...)
    """
    return torch.sigmoid(z)


def sigmoid_derivative(z: Tensor) -> Tensor:
    """sigma(z) (1 - sigma(z)): the slope of the sigmoid, at most a quarter.

    z: (...) -> (...)
    """
    return sigmoid(z) * sigmoid(-z)  # 1 - sigma(z) = sigma(-z), without the loss of digits


def relu(z: Tensor) -> Tensor:
    """z where z is positive, 0 elsewhere.

    z: (...) -> (...)
    """
    return torch.relu(z)


def relu_derivative(z: Tensor) -> Tensor:
    """1 where z is positive, 0 elsewhere (0 at z = 0, as torch has it; the curve has no slope there).

    z: (...) -> (...)
    """
    return (z > 0).to(z.dtype)


def swish(z: Tensor, beta: float | Tensor = 1.0) -> Tensor:
    """z times the sigmoid of beta z. With beta = 1 it is SiLU, torch.nn.functional.silu.

    z: (...) -> (...)
    Source: Ramachandran et al. 2017; SiLU in Hendrycks & Gimpel 2016.
    """
    return z * sigmoid(beta * z)


def swish_derivative(z: Tensor, beta: float | Tensor = 1.0) -> Tensor:
    """sigma(beta z) (1 + beta z (1 - sigma(beta z))): between -0.0998 and 1.0998 for every beta except 0.

    z: (...) -> (...)
    """
    steepness = (beta * z).clamp(-1e4, 1e4)  # sigma is 0 or 1 long before; infinity times 0 would be NaN
    return sigmoid(steepness) * (1 + steepness * sigmoid(-steepness))


def swish_least(beta: float = 1.0) -> tuple[float, float]:
    """Where Swish is least, and how little that is: z and value both shrink as 1 / beta.

    Raises ValueError for a beta that is not above 0: Swish with beta = 0 is the line z / 2.
    """
    if not beta > 0:
        raise ValueError(f"Expected a beta above 0; got {beta}.")
    return -SWISH_ONE / beta, SWISH_LEAST / beta


def swish_one(beta: float) -> float:
    """The z above which Swish is larger than 1: 2 at beta = 0, 1.2785 at beta = 1, towards 1 as beta grows.

    Raises ValueError for a beta below 0.
    """
    if not beta >= 0:
        raise ValueError(f"Expected a beta of at least 0; got {beta}.")
    low, high = 1.0, 2.0  # z / 2 <= Swish(z) <= z for positive z
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if middle < 1 + math.exp(-beta * middle) else (low, middle)
    return high


@dataclass(frozen=True)
class BetaSteps:
    """Swish with one beta: its least value and where that is, and where it is 1.

    At beta = 0 Swish is the line z / 2 and has no least value: both are NaN.
    """

    beta: float
    least_at: float
    least: float
    one: float


def beta_steps(beta: float) -> BetaSteps:
    """What is worth knowing of Swish with this beta.

    Raises ValueError for a beta below 0.
    """
    least = swish_least(beta) if beta > 0 else (math.nan, math.nan)
    return BetaSteps(beta, *least, swish_one(beta))


def gelu(z: Tensor) -> Tensor:
    """z times the probability that a standard normal number is below z.

    z: (...) -> (...)
    Source: Hendrycks & Gimpel 2016; torch.nn.functional.gelu.
    """
    return z * _normal_below(z)


def gelu_derivative(z: Tensor) -> Tensor:
    """The probability below z, plus z times the normal density at z.

    z: (...) -> (...)
    """
    near = z.clamp(-100, 100)  # the density is 0 beyond; the square of a larger float16 would not be finite
    return _normal_below(z) + near * torch.exp(-near.square() / 2) / math.sqrt(2 * math.pi)


def _normal_below(z: Tensor) -> Tensor:
    return torch.special.erfc(-z / math.sqrt(2)) / 2  # 1 + erf would lose the left tail
