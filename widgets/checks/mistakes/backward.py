"""How people get the gradient of RMSNorm wrong."""

from __future__ import annotations

from . import Mistake
from .norms import EPS
from .statistic import STATISTIC

BACKWARD = (
    Mistake(
        "second term forgotten",
        "grad_x lacks its second term: the scale depends on x too, so x acts on the result in two ways.",
        (
            "The result is a quotient. Which two places does x stand in?",
            "The second term removes from the gradient what points along the normalised vector.",
            "Subtract `normalised * (grad * normalised).mean(-1, keepdim=True)` before dividing by the scale.",
        ),
        ({"correction": "none"},),
        "tinygrad/tinygrad#4904",
    ),
    Mistake(
        "sum instead of mean in the second term",
        "The second term sums over the features; a mean square hands on the gradient of a mean.",
        ("Differentiate mean(x²) by one component: 2x / d.", "`.mean(...)`, not `.sum(...)`."),
        ({"correction": "sum"},),
    ),
    Mistake(
        "second term added",
        "The second term is added; it should be subtracted.",
        ("A larger x makes the scale larger and the result smaller.", "`grad - ...`"),
        ({"correction": "plus"},),
    ),
    Mistake(
        "normalised vector missing in the second term",
        "The second term is a plain mean; it points along the normalised vector, so it is multiplied by it.",
        (
            "What shape has your second term, and what shape should it have?",
            "Multiply the mean by the normalised x.",
        ),
        ({"correction": "inner only"},),
    ),
    Mistake(
        "second term of x instead of the normalised x",
        "The second term uses x where the normalised x belongs.",
        ("Multiply x by 10: your second term should stay.", "Use x divided by its scale, in both places."),
        ({"correction": "unnormalised"},),
    ),
    Mistake(
        "second term over all tokens",
        "The mean in the second term runs over all tokens; each token is normalised alone.",
        ("Change one token's gradient. Do the others stay?", "`dim=-1, keepdim=True`"),
        ({"correction": "over everything"},),
    ),
    Mistake(
        "weight forgotten in grad_x",
        "grad_x ignores the weight; the gradient passes through the gain on its way to x.",
        ("The last step forwards is the first backwards.", "Begin with `grad = grad_output * weight`."),
        ({"gain": "forgotten"},),
    ),
    Mistake(
        "weight applied at the end",
        "grad_x is multiplied by the weight at the end; the gain was the last step forwards, so it comes first.",
        ("The last step forwards is the first backwards.", "Begin with `grad = grad_output * weight`."),
        ({"gain": "last"},),
    ),
    Mistake(
        "weight forgotten in the second term",
        "The second term uses `grad_output` without the weight; both terms need the gradient that passed the gain.",
        ("Which gradient reaches the normalised vector?", "Use `grad_output * weight` in both terms."),
        ({"correction": "gain forgotten"},),
    ),
    Mistake(
        "divided by the weight",
        "grad_x divides by the weight; the gradient of a product multiplies.",
        ("Differentiate weight · z by z.", "`grad_output * weight`"),
        ({"gain": "divided"},),
    ),
    Mistake(
        "scale forgotten",
        "grad_x is not divided by the scale.",
        (
            "Multiply x by 10: the gradient should become ten times smaller.",
            "Divide both terms by the scale.",
        ),
        ({"scaled": 0},),
    ),
    Mistake(
        "divided by the mean square",
        "grad_x is divided by the mean square; its root is the scale.",
        ("Multiply x by 10: the gradient should become ten times smaller.", "Divide by the root."),
        ({"scaled": 2},),
    ),
    Mistake(
        "LayerNorm's gradient",
        "grad_x has its mean taken off: that term belongs to LayerNorm.",
        (
            "LayerNorm subtracts a mean forwards, hence backwards.",
            "RMSNorm's gradient has two terms, not three.",
        ),
        ({"centred": True},),
    ),
    Mistake(
        "grad_weight not summed",
        "grad_weight is not summed over the tokens: every token used the same weight.",
        (
            "Which shape has `weight`? Its gradient has the same.",
            "Sum over all axes but the last, however many there are.",
        ),
        ({"weight_sum": "nothing"}, {"weight_sum": "first axis"}),
    ),
    Mistake(
        "grad_weight averaged",
        "grad_weight is a mean over the tokens; what several users of one weight contribute is summed.",
        ("Repeat every token twice: grad_weight should double.", "`.sum(...)`, not `.mean(...)`."),
        ({"weight_sum": "mean"},),
    ),
    Mistake(
        "grad_weight over the features",
        "grad_weight is summed over the features; it should be summed over the tokens.",
        ("Which shape has `weight`? Its gradient has the same.", "Sum over all axes but the last."),
        ({"weight_sum": "features"},),
    ),
    Mistake(
        "grad_weight without the norm",
        "grad_weight uses x; the weight multiplies the normalised x.",
        ("Multiply x by 10: grad_weight should stay.", "`grad_output * normalised`, then sum."),
        ({"weight_of": "x"},),
    ),
    Mistake(
        "grad_weight without the input",
        "grad_weight is the gradient of the output alone; that would be the gradient of a bias.",
        ("Differentiate weight · z by weight.", "`grad_output * normalised`, then sum."),
        ({"weight_of": "nothing"},),
    ),
    Mistake(
        "weight left in grad_weight",
        "grad_weight still contains the weight: the derivative of weight · z by the weight is z.",
        ("Differentiate weight · z by weight.", "`grad_output * normalised`, then sum."),
        ({"weight_of": "gained"},),
    ),
    Mistake(
        "results exchanged",
        "The two results come in the other order: `(grad_x, grad_weight)`.",
        ("Read the specification's last line.", "Return `grad_x, grad_weight`."),
        ({"returned": "weight, x"},),
    ),
    Mistake(
        "arguments in another order",
        "The arguments are taken in another order than they are passed: `grad_output`, `x`, `weight`, `eps`.",
        ("Read the first line of your function.", "`def rms_norm_backward(grad_output, x, weight, eps):`"),
        tuple({"order": order} for order in ("x, grad_output, weight", "x, weight, grad_output")),
    ),
    *(one for one in EPS if one.name in ("eps outside the root", "eps ignored", "eps hard-coded", "eps squared")),
    *(one for one in STATISTIC if one.name in ("variance instead of mean square", "sum instead of mean")),
)
