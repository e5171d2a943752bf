"""A bar for what takes longer than a second."""

from __future__ import annotations

from types import TracebackType

from IPython.display import display
from ipywidgets import FloatProgress, HBox, Label, VBox, Widget

from widgets.explorers.explorer import close_below, close_predecessors


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
        return self

    def __exit__(self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None) -> None:
        if kind is not None:
            self._bar.bar_style = "danger"
        first, *below = self.children
        self.children = [first]
        for widget in below:
            close_below(widget)

    def __call__(self, done: float, words: str) -> None:
        """done: from 0 to 1."""
        self._bar.value, self._words.value = done, words

    def close(self) -> None:
        """Closes the bar with its words, so that no model is left behind."""
        close_below(self)

    def __repr__(self) -> str:
        return self._words.value

    def _repr_mimebundle_(self, **kwargs: object) -> dict[str, object]:
        return {**super()._repr_mimebundle_(**kwargs), "text/plain": repr(self)}
