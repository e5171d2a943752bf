"""An exercise that asks for one function: what it should compute, and the way up the ladder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from widgets.checks.ladder.again import repeatable, without_autograd
from widgets.checks.ladder.calling import callable_as
from widgets.checks.ladder.gradients import compare_gradients, gradients
from widgets.checks.ladder.numbers import compare_numbers
from widgets.checks.ladder.rungs import Rung
from widgets.checks.ladder.tensors import Formula, Probe, compare, keeps_digits, values_of
from widgets.checks.ladder.trial import Trial, judge
from widgets.checks.mistakes.diagnosis import alike, answer
from widgets.checks.verdict import Verdict


def at_first(formula: Formula, probes: int = 1) -> Formula:
    """The formula with so many of its probes."""
    return replace(formula, probes=formula.probes[:probes])


@dataclass(frozen=True)
class Exercise:
    """How the learner's function is called, what it should compute, and hints while nothing is recognised.

    number: what it returns if not tensors: Rung.WHOLE or Rung.NUMBER; by_name: arguments that it also takes by name
    afterwards: tried once all else is right
    arguments: those that a gradient has to reach; gradient: what is tried for it, if not the first probe
    digits: it has to keep those of float64; by_hand: it has to do without autograd
    in_place: it may work in place on copies of its own, which autograd does not follow
    ahead: what need not hold yet, and the words for an answer for which it does not
    """

    call: str
    formula: Formula
    hints: tuple[str, ...]
    arguments: tuple[str, ...] = ()
    gradient: Formula | None = None
    number: Rung | None = None
    by_name: dict[str, Any] = field(default_factory=dict)
    afterwards: tuple[Probe, ...] = ()
    digits: bool = False
    by_hand: bool = False
    in_place: bool = False
    ahead: tuple[Probe, str] | None = None

    def check(self, learner: Callable[..., Any]) -> Verdict:
        """The verdict on somebody's own function."""
        return judge(self.call, self.hints, lambda trial: self._climb(trial, learner))

    def _climb(self, trial: Trial, learner: Callable[..., Any]) -> None:
        function = callable_as(trial, learner, *self.formula.probes[0].args, **self.by_name)
        if self.number:
            compare_numbers(trial, self.formula, function, self.number)
            return
        compare(trial, self.formula, function)
        if self.afterwards:
            compare(trial, replace(self.formula, probes=(*self.formula.probes, *self.afterwards)), function)
        if self.digits:
            keeps_digits(trial, self.formula, function)
        if self.by_hand:
            without_autograd(trial, self.formula, function)
        repeatable(trial, self.formula, function)
        if self.arguments:
            gradient = self.gradient or at_first(self.formula)
            compare_gradients(trial, gradient, gradients(function), self.arguments, not self.in_place)
        if self.ahead:
            probe, words = self.ahead
            if not alike(values_of(trial.run(function, *probe.args)), answer(self.formula.right, probe.args)):
                trial.passed(Rung.AHEAD, words)
