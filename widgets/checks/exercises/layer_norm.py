"""The check of lesson 01's own code: LayerNorm, written before RMSNorm is known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from torch import Tensor

from widgets.checks.exercises.exercise import Exercise, at_first
from widgets.checks.exercises.rmsnorm import LAYER_NORM_FORMULA, LAYER_NORM_WITHOUT
from widgets.checks.verdict import Verdict


def check_layer_norm(layer_norm: Callable[[Tensor, Tensor, Tensor, float], Tensor]) -> Verdict:
    """Is `layer_norm(x, weight, bias, eps)` LayerNorm? x: (..., d), weight and bias: (d,) -> (..., d)."""

    call, arguments = "layer_norm(x, weight, bias, eps)", ("x", "weight", "bias")
    return Exercise(call, FORMULA, HINTS, arguments, at_first(LAYER_NORM_WITHOUT), in_place=True).check(layer_norm)


# What exercise 05.5 says to somebody who knows RMSNorm, in the words of somebody who does not know it yet.
REWORDED = {
    "mean not subtracted": (
        "The mean is still in. LayerNorm subtracts it from x before anything else.",
        (
            "Add 10 to every component. LayerNorm's result should not change.",
            "The first step is `x - x.mean(dim=-1, keepdim=True)`, and all others work with what it gives.",
        ),
    ),
    "bias forgotten": (
        "The bias is not added.",
        ("Try a weight of zeros: the result should be the bias.", "Add `bias` at the end."),
    ),
    "multiplied by the scale": (
        "The centred vector is multiplied by its scale; it should be divided by it.",
        ("Double x. The result should not change.", "`rsqrt` is already 1 divided by the root, `sqrt` is not."),
    ),
}
BANK = tuple(
    replace(one, sentence=REWORDED[one.name][0], hints=REWORDED[one.name][1]) if one.name in REWORDED else one
    for one in LAYER_NORM_FORMULA.bank
)
FORMULA = replace(LAYER_NORM_FORMULA, bank=BANK)
HINTS = (
    "Five steps: mean, subtract, variance, root, divide. Then the weight and the bias.",
    "Both means run over the last axis only, and that axis stays, with length 1: `dim=-1, keepdim=True`.",
    "The variance is the mean of the squares of the centred numbers, and eps is added to it before the root.",
)
