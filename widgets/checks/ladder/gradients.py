"""One more rung: the gradient of what the learner wrote."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NoReturn

import torch
from torch import Tensor, nn

from widgets.checks.ladder.origin import origin_of_slope
from widgets.checks.ladder.rungs import Rung
from widgets.checks.ladder.tensors import Formula, Probe, values_of
from widgets.checks.ladder.trial import Trial
from widgets.checks.ladder.wording import first_words, raised
from widgets.checks.mistakes import errors, habits
from widgets.checks.mistakes.diagnosis import Answer, Evidence, Mistake, alike, answer, close, diagnose, fresh
from widgets.checks.runner import GRADIENTS_OFF, Outcome


class GradientOverwritten(Exception):
    """A backward has changed the gradient that it was given."""


class GradientSpent(Exception):
    """A backward gives something else the second time."""


OWN_HINTS = (
    "A `backward` gets the gradient of the result and returns one for each argument of `forward`, in the same order.",
    "Which of its lines compute the one that is wrong? Write it down on paper once more, or compare with what autograd "
    "makes of your forward.",
)
UNSEEN_HINTS = (
    "The values are right, so the formula is. Which part of it does autograd not see, or see otherwise?",
    "Look for `.detach()`, `.data`, `torch.no_grad()`, `torch.inference_mode()`, and for `torch.tensor(...)` or "
    "`nn.Parameter(...)` of a result.",
)


@dataclass(frozen=True)
class Gradient:
    """The gradients of a result. forward: gives the result, and that for which to differentiate it

    The gradient of the result is made of fixed numbers that look random: the plain sum of a norm's result has no
    gradient to speak of. Those of three axes lie transposed in memory, as any may. Gradients in float64 are compared
    as float32, since the terms of a sum may cancel.
    """

    forward: Callable[..., tuple[Tensor, list[Tensor]]]

    def __call__(self, *args: Any, **steps: Any) -> tuple[Tensor | None, ...]:
        return _weighed(*self.forward(*args, **steps))


def gradients(function: Callable[..., Any]) -> Gradient:
    """The gradients of a function for its floating-point arguments."""

    def forward(*args: Any, **steps: Any) -> tuple[Tensor, list[Tensor]]:
        args = tuple(
            fresh(arg).requires_grad_() if isinstance(arg, Tensor) and arg.is_floating_point() else arg for arg in args
        )
        leaves = [arg for arg in args if isinstance(arg, Tensor) and arg.requires_grad]
        return function(*args, **steps), leaves

    return Gradient(forward)


def of_module(fill: Callable[..., nn.Module], names: Sequence[str], training: bool = True) -> Gradient:
    """Those of a module that `fill` builds from the same arguments, for x and for its parameters.

    names: of the parameters, in order; where they have others, which a state_dict does not show, all as they come
    """

    def forward(x: Tensor, *args: Any) -> tuple[Tensor, list[Tensor]]:
        module = fill(x, *args).train(training)
        weights = dict(module.named_parameters())
        chosen = [weights[name] for name in names] if weights.keys() >= set(names) else list(weights.values())
        return module(x.requires_grad_()), [x, *chosen]

    return Gradient(forward)


def _weighed(result: Tensor, leaves: Sequence[Tensor]) -> tuple[Tensor | None, ...]:
    if not result.requires_grad:
        return (None,) * len(leaves)
    weights = cotangent(result)
    given = weights.transpose(0, -1).contiguous().transpose(0, -1) if result.dim() > 2 else weights.clone()
    found, again = (torch.autograd.grad(result, leaves, given, allow_unused=True, retain_graph=True) for _ in range(2))
    if not torch.equal(given, weights):
        raise GradientOverwritten
    if not alike(found, again):
        raise GradientSpent
    return tuple(one.float() if one is not None and one.dtype == torch.float64 else one for one in found)


OWN = " A `backward` of your own takes part."


def cotangent(result: Tensor) -> Tensor:
    """Numbers to weigh a result with: the same ones for every result of this shape."""
    numbers = torch.randn(result.shape, generator=torch.Generator().manual_seed(7), dtype=torch.float64)
    return numbers.to(result.dtype)


def compare_module_gradients(
    trial: Trial, formula: Formula, fill: Callable[..., nn.Module], names: Sequence[str]
) -> None:
    """The gradients for x and for the parameters of these names, in training and in evaluation."""
    for training, when in ((True, ""), (False, " after `module.eval()`")):
        compare_gradients(trial, formula, of_module(fill, names[1:], training), names, when=when)
    outcome = trial.run(_of_weights_alone, fill, *map(fresh, formula.probes[0].args))
    if outcome.error is not None or any(one is None for one in outcome.value):
        trial.refuse(
            Rung.GRADIENT, "Where x needs no gradient, as in a first layer, none reaches the weights.", hints=OWN_HINTS
        )


def _of_weights_alone(fill: Callable[..., nn.Module], x: Tensor, *args: Any) -> tuple[Tensor | None, ...]:
    """The gradients of a module's parameters while nobody asks for that of x."""
    module = fill(x, *args)
    return _weighed(module(x), list(module.parameters()))


def compare_gradients(
    trial: Trial,
    formula: Formula,
    function: Gradient,
    names: Sequence[str],
    needed: bool = True,
    when: str = "",
) -> None:
    """The gradients for every floating-point argument. function: made by `gradients` or `of_module`

    needed: False for a function that may also work in place on copies of its own, which autograd does not follow
    """
    for probe in formula.probes:
        outcome = trial.run(function, *(fresh(arg) for arg in probe.args))
        if outcome.error is not None and not needed:
            return
        if outcome.error is not None:
            _refuse_an_error(trial, outcome)
        given = values_of(outcome)
        rightly = [answer(gradients(formula.right), probe.args, **steps) for steps in ({}, *formula.also)]
        if not any(alike(given, one) for one in rightly):
            where = when + ("" if probe is formula.probes[0] else f" for {probe.words}")
            wrong = next(filter(None, map(_symptom, names, given, rightly[0])))
            symptom = f"{wrong}{where}.{_nearer(trial, formula, function, names, probe, given)}"
            if "NaN" in symptom:
                symptom += origin_of_slope(trial, function, *map(fresh, probe.args))
            hints = (*OWN_HINTS, *UNSEEN_HINTS) if OWN in symptom else UNSEEN_HINTS
            trial.refuse(Rung.GRADIENT, symptom, _behind(trial, formula, probe, given), hints)
    trial.climbed([Rung.GRADIENT])


def _refuse_an_error(trial: Trial, outcome: Outcome) -> NoReturn:
    if isinstance(outcome.error, GradientOverwritten):
        overwritten = "Your `backward` changes the gradient that it is given; whoever gave it may still need it."
        trial.refuse(Rung.GRADIENT, overwritten, hints=OWN_HINTS[:1])
    if isinstance(outcome.error, GradientSpent):
        spent = "A second pass backwards through the same result gives other gradients: is what it needs overwritten?"
        trial.refuse(Rung.GRADIENT, spent, hints=OWN_HINTS[:1])
    assert outcome.error is not None
    behind = errors.behind(first_words(outcome.error), trial.name)
    trial.refuse(Rung.GRADIENT, "The gradient could not be computed: " + raised(trial.name, outcome), behind)


def _symptom(name: str, given: Tensor | None, wanted: Tensor) -> str:
    """What is wrong with the gradient for the argument of this name, "" if nothing."""
    right = f"The values are right, but the gradient for {name}"
    if given is None:
        return f"No gradient reaches {name}: it was cut off on the way, or never used"
    if wanted.isfinite().all() and not given.isfinite().all():
        return f"{right} contains {'NaN' if given.isnan().any() else 'inf'}"
    return "" if close(given, wanted) else f"{right} is not right"


def _nearer(
    trial: Trial, formula: Formula, function: Gradient, names: Sequence[str], probe: Probe, given: Answer
) -> str:
    """Where gradients are right although one is wrong, and whether the learner's own backward computes them."""
    words, right = "", gradients(formula.right)
    compared = zip(names, given, answer(right, probe.args), strict=True)
    fine = [name for name, one, wanted in compared if close(one, wanted)]
    if fine:
        words += f" {'Those' if fine[1:] else 'That'} for {' and '.join(fine)} {'are' if fine[1:] else 'is'} right."
    for at, name in enumerate(names):
        args = [torch.ones_like(one) if place == at else fresh(one) for place, one in enumerate(probe.args)]
        if at and alike(values_of(trial.run(function, *map(fresh, args))), answer(right, args)):
            words += f" With ones for {name} all are right."
    return words + (OWN if _own_backward(trial, function, probe) else "")


def _own_backward(trial: Trial, function: Gradient, probe: Probe) -> bool:
    """Whether a step of the learner's has a backward that Python defines."""
    outcome = trial.run(function.forward, *map(fresh, probe.args))
    found = [outcome.value[0].grad_fn] if outcome.value and outcome.value[0].requires_grad else []
    for node in found:
        found += [before for before, _ in node.next_functions if before is not None and before not in found]
    return any(isinstance(node, torch.autograd.function.BackwardCFunction) for node in found)


def _behind(trial: Trial, formula: Formula, probe: Probe, given: Answer) -> tuple[Mistake, ...]:
    """The mistakes behind a wrong gradient: lost on the way, or one that leaves the values right."""
    if all(one is None for one in given):
        off = GRADIENTS_OFF in trial.settings
        return (habits.GRADIENT_LOST, *([habits.settings_changed(list(trial.settings))] if off else []))
    silent = _silent(formula, probe)
    mistakes = diagnose(gradients(formula.right), silent, [Evidence(probe.args, given)])
    return (habits.GRADIENT_LOST,) if given[0] is None and not mistakes else mistakes


def _silent(formula: Formula, probe: Probe) -> tuple[Mistake, ...]:
    """The mistakes, in those of their variants that leave the values right: the others would have shown before."""
    right = answer(formula.right, probe.args)
    kept = (
        (one, tuple(two for two in one.variants if alike(answer(formula.right, probe.args, **two), right)))
        for one in formula.bank
    )
    return tuple(replace(one, variants=variants) for one, variants in kept if variants)
