"""How a known mistake is recognised.

A formula takes its steps as arguments, and a mistake exchanges one of them. The learner's code and every mistake are
run on the same probes: who answers alike on all of them is the diagnosis. Since steps combine, two mistakes made
together are recognised without listing every pair.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
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

    args: Sequence[Any]
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
    given, wanted = actual.detach().double(), expected.detach().double()
    size = wanted.nan_to_num(0.0, 0.0, 0.0).abs()
    largest = size.amax(dim=-1, keepdim=True) if size.numel() and size.dim() else size
    own, row = (max(table.get(one.dtype, 0.0) for one in (actual, expected)) for table in (OWN, ROW))
    near = (given - wanted).abs() <= own * size + row * largest + NOTHING
    return bool((near | (given == wanted) | (given.isnan() & wanted.isnan())).all())


def alike(one: Answer, other: Answer) -> bool:
    """The same values, or the same kind of error."""
    if isinstance(one, type) or isinstance(other, type):
        return one is other
    return len(one) == len(other) and all(close(given, wanted) for given, wanted in zip(one, other, strict=True))


def hypotheses(bank: Sequence[Mistake]) -> Iterator[tuple[tuple[Mistake, ...], Steps]]:
    """Every mistake in every variant, then every pair that does not exchange the same step.

    A mistake of many variants is not paired: that would take long, and say little.
    """
    single = [((mistake,), steps) for mistake in bank for steps in mistake.variants]
    yield from single
    paired = [one for one in single if len(one[0][0].variants) <= MOST_PAIRED]
    for (one, first), (other, second) in combinations(paired, 2):
        if one != other and not first.keys() & second.keys():
            yield one + other, first | second


def diagnose(formula: Callable[..., Any], bank: Sequence[Mistake], *choices: Sequence[Evidence]) -> tuple[Mistake, ...]:
    """The mistake, or the two, with which the formula answers everything as the learner did; () for none.

    choices: what to explain, and what to be content with if nothing explains all of it
    Errors alone are no evidence: too many things raise the same kind. What was wrong is compared first.
    """
    known: dict[tuple[int, int], bool] = {}
    possible = list(hypotheses(bank))

    def explains(at: int, one: Evidence) -> bool:
        if (at, id(one)) not in known:
            known[at, id(one)] = alike(answer(formula, one.args, **possible[at][1]), one.given)
        return known[at, id(one)]

    for seen in choices:
        telling = sorted(seen, key=lambda one: one.right or isinstance(one.given, type))
        if all(isinstance(one.given, type) for one in seen) or all(one.right for one in seen):
            continue
        for at, (mistakes, _) in enumerate(possible):
            if all(explains(at, one) for one in telling):
                return mistakes
    return ()
