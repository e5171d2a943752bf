"""A matplotlib figure that moves in the browser: drawn ahead in the kernel, played by flipbook.js.

The kernel records one reel for each slider: what the figure looks like at all positions of that slider, the others
standing still. Playing a reel needs no kernel. When another slider has come to rest, the browser asks for the reels
that no longer fit, so each slider moves at the screen's own rate.
"""

from __future__ import annotations

import io
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import anywidget
import numpy as np
import traitlets
from matplotlib.artist import Artist
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

from widgets.flipbook.recording import record
from widgets.flipbook.svg import Renderer, draw_stage
from widgets.style import DARK, PAPER

_HERE = Path(__file__).parent
FAILED = "The picture could not be drawn"


def _dark_theme() -> str:
    twins = "".join(f"--flipbook-{light[1:]}: {dark}; " for light, dark in DARK.items())
    return f'[data-jp-theme-light="false"] .flipbook, .vscode-dark .flipbook {{ {twins}}}\n'


class Flipbook(anywidget.AnyWidget):
    """A figure and the artists that move, as one SVG that follows sliders in the browser.

    figure: drawn once, at 72 dots an inch; moving: the artists that `show` changes.
    sliders: name -> its positions, in rising order. Each name becomes a trait (a float) to link a slider to.
    start: name -> the position to begin with. show(**values) moves the artists and returns the state in words.
    A figure with nothing that moves takes `label`, its words, alone. `lock` is held while anything is drawn: callbacks
    run in a thread of their own.

    Raises ValueError when the recording would be wrong: no positions, positions that do not rise, an artist that moves
    without being listed in `moving`, a recording too large to send.
    """

    _esm = _HERE / "flipbook.js"
    _css = (_HERE / "flipbook.css").read_text(encoding="utf-8") + _dark_theme()

    stage = traitlets.Unicode().tag(sync=True)
    positions = traitlets.Dict().tag(sync=True)
    label = traitlets.Unicode().tag(sync=True)
    problem = traitlets.Unicode().tag(sync=True)

    def __init__(
        self,
        figure: Figure,
        show: Callable[..., str] | None = None,
        moving: Sequence[Artist] = (),
        sliders: Mapping[str, Sequence[float]] | None = None,
        start: Mapping[str, float] | None = None,
        label: str = "",
    ) -> None:
        positions = {name: _rising(name, values) for name, values in (sliders or {}).items()}
        self.lock = threading.RLock()
        super().__init__(positions=positions, label=label)
        self.add_traits(**{name: traitlets.Float().tag(sync=True) for name in positions})
        self.add_traits(**{f"{name}_reel": traitlets.Dict().tag(sync=True) for name in positions})
        for name, values in positions.items():
            setattr(self, name, self._nearest(name, (start or {}).get(name, values[0])))
        self.draw(figure, show or (lambda: label), moving, self.values)
        self.on_msg(self._answer)

    @property
    def values(self) -> dict[str, float]:
        """Where the sliders stand, each at the nearest recorded position."""
        return self.snapped({name: getattr(self, name) for name in self.positions})

    def draw(
        self, figure: Figure, show: Callable[..., str], moving: Sequence[Artist], values: Mapping[str, float]
    ) -> None:
        """Takes another figure, with the sliders at `values`.

        The present picture goes first where one was shown before, then the reel of the first slider; the browser asks
        for the others.
        """
        with self.lock:
            figure.set_dpi(72)
            self._figure, self._show, self._moving = figure, show, list(moving)
            self._renderer = Renderer(figure)
            here = self.snapped(values)
            show(**here)
            stage = draw_stage(figure, self._moving, self._renderer)
            first = next(iter(self.positions), None)
            watched = bool(self.stage)  # nobody waits for the first picture of all
            with self.hold_sync():
                self.stage = stage
                for name, value in here.items():
                    setattr(self, name, value)
                for name in self.positions:
                    self._set_reel(name, self._record(name, here, [here[name]]) if watched and name == first else {})
            if first is not None:
                self._set_reel(first, self._record(first, here))

    def png(self, values: Mapping[str, float]) -> bytes:
        """The picture with the sliders at `values`, in 64 colours, for readers without widgets."""
        with self.lock:
            self._show(**self.snapped(values))
            self._figure.set_dpi(96)
            canvas = FigureCanvasAgg(self._figure)
            canvas.draw()
            drawn = Image.fromarray(np.asarray(canvas.buffer_rgba()))
            self._figure.set_dpi(72)
        paper, file = Image.new("RGB", drawn.size, PAPER), io.BytesIO()
        paper.paste(drawn, mask=drawn)
        paper.quantize(64, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(file, "png")
        return file.getvalue()

    def _nearest(self, name: str, value: float) -> float:
        return min(self.positions[name], key=lambda position: abs(position - value))

    def snapped(self, values: Mapping[str, float]) -> dict[str, float]:
        """The recorded positions nearest to these values."""
        return {name: self._nearest(name, values[name]) for name in self.positions}

    def _set_reel(self, name: str, reel: dict[str, object]) -> None:
        setattr(self, f"{name}_reel", reel)

    def _record(self, name: str, values: dict[str, float], along: list[float] | None = None) -> dict[str, object]:
        """One reel: `name` takes the positions `along`, the other sliders stand still at `values`."""
        along = along or self.positions[name]
        at = {other: value for other, value in values.items() if other != name}
        reel = record(
            self._figure,
            self._moving,
            lambda k: self._show(**at, **{name: along[k]}),
            len(along),
            self._renderer,
        )
        return {"at": at, "along": along, **reel}

    def _answer(self, _: object, message: dict, __: object) -> None:
        """The browser asks for a reel: {"record": its slider, "at": where all sliders stand, "now": no reel fits}."""
        with self.saying_what_fails(), self.lock:
            name, values = message["record"], self.snapped(message["at"])
            reel = getattr(self, f"{name}_reel")
            if not reel or any(value != values[other] for other, value in reel["at"].items()):
                if message.get("now"):
                    self._set_reel(name, self._record(name, values, [values[name]]))
                self._set_reel(name, self._record(name, values))

    @contextmanager
    def saying_what_fails(self) -> Iterator[None]:
        """Says an error of the block above the picture: an error in a callback is seen nowhere else."""
        try:
            yield
        except Exception as error:
            self.problem = f"{FAILED}: {error}"
            raise
        if self.problem.startswith(FAILED):
            self.problem = ""


def _rising(name: str, values: Sequence[float]) -> list[float]:
    positions = [float(value) for value in values]
    falls = next((f"{b} after {a}" for a, b in pairwise(positions) if not a < b), "" if positions else "none")
    if falls:
        raise ValueError(f"Expected the positions of {name!r} to rise from the first to the last; got {falls}.")
    return positions
