"""Taking a person's numbers: one vector, checked, or a sentence that says what was expected and what came."""

from __future__ import annotations

import math

import numpy as np
import torch
from torch import Tensor

from widgets.maths.numbers import shortened

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
        if abs(number) > LARGEST:
            raise ValueError(f"{wanted}, each between -1e6 and 1e6; got {number:g}.")
    return vector


def _axes(array: np.ndarray) -> str:
    return f"an array of shape {array.shape}" if array.ndim else f"the single number {array.item()}"
