"""Taking one number from a person: checked, or a sentence that says what was expected and what came."""

from __future__ import annotations

import math
import operator

LARGEST = 2**63 - 1


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


def shortened(value: object) -> str:
    """What came, in at most sixty characters."""
    if isinstance(value, int) and value.bit_length() > 100:
        return f"a number of {value.bit_length()} bits"
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
