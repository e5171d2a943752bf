"""How people get the root mean square wrong, in `rms` and in every norm that uses it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from widgets.checks.mistakes.diagnosis import Mistake


def count(x: Tensor, over: dict[str, Any]) -> int:
    """How many numbers are taken together."""
    return x.numel() // x.sum(dim=over["dim"]).numel()


def unbiased_variance(x: Tensor, over: dict[str, Any]) -> Tensor:
    return x.var(correction=1, **over)


def over_one_less(x: Tensor, over: dict[str, Any]) -> Tensor:
    return x.square().sum(**over) / (count(x, over) - 1)


def unrooted(statistic: Tensor) -> Tensor:
    return statistic


FIXED_EPS = (1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-10, 1e-12)
STATISTIC = (
    Mistake(
        "variance instead of mean square",
        "The mean is taken off before squaring: that is a variance or a standard deviation. A root mean square leaves "
        "the mean in.",
        (
            "Try x = [3, 3, 3]. Its root mean square is 3; what does yours say?",
            "`var` and `std` subtract the mean first. Square x itself.",
            "The mean square is `x.square().mean(-1, keepdim=True)`.",
        ),
        ({"statistic": lambda x, over: x.var(correction=0, **over)},),
        "huggingface/pytorch-image-models#2380",
    ),
    Mistake(
        "unbiased standard deviation",
        "The scale is torch's default standard deviation, which takes the mean off and divides by d − 1; wanted is the "
        "mean of the squares, over d.",
        (
            "Try x = [3, 3, 3]: its root mean square is 3.",
            "`x.std()` and `x.var()` subtract the mean and divide by d − 1, unless told otherwise.",
            "The mean square is `x.square().mean(-1, keepdim=True)`.",
        ),
        ({"statistic": unbiased_variance},),
        "harvardnlp/annotated-transformer#122",
    ),
    Mistake(
        "divided by d − 1",
        "The sum of squares is divided by d − 1; a mean divides by d.",
        ("How many numbers are there to average?", "d − 1 belongs to an estimated variance. Use `.mean(...)`."),
        ({"statistic": over_one_less},),
    ),
    Mistake(
        "sum instead of mean",
        "The squares are summed, not averaged: that is the length of the vector, √d times its root mean square.",
        (
            "Try x = [1, 1, 1, 1]. Its root mean square is 1.",
            "A norm (`torch.linalg.vector_norm`, `F.normalize`) sums the squares. What is left to divide by?",
            "Use `.mean(...)` of the squares, or divide the length by √d.",
        ),
        ({"statistic": lambda x, over: x.square().sum(**over)},),
        "huggingface/transformers#37934",
    ),
    Mistake(
        "divided by d outside the root",
        "The root is taken of the sum, and d divides it afterwards; d belongs under the root, with the sum.",
        ("Try x = [1, 1, 1, 1]. Its root mean square is 1.", "√(sum / d), not √(sum) / d."),
        ({"statistic": lambda x, over: x.square().mean(**over) / count(x, over)},),
    ),
    Mistake(
        "divided by a padded length",
        "The sum of squares is divided by the next power of two, as if the vector were filled up with zeros.",
        ("Try a vector of five numbers.", "Divide by the number of features, not by the size of a block."),
        ({"statistic": lambda x, over: x.square().sum(**over) / 2 ** (count(x, over) - 1).bit_length()},),
    ),
    Mistake(
        "root forgotten",
        "The root is missing: this is the mean square, which grows with the square of the input.",
        ("Multiply x by 10. By how much does your scale grow?", "Take the square root of the mean square."),
        ({"root": unrooted},),
    ),
    Mistake(
        "half instead of root",
        "No root is taken: Python reads `m ** 1 / 2` as `(m ** 1) / 2`, half of m, and `m ** -1 / 2` likewise.",
        ("Multiply x by 10. By how much does your scale grow?", "`m ** 0.5`, or `m.sqrt()`."),
        (
            {"root": lambda statistic: statistic / 2},
            {"add": lambda statistic, eps, root, d: 2 * (statistic + eps)},
        ),
    ),
    Mistake(
        "squared instead of rooted",
        "The mean square is squared once more where its root was meant.",
        ("Multiply x by 10. By how much does your scale grow?", "The last step is a square root."),
        ({"root": torch.square},),
    ),
    Mistake(
        "root taken twice",
        "The root is taken twice, so that the scale grows too slowly with the input.",
        ("Multiply x by 100. By how much does your scale grow?", "Look for `sqrt` and `rsqrt` in the same formula."),
        ({"root": lambda statistic: statistic.sqrt().sqrt()},),
    ),
    Mistake(
        "square forgotten",
        "The square is missing: positive and negative components cancel in a plain mean.",
        ("Try x = [1, −1].", "Square every component before you average."),
        ({"statistic": lambda x, over: x.mean(**over)},),
    ),
    Mistake(
        "doubled instead of squared",
        "Every component is doubled, not squared, so that positive and negative ones cancel.",
        ("What are 3 * 2 and 3 ** 2?", "`x ** 2`, or `x.square()`."),
        ({"statistic": lambda x, over: (2 * x).mean(**over)},),
    ),
    Mistake(
        "square and root forgotten",
        "Both the square and the root are missing: this is the plain mean of x.",
        ("Try x = [1, −1]. Its root mean square is 1.", "Three steps, from the inside: square, mean, root."),
        ({"statistic": lambda x, over: x.mean(**over), "root": unrooted},),
    ),
    Mistake(
        "squared after the mean",
        "The mean is taken before the square, which gives the size of the mean; the squares come first.",
        ("Try x = [1, −1]. Its root mean square is 1.", "The name read backwards is the order: square, mean, root."),
        ({"statistic": lambda x, over: x.mean(**over).square()},),
    ),
    Mistake(
        "mean of absolute values",
        "This is the mean of the absolute values; squares weigh large components more.",
        ("Try x = [3, 4] and work it out by hand: the root of (9 + 16) / 2.", "Squares, not absolute values."),
        ({"statistic": lambda x, over: x.abs().mean(**over), "root": unrooted},),
    ),
    Mistake(
        "root of absolute values",
        "Absolute values stand under the root where the squares should.",
        ("Multiply x by 4. By how much does your scale grow?", "Square every component before you average."),
        ({"statistic": lambda x, over: x.abs().mean(**over)}, {"statistic": lambda x, over: x.abs().sum(**over)}),
    ),
    Mistake(
        "sum of absolute values",
        "This is the sum of the absolute values; wanted is the root of the mean of the squares.",
        ("Try x = [3, 4] and work it out by hand: the root of (9 + 16) / 2.", "Squares, then a mean, then a root."),
        ({"statistic": lambda x, over: x.abs().sum(**over), "root": unrooted},),
    ),
    Mistake(
        "largest absolute value",
        "The scale is the largest component alone; all components count, each by its square.",
        ("Try x = [3, 4]. The root of (9 + 16) / 2 is 3.54.", "Squares, then a mean, then a root."),
        ({"statistic": lambda x, over: x.abs().amax(**over), "root": unrooted},),
    ),
    Mistake(
        "statistic over tokens",
        "The mean runs over the tokens instead of the features, so that tokens influence one another.",
        (
            "Change one token. Do the results of the others stay?",
            "Which axis holds the d features? The specification says: the last.",
            "`dim=-1`, whatever the number of axes.",
        ),
        ({"axes": lambda x: -2}, {"axes": lambda x: 0}, {"axes": lambda x: 1}),
        "kyegomez/zeta#180",
    ),
    Mistake(
        "statistic over tokens and features",
        "The mean runs over the tokens as well as the features: all tokens share one scale, and influence one another.",
        (
            "Change one token. Do the results of the others stay?",
            "A mean without `dim` runs over everything.",
            "Only over the features: `dim=-1`.",
        ),
        (
            {"axes": lambda x: tuple(range(x.dim()))[-2:]},
            {"axes": lambda x: tuple(range(1, x.dim())) or 0},
            {"axes": lambda x: tuple(range(x.dim()))},
            {"axes": lambda x: (1, 2)},
        ),
        "bkitano/llama-from-scratch#4",
    ),
    Mistake(
        "axis by its number",
        "The axis of the features is given by its number from the front, which is right for one number of axes only.",
        ("Try x with one axis, and with four.", "The features are last: `dim=-1`."),
        ({"axes": lambda x: 2},),
    ),
    Mistake(
        "axis put back on the wrong side",
        "The axis that the mean removed is put back elsewhere: the scales line up with other tokens than theirs.",
        ("Print the shape of x and that of your scale.", "`keepdim=True` leaves the axis where it was, at the end."),
        tuple({"keepdim": False, "back": lambda statistic, at=at: statistic.unsqueeze(at)} for at in (1, -2)),
    ),
    Mistake(
        "keepdim forgotten",
        "The axis that was averaged is gone: without `keepdim=True` the scale has one axis too few and does not line "
        "up with its tokens.",
        (
            "Print the shape of x and the shape of the mean.",
            "A scale of shape (..., 1) lines up with x of shape (..., d).",
            "Pass `keepdim=True`.",
        ),
        ({"keepdim": False},),
    ),
)

RMS = (
    *STATISTIC,
    Mistake(
        "eps in the root mean square",
        "A small number is added. The root mean square itself has no eps: for a vector of zeros it is 0. The norm "
        "adds it, in the next exercise.",
        ("Try a vector of zeros.", "Leave eps out here."),
        tuple(
            {"add": add}
            for eps in FIXED_EPS
            for add in (
                lambda statistic, _, root, d, eps=eps: root(statistic + eps),
                lambda statistic, _, root, d, eps=eps: root(statistic) + eps,
            )
        ),
    ),
    Mistake(
        "reciprocal returned",
        "This is one divided by the root mean square.",
        ("Try x = [2, 2]. Its root mean square is 2.", "`rsqrt` is 1 divided by the root. Use `sqrt`."),
        ({"returned": lambda scale, x: 1 / scale},),
    ),
    Mistake(
        "normalised vector returned",
        "This is x divided by its root mean square; wanted is the root mean square alone.",
        ("Which shape is asked for?", "Return the scale of shape (..., 1), before dividing by it."),
        ({"returned": lambda scale, x: x / scale},),
    ),
)
