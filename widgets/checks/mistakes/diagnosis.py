"""How a known mistake is recognised.

A formula takes its steps as arguments, and a mistake exchanges one of them. The learner's code and every mistake are
run on the same probes: who answers alike on all of them is the diagnosis. Since steps combine, two mistakes made
together are recognised without listing every pair.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, compress
from typing import Any

import torch
from torch import Tensor

Steps = dict[str, Any]  # the steps of a formula that are exchanged, by name
Answer = Any  # the values a call gave, or the kind of error it raised

# How far an element may be off: as a part of its own size, and as a part of the largest of its row, which is where the
# sums and differences that lead to it have lost their digits.
OWN = {torch.float64: 1e-6, torch.float32: 2e-5, torch.float16: 2e-3, torch.bfloat16: 2e-2}
ROW = {torch.float64: 1e-11, torch.float32: 2e-5, torch.float16: 2e-3, torch.bfloat16: 2e-2}
MOST_PAIRED = 16  # variants of a mistake that still combines with others
NOTHING = 1e-30  # less than this is rounded to zero, and so is all the rest of a row of zeros


@dataclass(frozen=True, eq=False)
class Mistake:
    """A known way to get it wrong.

    variants: the steps that it exchanges in the formula, one entry per variant (eps hard-coded as 1e-5, as 1e-6, ...)
    source: where it happened in public, as owner/name#number
    """

    name: str
    sentence: str
    hints: tuple[str, ...]
    variants: tuple[Steps, ...] = ()
    source: str = ""


@dataclass(frozen=True)
class Evidence:
    """Arguments, what the learner's code answered to them, and whether that was right."""

    args: tuple[Any, ...]
    given: Answer
    right: bool = False


def named(bank: Sequence[Mistake], *names: str) -> tuple[Mistake, ...]:
    """The mistakes of a bank that have these names, in the bank's order. Raises KeyError for a name it has not."""
    if missing := set(names) - {one.name for one in bank}:
        raise KeyError(*missing)
    return tuple(one for one in bank if one.name in names)


def answer(function: Callable[..., Any], args: Sequence[Any], **steps: Any) -> Answer:
    """What a formula of ours answers: its values as a tuple, or the type of the error."""
    try:
        value = function(*args, **steps)
    except Exception as error:
        return type(error)
    return value if isinstance(value, tuple) else (value,)


def fresh(arg: Any) -> Any:
    """A copy, so that whoever changes its arguments changes nobody else's. Strides are kept."""
    if not isinstance(arg, Tensor):
        return arg
    return torch.empty_strided(arg.size(), arg.stride(), dtype=arg.dtype).copy_(arg.detach())


def close(actual: Any, expected: Any) -> bool:
    """Equal up to what the coarser of the dtypes can hold, for tensors of one shape; plain equality for anything else.

    Each element is measured by its own size, and a little by the largest of its row: zeros must be zeros.
    """
    if isinstance(actual, float) and isinstance(expected, float):
        return math.isclose(actual, expected, rel_tol=1e-6)
    if not (isinstance(actual, Tensor) and isinstance(expected, Tensor)):
        return type(actual) is type(expected) and bool(actual == expected)
    if actual.shape != expected.shape or actual.device != expected.device:
        return False
    if actual.is_complex() or expected.is_complex() or actual.layout != expected.layout:
        return False
    return bool(_near(actual, expected).all())


def _near(actual: Tensor, expected: Tensor) -> Tensor:
    """actual: (..., *s), expected: (*s) -> (..., *s), where an element is as close as `close` demands of all."""
    given, wanted = actual.detach().double(), expected.detach().double()
    size = wanted.nan_to_num(0.0, 0.0, 0.0).abs()
    largest = size.amax(dim=-1, keepdim=True) if size.numel() and size.dim() else size
    own, row = (max(table.get(one.dtype, 0.0) for one in (actual, expected)) for table in (OWN, ROW))
    near = (given - wanted).abs() <= own * size + row * largest + NOTHING
    return near | (given == wanted) | (given.isnan() & wanted.isnan())


def alike(one: Answer, other: Answer) -> bool:
    """The same values, or the same kind of error."""
    if isinstance(one, type) or isinstance(other, type):
        return one is other
    return len(one) == len(other) and all(close(given, wanted) for given, wanted in zip(one, other, strict=True))


def all_alike(answers: Sequence[Answer], other: Answer) -> list[bool]:
    """Which of many answers are `alike` another one; those that have its form are compared at once."""
    form = _form(other)
    at_once = [at for at, one in enumerate(answers) if form and _form(one) == form]
    near = torch.ones(len(at_once), dtype=torch.bool)
    for part in range(len(form) if at_once else 0):
        stacked = torch.stack([answers[at][part] for at in at_once])
        near &= _near(stacked, other[part]).reshape(len(at_once), -1).all(dim=1)
    found = dict(zip(at_once, near.tolist(), strict=True))
    return [found[at] if at in found else alike(one, other) for at, one in enumerate(answers)]


def _form(one: Answer) -> list[tuple[Any, ...]]:
    """Shape, dtype and so on of the tensors of an answer, [] if it is none that can be compared element by element."""
    if not isinstance(one, tuple) or not all(isinstance(part, Tensor) and part.numel() for part in one):
        return []
    return [] if any(map(torch.is_complex, one)) else [(two.shape, two.dtype, two.layout, two.device) for two in one]


@dataclass(frozen=True, eq=False)
class Hypothesis:
    """A mistake in one of its variants, or two together, and the steps that are exchanged then."""

    mistakes: tuple[Mistake, ...]
    steps: Steps


@lru_cache(maxsize=64)
def hypotheses(bank: tuple[Mistake, ...]) -> tuple[list[Hypothesis], list[Hypothesis]]:
    """Every mistake in every variant, and every pair that does not exchange the same step.

    A mistake of many variants is not paired: that would take long, and say little.
    """
    single = [Hypothesis((mistake,), steps) for mistake in bank for steps in mistake.variants]
    paired = [one for one in single if len(one.mistakes[0].variants) <= MOST_PAIRED]
    return single, [
        Hypothesis(one.mistakes + other.mistakes, one.steps | other.steps)
        for one, other in combinations(paired, 2)
        if one.mistakes != other.mistakes and not one.steps.keys() & other.steps.keys()
    ]


@lru_cache(maxsize=2**14)
def _supposed(formula: Callable[..., Any], made: Hypothesis, args: tuple[Any, ...]) -> Answer:
    """What the formula answers with a mistake: the same each time a check runs, as its probes are."""
    return answer(formula, args, **made.steps)


def diagnose(
    formula: Callable[..., Any], bank: tuple[Mistake, ...], *choices: Sequence[Evidence]
) -> tuple[Mistake, ...]:
    """The mistake, or the two, with which the formula answers everything as the learner did; () for none.

    choices: what to explain, and what to be content with if nothing explains all of it
    Errors alone are no evidence: too many things raise the same kind. What was wrong is compared first.
    """
    for seen in choices:
        if all(isinstance(one.given, type) for one in seen) or all(one.right for one in seen):
            continue
        telling = sorted(seen, key=lambda one: one.right or isinstance(one.given, type))
        for left in hypotheses(bank):
            for one in telling:
                supposed = [_supposed(formula, made, one.args) for made in left]
                left = list(compress(left, all_alike(supposed, one.given)))
            if left:
                return left[0].mistakes
    return ()
