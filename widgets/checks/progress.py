"""Which exercises of a notebook are done, as far as this kernel knows."""

from __future__ import annotations

import os
from pathlib import Path

_NORM = ("rms", "rms_norm", "RMSNorm", "works", "layer_norm_from_rms_norm", "rms_norm_backward")
_BUGS = tuple(f"mended_{number}" for number in range(1, 7))
_GATE = ("swish", "SwiGLU", "matched_d_ff", "llama_d_ff", "glu", *_BUGS, "FusedSwiGLU")
NOTEBOOKS = (_NORM, _GATE)
LABELS = {
    **{name: str(at) for at, name in enumerate(_NORM, start=1)},
    **{name: str(at) for at, name in enumerate((*_GATE[:5], "the bugs", "FusedSwiGLU"), start=1)},
    **{name: f"bug {name[-1]}" for name in _BUGS},
    "layer_norm": "LayerNorm",  # of lesson 01
}

_done: set[str] = set()


def record(exercise: str, passed: bool) -> str:
    """Note how an exercise went; what is done in its notebook now, and what is next, in one line, or "" for nothing.

    Where the server tells the notebook's name, a lesson says nothing: it has one or two of an exercise's tasks.
    """
    (_done.add if passed else _done.discard)(exercise)
    notebook = Path(os.environ.get("JPY_SESSION_NAME", "")).stem
    if notebook and "exercise" not in notebook:
        return ""
    names = next((one for one in NOTEBOOKS if exercise in one), ())
    done = [name for name in names if name in _done]
    if not done:
        return ""
    left = [LABELS[name] for name in names if name not in _done]
    then = f"Next: {left[0]}." if left else "That was all of this notebook."
    return f"{len(done)} of {len(names)} done: {', '.join(LABELS[name] for name in done)}. {then}"
