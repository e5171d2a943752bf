"""One more rung: the gradient of what the learner wrote."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor, nn

from .ladder import Formula, Probe, values_of
from .mistakes import Mistake, alike, answer, close, diagnose, fresh, habits
from .runner import GRADIENTS_OFF
from .trial import Trial, raised


def gradients(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function that returns the gradients of `function` for its floating-point arguments.

    The result is multiplied by fixed numbers that look random and then summed: the plain sum of a norm's result has no
    gradient to speak of.
    """

    def gradient(*args: Any, **switches: Any) -> tuple[Tensor | None, ...]:
        args = tuple(
            arg.requires_grad_() if isinstance(arg, Tensor) and arg.is_floating_point() else arg for arg in args
        )
        leaves = [arg for arg in args if isinstance(arg, Tensor) and arg.requires_grad]
        return _weighed(function(*args, **switches), leaves)

    return gradient


def of_module(fill: Callable[..., nn.Module], names: Sequence[str] = ()) -> Callable[..., Any]:
    """What `gradients` makes, for a module that `fill` builds from the same arguments: for x and its parameters.

    names: of the parameters, in order; without any, all of them as they come
    """

    def gradient(x: Tensor, *args: Any) -> tuple[Tensor | None, ...]:
        module = fill(x, *args)
        weights = dict(module.named_parameters())
        return _weighed(module(x.requires_grad_()), [x, *(weights[name] for name in names or weights)])

    return gradient


def _weighed(result: Tensor, leaves: Sequence[Tensor]) -> tuple[Tensor | None, ...]:
    if not result.requires_grad:
        return (None,) * len(leaves)
    return torch.autograd.grad((result * cotangent(result)).sum(), leaves, allow_unused=True)


def cotangent(result: Tensor) -> Tensor:
    """Numbers to weigh a result with: the same ones for every result of this shape."""
    numbers = torch.randn(result.shape, generator=torch.Generator().manual_seed(7), dtype=torch.float64)
    return numbers.to(result.dtype)


def _silent(formula: Formula, probe: Probe) -> list[Mistake]:
    """The mistakes, in those of their variants that leave the values right: the others would have shown before."""
    right = answer(formula.right, probe.args)
    kept = (
        (one, tuple(two for two in one.switches if alike(answer(formula.right, probe.args, **two), right)))
        for one in formula.bank
    )
    return [replace(one, switches=switches) for one, switches in kept if switches]


def compare_gradients(
    trial: Trial,
    formula: Formula,
    function: Callable[..., Any],
    names: Sequence[str],
    probe: Probe | None = None,
    needed: bool = True,
) -> None:
    """The gradients for every floating-point argument. `function` is made by `gradients`, or returns what it would.

    needed: False for a function that may also work in place on copies of its own, which autograd does not follow
    """
    rung, probe = "has the right gradient", probe or formula.probes[0]
    outcome = trial.run(function, *(fresh(arg) for arg in probe.args))
    if outcome.error is not None and not needed:
        return
    if outcome.error is not None:
        trial.refuse(rung, "The gradient could not be computed: " + raised(trial, outcome))
    right = gradients(formula.right)
    given, wanted = values_of(outcome), answer(right, probe.args)
    if all(one is None for one in given):
        switched_off = [habits.settings_changed(list(trial.settings))] if GRADIENTS_OFF in trial.settings else []
        trial.refuse(rung, "", [habits.GRADIENT_LOST, *switched_off])
    if any(alike(given, one) for one in (wanted, *(answer(right, probe.args, **two) for two in formula.also))):
        trial.climbed([rung])
        return
    mistakes = diagnose(right, _silent(formula, probe), [probe.args], [given])
    if given[0] is None and not mistakes:
        trial.refuse(rung, "", [habits.GRADIENT_LOST])
    for name, one, other in zip(names, given, wanted, strict=True):
        if one is None:
            trial.refuse(rung, f"No gradient reaches {name}: it was cut off on the way, or never used.", mistakes)
        if not one.isfinite().all():
            what = "NaN" if one.isnan().any() else "inf"
            trial.refuse(rung, f"The values are right, but the gradient for {name} contains {what}.", mistakes)
        if not close(one, other):
            trial.refuse(rung, f"The values are right, but the gradient for {name} is not.", mistakes)
