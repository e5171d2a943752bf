"""How long the norms take here, on this machine, and which operations torch runs for them."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median, quantiles

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.profiler import ProfilerActivity, profile

EPS = 1e-5
Function = Callable[..., Tensor]


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


NORMS: dict[str, Function] = {
    "LayerNorm, built in": layer_norm_built_in,
    "RMSNorm, built in": rms_norm_built_in,
    "LayerNorm, by hand": layer_norm_by_hand,
    "RMSNorm, by hand": rms_norm_by_hand,
}


def compiled_norms() -> tuple[dict[str, Function], str]:
    """The two written by hand, compiled into one loop each; without a C++ compiler none, and the reason.

    Takes ten seconds or more the first time on a machine; later runs find the result on the disk.
    """
    import torch._inductor.config as inductor

    inductor.compile_threads = 1  # otherwise a pool of processes starts
    norms = {
        "LayerNorm, compiled": torch.compile(layer_norm_by_hand, dynamic=True),
        "RMSNorm, compiled": torch.compile(rms_norm_by_hand, dynamic=True),
    }
    try:
        for name, norm in norms.items():
            _call(norm, *_arguments(name, 4, 8), backward=True)()
            _call(norm, *_arguments(name, 4, 8), backward=False)()
    except Exception as problem:
        return {}, f"torch.compile found no C++ compiler here that works ({type(problem).__name__})."
    return norms, "Compiled."


@dataclass(frozen=True)
class Timing:
    """Microseconds that one call takes: the median of several rounds, and the quartiles around it."""

    name: str
    rows: int
    d: int
    backward: bool
    median: float
    low: float
    high: float


def timings(norms: dict[str, Function], rows: int, d: int, backward: bool = False, rounds: int = 15) -> list[Timing]:
    """One call of each norm, and of the linear layer next door (d to 4 d), on the same numbers.

    The contestants take turns, so that a disturbance of the machine hits all of them; the first rounds do not count.
    backward: forward and backward together, from a random cotangent
    """
    calls = {name: _call(norm, *_arguments(name, rows, d), backward=backward) for name, norm in norms.items()}
    linear = nn.Linear(d, 4 * d, bias=False)
    calls["Linear next door"] = _call(linear, _random(rows, d), backward=backward)
    measured: dict[str, list[float]] = {name: [] for name in calls}
    for turn in range(rounds + 3):
        for name, call in calls.items():
            start = time.perf_counter()
            for _ in range(repeats := 1 if name == "Linear next door" else 10):
                call()
            if turn >= 3:
                measured[name].append((time.perf_counter() - start) / repeats * 1e6)
    return [Timing(name, rows, d, backward, median(each), *_quartiles(each)) for name, each in measured.items()]


def operations(norm: Function, name: str, rows: int = 512, d: int = 512) -> list[str]:
    """The operations that torch runs for one forward call, in order, as its profiler names them.

    Those that call others, or that only look at a tensor in another way, are included.
    """
    arguments = _arguments(name, rows, d)
    with torch.no_grad(), profile(activities=[ProfilerActivity.CPU]) as recorded:
        norm(*arguments)
    return [event.name.removeprefix("aten::") for event in recorded.events() if event.name.startswith("aten::")]


def _arguments(name: str, rows: int, d: int) -> tuple[Tensor, ...]:
    """x, weight and, for LayerNorm, bias."""
    affine = (torch.ones(d, requires_grad=True), torch.zeros(d, requires_grad=True))
    return (_random(rows, d), *affine[: 2 if name.startswith("LayerNorm") else 1])


def _random(rows: int, d: int) -> Tensor:
    return torch.randn(rows, d, generator=torch.Generator().manual_seed(0)).requires_grad_()


def _call(function: Function, *arguments: Tensor, backward: bool) -> Callable[[], None]:
    cotangent = torch.empty_like(function(*arguments)).normal_(generator=torch.Generator().manual_seed(1))

    def forward() -> None:
        with torch.no_grad():
            function(*arguments)

    def both() -> None:
        torch.autograd.backward(function(*arguments), cotangent)

    return both if backward else forward


def _quartiles(values: list[float]) -> tuple[float, float]:
    low, _, high = quantiles(values, n=4)
    return low, high
