"""Taking what a person gives: checked, or a sentence that says what was expected and what came.

Every refusal is a TypeError (the wrong kind of thing) or a ValueError (the right kind, but not one that can be used),
one sentence long, and quotes at most sixty characters. Nothing is taken that would lose something on the way, and
nothing is asked of an object that might never answer: what has no length is not counted.
"""

from __future__ import annotations

import math
import operator
import re
import reprlib
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

LARGEST = 2**63 - 1
LARGEST_COMPONENT = 1e6  # of a vector that is to be drawn
LONGEST_LINE = 1000  # characters of a text box
WHOLE = (torch.int64, torch.int32, torch.int16, torch.uint8, torch.int8)
MOST_EPS = 4  # rules that fit into one picture


class _Brief(reprlib.Repr):
    """Any object in a few words, even where its own repr fails or would fill the page; never an address."""

    def repr_int(self, value: int, level: int) -> str:
        return f"a number of {value.bit_length()} bits" if value.bit_length() > 100 else repr(value)

    def repr_instance(self, value: object, level: int) -> str:
        try:
            return repr(value)
        except Exception:  # whatever the object's own method raises
            return f"an object of type {type(value).__name__:.40}"


_brief = _Brief()
_brief.maxstring = _brief.maxother = 60


def shortened(value: object) -> str:
    """What came, in at most sixty whole characters on one line: half of one cannot be sent to a browser."""
    try:
        text = " ".join(_brief.repr(value).split())
    except Exception:
        text = f"an object of type {type(value).__name__:.40}"
    text = re.sub(r" at 0x[0-9a-fA-F]+", "", text).encode("utf-8", "backslashreplace").decode("utf-8")
    return text if len(text) <= 60 else text[:57] + "..."


# Single values


def whole_number(name: str, value: Any, least: int = 1, most: int = LARGEST) -> int:
    """The value as an int from `least` to `most`.

    Raises TypeError for text, fractions, booleans and what else is no whole number, ValueError outside the limits.
    """
    wanted = f"Expected {name} to be a whole number from {least} to {'2^63 - 1' if most == LARGEST else most}"
    try:
        number = operator.index(value) if _may_be_a_number(value) else None
    except Exception:  # whatever the object's own method raises
        number = None
    if number is None:
        raise TypeError(f"{wanted}; got {shortened(value)}.")
    if not least <= number <= most:
        raise ValueError(f"{wanted}; got {shortened(number)}.")
    return number


def real_number(name: str, value: object, least: float, most: float) -> float:
    """The value as a float from `least` to `most`.

    Raises TypeError for text, booleans, complex numbers and what else is no number, ValueError outside the limits and
    for NaN.
    """
    wanted = f"Expected {name} to be a number from {least:g} to {most:g}"
    number = _as_float(value)
    if number is None:
        raise TypeError(f"{wanted}; got {shortened(value)}.")
    if not least <= number <= most:
        raise ValueError(f"{wanted}; got {shortened(value)}.")
    return number


def _as_float(value: Any) -> float | None:
    """The number that something is; infinite when it is too large for a float, None when it is no number."""
    try:
        value = value.detach() if isinstance(value, Tensor) else value
        return float(value) if _may_be_a_number(value) else None
    except OverflowError:
        return math.inf
    except Exception:  # whatever the object's own method raises
        return None


def _may_be_a_number(value: object) -> bool:
    """Whether Python's own conversions would lose nothing: they take text, True, 1 + 2j and masked values too."""
    if isinstance(value, Tensor):
        return value.ndim == 0 and not (value.is_complex() or value.dtype == torch.bool)
    if isinstance(value, np.ndarray | np.generic):
        return value.ndim == 0 and value.dtype.kind in "iuf" and not np.ma.is_masked(value)
    return not isinstance(value, str | bytes | bytearray | bool | complex)


def yes_or_no(name: str, value: object) -> bool:
    """The value as a bool. Raises TypeError for what is not True or False: the text "no" would count as True."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"Expected {name} to be True or False; got {shortened(value)}.")
    return bool(value)


def words(name: str, value: object, most: int) -> str:
    """The value as a text with something in it.

    Raises TypeError for what is no text, ValueError for an empty one, one longer than `most`, and one with half a
    character in it (a lone surrogate, which cannot be sent to a browser).
    """
    wanted = f"Expected {name} to be text of 1 to {most} characters"
    if not isinstance(value, str):
        raise TypeError(f"{wanted}; got {shortened(value)}.")
    if not value.strip():
        raise ValueError(f"{wanted}; got an empty text.")
    if len(value) > most:
        raise ValueError(f"{wanted}; got {len(value)}.")
    if re.search("[\ud800-\udfff]", value):
        raise ValueError(f"{wanted}, each of them whole; got {shortened(value)}.")
    return value


def one_of(name: str, value: object, choices: Iterable[str]) -> str:
    """The value, one of the names to choose from. Raises TypeError for what is no text, ValueError for another name."""
    choices = list(choices)
    wanted = f"Expected {name} to be {' or '.join([', '.join(choices[:-1]), choices[-1]] if choices[1:] else choices)}"
    if not isinstance(value, str):
        raise TypeError(f"{wanted}; got {shortened(value)}.")
    if value not in choices:
        raise ValueError(f"{wanted}; got {shortened(value)}.")
    return value


# Several values


def as_list(wanted: str, values: object, fewest: int, most: int) -> list[Any]:
    """The things in a list, a tuple or another sequence, `fewest` to `most` of them.

    wanted: the beginning of the sentence that refuses, such as "Expected one to four sizes in a list"
    Raises TypeError for text and for what has no order or no length, ValueError for another number of things.
    """
    things = _first(values, most)
    if things is None:
        raise TypeError(f"{wanted}; got {shortened(values)}.")
    if not fewest <= len(things) <= most:
        raise ValueError(f"{wanted}; got {_count(values)}.")
    return things


def _first(values: Any, most: int) -> list[Any] | None:
    """The first `most` things of a sequence and one more, so that nobody waits for a long one; None if it is none."""
    if isinstance(values, str | bytes | bytearray) or not isinstance(values, Sequence | Tensor | np.ndarray):
        return None
    try:
        return list(islice(values.detach() if isinstance(values, Tensor) else values, most + 1))
    except Exception:  # whatever the object's own methods raise
        return None


def _count(values: Any) -> str:
    """How many things a sequence says that it has."""
    try:
        return str(len(values))
    except Exception:  # whatever the object's own method raises
        return "another number"


def several_of(name: str, values: object, choices: Sequence[str]) -> tuple[str, ...]:
    """Names in a list, one or more, each one of the names to choose from and there once.

    Raises TypeError for what is no list of texts, ValueError for none, for another name and for one that comes twice.
    """
    wanted = f"Expected {name} to be names in a list, out of {', '.join(choices)}"
    names = as_list(wanted, values, 1, len(choices))
    for value in names:
        if not isinstance(value, str):
            raise TypeError(f"{wanted}; got {shortened(value)} among them.")
        if value not in choices or names.count(value) > 1:
            raise ValueError(f"{wanted}, each once; got {shortened(names)}.")
    return tuple(names)


def as_vector(values: object, fewest: int = 2, most: int = 12) -> Tensor:
    """The numbers given, as one vector that can be drawn.

    values: a list, tuple, numpy array or tensor of one axis -> (d,) float64, a copy without gradient
    Raises TypeError for text and other things that are not numbers, ValueError for the wrong number of axes or of
    components, and for components that are not finite or larger than a million in size.
    """
    wanted = f"Expected {f'{fewest} to {most}' if fewest < most else most} numbers in one row"
    numbers = _row(wanted, values, fewest, most)
    for number in numbers:
        if not math.isfinite(number):
            raise ValueError(f"{wanted}, each of them finite; got {number}.")
        if abs(number) > LARGEST_COMPONENT:
            raise ValueError(f"{wanted}, each between -1e6 and 1e6; got {number:g}.")
    return torch.tensor(numbers, dtype=torch.float64, device="cpu")


def eps_values(name: str, values: object) -> list[float]:
    """Values of eps, up to four of them, each above 0 and at most 1; none at all is also an answer.

    values: a list, tuple, numpy array or tensor of one axis
    Raises TypeError for what is no row of numbers, ValueError for more than four and outside the limits.
    """
    wanted = f"Expected {name} to be up to {MOST_EPS} values of eps in a list, each above 0 and at most 1"
    numbers = _row(wanted, values, 0, MOST_EPS)
    for eps in numbers:
        if not 0 < eps <= 1:
            raise ValueError(f"{wanted}; got {eps}.")
    return numbers


def number_range(name: str, values: object) -> tuple[float, float]:
    """Two numbers (low, high), each at most a million in size, the second larger by at least a thousandth.

    values: a list, tuple, numpy array or tensor of two numbers
    Raises TypeError for what is no pair of numbers, ValueError outside the limits.
    """
    wanted = f"Expected {name} to be (low, high), two numbers from -1e6 to 1e6, 0.001 apart or more"
    low, high = _row(wanted, values, 2, 2)
    if not (-1e6 <= low < high <= 1e6 and high - low >= 1e-3):
        raise ValueError(f"{wanted}; got ({low:g}, {high:g}).")
    return low, high


def _row(wanted: str, values: object, fewest: int, most: int) -> list[float]:
    """The numbers in one row, `fewest` to `most` of them."""
    values = _as_array(values)
    if isinstance(values, Tensor | np.ndarray) and values.ndim != 1:
        raise ValueError(f"{wanted}; got {_axes(values)}.")
    things = _first(values, most)
    numbers = [number for number in map(_as_float, things or ()) if number is not None]
    if things is None or len(numbers) < len(things):
        raise TypeError(f"{wanted}; got {shortened(values)}, which is not a row of numbers.")
    if not fewest <= len(numbers) <= most:
        raise ValueError(f"{wanted}; got {_count(values)}.")
    return numbers


def _as_array(values: object) -> object:
    """What calls itself an array, such as a column of a table, and a single number, as numpy's; else as it is."""
    if isinstance(values, Tensor | np.ndarray | Sequence):
        return values
    try:
        return np.asarray(values) if hasattr(values, "__array__") or _as_float(values) is not None else values
    except Exception:  # whatever the object's own method raises
        return values


def _axes(array: Tensor | np.ndarray) -> str:
    if array.ndim:
        return f"an array of shape {shortened(tuple(array.shape))}"
    number = _as_float(array)
    return f"the single number {number:g}" if number is not None else shortened(array)


def as_tokens(values: object, axes: int, below: int, least: int = 0) -> Tensor:
    """Tokens as they are given: whole numbers from 0 to below `below`, along each axis at least `least` of them.

    values: a tensor of that many axes -> the same numbers as int64, which torch asks for
    Raises TypeError for what is no tensor of whole numbers, ValueError for other axes, too few tokens and others.
    """
    wanted = f"Expected tokens as a tensor of whole numbers from 0 to {below - 1} with {axes} axes"
    if not isinstance(values, Tensor) or values.dtype not in WHOLE:
        raise TypeError(f"{wanted}; got {shortened(values)}.")
    if values.ndim != axes or values.is_meta or values.is_sparse:
        raise ValueError(f"{wanted}; got {_axes(values)}.")
    if any(size < least for size in values.shape):
        raise ValueError(f"{wanted}, {least} or more along each; got {_axes(values)}.")
    if values.numel() and not 0 <= (low := int(values.min())) <= (high := int(values.max())) < below:
        raise ValueError(f"{wanted}; got {low if low < 0 else high}.")
    return values.long()


def as_module(name: str, value: object) -> nn.Module:
    """The value, an nn.Module. Raises TypeError for anything else, and for a class that was not called."""
    if not isinstance(value, nn.Module):
        raise TypeError(f"Expected {name} to be an nn.Module, made by calling its class; got {shortened(value)}.")
    return value


def parse_vector(text: str) -> Tensor:
    """The numbers in a line such as "2, -1 0.5" or "[2, -1, 0.5]".

    text -> (d,) float64, 2 to 12 numbers separated by commas or spaces, in brackets or not
    Raises ValueError in a sentence that says what was expected and what came.
    """
    wanted = "Expected 2 to 12 numbers separated by commas or spaces"
    if len(text) > LONGEST_LINE:
        raise ValueError(f"{wanted}; got a text of {len(text)} characters.")
    text = text.strip()
    inside = text[1:-1] if text[:1] + text[-1:] in ("[]", "()") else text
    found = [word for word in re.split(r"[,\s]+", inside.replace("−", "-")) if word]
    for word in found:
        if not re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", word):
            raise ValueError(f"{wanted}; {shortened(word)} is not a number.")
    return as_vector([float(word) for word in found])
