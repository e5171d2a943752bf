"""The controls of a flipbook: what a subclass asks for, the traits they become, and what the browser builds."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NotRequired, TypedDict

import traitlets

from widgets.formats import number


class Described(TypedDict):
    """A control as controls.js builds it; a trait of the same name holds its value."""

    kind: str  # "range", "check", "list" or "text"
    name: str
    label: str
    shown: bool
    positions: NotRequired[list[float]]  # of a range, in rising order
    texts: NotRequired[list[str]]  # of a range: the readout at each position
    stops: NotRequired[list[list[Any]]]  # of a range: [label, number of the position, per cent of the way]
    options: NotRequired[list[str]]  # of a list


class Position(traitlets.Float):
    """A number that is always one of the positions of a slider: the nearest to what is given."""

    def __init__(self, positions: Sequence[float], value: float) -> None:
        self.positions = positions
        super().__init__(nearest(positions, value))

    def validate(self, obj: Any, value: object) -> float:
        given = super().validate(obj, value)
        if math.isnan(given):
            self.error(obj, value)
        return nearest(self.positions, given)


@dataclass(frozen=True)
class Slider:
    """A range input over these positions, in rising order; `text` writes a position, `stops` names some of them.

    Raises ValueError when there are no positions, or they do not rise.
    """

    label: str
    positions: Any  # numbers in a list or an array; a list from then on
    value: float
    text: Callable[[float], str] = number
    stops: Mapping[str, float] = field(default_factory=dict)

    kind = "range"

    def __post_init__(self) -> None:
        object.__setattr__(self, "positions", _rising(self.label, self.positions))

    def trait(self) -> traitlets.TraitType:
        """The trait that holds its value."""
        return Position(self.positions, self.value)

    def described(self) -> dict[str, object]:
        """What the browser needs beside kind, name and label."""
        texts = [self.text(position) for position in self.positions]
        stops = []
        for label, value in self.stops.items():
            place = self.positions.index(nearest(self.positions, value))
            stops.append([label, place, round(100 * place / max(1, len(self.positions) - 1), 2)])
        return {"positions": self.positions, "texts": texts, "stops": stops}


@dataclass(frozen=True)
class Check:
    """A checkbox."""

    label: str
    value: bool

    kind = "check"

    def trait(self) -> traitlets.TraitType:
        """The trait that holds its value."""
        return traitlets.Bool(self.value)

    def described(self) -> dict[str, object]:
        """What the browser needs beside kind, name and label."""
        return {}


@dataclass(frozen=True)
class Choice:
    """A list of texts to choose from."""

    label: str
    options: Sequence[str]
    value: str

    kind = "list"

    def trait(self) -> traitlets.TraitType:
        """The trait that holds its value."""
        return traitlets.Enum(list(self.options), self.value)

    def described(self) -> dict[str, object]:
        """What the browser needs beside kind, name and label."""
        return {"options": list(self.options)}


@dataclass(frozen=True)
class TextBox:
    """A line of text to type."""

    label: str
    value: str

    kind = "text"

    def trait(self) -> traitlets.TraitType:
        """The trait that holds its value."""
        return traitlets.Unicode(self.value)

    def described(self) -> dict[str, object]:
        """What the browser needs beside kind, name and label."""
        return {}


Control = Slider | Check | Choice | TextBox


def nearest(positions: Sequence[float], value: float) -> float:
    """The position that is nearest to a value, however far away that is."""
    inside = min(max(value, positions[0]), positions[-1])
    return min(positions, key=lambda position: abs(position - inside))


def _rising(name: str, values: Iterable[float]) -> list[float]:
    positions = [float(value) for value in values]
    falls = next((f"{b} after {a}" for a, b in pairwise(positions) if not a < b), "" if positions else "none")
    if falls:
        raise ValueError(f"Expected the positions of {name!r} to rise from the first to the last; got {falls}.")
    return positions
