"""How the learner's function or class is called, and whether it is there at all."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from widgets.checks.ladder.rungs import Rung
from widgets.checks.ladder.trial import Refused, Trial
from widgets.checks.ladder.wording import kind, raised
from widgets.checks.mistakes import habits
from widgets.checks.notebook import stale
from widgets.checks.verdict import Verdict


def callable_as(trial: Trial, learner: Any, *args: Any, **named: Any) -> Any:
    """There is a function or class, it is filled in, and it can be called with these arguments.

    Returns what to call: the learner's own, or, where it takes its optional arguments by name only, a function that
    passes them by name.
    """
    if old := stale(trial.name, learner):
        raise Refused(Verdict(trial.name, False, old))
    if learner is None or learner is ... or _is_empty(learner):
        trial.not_written()
    if not callable(learner):
        trial.refuse(Rung.CALLABLE, f"`{trial.name}` is {kind(learner)}; expected `{trial.call}`.")
    try:
        signature = inspect.signature(learner)
    except (TypeError, ValueError):
        return learner
    if isinstance(learner, type) and issubclass(learner, nn.Module) and trial.name[0].islower():
        trial.refuse(Rung.CALLABLE, f"`{trial.name}` is a class of modules; expected a function.")
    try:
        signature.bind(*args, **named)
    except TypeError:
        trial.refuse(Rung.CALLABLE, f"It is called as `{trial.call}`; yours takes `{trial.name}{signature}`.")
    trial.passed(f"{Rung.CALLABLE} as `{trial.call}`")
    return _by_name(learner, signature, [*args, *named.values()], _optional(trial.call))


def _optional(call: str) -> list[str]:
    """The names of the arguments with a default in a call like `f(x, eps=1e-6)`."""
    names = call.partition("(")[2].removesuffix(")").split(", ")
    return [name.split("=")[0] for name in names if "=" in name]


def _by_name(
    learner: Any, signature: inspect.Signature, args: Sequence[Any], optional: list[str]
) -> Callable[..., Any]:
    """The learner's function; where it takes the optional arguments by name only, one that passes them by name."""
    try:
        signature.bind(*args)
        return learner
    except TypeError:
        needed = len(args) - len(optional)

    def call(*values: Any) -> Any:
        return learner(*values[:needed], **dict(zip(optional, values[needed:], strict=False)))

    return call if optional and needed > 0 else learner


def _passes():
    """Nothing."""


_NOTHING = {one.__code__.co_code for one in (_passes, lambda: None, lambda: ...)}


def _is_empty(learner: Any) -> bool:
    """A body of `pass`, `...` or a docstring only; a class without a method of its own."""
    if isinstance(learner, type):
        own = [base for base in learner.__mro__ if not base.__module__.startswith(("torch.", "builtins"))]
        inherited = any(issubclass(learner, base) for base in (nn.RMSNorm, nn.LayerNorm, nn.Linear))
        return not inherited and not any(callable(member) for base in own for member in vars(base).values())
    code = getattr(learner, "__code__", None)
    if code is None or code.co_code not in _NOTHING:
        return False
    return all(one is None or one is ... or one == learner.__doc__ for one in code.co_consts)


def build(trial: Trial, module_class: Callable[..., nn.Module], *args: Any) -> nn.Module:
    """A module of the learner's class, made as they would make it."""
    if isinstance(module_class, nn.Module):
        trial.refuse(Rung.BUILT, f"`{trial.name}` is a module that was built already; hand over the class itself.")
    outcome = trial.run(module_class, *args)
    if outcome.error is not None:
        forgotten = isinstance(outcome.error, AttributeError) and "__init__() call" in str(outcome.error)
        trial.refuse(Rung.BUILT, raised(trial.name, outcome), [habits.SUPER_FORGOTTEN] if forgotten else [])
    if not isinstance(outcome.value, nn.Module):
        trial.refuse(Rung.BUILT, f"`{trial.call}` gives {kind(outcome.value)}; expected an `nn.Module`.")
    if not hasattr(outcome.value, "_parameters"):
        trial.refuse(Rung.BUILT, "The module that was built cannot be used as one.", [habits.SUPER_FORGOTTEN])
    _check_a_second_one(trial, outcome.value, module_class, *args)
    trial.passed(Rung.BUILT)
    return outcome.value


def _check_a_second_one(trial: Trial, module: nn.Module, module_class: Callable[..., nn.Module], *args: Any) -> None:
    """Another one can be built, and has weights of its own."""
    again = trial.run(module_class, *args)
    if again.error is not None:
        trial.refuse(Rung.BUILT, raised(trial.name, again, "when a second one is built"))
    if _shared(module, again.value):
        shared = "Two modules that were built one after the other have a parameter in the same memory."
        trial.refuse(Rung.BUILT, shared, [habits.WEIGHTS_SHARED])


def _shared(one: nn.Module, other: nn.Module) -> bool:
    """Whether two modules have a parameter in the same place of the memory."""

    def places(module: nn.Module) -> set[int]:
        return {at.data_ptr() for at in module.parameters() if not nn.parameter.is_lazy(at) and at.data_ptr()}

    return not places(one).isdisjoint(places(other))


def as_function(
    fill: Callable[..., nn.Module], used: bool = False, other: torch.dtype | None = None
) -> Callable[..., Any]:
    """The function that x and the other arguments of `fill` define: build a module from them and apply it to x.

    used: apply it to fewer and other tokens before, maybe of another dtype, and then in evaluation mode
    """

    def function(x: Tensor, *args: Any) -> Any:
        module = fill(x, *args)
        if used:
            module((2 - 3 * x[:1]).to(other or x.dtype))
            module.eval()
        return module(x)

    return function
