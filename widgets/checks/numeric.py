"""The ladder of a function that takes numbers or names and returns a number."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from .ladder import Formula
from .mistakes import Answer, Mistake, alike, answer, diagnose, habits
from .runner import Outcome
from .trial import Trial, kind, raised


def compare_numbers(trial: Trial, formula: Formula, function: Callable[..., Any], whole: bool = True) -> None:
    """The rungs of a function that returns a number, a whole one unless said otherwise."""
    rungs = ("runs without an error", f"returns a {'whole ' if whole else ''}number", "has the right values")
    outcomes = [trial.run(function, *probe.args) for probe in formula.probes]
    for probe, outcome in zip(formula.probes, outcomes, strict=True):
        if outcome.error is not None:
            trial.refuse(rungs[0], raised(trial, outcome, f"for {probe.words}"))
    trial.passed(rungs[0])
    answers = [_number(outcome.value) for outcome in outcomes]
    wanted = [answer(formula.right, probe.args) for probe in formula.probes]
    wrong = [at for at, given in enumerate(answers) if not alike(given, wanted[at])]
    found = diagnose(formula.right, formula.bank, [probe.args for probe in formula.probes], answers) if wrong else ()
    for outcome in outcomes:
        _refuse_other_than_number(trial, rungs[1], outcome, whole, found)
    trial.passed(rungs[1])
    if wrong:
        probe, given, right = formula.probes[wrong[0]], answers[wrong[0]], wanted[wrong[0]]
        trial.refuse(rungs[2], f"For {probe.words} it gives {_short(given[0])}; expected {_short(right[0])}.", found)
    trial.passed(rungs[2])
    _refuse_another_answer(trial, formula, function, outcomes)


def _refuse_another_answer(
    trial: Trial, formula: Formula, function: Callable[..., Any], outcomes: list[Outcome]
) -> None:
    """All questions again, those left out that took long."""
    rung = "answers the same a second time"
    for probe, before in zip(formula.probes, outcomes, strict=True):
        if before.seconds < 0.2 and not alike(_number(trial.run(function, *probe.args).value), _number(before.value)):
            trial.refuse(rung, "", [habits.REMEMBERS])
    trial.passed(rung)


def _refuse_other_than_number(
    trial: Trial, rung: str, outcome: Outcome, whole: bool, found: tuple[Mistake, ...]
) -> None:
    value = outcome.value
    if value is None:
        trial.refuse(rung, "", [habits.nothing_returned(outcome.printed)])
    is_whole = _is_whole(value)
    is_number = is_whole or isinstance(value, float)
    if not (is_whole if whole else is_number):
        message = f"`{trial.name}` returned {kind(value)}; expected a {'whole ' if whole else ''}number."
        trial.refuse(rung, message, [habits.NOT_WHOLE, *found] if is_number else [])


def _short(number: float) -> str:
    return str(number) if isinstance(number, int) else f"{number:.6g}"


def _is_whole(value: Any) -> bool:
    try:
        operator.index(value)
    except (TypeError, RuntimeError):
        return False
    return not isinstance(value, bool)


def _number(value: Any) -> Answer:
    """A number as a tuple of one; 1365.0 counts as 1365, so that the mistake behind it can be named."""
    try:
        return (int(value),) if float(value) == int(value) else (float(value),)
    except (TypeError, ValueError, OverflowError, RuntimeError):
        return (value,)
