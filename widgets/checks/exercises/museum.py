"""The bug museum of exercise notebook 06: six faults that happened in public code, and what counts as mended.

A program that only hides the symptom is refused: every exhibit knows a few ways to do that, and is tried where the
symptom does not show.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from widgets.checks.exercises.exercise import Exercise
from widgets.checks.exercises.probes import gains, norm_probe, numbers, right_for
from widgets.checks.exercises.rmsnorm import MIXED_PROBES, NORM_PROPERTIES, RMS_NORM_CUT, RMS_NORM_FORMULA
from widgets.checks.exercises.swiglu import FUSED_FORMULA, in_one_matrix
from widgets.checks.ladder.rungs import Rung
from widgets.checks.ladder.tensors import Formula, Probe, Property
from widgets.checks.mistakes import norm_formulas
from widgets.checks.mistakes.diagnosis import Mistake, close, named
from widgets.checks.mistakes.norms import HALF as HALF_PRECISION
from widgets.checks.verdict import Verdict
from widgets.inputs import shortened


@dataclass(frozen=True)
class Exhibit(Exercise):
    """One bug. The program, mended, may work in place on copies of its own, which autograd does not follow."""

    in_place: bool = True


def check_bug(number: int, fixed: Callable[..., Any]) -> Verdict:
    """Is the bug with this number, 1 to 6, mended, and not only hidden?

    Raises ValueError for another number.
    """
    if type(number) is not int or number not in EXHIBITS:
        raise ValueError(f"Expected the number of a bug, 1 to {len(EXHIBITS)}; got {shortened(number)}.")
    return EXHIBITS[number].check(fixed)


# 1: eps outside the root


_TOKENS = numbers(2, 3, 8, seed=111, shift=0.5) * torch.tensor([[[1.0], [4.0], [0.2]]])

OUTSIDE = Exhibit(
    "mended_1(x, weight, eps)",
    replace(
        RMS_NORM_FORMULA,
        properties=(
            *NORM_PROPERTIES,
            Property(
                lambda f: not right_for(norm_formulas.rms_norm, (_TOKENS, gains(8), 0.0))(f),
                "Without eps the result is right, with eps it is not. A smaller eps makes the fault smaller, no more.",
            ),
        ),
    ),
    (
        "Which of the two is added to eps: the mean square, or its root?",
        "A smaller eps makes the difference smaller and leaves the fault where it is.",
    ),
    arguments=("x", "weight"),
    gradient=RMS_NORM_CUT,
)


# 2: one statistic for all tokens

SHARED = Exhibit(
    "mended_2(x, weight, eps)",
    replace(
        RMS_NORM_FORMULA,
        probes=(
            norm_probe("tokens of different sizes", _TOKENS, 1e-5),
            norm_probe("a single token", numbers(1, 1, 6, seed=121), 1e-5),
            norm_probe("as many tokens as features", numbers(2, 4, 4, seed=124, shift=0.6), 1e-5),
            *(one for one in RMS_NORM_FORMULA.probes if one.args[0].dim() > 1),
        ),
        properties=(
            *NORM_PROPERTIES,
            Property(
                lambda f: close(
                    f(torch.cat([_TOKENS, 9 * _TOKENS], dim=1), gains(8), 1e-5)[:, :3], f(_TOKENS, gains(8), 1e-5)
                ),
                "Three more tokens after the sequence change the results of those before them.",
            ),
        ),
    ),
    (
        "Change the last token. Does the result of the first one change?",
        "Over which axes does the sum run, and by how many numbers is it divided?",
        "A token is its last axis, whatever stands before it.",
    ),
    arguments=("x", "weight"),
    gradient=RMS_NORM_CUT,
)


# 3: squares in float16


_SIGNS = torch.tensor([1.0, -1, 1, 1, -1, 1, -1, -1])
_HALF_BANK = (
    *HALF_PRECISION,
    Mistake(
        "clamped instead of mended",
        "The zeros are gone, but large numbers are cut off: the result is wrong where it was zero.",
        ("Compare [300, 600] with [255, 255].", "Nothing needs to be cut off when the squares are in float32."),
        (
            *({"widen": lambda x, at=at: x.clamp(-at, at).float()} for at in (255, 250, 256, 1000)),
            {"add": lambda statistic, eps, root, d: root(statistic.clamp(max=65504.0) + eps)},
            {"statistic": lambda x, over: x.square().clamp(max=65504.0).mean(**over)},
        ),
    ),
    Mistake(
        "scaled down without scaling eps",
        "The numbers are made smaller before they are squared, and eps is not: for small x it now counts too much or "
        "too little.",
        (
            "Try numbers of about 0.01 with eps = 1e-4, and compare with float32.",
            "A wider dtype needs no such trick: `x.float()`.",
        ),
        (
            {"widen": lambda x: (x / x.abs().amax(dim=-1, keepdim=True)).float()},
            *({"widen": lambda x, by=by: (x / by).float()} for by in (10, 16, 100, 256, 1000)),
        ),
        "apple/coremltools#2822",
    ),
)

_LARGE = norm_probe("numbers from 100 to 60000", (_SIGNS * torch.logspace(2, 4.778, 8)).half().unsqueeze(0), 1e-6)
_USUAL = norm_probe("numbers of about 1", numbers(2, 8, seed=131, dtype=torch.float16), 1e-6)
_usual, _large = (right_for(norm_formulas.rms_norm, one.args) for one in (_USUAL, _LARGE))

HALF = Exhibit(
    "mended_3(x, weight, eps)",
    Formula(
        norm_formulas.rms_norm,
        _HALF_BANK,
        (
            norm_probe("300 in float16", (300 * _SIGNS).half(), 1e-6),
            _LARGE,
            norm_probe("numbers of about 0.01 and eps = 1e-4", (0.01 * _SIGNS + 0.004).half(), 1e-4),
            _USUAL,
        ),
        (
            Property(
                lambda f: _large(f) or not _usual(f) or not f(*_LARGE.args).any(),  # zeros are the bug itself
                "Small numbers are right, and large ones are not.",
                named(_HALF_BANK, "clamped instead of mended")[0],
            ),
        ),
        last="Compare with what the formula gives for the same numbers in float32.",
    ),
    (
        "What is 300² in float16?",
        "The squares need a wider dtype; the result does not.",
        "The largest float16 number is 65504. Which line goes beyond it, and what could it compute with instead?",
    ),
    afterwards=(
        *MIXED_PROBES,
        norm_probe("200 in float16", (200 * _SIGNS).half(), 1e-6),
        norm_probe("zeros in float16 and eps = 1e-12", (0 * _SIGNS).half(), 1e-12),
    ),
)


# 4: the residual overwritten


Add = Callable[..., Tensor]


def block(
    x: Tensor, weight: Tensor, eps: float, sublayer: Callable[[Tensor], Tensor], *, add: Add | None = None
) -> Tensor:
    """x: (..., d) -> (..., d), x plus what a sublayer makes of its norm. add(x, normalised, sublayer, norm)"""

    def norm(y: Tensor, weight: Tensor = weight) -> Tensor:
        return norm_formulas.rms_norm(y, weight, eps)

    return add(x, norm(x), sublayer, norm) if add else x + sublayer(norm(x))


def _unweighted(x: Tensor, normalised: Tensor, sublayer: Add, norm: Add) -> Tensor:
    return norm(x, torch.ones(x.shape[-1], dtype=x.dtype)) + sublayer(normalised)


def _unweighted_in_float32(x: Tensor, normalised: Tensor, sublayer: Add, norm: Add) -> Tensor:
    return _unweighted(x, normalised, sublayer, norm) if x.dtype == torch.float32 else x + sublayer(normalised)


def _sublayer(h: Tensor) -> Tensor:
    return torch.tanh(2 * h).roll(1, dims=-1)


_RESIDUAL_BANK = (
    Mistake(
        "residual normalised",
        "What is added at the end is the normalised vector, not x.",
        ("Which tensor does the last line add?", "x must still hold its numbers at that point."),
        (
            {"add": lambda x, normalised, sublayer, norm: normalised + sublayer(normalised)},
            {"add": _unweighted},
            {"add": _unweighted_in_float32},
        ),
        "GeeeekExplorer/nano-vllm#170",
    ),
    Mistake(
        "residual missing",
        "x is not added any more.",
        ("What should the block return when the sublayer gives zeros?", "x + sublayer(normalised)"),
        ({"add": lambda x, normalised, sublayer, norm: sublayer(normalised)},),
    ),
    Mistake(
        "norm left out",
        "The sublayer receives x itself: the norm is gone, and with it the fault.",
        ("What is the sublayer meant to see?", "x + sublayer(normalised)"),
        ({"add": lambda x, normalised, sublayer, norm: x + sublayer(x)},),
    ),
    Mistake(
        "norm after the sublayer",
        "The norm comes last: that is another block (post-norm).",
        ("What is the sublayer meant to see?", "x + sublayer(normalised)"),
        (
            {"add": lambda x, normalised, sublayer, norm: norm(x + sublayer(x))},
            {"add": lambda x, normalised, sublayer, norm: x + norm(sublayer(x))},
        ),
    ),
)

_BFLOAT16 = numbers(4, 6, seed=143, size=3, shift=1, dtype=torch.bfloat16)

RESIDUAL = Exhibit(
    "mended_4(x, weight, eps, sublayer)",
    Formula(
        block,
        _RESIDUAL_BANK,
        tuple(
            Probe(words, (x, gains(x.shape[-1], dtype), eps, _sublayer))
            for words, x, dtype, eps in (
                ("x in float32", numbers(2, 3, 8, seed=141, size=3, shift=1, dtype=torch.float32), torch.float32, 1e-5),
                ("x in float64", numbers(4, 6, seed=142, size=3, shift=1), torch.float64, 0.1),
                ("x in bfloat16", _BFLOAT16, torch.bfloat16, 1e-5),
            )
        ),
        last="Two things are added: x as it came, and what the sublayer makes of its norm.",
    ),
    (
        "Print x before and after the call, in float32 and in bfloat16.",
        "What does `.float()` return when the tensor is float32 already?",
        "No method that ends in `_`: `wide * scale` instead of `wide.mul_(scale)`.",
    ),
    afterwards=(Probe("x in bfloat16 and a weight in float32", (_BFLOAT16, gains(6, torch.float32), 1e-5, _sublayer)),),
    arguments=("x", "weight"),
)


# 5: the halves of a joint matrix


EXCHANGE = Exhibit(
    "mended_5(x, gate_up_weight, down_weight)",
    in_one_matrix(FUSED_FORMULA),
    (
        "Which rows of the joint matrix are the gate's, and which half of the result is that?",
        "The half that passes through SiLU is the gate.",
        "`chunk(2, dim=-1)` gives the first half first.",
    ),
    arguments=("x", "the joint matrix", "the down matrix"),
)


# 6: the wrong projection scaled down


def init_std(
    name: str,
    n_layers: int,
    *,
    scaled: tuple[str, ...] = ("wo", "w2"),
    shrink: Callable[[int], float] = lambda n_layers: 1 / math.sqrt(2 * n_layers),
) -> float:
    """The standard deviation with which the parameter of this name starts.

    Source: the GPT-2 paper, section 2.3: residual layers scaled by 1 / √N for N of them, here 2 per block.
    """
    return 0.02 * (shrink(n_layers) if name.removesuffix(".weight").split(".")[-1] in scaled else 1.0)


_BOTH = "`w2.weight` and `wo.weight`"
_LAST = ("LLaMA's layer is w2(silu(w1 x) · w3 x). Which matrix comes last?", _BOTH)
_TOO_MANY = (("wo", "w2", "w3"), ("wo", "w1", "w2", "w3"), ("w1", "w2", "w3"), ("w2", "w3"))
_EVERY_MATRIX = ("wq", "wk", "wv", "wo", "w1", "w2", "w3")
_INIT_BANK = (
    Mistake(
        "w3 instead of w2",
        "The fault is still there: w3 leads up into the hidden layer, and what writes to the residual stream is w2.",
        _LAST,
        ({"scaled": ("wo", "w3")},),
        "karpathy/llama2.c#579",
    ),
    Mistake(
        "too many matrices scaled",
        "w2 is scaled now, and so are matrices that do not write to the residual stream.",
        ("Which matrices write to the residual stream? There are two in a block.", _BOTH),
        tuple({"scaled": scaled} for scaled in (*_TOO_MANY, _EVERY_MATRIX)),
    ),
    Mistake(
        "too few matrices scaled",
        "Two matrices of a block write to the residual stream; not all of them are scaled.",
        ("One ends the attention, the other ends the feed-forward layer.", _BOTH),
        ({"scaled": ("wo",)}, {"scaled": ("w2",)}, {"scaled": ()}),
    ),
    Mistake(
        "w1 instead of w2",
        "w1 is the gate projection; it leads up into the hidden layer.",
        _LAST,
        ({"scaled": ("wo", "w1")},),
    ),
    Mistake(
        "another factor",
        "The right matrices are scaled, by another factor than 1 / √(2 · n_layers).",
        ("Leave the factor of the program as it was.",),
        ({"shrink": lambda n_layers: 1 / math.sqrt(n_layers)}, {"shrink": lambda n_layers: 1 / (2 * n_layers)}),
    ),
)


def _writes(given: float, name: str, n_layers: int) -> str:
    """Why a matrix is scaled or not, and by what factor this answer does it."""
    if name.endswith(("wo.weight", "w2.weight")):
        factor = f"{given / 0.02:.4g}"
        return f"It writes to the residual stream, so its factor is 1 / √(2 · layers); yours is {factor}."
    return "It does not write to the residual stream, so it is not scaled."


_NAMES = [f"layers.3.{where}" for where in ("attention.wq", "attention.wk", "attention.wv", "attention.wo")]
_NAMES += [f"layers.3.feed_forward.{matrix}" for matrix in ("w1", "w2", "w3")]
_NAMES += ["tok_embeddings", "word_embeddings", "output"]

SCALED = Exhibit(
    "mended_6(name, n_layers)",
    Formula(
        init_std,
        _INIT_BANK,
        tuple(Probe(f"{name}.weight with {n} layers", (f"{name}.weight", n)) for n in (8, 12) for name in _NAMES),
        telling=_writes,
    ),
    (
        "Which two matrices of a block write to the residual stream?",
        "LLaMA's layer is w2(silu(w1 x) · w3 x).",
        "One ends the attention; the other is the one that comes last in LLaMA's layer.",
    ),
    number=Rung.NUMBER,
)

EXHIBITS = {1: OUTSIDE, 2: SHARED, 3: HALF, 4: RESIDUAL, 5: EXCHANGE, 6: SCALED}
