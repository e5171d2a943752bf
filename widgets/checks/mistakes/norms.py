"""How people get RMSNorm and LayerNorm wrong."""

from __future__ import annotations

import torch

from widgets.checks.mistakes.diagnosis import Mistake, named
from widgets.checks.mistakes.norm_formulas import Step, centred
from widgets.checks.mistakes.statistic import FIXED_EPS, STATISTIC, over_one_less, unbiased_variance


def _taken(*places: int) -> Step:
    """x, weight and eps taken for one another."""

    def order(x: torch.Tensor, weight: torch.Tensor, eps: float, bias: torch.Tensor | None) -> tuple[object, ...]:
        passed = (x, weight, torch.as_tensor(eps, dtype=x.dtype))
        return (*(passed[at] for at in places), bias)

    return order


EPS = (
    Mistake(
        "eps outside the root",
        "eps is added to the root; it belongs inside, added to the mean square. For a vector of size 1e-3 and "
        "eps = 1e-5 the result is three times too large.",
        (
            "Which of the two is added to eps: the mean square, or its root?",
            "Take a mean square of 1e-6 and eps = 1e-5: the result should have an RMS of √(1/11), about 0.302.",
            "√(mean square + eps), not √(mean square) + eps.",
        ),
        ({"add": lambda statistic, eps, root, d: root(statistic) + eps},),
        "allenai/OLMo#281",
    ),
    Mistake(
        "roots added",
        "The root of eps is added to the root; the root of a sum is not the sum of the roots.",
        ("Is √(9 + 16) the same as √9 + √16?", "One root, of (mean square + eps)."),
        ({"add": lambda statistic, eps, root, d: root(statistic) + eps**0.5},),
    ),
    Mistake(
        "eps ignored",
        "eps is not used: a vector of zeros gives NaN, and another eps changes nothing.",
        ("Try eps = 0.1 and eps = 0. Do the results differ?", "Add eps to the mean square, under the root."),
        ({"add": lambda statistic, eps, root, d: root(statistic)},),
        "meta-llama/llama#771",
    ),
    Mistake(
        "eps hard-coded",
        "A fixed number stands where eps should. Another eps changes nothing.",
        ("Try eps = 0.1 and eps = 1e-6. Do the results differ?", "Use the argument `eps`."),
        tuple({"given": lambda _, x, eps=eps: eps} for eps in FIXED_EPS),
        "ggml-org/llama.cpp#2374",
    ),
    Mistake(
        "eps not handed on",
        "eps is not added to the mean square: another eps changes nothing, but for zeros at most. Perhaps a library "
        "function has an eps of its own, or eps only takes the place of a zero.",
        (
            "Is your mean square of [1, 1] with eps = 0.5 equal to 1.5 before the root?",
            "Hand eps on, and add it always.",
        ),
        (
            {"given": lambda eps, x: torch.finfo(x.dtype).eps},
            {"given": lambda eps, x: torch.finfo(torch.promote_types(x.dtype, torch.float32)).eps},
            {"add": lambda statistic, eps, root, d: root(statistic).clamp(min=1e-12 / d**0.5)},
        ),
    ),
    Mistake(
        "root of the root plus eps",
        "A second root is taken, of (root mean square + eps): the scale grows too slowly with the input.",
        ("Multiply x by 100. By how much does your scale grow?", "One root, of (mean square + eps)."),
        ({"add": lambda statistic, eps, root, d: root(root(statistic) + eps)},),
    ),
    Mistake(
        "eps as a lower bound",
        "eps is used as a lower bound of the scale; it should be added to the mean square, always.",
        ("Does your eps do anything to a vector of size 1?", "`clamp` and `max` are not `+`."),
        (
            {"add": lambda statistic, eps, root, d: root(statistic).clamp(min=eps)},
            {"add": lambda statistic, eps, root, d: root(statistic.clamp(min=eps))},
            {"add": lambda statistic, eps, root, d: root(statistic).clamp(min=eps / d**0.5)},
        ),
    ),
    Mistake(
        "eps added to the sum",
        "eps meets the sum of the squares, or the length, where the mean should be: it counts d times too little or "
        "too much.",
        ("In which order do you divide by d and add eps?", "Average first, then add eps."),
        (
            {"add": lambda statistic, eps, root, d: root(statistic + eps / d)},
            {"add": lambda statistic, eps, root, d: root(statistic + eps * d)},
            {"add": lambda statistic, eps, root, d: root(statistic) + eps / d**0.5},
        ),
    ),
    Mistake(
        "eps squared",
        "eps is squared before it is added; the formula adds eps itself.",
        (
            "Try numbers of about 0.01 with eps = 1e-4: eps should count as much as they do.",
            "mean square + eps, not + eps².",
        ),
        ({"given": lambda eps, x: eps**2},),
    ),
    Mistake(
        "eps subtracted",
        "eps is subtracted; it is there to keep the root away from zero, so it is added.",
        ("What happens for a vector of zeros?", "mean square + eps."),
        ({"add": lambda statistic, eps, root, d: root(statistic - eps)},),
    ),
)

GAIN = (
    Mistake(
        "weight never applied",
        "The weight is not used: every weight gives the same result.",
        ("Try a weight of twos. Does the result double?", "Multiply the normalised vector by `weight`."),
        ({"gain": lambda result, weight: result},),
        "TransformerLensOrg/TransformerLens#657",
    ),
    Mistake(
        "weight added",
        "The weight is added; a gain multiplies.",
        ("Try a weight of zeros. The result should be zero.", "`* weight`, not `+ weight`."),
        ({"gain": lambda result, weight: result + weight},),
    ),
    Mistake(
        "weight applied before normalising",
        "The weight is applied before the norm, which then takes part of it away again.",
        (
            "Try a weight of twos. Does the result double?",
            "First divide by the scale of x alone, then multiply by the weight.",
        ),
        ({"before": torch.mul, "gain": lambda result, weight: result},),
    ),
    Mistake(
        "weight as an offset from one",
        "The result is multiplied by 1 + weight; here the weight is the gain itself, and starts at one.",
        ("Try a weight of zeros. The result should be zero.", "Gemma stores the gain that way; torch does not."),
        ({"gain": lambda result, weight: result * (1 + weight)},),
    ),
    Mistake(
        "weight applied twice",
        "The weight is applied twice.",
        ("Try a weight of twos. The result should double, not quadruple.", "One multiplication is enough."),
        ({"gain": lambda result, weight: result * weight * weight},),
    ),
    Mistake(
        "divided by the weight",
        "The result is divided by the weight; a gain multiplies.",
        ("Try a weight of twos. Does the result double?", "`* weight`."),
        ({"gain": lambda result, weight: result / weight},),
    ),
    Mistake(
        "sign of the weight lost",
        "The sign of the weight is lost; a negative gain turns its component around.",
        ("Try a weight of −1.", "Multiply by `weight` itself."),
        ({"gain": lambda result, weight: result * weight.abs()},),
    ),
    Mistake(
        "one gain for all",
        "The weights are averaged to one number; every feature has a gain of its own.",
        ("Try the weight [1, 0, 0, ...].", "Multiply component by component: `* weight`."),
        ({"gain": lambda result, weight: result * weight.mean()},),
    ),
    Mistake(
        "dot product with the weight",
        "The result is multiplied with the weight and summed; a gain works component by component.",
        ("Try the weight [1, 0, 0, ...].", "`*`, not `@`."),
        (
            {"gain": lambda result, weight: result @ weight},
            {"gain": lambda result, weight: (result * weight).sum(-1, keepdim=True).expand_as(result)},
        ),
    ),
)

NORM = (
    Mistake(
        "LayerNorm instead of RMSNorm",
        "This is LayerNorm: the mean is subtracted and the variance divides. RMSNorm leaves the mean in.",
        (
            "Add 10 to every component. Does your result change? It should.",
            "Nothing is subtracted from x, neither above nor below the fraction line.",
        ),
        ({"centre": centred}, {"centre": centred, "statistic": unbiased_variance}),
        "ggml-org/llama.cpp#173",
    ),
    Mistake(
        "mean subtracted from x only",
        "The mean is subtracted from x, though the scale is right; RMSNorm leaves the mean in.",
        ("Add 10 to every component and look at the mean of the result.", "Divide x itself."),
        ({"after": lambda result, x: centred(result)},),
    ),
    Mistake(
        "multiplied by the scale",
        "x is multiplied by its root mean square, or divided by its reciprocal; it should be divided.",
        (
            "Double x. The result should not change.",
            "`rsqrt` is already 1 divided by the root: multiply by it, or divide by `sqrt`.",
        ),
        ({"divide": torch.mul},),
        "mosaicml/llm-foundry#371",
    ),
    Mistake(
        "x left out",
        "This is 1 divided by the scale, times the weight; x itself is missing.",
        (
            "Try x = [1, 2] with a weight of ones. The two numbers of the result should differ.",
            "x divided by its scale.",
        ),
        ({"divide": lambda wide, scale: (1 / scale).expand_as(wide)},),
    ),
    Mistake(
        "not normalised",
        "x is not divided by its scale: twice the input gives twice the result.",
        ("Double x. The result should not change.", "Which step divides x by its scale?"),
        ({"divide": lambda wide, scale: wide},),
    ),
    Mistake(
        "input added to the result",
        "x is added to the normalised vector; the residual connection belongs to the block, not to the norm.",
        ("Multiply x by 1000. The result should hardly change.", "Return the normalised vector alone."),
        ({"after": torch.add},),
    ),
    Mistake(
        "arguments in another order",
        "The arguments are taken in another order than they are passed: `x`, `weight`, `eps`.",
        ("Read the first line of your function.", "`def rms_norm(x, weight, eps):`"),
        ({"order": _taken(1, 0, 2)}, {"order": _taken(0, 2, 1)}, {"order": _taken(1, 2, 0)}),
    ),
)

RMS_NORM = (*NORM, *EPS, *GAIN, *STATISTIC)

HALF = (
    Mistake(
        "squares in float16",
        "The squares, or their mean, are held in float16, whose largest number is 65504: 300² is too large, becomes "
        "infinite, and the result becomes 0.",
        (
            "What is 300² in float16?",
            "Which dtype should the squares have, so that they fit, and for how long?",
            "Compute in float32, `x.float()`, and cast the result back at the end.",
        ),
        ({"widen": lambda x: x}, {"widen": torch.Tensor.half}),
        "pytorch/pytorch#133085",
    ),
)

CUT = (
    Mistake(
        "denominator detached",
        "The values are right, but the scale is cut out of the gradient: it depends on x too.",
        (
            "Look for `.detach()`, `.data` or `torch.no_grad()` around the scale.",
            "The gradient of a quotient has two terms. Leave the scale in the graph.",
        ),
        ({"measured": torch.Tensor.detach},),
        "tinygrad/tinygrad#4904",
    ),
    Mistake(
        "root squared again",
        "The values are right, but for a vector of zeros the gradient is NaN: the slope of a root at 0 is infinite, "
        "and squaring its result makes that 0 · ∞.",
        ("What is the slope of √m at m = 0?", "Add eps to the mean square itself, not to the square of its root."),
        ({"add": lambda statistic, eps, root, d: root(root(statistic) ** 2 + eps)},),
    ),
    Mistake(
        "weight detached",
        "The values are right, but no gradient reaches the weight: it would never be trained.",
        ("Look for `.detach()` or `.data` at the weight.", "Multiply by the parameter itself."),
        ({"gain": lambda result, weight: result * weight.detach()},),
    ),
)

LAYER_NORM_CUT = (
    *CUT,
    Mistake(
        "mean detached",
        "The values are right, but the mean is cut out of the gradient: it depends on x too.",
        ("Look for `.detach()`, `.data` or `torch.no_grad()` around the mean.", "Leave the mean in the graph."),
        ({"centre": lambda wide: wide - wide.detach().mean(-1, keepdim=True)},),
    ),
)


DIFFERENCE = Mistake(
    "variance as a difference",
    "The variance is computed as the mean of the squares minus the square of the mean: for numbers far from 0 these "
    "are two large numbers, and their difference has lost its digits.",
    ("What is left of 1000001² − 1000000² in float32?", "Subtract the mean first, then square."),
)
LAYER_NORM = (
    Mistake(
        "mean not subtracted",
        "This is RMSNorm with a bias: the mean is still in. LayerNorm takes it off first.",
        (
            "Add 10 to every component. LayerNorm's result should not change.",
            "What must x lose before RMSNorm, so that a mean square becomes a variance?",
            "Call RMSNorm with `x - x.mean(-1, keepdim=True)`.",
        ),
        ({"centre": lambda wide: wide},),
    ),
    Mistake(
        "centred after the norm",
        "The scale is taken from the vector with its mean still in: the mean is subtracted after that, or only from "
        "what is divided.",
        ("Add 10 to every component. LayerNorm's result should not change.", "Centre first, then normalise."),
        ({"centre": lambda wide: wide, "after": lambda result, x: centred(result)},),
    ),
    Mistake(
        "unbiased variance",
        "The variance divides by d − 1; LayerNorm's divides by d.",
        ("Compare with `torch.nn.functional.layer_norm` for d = 2.", "A mean of squares divides by d."),
        ({"statistic": unbiased_variance}, {"statistic": over_one_less}),
        "harvardnlp/annotated-transformer#122",
    ),
    Mistake(
        "bias forgotten",
        "The bias is not added.",
        ("LayerNorm has one thing that RMSNorm has not.", "Add `bias` at the end."),
        ({"shift": lambda result, weight, bias: result},),
    ),
    Mistake(
        "bias subtracted",
        "The bias is subtracted; it should be added.",
        ("Try a weight of zeros: the result should be the bias.", "`+ bias`"),
        ({"shift": lambda result, weight, bias: result - bias},),
    ),
    Mistake(
        "bias multiplied by the weight",
        "The bias is added before the weight is applied, so that the weight multiplies it too.",
        ("Try a weight of zeros: the result should be the bias.", "Weight first, then bias."),
        ({"shift": lambda result, weight, bias: result + weight * bias},),
    ),
    Mistake(
        "mean over tokens and features",
        "One mean is subtracted from all tokens; each token has a mean of its own.",
        ("Change one token. Do the results of the others stay?", "`dim=-1` takes the mean over the features alone."),
        ({"centre": lambda wide: wide - wide.mean()},),
        "bkitano/llama-from-scratch#4",
    ),
    Mistake(
        "keepdim forgotten at the mean",
        "The mean has lost its last axis, so it does not line up with x: for some shapes that is an error, for a "
        "square one each feature is shifted by another token's mean.",
        ("What shape has `x.mean(dim=-1)` for x of shape (4, 4)?", "`keepdim=True` keeps the last axis with length 1."),
        ({"centre": lambda wide: wide - wide.mean(-1)},),
    ),
    Mistake(
        "arguments in another order",
        "The arguments are taken in another order than they are passed: `x`, `weight`, `bias`, `eps`.",
        ("Which arguments does the first line of your function name?", "eps comes last."),
        ({"order": lambda x, weight, eps, bias: (x, weight, bias, eps)},),
    ),
    Mistake(
        "weight and bias exchanged",
        "Weight and bias are exchanged.",
        ("Try a weight of zeros: the result should be the bias.", "Times the weight, plus the bias."),
        ({"order": lambda x, weight, eps, bias: (x, bias, eps, weight)},),
    ),
    *EPS,
    *GAIN,
    *named(NORM, "multiplied by the scale", "not normalised", "input added to the result"),
    *named(  # the centred vector has mean 0, so the others cannot happen or have another name
        STATISTIC,
        "sum instead of mean",
        "divided by d outside the root",
        "root forgotten",
        "root taken twice",
        "mean of absolute values",
        "statistic over tokens",
        "statistic over tokens and features",
        "keepdim forgotten",
    ),
)
