"""One moving artist over all positions of a slider: its elements, and what differs in them from place to place.

Bars, texts and lines come by the dozen, so of these matplotlib draws each look only once, and their places at all
positions are transformed together; a test compares that with real drawing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
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
    transform: Transform | None = None  # of places that are to be transformed together
    at: list[int] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)  # texts of all leaves, or places


@dataclass
class Variant:
    """The positions at which an artist has elements of one build, and those elements."""

    nodes: list[Node]
    at: list[int] = field(default_factory=list)
    tracks: list[tuple[Node, str, Parts]] = field(default_factory=list)  # (element, attribute or "", parts)


class Drawn:
    """An artist that matplotlib draws, anew wherever `show` has touched it."""

    def __init__(self, artist: Any, renderer: Renderer) -> None:
        self.artist, self.renderer = artist, renderer
        # These mark themselves stale whenever they change; an Annotation, say, does not when its `xy` is set.
        self.reliable = isinstance(artist, Line2D | Patch | Collection) or type(artist) is Text
        self.limits: tuple = ()
        self.builds: dict[Any, Build] = {}
        self.changes: list[tuple[int, Build, Any]] = []  # from which position on: the build, and what stands in it

    def note(self, position: int, limits: tuple = ()) -> None:
        if not self.changes or self.artist.stale or not self.reliable or self.limits != limits:
            self.limits = limits
            self.changes.append((position, *self.draw()))

    def draw(self) -> tuple[Build, Any]:
        """The artist as it is now."""
        nodes = capture(self.artist, self.renderer)
        every = [node for top in nodes for node in top.walk()]
        key = tuple((node.tag, len(node.children), *node.attributes) for node in every)
        build = self.builds.setdefault(key, Build(nodes))
        return build, [leaf for node in every for leaf in (*node.attributes.values(), node.text)]

    def variants(self, count: int) -> list[Variant]:
        """What has been noted, over so many positions; each change lasts until the next one."""
        ends = [position for position, _, _ in self.changes[1:]] + [count]
        for (start, build, values), end in zip(self.changes, ends, strict=True):
            build.at += range(start, end)
            build.values += [values] * (end - start)
        return [self.variant(build) for build in self.builds.values()]

    def variant(self, build: Build) -> Variant:
        variant = Variant(build.nodes, build.at)
        columns = iter(zip(*build.values, strict=True))
        for node in (node for top in build.nodes for node in top.walk()):
            for name in (*node.attributes, ""):
                column = next(columns)
                if len(set(column)) > 1:
                    variant.tracks.append((node, name, split(column)))
        return variant


def split(values: Sequence[str]) -> Parts:
    """Texts as fixed words and columns of the words that differ; one column for sentences that do not line up."""
    return _lined_up(values, ". ", lambda sentences: _lined_up(sentences, " ", lambda words: [list(words)]))


def _lined_up(values: Sequence[str], gap: str, split: Callable[[Sequence[str]], Parts]) -> Parts:
    """Texts taken apart at the gaps, and what differs split further; one column where the gaps are not as many."""
    if len(set(values)) == 1:
        return [values[0]]
    rows = [value.split(gap) for value in values]
    if len(set(map(len, rows))) > 1:
        return [list(values)]
    parts: Parts = []
    for each in zip(*rows, strict=True):
        parts += [*(split(each) if len(set(each)) > 1 else each[:1]), gap]
    return _joined(parts[:-1])


def _joined(parts: Parts) -> Parts:
    out: Parts = []
    for part in parts:
        if isinstance(part, str) and out and isinstance(out[-1], str):
            out[-1] += part
        elif part != "":
            out.append(part)
    return out


class _Placed(Drawn):
    """Bars, texts and lines: matplotlib draws each look once; their places are transformed together at the end."""

    LOOKS: tuple[str, ...]  # the methods of the artist that say how it looks

    def __init__(self, artist: Any, renderer: Renderer) -> None:
        super().__init__(artist, renderer)
        self._looks = [getattr(artist, name) for name in self.LOOKS]
        self._seen: tuple[list, tuple] | None = None  # look and limits; whether it is plain, and its build
        self._is_plain = False
        self._build: Build | None = None

    def draw(self) -> tuple[Build, Any]:
        place, seen = self.place(), (self.look(), self.limits)
        if seen != self._seen:
            self._seen, self._is_plain, self._build = seen, self.plain(), None
        if not self._is_plain or not self.fits(*place):
            return super().draw()
        if self._build is None:
            self._build = self._drawn_as(repr(seen))
        self.artist.stale = False
        return self._build, place

    def _drawn_as(self, look: str) -> Build:
        """The build of this look; drawn by matplotlib when the artist has never looked so."""
        if look not in self.builds:
            self.builds[look] = Build(capture(self.artist, self.renderer), self.transform().frozen())
        return self.builds[look]

    def variant(self, build: Build) -> Variant:
        if build.transform is None:
            return super().variant(build)
        tracks = self.tracks(build.nodes, build.transform, build.values)
        moving = [(node, name, parts) for node, name, parts in tracks if any(isinstance(part, list) for part in parts)]
        return Variant(build.nodes, build.at, moving)

    def points(self, transform: Transform, x: Sequence[float], y: Sequence[float]) -> tuple[list[float], list[float]]:
        points = transform.transform(np.column_stack([x, y]).astype(float))
        points[:, 1] = self.renderer.height - points[:, 1]
        across, down = (points.round(2) + 0.0).T.tolist()  # + 0.0 takes the sign from -0.0
        return across, down

    def look(self) -> list:
        return [look() for look in self._looks]

    # What a subclass says: whether its look is a plain one, its place and whether that will do, tracks at all places.

    def place(self) -> tuple:
        raise NotImplementedError

    def fits(self, *place: Any) -> bool:
        raise NotImplementedError

    def plain(self) -> bool:
        raise NotImplementedError

    def transform(self) -> Any:
        raise NotImplementedError

    def tracks(self, nodes: list[Node], transform: Transform, places: list[tuple]) -> list[tuple[Node, str, Parts]]:
        raise NotImplementedError


class Bar(_Placed):
    """A Rectangle."""

    LOOKS = (
        *("get_visible", "get_angle", "get_path_effects", "get_sketch_params", "get_facecolor", "get_edgecolor"),
        *("get_linewidth", "get_linestyle", "get_hatch", "get_alpha", "get_clip_on"),
    )

    def plain(self) -> bool:
        bar = self.artist
        return bar.get_visible() and not (bar.get_angle() or bar.get_path_effects() or bar.get_sketch_params())

    def fits(self, *place: Any) -> bool:
        return _finite(*place)

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

    LOOKS = (
        *(
            "get_visible",
            "get_verticalalignment",
            "get_bbox_patch",
            "get_path_effects",
            "get_wrap",
            "get_url",
            "get_rotation",
        ),
        *("get_fontsize", "get_fontweight", "get_fontstyle", "get_fontfamily"),
        *("get_color", "get_alpha", "get_horizontalalignment", "get_clip_on"),
    )

    def plain(self) -> bool:
        label = self.artist
        extras = label.get_bbox_patch() or label.get_path_effects() or label.get_wrap() or label.get_url()
        return label.get_visible() and label.get_va() == "baseline" and not (extras or label.get_rotation())

    def fits(self, *place: Any) -> bool:
        x, y, text = place
        return bool(text) and "$" not in text and "\n" not in text and _finite(x, y)

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

    LOOKS = (
        *("get_visible", "get_path_effects", "get_sketch_params", "get_gapcolor", "get_drawstyle", "get_markevery"),
        *("get_color", "get_linewidth", "get_linestyle", "get_alpha", "get_clip_on", "get_marker", "get_markersize"),
        *("get_markerfacecolor", "get_markeredgecolor", "get_markeredgewidth"),
    )

    def look(self) -> list:
        return [*map(str, super().look()), len(self.artist.get_xydata())]

    def plain(self) -> bool:
        line = self.artist
        extras = line.get_path_effects() or line.get_sketch_params() or line.get_gapcolor()
        usual = line.get_drawstyle() == "default" and line.get_markevery() is None
        return line.get_visible() and usual and not extras

    def fits(self, *place: Any) -> bool:
        """Whether all points are on the page: matplotlib cuts a line at its edge, and leaves out markers beyond it."""
        points = self.artist.get_transform().transform(*place)
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
