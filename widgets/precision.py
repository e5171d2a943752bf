"""Which dtype torch gives to numbers that nobody chose one for, for a while."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch


@contextmanager
def in_dtype(dtype: torch.dtype) -> Iterator[None]:
    """This one, as long as the block or the decorated function runs, whatever a notebook has set."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


@contextmanager
def in_float32() -> Iterator[None]:
    """torch's own default, likewise."""
    with in_dtype(torch.float32):
        yield
