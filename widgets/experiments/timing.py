"""How long the norms take here, on this machine, and which operations torch runs for them."""

from __future__ import annotations

import itertools
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from statistics import quantiles

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.profiler import ProfilerActivity, profile

from widgets.experiments.threads import one_thread
from widgets.inputs import one_of, whole_number

EPS = 1e-5
Function = Callable[..., Tensor]
LINEAR = ("Linear", "next door")


def layer_norm_by_hand(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """LayerNorm as its formula reads.

    x: (..., d) -> the same shape
    """
    centred = x - x.mean(dim=-1, keepdim=True)
    return centred * (centred.square().mean(dim=-1, keepdim=True) + EPS).rsqrt() * weight + bias


def rms_norm_by_hand(x: Tensor, weight: Tensor) -> Tensor:
    """RMSNorm as its formula reads.

    x: (..., d) -> the same shape
    """
    return x * (x.square().mean(dim=-1, keepdim=True) + EPS).rsqrt() * weight


def layer_norm_built_in(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """What nn.LayerNorm calls."""
    return F.layer_norm(x, x.shape[-1:], weight, bias, EPS)


def rms_norm_built_in(x: Tensor, weight: Tensor) -> Tensor:
    """What nn.RMSNorm calls."""
    return F.rms_norm(x, x.shape[-1:], weight, EPS)


@dataclass(frozen=True)
class Norm:
    """One way to compute one norm: "LayerNorm" or "RMSNorm", how, and the function of (x, weight[, bias])."""

    kind: str
    how: str
    function: Function

    @property
    def name(self) -> str:
        return f"{self.kind}, {self.how}"

    def arguments(self, rows: int, d: int) -> tuple[Tensor, ...]:
        """x of shape (rows, d), a weight of ones and, for LayerNorm, a bias of zeros."""
        weight = torch.ones(d, requires_grad=True)
        bias = (torch.zeros(d, requires_grad=True),) if self.kind == "LayerNorm" else ()
        return (_random(rows, d), weight, *bias)


NORMS = {
    norm.name: norm
    for norm in (
        Norm("LayerNorm", "built in", layer_norm_built_in),
        Norm("RMSNorm", "built in", rms_norm_built_in),
        Norm("LayerNorm", "by hand", layer_norm_by_hand),
        Norm("RMSNorm", "by hand", rms_norm_by_hand),
    )
}


def compiled_norms(rows: int, d: int) -> tuple[dict[str, Norm], str]:
    """The two written by hand, compiled for numbers of this shape; without a compiler that works none, and why.

    Takes ten seconds or more: torch writes C++ for each, forward and backward, and compiles it.
    """
    try:
        import torch._inductor.config as inductor

        norms = [
            Norm(kind, "compiled", torch.compile(function, dynamic=False))
            for kind, function in (("LayerNorm", layer_norm_by_hand), ("RMSNorm", rms_norm_by_hand))
        ]
        torch.compiler.reset()  # what was compiled for other sizes counts against torch's limit of eight
        with one_thread(), inductor.patch(compile_threads=1):  # as they are timed; and no pool of processes
            for norm, backward in itertools.product(norms, (False, True)):
                _call(norm.function, *norm.arguments(rows, d), backward=backward)()
    except Exception as problem:  # a missing or unfit compiler shows itself in many kinds of errors
        return {}, f"Nothing is compiled here: {_why_not(problem)}."
    return {norm.name: norm for norm in norms}, "Compiled with a C++ compiler."


def _why_not(problem: Exception) -> str:
    if " " in sys.prefix:  # the linker is given the folder without quotes
        return "torch.compile does not work from a folder whose name has a space in it"
    return f"torch.compile did not work, usually because there is no C++ compiler ({type(problem).__name__})"


@dataclass(frozen=True)
class Measured:
    """Something measured on (rows, d) numbers, once in every round.

    how: built in, by hand, compiled or next door; backward: forward and backward together
    """

    how: str
    rows: int
    d: int
    backward: bool
    rounds: tuple[float, ...]

    @cached_property
    def _quartiles(self) -> tuple[float, float, float]:
        low, median, high = quantiles(self.rounds, n=4) if len(self.rounds) > 1 else self.rounds * 3
        return low, median, high

    @property
    def low(self) -> float:
        """A quarter of the rounds lie below it."""
        return self._quartiles[0]

    @property
    def median(self) -> float:
        return self._quartiles[1]

    @property
    def high(self) -> float:
        """A quarter of the rounds lie above it."""
        return self._quartiles[2]


@dataclass(frozen=True)
class Timing(Measured):
    """Microseconds that one call takes.

    kind: LayerNorm, RMSNorm or, for the linear layer next door, Linear
    """

    kind: str

    @property
    def name(self) -> str:
        return f"{self.kind}, {self.how}"


@dataclass(frozen=True)
class Ratio(Measured):
    """The time of RMSNorm over that of LayerNorm, written in the same way and measured in the same round."""

    @property
    def verdict(self) -> str:
        """Which of the two takes less time, as far as half of all rounds can tell."""
        if self.low <= 1 <= self.high:
            return "no clear difference"
        return "RMSNorm takes less time" if self.high < 1 else "LayerNorm takes less time"


def ratios(found: Iterable[Timing]) -> list[Ratio]:
    """RMSNorm over LayerNorm, wherever both were measured together, in the order of the timings."""
    by = {(each.kind, (each.how, each.rows, each.d, each.backward)): each.rounds for each in found}
    return [
        Ratio(*where, tuple(mine / theirs for mine, theirs in zip(rounds, by["LayerNorm", where], strict=True)))
        for (kind, where), rounds in by.items()
        if kind == "RMSNorm" and len(by.get(("LayerNorm", where), ())) == len(rounds)
    ]


def timings(
    norms: dict[str, Norm], rows: int, d: int, backward: bool = False, rounds: int = 15, seconds: float = 1.5
) -> list[Timing]:
    """One call of each norm, and of the linear layer next door (d to 4 d), on the same (rows, d) numbers.

    The contestants take turns, so that a disturbance of the machine hits all of them; a first round does not count.
    One thread. It stops after so many rounds, or after so many seconds and three rounds.
    backward: forward and backward together, from a random cotangent
    """
    calls = {
        (norm.kind, norm.how): _call(norm.function, *norm.arguments(rows, d), backward=backward)
        for norm in norms.values()
    }
    calls[LINEAR] = _call(nn.Linear(d, 4 * d, bias=False), _random(rows, d), backward=backward)
    with one_thread():
        measured = [_round(calls)]
        start = time.perf_counter()
        while len(measured) <= 3 or (len(measured) <= rounds and time.perf_counter() - start < seconds):
            measured.append(_round(calls))
    return [
        Timing(how, rows, d, backward, tuple(each[kind, how] for each in measured[1:]), kind) for kind, how in calls
    ]


def _round(calls: dict[tuple[str, str], Callable[[], None]]) -> dict[tuple[str, str], float]:
    """Microseconds of one call of each contestant; the norms, which are fast, are called ten times."""
    found = {}
    for contestant, call in calls.items():
        repeats = 1 if contestant == LINEAR else 10
        start = time.perf_counter()
        for _ in range(repeats):
            call()
        found[contestant] = (time.perf_counter() - start) / repeats * 1e6
    return found


def operations(name: str, rows: int = 4, d: int = 8) -> list[str]:
    """The operations that torch runs for one forward call of a norm in NORMS, in order, as its profiler names them.

    Those that call others, or that look at a tensor in another way, are listed too.
    Raises TypeError or ValueError for another name, and for sizes that are no whole numbers from 1 to 4096.
    """
    rows, d = whole_number("rows", rows, most=4096), whole_number("d", d, most=4096)
    norm = NORMS[one_of("the norm", name, NORMS)]
    arguments = norm.arguments(rows, d)
    with torch.no_grad(), _no_chatter(), profile(activities=[ProfilerActivity.CPU]) as recorded:
        norm.function(*arguments)
    return [event.name.removeprefix("aten::") for event in recorded.events() if event.name.startswith("aten::")]


@contextmanager
def _no_chatter() -> Iterator[None]:
    """Keeps what C++ code writes to stderr from the reader: the profiler announces itself there."""
    kept = os.dup(2)
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)


def _random(rows: int, d: int) -> Tensor:
    return torch.randn(rows, d, generator=torch.Generator().manual_seed(0)).requires_grad_()


def _call(function: Function, *arguments: Tensor, backward: bool) -> Callable[[], None]:
    cotangent = torch.empty_like(function(*arguments)).normal_(generator=torch.Generator().manual_seed(1))

    def forward() -> None:
        with torch.no_grad():
            function(*arguments)

    leaves = [*arguments, *(function.parameters() if isinstance(function, nn.Module) else ())]

    def both() -> None:
        for leaf in leaves:
            leaf.grad = None  # else every call would also add to the gradients of the one before
        torch.autograd.backward(function(*arguments), cotangent)

    return both if backward else forward
