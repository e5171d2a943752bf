"""The ladder of a function that takes tensors and returns tensors: the first rung that breaks is what is said."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy
import torch
from torch import Tensor

from widgets.checks.ladder.origin import origin, overwriting
from widgets.checks.ladder.rungs import OF_TENSORS, Rung
from widgets.checks.ladder.trial import Trial
from widgets.checks.ladder.wording import first_words, kind, raised, sentence, short, things
from widgets.checks.mistakes import errors, habits
from widgets.checks.mistakes.diagnosis import NOTHING, Answer, Evidence, Mistake, alike, answer, close, diagnose, fresh
from widgets.checks.runner import Outcome


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
    shown: what the function gives instead, a single number, where the sentence has room for it
    """

    holds: Callable[[Callable[..., Any]], bool]
    otherwise: str
    mistake: Mistake | None = None
    shown: Callable[[Callable[..., Any]], Any] | None = None

    def said(self, function: Callable[..., Any]) -> str:
        """The sentence, with what this function gives, if it is one number."""
        given = self.shown(function) if self.shown else None
        gives = f", and gives {given.item():.4g}" if isinstance(given, Tensor) and given.numel() == 1 else ""
        return self.otherwise.replace("{and_gives}", gives)

    def of(self, adapt: Callable[[Callable[..., Any]], Callable[..., Any]]) -> Property:
        """The same, of a function that takes other arguments, as `adapt` makes it one that takes these."""
        return replace(self, holds=lambda function: self.holds(adapt(function)))


@dataclass(frozen=True)
class Formula:
    """What the learner is to write: the right answer with its steps, its known mistakes, and where to look.

    returns: the names of the results; more than one means a tuple; hints: for those whose values are wrong first
    also: steps that make another right answer; last: what is said when no property is broken
    telling: for numbers, what is wrong with an answer, in words: telling(answer, *arguments)
    """

    right: Callable[..., Any]
    bank: tuple[Mistake, ...]
    probes: tuple[Probe, ...]
    properties: tuple[Property, ...] = ()
    returns: tuple[str, ...] = ("the result",)
    hints: dict[str, tuple[str, ...]] = field(default_factory=dict)
    also: tuple[dict[str, Any], ...] = ()
    last: str = ""
    telling: Callable[..., str] = lambda given, *args: ""


NEARLY = (
    "The result is nearly right. Is something rounded, in a narrower dtype, or a constant written with few digits? Is "
    "a tail cut off, or a number clamped?"
)
GIVEN_BEFORE = "Other numbers of the same shape get a result that belongs to those before them."
ENOUGH = 3  # probes that tell a mistake when the learner's code raises at the others
ENOUGH_ALIKE = 2  # ... and when these probes have as many axes as the first


@dataclass(frozen=True)
class Tried:
    """One probe: what came of it, the arguments as they were left, and what is right."""

    probe: Probe
    outcome: Outcome
    after: tuple[Any, ...]
    expected: Answer = ()

    @property
    def where(self) -> str:
        return f"for {self.probe.words}"

    @property
    def given(self) -> Answer:
        return values_of(self.outcome)

    @property
    def right(self) -> bool:
        return alike(self.given, self.expected)


@dataclass(frozen=True)
class Broken:
    """A rung that did not hold, at one probe. result: the name of the result whose values are wrong"""

    rung: Rung
    symptom: str
    mistakes: tuple[Mistake, ...] = ()
    result: str = ""


def compare(trial: Trial, formula: Formula, function: Callable[..., Any]) -> None:
    """Climb all rungs with every probe; refuse at the first that breaks, by the name of the mistake if it has one."""
    tried = _tried(trial, formula, function)
    found = [_first_broken(trial, formula, one) for one in tried]
    broken = lowest(trial, OF_TENSORS, found)
    if broken is None:
        return
    recognised, symptom = _recognised(formula, tried), broken.symptom
    # What is recognised by its values says more than the words of an error.
    mistakes = recognised or broken.mistakes if broken.rung == Rung.RUNS else broken.mistakes + recognised
    if broken.rung == Rung.FINITE:
        symptom += origin(trial, function, *map(fresh, tried[found.index(broken)].probe.args))
    if broken.rung == Rung.VALUES:
        mistakes, words = _behind(trial, formula, function, tried, mistakes)
        symptom = f"{words} {symptom}".strip()
        if not mistakes:
            symptom += overwriting(trial, function, *map(fresh, tried[0].probe.args))
    trial.refuse(broken.rung, symptom, mistakes, formula.hints.get(broken.result, ()))


def lowest(trial: Trial, rungs: Sequence[Rung], found: Sequence[Broken | None]) -> Broken | None:
    """The first of the lowest that broke; the rungs below it are climbed."""
    broken = min((one for one in found if one), key=lambda one: rungs.index(one.rung), default=None)
    trial.climbed(rungs[: rungs.index(broken.rung)] if broken else rungs)
    return broken


def nothing_given(trial: Trial, tried: Tried, rung: Rung) -> Broken:
    """What to say when None came back."""
    habit = habits.nothing_returned(tried.outcome.printed)
    said = replace(habit, sentence=f"{habit.sentence[:-1]} ({tried.where}).")
    return Broken(rung, f"`{trial.name}` gave None back ({tried.where}).", (said,))


def _tried(trial: Trial, formula: Formula, function: Callable[..., Any]) -> list[Tried]:
    """Every probe; where several answers are right, beside the one that fits."""
    tried = []
    for probe in formula.probes:
        args = tuple(fresh(arg) for arg in probe.args)
        tried.append(Tried(probe, trial.run(function, *args), args))
    if any(isinstance(one.outcome.value, numpy.ndarray | numpy.generic) for one in tried):
        trial.climbed([Rung.RUNS])
        trial.refuse(Rung.TENSOR, "A numpy array came back; expected a tensor.", [habits.NUMPY_RETURNED])
    choices = [
        [replace(one, expected=answer(formula.right, one.probe.args, **steps)) for one in tried]
        for steps in ({}, *formula.also)
    ]
    return next((chosen for chosen in choices if all(one.right for one in chosen)), choices[0])


def _recognised(formula: Formula, tried: Sequence[Tried]) -> tuple[Mistake, ...]:
    """The mistakes in the values; where some probes raise and no mistake raises there too, by the other probes."""
    given = [one for tried_one in tried if isinstance(tried_one.given, tuple) for one in tried_one.given]
    if not all(isinstance(one, Tensor) for one in given):
        return ()
    answered = [one for one in tried if one.outcome.error is None]
    alike_in_axes = [one for one in answered if _axes(one) == _axes(tried[0])]
    choices = [list(tried)]
    if len(answered) < len(tried):
        choices += [answered] if len(answered) >= ENOUGH else []
        choices += [alike_in_axes] if ENOUGH_ALIKE <= len(alike_in_axes) < len(answered) else []
    seen = {id(one): Evidence(one.probe.args, one.given, one.right) for one in tried}
    return diagnose(formula.right, formula.bank, *([seen[id(one)] for one in chosen] for chosen in choices))


def _axes(tried: Tried) -> int:
    return next((arg.dim() for arg in tried.probe.args if isinstance(arg, Tensor)), 0)


def values_of(outcome: Outcome) -> Answer:
    """What a call gave, as a formula of ours would have answered."""
    if outcome.error is not None:
        return type(outcome.error)
    return tuple(things(outcome.value)) if isinstance(outcome.value, tuple | list) else (outcome.value,)


def _first_broken(trial: Trial, formula: Formula, tried: Tried) -> Broken | None:
    assert isinstance(tried.expected, tuple), tried.probe
    if tried.outcome.error is not None:
        words = raised(trial.name, tried.outcome, tried.where)
        return Broken(Rung.RUNS, words, errors.behind(first_words(tried.outcome.error), trial.name))
    if wrong := _wrong_type(trial, tried, formula.returns):
        return wrong
    results = list(zip(formula.returns, tried.given, tried.expected, strict=True))
    for name, value, wanted in results:
        what = f"{sentence(name)} {tried.where}"
        if isinstance(wanted, Tensor) and (wrong := _wrong_tensor(what, value, wanted, _axes(tried))):
            return wrong if wrong.rung != Rung.DTYPE else replace(wrong, mistakes=_dtype_mistakes(tried, value))
    if not all(same(arg, before) for arg, before in zip(tried.after, tried.probe.args, strict=True)):
        changed = f"After the call the input holds other numbers than before ({tried.where})."
        return Broken(Rung.INPUT, changed, (habits.INPUT_CHANGED,))
    for name, value, wanted in results:
        if not close(value, wanted):
            return Broken(Rung.VALUES, f"{sentence(name)} {tried.where} {_example(value, wanted)}.", result=name)
    return None


def same(one: Any, other: Any) -> bool:
    """Whether a tensor still has the numbers and the dtype of another; anything else always does."""
    if not isinstance(one, Tensor):
        return True
    return one.shape == other.shape and one.dtype == other.dtype and torch.equal(one.detach(), other)


def _wrong_type(trial: Trial, tried: Tried, returns: tuple[str, ...]) -> Broken | None:
    """Not a tensor, or not a tuple of as many tensors as there are results."""
    value = tried.outcome.value
    if value is None:
        return nothing_given(trial, tried, Rung.TENSOR)
    if len(returns) == 1:
        message = f"`{trial.name}` returned {kind(value)}; expected a tensor."
        return None if isinstance(value, Tensor) else Broken(Rung.TENSOR, message)
    wanted = f"a tuple of {len(returns)} tensors ({', '.join(returns)})"
    if not isinstance(value, tuple | list) or len(things(value)) != len(returns):
        return Broken(Rung.TENSOR, f"`{trial.name}` returned {kind(value)}; expected {wanted}.")
    strange = [one for one in things(value) if not isinstance(one, Tensor)]
    return Broken(Rung.TENSOR, f"One of the results is {kind(strange[0])}; expected {wanted}.") if strange else None


def _wrong_tensor(what: str, value: Tensor, wanted: Tensor, axes: int) -> Broken | None:
    """axes: how many x has"""
    if value.shape != wanted.shape:
        shapes = f"{what} has shape {tuple(value.shape)}; expected {tuple(wanted.shape)}."
        return Broken(Rung.SHAPE, f"{shapes} {_about_shapes(value.shape, wanted.shape, axes)}")
    if value.layout != wanted.layout:
        return Broken(Rung.DTYPE, f"{what} has the layout {value.layout}; expected {wanted.layout}, as the input.")
    if value.device != wanted.device:
        return Broken(Rung.DTYPE, f"{what} is on the device {value.device}; expected {wanted.device}, as the input.")
    if value.dtype != wanted.dtype:
        return Broken(Rung.DTYPE, f"{what} is {short(value.dtype)}; expected {short(wanted.dtype)}, as the input.")
    if wanted.isfinite().all() and not value.isfinite().all():
        strange = "NaN" if value.isnan().any() else "inf"
        return Broken(Rung.FINITE, f"{what} contains {strange}; expected finite numbers.")
    return None


def _about_shapes(given: Sequence[int], wanted: Sequence[int], axes: int) -> str:
    """What another shape than wanted suggests."""
    longer, expected = ([n for n in shape if n != 1] for shape in (given, wanted))
    if len(given) < len(wanted) and longer == expected:
        return "An axis of length 1 is gone: what drops it (`squeeze`, an index, a mean without `keepdim=True`)?"
    if len(given) < len(wanted) and math.prod(given) == math.prod(wanted):
        return "Axes were merged (`flatten`, `reshape`, `view`) and not taken apart again."
    if len(given) < len(wanted):
        return "An axis is gone: a sum, a mean or an index takes its axis away, unless that is kept (`keepdim=True`)."
    if len(given) > len(wanted) and axes == 1:
        return "x has one axis here: does something run over its first axis, as `for row in x` does?"
    if len(given) > len(wanted):
        return "There is an axis too many: was one added (`unsqueeze`, `None`, `stack`), or one not summed over?"
    if sorted(given) == sorted(wanted):
        return "The lengths are right and their order is not: was an axis put back elsewhere, or two exchanged?"
    at = next(at for at, (one, other) in enumerate(zip(given, wanted, strict=True), start=1) if one != other)
    return f"Axis {at} of {len(given)} has another length: which step changed it?"


def _dtype_mistakes(tried: Tried, value: Tensor) -> tuple[Mistake, ...]:
    """Where another dtype than that of x comes from: another argument's, or the one computed in."""
    dtypes = [arg.dtype for arg in tried.probe.args if isinstance(arg, Tensor)]
    if value.dtype in dtypes[1:] and value.dtype != dtypes[0]:
        return (habits.WEIGHT_WIDENS,)
    if value.dtype in (torch.float16, torch.bfloat16):
        return (habits.DTYPE_WRITTEN_DOWN,)
    return (habits.NOT_CAST_BACK,) if value.is_floating_point() and value.dtype != dtypes[0] else ()


def _example(value: Any, wanted: Any) -> str:
    """The component that is most off, measured by its own size, as numbers of as many digits as show it."""
    if not isinstance(wanted, Tensor):
        return f"is {value!r}; expected {wanted!r}"
    given, right = value.detach().double().flatten() + 0.0, wanted.double().flatten() + 0.0  # no -0
    size = right.abs()
    worst = int(((given - right).abs() / (size + 1e-9 * size.max() + NOTHING)).nan_to_num(float("inf")).argmax())
    pairs = [(f"{given[worst].item():.{digits}g}", f"{right[worst].item():.{digits}g}") for digits in (4, 8, 17)]
    shown, expected = next((pair for pair in pairs if pair[0] != pair[1]), pairs[-1])
    return f"has {shown} where {expected} is right"


def _behind(
    trial: Trial, formula: Formula, function: Callable[..., Any], tried: list[Tried], mistakes: tuple[Mistake, ...]
) -> tuple[tuple[Mistake, ...], str]:
    """What is behind wrong values: the mistakes, and the property that is broken, in words."""
    if not mistakes and not says_the_same(trial, formula, function, tried[0].given):
        return (habits.REMEMBERS,), "The same input gave another result the second time."
    if not mistakes and _gives_the_first_again(trial, formula, function, tried[0]):
        return (habits.REMEMBERS,), GIVEN_BEFORE
    lacking = _broken_property(trial, formula, function)
    if not mistakes and lacking and lacking.mistake:
        mistakes = (lacking.mistake,)
    mostly = sum(one.right for one in tried) > len(tried) / 2
    told = lacking.otherwise if lacking else ("" if mostly else formula.last) or _where_right(tried)
    return mistakes, ("" if mistakes else _nearly(tried)) or told


def _where_right(tried: Sequence[Tried]) -> str:
    """Some of the probes that are right, as a contrast to the one that is not."""
    right = [one.probe.words for one in tried if one.right][:3]
    return f"It is right for {', and for '.join(right)}." if right else ""


def _nearly(tried: Sequence[Tried]) -> str:
    """What to say when the first wrong result is a hundredth off at most."""
    for one in tried:
        for given, wanted in zip(one.given, one.expected, strict=True):
            if not close(given, wanted):
                off, size = (given.detach().double() - wanted.double()).abs(), wanted.double().abs()
                return NEARLY if (off <= 0.01 * size + 1e-3 * size.max()).all() else ""
    return ""


def keeps_digits(
    trial: Trial, formula: Formula, function: Callable[..., Any], exact: tuple[Any, ...] | None = None
) -> None:
    """float64 is computed in float64, so that gradcheck passes. exact: arguments whose other numbers float32 holds"""
    error = _error(trial, formula, function, formula.probes[0].args)
    if error > 1e-11:
        right = f"result is right to {-math.log10(error):.0f} digits; float64 has 16."
        if exact and _error(trial, formula, function, exact) <= 1e-11:
            held = "x in float64 is computed in float64, but its weight or eps is held in float32 on the way."
            trial.refuse(Rung.DIGITS, f"{held} The {right}")
        trial.refuse(Rung.DIGITS, f"For float64 the {right}", [habits.NARROWED] if error > 1e-9 else [])
    trial.passed(Rung.DIGITS)


def _error(trial: Trial, formula: Formula, function: Callable[..., Any], args: tuple[Any, ...]) -> float:
    """The largest error of a result."""
    return (trial.run(function, *args).value.detach() - formula.right(*args)).abs().max().item()


class _Unknown(Exception):
    """The learner's function gave no tensor for this question."""


def says_the_same(trial: Trial, formula: Formula, function: Callable[..., Any], before: Answer) -> bool:
    """The first probe gives what it gave before."""
    outcome = trial.run(function, *(fresh(arg) for arg in formula.probes[0].args))
    return alike(values_of(outcome), before)


def _gives_the_first_again(trial: Trial, formula: Formula, function: Callable[..., Any], first: Tried) -> bool:
    """Other arguments of the same shapes give what the first ones should."""
    other = others(first.probe.args)
    trial.run(function, *(fresh(arg) for arg in first.probe.args))
    given = values_of(trial.run(function, *other))
    return alike(given, first.expected) and not alike(answer(formula.right, other), first.expected)


def others(args: Sequence[Any]) -> list[Any]:
    """Arguments of the same shapes and dtypes, with other numbers in their tensors."""
    return [2 * fresh(arg) + 1 if isinstance(arg, Tensor) else arg for arg in args]


def _broken_property(trial: Trial, formula: Formula, function: Callable[..., Any]) -> Property | None:
    """The first property that does not hold, with its words; those that name a mistake come first."""

    def ask(*args: Any) -> Any:
        outcome = trial.run(function, *args)
        if outcome.error is not None or outcome.value is None:
            raise _Unknown
        return outcome.value

    for one in sorted(formula.properties, key=lambda one: one.mistake is None):
        with contextlib.suppress(_Unknown, RuntimeError, TypeError, IndexError, AttributeError):
            if not one.holds(ask):
                return replace(one, otherwise=one.said(ask))
    return None


def broken_within(
    trial: Trial,
    formula: Formula,
    function: Callable[..., Any],
    probe: Probe,
    surroundings: Callable[[], contextlib.AbstractContextManager[object]],
) -> Broken | None:
    """What breaks at a probe while something is set otherwise."""

    def asked(*args: Any) -> Any:
        with surroundings():
            return function(*args)

    args = tuple(fresh(arg) for arg in probe.args)
    return _first_broken(trial, formula, Tried(probe, trial.run(asked, *args), args, answer(formula.right, probe.args)))
