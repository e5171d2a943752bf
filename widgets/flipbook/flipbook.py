"""A picture that moves in the browser: drawn ahead in the kernel, played by player.js.

The kernel records one reel for each slider: what the picture looks like at all positions of that slider, the others
standing still. Playing a reel needs no kernel. When a slider has come to rest, the browser asks for the reels that no
longer fit, so each slider moves at the screen's own rate. All controls are native inputs in the same view: one widget
is all there is, and a move sends nothing.
"""

from __future__ import annotations

import io
import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import anywidget
import numpy as np
import traitlets
from matplotlib import rc_context
from matplotlib.artist import Artist
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

from widgets.flipbook.controls import Control, Described, Slider
from widgets.flipbook.plain import plain
from widgets.flipbook.recording import Recorder, Reel
from widgets.style import DARK, FAINT, INK, LAYER_NORM, OUTPUT, PAPER, RULE

_HERE = Path(__file__).parent
_SCRIPTS = ("player.js", "canvas.js", "kernel.js", "controls.js", "tools.js", "view.js")
_SAYS = {
    "failed": "The picture could not be drawn: {}",
    "silent": "The kernel does not answer: it is busy or gone. What is here plays on; for more, run this cell again.",
    "moved": "The other controls went back to where the picture was drawn.",
    "needs": "needs JupyterLab",
    "old": "This picture was saved by another version of the course. To move it, run this cell again.",
    "tools": "tools",
    "play": "play",
    "pause": "pause",
    "hide": "hide the answer",
    "reveal": "show the answer",
    "covered": "covered; press to show:",
    "words": "the words",
    "grow": "full window",
    "shrink": "leave full window",
    "svg": "save as SVG",
    "png": "save as PNG",
}
"""All words of the view that do not depend on the picture."""


class Picture(Protocol):
    """What a flipbook shows: one or more figures and the artists in them that `show` moves.

    covers: name of a row -> its rectangles (panel, x, y, width, height), in points from the panel's bottom left; an
    instructor can cover and reveal them.
    """

    panels: Sequence[Figure]
    moving: Sequence[Artist]
    covers: Mapping[str, Sequence[tuple[int, float, float, float, float]]]

    def show(self, steps: object) -> None: ...


def _theme(colours: Mapping[str, str]) -> str:
    return "".join(f"--flipbook-{light[1:]}: {shown}; " for light, shown in colours.items())


# The colours of style.py by the names they have in flipbook.css
_NAMED = {"ink": INK, "faint": FAINT, "rule": RULE, "sheet": PAPER, "accent": LAYER_NORM, "alarm": OUTPUT}


def _style() -> str:
    light = _theme({colour: colour for colour in DARK})
    css = (_HERE / "flipbook.css").read_text(encoding="utf-8")
    for name, colour in _NAMED.items():
        css = css.replace(f"--flipbook-{name})", f"--flipbook-{colour[1:]})")
    return f".flipbook {{ {light}}}\n.flipbook.dark {{ {_theme(DARK)}}}\n{css}"


def _module() -> str:
    """One module of JavaScript. What runs in a thread of its own is a text in it: its page may not fetch anything."""
    texts = [(_HERE / name).read_text(encoding="utf-8") for name in _SCRIPTS]
    return "\n".join([f"const PAINTER = {json.dumps((_HERE / 'painter.js').read_text(encoding='utf-8'))};", *texts])


class Flipbook(anywidget.AnyWidget):
    """A picture and its controls, as one view that plays in the browser.

    paint() gives the picture, whose panels are drawn once but for what moves; `redraw` asks for another one.
    show(**positions of all sliders) moves the picture and returns its state in words.
    controls: name -> a control; each name becomes a trait with the control's value.
    presets: label -> the values that a button of this name sets; the first one is always "reset".
    `lock` is held while anything is drawn: callbacks run in a thread of their own.

    Raises ValueError when the recording would be wrong: positions that do not rise, an artist that moves without being
    listed in `moving`, a recording too large to send.
    """

    # Text, not Path: anywidget watches a file for changes and never lets go of a widget made from one.
    _esm = _module()
    _css = _style()

    stages = traitlets.List().tag(sync=True)
    controls = traitlets.List().tag(sync=True)
    presets = traitlets.List().tag(sync=True)
    covers = traitlets.List().tag(sync=True)
    shape = traitlets.Dict().tag(sync=True)
    said = traitlets.Unicode().tag(sync=True)
    problem = traitlets.Unicode().tag(sync=True)
    title = traitlets.Unicode("picture").tag(sync=True)
    says = traitlets.Dict(_SAYS).tag(sync=True)

    def __init__(
        self,
        paint: Callable[[], Picture],
        show: Callable[..., str],
        controls: Mapping[str, Control] | None = None,
        presets: Mapping[str, Mapping[str, Any]] | None = None,
        title: str = "picture",
    ) -> None:
        self.lock, self._failing = threading.RLock(), False
        self._paint, self._show = paint, show
        self.picture: Picture = None  # type: ignore[assignment]  # until _drawn, below
        self._recorder: Recorder = None  # type: ignore[assignment]
        self._control = dict(controls or {})
        self.positions = {n: list(c.positions) for n, c in self._control.items() if isinstance(c, Slider)}
        traits = {name: control.trait() for name, control in self._control.items()}
        traits |= {f"{name}_reel": traitlets.Dict() for name in self.positions}
        self.add_traits(**{name: trait.tag(sync=True) for name, trait in traits.items()})
        described = [self._described(name, control) for name, control in self._control.items()]
        buttons = self._buttons(presets or {})
        start = {name: getattr(self, name) for name in self.positions}
        super().__init__(title=title, controls=described, presets=buttons, **self._drawn(start))
        self.on_msg(self._answer)

    @staticmethod
    def _described(name: str, control: Control) -> Described:
        described: Any = {"kind": control.kind, "name": name, "label": control.label, "shown": True}
        return described | control.described()

    def _buttons(self, presets: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
        """The presets as buttons, after one that sets everything back; a slider's value is one of its positions."""
        if not self._control:
            return []
        start = {name: getattr(self, name) for name in self._control}
        buttons = []
        for label, values in {"reset": start, **presets}.items():
            taken = {n: self.snapped({n: v})[n] if n in self.positions else v for n, v in values.items()}
            buttons.append({"label": label, "set": taken})
        return buttons

    @property
    def values(self) -> dict[str, float]:
        """Where the sliders stand."""
        return {name: getattr(self, name) for name in self.positions}

    def snapped(self, values: Mapping[str, float]) -> dict[str, float]:
        """The recorded positions nearest to these values."""
        return {name: self.traits()[name].validate(self, value) for name, value in values.items()}

    def relabel(self, name: str, label: str | None = None, shown: bool | None = None) -> None:
        """Gives a control another label, or hides or shows it."""
        changed = {key: value for key, value in {"label": label, "shown": shown}.items() if value is not None}
        self.controls = [{**control, **changed} if control["name"] == name else control for control in self.controls]

    def redraw(self, **sliders: float) -> None:
        """Paints another picture, some sliders moved with it; when that fails, the last one stays.

        The present position goes first, then the reel of the first slider; the browser asks for the others.
        """
        with self.lock:
            here = self.values | self.snapped(sliders)
            first = next(iter(self.positions), None)
            drawn = self._drawn(here, [here[first]] if first else None)
            with self.hold_sync():
                for name, value in {**here, **drawn}.items():
                    setattr(self, name, value)
            if first is not None:
                setattr(self, f"{first}_reel", self._record(first, here))

    def _drawn(self, here: dict[str, float], along: list[float] | None = None) -> dict[str, Any]:
        """Paints a picture and gives the traits that show it: the first slider has a reel, `along` its positions."""
        before = self.picture, self._recorder
        try:
            with plain():
                self.picture = self._paint()
                self._recorder = Recorder(self.picture.panels, self.picture.moving)
                words = self._show(**here)
                stages = self._recorder.stages()
            reels: dict[str, Any] = {f"{name}_reel": {} for name in self.positions}
            for name in list(self.positions)[:1]:
                reels[f"{name}_reel"] = self._record(name, here, along)
        except BaseException:
            self.picture, self._recorder = before
            raise
        return {
            "stages": stages,
            "said": words,
            "covers": _covers(self.picture),
            "shape": _shape(self.picture),
            **reels,
        }

    def _record(self, name: str, values: dict[str, float], along: list[float] | None = None) -> Reel:
        """One reel: `name` takes the positions `along`, the other sliders stand still at `values`."""
        at = {other: value for other, value in values.items() if other != name}
        with plain():
            return self._recorder.record(
                lambda positions: self._through([{**at, name: position} for position in positions]),
                along or self.positions[name],
                at,
            )

    def _through(self, places: Sequence[Mapping[str, float]]) -> Iterator[str]:
        """Shows the picture at each of these places of all sliders in turn; gives its words there."""
        return (self._show(**at) for at in places)

    def recorded(self, places: Sequence[Mapping[str, float]]) -> Reel:
        """What the picture looks like at each of these places of all sliders, as one long reel; nothing changes."""
        with self.lock, plain():
            numbers = range(len(places))
            return self._recorder.record(lambda _: self._through(places), numbers, {}, largest=None)

    def png(self) -> bytes:
        """The picture as it stands, panels side by side, in 64 colours, for readers without widgets."""
        with self.lock, plain(), rc_context({"text.hinting": "none"}):  # letters as wide as in the browser
            self._show(**self.values)
            drawn = [_pixels(figure) for figure in self._recorder.figures]
        paper = Image.new("RGB", (sum(one.width for one in drawn), max(one.height for one in drawn)), PAPER)
        left, file = 0, io.BytesIO()
        for one in drawn:
            paper.paste(one, (left, 0), mask=one)
            left += one.width
        paper.quantize(64, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(file, "png")
        return file.getvalue()

    def _answer(self, _: object, message: dict, __: object) -> None:
        """What the browser asks; it waits for {"answered": id}, whatever comes of it.

        {"id", "record": a slider, "at": where all sliders stand, "now": whether no reel fits} asks for a reel.
        {"id"} alone asks whether anybody is there: what was set before is then done.
        """
        try:
            if "record" in message:
                with self.saying_what_fails(), self.lock:
                    self._renew(message["record"], self.snapped(message["at"]), bool(message.get("now")))
        finally:
            self.send({"answered": message.get("id")})

    def _renew(self, name: str, values: dict[str, float], now: bool) -> None:
        reel = getattr(self, f"{name}_reel")
        if not reel or reel["along"] != self.positions[name] or any(values[n] != v for n, v in reel["at"].items()):
            if now:
                setattr(self, f"{name}_reel", self._record(name, values, [values[name]]))
            setattr(self, f"{name}_reel", self._record(name, values))

    @contextmanager
    def saying_what_fails(self) -> Iterator[None]:
        """Says an error of the block above the picture: an error in a callback is seen nowhere else."""
        try:
            yield
        except Exception as error:
            self.problem, self._failing = _SAYS["failed"].format(error), True
            raise
        if self._failing:
            self.problem, self._failing = "", False

    def close(self) -> None:
        """Closes the view, its layout included, so that no model is left behind."""
        self.layout.close()
        super().close()


def _covers(picture: Picture) -> list[dict[str, Any]]:
    """The rows that can be covered, each rectangle in per cent of its panel: [panel, left, top, width, height]."""
    rows = []
    for name, boxes in picture.covers.items():
        parts = []
        for panel, x, y, width, height in boxes:
            across, up = (72 * inches for inches in picture.panels[panel].get_size_inches())
            shares = (x / across, 1 - (y + height) / up, width / across, height / up)
            parts.append([panel, *(round(100 * float(share), 2) for share in shares)])
        rows.append({"name": name, "boxes": parts})
    return rows


def _shape(picture: Picture) -> dict[str, float]:
    """The panels together, in points: side by side, and one below the other."""
    widths, heights = zip(*(72 * figure.get_size_inches() for figure in picture.panels), strict=True)
    sizes = {"across": sum(widths), "tallest": max(heights), "widest": max(widths), "down": sum(heights)}
    return {name: float(size) for name, size in sizes.items()}


def _pixels(figure: Figure) -> Image.Image:
    figure.set_dpi(96)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    drawn = Image.fromarray(np.asarray(canvas.buffer_rgba()))
    figure.set_dpi(72)
    return drawn
