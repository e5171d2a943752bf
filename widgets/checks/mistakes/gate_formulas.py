"""Swish, the gated layers and their widths as rows of steps: as they stand they are right; a mistake exchanges one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from widgets.maths import activations, budget, feed_forward

Step = Callable[..., Any]
FAMILY = {name.lower(): activation for name, activation in feed_forward.FAMILY.items()}


def swish(
    z: Tensor,
    beta: float | None = None,
    *,
    default: float = 1.0,
    slope: Step = lambda z, beta: beta * z,
    form: Step = lambda z, steep, beta: z * torch.sigmoid(steep),
) -> Tensor:
    """z: (...) -> (...), z times the sigmoid of beta z. slope(z, beta); form(z, steep, beta)"""
    beta = default if beta is None else beta
    return form(z, slope(z, beta), beta)


@dataclass(frozen=True)
class Gated:
    """x: (..., d_model); gate, up: (d_ff, d_model); down: (d_model, d_ff) -> (..., d_model), SwiGLU.

    Source: Shazeer 2020, eq. 6.
    seen(x, act), by gate and up; stored(matrix); loaded and halves(gate, up); branches(opened, content);
    place(opened, content, act, combine); project(hidden, down); output(result, act); after(result, x)
    """

    seen: Step = lambda x, act: (x, x)
    stored: Step = lambda matrix: matrix
    loaded: Step = lambda gate, up: (gate, up)
    halves: Step = lambda gate, up: (gate, up)
    branches: Step = lambda opened, content: (opened, content)
    activation: Step = activations.swish
    place: Step = lambda opened, content, act, combine: combine(act(opened), content)
    combine: Step = torch.mul
    project: Step = lambda hidden, down: hidden @ down.T
    output: Step = lambda result, act: result
    after: Step = lambda result, x: result

    def __call__(self, x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
        gate, up = self.halves(*self.loaded(self.stored(gate), self.stored(up)))
        by_gate, by_up = self.seen(x, self.activation)
        opened, content = self.branches(by_gate @ gate.T, by_up @ up.T)
        hidden = self.place(opened, content, self.activation, self.combine)
        return self.after(self.output(self.project(hidden, self.stored(down)), self.activation), x)


def gated(x: Tensor, gate: Tensor, up: Tensor, down: Tensor, **steps: Any) -> Tensor:
    """x: (..., d_model); gate, up: (d_ff, d_model); down: (d_model, d_ff) -> (..., d_model), SwiGLU."""
    return Gated(**steps)(x, gate, up, down)


def joint(x: Tensor, gate_up: Tensor, down: Tensor, **steps: Any) -> Tensor:
    """x: (..., d_model); gate_up: (2 d_ff, d_model), gate rows first; down: (d_model, d_ff) -> (..., d_model)."""
    gate, up = gate_up.chunk(2)
    return Gated(**steps)(x, gate, up, down)


def family(x: Tensor, gate: Tensor, up: Tensor, down: Tensor, kind: str, **steps: Any) -> Tensor:
    """The shapes of `gated`. A step named after a kind is that kind's activation; always: everybody's.

    place_of: a place of the activation, for one kind alone
    """
    steps = {"activation": {**FAMILY, **steps}[kind], "always": None, "place_of": {}, **steps}
    always, place_of = steps.pop("always"), steps.pop("place_of")
    steps |= {"activation": always or steps["activation"]}
    steps |= {"place": place_of[kind]} if kind in place_of else {}
    return Gated(**{name: one for name, one in steps.items() if name not in FAMILY})(x, gate, up, down)


def matched_d_ff(d_model: int, relu_d_ff: int, *, rule: Step | None = None, multiple: Step = int) -> int:
    """The largest width of three matrices that cost no more than two of relu_d_ff. rule(d_model, relu_d_ff)"""
    return multiple(rule(d_model, relu_d_ff) if rule else budget.matched_d_ff(relu_d_ff))


def to_multiple(width: int, multiple: int) -> int:
    """The next multiple, upwards; for a negative `multiple` downwards."""
    return int(-(-width // multiple) * multiple if multiple > 0 else width // -multiple * -multiple)


@dataclass(frozen=True)
class LlamaWidth:
    """Two thirds of 4 d_model, times the multiplier, rounded up to a multiple.

    Source: meta-llama/llama, llama/model.py, FeedForward.
    start(d_model); cut(number); factor(multiplier); multiple(multiple_of); rounded(width, multiple);
    order(width, factor, cut, rounded)
    """

    start: Step = lambda d_model: 8 * d_model // 3
    cut: Step = int
    factor: Step = lambda multiplier: multiplier
    multiple: Step = lambda multiple_of: multiple_of
    rounded: Step = to_multiple
    order: Step = lambda width, factor, cut, rounded: rounded(cut(factor * width))

    def __call__(self, d_model: int, multiple_of: int = 256, multiplier: float = 1.0) -> int:
        multiple = self.multiple(multiple_of)
        return self.order(
            self.start(d_model), self.factor(multiplier), self.cut, lambda width: self.rounded(width, multiple)
        )


def llama_d_ff(d_model: int, multiple_of: int = 256, multiplier: float = 1.0, **steps: Any) -> int:
    """The width that LLaMA's rule gives."""
    return LlamaWidth(**steps)(d_model, multiple_of, multiplier)


def gelu_tanh(z: Tensor) -> Tensor:
    """GELU by the approximation with tanh, as GPT-2 and Gemma have it."""
    return F.gelu(z, approximate="tanh")
