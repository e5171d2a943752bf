"""A text box for the learner's own vector."""

from __future__ import annotations

from collections.abc import Callable

from ipywidgets import Text
from torch import Tensor

from widgets.inputs import parse_vector

EXAMPLE = (2.0, -1.0, 0.5, 3.0, -0.5, 1.0)


def vector_box(x: Tensor, take: Callable[[Tensor], None], refuse: Callable[[str], None]) -> Text:
    """A box that shows x; hands what is typed to take(vector), or to refuse(sentence) and leaves it there."""
    text = ", ".join(f"{number:.12g}" for number in x.tolist())
    box = Text(value=text, description="your own x₀", continuous_update=False, layout={"width": "330px"})

    def changed(change: dict) -> None:
        try:
            vector = parse_vector(change["new"])
        except ValueError as problem:
            refuse(str(problem))
            return
        refuse("")
        take(vector)

    box.observe(changed, "value")
    return box
