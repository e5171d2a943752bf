"""How large the residual stream grows with depth: decoder blocks with random weights, with and without a norm."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import inf, isfinite, nan

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from widgets.experiments.decoder import FEED_FORWARDS, NORMS, Attention

NO_NORM = "no norm"
NORM_CHOICES = (NO_NORM, "LayerNorm", "RMSNorm")
PLACES = ("before", "after")  # x + layer(norm(x)), as LLaMA; norm(x + layer(x)), as the first Transformer

D_MODEL, N_HEADS = 64, 4
BATCH, LENGTH = 8, 16  # sequences, and tokens in each


@dataclass(frozen=True)
class Arm:
    """One kind of block: which norm, which feed-forward network, and the norm before or after each layer."""

    norm: str
    feed_forward: str
    place: str = "before"

    def __str__(self) -> str:
        place = "" if self.norm == NO_NORM or self.place == "before" else f" {self.place}"
        return f"{self.feed_forward}, {self.norm}{place}"


@dataclass(frozen=True)
class Growth:
    """What one arm does to the stream: a number for the input and one after every block.

    sizes: its RMS, infinite once float32 has overflowed; kept: its mean cosine with the input, NaN from there on.
    """

    arm: Arm
    sizes: tuple[float, ...]
    kept: tuple[float, ...]

    @property
    def overflow(self) -> int | None:
        """The first block after which a number of the stream is no longer finite, counted from 1."""
        return next((block for block, size in enumerate(self.sizes) if not isfinite(size)), None)


def arms(norms: Sequence[str], feed_forwards: Sequence[str], places: Sequence[str]) -> list[Arm]:
    """Every combination, once: without a norm there is no place for it.

    Raises ValueError for a name that is none of NORM_CHOICES, FEED_FORWARDS or PLACES.
    """
    for chosen, known in ((norms, NORM_CHOICES), (feed_forwards, tuple(FEED_FORWARDS)), (places, PLACES)):
        for name in chosen:
            if name not in known:
                raise ValueError(f"Expected names out of {', '.join(known)}; got {name!r:.60}.")
    combined = (Arm(norm, layer, place) for layer, norm, place in product(feed_forwards, norms, places))
    return list(dict.fromkeys(Arm(NO_NORM, arm.feed_forward) if arm.norm == NO_NORM else arm for arm in combined))


@torch.no_grad()
def growth(arm: Arm, depth: int = 16, gain: float = 1.0, seed: int = 0) -> Growth:
    """Sends random tokens of RMS 1 through random blocks, each attention and then feed-forward, in float32.

    gain: every weight is drawn with the standard deviation gain / sqrt(numbers in); with 1, a matrix alone would leave
    the size of a vector as it is. Arms with the same feed-forward network get the same tokens and weights.
    """
    generator = torch.Generator().manual_seed(seed)
    x = start = torch.randn(BATCH, LENGTH, D_MODEL, generator=generator)
    norm = nn.Identity() if arm.norm == NO_NORM else NORMS[arm.norm](D_MODEL)
    sizes, kept = [_size(x)], [1.0]
    while len(sizes) <= depth and isfinite(sizes[-1]):
        for layer in _layers(arm.feed_forward, gain, generator):
            x = norm(x + layer(x)) if arm.place == "after" else x + layer(norm(x))
        sizes.append(_size(x))
        kept.append(F.cosine_similarity(x, start, dim=-1).mean().item())
    missing = depth + 1 - len(sizes)
    return Growth(arm, (*sizes, *[inf] * missing), (*kept, *[nan] * missing))


def _layers(feed_forward: str, gain: float, generator: torch.Generator) -> Iterator[nn.Module]:
    """The two layers of one block, their weights drawn from the generator and from nothing global."""
    make, ratio = FEED_FORWARDS[feed_forward]
    with torch.device("meta"):  # no weights yet, so none are drawn in vain
        layers = Attention(D_MODEL, N_HEADS), make(D_MODEL, round(ratio * D_MODEL))
    for layer in layers:
        layer.to_empty(device="cpu")
        for weight in layer.parameters():
            nn.init.normal_(weight, std=gain * weight.shape[1] ** -0.5, generator=generator)
        yield layer


def _size(x: Tensor) -> float:
    """The RMS of all numbers in x; the squares are float64, so only x itself can overflow."""
    size = x.double().square().mean().sqrt().item()
    return size if isfinite(size) else inf
