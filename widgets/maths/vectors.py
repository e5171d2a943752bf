"""Taking a person's numbers: one vector, checked, or a sentence that says what was expected and what came."""

from __future__ import annotations

import math

import torch
from torch import Tensor

LARGEST = 1e6


def as_vector(values: object, fewest: int = 2, most: int = 12) -> Tensor:
    """The numbers given, as one vector that can be drawn.

    values: a list, tuple, numpy array or tensor of one axis -> (d,) float64, a copy without gradient
    Raises TypeError for text and other things that are not numbers, ValueError for the wrong number of axes or of
    components, and for components that are not finite or larger than a million in size.
    """
    wanted = f"Expected {fewest} to {most} numbers in one row"
    if isinstance(values, str | bytes):
        raise TypeError(f"{wanted}, such as [2, -1, 0.5]; got the text {str(values)[:40]!r}.")
    if isinstance(values, Tensor):
        values = values.detach()
    try:
        vector = torch.as_tensor(values)
    except (TypeError, ValueError, RuntimeError, OverflowError) as problem:
        raise TypeError(f"{wanted}; got {_short(values)}, which holds something that is not a number.") from problem
    if vector.is_complex() or vector.dtype == torch.bool:
        raise TypeError(f"{wanted}; got numbers of type {vector.dtype}.")
    if vector.dim() != 1:
        raise ValueError(f"{wanted}; got {_axes(vector)}.")
    if not fewest <= len(vector) <= most:
        raise ValueError(f"{wanted}; got {len(vector)}.")
    vector = vector.to(device="cpu", dtype=torch.float64, copy=True)
    for number in vector.tolist():
        if not math.isfinite(number):
            raise ValueError(f"{wanted}, each of them finite; got {number}.")
        if abs(number) > LARGEST:
            raise ValueError(f"{wanted}, each between -1e6 and 1e6; got {number:g}.")
    return vector


def _axes(vector: Tensor) -> str:
    if vector.dim() == 0:
        return f"the single number {vector.item()}"
    return f"an array of shape {tuple(vector.shape)}"


def _short(values: object) -> str:
    text = repr(values)
    return text if len(text) <= 60 else text[:57] + "..."
