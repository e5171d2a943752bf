"""What is timed is right, and what is said about it holds whatever the times are."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F

from widgets import norm_timings, time_norms
from widgets.experiments import timing
from widgets.experiments.timing import NORMS, Norm, Timing, compiled_norms, operations, rms_norm_by_hand, timings
from widgets.formats import duration


def random(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(3), dtype=torch.float64)


@pytest.mark.parametrize("name", NORMS)
def test_the_contestants_compute_the_norm(name):
    x, weight, bias = random(5, 8), random(8), random(8)
    if name.startswith("LayerNorm"):
        torch.testing.assert_close(NORMS[name].function(x, weight, bias), F.layer_norm(x, (8,), weight, bias, 1e-5))
    else:
        torch.testing.assert_close(NORMS[name].function(x, weight), F.rms_norm(x, (8,), weight, 1e-5))


@pytest.mark.parametrize("backward", [False, True])
def test_timings_are_complete(backward):
    threads = torch.get_num_threads()
    found = timings(NORMS, rows=3, d=8, backward=backward, rounds=5)
    assert [each.name for each in found] == [*NORMS, "Linear, next door"]
    assert all(0 < each.low <= each.median <= each.high for each in found)
    assert {(each.rows, each.d, each.backward) for each in found} == {(3, 8, backward)}
    assert torch.get_num_threads() == threads


def test_backward_reaches_input_and_parameters():
    """What is timed with backward is the whole of it."""
    norm = NORMS["RMSNorm, by hand"]
    x, weight = norm.arguments(3, 8)
    timing._call(norm.function, x, weight, backward=True)()
    assert x.grad is not None and weight.grad is not None


def test_slow_contestants_stop_in_time(monkeypatch):
    """After the seconds are over three rounds are enough."""
    rounds = []
    monkeypatch.setattr(timing, "_round", lambda calls: rounds.append(1) or dict.fromkeys(calls, 1.0 + len(rounds)))
    timings(NORMS, 3, 8, rounds=100, seconds=0.0)
    assert len(rounds) == 4  # and the one that does not count


def test_operations():
    assert operations("LayerNorm, built in")[:2] == ["layer_norm", "native_layer_norm"]
    assert {"mean", "sub", "rsqrt", "mul", "add"} <= set(operations("LayerNorm, by hand"))
    assert "sub" not in operations("RMSNorm, by hand")


def test_the_profiler_is_silent(capfd):
    operations("RMSNorm, by hand")
    assert capfd.readouterr() == ("", "")


def broken(*_: object) -> torch.Tensor:
    raise RuntimeError("no C++ compiler")


@pytest.mark.parametrize("when", [broken, lambda *_, **__: broken], ids=["at once", "when called"])
def test_without_a_compiler_it_says_so(monkeypatch, when):
    """torch notices a missing compiler only when a compiled function meets its first numbers."""
    monkeypatch.setattr(torch, "compile", lambda norm, **_: when(norm))
    norms, reason = compiled_norms(3, 8)
    assert norms == {}
    assert "Nothing is compiled here" in reason


@pytest.mark.parametrize(
    ("microseconds", "words"),
    [(0.1, "0.1 µs"), (1, "1 µs"), (9.94, "9.9 µs"), (24.4, "24 µs"), (1000, "1 ms"), (1260, "1.3 ms"), (2e6, "2 s")],
)
def test_durations(microseconds, words):
    assert duration(microseconds) == words


def test_picture_and_text(monkeypatch):
    """All sizes, the compiled ones where they belong, a name for every row, a bar that ends."""
    compiled = {"RMSNorm, compiled": Norm("RMSNorm", "compiled", rms_norm_by_hand)}
    monkeypatch.setattr("widgets.explorers.norm_timings.compiled_norms", lambda *_: (compiled, "Compiled."))
    monkeypatch.setattr("widgets.explorers.norm_timings.timings", lambda *a: timings(*a, rounds=3, seconds=0))
    found = time_norms(sizes=((2, 8), (3, 16)))
    assert len(found) == 2 * 5 + 2 * 6
    assert {each.d for each in found if "compiled" in each.name} == {16}
    explorer = norm_timings(found)
    words = [text.get_text() for text in explorer.flipbook._figure.axes[0].texts]
    assert {*NORMS, "RMSNorm, compiled", "Linear, next door", "2 rows of 8 numbers"} <= set(words)
    assert len(repr(explorer).splitlines()) == len(found)


def test_one_timing_is_enough():
    norm_timings([Timing("LayerNorm", "built in", 1, 2, False, 5.0, 5.0, 5.0)])
