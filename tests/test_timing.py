"""What is timed is right, and what is said about it holds whatever the times are."""

from __future__ import annotations

from dataclasses import replace
from unittest.mock import patch

import pytest
import torch
import torch.nn.functional as F
from matplotlib.text import Text

from widgets import norm_timings, time_norms
from widgets.experiments import timing
from widgets.experiments.timing import (
    NORMS,
    Norm,
    Ratio,
    Timing,
    compiled_norms,
    operations,
    ratios,
    rms_norm_by_hand,
    timings,
)
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
    first, second, ratios = ({text.get_text() for text in panel.findobj(Text)} for panel in explorer.picture.panels)
    assert {*NORMS, "RMSNorm, compiled", "Linear, next door", "2 rows of 8 numbers"} <= first
    assert "compiled for another size" in first and "compiled for another size" not in second
    assert {"RMSNorm’s time over LayerNorm’s", "built in", "by hand, backward"} <= ratios
    text = repr(explorer)
    assert text.count("\n") == len(found) + 1 + 8  # a blank line, a heading, and two ways at two sizes, twice


def test_one_timing_is_enough():
    norm_timings([Timing("built in", 1, 2, False, (5.0,), "LayerNorm")])


def test_a_ratio_is_taken_round_by_round():
    """A machine that is three times slower in one round slows both, and the ratio does not notice."""
    layer_norm = Timing("built in", 4, 8, False, (10.0, 30.0, 10.0), "LayerNorm")
    rms_norm = Timing("built in", 4, 8, False, (15.0, 45.0, 14.0), "RMSNorm")
    alone = Timing("by hand", 4, 8, False, (1.0, 1.0, 1.0), "RMSNorm")
    shorter = Timing("built in", 4, 8, True, (1.0,), "RMSNorm")
    (ratio,) = ratios([layer_norm, rms_norm, alone, shorter, replace(layer_norm, backward=True)])
    assert ratio.rounds == pytest.approx((1.5, 1.5, 1.4))
    assert (ratio.low, ratio.median, ratio.high) == pytest.approx((1.4, 1.5, 1.5))
    assert (layer_norm.low, layer_norm.median, layer_norm.high) == (10.0, 10.0, 30.0)


@pytest.mark.parametrize(
    ("rounds", "words"),
    [
        ((0.5, 0.6, 0.7), "RMSNorm takes less time"),
        ((1.5, 1.6, 1.7), "LayerNorm takes less time"),
        ((0.9, 1.2, 1.3), "no clear difference"),
        ((1.0,), "no clear difference"),
    ],
)
def test_a_difference_within_the_scatter_is_none(rounds, words):
    assert Ratio("built in", 4, 8, False, rounds).verdict == words


def test_an_interruption_keeps_what_was_measured(monkeypatch):
    """The kernel's interrupt while compiling, which comes last: every other size is there, in order."""

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("widgets.explorers.norm_timings.compiled_norms", interrupted)
    monkeypatch.setattr("widgets.explorers.norm_timings.timings", lambda *a: timings(*a, rounds=3, seconds=0))
    found = time_norms(sizes=((2, 8), (3, 16), (4, 6)))
    assert [(each.rows, each.d) for each in found] == [(2, 8)] * 10 + [(4, 6)] * 10
    norm_timings(found)


def test_an_interruption_at_once_is_said_when_it_is_drawn(monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("widgets.explorers.norm_timings.timings", interrupted)
    found = time_norms(sizes=((2, 8), (3, 16)))
    assert found == []
    with pytest.raises(ValueError, match=r"^Expected the timings that time_norms returns, at least one; got 0"):
        norm_timings(found)


def test_one_size_needs_no_second(monkeypatch):
    """Nobody gave compile_at, so nobody is told that it is wrong."""
    monkeypatch.setattr("widgets.explorers.norm_timings.compiled_norms", lambda *_: ({}, "None."))
    monkeypatch.setattr("widgets.explorers.norm_timings.timings", lambda *a: timings(*a, rounds=3, seconds=0))
    assert len(time_norms([(2, 8)])) == 10


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        ({"sizes": []}, ValueError),
        ({"sizes": [(2, 8)] * 7}, ValueError),
        ({"sizes": (2, 8)}, TypeError),
        ({"sizes": [(2,)]}, ValueError),
        ({"sizes": ["28"]}, TypeError),
        ({"sizes": [(0, 8)]}, ValueError),
        ({"sizes": [(2, 1)]}, ValueError),
        ({"sizes": [(2, 10**9)]}, ValueError),
        ({"sizes": [(2, 8.0)]}, TypeError),
        ({"sizes": 3}, TypeError),
        ({"compile_at": 3}, ValueError),
        ({"compile_at": -1}, ValueError),
        ({"compile_at": "1"}, TypeError),
    ],
)
def test_what_is_no_size_is_refused(arguments, kind):
    with pytest.raises(kind, match=r"^Expected "):
        time_norms(**arguments)


@pytest.mark.parametrize(
    ("found", "kind"), [(None, TypeError), ([], ValueError), ([3], TypeError), ("x", TypeError), (5, TypeError)]
)
def test_what_is_no_timing_is_refused(found, kind):
    with pytest.raises(kind, match=r"^Expected the timings that time_norms returns"):
        norm_timings(found)


def test_compiling_leaves_the_settings_alone():
    """torch's compiler is told to use one thread, and afterwards it is as the learner had it."""
    import torch._inductor.config as inductor

    before = inductor.compile_threads
    seen = []

    def compiled(norm, **_):
        return lambda *x: seen.append((inductor.compile_threads, torch.get_num_threads())) or norm(*x)

    threads = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        with patch.object(torch, "compile", compiled), patch.object(torch.compiler, "reset") as forgotten:
            norms, _ = compiled_norms(3, 8)
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(threads)
    assert len(norms) == 2
    assert set(seen) == {(1, 1)}  # for another number of threads, such as the timings', torch compiles once more
    assert forgotten.called  # other sizes count against its limit of eight
    assert inductor.compile_threads == before


@pytest.mark.parametrize(("name", "kind"), [("BatchNorm", ValueError), (None, TypeError), (3, TypeError)])
def test_operations_of_what_is_no_norm(name, kind):
    with pytest.raises(kind, match=r"^Expected the norm to be LayerNorm, built in"):
        operations(name)
