"""The check of the learner's own test, in exercise notebook 05: which of fifteen RMSNorms does it judge rightly?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import nn

from .mistakes import habits
from .runner import SEED_WORDS
from .specimens import BROKEN, GOOD
from .trial import Trial, callable_as, judge, kind, raised
from .verdict import Verdict


def check_rmsnorm_test(works: Callable[[type[nn.Module]], bool]) -> Verdict:
    """How good is the learner's own test? It should say no to 12 broken RMSNorms and yes to 3 good ones.

    norm_class is built as RMSNorm(d_model, eps=1e-6), like the learner's.
    """
    return judge("works(norm_class)", WORKS_HINTS, lambda trial: _try_the_test(trial, works))


def _try_the_test(trial: Trial, works: Callable[[type[nn.Module]], bool]) -> None:
    callable_as(trial, works, nn.RMSNorm)
    trials = [_says_yes(trial, works, norm.make()) for norm in GOOD]
    accepted, why = [yes for yes, _ in trials], next((why for _, why in trials if why), "")
    caught = [not _says_yes(trial, works, norm.make())[0] for norm in BROKEN]
    trial.settings.pop(SEED_WORDS, None)  # a test may well begin by seeding
    counts = f"Your test catches {sum(caught)} of {len(BROKEN)} broken versions"
    counts += f" and accepts {sum(accepted)} of {len(GOOD)} good ones."
    if not all(accepted):
        refused = GOOD[accepted.index(False)]
        trial.refuse("accepts the good versions", f"{counts} {why}".strip(), hints=refused.hints)
    trial.passed("accepts the good versions")
    for norm, yes in zip(BROKEN, caught, strict=True):
        if yes:
            trial.passed(f"catches: {norm.name}")
    if not all(caught):
        missed = BROKEN[caught.index(False)]
        trial.refuse("catches the others", counts, hints=missed.hints)
    trial.praise = counts


def _says_yes(trial: Trial, works: Callable[..., Any], norm_class: type[nn.Module]) -> tuple[bool, str]:
    """What the learner's test says, and what it raised; to raise is to say no, as tests written with `assert` do."""
    outcome = trial.run(works, norm_class)
    if outcome.error is not None:
        return False, raised(trial, outcome, "on a good version")
    if outcome.value is None:
        trial.refuse(
            "returns True or False", "", [habits.PRINTED if outcome.printed.strip() else habits.NOTHING_RETURNED]
        )
    is_bool = isinstance(outcome.value, bool) or str(getattr(outcome.value, "dtype", "")).endswith("bool")
    if not is_bool or getattr(outcome.value, "ndim", 0):
        trial.refuse("returns True or False", f"`works` returned {kind(outcome.value)}; expected True or False.")
    return bool(outcome.value), ""


WORKS_HINTS = (
    "Build `norm_class(d)`, give it a batch, and compare with what the formula says, with a tolerance.",
    "What may a drop-in not do, or not lack? Dtypes, small and large numbers, eps, weight, gradients, its input.",
    "Compute what you expect with `torch.nn.functional.rms_norm`, and return False at the first difference.",
)
