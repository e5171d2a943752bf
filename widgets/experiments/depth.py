"""How large the residual stream grows with depth: decoder blocks with random weights, with and without a norm."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from math import inf, isfinite, nan

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from widgets.experiments.decoder import FEED_FORWARDS, NORMS, Attention
from widgets.precision import in_float32

NO_NORM = "no norm"
NORM_CHOICES = (NO_NORM, "LayerNorm", "RMSNorm")
FEED_FORWARD_CHOICES = ("ReLU", "SwiGLU")
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

    Raises ValueError for a name that is none of NORM_CHOICES, FEED_FORWARD_CHOICES or PLACES.
    """
    for chosen, known in ((norms, NORM_CHOICES), (feed_forwards, FEED_FORWARD_CHOICES), (places, PLACES)):
        for name in chosen:
            if name not in known:
                raise ValueError(f"Expected names out of {', '.join(known)}; got {name!r:.60}.")
    combined = (Arm(norm, layer, place) for layer, norm, place in product(feed_forwards, norms, places))
    return list(dict.fromkeys(Arm(NO_NORM, arm.feed_forward) if arm.norm == NO_NORM else arm for arm in combined))


class RandomBlocks:
    """The layers of so many blocks, attention and feed-forward in turn, and tokens of RMS 1 to send through them.

    The weights are drawn from a generator of their own, each with the standard deviation 1 / sqrt(numbers in), so that
    a matrix alone would leave the size of a vector as it is. float32, as in training, whatever torch's default.
    """

    @in_float32()
    def __init__(self, feed_forward: str, depth: int, seed: int = 0) -> None:
        generator = torch.Generator().manual_seed(seed)
        self.tokens = torch.randn(BATCH, LENGTH, D_MODEL, generator=generator)
        make, ratio = FEED_FORWARDS[feed_forward]
        with torch.device("meta"):  # no weights yet, so none are drawn in vain
            pairs = [(Attention(D_MODEL, N_HEADS), make(D_MODEL, round(ratio * D_MODEL))) for _ in range(depth)]
            self.layers = nn.ModuleList(layer for pair in pairs for layer in pair)
        self.layers.to_empty(device="cpu")
        self.drawn = [torch.randn(one.shape, generator=generator) / one.shape[1] ** 0.5 for one in self._weights]

    @property
    def _weights(self) -> Iterable[nn.Parameter]:
        return self.layers.parameters()

    @in_float32()
    @torch.no_grad()
    def growth(self, arm: Arm, gain: float = 1.0) -> Growth:
        """What this arm does to the tokens, every weight multiplied by the gain."""
        for weight, drawn in zip(self._weights, self.drawn, strict=True):
            torch.mul(drawn, gain, out=weight)
        norm = nn.Identity() if arm.norm == NO_NORM else NORMS[arm.norm](D_MODEL)
        x, sizes, kept = self.tokens, [_size(self.tokens)], [1.0]
        for first in range(0, len(self.layers), 2):
            if isfinite(sizes[-1]):
                for layer in self.layers[first : first + 2]:
                    x = norm(x + layer(x)) if arm.place == "after" else x + layer(norm(x))
            sizes.append(_size(x))
            kept.append(F.cosine_similarity(x, self.tokens, dim=-1).mean().item() if isfinite(sizes[-1]) else nan)
        return Growth(arm, tuple(sizes), tuple(kept))


def _size(x: Tensor) -> float:
    """The RMS of all numbers in x; the squares are float64, so only x itself can overflow."""
    size = x.double().square().mean().sqrt().item()
    return size if isfinite(size) else inf
