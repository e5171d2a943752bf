"""The decoder block as a diagram: old, modern, or the learner's own."""

from __future__ import annotations

from matplotlib.figure import Figure
from torch import nn

from widgets.maths.decoder import modern_block, old_block
from widgets.maths.wiring import wiring
from widgets.pictures.decoder_block import DecoderBlocks

KNOWN = {"old": old_block, "modern": modern_block}


def decoder_block(*which: str | nn.Module) -> Figure:
    """Decoder blocks side by side, drawn from their own code, the places that differ framed and named.

    which: "old", "modern" or a block of your own whose forward takes one tensor; "old" when nothing is given
    Raises TypeError or ValueError for anything else, and for a block whose forward cannot be traced.
    """
    blocks = dict(_titled(block) for block in which or ("old",))
    return DecoderBlocks({title: wiring(block) for title, block in blocks.items()}).figure


def _titled(block: str | nn.Module) -> tuple[str, nn.Module]:
    if isinstance(block, nn.Module):
        return type(block).__name__, block
    if not isinstance(block, str):
        raise TypeError(f'Expected "old", "modern" or an nn.Module; got {type(block).__name__}.')
    if block not in KNOWN:
        raise ValueError(f'Expected "old", "modern" or an nn.Module; got "{block[:40]}".')
    return f"the {block} block", KNOWN[block](d_model=8, n_heads=2, d_ff=24)
