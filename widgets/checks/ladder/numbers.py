"""The ladder of a function that takes numbers or names and returns a number."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

from widgets.checks.ladder.rungs import Rung
from widgets.checks.ladder.tensors import Formula, Tried
from widgets.checks.ladder.trial import Trial
from widgets.checks.ladder.wording import kind, number, raised
from widgets.checks.mistakes import habits
from widgets.checks.mistakes.diagnosis import Answer, Evidence, Mistake, alike, answer, diagnose


def compare_numbers(trial: Trial, formula: Formula, function: Callable[..., Any], whole: bool = True) -> None:
    """The rungs of a function that returns a number, a whole one unless said otherwise."""
    tried = [
        Tried(probe, trial.run(function, *probe.args), (), answer(formula.right, probe.args))
        for probe in formula.probes
    ]
    for one in tried:
        if one.outcome.error is not None:
            trial.refuse(Rung.RUNS, raised(trial.name, one.outcome, one.where))
    trial.passed(Rung.RUNS)
    seen = [Evidence(one.probe.args, _number(one.outcome.value), _is_right(one)) for one in tried]
    wrong = [one for one in tried if not _is_right(one)]
    found = diagnose(formula.right, formula.bank, seen) if wrong else ()
    for one in tried:
        _refuse_other_than_number(trial, one, whole, found)
    trial.passed(Rung.WHOLE if whole else Rung.NUMBER)
    if wrong:
        trial.refuse(Rung.VALUES, _symptom(formula, wrong[0]), found)
    trial.passed(Rung.VALUES)
    _refuse_another_answer(trial, function, tried)


def _symptom(formula: Formula, tried: Tried) -> str:
    """What came and what should have come, and what is wrong with it, unless it is beyond all measure."""
    (given, *_), (right, *_) = _number(tried.outcome.value), tried.expected
    telling = formula.telling(given, *tried.probe.args) if abs(given) < 1e15 else ""
    return f"For {tried.probe.words} it gives {number(given)}; expected {number(right)}. {telling}".strip()


def _is_right(tried: Tried) -> bool:
    return alike(_number(tried.outcome.value), tried.expected)


def _refuse_another_answer(trial: Trial, function: Callable[..., Any], tried: Sequence[Tried]) -> None:
    """All questions again, those left out that took long."""
    for one in tried:
        quick = one.outcome.seconds < 0.2
        if quick and not alike(_number(trial.run(function, *one.probe.args).value), _number(one.outcome.value)):
            trial.refuse(Rung.REPEATS, f"Asked again {one.where}, it gave another number.", [habits.REMEMBERS])
    trial.passed(Rung.REPEATS)


def _refuse_other_than_number(trial: Trial, tried: Tried, whole: bool, found: tuple[Mistake, ...]) -> None:
    value, rung = tried.outcome.value, Rung.WHOLE if whole else Rung.NUMBER
    if value is None:
        none = f"`{trial.name}` gave None back ({tried.where})."
        trial.refuse(rung, none, [habits.nothing_returned(tried.outcome.printed)])
    is_number = _is_whole(value) or isinstance(value, float)
    if not (_is_whole(value) if whole else is_number):
        symptom = f"`{trial.name}` returned {kind(value)}; expected a {'whole ' if whole else ''}number."
        trial.refuse(rung, symptom, [habits.NOT_WHOLE, *found] if is_number else [])


def _is_whole(value: Any) -> bool:
    try:
        operator.index(value)
    except (TypeError, RuntimeError):
        return False
    return not isinstance(value, bool)


def _number(value: Any) -> Answer:
    """A number as a tuple of one; 1365.0 counts as 1365, so that the mistake behind it can be named."""
    if _is_whole(value):
        return (operator.index(value),)
    if isinstance(value, float):
        return (int(value),) if value.is_integer() else (float(value),)
    return (value,)
