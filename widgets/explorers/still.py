"""A picture that stands still: sharp, follows the theme, and said in words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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

    draw: gives the figures; it is asked for them where nobody's settings reach, and by `redraw` once more
    """

    def __init__(self, draw: Callable[[], Sequence[Figure]], caption: str, text: str) -> None:
        self._draw, self._caption, self._text = draw, caption, text
        super().__init__()

    def paint(self) -> _StillPicture:
        return _StillPicture(self._draw())

    def steps(self) -> None: ...

    def words(self, steps: None) -> str:
        return self._caption

    def lines(self, steps: None) -> str:
        return self._text


def still(draw: Callable[[], Sequence[Figure]], caption: str, text: str) -> Explorer:
    """The figures that draw() gives; a sentence under them, also for screen readers; the same as lines of text."""
    return Still(draw, caption, text)
