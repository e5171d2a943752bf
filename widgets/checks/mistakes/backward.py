"""How people get the gradient of RMSNorm wrong."""

from __future__ import annotations

import torch

from widgets.checks.mistakes.diagnosis import Mistake, named
from widgets.checks.mistakes.norm_formulas import centred
from widgets.checks.mistakes.norms import EPS
from widgets.checks.mistakes.statistic import STATISTIC

BACKWARD = (
    Mistake(
        "second term forgotten",
        "grad_x lacks its second term: the scale depends on x too, so x acts on the result in two ways.",
        (
            "The result is a quotient. Which two places does x stand in?",
            "The second term removes from the gradient what points along the normalised vector.",
            "Subtract `normalised * (grad * normalised).mean(-1, keepdim=True)` before dividing by the scale.",
        ),
        ({"second": lambda z, grad, grad_output, x: 0},),
        "tinygrad/tinygrad#4904",
    ),
    Mistake(
        "sum instead of mean in the second term",
        "The second term sums over the features; a mean square hands on the gradient of a mean.",
        ("Differentiate mean(x²) by one component: 2x / d.", "`.mean(...)`, not `.sum(...)`."),
        ({"second": lambda z, grad, grad_output, x: z * (grad * z).sum(-1, keepdim=True)},),
    ),
    Mistake(
        "second term added",
        "The second term is added; it should be subtracted.",
        ("A larger x makes the scale larger and the result smaller.", "`grad - ...`"),
        ({"second": lambda z, grad, grad_output, x: -z * (grad * z).mean(-1, keepdim=True)},),
    ),
    Mistake(
        "normalised vector missing in the second term",
        "The second term is a plain mean; it points along the normalised vector, so it is multiplied by it.",
        ("What shape has your second term, and what shape should it have?", "Multiply the mean by the normalised x."),
        ({"second": lambda z, grad, grad_output, x: (grad * z).mean(-1, keepdim=True)},),
    ),
    Mistake(
        "second term of x instead of the normalised x",
        "The second term uses x where the normalised x belongs.",
        ("Multiply x by 10: your second term should stay.", "Use x divided by its scale, in both places."),
        ({"second": lambda z, grad, grad_output, x: x * (grad * x).mean(-1, keepdim=True)},),
    ),
    Mistake(
        "second term over all tokens",
        "The mean in the second term runs over all tokens; each token is normalised alone.",
        ("Change one token's gradient. Do the others stay?", "`dim=-1, keepdim=True`"),
        ({"second": lambda z, grad, grad_output, x: z * (grad * z).mean()},),
    ),
    Mistake(
        "keepdim forgotten in the second term",
        "The mean in the second term has lost its last axis, so it does not line up with its tokens.",
        ("Which shape has the mean, and which the normalised x?", "`keepdim=True`"),
        ({"second": lambda z, grad, grad_output, x: z * (grad * z).mean(-1)},),
    ),
    Mistake(
        "weight forgotten in grad_x",
        "grad_x ignores the weight; the gradient passes through the gain on its way to x.",
        ("The last step forwards is the first backwards.", "Begin with `grad = grad_output * weight`."),
        ({"through": lambda grad_output, weight: grad_output},),
    ),
    Mistake(
        "weight applied at the end",
        "grad_x is multiplied by the weight at the end; the gain was the last step forwards, so it comes first.",
        ("The last step forwards is the first backwards.", "Begin with `grad = grad_output * weight`."),
        ({"through": lambda grad_output, weight: grad_output, "last": torch.mul},),
    ),
    Mistake(
        "weight forgotten in the second term",
        "The second term uses `grad_output` without the weight; both terms need the gradient that passed the gain.",
        ("Which gradient reaches the normalised vector?", "Use `grad_output * weight` in both terms."),
        ({"second": lambda z, grad, grad_output, x: z * (grad_output * z).mean(-1, keepdim=True)},),
    ),
    Mistake(
        "divided by the weight",
        "grad_x divides by the weight; the gradient of a product multiplies.",
        ("Differentiate weight · z by z.", "`grad_output * weight`"),
        ({"through": torch.div},),
    ),
    Mistake(
        "scale forgotten",
        "grad_x should be divided by the scale; yours is multiplied by it, or neither.",
        ("Multiply x by 10: the gradient should become ten times smaller.", "Divide both terms by the scale."),
        ({"divide": lambda grad, scale: grad}, {"divide": torch.mul}),
    ),
    Mistake(
        "divided by the mean square",
        "grad_x is divided by the mean square; its root is the scale.",
        ("Multiply x by 10: the gradient should become ten times smaller.", "Divide by the root."),
        ({"divide": lambda grad, scale: grad / scale.square()},),
    ),
    Mistake(
        "LayerNorm's gradient",
        "grad_x has its mean taken off: that term belongs to LayerNorm.",
        ("LayerNorm subtracts a mean forwards, hence backwards.", "RMSNorm's gradient has two terms, not three."),
        (
            {"last": lambda grad_x, weight: centred(grad_x)},
            {"second": lambda z, grad, grad_output, x: grad - centred(grad) + z * (grad * z).mean(-1, keepdim=True)},
        ),
    ),
    Mistake(
        "grad_weight not summed",
        "grad_weight is not summed over the tokens: every token used the same weight.",
        (
            "Which shape has `weight`? Its gradient has the same.",
            "Sum over all axes but the last, however many there are.",
        ),
        ({"total": lambda shares: shares}, {"total": lambda shares: shares.sum(dim=0)}),
    ),
    Mistake(
        "sum over no axes",
        "For a single vector there are no axes to sum over, and torch takes an empty tuple of axes for all of them: "
        "grad_weight is one number then.",
        (
            "What does `x.sum(dim=())` give?",
            "`reshape(-1, d)` makes rows of the tokens, however many axes they stand in.",
        ),
        ({"total": lambda shares: shares.sum(dim=tuple(range(shares.dim() - 1)))},),
    ),
    Mistake(
        "grad_weight averaged",
        "grad_weight is a mean over the tokens; what several users of one weight contribute is summed.",
        ("Repeat every token twice: grad_weight should double.", "`.sum(...)`, not `.mean(...)`."),
        ({"total": lambda shares: shares.reshape(-1, shares.shape[-1]).mean(dim=0)},),
    ),
    Mistake(
        "grad_weight over the features",
        "grad_weight is summed over the features; it should be summed over the tokens.",
        ("Which shape has `weight`? Its gradient has the same.", "Sum over all axes but the last."),
        ({"total": lambda shares: shares.sum(dim=-1)},),
    ),
    Mistake(
        "grad_weight without the norm",
        "grad_weight uses x; the weight multiplies the normalised x.",
        ("Multiply x by 10: grad_weight should stay.", "`grad_output * normalised`, then sum."),
        ({"share": lambda grad_output, z, x, weight: grad_output * x},),
    ),
    Mistake(
        "grad_weight without the input",
        "grad_weight is the gradient of the output alone; that would be the gradient of a bias.",
        ("Differentiate weight · z by weight.", "`grad_output * normalised`, then sum."),
        ({"share": lambda grad_output, z, x, weight: grad_output},),
    ),
    Mistake(
        "weight left in grad_weight",
        "grad_weight still contains the weight: the derivative of weight · z by the weight is z.",
        ("Differentiate weight · z by weight.", "`grad_output * normalised`, then sum."),
        ({"share": lambda grad_output, z, x, weight: grad_output * z * weight},),
    ),
    Mistake(
        "results exchanged",
        "The two results come in the other order: `(grad_x, grad_weight)`.",
        ("Read the specification's last line.", "Return `grad_x, grad_weight`."),
        ({"returned": lambda grad_x, grad_weight: (grad_weight, grad_x)},),
    ),
    Mistake(
        "arguments in another order",
        "The arguments are taken in another order than they are passed: `grad_output`, `x`, `weight`, `eps`.",
        ("Read the first line of your function.", "`def rms_norm_backward(grad_output, x, weight, eps):`"),
        (
            {"order": lambda grad_output, x, weight: (x, grad_output, weight)},
            {"order": lambda grad_output, x, weight: (weight, grad_output, x)},
        ),
    ),
    *named(EPS, "eps outside the root", "eps ignored", "eps hard-coded", "eps squared"),
    *named(STATISTIC, "variance instead of mean square", "sum instead of mean"),
)
