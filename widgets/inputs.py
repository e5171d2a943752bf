"""Taking a person's numbers: checked, or a sentence that says what was expected and what came."""

from __future__ import annotations

import math
import operator
import re

import numpy as np
import torch
from torch import Tensor

LARGEST = 2**63 - 1
LARGEST_COMPONENT = 1e6  # of a vector that is to be drawn


def whole_number(name: str, value: object, least: int = 1, most: int = LARGEST) -> int:
    """The value as an int from `least` to `most`.

    Raises TypeError for text, fractions, booleans and what else is no whole number, ValueError outside the limits.
    """
    wanted = f"Expected {name} to be a whole number from {least} to {'2^63 - 1' if most == LARGEST else most}"
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{wanted}; got {shortened(value)}.") from None
    if type(value).__name__.startswith("bool"):  # True is the whole number 1 to Python, and not to a person
        raise TypeError(f"{wanted}; got {value}.")
    if not least <= number <= most:
        raise ValueError(f"{wanted}; got {shortened(number)}.")
    return number


def real_number(name: str, value: object, least: float, most: float) -> float:
    """The value as a float from `least` to `most`.

    Raises TypeError for text, booleans and what else is no number, ValueError outside the limits and for NaN.
    """
    wanted = f"Expected {name} to be a number from {least:g} to {most:g}"
    if isinstance(value, str | bytes) or type(value).__name__.startswith("bool"):
        raise TypeError(f"{wanted}; got {shortened(value)}.")
    try:
        number = float(value)
    except (TypeError, ValueError, RuntimeError):
        raise TypeError(f"{wanted}; got {shortened(value)}.") from None
    except OverflowError:
        number = math.inf
    if not least <= number <= most:
        raise ValueError(f"{wanted}; got {number}.")
    return number


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


def shortened(value: object) -> str:
    """What came, in at most sixty characters and on one line, even where its own repr fails."""
    if isinstance(value, int) and value.bit_length() > 100:
        return f"a number of {value.bit_length()} bits"
    try:
        text = " ".join(repr(value[:80] if isinstance(value, str | bytes) else value).split())
    except Exception:  # whatever the object's own method raises
        return f"an object of type {type(value).__name__:.40}"
    return text if len(text) <= 60 else text[:57] + "..."


def as_vector(values: object, fewest: int = 2, most: int = 12) -> Tensor:
    """The numbers given, as one vector that can be drawn.

    values: a list, tuple, numpy array or tensor of one axis -> (d,) float64, a copy without gradient
    Raises TypeError for text and other things that are not numbers, ValueError for the wrong number of axes or of
    components, and for components that are not finite or larger than a million in size.
    """
    wanted = f"Expected {fewest} to {most} numbers in one row"
    if isinstance(values, str | bytes):
        raise TypeError(f"{wanted}, such as [2, -1, 0.5]; got the text {str(values)[:40]!r}.")
    try:
        array = np.asarray(values.detach().cpu().double() if isinstance(values, Tensor) else values)
    except (TypeError, ValueError, RuntimeError) as problem:
        raise TypeError(f"{wanted}; got {shortened(values)}, which is not a row of numbers.") from problem
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{wanted}; got {shortened(values)}, which is not a row of numbers.")
    if array.ndim != 1:
        raise ValueError(f"{wanted}; got {_axes(array)}.")
    if not fewest <= len(array) <= most:
        raise ValueError(f"{wanted}; got {len(array)}.")
    vector = torch.tensor(array.astype(np.float64))
    for number in vector.tolist():
        if not math.isfinite(number):
            raise ValueError(f"{wanted}, each of them finite; got {number}.")
        if abs(number) > LARGEST_COMPONENT:
            raise ValueError(f"{wanted}, each between -1e6 and 1e6; got {number:g}.")
    return vector


def _axes(array: np.ndarray) -> str:
    return f"an array of shape {array.shape}" if array.ndim else f"the single number {array.item()}"


def parse_vector(text: str) -> Tensor:
    """The numbers in a line such as "2, -1 0.5" or "[2, -1, 0.5]".

    text -> (d,) float64, 2 to 12 numbers separated by commas or spaces, in brackets or not
    Raises ValueError in a sentence that says what was expected and what came.
    """
    inside = re.fullmatch(r"\s*[\[(]?([^\[\]()]*)[\])]?\s*", text)
    words = [word for word in re.split(r"[,\s]+", (inside[1] if inside else text).replace("−", "-")) if word]
    for word in words:
        if not re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", word):
            raise ValueError(f"Expected 2 to 12 numbers separated by commas or spaces; {word[:40]!r} is not a number.")
    return as_vector([float(word) for word in words])
