"""The skeleton of SwiGLU beside the two-layer network: a diagram drawn from the dimensions."""

from __future__ import annotations

from functools import partial

from widgets.explorers.explorer import Explorer
from widgets.explorers.still import still
from widgets.maths.budget import Ledger, gated_budget, matched_d_ff, relu_budget
from widgets.pictures.skeleton import skeleton_figures


def skeleton(d_model: int = 512, d_ff: int | None = None, relu_d_ff: int | None = None) -> Explorer:
    """SwiGLU and the two-layer ReLU network side by side, every matrix with its shape and drawn to one scale.

    relu_d_ff: the two-layer network's width, 4 d_model unless given; d_ff: SwiGLU's, two thirds of that unless given
    Raises TypeError or ValueError in a sentence when one of them is no whole number, or the layer is too large.
    """
    relu = relu_budget(d_model, relu_d_ff)
    gated = gated_budget(d_model, matched_d_ff(relu.d_ff) if d_ff is None else d_ff)
    text = "\n".join(
        [
            f"ReLU    up ({relu.d_ff}, {d_model}), down ({d_model}, {relu.d_ff}): {relu.parameters:,} parameters",
            f"SwiGLU  gate ({gated.d_ff}, {d_model}), up ({gated.d_ff}, {d_model}), "
            f"down ({d_model}, {gated.d_ff}): {gated.parameters:,} parameters",
        ]
    )
    label = "Every matrix with the shape of its weight. " + ". ".join(
        " ".join(line.split()) for line in text.splitlines()
    )
    return still(partial(skeleton_figures, Ledger(relu, gated)), f"{label}.", text)
