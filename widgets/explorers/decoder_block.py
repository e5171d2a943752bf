"""The decoder block as a diagram: old, modern, or the learner's own."""

from __future__ import annotations

from torch import nn

from widgets.experiments.decoder import modern_block, old_block
from widgets.experiments.wiring import Wire, wiring
from widgets.explorers.explorer import Explorer
from widgets.explorers.still import still
from widgets.pictures.decoder_block import DecoderBlocks

KNOWN = {"old": old_block, "modern": modern_block}


def decoder_block(*which: str | nn.Module) -> Explorer:
    """Decoder blocks side by side, drawn from their own code, the places that differ framed and named.

    which: "old", "modern" or a block of your own whose forward takes one tensor; "old" when nothing is given
    Raises TypeError or ValueError for anything else, and for a block whose forward cannot be traced.
    """
    blocks = {title: wiring(block) for title, block in map(_titled, which or ("old",))}
    text = "\n".join(f"{title}: {_in_words(wires)}" for title, wires in blocks.items())
    caption = "From top to bottom: " + "; ".join(text.splitlines()) + "."
    return still(DecoderBlocks(blocks).figure, caption, text)


def _titled(block: str | nn.Module) -> tuple[str, nn.Module]:
    if isinstance(block, nn.Module):
        return type(block).__name__, block
    if not isinstance(block, str):
        raise TypeError(f'Expected "old", "modern" or an nn.Module; got {type(block).__name__}.')
    if block not in KNOWN:
        raise ValueError(f'Expected "old", "modern" or an nn.Module; got "{block[:40]}".')
    return f"the {block} block", KNOWN[block](d_model=8, n_heads=2, d_ff=24)


def _in_words(wires: list[Wire]) -> str:
    """The steps in the order in which they are computed."""
    return ", ".join(wire.words for wire in wires)
