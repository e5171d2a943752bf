"""Explorers without a browser: each control changes what it should, bad input is refused, nothing is left behind."""

from __future__ import annotations

import base64
import gc
import json
import re
import threading
import weakref
from collections.abc import Iterator
from functools import cache, partial
from itertools import pairwise
from types import SimpleNamespace

import pytest
import torch
from ipywidgets.widgets import widget as registry
from matplotlib import pyplot
from matplotlib.figure import Figure
from traitlets import TraitError

import widgets
from tests.explorers import EXPLORERS
from tests.tiers import full
from widgets import eps_effect, gate_flow, norm_geometry, overall_shift, residual_growth, swish_beta, train_pair
from widgets.explorers import explorer as explorers
from widgets.explorers.explorer import Explorer
from widgets.explorers.still import still
from widgets.pictures.overall_shift import X

NAMES = (*EXPLORERS, "skeleton")  # which stands still
not_played = pytest.mark.usefixtures("short_reels")
every_explorer = pytest.mark.parametrize("make", [getattr(widgets, name) for name in NAMES], ids=NAMES)


@cache
def made(name: str) -> Explorer:
    """The explorer of this name as a lesson shows it, made once."""
    return getattr(widgets, name)()


@pytest.fixture(params=NAMES)
def explorer(request: pytest.FixtureRequest) -> Iterator[Explorer]:
    """One that many tests share; it is put back after each."""
    shared = made(request.param)
    yield shared
    for preset in shared.presets[:1]:
        shared.set_state(preset["set"])


def numbers_in(text: str) -> list[float]:
    """All numbers in a text, in order."""
    return [float(n.replace("−", "-")) for n in re.findall(r"[+−-]?\d+(?:\.\d+)?(?:e−?\d+)?", text)]


def reel_words(explorer, name: str, position: int) -> str:
    """The label at one position of one slider's reel."""
    reel = getattr(explorer, f"{name}_reel")
    return "".join(str(w) if isinstance(w, str) else str(reel["columns"][w][position]) for w in reel["words"])


def ask(explorer, name: str) -> dict:
    """What the browser sends when it lacks a reel; gives the reel."""
    explorer._handle_custom_msg({"id": "1", "record": name, "at": explorer.values}, [])
    return getattr(explorer, f"{name}_reel")


def moved(explorer, name: str, steps: int = 10) -> None:
    """Moves a slider by so many positions, as a browser does when it has come to rest."""
    positions = explorer.positions[name]
    place = positions.index(getattr(explorer, name))
    explorer.set_state({name: positions[place + steps if place + steps < len(positions) else place - steps]})


def named(explorer, name: str) -> dict:
    """A control as the browser is told of it."""
    return next(control for control in explorer.controls if control["name"] == name)


def presets(explorer) -> dict[str, dict[str, float]]:
    """What each button sets, but for reset."""
    return {preset["label"]: preset["set"] for preset in explorer.presets[1:]}


def press(explorer, label: str) -> None:
    """Presses a preset, as the browser does."""
    explorer.set_state(next(preset["set"] for preset in explorer.presets if preset["label"] == label))


def test_steps_of_many_places_are_those_of_each(explorer):
    for name, positions in explorer.positions.items():
        places = [{**explorer.values, name: position} for position in positions[::9]]
        said = [(explorer.lines(steps), explorer.words(steps)) for steps in explorer.along(places)]
        one_by_one = [explorer.steps(**at) for at in places]
        assert said == [(explorer.lines(steps), explorer.words(steps)) for steps in one_by_one]


def test_bundle_has_three_parts_and_the_picture_has_words(explorer):
    data, metadata = explorer._repr_mimebundle_()
    assert set(data) == {"application/vnd.jupyter.widget-view+json", "image/png", "text/plain"}
    assert base64.b64decode(data["image/png"]).startswith(b"\x89PNG")
    lines = data["text/plain"].splitlines()
    assert 2 <= len(lines) <= 8
    assert max(map(len, lines)) <= 110
    assert metadata["image/png"]["alt"].endswith(("?", "."))
    assert pyplot.get_fignums() == []


def test_every_slider_changes_picture_and_text(explorer):
    """Its reel is light, and says another state a third of the way along, unless one only walks around."""
    for name in explorer.positions:
        text, png = repr(explorer), explorer.png()
        moved(explorer, name)
        assert repr(explorer) != text
        assert explorer.png() != png
        reel = ask(explorer, name)
        assert len(reel["along"]) == len(explorer.positions[name])
        assert any(reel["tracks"])
        assert len(json.dumps(reel, ensure_ascii=False, separators=(",", ":")).encode()) < 100_000
        third = len(reel["along"]) // 3
        assert name == "view" or reel_words(explorer, name, 0) != reel_words(explorer, name, third)


def test_a_slider_stands_at_one_of_its_positions(explorer):
    for name, positions in explorer.positions.items():
        for given, taken in ((positions[0] - 1e9, positions[0]), (1e300, positions[-1]), (positions[3], positions[3])):
            setattr(explorer, name, given)
            assert getattr(explorer, name) == taken
        for nonsense in (float("nan"), "3", None):
            with pytest.raises(TraitError):
                setattr(explorer, name, nonsense)
        assert getattr(explorer, name) == positions[3]


def test_every_readout_is_told_from_the_next(explorer):
    for name, positions in explorer.positions.items():
        texts = named(explorer, name)["texts"]
        assert len(texts) == len(positions)
        assert all(a != b for a, b in pairwise(texts))


def test_every_preset_changes_something_and_reset_takes_it_back(explorer, short_reels):
    start = repr(explorer)
    for preset in explorer.presets[1:]:
        for name in explorer.positions:
            moved(explorer, name, 3)
        text = repr(explorer)
        press(explorer, preset["label"])
        assert repr(explorer) != text
        assert explorer.problem == ""
        press(explorer, "reset")
        assert repr(explorer) == start


@every_explorer
def test_a_run_leaves_nothing_behind(make, short_reels):
    """Closing an explorer, as the next run of its cell does, closes every model that it made."""
    before = set(registry._instances)
    make().close()
    assert set(registry._instances) == before


def test_controls_have_words(explorer):
    assert all(control["label"] for control in explorer.controls)
    assert [preset["label"] for preset in explorer.presets][:1] == ["reset"][: len(explorer.controls)]
    assert all(explorer.says.values())


def figures_alive() -> int:
    """How many matplotlib figures nobody has let go of."""
    gc.collect()
    return sum(issubclass(type(one), Figure) for one in gc.get_objects())


def test_many_runs_of_a_cell_leave_one_explorer(monkeypatch, short_reels):
    """What earlier runs of a cell made is freed, its figures too."""
    shell = SimpleNamespace(execution_count=0, user_ns={}, get_parent=lambda: {"metadata": {"cellId": "a"}})
    monkeypatch.setattr(explorers, "get_ipython", lambda: shell)
    monkeypatch.setattr(explorers, "_made", {})
    before, living, runs = len(registry._instances), figures_alive(), []
    for run in range(20):
        shell.execution_count = run
        runs.append(weakref.ref(still(lambda: [Figure(figsize=(1, 1))], "a sentence.", "lines")))
    shell.execution_count = 20
    runs += [weakref.ref(swish_beta()), weakref.ref(overall_shift([1, 2]))]
    shell.execution_count = 21
    last = gate_flow()
    assert figures_alive() == living + len(last.picture.panels)
    assert [one for one in runs if one() is not None] == []
    last.close()
    assert len(registry._instances) == before


COMPUTED = {"residual_growth": residual_growth, "train_pair": partial(train_pair, steps=2)}


@pytest.mark.parametrize("name", [*NAMES, "residual_growth", full("train_pair")])
def test_same_words_on_any_thread_and_setting(name, short_reels):
    """Global settings of the learner's own cells do not reach an explorer, nor what is computed for a picture."""
    make = COMPUTED.get(name) or getattr(widgets, name)
    expected = repr(make())
    said = []

    def elsewhere():
        torch.set_grad_enabled(True)
        said.append(repr(make()))

    default = torch.get_default_dtype()
    torch.set_default_dtype(torch.float16)
    try:
        said.append(repr(make()))
    finally:
        torch.set_default_dtype(default)
    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert said == [expected, expected]


@not_played
@pytest.mark.parametrize("shift", [-5.0, -0.05, 0.0, 2.35, 5.0])
def test_overall_shift_shows_torchs_numbers(shift):
    x = [2.0, -1.0, 0.5, 3.0, -0.5, 1.0]
    explorer = overall_shift(x)
    explorer.shift = shift
    shifted = torch.tensor(x, dtype=torch.float64) + shift
    expected = {
        "x ": shifted,
        "x − mean": shifted - shifted.mean(),
        "LayerNorm": torch.nn.functional.layer_norm(shifted, (6,), eps=1e-5),
        "RMSNorm": torch.nn.functional.rms_norm(shifted, (6,), eps=1e-5),
    }
    lines = repr(explorer).splitlines()[1:]
    for (name, row), line in zip(expected.items(), lines, strict=True):
        assert line.startswith(name)
        facts = [row.mean().item(), row.square().mean().sqrt().item()]
        assert numbers_in(line) == pytest.approx([*row.tolist(), *facts], abs=0.0051)


@not_played
def test_overall_shift_plays_the_bars_of_each_position():
    """The outlines keep the result at shift 0; the bars' heights on the page are torch's numbers."""
    explorer = overall_shift()
    picture = explorer.picture
    x = torch.tensor([2.0, -1.0, 0.5, 3.0, -0.5, 1.0], dtype=torch.float64)
    unshifted = torch.nn.functional.rms_norm(x, (6,), eps=1e-5)
    for shift in (-5.0, 0.0, 5.0):
        explorer._at(shift=shift, scale=1.0)
        result = torch.nn.functional.rms_norm(x + shift, (6,), eps=1e-5)
        row = picture.paths[1].result
        unit = picture.result_unit
        bars, outlines = ([bar.get_height() for bar in kind] for kind in (row.bars, row.outlines))
        assert bars == pytest.approx((result * unit).tolist(), abs=0.051)  # points, to a tenth
        assert outlines == pytest.approx((unshifted * unit).tolist(), abs=0.051)
        assert picture.paths[0].mean.get_y() + 0.7 == pytest.approx(
            X.middle + (x + shift).mean().item() * picture.unit, abs=0.051
        )


@not_played
def test_layernorm_only_has_one_path():
    explorer = overall_shift(layernorm_only=True)
    assert "RMSNorm" not in repr(explorer)
    assert not any("RMSNorm" in stage for stage in explorer.stages)
    assert "RMSNorm" not in reel_words(explorer, "shift", 0)


def test_overall_shift_says_what_changed():
    explorer = overall_shift()
    words = reel_words(explorer, "shift", 160)
    x = torch.tensor([2.0, -1.0, 0.5, 3.0, -0.5, 1.0], dtype=torch.float64)
    before, after = (torch.nn.functional.rms_norm(v, (6,), eps=1e-5) for v in (x, x + 3))
    means = [x.mean().item() + 3, 0.0, after.mean().item()]
    expected = [3.0, 1.0, *means, 0.0, 0.0, (after - before).abs().max().item()]
    assert numbers_in(words) == pytest.approx(expected, abs=0.0051)


def test_a_typed_vector_is_drawn_with_the_sliders_where_they_are():
    explorer = overall_shift()
    explorer.shift = 2.0
    explorer.set_state({"x": "3, 4"})
    assert explorer.problem == ""
    assert repr(explorer).splitlines()[1].split()[:3] == ["x", "5.00", "6.00"]
    assert explorer.shift_reel["at"] == {"scale": 1.0}
    assert explorer.scale_reel == {}
    assert ask(explorer, "scale")["at"] == {"shift": 2.0}


@not_played
@pytest.mark.parametrize("text", ["", "one two", "1", "1, nan", "1 2 3 4 5 6 7 8 9 10 11 12 13", "1e300 2"])
def test_a_bad_vector_is_refused_and_the_last_good_one_stays(text):
    explorer = overall_shift([3.0, 4.0])
    before = repr(explorer), explorer.stages, explorer.shift_reel
    explorer.set_state({"x": text})
    assert "Expected 2 to 12 numbers" in explorer.problem
    assert "keeps the last good input" in explorer.problem
    assert (repr(explorer), explorer.stages, explorer.shift_reel) == before
    assert explorer.x == text
    explorer.set_state({"x": "5 6"})
    assert explorer.problem == ""


@pytest.mark.parametrize(
    ("shift", "kind"),
    [
        ((5, -5), ValueError),
        ((1, 1), ValueError),
        ((0, 1e-7), ValueError),
        ((0, float("nan")), ValueError),
        ((0, float("inf")), ValueError),
        ((-1e300, 1e300), ValueError),
        (5, ValueError),
        ("ab", TypeError),
        ((1, 2, 3), ValueError),
        (None, TypeError),
    ],
)
def test_a_bad_range_is_refused(shift, kind):
    with pytest.raises(kind, match=r"shift to be .low, high., two numbers"):
        overall_shift(shift=shift)


@not_played
def test_a_range_without_zero_starts_at_its_nearer_end():
    explorer = overall_shift([1, 2], shift=(2, 4))
    assert explorer.shift == 2.0
    assert len(explorer.positions["shift"]) == 201


@not_played
@pytest.mark.parametrize("shift", [(-5, 5), (-0.5, 0.5), (-2.5, 2.5), (-1, 2), (-1e-3, 3), (2, 4)])
def test_a_shift_on_a_button_is_the_shift_it_sets(shift):
    """And where 0 lies between the ends, the explorer starts there."""
    explorer = overall_shift([1, 2], shift=shift)
    named_shifts = {numbers_in(label)[0]: at["shift"] for label, at in presets(explorer).items() if "shift " in label}
    assert set(named_shifts) == {max(0.0, shift[0]), float(shift[1])}
    assert all(at == shown for shown, at in named_shifts.items())
    assert explorer.shift == max(0.0, shift[0])


@not_played
@pytest.mark.parametrize(("x", "there"), [(None, True), ([5, 6, 7], False), ([-1.2, 0, -0.3], True)])
def test_a_vector_whose_mean_is_out_of_reach_has_no_button_for_mean_0(x, there):
    explorer = norm_geometry(x)
    assert ("mean 0" in presets(explorer)) == there
    if there:
        press(explorer, "mean 0")
        assert numbers_in(explorer.words(explorer.steps(**explorer.values)))[3] == pytest.approx(0, abs=0.02)


@not_played
@pytest.mark.parametrize(("eps", "there"), [(1e-5, True), (1e-10, True), (1e-12, False), (1.0, True)])
def test_a_button_leads_to_the_root_of_eps_where_the_slider_goes_so_far(eps, there):
    explorer = eps_effect(inside=[eps], outside=[])
    root = [at["size"] for label, at in presets(explorer).items() if "√ε" in label]
    assert root == ([pytest.approx(eps**0.5, rel=0.04)] if there else [])  # thirty positions in a factor of ten


@not_played
@pytest.mark.parametrize("x", [[0.0, 0.0], [1e6, -1e6], [5.0] * 12, [1e-9, 2e-9]])
def test_extreme_vectors_are_drawn(x):
    explorer = overall_shift(x)
    assert all(abs(bar.get_height()) <= X.height / 2 for path in explorer.picture.paths for bar in path.x.bars)
    assert "nan" not in repr(explorer)


@not_played
def test_an_error_after_a_control_has_changed_is_said_to_the_person(monkeypatch):
    explorer = overall_shift([3.0, 4.0])

    def broken(self, shift, scale):
        raise ValueError("no such place")

    with monkeypatch.context() as broken_once:
        broken_once.setattr(type(explorer), "steps", broken)
        with pytest.raises(ValueError, match="no such place"):
            explorer.set_state({"x": "5 6"})
    assert "no such place" in explorer.problem
    explorer.set_state({"x": "7 8"})
    assert explorer.problem == ""


@not_played
def test_eps_explorer_numbers():
    explorer = eps_effect()
    explorer.size = 1e-3
    numbers = [numbers_in(line) for line in repr(explorer).splitlines()]
    assert numbers[0] == [1e-3]
    expected = [1e-3 / (1e-6 + 1e-5) ** 0.5, 1e-3 / (1e-6 + 1e-6) ** 0.5, 1e-3 / (1e-3 + 1e-6)]
    assert [row[-1] for row in numbers[1:]] == pytest.approx(expected, abs=0.00051)


@pytest.mark.parametrize(
    ("inside", "outside", "kind"),
    [
        ((), (), ValueError),
        ((1e-5,) * 5, (), ValueError),
        ((0.0,), (), ValueError),
        ((-1e-5,), (), ValueError),
        ((float("nan"),), (), ValueError),
        ((2.0,), (), ValueError),
        (("a",), (), TypeError),
        ("1e-5", (), TypeError),
        (1e-5, (), ValueError),
        ((1e-5,), None, TypeError),
    ],
)
def test_eps_explorer_refuses(inside, outside, kind):
    with pytest.raises(kind, match="Expected"):
        eps_effect(inside, outside)


@not_played
def test_norm_geometry_numbers():
    explorer = norm_geometry([1.0, 2.0, 4.0])
    explorer.shift = 0.0
    explorer.turn = 120.0
    rows = [numbers_in(line) for line in repr(explorer).splitlines()[1:4]]
    x = torch.tensor([4.0, 1.0, 2.0], dtype=torch.float64)
    assert rows[0] == pytest.approx(x.tolist(), abs=0.0051)
    assert rows[1] == pytest.approx(torch.nn.functional.layer_norm(x, (3,)).tolist(), abs=0.0051)
    assert rows[2] == pytest.approx(torch.nn.functional.rms_norm(x, (3,), eps=1e-5).tolist(), abs=0.0051)


@pytest.mark.parametrize("x", [[1, 2], [1, 2, 3, 4], "1 2 3", [1, 2, float("nan")]])
def test_norm_geometry_refuses(x):
    with pytest.raises((TypeError, ValueError), match="Expected 3"):
        norm_geometry(x)


def test_the_recording_of_overall_shift_is_small():
    """At most 250 kB to send, with twelve components, the largest there are."""
    explorer = overall_shift(range(12))
    assert len(json.dumps(explorer.shift_reel, ensure_ascii=False).encode()) < 250_000


def test_norm_geometry_says_that_equal_components_leave_nothing():
    explorer = norm_geometry([1.0, 1.0, 1.0])
    assert all("result is 0" in reel_words(explorer, "shift", position) for position in (0, 60, 120))
