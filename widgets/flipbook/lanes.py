"""One moving artist over all positions of a slider: its elements, and what differs in them from place to place.

Bars, texts and lines come by the dozen, so of these matplotlib draws each look only once, and their places at all
positions are transformed together; a test compares that with real drawing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.collections import Collection
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle
from matplotlib.text import Text
from matplotlib.transforms import Transform

from widgets.flipbook.svg import Node, Renderer, capture, coordinate

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
    """Bars, texts and lines: matplotlib draws each look once; their places are transformed together at the end."""

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
        tracks = self.tracks(nodes, look.transform, look.places)
        moving = [(node, name, parts) for node, name, parts in tracks if any(isinstance(part, list) for part in parts)]
        return Variant(nodes, at, moving)

    def points(self, transform: Transform, x: Sequence[float], y: Sequence[float]) -> tuple[list[float], list[float]]:
        points = transform.transform(np.column_stack([x, y]).astype(float))
        points[:, 1] = self.renderer.height - points[:, 1]
        across, down = (points.round(2) + 0.0).T.tolist()  # + 0.0 takes the sign from -0.0
        return across, down

    # What a subclass says: its look (None where it is not plain), its place, and its tracks at all its places.

    def look(self) -> tuple | None:
        raise NotImplementedError

    def place(self) -> tuple:
        raise NotImplementedError

    def transform(self) -> Any:
        raise NotImplementedError

    def tracks(self, nodes: list[Node], transform: Transform, places: list[tuple]) -> list[tuple[Node, str, Parts]]:
        raise NotImplementedError


class Bar(_Placed):
    """A Rectangle."""

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

    def tracks(self, nodes: list[Node], transform: Transform, places: list[tuple]) -> list[tuple[Node, str, Parts]]:
        x, y, width, height = np.array(places, dtype=float).T
        left, bottom = (_column(c) for c in self.points(transform, x, y))
        right, top = (_column(c) for c in self.points(transform, x + width, y + height))
        corners = [(left, bottom), (right, bottom), (right, top), (left, top)]
        words = [word for corner in corners for word in (" L ", corner[0], " ", corner[1])]
        return [(_all(nodes, "path")[0], "d", _joined(["M ", *words[1:], " z"]))]


class Label(_Placed):
    """A Text of one line, standing on its baseline."""

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

    def tracks(self, nodes: list[Node], transform: Transform, places: list[tuple]) -> list[tuple[Node, str, Parts]]:
        x, y, text = zip(*places, strict=True)
        across, up = self.points(transform, x, y)
        node = _all(nodes, "text")[0]
        return [(node, "x", [_column(across)]), (node, "y", [_column(up)]), (node, "", split(text))]


class Trace(_Placed):
    """A Line2D of less than 128 points on the page: a curve, its markers, or both."""

    def look(self) -> tuple | None:
        line = self.artist
        if not line.get_visible() or line.get_path_effects() or line.get_sketch_params() or line.get_gapcolor():
            return None
        if line.get_drawstyle() != "default" or line.get_markevery() is not None or not self._on_the_page():
            return None
        ink = (line.get_color(), line.get_linewidth(), str(line.get_linestyle()), line.get_alpha(), line.get_clip_on())
        mark = (str(line.get_marker()), line.get_markersize(), line.get_markerfacecolor(), line.get_markeredgecolor())
        return (*ink, *mark, line.get_markeredgewidth(), len(line.get_xydata()))

    def _on_the_page(self) -> bool:
        """Whether all points are: matplotlib cuts a line at the page's edge, and leaves out markers beyond it."""
        points = self.artist.get_transform().transform(self.artist.get_xydata())
        inside = (points >= 0).all() and (points <= (self.renderer.width, self.renderer.height)).all()
        return 0 < len(points) < 128 and bool(inside)

    def place(self) -> tuple:
        return (self.artist.get_xydata().copy(),)

    def transform(self) -> Transform:
        return self.artist.get_transform()

    def tracks(self, nodes: list[Node], transform: Transform, places: list[tuple]) -> list[tuple[Node, str, Parts]]:
        x, y = (np.array([data[:, axis] for (data,) in places]).T for axis in (0, 1))  # (points, positions)
        across, down = self.points(transform, x.ravel().tolist(), y.ravel().tolist())
        count = len(places)
        ends = range(0, len(across), count)
        points = [(_column(across[k : k + count]), _column(down[k : k + count])) for k in ends]
        words: Parts = [word for left, top in points for word in (" L ", left, " ", top)]
        tracks: list[tuple[Node, str, Parts]] = [
            (node, "d", _joined(["M ", *words[1:]])) for node in _all(nodes, "path")
        ]
        marks = _all(nodes, "use")
        for mark, (left, top) in zip(marks, points, strict=bool(marks)):
            tracks += [(mark, "x", [left]), (mark, "y", [top])]
        return tracks


def _all(nodes: list[Node], tag: str) -> list[Node]:
    """The elements of one kind, at any depth, in their order."""
    return [node for top in nodes for node in top.walk() if node.tag == tag]


def _finite(*values: Any) -> bool:
    """Whether these are numbers, none of them infinite or NaN."""
    try:
        return all(map(math.isfinite, values))
    except TypeError:
        return False


def _column(values: list[float]) -> str | list[float]:
    return coordinate(values[0]) if values.count(values[0]) == len(values) else values


def lane(artist: Artist, renderer: Renderer) -> Drawn | Bar | Label | Trace:
    """The way in which this artist is followed over all positions."""
    kinds: dict[type, type[Bar | Label | Trace]] = {Rectangle: Bar, Text: Label, Line2D: Trace}
    return kinds.get(type(artist), Drawn)(artist, renderer)
