"""What all explorers share: controls above a flipbook, the same numbers as text, and an end to their predecessors."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping, Sequence

from IPython import get_ipython
from ipywidgets import Box, FloatLogSlider, FloatSlider, HBox, VBox, Widget, jsdlink
from matplotlib.artist import Artist
from matplotlib.figure import Figure
from torch import no_grad

from widgets.flipbook.flipbook import Flipbook

Slider = FloatSlider | FloatLogSlider


class Explorer(VBox):
    """Controls, a flipbook that the sliders drive in the browser, and its state as text.

    sliders: name in the flipbook -> the slider that drives it. lines(**values) gives the present state as a few
    aligned lines of numbers, for readers without widgets and for nbval. further: controls that are not sliders.
    A picture that stands still has no controls at all.
    """

    _links: Sequence[Widget] = ()  # one whose flipbook refused to be made is closed as well

    def __init__(
        self,
        flipbook: Flipbook,
        sliders: Mapping[str, Slider],
        lines: Callable[..., str],
        further: tuple[Widget, ...] = (),
    ) -> None:
        self.flipbook, self.sliders, self._lines = flipbook, dict(sliders), lines
        for name, value in flipbook.values.items():
            if sliders[name].value != value:
                sliders[name].value = value  # the position that the picture shows
        self._links = [jsdlink((slider, "value"), (flipbook, name)) for name, slider in sliders.items()]
        for control in (*sliders.values(), *further):
            control.style.description_width = "initial"
            control.layout.margin = "2px 18px 2px 0"
        for slider in sliders.values():
            slider.layout.width = "min(100%, 440px)"
        rows: list[Widget] = [*sliders.values(), *further]
        if rows:
            rows[0].layout.width = "min(100%, 640px)"
            rows[1:] = [HBox(rows[1:], layout={"flex_flow": "row wrap"})] if rows[1:] else []
        super().__init__([*rows, flipbook], layout={"max_width": "1500px"})
        close_predecessors(self)

    @property
    def values(self) -> dict[str, float]:
        """Where the sliders stand."""
        return {name: slider.value for name, slider in self.sliders.items()}

    def draw(self, figure: Figure, show: Callable[..., str], moving: Sequence[Artist], **values: float) -> None:
        """Takes another picture, after a control that is no slider has changed; `values` moves sliders with it."""
        with no_grad(), self.flipbook.saying_what_fails():
            self.flipbook.draw(figure, show, moving, {**self.values, **values})
        for name, value in values.items():
            self.sliders[name].value = value

    def refuse(self, reason: str) -> None:
        """Says above the picture why an input was not taken; an empty reason takes it back."""
        self.flipbook.problem = f"{reason} The picture keeps the last good input." if reason else ""

    def close(self) -> None:
        """Closes the explorer with all its controls, links and styles, so that no model is left behind."""
        for link in self._links:
            link.close()
        close_below(self)

    def _repr_mimebundle_(self, **kwargs: object) -> dict[str, object]:
        bundle = super()._repr_mimebundle_(**kwargs)
        bundle["image/png"] = base64.b64encode(self.flipbook.png(self.values)).decode()
        bundle["text/plain"] = repr(self)
        return bundle

    def __repr__(self) -> str:
        with no_grad():
            return self._lines(**self.flipbook.snapped(self.values))


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
        widgets = []
    _made[cell] = (run, [*widgets, widget])


def _present_cell(shell: object) -> str:
    """The cell's id where the front end sends it, else the text of the cell."""
    parent = shell.get_parent() if hasattr(shell, "get_parent") else {}
    return parent.get("metadata", {}).get("cellId") or shell.user_ns.get("In", [""])[-1]
