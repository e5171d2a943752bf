"""The ladder of a function that takes numbers or names and returns a number."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

from widgets.checks.ladder.rungs import Rung
from widgets.checks.ladder.tensors import Broken, Formula, Tried, lowest, nothing_given
from widgets.checks.ladder.trial import Trial
from widgets.checks.ladder.wording import kind, number, raised
from widgets.checks.mistakes import habits
from widgets.checks.mistakes.diagnosis import Answer, Evidence, alike, answer, diagnose


def compare_numbers(trial: Trial, formula: Formula, function: Callable[..., Any], rung: Rung) -> None:
    """The rungs of a function that returns a number. rung: Rung.WHOLE for a whole one, or Rung.NUMBER"""
    tried = [
        Tried(probe, trial.run(function, *probe.args), (), answer(formula.right, probe.args))
        for probe in formula.probes
    ]
    broken = lowest(trial, (Rung.RUNS, rung, Rung.VALUES), [_broken(trial, formula, one, rung) for one in tried])
    if broken:
        seen = [Evidence(one.probe.args, _number(one.outcome.value), _is_right(one)) for one in tried]
        found = () if broken.rung == Rung.RUNS else diagnose(formula.right, formula.bank, seen)
        trial.refuse(broken.rung, broken.symptom, (*broken.mistakes, *found))
    _refuse_another_answer(trial, function, tried)


def _broken(trial: Trial, formula: Formula, tried: Tried, rung: Rung) -> Broken | None:
    value = tried.outcome.value
    if tried.outcome.error is not None:
        return Broken(Rung.RUNS, raised(trial.name, tried.outcome, tried.where))
    if value is None:
        return nothing_given(trial, tried, rung)
    is_number = _is_whole(value) or isinstance(value, float)
    if not (_is_whole(value) if rung == Rung.WHOLE else is_number):
        wanted = "a whole number" if rung == Rung.WHOLE else "a number"
        symptom = f"`{trial.name}` returned {kind(value)}; expected {wanted}."
        return Broken(rung, symptom, (habits.NOT_WHOLE,) if is_number else ())
    return None if _is_right(tried) else Broken(Rung.VALUES, _symptom(formula, tried))


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
