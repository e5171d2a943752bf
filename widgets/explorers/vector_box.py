"""A text box for the learner's own vector."""

from __future__ import annotations

import re
from collections.abc import Callable

from ipywidgets import Text
from torch import Tensor

from widgets.maths.vectors import as_vector

EXAMPLE = (2.0, -1.0, 0.5, 3.0, -0.5, 1.0)


def parse_vector(text: str) -> Tensor:
    """The numbers in a line such as "2, -1 0.5" or "[2, -1, 0.5]".

    text -> (d,) float64, 2 to 12 numbers separated by commas or spaces, in brackets or not
    Raises ValueError in a sentence that says what was expected and what came.
    """
    inside = re.fullmatch(r"\s*[\[(]?([^\[\]()]*)[\])]?\s*", text)
    words = [word for word in re.split(r"[,\s]+", (inside[1] if inside else text).replace("−", "-")) if word]
    for word in words:
        if not re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", word):
            raise ValueError(f"Expected 2 to 12 numbers separated by commas or spaces; {word[:40]!r} is not a number.")
    return as_vector([float(word) for word in words])


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
