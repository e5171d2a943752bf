"""A picture that stands still: sharp, follows the theme, and said in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from matplotlib.figure import Figure

from widgets.explorers.explorer import Explorer


@dataclass(frozen=True)
class _StillPicture:
    """Figures in which nothing moves and nothing is covered."""

    panels: Sequence[Figure]
    moving: tuple[()] = ()
    covers: dict[str, list] = field(default_factory=dict)

    def show(self, steps: None) -> None: ...


class Still(Explorer):
    """Figures side by side where there is room; a sentence under them; the same as lines of text.

    `redraw` draws the figures again, after something in them has changed.
    """

    def __init__(self, figures: Figure | Sequence[Figure], caption: str, text: str) -> None:
        self._figures = [figures] if isinstance(figures, Figure) else list(figures)
        self._caption, self._text = caption, text
        super().__init__()

    def paint(self) -> _StillPicture:
        return _StillPicture(self._figures)

    def steps(self) -> None: ...

    def words(self, steps: None) -> str:
        return self._caption

    def lines(self, steps: None) -> str:
        return self._text


def still(figures: Figure | Sequence[Figure], caption: str, text: str) -> Explorer:
    """One figure or several; a sentence under them, also for screen readers; the same as lines of text."""
    return Still(figures, caption, text)
