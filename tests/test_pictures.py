"""The pictures as they are drawn: every word can be read, none is cut off or struck by another, whoever's settings."""

from __future__ import annotations

import itertools
import json
import re
from functools import cache, partial

import pytest
import torch
from matplotlib import rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyBboxPatch, Patch
from matplotlib.text import Text
from matplotlib.transforms import Bbox
from torch import nn

from tests.data import DATA
from tests.test_style import LIGHT, PAIRS
from tests.tiers import full
from widgets import (
    ablation_results,
    activation_curves,
    decoder_block,
    decoder_census,
    eps_effect,
    gate_flow,
    norm_geometry,
    norm_timings,
    overall_shift,
    parameter_ledger,
    product_fits,
    residual_growth,
    skeleton,
    swish_beta,
    three_matrices,
)
from widgets.experiments import ablation, census
from widgets.experiments.product_task import learn_product
from widgets.experiments.timing import Timing
from widgets.explorers.explorer import Explorer

TWELVE = [(-1) ** k * (0.7 * k + 0.33) for k in range(12)]
NARROW = 315  # CSS pixels: the narrowest that a panel is shown, in a pane of JupyterLab with the side bar at 200 % zoom
LEAST = 11  # CSS pixels: the smallest words


class ThreeLanes(nn.Module):
    """Attention as a learner writes it: three steps side by side, a parameter used directly, long names."""

    def __init__(self) -> None:
        super().__init__()
        self.gain = nn.Parameter(torch.ones(8))
        self.projection_of_the_queries, self.projection_of_the_keys, self.v = (nn.Linear(8, 8) for _ in range(3))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = x * self.gain
        q, k, v = self.projection_of_the_queries(h), self.projection_of_the_keys(h), self.v(h)
        return x + torch.softmax(q @ k.mT, -1) @ v


class Lanes(nn.Module):
    """So many layers side by side, and their sum: experts, say."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self.experts = nn.ModuleList(nn.Linear(8, 8) for _ in range(count))
        self.gain = nn.Parameter(torch.ones(8))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        first, *others = [expert(x) * self.gain for expert in self.experts]
        for other in others:
            first = torch.relu(first + other)
        return first


class FeedForward(nn.Module):
    """A name for a part of itself, and wide letters in it."""

    def __init__(self) -> None:
        super().__init__()
        self.MMMMMMMMMMMMMMMM, self.l_i_l_i_l_i_l_i_l_i_l_i = nn.Linear(8, 8), nn.Linear(8, 8)
        self.down_projection_of_the_product = nn.Linear(8, 8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        content = self.l_i_l_i_l_i_l_i_l_i_l_i(x)
        return self.down_projection_of_the_product(torch.nn.functional.hardsigmoid(self.MMMMMMMMMMMMMMMM(x)) * content)


class ATransformerBlockWhoseNameSaysEverythingThatThereIsToKnowOfIt(nn.Module):
    """Long names everywhere: its own, its part's and their steps'."""

    def __init__(self) -> None:
        super().__init__()
        self.feed_forward_network_that_is_gated = FeedForward()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.feed_forward_network_that_is_gated(x)


class SumBesideLayer(nn.Module):
    """A product with a parameter's long name, and a layer with a long name, of one depth."""

    def __init__(self) -> None:
        super().__init__()
        self.gain_of_the_residual_stream, self.projection_of_the_keys = nn.Parameter(torch.ones(8)), nn.Linear(8, 8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.gain_of_the_residual_stream + self.projection_of_the_keys(x)


LongNames = ATransformerBlockWhoseNameSaysEverythingThatThereIsToKnowOfIt
WIDE = type("M" * 40, (LongNames,), {})


def timed(slower: float = 1.0) -> list[Timing]:
    """Two sizes; compiled at the second only. slower: RMSNorm's time over LayerNorm's."""
    hows = {(2, 8): ("built in",), (512, 2048): ("built in", "compiled")}
    return [
        Timing(how, *size, backward, (microseconds, 1.1 * microseconds, 1.2 * microseconds), kind)
        for size, each in hows.items()
        for kind, how, microseconds in (
            *((kind, how, 12.0 * over) for how in each for kind, over in (("LayerNorm", 1), ("RMSNorm", slower))),
            ("Linear", "next door", 2e5),
        )
        for backward in (False, True)
    ]


MOVING = {
    "overall shift": overall_shift,
    "overall shift, 12 components": lambda: overall_shift(TWELVE),
    "overall shift, large": lambda: overall_shift([1e6, -2, 1e-4]),
    "overall shift, LayerNorm only": lambda: overall_shift(layernorm_only=True),
    "eps": eps_effect,
    "eps, four rules": lambda: eps_effect((1e-5, 1e-6), (1e-6, 1e-3)),
    "geometry": norm_geometry,
    "geometry, a long vector": lambda: norm_geometry([1.0, 2.0, 0.5]),
    "geometry, a very long vector": lambda: norm_geometry([1e4, -2e5, 1.0]),
    "curves": activation_curves,
    "curves, all": lambda: activation_curves(gelu=True, slopes=True, beta=2.0),
    "beta": swish_beta,
    "gates": gate_flow,
    "gates, two": lambda: gate_flow([2.0, -1.0], [3.0, -1.3], position=2),
    "gates, five large ones": lambda: gate_flow([1e6, -1e6, 0.5, 3.0, 2.0], [3.0, -6.0, 0.4, 0.1, 2.0], position=1),
    "matrices": three_matrices,
    "matrices, far out": lambda: three_matrices([3, 3, -3], "none"),
    "matrices, small": lambda: three_matrices([0.7, 0.5, 0.3]),
    "ledger": parameter_ledger,
    "ledger, wide": lambda: parameter_ledger(18432, 65536, 3.0),
}
STILL = {
    "skeleton": skeleton,
    "skeleton, small": lambda: skeleton(8, 20, 30),
    "old and modern": lambda: decoder_block("old", "modern"),
    "a learner's block twice": lambda: decoder_block(ThreeLanes(), ThreeLanes()),
    "long names": lambda: decoder_block(LongNames(), LongNames(), WIDE(), WIDE()),
    **{f"{count} lanes": partial(lambda count: decoder_block(Lanes(count)), count) for count in (2, 3, 5, 7)},
    "a product beside a layer": lambda: decoder_block(SumBesideLayer()),
    "census": lambda: decoder_census(census.read_census(DATA / "census.csv")),
    "ablation": lambda: ablation_results(ablation.read_runs(DATA / "ablation.csv")),
    "timings": lambda: norm_timings(timed()),
    "timings, seven times": lambda: norm_timings(timed(7.0)),
    "timings, forty times": lambda: norm_timings(timed(40.0)),
    "products": lambda: product_fits([learn_product(name, seeds=2, steps=2) for name in ("ReLU", "GELU", "SwiGLU")]),
    "growth": residual_growth,
}
PICTURES = MOVING | STILL
AS_IS = {"curves, all", "overall shift, LayerNorm only"}  # these show other marks
OTHERS = {name for name in PICTURES if "," in name} - AS_IS | {"2 lanes", "5 lanes"}  # other numbers, the same marks
every_picture = pytest.mark.parametrize("name", [full(name) if name in OTHERS else name for name in PICTURES])
pytestmark = pytest.mark.usefixtures("short_reels")


@cache
def made(name: str) -> Explorer:
    """The explorer of this name, made once: a test that shows it at other positions leaves it there."""
    return PICTURES[name]()


def states(explorer) -> list[list[Figure]]:
    """The panels at the start, at both ends of each slider and in the middle between."""
    yield explorer.picture.panels
    for name, positions in explorer.positions.items():
        for position in (positions[0], positions[len(positions) // 3], positions[-1]):
            explorer._at(**{**explorer.values, name: position})
            yield explorer.picture.panels


def texts(panel: Figure) -> list[tuple[str, object, float]]:
    """What is written on a panel: the words, the box around them in points, and their size."""
    panel.set_dpi(288)  # at 72 the letters would be fitted to whole points
    renderer = FigureCanvasAgg(panel).get_renderer()
    found = []
    for text in panel.findobj(Text):
        if text.get_text().strip() and text.get_visible():
            box = text.get_window_extent(renderer)
            found.append((text.get_text(), type(box)(box.get_points() / 4), text.get_fontsize()))
    panel.set_dpi(72)
    return found


@every_picture
def test_every_word_can_be_read(name):
    """It is 11 CSS pixels high on the narrowest panel, it lies on its panel, and it meets no other."""
    for panels in states(made(name)):
        for panel in panels:
            width, height = 72 * panel.get_size_inches()
            written = texts(panel)
            assert [words for words, _, size in written if size * NARROW / width < LEAST] == []
            assert [words for words, box, _ in written if box.x0 < -0.5 or box.x1 > width + 0.5] == []
            assert [words for words, box, _ in written if box.y0 < -1.5 or box.y1 > height + 1.5] == []
            assert [
                (a, b) for (a, one, _), (b, other, _) in itertools.combinations(written, 2) if meet(one, other)
            ] == []


def meet(one, other) -> bool:
    """Whether two boxes overlap by more than a point across and three up."""
    across = min(one.x1, other.x1) - max(one.x0, other.x0)
    return across > 1 and min(one.y1, other.y1) - max(one.y0, other.y0) > 3


def test_three_steps_of_one_depth_stand_side_by_side_and_a_parameter_is_named():
    panel, again = decoder_block(ThreeLanes(), ThreeLanes()).picture.panels
    written = texts(panel)
    lanes = sorted((box.x0, box.y0) for words, box, _ in written if words == "v" or words.endswith("…"))
    assert len(lanes) == 3
    assert len({round(y) for _, y in lanes}) == 1
    assert {"multiply gain", "mT", "softmax"} <= {words for words, _, _ in written}
    titles = [words for panel in (panel, again) for words, _, _ in texts(panel) if words.startswith("ThreeLanes")]
    assert len(set(titles)) == 2


def test_long_names_are_cut_and_still_told_apart():
    titles = [max(texts(panel), key=lambda each: each[2])[0] for panel in made("long names").picture.panels]
    assert len(set(titles)) == 4
    assert all("…" in title for title in titles)
    assert [title.partition("…")[2] for title in titles] == ["", ", number 2"] * 2


@pytest.mark.parametrize("name", ["long names", "7 lanes", "a product beside a layer", "a learner's block twice"])
def test_no_box_of_a_block_meets_another_or_leaves_its_panel(name):
    for panel in made(name).picture.panels:
        width = 72 * panel.get_size_inches()[0]
        steps = [Bbox(each.get_extents().get_points()) for each in drawn_steps(panel)]
        assert len(steps) > 2
        assert [step for step in steps if step.x0 < 0 or step.x1 > width] == []
        assert [pair for pair in itertools.combinations(steps, 2) if meet(*pair)] == []


def drawn_steps(panel: Figure) -> list[Patch]:
    """The boxes and circles of a block, without the frames around them and the heads of arrows."""
    return [each for each in panel.findobj(Patch) if isinstance(each, FancyBboxPatch | Circle) and each.zorder == 2]


@pytest.mark.parametrize("name", MOVING)
def test_rows_that_can_be_covered_lie_on_their_panels_and_hold_words(name):
    explorer = made(name)
    explorer._at(**explorer.values)
    picture = explorer.picture
    assert picture.covers
    for rows in picture.covers.values():
        for panel, x, y, width, height in rows:
            across, up = 72 * picture.panels[panel].get_size_inches()
            assert 0 <= x < x + width <= across + 1 and 0 <= y < y + height <= up
            boxes = [box for _, box, _ in texts(picture.panels[panel])]
            assert any(x <= box.x0 and box.x1 <= x + width and y <= box.y0 <= y + height for box in boxes)


FURNITURE = {"INK", "FAINT", "RULE", "PAPER"}
TOLD_APART = {("INPUT", "SIGMOID")}  # by shape: the upright line that reads off, and a dotted curve with diamonds


def colours_of(explorer: Explorer) -> set[str]:
    """The names of all colours with a meaning in a picture, and at both ends and in the middle of its first slider."""
    drawn = json.dumps([explorer.stages, *(getattr(explorer, f"{name}_reel") for name in explorer.positions)])
    return {name for name, colour in LIGHT.items() if colour in re.findall(r"#[0-9a-f]{6}", drawn)} - FURNITURE


@pytest.mark.parametrize("name", sorted(PICTURES.keys() - {"old and modern"}))
def test_colours_that_meet_in_a_picture_were_held_against_each_other(name):
    """In grey and for colour-blind eyes, by tests/test_style.py. In a block, each box holds its name."""
    compared = {frozenset(pair) for pair in [*PAIRS, *TOLD_APART]}
    meeting = itertools.combinations(sorted(colours_of(made(name))), 2)
    assert [pair for pair in meeting if frozenset(pair) not in compared] == []


def test_the_colours_of_a_picture_are_found():
    assert colours_of(made("curves, all")) == {"GATE", "GELU", "INPUT", "SIGMOID"}


SETTINGS = {
    "dark_background": {"axes.facecolor": "black", "figure.facecolor": "black", "text.color": "white"},
    "xkcd": {"path.sketch": (1.0, 100.0, 2.0), "font.family": ["serif"]},
    "usetex": {"text.usetex": True},
    "large": {"font.size": 20.0, "lines.linewidth": 9.0, "patch.linewidth": 9.0, "hatch.linewidth": 9.0},
}


def changed_by(settings: dict[str, object], name: str) -> list[str]:
    """What of a picture is another one when it is made and looked at with somebody's settings."""
    explorer = made(name)
    with rc_context(settings):
        again = PICTURES[name]()
    traits = ["stages", *(f"{slider}_reel" for slider in explorer.positions)]
    changed = [trait for trait in traits if getattr(again, trait) != getattr(explorer, trait)]
    with rc_context(settings):
        return changed if again.png() == explorer.png() else [*changed, "png"]


@every_picture
def test_nobodys_settings_change_a_picture(name):
    """All of them at once, which is as good a test and takes a quarter of the time."""
    assert changed_by({key: value for each in SETTINGS.values() for key, value in each.items()}, name) == []


@pytest.mark.full
@every_picture
@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_no_single_setting_changes_a_picture(name, settings):
    assert changed_by(settings, name) == []
