"""The decoder block as a diagram: old, modern, or the learner's own."""

from __future__ import annotations

from collections.abc import Container
from functools import partial

from torch import nn

from widgets.experiments.decoder import modern_block, old_block
from widgets.experiments.wiring import Wire, wiring
from widgets.explorers.explorer import Explorer
from widgets.explorers.still import still
from widgets.inputs import as_list, shortened
from widgets.pictures.decoder_block import block_figures

KNOWN = {"old": old_block, "modern": modern_block}


def decoder_block(*which: str | nn.Module) -> Explorer:
    """Decoder blocks side by side, drawn from their own code, the places that differ framed and named.

    which: up to four of "old", "modern" and blocks of your own whose forward takes one tensor; "old" without any
    Raises TypeError or ValueError for anything else, and for a block whose forward cannot be traced.
    """
    blocks: dict[str, list[Wire]] = {}
    for title, block in map(_titled, as_list("Expected up to four blocks", which or ("old",), 1, 4)):
        blocks[_unused(title, blocks)] = wiring(block)
    text = "\n".join(f"{title}: {_in_words(wires)}" for title, wires in blocks.items())
    caption = "From top to bottom: " + "; ".join(text.splitlines()) + "."
    return still(partial(block_figures, blocks), caption, text)


def _titled(block: str | nn.Module) -> tuple[str, nn.Module]:
    if isinstance(block, nn.Module):
        return type(block).__name__, block
    wanted = 'Expected "old", "modern" or an nn.Module'
    if not isinstance(block, str):
        raise TypeError(f"{wanted}; got {shortened(block)}.")
    if block not in KNOWN:
        raise ValueError(f"{wanted}; got {shortened(block)}.")
    return f"the {block} block", KNOWN[block](d_model=8, n_heads=2, d_ff=24)


def _unused(title: str, blocks: Container[str]) -> str:
    """The title, or with a number when another block has it already: two blocks may be of one class."""
    titles = (title, *(f"{title}, number {number}" for number in range(2, 5)))
    return next(each for each in titles if each not in blocks)


def _in_words(wires: list[Wire]) -> str:
    """The steps in the order in which they are computed."""
    return ", ".join(wire.words for wire in wires)
