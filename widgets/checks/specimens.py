"""The norms on which a learner's own test is tried: three good ones and twelve broken ones.

All of them are called RMSNorm, take d_model and eps, and return the right shape: their outside gives nothing away.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from .mistakes.norm_formulas import rms_norm


@dataclass(frozen=True)
class Specimen:
    """One norm: what is said about it once the test has judged it rightly, and hints for a test that has not.

    The hints say where to look and not what is wrong there.
    """

    name: str
    make: Callable[[], type[nn.Module]]
    hints: tuple[str, ...]


def _norm(trained: bool = True, finish: Callable[[Tensor], Tensor] | None = None, **switches: Any) -> type[nn.Module]:
    class RMSNorm(nn.Module):
        def __init__(self, d_model: int, eps: float = 1e-6) -> None:
            super().__init__()
            ones = torch.ones(d_model)
            self.weight = nn.Parameter(ones) if trained else ones
            self.eps = eps

        def forward(self, x: Tensor) -> Tensor:
            result = rms_norm(x, self.weight, self.eps, **switches)
            return finish(result) if finish else result

    return RMSNorm


def _in_place() -> type[nn.Module]:
    class RMSNorm(nn.RMSNorm):
        def __init__(self, d_model: int, eps: float = 1e-6) -> None:
            super().__init__(d_model, eps)

        def forward(self, x: Tensor) -> Tensor:
            wide = x.float()
            wide.mul_(torch.rsqrt(wide.square().mean(dim=-1, keepdim=True) + self.eps))
            return wide.to(x.dtype) * self.weight

    return RMSNorm


def _cast_last() -> type[nn.Module]:
    class RMSNorm(_norm()):  # type: ignore[misc]
        def forward(self, x: Tensor) -> Tensor:
            wide = x.to(torch.promote_types(x.dtype, torch.float32))
            scale = (wide.square().mean(dim=-1, keepdim=True) + self.eps).sqrt()
            return (wide / scale * self.weight.to(wide.dtype)).to(x.dtype)

    return RMSNorm


def _built_in() -> type[nn.Module]:
    class RMSNorm(nn.RMSNorm):
        def __init__(self, d_model: int, eps: float = 1e-6) -> None:
            super().__init__(d_model, eps)

    return RMSNorm


_TOLERANCE = (
    "A good version that you refuse is right up to rounding.",
    "Two right ways of rounding differ by one step: in bfloat16 by up to a hundredth, in float32 by a millionth.",
    "`torch.allclose(..., rtol=...)`, or `torch.testing.assert_close`, which knows a tolerance for each dtype.",
)

GOOD = (
    Specimen("casts before the weight, as LLaMA does", _norm, _TOLERANCE),
    Specimen("casts after the weight, as Gemma does", _cast_last, _TOLERANCE),
    Specimen("torch's own", _built_in, _TOLERANCE),
)

BROKEN = (
    Specimen(
        "LayerNorm",
        lambda: _norm(centred=True),
        ("One that you miss is right whenever x has a certain property.", "What is the mean of your x?"),
    ),
    Specimen(
        "length instead of root mean square",
        lambda: _norm(statistic="sum of squares"),
        (
            "One that you miss points in the right direction.",
            "How long should the result be? Compare numbers, not directions or signs.",
        ),
    ),
    Specimen(
        "variance instead of mean square",
        lambda: _norm(statistic="variance"),
        ("One that you miss is right whenever x has a certain property.", "What is the mean of your x?"),
    ),
    Specimen(
        "statistic over tokens and features",
        lambda: _norm(over="tokens and features"),
        ("One that you miss is right for a single vector.", "Give it several vectors of different sizes."),
    ),
    Specimen(
        "eps outside the root",
        lambda: _norm(eps_in="outside"),
        ("One that you miss is right for numbers of ordinary size.", "Try a vector whose numbers are near 0.001."),
    ),
    Specimen(
        "eps ignored",
        lambda: _norm(eps_in="nowhere"),
        ("One that you miss is right with this eps.", "Try another eps, a large one, or a vector of zeros."),
    ),
    Specimen(
        "weight never applied",
        lambda: _norm(gain="forgotten"),
        ("One that you miss is right before training.", "What would training change? Change it yourself."),
    ),
    Specimen(
        "squares in float16",
        lambda: _norm(inner="own"),
        ("One that you miss is right in float32.", "Try float16, and numbers of a few hundred."),
    ),
    Specimen(
        "float32 returned for bfloat16",
        lambda: _norm(finish=lambda result: result.float()),
        ("One that you miss has the right numbers.", "What else has a tensor besides shape and numbers? Try bfloat16."),
    ),
    Specimen(
        "input changed in place",
        _in_place,
        ("One that you miss returns the right result.", "What else could it do? Look at x afterwards, in float32."),
    ),
    Specimen(
        "denominator detached",
        lambda: _norm(cut="denominator"),
        (
            "One that you miss is right forwards.",
            "Compare gradients. Beware: the plain sum of the squares of a normalised vector has none.",
        ),
    ),
    Specimen(
        "weight is not a parameter",
        lambda: _norm(trained=False),
        ("One that you miss computes everything right.", "What would an optimiser find in it?"),
    ),
)
