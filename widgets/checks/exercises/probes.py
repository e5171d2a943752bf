"""Numbers to try: chosen so that mistakes which look alike elsewhere look different here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from widgets.checks.ladder.tensors import Probe, Property
from widgets.checks.mistakes.diagnosis import close


def numbers(
    *shape: int, seed: int, size: float = 1.0, shift: float = 0.0, dtype: torch.dtype = torch.float64
) -> Tensor:
    """Normal numbers times `size` plus `shift`, the same ones on every machine."""
    normal = torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    return (normal * size + shift).to(dtype)


def gains(d: int, dtype: torch.dtype = torch.float64) -> Tensor:
    """(d,) different weights between -1.5 and 2, none of them near 0 or 1."""
    return torch.linspace(-1.5, 1.93, d, dtype=torch.float64).roll(2).to(dtype)


def norm_probe(words: str, x: Tensor, eps: float = 0.1) -> Probe:
    """Arguments of a norm; the weight has the dtype of x."""
    return Probe(words, (x, gains(x.shape[-1], x.dtype), eps))


def right_for(right: Callable[..., Any], *cases: tuple[Any, ...]) -> Callable[[Callable[..., Any]], bool]:
    """Whether a function answers as `right` does for all of these arguments."""
    return lambda f: all(close(f(*args), right(*args)) for args in cases)


X = numbers(2, 3, 8, seed=1, shift=0.7)


def _token_alone(f: Callable[[Tensor], Tensor]) -> bool:
    """The first token is changed, then the last: the results of all others stay."""
    before = f(X)
    for changed in ((0, 0), (1, 2)):
        other = X.clone()
        other[changed] *= 3
        after = f(other).clone()
        after[changed] = before[changed]
        if not close(after, before):
            return False
    return True


# Of every layer, as a function of x
EACH_TOKEN_ALONE = (
    Property(_token_alone, "One token's result changes when another token does; each token should be treated alone."),
    Property(lambda f: close(f(X[:1]), f(X)[:1]), "One token's result depends on how many others there are."),
)
