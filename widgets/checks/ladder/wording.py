"""What something is and what went wrong, in words."""

from __future__ import annotations

import inspect
from typing import Any

import torch
from torch import Tensor, nn

from widgets.checks.runner import Outcome


def kind(value: Any) -> str:
    """What something is, in words."""
    if isinstance(value, Tensor):
        return f"a tensor of shape {tuple(value.shape)}"
    if isinstance(value, bool | int | float | complex):
        return f"the number {number(value)}"
    if isinstance(value, tuple | list):
        return f"a {type(value).__name__} of {len(things(value))}"
    if inspect.iscoroutine(value):
        return "a coroutine (a function made with `async def` has to be awaited; leave `async` out)"
    if inspect.isgenerator(value):
        return "a generator (that is what `yield` makes; use `return`)"
    if inspect.isroutine(value):
        return f"a function, `{value.__name__}`, that was not called (are its parentheses missing?)"
    if isinstance(value, nn.Module):
        return f"a layer, `{type(value).__name__}`, that was not called"
    return "None" if value is None else f"an object of type {type(value).__name__}"


def things(value: tuple[Any, ...] | list[Any]) -> list[Any]:
    """What a tuple or a list holds, whatever its class has made of counting: a list may never come to its end."""
    return list.copy(value) if isinstance(value, list) else list(tuple.__iter__(value))


def number(value: Any) -> str:
    """A number in six digits, a whole one in all of its digits unless those fill a line."""
    if isinstance(value, float):
        return f"{value:.1f}" if value.is_integer() and abs(value) < 1e15 else f"{value:.6g}"
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > 200:
        return f"a whole number of about {value.bit_length() * 0.30103:.0f} digits"
    return str(value)


def short(dtype: torch.dtype) -> str:
    """The dtype's name as people say it."""
    return str(dtype).removeprefix("torch.")


def sentence(name: str) -> str:
    """A result's name at the beginning of a sentence; what is a name in the code stays as it is."""
    return name if "_" in name else name.capitalize()


def raised(name: str, outcome: Outcome, where: str = "") -> str:
    """The learner's own line and the error's own words; an error of many lines is cut to its first."""
    assert outcome.error is not None
    text = first_words(outcome.error)
    line = f" at {outcome.line}" if outcome.line else ""
    kind_of_error = type(outcome.error).__name__
    return f"`{name}` raised {kind_of_error}{line}{' ' + where if where else ''}" + (f": {text}" if text else ".")


def first_words(error: BaseException) -> str:
    """The first line of an error's text, or those that follow where the first only announces them."""
    if isinstance(error, KeyError):  # whose text is the key alone
        return f"{error} is no key of that dictionary"
    try:
        lines = [line.strip() for line in str(error).strip().splitlines()] or [""]
    except Exception:  # a class of errors that cannot be printed
        return ""
    return " ".join(lines[:4] if lines[0].endswith(":") else lines[:1])[:300]
