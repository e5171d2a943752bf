"""A bar for what takes longer than a second, with the time that is left."""

from __future__ import annotations

import time
from types import TracebackType

from IPython.display import display
from ipywidgets import FloatProgress, HBox, Label, VBox, Widget

from widgets.explorers.explorer import close_below, close_predecessors

SOON = 2.0  # seconds after which the time left can be told


class Progress(VBox):
    """A bar with words beside it, shown while a `with` block runs; it stays afterwards, with its last words.

    below: what is shown under the bar as long as the block runs
    """

    def __init__(self, words: str, *below: Widget) -> None:
        self._bar, self._words = FloatProgress(0.0, min=0.0, max=1.0), Label(words)
        super().__init__([HBox([self._bar, self._words]), *below])
        close_predecessors(self)

    def __enter__(self) -> Progress:
        display(self)
        self._since = time.monotonic()
        return self

    def __exit__(self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None) -> None:
        if kind is not None:
            self._bar.bar_style = "danger"
        first, *below = self.children  # type: ignore[has-type]
        self.children = [first]
        for widget in below:
            close_below(widget)

    def __call__(self, done: float, words: str) -> None:
        """done: from 0 to 1, in equal parts of the time; as soon as it can be told, the time left is said."""
        passed = time.monotonic() - self._since
        left = passed * (1 - done) / done if done else 0.0
        told = f"; {_roughly(left)} left" if passed > SOON and 0 < done < 1 else ""
        self._bar.value, self._words.value = done, words + told

    def close(self) -> None:
        """Closes the bar with its words, so that no model is left behind."""
        close_below(self)

    def __repr__(self) -> str:
        return self._words.value

    def _repr_mimebundle_(self, **kwargs: object) -> dict[str, object]:
        return {**super()._repr_mimebundle_(**kwargs), "text/plain": repr(self)}


def _roughly(seconds: float) -> str:
    """A time that nobody would set a clock by: seconds in fives, then minutes."""
    if seconds < 60:
        return f"about {max(5, 5 * round(seconds / 5))} s"
    return f"about {round(seconds / 60)} min"
