"""Numbers to try: chosen so that mistakes which look alike elsewhere look different here."""

from __future__ import annotations

import torch
from torch import Tensor


def numbers(
    *shape: int, seed: int, size: float = 1.0, shift: float = 0.0, dtype: torch.dtype = torch.float64
) -> Tensor:
    """Normal numbers times `size` plus `shift`, the same ones on every machine."""
    normal = torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    return (normal * size + shift).to(dtype)


def gains(d: int, dtype: torch.dtype = torch.float64) -> Tensor:
    """(d,) different weights between -1.5 and 2, none of them near 0 or 1."""
    return torch.linspace(-1.5, 1.93, d, dtype=torch.float64).roll(2).to(dtype)
