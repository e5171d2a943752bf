"""What all explorers share: a picture with its controls, its words, its numbers as text, an end to predecessors."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from IPython import get_ipython
from ipywidgets import Box, Widget
from torch import no_grad

from widgets.flipbook.controls import Control
from widgets.flipbook.flipbook import Flipbook, Picture


class Explorer(Flipbook):
    """A picture, the controls that move it, and its state as words and as lines of numbers.

    A subclass keeps its input in attributes, calls super().__init__ with its controls and presets, and says

        paint()         a new picture for the present values of its checkboxes, lists and text boxes
        steps(**at)     what is computed when the sliders, by name, stand at these positions
        along(places)   the same at many places, where the maths computes them in one go
        words(steps)    the sentence under the picture
        lines(steps)    the same as a few aligned lines of numbers, for readers without widgets and for nbval
        take(name)      what another value of a control that is no slider means; gives the sliders that move with it

    Each control's value is an attribute (and a trait) of its name.
    follows: the controls that it sets itself after others have moved; a page without a kernel leaves them out
    """

    follows: Sequence[str] = ()

    def __init__(
        self, controls: Mapping[str, Control] | None = None, presets: Mapping[str, Mapping[str, Any]] | None = None
    ) -> None:
        self._taking = False
        with no_grad():
            super().__init__(self.paint, self._at, controls, presets, type(self).__module__.rpartition(".")[2])
        others = [name for name in self._control if name not in self.positions]
        if others:
            self.observe(self._changed, others)
        close_predecessors(self)

    def paint(self) -> Picture:
        """A new picture for the present values of all controls that are no sliders."""
        raise NotImplementedError

    def steps(self, **at: float) -> Any:
        """What is computed when the sliders stand at these positions."""
        raise NotImplementedError

    def words(self, steps: Any) -> str:
        """The state in a sentence."""
        raise NotImplementedError

    def lines(self, steps: Any) -> str:
        """The state as a few aligned lines of numbers."""
        raise NotImplementedError

    def take(self, name: str) -> Mapping[str, float] | None:
        """Takes another value of a control that is no slider; gives the sliders that move with it.

        None when nothing is to be drawn. Controls that it sets itself are not taken again.
        Raises TypeError or ValueError in a sentence for a value that cannot be taken; nothing has changed then.
        """
        return {}

    def along(self, places: Sequence[Mapping[str, float]]) -> Iterable[Any]:
        """The steps at each of these places, as `steps` gives them; a subclass may compute them in one go."""
        return [self.steps(**at) for at in places]

    @no_grad()
    def _at(self, **at: float) -> str:
        """Moves the picture to these positions; gives the words."""
        return self._shown(self.steps(**at))

    def _through(self, places: Sequence[Mapping[str, float]]) -> Iterator[str]:
        with no_grad():
            every = self.along(places)
        return map(self._shown, every)

    @no_grad()
    def _shown(self, steps: Any) -> str:
        self.picture.show(steps)
        return self.words(steps)

    def _changed(self, change: Mapping[str, Any]) -> None:
        with self.lock:
            if not self._taking:
                self._taking = True
                try:
                    self._take(change["name"])
                finally:
                    self._taking = False

    def _take(self, name: str) -> None:
        try:
            sliders = self.take(name)
        except (TypeError, ValueError) as reason:
            self.problem = f"{reason} The picture keeps the last good input."
            return
        self.problem = ""
        if sliders is not None:
            with no_grad(), self.saying_what_fails():
                self.redraw(**sliders)

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        data, metadata = super()._repr_mimebundle_(**kwargs)  # type: ignore[misc]
        data["image/png"] = base64.b64encode(self.png()).decode()
        data["text/plain"] = repr(self)
        return data, {**metadata, "image/png": {"alt": self._at(**self.values)}}

    def __repr__(self) -> str:
        with no_grad():
            return self.lines(self.steps(**self.values))


def close_below(widget: Widget) -> None:
    """Closes a widget with everything in it, layouts and styles too."""
    for child in getattr(widget, "children", ()):
        close_below(child)
    for part in ("layout", "style"):
        if isinstance(getattr(widget, part, None), Widget):
            getattr(widget, part).close()
    if isinstance(widget, Box):
        Box.close(widget)  # not widget.close(), which may be what called this
    else:
        widget.close()


_made: dict[str, tuple[int, list[Widget]]] = {}  # cell -> (its execution count, the widgets it made in that run)


def close_predecessors(widget: Widget) -> None:
    """Closes what earlier runs of the same cell made, and remembers the new widget."""
    shell = get_ipython()
    if shell is None:
        return
    cell, run = _present_cell(shell), shell.execution_count
    last_run, widgets = _made.get(cell, (run, []))
    if last_run != run:
        for old in widgets:
            old.close()
            _forget(shell, old)
        widgets = []
    _made[cell] = (run, [*widgets, widget])


def _forget(shell: Any, old: Widget) -> None:
    """Takes a closed widget out of Out and its names such as _7; it stays where a person has named it."""
    out = shell.user_ns.get("Out", {})
    for count in [count for count, result in out.items() if result is old]:
        del out[count]
        shell.drop_by_id({f"_{count}": old})


def living() -> list[Widget]:
    """The explorers and questions that this kernel's cells have made and that are still there."""
    return [widget for _, widgets in _made.values() for widget in widgets if widget.comm is not None]


def _present_cell(shell: Any) -> str:
    """The cell's id where the front end sends it, else the text of the cell."""
    parent = shell.get_parent() if hasattr(shell, "get_parent") else {}
    return parent.get("metadata", {}).get("cellId") or shell.user_ns.get("In", [""])[-1]
