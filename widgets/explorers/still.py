"""A picture that stands still: sharp, follows the theme, and said in words."""

from __future__ import annotations

from matplotlib.figure import Figure

from widgets.explorers.explorer import Explorer
from widgets.flipbook.flipbook import Flipbook


def still(figure: Figure, caption: str, text: str) -> Explorer:
    """The figure at most at its own size; a sentence under it, also for screen readers; the same as lines of text."""
    explorer = Explorer(Flipbook(figure, label=caption), {}, lambda: text)
    explorer.layout.max_width = f"{round(100 * figure.get_figwidth())}px"
    return explorer
