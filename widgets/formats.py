"""How the course writes numbers: one format for each kind, in pictures, texts and readouts alike."""

from __future__ import annotations

import math

DURATIONS = (("s", 1e6), ("ms", 1e3), ("µs", 1.0))  # a unit, in microseconds


def number(value: float, digits: int = 2, sign: bool = False) -> str:
    """A number as the course prints it: fixed decimals, a real minus sign, never a negative zero.

    From 100000 on it is written like 1.2e5; with `sign`, numbers above zero get a plus.
    """
    text = scientific(value) if abs(value) >= 1e5 else f"{value:.{digits}f}"
    if not text.strip("-0."):
        return f"{0.0:.{digits}f}"
    return ("+" if sign and value > 0 else "") + text.replace("-", "−")


def scientific(value: float) -> str:
    """A number with a power of ten and one decimal where it has one: 0.00012 -> 1.2e−4, 0.001 -> 1e−3."""
    if not math.isfinite(value):
        return f"{value}".replace("-", "−")
    mantissa, exponent = f"{value:.1e}".split("e")
    return f"{mantissa.removesuffix('.0')}e{int(exponent)}".replace("-", "−")


def fitted(value: float, characters: int) -> str:
    """A number in at most so many characters, its sign not counted: with two decimals, one, none, or a power of ten.

    characters: at least 3
    """
    for digits in (2, 1, 0):
        text = number(value, digits)
        if len(text.lstrip("−")) <= characters:
            return text
    mantissa, exponent = f"{value:.0e}".split("e")
    return f"{mantissa}e{int(exponent)}".replace("-", "−")


def two_digits(value: float) -> str:
    """A number above 0 of unknown size with the two digits that count: 12.3 -> 12.3, 0.042 -> 4.2e−2."""
    return number(value, 1) if value >= 0.95 else scientific(value)


def percent(share: float, digits: int = 1, sign: bool = False) -> str:
    """A share as a percentage: 0.0078 -> 0.8 %."""
    return f"{number(100 * share, digits, sign)} %"


def counted(count: int) -> str:
    """A count in full below a million, else in millions or billions: 246,720, or 135.3 M."""
    if count < 1_000_000:
        return f"{count:,}"
    return f"{count / 1e6:,.1f} M" if count < 1e9 else f"{count / 1e9:,.2f} B"


def duration(microseconds: float) -> str:
    """Microseconds, milliseconds or seconds, with two digits that count: 24 µs, 1.3 ms."""
    unit, size = next((unit, size) for unit, size in DURATIONS if microseconds >= size or unit == "µs")
    value = microseconds / size
    return f"{value:.{0 if value >= 9.95 or value == round(value) else 1}f} {unit}"
