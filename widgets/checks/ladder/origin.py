"""Where a fault comes from: the first step that makes a number that is not finite, or that works in place."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from widgets.checks.ladder.trial import Trial
from widgets.checks.runner import is_the_learners

SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "true_divide": "/", "pow": "**"}
IN_PLACE = re.compile(r"__i(?:sub|mul|div|truediv|floordiv|mod|pow)__|[a-z]\w*[a-z]_")
REVERSED = {"rdiv": "div", "rsub": "sub", "rpow": "pow"}  # of a number and a tensor, in that order


class _Made(ArithmeticError):
    """Raised by the step that makes the first number that is not finite; its text says out of what."""


class _Watched(TorchFunctionMode):
    """Everything torch computes is looked at."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        if _is_strange(result) and not any(map(_is_strange, args)):
            raise _Made(_step(func.__name__.strip("_"), args, result))
        return result


class _Overwrites(Exception):
    """Raised by the first step that works in place; its text is the step's name."""


class _WatchedForOverwriting(TorchFunctionMode):
    """Everything that torch is asked is looked at; `+=` is how sums, and an assignment how parts, are collected."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = getattr(func, "__name__", "")
        in_place = name != "requires_grad_" and IN_PLACE.fullmatch(name)
        if in_place and is_the_learners(sys._getframe(1).f_code):  # not a library's own, as in `nn.Linear(...)`
            raise _Overwrites(name)
        return func(*args, **(kwargs or {}))


def overwriting(trial: Trial, function: Callable[..., Any], *args: Any) -> str:
    """The learner's first line that changes a tensor in place, with a question; "" if there is none."""

    def watched() -> Any:
        with _WatchedForOverwriting():
            return function(*args)

    outcome = trial.run(watched)
    if not isinstance(outcome.error, _Overwrites) or not outcome.line:
        return ""
    return f" A tensor is changed in place at {outcome.line}: are its old numbers needed later?"


def origin(trial: Trial, function: Callable[..., Any], *args: Any) -> str:
    """The learner's line that makes the first number that is not finite, and out of what; "" if there is none."""

    def watched() -> Any:
        with _Watched():
            return function(*args)

    outcome = trial.run(watched)
    if not isinstance(outcome.error, _Made):
        return ""
    where = f" at {outcome.line}" if outcome.line else ""
    return f" The first number that is not finite arises{where}: {outcome.error}."


def origin_of_slope(trial: Trial, function: Callable[..., Any], *args: Any) -> str:
    """The step whose slope is not a number, which `function` finds as it computes gradients; "" if there is none."""

    def watched() -> Any:
        with torch.autograd.detect_anomaly():
            return function(*args)

    words = str(trial.run(watched).error)
    step = words.partition("Backward")[0].removeprefix("Function '")
    return f" It comes from the slope of `{step.lower()}`." if "returned nan values" in words else ""


def _is_strange(value: Any) -> bool:
    """Holds a number that is not finite."""
    if isinstance(value, Tensor):
        return value.is_floating_point() and not bool(value.isfinite().all())
    return isinstance(value, float) and not math.isfinite(value)


def _step(name: str, args: tuple[Any, ...], result: Tensor) -> str:
    """One number that is not finite, and what it is made of, as `0 / 0 is nan`."""
    if name in REVERSED:
        name, args = REVERSED[name], args[::-1]
    at = int((~result.isfinite()).flatten().nonzero()[0])
    made = f"{result.flatten()[at].item()}"
    try:
        parts = [torch.as_tensor(one).expand(result.shape).flatten()[at].item() for one in args]
    except (RuntimeError, TypeError, ValueError):  # a sum, a mean, a matrix product
        return f"`{name}` gives {made}"
    shown = [f"{one:.4g}" if one >= 0 else f"({one:.4g})" for one in parts]
    return (f" {SIGNS[name]} ".join(shown) if name in SIGNS else f"{name} of {', '.join(shown)}") + f" is {made}"
