"""The decoder block, old and modern, and a character model small enough to train in a lesson.

Names as in the LLaMA code: attention_norm, attention, ffn_norm, feed_forward; gate_proj, up_proj, down_proj as in
Hugging Face's. Every norm stands before its sub-layer (Pre-LN), in the old block too.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import torch
import torch.nn.functional as F
from torch import Tensor, nn

LayerNorm = partial(nn.LayerNorm, eps=1e-5)
RMSNorm = partial(
    nn.RMSNorm, eps=1e-5
)  # eps always said: what torch takes for None has changed between releases


class Attention(nn.Module):
    """Every position looks back at the positions before it and at itself: causal self-attention, no biases.

    x: (batch, length, d_model) -> the same shape
    Source: LLaMA's Attention without the rotary position encoding.
    """

    def __init__(self, d_model: int, n_heads: int) -> None:
        super().__init__()
        self.n_heads = n_heads
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


class ReLUFeedForward(nn.Module):
    """Up, cut the negative, down: the two-layer feed-forward network of the first Transformer, without biases.

    x: (..., d_model) -> the same shape
    Source: Vaswani et al. 2017, section 3.3; no biases, as Shazeer 2020.
    """

    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        self.up_proj = nn.Linear(d_model, d_ff, bias=False)
        self.down_proj = nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.down_proj(F.relu(self.up_proj(x)))


class SwiGLUFeedForward(nn.Module):
    """The gate, through Swish, times the content; then down.

    x: (..., d_model) -> the same shape
    Source: Shazeer 2020; FeedForward in LLaMA's model.py.
    """

    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        self.gate_proj = nn.Linear(d_model, d_ff, bias=False)
        self.up_proj = nn.Linear(d_model, d_ff, bias=False)
        self.down_proj = nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))


class Block(nn.Module):
    """Normalise, attend, add; normalise, feed forward, add.

    x: (batch, length, d_model) -> the same shape
    norm takes d_model, feed_forward takes d_model and d_ff; the wiring is the same whatever they are.
    """

    def __init__(
        self,
        d_model: int,
        n_heads: int,
        d_ff: int,
        norm: Callable[[int], nn.Module],
        feed_forward: Callable[[int, int], nn.Module],
    ) -> None:
        super().__init__()
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
