"""Asked again: what is right at first has to stay right, whatever was asked or set in between."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import Any

import torch
from torch import Tensor, nn

from widgets.checks.ladder.rungs import Rung
from widgets.checks.ladder.tensors import GIVEN_BEFORE, Formula, broken_within, others, same, says_the_same, values_of
from widgets.checks.ladder.trial import Trial
from widgets.checks.ladder.wording import raised
from widgets.checks.mistakes import habits
from widgets.checks.mistakes.diagnosis import alike, answer, fresh
from widgets.precision import in_dtype


def repeatable(trial: Trial, formula: Formula, function: Callable[..., Any]) -> None:
    """The first probe again, after all the others: the answer is still the same, and stays as it was given."""
    if not says_the_same(trial, formula, function, answer(formula.right, formula.probes[0].args)):
        trial.refuse(Rung.REPEATS, "The same input gave another result the second time.", [habits.REMEMBERS])
    _asked_of_others(trial, formula, function)
    trial.passed(Rung.REPEATS)
    _without_gradients(trial, formula, function)
    _under_float64(trial, formula, function)


def _asked_of_others(trial: Trial, formula: Formula, function: Callable[..., Any]) -> None:
    """Other numbers of the same shapes have their own answer, and leave the one before as it was given."""
    args = [fresh(arg) for arg in formula.probes[0].args]
    other = others(args)
    given = values_of(trial.run(function, *args))
    before = tuple(map(fresh, given))
    now = values_of(trial.run(function, *map(fresh, other)))
    if alike(now, before):
        trial.refuse(Rung.REPEATS, GIVEN_BEFORE, [habits.REMEMBERS])
    if not alike(now, answer(formula.right, other)):
        trial.refuse(Rung.REPEATS, "Asked for other numbers of the same shape, it gives a result that is not right.")
    if not alike(given, before):
        trial.refuse(Rung.REPEATS, "A second call changes what the first one gave.", [habits.RESULT_REUSED])


def _without_gradients(trial: Trial, formula: Formula, function: Callable[..., Any]) -> None:
    """The first probe again, where nobody asks for gradients, as when a model answers."""
    broken = broken_within(trial, formula, function, formula.probes[0], torch.no_grad)
    if broken:
        trial.refuse(Rung.NO_GRAD, f"Under torch.no_grad(): {broken.symptom}", broken.mistakes)
    trial.passed(Rung.NO_GRAD)


def _under_float64(trial: Trial, formula: Formula, function: Callable[..., Any]) -> None:
    """A float32 probe again, while new tensors are float64 unless told otherwise."""
    probe = next((one for one in formula.probes if one.args[0].dtype == torch.float32), formula.probes[0])
    broken = broken_within(trial, formula, function, probe, lambda: in_dtype(torch.float64))
    if broken:
        trial.refuse(Rung.DEFAULT, f"After torch.set_default_dtype(torch.float64): {broken.symptom}", [habits.LEANS])
    trial.passed(Rung.DEFAULT)


def without_autograd(trial: Trial, formula: Formula, function: Callable[..., Any]) -> None:
    """The first probe again, where autograd records nothing. (That `torch.func` differentiates is not noticed.)"""
    broken = broken_within(trial, formula, function, formula.probes[0], torch.inference_mode)
    if broken:
        trial.refuse(Rung.BY_HAND, f"Where autograd is off: {broken.symptom}", [habits.AUTOGRAD_USED])
    trial.passed(Rung.BY_HAND)


def follows_its_weights(
    trial: Trial, formula: Formula, fill: Callable[..., nn.Module], other: torch.dtype = torch.float64
) -> None:
    """A module that was used before: its weights are as they were, and it goes by them once they have changed.

    fill: makes the module from the arguments of a probe; other: the dtype of what it was used on
    """
    x, *rest = (fresh(arg) for arg in formula.probes[0].args)
    outcome = trial.run(_used, fill, x, rest, other)
    if outcome.error is not None:
        trial.refuse(Rung.FOLLOWS, raised(trial.name, outcome, "when it is used a second time"))
    left_alone, first_kept, given = outcome.value
    if not left_alone:
        trial.refuse(Rung.FOLLOWS, "After a call the module's own weights are not as before.", [habits.WEIGHTS_CHANGED])
    if not first_kept:
        trial.refuse(Rung.FOLLOWS, "A second call changes what the first one gave.", [habits.RESULT_REUSED])
    doubled = [2 * arg if isinstance(arg, Tensor) else arg for arg in rest]
    rightly = [answer(formula.right, (at, *doubled)) for at in (x, 2 - 3 * x, x.to(other))]
    if not all(alike((now,), one) for now, one in zip(given, rightly, strict=True)):
        then = "After some calls all its weights were doubled, and what it gives then is not right."
        trial.refuse(Rung.FOLLOWS, then, [habits.WEIGHTS_KEPT])
    _check_copy(trial, fill(x, *rest), x)
    trial.passed(Rung.FOLLOWS)


def _used(
    fill: Callable[..., nn.Module], x: Tensor, rest: Sequence[Any], other: torch.dtype
) -> tuple[bool, bool, list[Tensor]]:
    """Whether weights and first result of a module survive its use; what it gives once its weights are doubled."""
    module = fill(x, *rest).eval()
    before = [one.detach().clone() for one in module.parameters()]
    first = module(x)
    kept = first.detach().clone()
    for dtype in (x.dtype, other):
        module((2 - 3 * x).to(dtype))
    left_alone = all(map(same, module.parameters(), before))
    module.load_state_dict({name: 2 * one for name, one in module.state_dict().items()})
    return left_alone, torch.equal(first, kept), [module(x), module(2 - 3 * x), module(x.to(other))]


def _check_copy(trial: Trial, module: nn.Module, x: Tensor) -> None:
    """A copy of a module has weights of its own: the original's may change."""

    def copied() -> tuple[Tensor, Tensor]:
        copy, before = deepcopy(module), module(x)
        module.load_state_dict({name: 2 * one for name, one in module.state_dict().items()})
        return before, copy(x)

    outcome = trial.run(copied)
    if outcome.error is not None:
        trial.refuse(Rung.FOLLOWS, raised(trial.name, outcome, "for a `copy.deepcopy` of it"))
    if not alike(*((one,) for one in outcome.value)):
        trial.refuse(Rung.FOLLOWS, "A `copy.deepcopy` of it goes by the original's weights.", [habits.WEIGHTS_SHARED])
