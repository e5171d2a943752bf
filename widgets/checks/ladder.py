"""The ladder of a function that takes tensors and returns tensors: the first rung that breaks is what is said."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from .mistakes import Answer, Mistake, Switches, alike, answer, close, diagnose, fresh, habits
from .runner import Outcome
from .trial import Trial, kind, raised


@dataclass(frozen=True)
class Probe:
    """Arguments to try, and what is particular about them, in words that complete "for ..."."""

    words: str
    args: tuple[Any, ...]


@dataclass(frozen=True)
class Property:
    """Something that the right answer has, and the sentence for an answer that has it not.

    holds: takes the learner's function and says whether it has the property
    mistake: what the lack of it gives away, whatever else is wrong
    """

    holds: Callable[[Callable[..., Any]], bool]
    otherwise: str = ""
    mistake: Mistake | None = None


@dataclass(frozen=True)
class Formula:
    """What the learner is to write: the right answer with switches, its known mistakes, and where to look.

    returns: the names of the results; more than one means a tuple
    also: switches that make another right answer
    """

    right: Callable[..., Any]
    bank: tuple[Mistake, ...]
    probes: tuple[Probe, ...]
    properties: tuple[Property, ...] = ()
    returns: tuple[str, ...] = ("the result",)
    also: tuple[Switches, ...] = ()


ENOUGH = 3  # probes that tell a mistake when the learner's code raises at the others
ENOUGH_ALIKE = 2  # ... and when these probes have as many axes as the first

RUNGS = (
    "runs without an error",
    "returns a tensor",
    "has the right shape",
    "keeps dtype and device",
    "stays finite",
    "leaves its input alone",
    "has the right values",
)


@dataclass(frozen=True)
class Broken:
    """The first rung that did not hold, at one probe."""

    rung: int
    message: str
    mistakes: tuple[Mistake, ...] = ()


def compare(trial: Trial, formula: Formula, function: Callable[..., Any]) -> None:
    """Climb all rungs with every probe; refuse at the first that breaks, by the name of the mistake if it has one."""
    outcomes, after = [], []
    for probe in formula.probes:
        args = tuple(fresh(arg) for arg in probe.args)
        outcomes.append(trial.run(function, *args))
        after.append(args)
    if any(_is_numpy(outcome.value) for outcome in outcomes):
        trial.climbed(RUNGS[:1])
        trial.refuse(RUNGS[1], "", [habits.NUMPY_RETURNED])
    expected = _expected(formula, outcomes)
    trials = list(zip(formula.probes, outcomes, after, expected, strict=True))
    broken = min(
        filter(None, (_first_broken(trial, formula, *one) for one in trials)),
        key=lambda one: one.rung,
        default=None,
    )
    trial.climbed(RUNGS[: broken.rung if broken else len(RUNGS)])
    if broken is None:
        return
    mistakes = broken.mistakes + _recognised(formula, outcomes, expected)
    message = broken.message
    if not mistakes and broken.rung == len(RUNGS) - 1:
        if not _says_the_same(trial, formula, function, outcomes[0]):
            mistakes = (habits.REMEMBERS,)
        else:
            lacking = _broken_property(trial, formula, function)
            mistakes = (lacking.mistake,) if lacking and lacking.mistake else ()
            otherwise = lacking.otherwise if lacking else ""
            message = f"{_nearly(outcomes, expected) or otherwise} {message}".strip()
    trial.refuse(RUNGS[broken.rung], message, mistakes)


def _expected(formula: Formula, outcomes: list[Outcome]) -> list[Answer]:
    """What the formula answers; where several answers are right, the one that fits."""
    for switches in formula.also:
        other = [answer(formula.right, probe.args, **switches) for probe in formula.probes]
        if all(alike(values_of(outcome), wanted) for outcome, wanted in zip(outcomes, other, strict=True)):
            return other
    return [answer(formula.right, probe.args) for probe in formula.probes]


def _recognised(formula: Formula, outcomes: list[Outcome], expected: list[Answer]) -> tuple[Mistake, ...]:
    """The mistakes in the values; where some probes raise and no mistake raises there too, by the other probes."""
    answers = [values_of(outcome) for outcome in outcomes]
    answered = [at for at, outcome in enumerate(outcomes) if outcome.error is None]
    choices = [list(range(len(answers)))]
    if len(answered) < len(answers):
        alike_in_axes = [at for at in answered if _axes(formula.probes[at]) == _axes(formula.probes[0])]
        choices += [answered] if len(answered) >= ENOUGH else []
        choices += [alike_in_axes] if ENOUGH_ALIKE <= len(alike_in_axes) < len(answered) else []
    if any(not isinstance(one, Tensor) for given in answers if not isinstance(given, type) for one in given):
        return ()
    for chosen in choices:
        if all(alike(answers[at], expected[at]) for at in chosen):
            return ()
        probes = [formula.probes[at].args for at in chosen]
        if found := diagnose(formula.right, formula.bank, probes, [answers[at] for at in chosen]):
            return found
    return ()


def _axes(probe: Probe) -> int:
    return next((arg.dim() for arg in probe.args if isinstance(arg, Tensor)), 0)


def _is_numpy(value: Any) -> bool:
    return type(value).__module__.split(".")[0] == "numpy"


def values_of(outcome: Outcome) -> Answer:
    if outcome.error is not None:
        return type(outcome.error)
    return tuple(outcome.value) if isinstance(outcome.value, tuple | list) else (outcome.value,)


def _first_broken(
    trial: Trial, formula: Formula, probe: Probe, outcome: Outcome, after: tuple[Any, ...], expected: Answer
) -> Broken | None:
    assert not isinstance(expected, type), probe
    where = f"for {probe.words}"
    if outcome.error is not None:
        return Broken(0, raised(trial, outcome, where))
    if wrong := _wrong_type(trial, outcome, formula.returns, where):
        return wrong
    values = values_of(outcome)
    for name, value, wanted in zip(formula.returns, values, expected, strict=True):
        if isinstance(wanted, Tensor) and (wrong := _wrong_tensor(name, value, wanted, where)):
            return wrong
    if any(isinstance(arg, Tensor) and not _same(arg, before) for arg, before in zip(after, probe.args, strict=True)):
        return Broken(5, "", (habits.INPUT_CHANGED,))
    for name, value, wanted in zip(formula.returns, values, expected, strict=True):
        if not close(value, wanted):
            return Broken(6, f"{_sentence(name)} {where} {_example(value, wanted)}.")
    return None


def _same(one: Tensor, other: Tensor) -> bool:
    return one.shape == other.shape and one.dtype == other.dtype and torch.equal(one.detach(), other)


def _wrong_type(trial: Trial, outcome: Outcome, returns: tuple[str, ...], where: str) -> Broken | None:
    """Not a tensor, or not a tuple of as many tensors as there are results."""
    value = outcome.value
    if value is None:
        habit = habits.nothing_returned(outcome.printed)
        return Broken(1, "", (replace(habit, sentence=f"{habit.sentence[:-1]} ({where})."),))
    if len(returns) > 1:
        wanted = f"a tuple of {len(returns)} tensors ({', '.join(returns)})"
        if not isinstance(value, tuple | list) or len(value) != len(returns):
            return Broken(1, f"`{trial.name}` returned {kind(value)}; expected {wanted}.")
        strange = next((one for one in value if not isinstance(one, Tensor)), None)
        if not all(isinstance(one, Tensor) for one in value):
            return Broken(1, f"One of the results is {kind(strange)}; expected {wanted}.")
    elif not isinstance(value, Tensor):
        return Broken(1, f"`{trial.name}` returned {kind(value)}; expected a tensor.")
    return None


def _wrong_tensor(name: str, value: Tensor, wanted: Tensor, where: str) -> Broken | None:
    if value.shape != wanted.shape:
        shape = tuple(value.shape)
        return Broken(2, f"{_sentence(name)} {where} has shape {shape}; expected {tuple(wanted.shape)}.")
    if value.layout != wanted.layout:
        return Broken(3, f"{_sentence(name)} has the layout {value.layout}; expected {wanted.layout}, as the input.")
    if value.device != wanted.device:
        return Broken(3, f"{_sentence(name)} is on the device {value.device}; expected {wanted.device}, as the input.")
    if value.dtype != wanted.dtype:
        message = f"{_sentence(name)} {where} is {short(value.dtype)}; expected {short(wanted.dtype)}, as the input."
        habit = replace(habits.NOT_CAST_BACK, sentence=f"{habits.NOT_CAST_BACK.sentence} {message}")
        return Broken(3, message, (habit,) if value.is_floating_point() else ())
    if wanted.isfinite().all() and not value.isfinite().all():
        what = "NaN" if value.isnan().any() else "inf"
        return Broken(4, f"{_sentence(name)} {where} contains {what}; expected finite numbers.")
    return None


def _sentence(name: str) -> str:
    """A result's name at the beginning of a sentence; what is a name in the code stays as it is."""
    return name if "_" in name else name.capitalize()


def short(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def _example(value: Any, wanted: Any) -> str:
    """The first component that is off, as numbers."""
    if not isinstance(wanted, Tensor):
        return f"is {value!r}; expected {wanted!r}"
    given, right = value.detach().double().flatten(), wanted.double().flatten()
    worst = int((given - right).abs().nan_to_num(torch.inf).argmax())
    return f"has {given[worst].item():.4g} where {right[worst].item():.4g} is right"


def _nearly(outcomes: list[Outcome], expected: list[Answer]) -> str:
    """What to say when the first wrong result is a hundredth off at most."""
    for outcome, wanted in zip(outcomes, expected, strict=True):
        for one, other in zip(values_of(outcome), wanted, strict=True):
            if not close(one, other):
                off = (one.detach().double() - other.double()).abs().max() / other.double().abs().max()
                return "The result is nearly right. Is something rounded, or in a narrower dtype?" if off < 0.01 else ""
    return ""


class _Unknown(Exception):
    """The learner's function gave no tensor for this question."""


def _says_the_same(trial: Trial, formula: Formula, function: Callable[..., Any], before: Outcome) -> bool:
    """The first probe gives what it gave before."""
    outcome = trial.run(function, *(fresh(arg) for arg in formula.probes[0].args))
    return alike(values_of(outcome), values_of(before))


def _broken_property(trial: Trial, formula: Formula, function: Callable[..., Any]) -> Property | None:
    """The first property that does not hold; those that name a mistake come first."""

    def ask(*args: Any) -> Any:
        outcome = trial.run(function, *args)
        if outcome.error is not None or isinstance(outcome.value, type(None)):
            raise _Unknown
        return outcome.value

    for one in sorted(formula.properties, key=lambda one: one.mistake is None):
        with contextlib.suppress(_Unknown, RuntimeError, TypeError, IndexError, AttributeError):
            if not one.holds(ask):
                return one
    return None


def repeatable(trial: Trial, formula: Formula, function: Callable[..., Any]) -> None:
    """The first probe again, after all the others: the answer is still the same."""
    before = Outcome(value=answer(formula.right, formula.probes[0].args))
    if not _says_the_same(trial, formula, function, before):
        trial.refuse("answers the same a second time", "", [habits.REMEMBERS])
    trial.passed("answers the same a second time")
