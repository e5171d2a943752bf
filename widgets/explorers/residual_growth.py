"""How large the residual stream grows with depth: with a norm, without one, before the layer or after it."""

from __future__ import annotations

from collections.abc import Sequence

from widgets.experiments.depth import FEED_FORWARD_CHOICES, NORM_CHOICES, PLACES, Growth, RandomBlocks, arms
from widgets.explorers.explorer import Explorer
from widgets.explorers.still import still
from widgets.formats import number
from widgets.inputs import real_number, several_of, whole_number
from widgets.pictures.residual_growth import ResidualGrowth, in_words

DEEPEST = 64


def residual_growth(
    norms: Sequence[str] = NORM_CHOICES,
    feed_forwards: Sequence[str] = FEED_FORWARD_CHOICES,
    places: Sequence[str] = ("before",),
    depth: int = 16,
    gain: float = 1.0,
) -> Explorer:
    """The RMS of the residual stream after each of `depth` decoder blocks with random weights, a curve a combination.

    norms: out of "no norm", "LayerNorm", "RMSNorm"; feed_forwards: out of "ReLU", "SwiGLU"
    places: out of "before" and "after": the norm before each layer, or after it and its sum; with "after" a second
    plot shows the cosine between the stream and the input
    depth: 4 to 64; gain: 0.01 to 2; each weight has the standard deviation gain / sqrt(numbers in)
    Raises TypeError or ValueError in a sentence for anything else, and for more than eight curves.
    """
    depth, gain = whole_number("depth", depth, 4, DEEPEST), real_number("gain", gain, 0.01, 2)
    chosen = arms(
        several_of("norms", norms, NORM_CHOICES),
        several_of("feed_forwards", feed_forwards, FEED_FORWARD_CHOICES),
        several_of("places", places, PLACES),
    )
    if len(chosen) > 8:
        raise ValueError(f"Expected at most eight curves; norms, feed_forwards and places make {len(chosen)}.")
    blocks = {name: RandomBlocks(name, depth) for name in {arm.feed_forward for arm in chosen}}
    growths = [blocks[arm.feed_forward].growth(arm, gain) for arm in chosen]
    return still(lambda: ResidualGrowth(growths).panels, _words(growths, depth), _lines(growths, depth))


def _words(growths: Sequence[Growth], depth: int) -> str:
    """One sentence for an arm, with where it ends; what is kept of the input where the picture shows it."""
    said, sharing = [], any(one.arm.place == "after" for one in growths)
    for one in growths:
        end = f"leaves float32 in block {one.overflow}" if one.overflow else f"ends at RMS {in_words(one.sizes[-1])}"
        if sharing and not one.overflow:
            end += f", cosine with the input {number(one.kept[-1])}"
        said.append(f"{one.arm}: {end}")
    return f"The residual stream through {depth} blocks with random weights, from RMS 1. {'; '.join(said)}."


def _lines(growths: Sequence[Growth], depth: int) -> str:
    """A line an arm: its size after each quarter of the way and at the end; with a norm after, what is kept."""
    shown = sorted({*range(0, depth + 1, round(depth / 4)), depth})
    sharing = any(one.arm.place == "after" for one in growths)
    width = max(len(str(one.arm)) for one in growths) + 2
    lines = [f"{'RMS after block':<{width}}" + "".join(f"{block:>8}" for block in shown)]
    for one in growths:
        sizes = "".join(f"{in_words(one.sizes[block]):>8}" for block in shown)
        share = "" if one.overflow or not sharing else f"   cosine with the input {number(one.kept[-1], 1)}"
        lines.append(f"{one.arm!s:<{width}}{sizes}{share}")
    return "\n".join(lines)
