"""The residual stream against depth: the wiring against the course's own block, growth against an estimate by hand."""

from __future__ import annotations

import math

import pytest
import torch
from matplotlib.lines import Line2D

from widgets import residual_growth
from widgets.experiments import depth
from widgets.experiments.decoder import NORMS, Block, ReLUFeedForward, SwiGLUFeedForward
from widgets.experiments.depth import NO_NORM, NORM_CHOICES, PLACES, Arm, Growth, RandomBlocks, arms
from widgets.pictures.residual_growth import ResidualGrowth, in_words

EVERY_ARM = arms(NORM_CHOICES, ("ReLU", "SwiGLU"), PLACES)


def growth(arm: Arm, depth: int = 16, gain: float = 1.0) -> Growth:
    """One arm in blocks of its own."""
    return RandomBlocks(arm.feed_forward, depth).growth(arm, gain)


def blocks_by_hand(feed_forward: type, d_ff: int, norm: str, count: int) -> list[float]:
    """The same tokens and weights through the course's own Block, written with torch alone."""
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(depth.BATCH, depth.LENGTH, depth.D_MODEL, generator=generator)
    sizes = []
    for _ in range(count):
        block = Block(depth.D_MODEL, depth.N_HEADS, d_ff, NORMS[norm], feed_forward)
        for name, weight in block.named_parameters():
            if "norm" not in name:
                drawn = torch.randn(weight.shape, generator=generator)
                weight.data = drawn / math.sqrt(weight.shape[1])
        x = block(x)
        sizes.append(torch.linalg.vector_norm(x).item() / math.sqrt(x.numel()))
    return sizes


@pytest.mark.parametrize("norm", depth.NORM_CHOICES[1:])
@pytest.mark.parametrize(
    ("name", "layer", "d_ff"), [("ReLU", ReLUFeedForward, 256), ("SwiGLU", SwiGLUFeedForward, 171)]
)
def test_a_norm_before_each_layer_is_the_courses_block(norm, name, layer, d_ff):
    expected = blocks_by_hand(layer, d_ff, norm, 3)
    assert growth(Arm(norm, name), depth=3).sizes[1:] == pytest.approx(expected, rel=1e-4)


def test_without_a_norm_a_relu_block_triples_the_square():
    """Attention that looks at one token adds as much again as there is (2), ReLU's layer half of that (1.5)."""
    sizes = growth(Arm(NO_NORM, "ReLU")).sizes
    per_block = (sizes[-1] / sizes[4]) ** (1 / 12)
    assert per_block == pytest.approx(math.sqrt(3), rel=0.1)


def test_without_a_norm_the_product_squares_the_size():
    """Twice the size gives four times the product: from one block to the next the logarithm doubles."""
    sizes = growth(Arm(NO_NORM, "SwiGLU")).sizes
    first = next(k for k, size in enumerate(sizes) if size > 1000)
    assert math.log(sizes[first + 1]) == pytest.approx(2 * math.log(sizes[first]), rel=0.15)


@pytest.mark.parametrize("arm", EVERY_ARM, ids=str)
def test_only_the_product_without_a_norm_leaves_float32(arm):
    result = growth(arm)
    assert len(result.sizes) == len(result.kept) == 17
    assert (result.overflow is not None) == (arm == Arm(NO_NORM, "SwiGLU"))
    if arm.norm != NO_NORM:
        assert max(result.sizes) < 6


@pytest.mark.parametrize("norm", depth.NORM_CHOICES[1:])
def test_a_norm_after_each_layer_leaves_a_size_of_one(norm):
    assert growth(Arm(norm, "ReLU", "after"), depth=4).sizes[1:] == pytest.approx([1.0] * 4, abs=1e-3)


def test_a_norm_before_each_layer_keeps_more_of_the_input():
    """Added parts are as large as each other: before, the input is one of 1 + n; after, every sum halves it anew."""
    before, after = (growth(Arm("RMSNorm", "ReLU", place)).kept for place in PLACES)
    assert before[-1] > 0.1 > 2 * abs(after[-1])


@pytest.mark.parametrize("norm", NORM_CHOICES)
def test_small_weights_leave_the_stream_as_it_is(norm):
    result = growth(Arm(norm, "SwiGLU"), gain=0.01)
    assert (result.sizes[-1], result.kept[-1]) == pytest.approx((1.0, 1.0), abs=0.01)


def test_the_first_number_is_the_inputs():
    assert {growth(arm, depth=1).kept[0] for arm in EVERY_ARM} == {1.0}
    assert len({growth(arm, depth=1).sizes[0] for arm in EVERY_ARM}) == 1


def test_blocks_serve_one_arm_after_another():
    """The weights of one run, scaled or overflowing, leave no trace in the next."""
    blocks = RandomBlocks("SwiGLU", 4)
    first = blocks.growth(EVERY_ARM[-1])
    blocks.growth(Arm(NO_NORM, "SwiGLU"), gain=2.0)
    assert blocks.growth(EVERY_ARM[-1]) == first


def test_nothing_global_is_drawn_from():
    before = torch.get_rng_state()
    growth(EVERY_ARM[0], depth=2)
    assert torch.equal(torch.get_rng_state(), before)


def test_without_a_norm_there_is_no_place():
    assert arms([NO_NORM], ["ReLU"], PLACES) == [Arm(NO_NORM, "ReLU")]
    assert len(EVERY_ARM) == 10


# The picture and the explorer


@pytest.mark.parametrize(
    ("size", "words"),
    [(1.0, "1"), (4.46, "4.5"), (4907.0, "4,900"), (2.31e16, "2.3e16"), (99_900.0, "100,000"), (math.inf, "∞")],
)
def test_a_size_in_words(size, words):
    assert in_words(size) == words


def test_a_curve_ends_where_it_leaves_the_plot():
    fast = Growth(Arm(NO_NORM, "SwiGLU"), (1.0, 10.0, 1e8, math.inf, math.inf), (1.0, 0.5, 0.1, math.nan, math.nan))
    slow = Growth(Arm("RMSNorm", "SwiGLU"), (1.0,) * 5, (1.0,) * 5)
    panel = ResidualGrowth([fast, slow]).panels[0]
    counts = sorted(len(line.get_xdata()) for line in panel.findobj(Line2D))
    assert counts == [2, 2, 3, 5]  # two samples in the list; two points inside and one beyond; a whole curve


def test_a_second_panel_only_where_a_norm_stands_after():
    counts = [len(ResidualGrowth([growth(Arm("RMSNorm", "ReLU", place), 4)]).panels) for place in PLACES]
    assert counts == [1, 2]


def test_text_gives_the_sizes_after_every_quarter():
    lines = repr(residual_growth(["no norm"], ["SwiGLU"])).splitlines()
    assert lines[0].split()[-5:] == ["0", "4", "8", "12", "16"]
    assert lines[1].split()[-5] == "1" and lines[1].split()[-1] == "∞"


@pytest.mark.parametrize("depth", [4, 5, 6, 7, 9, 11, 63])
def test_text_gives_the_size_at_the_end_of_any_depth(depth):
    lines = repr(residual_growth(["RMSNorm"], ["ReLU"], depth=depth)).splitlines()
    assert lines[0].split()[-1] == str(depth)
    assert len(lines[0].split()) - len(["RMS", "after", "block"]) == len(lines[1].split()) - len(["ReLU,", "RMSNorm"])


@pytest.mark.parametrize(
    ("settings", "error", "words"),
    [
        ({"norms": "RMSNorm"}, TypeError, "names in a list"),
        ({"norms": ["BatchNorm"]}, ValueError, "out of no norm, LayerNorm, RMSNorm, each once; got"),
        ({"feed_forwards": []}, ValueError, "feed_forwards to be names in a list.*got 0"),
        ({"places": [1]}, TypeError, "places"),
        ({"places": PLACES}, ValueError, "at most eight curves"),
        ({"depth": 2}, ValueError, "depth"),
        ({"gain": "much"}, TypeError, "gain"),
        ({"gain": 0}, ValueError, "gain"),
    ],
)
def test_what_is_refused(settings, error, words):
    with pytest.raises(error, match=words):
        residual_growth(**settings)
