"""The check of the learner's own test, in exercise notebook 05: which of fifteen RMSNorms does it judge rightly?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from widgets.checks.ladder.calling import callable_as
from widgets.checks.ladder.rungs import Rung
from widgets.checks.ladder.trial import Trial, judge
from widgets.checks.ladder.wording import kind, raised
from widgets.checks.mistakes import habits
from widgets.checks.mistakes.diagnosis import named
from widgets.checks.mistakes.norm_formulas import rms_norm, widened
from widgets.checks.mistakes.norms import CUT, HALF, RMS_NORM
from widgets.checks.runner import SEED_WORDS, Outcome
from widgets.checks.verdict import Verdict


def check_rmsnorm_test(works: Callable[[type[nn.Module]], bool]) -> Verdict:
    """How good is the learner's own test? It should say no to 12 broken RMSNorms and yes to 3 good ones.

    norm_class is built as RMSNorm(d_model, eps=1e-6), like the learner's.
    """
    return judge("works(norm_class)", WORKS_HINTS, lambda trial: _try_the_test(trial, works))


def _try_the_test(trial: Trial, works: Callable[[type[nn.Module]], bool]) -> None:
    callable_as(trial, works, nn.RMSNorm)
    answers = [_says_yes(trial, works, norm.make()) for norm in GOOD]
    accepted, raising = [yes for yes, _ in answers], next((one for _, one in answers if one.error), None)
    caught = [not _says_yes(trial, works, norm.make())[0] for norm in BROKEN]
    trial.settings.pop(SEED_WORDS, None)  # a test may well begin by seeding
    counts = f"Your test catches {sum(caught)} of {len(BROKEN)} broken versions"
    counts += f" and accepts {sum(accepted)} of {len(GOOD)} good ones."
    hints = _TOLERANCE if any(accepted) else (*_REFERENCE, *_TOLERANCE)
    if raising:
        its_own = hints if isinstance(raising.error, AssertionError) else ()
        trial.refuse(Rung.GOOD, f"{counts} {raised(trial.name, raising, 'on a good version')}", hints=its_own)
    if not all(accepted):
        trial.refuse(Rung.GOOD, counts, hints=hints)
    trial.passed(Rung.GOOD)
    for norm, yes in zip(BROKEN, caught, strict=True):
        if yes:
            trial.passed(f"catches: {norm.name}")
    if not all(caught):
        trial.refuse(Rung.OTHERS, counts, hints=BROKEN[caught.index(False)].hints)
    trial.praise = counts


def _says_yes(trial: Trial, works: Callable[..., Any], norm_class: type[nn.Module]) -> tuple[bool, Outcome]:
    """What the learner's test says; to raise is to say no, as tests written with `assert` do."""
    outcome = trial.run(works, norm_class)
    if outcome.error is not None:
        return False, outcome
    if outcome.value is None:
        trial.refuse(Rung.YES_OR_NO, f"`{trial.name}` gave None back.", [habits.nothing_returned(outcome.printed)])
    is_bool = isinstance(outcome.value, bool) or str(getattr(outcome.value, "dtype", "")).endswith("bool")
    if not is_bool or getattr(outcome.value, "ndim", 0) > 0:
        trial.refuse(Rung.YES_OR_NO, f"`works` returned {kind(outcome.value)}; expected True or False.")
    return bool(outcome.value), outcome


WORKS_HINTS = (
    "Build `norm_class(d)`, give it a batch, and compare with what `torch.nn.functional.rms_norm` says, with a "
    "tolerance.",
    "Numbers to try: a mean that is not 0, weights that are not 1, sizes 0.001 and 300, a large eps, all four dtypes.",
    "Besides numbers: the dtype of the result, the names of the parameters, `x` afterwards, gradients.",
)


# The norms on which it is tried. All are called RMSNorm and return the right shape: their outside tells nothing.


@dataclass(frozen=True)
class Specimen:
    """One norm: what is said about it once the test has judged it rightly, and hints for a test that has not.

    The hints say where to look and not what is wrong there.
    """

    name: str
    make: Callable[[], type[nn.Module]]
    hints: tuple[str, ...] = ()


def _norm(trained: bool = True, forward: Callable[..., Tensor] = rms_norm, **steps: Any) -> type[nn.Module]:
    class RMSNorm(nn.Module):
        def __init__(self, d_model: int, eps: float = 1e-6) -> None:
            super().__init__()
            ones = torch.ones(d_model)
            self.weight = nn.Parameter(ones) if trained else ones
            self.eps = eps

        def forward(self, x: Tensor) -> Tensor:
            return forward(x, self.weight, self.eps, **steps)

    return RMSNorm


def _built_in(x: Tensor, weight: Tensor, eps: float) -> Tensor:
    return nn.functional.rms_norm(x, weight.shape, weight.to(x.dtype), eps)


def _cast_last(x: Tensor, weight: Tensor, eps: float) -> Tensor:
    wide = widened(x)
    return (wide * torch.rsqrt(wide.square().mean(dim=-1, keepdim=True) + eps) * weight.to(wide.dtype)).to(x.dtype)


def _in_place(x: Tensor, weight: Tensor, eps: float) -> Tensor:
    wide = widened(x)
    wide.mul_(torch.rsqrt(wide.square().mean(dim=-1, keepdim=True) + eps))
    return (wide * weight).to(x.dtype)


_REFERENCE = (
    "Call `works` with your own RMSNorm of exercise 3, which should give True. Which of your lines says no, and for "
    "which dtype?",
    "If it is a comparison with a formula of your own: is that what `F.rms_norm` gives, for small x too?",
)
_TOLERANCE = (
    "A good version that you refuse is right up to rounding.",
    "Two right ways of rounding differ by one step: in bfloat16 by up to a hundredth, in float32 by a millionth.",
    "`torch.allclose(..., rtol=...)`, or `torch.testing.assert_close`, which knows a tolerance for each dtype.",
)

GOOD = (
    Specimen("casts before the weight, as LLaMA does", _norm),
    Specimen("casts after the weight, as Gemma does", partial(_norm, forward=_cast_last)),
    Specimen("torch's own", partial(_norm, forward=_built_in)),
)

_BANK = (*RMS_NORM, *HALF, *CUT)
_OWN: dict[str, Callable[[], type[nn.Module]]] = {
    "length instead of root mean square": partial(
        _norm, forward=lambda x, weight, eps: rms_norm(x, weight, eps) / len(weight) ** 0.5
    ),
    "float64 narrowed to float32": partial(_norm, forward=lambda x, w, eps: rms_norm(x.float(), w, eps).to(x.dtype)),
    "eps hard-coded": partial(_norm, forward=lambda x, weight, eps: rms_norm(x, weight, 1e-6)),
    "float32 returned for bfloat16": partial(_norm, forward=lambda x, weight, eps: widened(rms_norm(x, weight, eps))),
    "input changed in place": partial(_norm, forward=_in_place),
    "weight is not a parameter": partial(_norm, trained=False),
}
# A mistake of the bank, or one of our own; what is said of it as long as it is missed, and where to look.
_MISSED = (
    ("LayerNorm instead of RMSNorm", "is right for some x only.", "What is the mean of each vector that you try?"),
    (
        "length instead of root mean square",
        "points in the right direction.",
        "How long should the result be? Compare numbers, not directions or signs.",
    ),
    ("statistic over tokens and features", "is right for a single vector.", "Try several vectors of different sizes."),
    ("float64 narrowed to float32", "is right to seven digits.", "Try float64, with a tolerance that fits it."),
    ("eps outside the root", "is right for numbers of ordinary size.", "Try a vector whose numbers are near 0.001."),
    ("eps hard-coded", "is right with this eps.", "Build the norm with another eps, a large one."),
    ("weight never applied", "is right before training.", "What would training change? Change it yourself."),
    ("squares in float16", "is right for numbers of about 1.", "Try numbers of a few hundred, in each dtype."),
    (
        "float32 returned for bfloat16",
        "has the right numbers.",
        "What else has a tensor besides shape and numbers? Try bfloat16.",
    ),
    (
        "input changed in place",
        "returns the right result.",
        "What else could it do? Look at x afterwards, in float32.",
    ),
    (
        "denominator detached",
        "is right forwards.",
        "Compare gradients. Beware: the plain sum of the squares of a normalised vector has none.",
    ),
    ("weight is not a parameter", "computes everything right.", "What would an optimiser find in it?"),
)


def _specimen(mistake: str, *hints: str) -> Specimen:
    make = _OWN[mistake] if mistake in _OWN else partial(_norm, **named(_BANK, mistake)[0].variants[0])
    return Specimen(mistake.removesuffix(" instead of RMSNorm"), make, hints)


BROKEN = tuple(_specimen(name, f"One that you miss {what}", where) for name, what, where in _MISSED)
