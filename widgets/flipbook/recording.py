"""Recording a figure: for each slider position, what its moving artists look like, as columns of values.

Every mark is drawn by matplotlib. What stays the same is kept once; what differs from position to position becomes a
column. Bars and texts come by the dozen, so for these two matplotlib draws each look only once and their places at all
positions are transformed together; a test compares that with real drawing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypedDict

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import Collection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle
from matplotlib.text import Text
from matplotlib.transforms import Transform

from widgets.flipbook.svg import Node, Renderer, capture, coordinate, draw_stage

LARGEST = 3_000_000  # characters in one recording

# One artist over all positions: its variants (element trees of the same build) and, in each, the values that differ.

Column = list[str] | list[float]  # one value per position; numbers are coordinates, to a hundredth of a point
Parts = list[str | Column]  # an attribute: fixed text and columns, to be joined


@dataclass
class Build:
    """The positions at which an artist has elements of one build, and what stands in them there."""

    nodes: list[Node]
    at: list[int] = field(default_factory=list)
    values: list[list[str]] = field(default_factory=list)


@dataclass
class Look:
    """The positions at which an artist has one look, and its places there, to be transformed together."""

    key: tuple
    nodes: list[Node]
    transform: Transform
    at: list[int] = field(default_factory=list)
    places: list[tuple] = field(default_factory=list)


@dataclass
class Variant:
    """The positions at which an artist has elements of one build, and those elements."""

    nodes: list[Node]
    at: list[int] = field(default_factory=list)
    tracks: list[tuple[Node, str, Parts]] = field(default_factory=list)  # (element, attribute or "", parts)


class Drawn:
    """An artist that matplotlib draws, anew wherever `show` has touched it."""

    def __init__(self, artist: Artist, renderer: Renderer) -> None:
        self.artist, self.renderer = artist, renderer
        # These mark themselves stale whenever they change; an Annotation, say, does not when its `xy` is set.
        self.reliable = isinstance(artist, Line2D | Patch | Collection)
        self.builds: dict[tuple, Build] = {}
        self.last: tuple[tuple, Build, list[str]] | None = None  # (limits, build, leaves)

    def note(self, position: int, limits: tuple = ()) -> None:
        if self.last is None or self.artist.stale or not self.reliable or self.last[0] != limits:
            self.last = (limits, *self.draw())
        _, build, leaves = self.last
        build.at.append(position)
        build.values.append(leaves)

    def draw(self) -> tuple[Build, list[str]]:
        nodes = capture(self.artist, self.renderer)
        every = [node for top in nodes for node in top.walk()]
        key = tuple((node.tag, len(node.children), *node.attributes) for node in every)
        build = self.builds.setdefault(key, Build(nodes))
        return build, [leaf for node in every for leaf in (*node.attributes.values(), node.text)]

    def variants(self) -> list[Variant]:
        return [_variant(build) for build in self.builds.values()]


def _variant(build: Build) -> Variant:
    variant = Variant(build.nodes, build.at)
    columns = iter(zip(*build.values, strict=True))
    for node in (node for top in build.nodes for node in top.walk()):
        for name in (*node.attributes, ""):
            column = next(columns)
            if len(set(column)) > 1:
                variant.tracks.append((node, name, split(column)))
    return variant


def split(values: Sequence[str]) -> Parts:
    """Texts as fixed words and columns of the words that differ; one column where the words do not line up."""
    rows = [value.split(" ") for value in values]
    if len({len(row) for row in rows}) > 1:
        return [list(values)]
    parts: Parts = []
    for word, *others in zip(*rows, strict=True):
        parts += [[word, *others], " "] if any(other != word for other in others) else [word + " "]
    return _joined([*parts[:-1], parts[-1].rstrip(" ")] if isinstance(parts[-1], str) else parts)


def _joined(parts: Parts) -> Parts:
    out: Parts = []
    for part in parts:
        if isinstance(part, str) and out and isinstance(out[-1], str):
            out[-1] += part
        elif part != "":
            out.append(part)
    return out


class _Placed:
    """Bars and texts: matplotlib draws each look once; their places are transformed together at the end."""

    def __init__(self, artist: Any, renderer: Renderer) -> None:
        self.artist, self.renderer = artist, renderer
        self.drawn = Drawn(artist, renderer)  # for the positions at which the artist is not a plain one
        self.looks: dict[tuple, Look] = {}
        self.last: tuple[tuple, Look | None, tuple] | None = None  # (limits, look, place)

    def note(self, position: int, limits: tuple = ()) -> None:
        if self.last is None or self.artist.stale or self.last[0] != limits:
            self.last = (limits, self._present(limits), self.place())
            self.artist.stale = False
        _, look, place = self.last
        if look is None:
            self.artist.stale = True
            self.drawn.note(position, limits)
        else:
            look.at.append(position)
            look.places.append(place)

    def _present(self, limits: tuple) -> Look | None:
        """How the artist looks now; drawn by matplotlib when it has never looked so."""
        look = self.look()
        if look is None:
            return None
        key = (*look, *limits)
        last = self.last and self.last[1]
        if last and last.key == key:
            return last
        if key not in self.looks:
            self.looks[key] = Look(key, capture(self.artist, self.renderer), self.transform().frozen())
        return self.looks[key]

    def variants(self) -> list[Variant]:
        return self.drawn.variants() + [self._variant(look) for look in self.looks.values()]

    def _variant(self, look: Look) -> Variant:
        nodes, at = look.nodes, look.at
        node = next(node for top in nodes for node in top.walk() if node.tag == self.tag)
        tracks = [(node, name, parts) for name, parts in self.tracks(look.transform, look.places)]
        moving = [(node, name, parts) for node, name, parts in tracks if any(isinstance(part, list) for part in parts)]
        return Variant(nodes, at, moving)

    def points(self, transform: Transform, x: Sequence[float], y: Sequence[float]) -> tuple[list[float], list[float]]:
        points = transform.transform(np.column_stack([x, y]).astype(float))
        points[:, 1] = self.renderer.height - points[:, 1]
        across, down = (points.round(2) + 0.0).T.tolist()  # + 0.0 takes the sign from -0.0
        return across, down

    # What a subclass says: the tag of its element, its look (None where it is not plain), its place, its tracks.

    tag: str

    def look(self) -> tuple | None:
        raise NotImplementedError

    def place(self) -> tuple:
        raise NotImplementedError

    def transform(self) -> Any:
        raise NotImplementedError

    def tracks(self, transform: Transform, places: list[tuple]) -> list[tuple[str, Parts]]:
        raise NotImplementedError


class Bar(_Placed):
    """A Rectangle."""

    tag = "path"

    def look(self) -> tuple | None:
        bar = self.artist
        if not bar.get_visible() or bar.get_angle() or bar.get_path_effects() or bar.get_sketch_params():
            return None
        if not _finite(*self.place()):
            return None
        style = (bar.get_facecolor(), bar.get_edgecolor(), bar.get_linewidth(), str(bar.get_linestyle()))
        return (*style, bar.get_hatch(), bar.get_alpha(), bar.get_clip_on())

    def place(self) -> tuple:
        bar = self.artist
        return bar.get_x(), bar.get_y(), bar.get_width(), bar.get_height()

    def transform(self) -> Transform:
        return self.artist.get_data_transform()

    def tracks(self, transform: Transform, places: list[tuple]) -> list[tuple[str, Parts]]:
        x, y, width, height = np.array(places, dtype=float).T
        left, bottom = (_column(c) for c in self.points(transform, x, y))
        right, top = (_column(c) for c in self.points(transform, x + width, y + height))
        corners = [(left, bottom), (right, bottom), (right, top), (left, top)]
        words = [word for corner in corners for word in (" L ", corner[0], " ", corner[1])]
        return [("d", _joined(["M ", *words[1:], " z"]))]


class Label(_Placed):
    """A Text of one line, standing on its baseline."""

    tag = "text"

    def look(self) -> tuple | None:
        label = self.artist
        text = label.get_text()
        plain = label.get_visible() and text and "$" not in text and "\n" not in text and label.get_va() == "baseline"
        if not plain or label.get_bbox_patch() or label.get_path_effects() or label.get_wrap() or label.get_url():
            return None
        if label.get_rotation() or not _finite(*label.get_position()):
            return None
        font = (
            label.get_fontsize(),
            label.get_fontweight(),
            label.get_fontstyle(),
            tuple(label.get_fontfamily()),
        )
        return (*font, label.get_color(), label.get_alpha(), label.get_ha(), label.get_clip_on())

    def place(self) -> tuple:
        return *self.artist.get_position(), self.artist.get_text()

    def transform(self) -> Transform:
        return self.artist.get_transform()

    def tracks(self, transform: Transform, places: list[tuple]) -> list[tuple[str, Parts]]:
        x, y, text = zip(*places, strict=True)
        across, up = self.points(transform, x, y)
        return [("x", [_column(across)]), ("y", [_column(up)]), ("", split(text))]


def _finite(*values: Any) -> bool:
    """Whether these are numbers, none of them infinite or NaN."""
    try:
        return all(map(math.isfinite, values))
    except TypeError:
        return False


def _column(values: list[float]) -> str | list[float]:
    return coordinate(values[0]) if values.count(values[0]) == len(values) else values


def _limits(axes: Axes) -> tuple:
    """What places depend on beside the artists' own numbers: limits and scales, and where a 3-D axes looks from."""
    return (*axes.viewLim.extents, axes.get_xscale(), axes.get_yscale(), *np.ravel(getattr(axes, "M", ())))


class Reel(TypedDict):
    """What player.js plays: the picture at all positions of one slider, the others standing still."""

    at: dict[str, float]  # the other sliders -> where they stand
    along: list[float]  # the positions of this slider
    marks: list[str]  # the elements of each moving artist, as SVG; what moves has a number in data-moves
    defs: list[str]  # definitions, a text for each panel
    tracks: list[list[object]]  # [number in data-moves, attribute or "" for text, parts]
    columns: list[list[str | float]]  # the values of a part that is a number, one a position
    words: list[str | int]  # the parts of the words


class Recorder:
    """The figures of one picture, and how they are drawn: once, and at all positions of a slider.

    figures: drawn at 72 dots an inch; moving: the artists that change, wherever they are.
    """

    def __init__(self, figures: Sequence[Figure], moving: Sequence[Artist]) -> None:
        self.figures, self.moving = list(figures), list(moving)
        for figure in self.figures:
            figure.set_dpi(72)
        self.renderers = {figure: Renderer(figure, panel) for panel, figure in enumerate(self.figures)}

    def stages(self) -> list[str]:
        """Each figure as it is without what moves.

        Raises ValueError for an artist in `moving` that no figure draws.
        """
        return [draw_stage(figure, self._movers(figure), self.renderers[figure]) for figure in self.figures]

    def _movers(self, figure: Figure) -> dict[int, Artist]:
        """The moving artists of a figure, by their numbers; strangers belong to the first, which will miss them."""
        own = {k: artist for k, artist in enumerate(self.moving) if _figure(artist) is figure}
        if figure is self.figures[0]:
            own |= {k: artist for k, artist in enumerate(self.moving) if _figure(artist) not in self.renderers}
        return own

    def record(
        self,
        show: Callable[[float], str],
        along: Sequence[float],
        at: Mapping[str, float],
        largest: int | None = LARGEST,
    ) -> Reel:
        """Shows each position in turn and keeps what the moving artists look like there.

        show(position) moves the artists and returns the state in words.
        Raises ValueError when `show` changes an artist that is not in `moving`, or the whole is too large.
        """
        lanes = [_lane(artist, self.renderers[_figure(artist)]) for artist in self.moving]
        still = [part for figure in self.figures for part in _still(figure, self.moving)]
        axes = [one for figure in self.figures for one in figure.axes]
        homes = [lane.artist.axes for lane in lanes]
        words = []
        for number, position in enumerate(along):
            words.append(show(position))
            limits: dict[Any, tuple] = {one: _limits(one) for one in axes}
            for lane, home in zip(lanes, homes, strict=True):
                lane.note(number, limits.get(home, ()))
        _refuse_changes(still)
        played = _Played(len(along), largest).of([lane.variants() for lane in lanes], words)
        defs = [renderer.definitions() for renderer in self.renderers.values()]
        return Reel(at=dict(at), along=list(along), defs=defs, **played)  # type: ignore[typeddict-item]


def _figure(artist: Any) -> Any:
    return artist if isinstance(artist, Figure) else artist.get_figure(root=True)


def _still(figure: Figure, moving: Sequence[Artist]) -> list[Artist]:
    """The artists that must not change: all but the moving ones, what belongs to them, and what they stand in."""
    movers = {id(part) for artist in moving for part in artist.findobj()}
    still = [part for part in figure.findobj() if id(part) not in movers and not part.get_children()]
    for part in still:
        part.stale = False
    return still


def _refuse_changes(still: Sequence[Artist]) -> None:
    changed = [part for part in still if part.stale]
    if changed:
        raise ValueError(f"Expected only the artists listed in `moving` to change; {changed[0]} changed as well.")


def _lane(artist: Artist, renderer: Renderer) -> Drawn | Bar | Label:
    kinds: dict[type, type[Bar | Label]] = {Rectangle: Bar, Text: Label}
    return kinds.get(type(artist), Drawn)(artist, renderer)


class _Played:
    """Puts variants together into what the browser plays, each column of values once."""

    def __init__(self, positions: int, largest: int | None) -> None:
        self.positions, self.largest = positions, largest
        self.columns: dict[tuple[str | float, ...], int] = {}
        self.tracks: list[list[object]] = []

    def of(self, artists: list[list[Variant]], words: list[str]) -> dict[str, object]:
        marks = ["".join(self.variant(variant) for variant in variants) for variants in artists]
        label = self.parts(split(words) if len(set(words)) > 1 else [words[0]], range(self.positions))
        columns = [[_plain(value) for value in column] for column in self.columns]
        size = sum(map(len, marks)) + sum(len(str(value)) + 1 for column in columns for value in column)
        if self.largest is not None and size > self.largest:
            raise ValueError(
                f"Expected a recording of at most {self.largest:,} characters; this one has {size:,}. "
                "Use fewer positions, fewer moving artists or lines with fewer points."
            )
        return {"marks": marks, "tracks": self.tracks, "columns": columns, "words": label}

    def variant(self, variant: Variant) -> str:
        numbers: dict[int, int] = {}
        holder = Node("g", {}, variant.nodes)
        for node, attribute, parts in variant.tracks:
            number = numbers.setdefault(id(node), len(self.tracks))
            self.tracks.append([number, attribute, self.parts(parts, variant.at)])
        if len(variant.at) < self.positions:
            shown = set(variant.at)
            display = ["inline" if position in shown else "none" for position in range(self.positions)]
            numbers[id(holder)] = len(self.tracks)
            self.tracks.append([len(self.tracks), "display", self.parts([display], range(self.positions))])
        return holder.markup(numbers)

    def parts(self, parts: Parts, at: Sequence[int]) -> list[str | int]:
        return [part if isinstance(part, str) else self.column(part, at) for part in parts]

    def column(self, values: Column, at: Sequence[int]) -> int:
        if len(at) < self.positions:
            full: dict[int, Any] = dict(zip(at, values, strict=True))
            values = [full.get(position, values[0]) for position in range(self.positions)]
        return self.columns.setdefault(tuple(values), len(self.columns))


def _plain(value: str | float) -> str | float:
    """Coordinates travel as numbers, which are shorter than texts, where they come back letter for letter."""
    if isinstance(value, str):
        try:
            number = float(value)
        except ValueError:
            return value
        if value != coordinate(number):
            return value
    else:
        number = value
    if not abs(number) < 2**53:  # JSON has no NaN, JavaScript rounds larger ones
        return coordinate(number) if number is value else value
    return int(number) if number.is_integer() else number
