"""The decoder block, old and modern, and a character model small enough to train in a lesson.

Names as in the LLaMA code (attention_norm, attention, ffn_norm, feed_forward) and, inside these, as in Hugging Face's
(q_proj, gate_proj, up_proj, down_proj). Every norm stands before its sub-layer (Pre-LN), in the old block too.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from widgets.inputs import as_module, as_tokens, one_of, shortened, whole_number

WIDEST = 2**14  # positions of a layer that fits into a laptop's memory
LayerNorm = partial(nn.LayerNorm, eps=1e-5)
RMSNorm = partial(nn.RMSNorm, eps=1e-5)  # eps always said: what torch takes for None has changed between releases


def width(name: str, value: object) -> int:
    """A number of positions. Raises TypeError or ValueError for what is no whole number from 1 to WIDEST."""
    return whole_number(name, value, most=WIDEST)


class Attention(nn.Module):
    """Every position looks back at the positions before it and at itself: causal self-attention, no biases.

    x: (batch, length, d_model) -> the same shape
    Raises TypeError or ValueError for sizes that are no whole numbers, and for heads that do not share d_model evenly.
    Source: LLaMA's Attention without the rotary position encoding.
    """

    def __init__(self, d_model: int, n_heads: int) -> None:
        super().__init__()
        d_model = width("d_model", d_model)
        self.n_heads = whole_number("n_heads", n_heads, most=d_model)
        if d_model % self.n_heads:
            raise ValueError(f"Expected n_heads to divide d_model = {d_model} evenly; got {self.n_heads}.")
        self.q_proj = nn.Linear(d_model, d_model, bias=False)
        self.k_proj = nn.Linear(d_model, d_model, bias=False)
        self.v_proj = nn.Linear(d_model, d_model, bias=False)
        self.o_proj = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = (self._heads(proj(x)) for proj in (self.q_proj, self.k_proj, self.v_proj))
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.o_proj(mixed.transpose(1, 2).flatten(2))

    def _heads(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (self.n_heads, -1)).transpose(1, 2)  # (batch, n_heads, length, d_head)


class TwoLayers(nn.Module):
    """Up, an activation, down: the feed-forward network of the first Transformers, without biases.

    x: (..., d_model) -> the same shape
    Raises TypeError or ValueError for sizes that are no whole numbers.
    Source: Vaswani et al. 2017, section 3.3; no biases, as Shazeer 2020.
    """

    activation: Callable[[Tensor], Tensor]

    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        d_model, d_ff = width("d_model", d_model), width("d_ff", d_ff)
        self.up_proj = nn.Linear(d_model, d_ff, bias=False)
        self.down_proj = nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.down_proj(self.activation(self.up_proj(x)))


class ReLUFeedForward(TwoLayers):
    """Up, cut the negative, down."""

    activation = staticmethod(F.relu)


class GELUFeedForward(TwoLayers):
    """Up, GELU, down, as in GPT-2 (which has biases)."""

    activation = staticmethod(F.gelu)


class Gated(nn.Module):
    """The gate, through an activation, times the content; then down.

    x: (..., d_model) -> the same shape
    Raises TypeError or ValueError for sizes that are no whole numbers.
    Source: Shazeer 2020, section 2; FeedForward in LLaMA's model.py.
    """

    activation: Callable[[Tensor], Tensor]

    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        d_model, d_ff = width("d_model", d_model), width("d_ff", d_ff)
        self.gate_proj = nn.Linear(d_model, d_ff, bias=False)
        self.up_proj = nn.Linear(d_model, d_ff, bias=False)
        self.down_proj = nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.down_proj(self.activation(self.gate_proj(x)) * self.up_proj(x))


class GLUFeedForward(Gated):
    """The first of the family: a gate between 0 and 1."""

    activation = staticmethod(torch.sigmoid)


class BilinearFeedForward(Gated):
    """No activation: the gate is as linear as the content."""

    activation = staticmethod(lambda z: z)


class ReGLUFeedForward(Gated):
    """The gate through ReLU."""

    activation = staticmethod(F.relu)


class GeGLUFeedForward(Gated):
    """The gate through GELU, as in Gemma (which approximates it)."""

    activation = staticmethod(F.gelu)


class SwiGLUFeedForward(Gated):
    """The gate through Swish, as in LLaMA."""

    activation = staticmethod(F.silu)


class Block(nn.Module):
    """Normalise, attend, add; normalise, feed forward, add.

    x: (batch, length, d_model) -> the same shape
    norm takes d_model, feed_forward takes d_model and d_ff; the wiring is the same whatever they are.
    Raises TypeError or ValueError for sizes that are no whole numbers, and for heads that do not share d_model evenly.
    """

    def __init__(
        self,
        d_model: int,
        n_heads: int,
        d_ff: int,
        norm: Norm,
        feed_forward: FeedForward,
    ) -> None:
        super().__init__()
        d_model, d_ff = width("d_model", d_model), width("d_ff", d_ff)
        self.attention_norm = norm(d_model)
        self.attention = Attention(d_model, n_heads)
        self.ffn_norm = norm(d_model)
        self.feed_forward = feed_forward(d_model, d_ff)

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attention(self.attention_norm(x))
        return x + self.feed_forward(self.ffn_norm(x))


def old_block(d_model: int, n_heads: int, d_ff: int) -> Block:
    """LayerNorm and two layers with a ReLU."""
    return Block(d_model, n_heads, d_ff, LayerNorm, ReLUFeedForward)


def modern_block(d_model: int, n_heads: int, d_ff: int) -> Block:
    """RMSNorm and SwiGLU."""
    return Block(d_model, n_heads, d_ff, RMSNorm, SwiGLUFeedForward)


Norm = Callable[[int], nn.Module]  # made with d_model
FeedForward = Callable[[int, int], nn.Module]  # made with d_model and d_ff

NORMS: dict[str, Norm] = {
    "LayerNorm": LayerNorm,
    "LayerNorm without bias": partial(LayerNorm, bias=False),
    "RMSNorm": RMSNorm,
}
FEED_FORWARDS: dict[str, tuple[FeedForward, float]] = {
    "ReLU": (ReLUFeedForward, 4),
    "GELU": (GELUFeedForward, 4),
    "GLU": (GLUFeedForward, 8 / 3),
    "bilinear": (BilinearFeedForward, 8 / 3),
    "ReGLU": (ReGLUFeedForward, 8 / 3),
    "GeGLU": (GeGLUFeedForward, 8 / 3),
    "SwiGLU": (SwiGLUFeedForward, 8 / 3),
}  # and d_ff over d_model


def norm_maker(norm: str | Norm) -> Norm:
    """What makes a norm from d_model: one of NORMS by its name, or a class of your own.

    Raises TypeError or ValueError for anything else.
    """
    return norm if callable(norm) else NORMS[one_of("the norm", norm, NORMS)]


def feed_forward_maker(feed_forward: str | FeedForward, d_model: int) -> tuple[FeedForward, int]:
    """What makes a feed-forward network, and the d_ff that gives it 8 d_model² weights.

    feed_forward: one of FEED_FORWARDS by its name, or a class of your own, whose matrices are counted
    Raises TypeError or ValueError for anything else.
    """
    if not callable(feed_forward):
        make, ratio = FEED_FORWARDS[one_of("the feed-forward network", feed_forward, FEED_FORWARDS)]
        return make, round(ratio * d_model)
    matrices = round(parameter_count(feed_forward(d_model, d_model)) / d_model**2)
    return feed_forward, round(8 * d_model / max(matrices, 1))


class CharModel(nn.Module):
    """Characters in, logits of the next character out: embeddings, blocks, a last norm and a head.

    tokens: (batch, length) whole numbers below vocabulary -> (batch, length, vocabulary)
    norm: a name in NORMS or a class made with d_model; feed_forward: a name in FEED_FORWARDS or a class made with
    d_model and d_ff, which gets 8 d_model² weights. The positions are learned vectors, as in the first GPT; the head
    does not share its matrix with the embeddings.
    Raises TypeError or ValueError for another norm or feed_forward, for sizes that are no whole numbers, and for tokens
    that are none, are not below vocabulary or are more than context in a row.
    """

    def __init__(
        self,
        norm: str | Norm = "LayerNorm",
        feed_forward: str | FeedForward = "ReLU",
        d_model: int = 96,
        n_layers: int = 2,
        n_heads: int = 3,
        vocabulary: int = 96,
        context: int = 64,
        seed: int = 0,
    ) -> None:
        super().__init__()
        d_model, vocabulary, context = (
            width(name, value)
            for name, value in (("d_model", d_model), ("vocabulary", vocabulary), ("context", context))
        )
        n_layers, seed = whole_number("n_layers", n_layers, most=1000), whole_number("seed", seed, 0)
        make_norm = norm_maker(norm)
        make_feed_forward, d_ff = feed_forward_maker(feed_forward, d_model)
        self.embed_tokens = nn.Embedding(vocabulary, d_model)
        self.embed_positions = nn.Embedding(context, d_model)
        blocks = (Block(d_model, n_heads, d_ff, make_norm, make_feed_forward) for _ in range(n_layers))
        self.blocks = nn.Sequential(*blocks)
        self.norm = make_norm(d_model)
        self.head = nn.Linear(d_model, vocabulary, bias=False)
        self._initialise(torch.Generator().manual_seed(seed))

    def forward(self, tokens: Tensor) -> Tensor:
        most = self.embed_positions.num_embeddings
        tokens = as_tokens(tokens, 2, self.embed_tokens.num_embeddings)
        if tokens.shape[-1] > most:
            raise ValueError(f"Expected at most {most} tokens in a row; got {tokens.shape[-1]}.")
        positions = torch.arange(tokens.shape[-1])
        x = self.embed_tokens(tokens) + self.embed_positions(positions)
        return self.head(self.norm(self.blocks(x)))

    def _initialise(self, generator: torch.Generator) -> None:
        """Normal weights; a matrix's spread is one over the root of the number of its inputs."""
        for module in self.modules():
            if isinstance(module, nn.Linear):
                nn.init.normal_(module.weight, std=module.in_features**-0.5, generator=generator)
            elif isinstance(module, nn.Embedding):
                nn.init.normal_(module.weight, std=0.1, generator=generator)


def parameter_count(module: nn.Module) -> int:
    """How many numbers the module learns. Raises TypeError for what is no nn.Module."""
    return sum(parameter.numel() for parameter in as_module("the module", module).parameters())


def char_model(model: object) -> CharModel:
    """The model, a CharModel. Raises TypeError for anything else."""
    if not isinstance(model, CharModel):
        raise TypeError(f"Expected a CharModel; got {shortened(model)}.")
    return model
