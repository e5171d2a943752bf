"""Steps at many places of a slider, computed in one go: numbers as a column of a tensor, and apart again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields, is_dataclass
from itertools import repeat
from typing import Any, TypeVar

import torch
from torch import Tensor

Steps = TypeVar("Steps")


def column(numbers: Sequence[float]) -> Tensor:
    """One number a place, to be computed with vectors: (places, 1), float64."""
    return torch.tensor(numbers, dtype=torch.float64)[:, None]


def apart(steps: Steps) -> list[Steps]:
    """The steps at each place, from steps in which the first axis of every tensor runs over the places.

    What the dataclass of the steps calls a float is a column of them here; what is no tensor is the same everywhere.
    """
    each = (_apart(field.type, getattr(steps, field.name)) for field in fields(steps))  # type: ignore[arg-type]
    return [type(steps)(*one) for one in zip(*each, strict=False)]


def _apart(kind: Any, value: Any) -> Iterable:
    if isinstance(value, Tensor):
        return value.flatten().tolist() if kind == "float" else value.unbind()
    return apart(value) if is_dataclass(value) else repeat(value)
