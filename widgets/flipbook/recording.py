"""Recording a picture: for each slider position, what its moving artists look like, as columns of values.

Every mark is drawn by matplotlib. What stays the same is kept once; what differs from position to position becomes a
column.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypedDict

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure

from widgets.flipbook.lanes import Column, Parts, Variant, lane, split
from widgets.flipbook.svg import Node, Renderer, coordinate, draw_stage

LARGEST = 3_000_000  # characters in one recording


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
        show: Callable[[Sequence[float]], Iterable[str]],
        along: Sequence[float],
        at: Mapping[str, float],
        largest: int | None = LARGEST,
    ) -> Reel:
        """Keeps what the moving artists look like at each position.

        show(along) moves them to one position after another, and gives the state in words at each.
        Raises ValueError when `show` changes an artist that is not in `moving`, or the whole is too large.
        """
        lanes = [lane(artist, self.renderers[_figure(artist)]) for artist in self.moving]
        still = [part for figure in self.figures for part in _still(figure, self.moving)]
        axes = [one for figure in self.figures for one in figure.axes]
        homes = [one.artist.axes for one in lanes]
        words = []
        for number, said in enumerate(show(along)):
            words.append(said)
            limits: dict[Any, tuple] = {one: _limits(one) for one in axes}
            for one, home in zip(lanes, homes, strict=True):
                one.note(number, limits.get(home, ()))
        _refuse_changes(still)
        played = _Played(len(along), largest).of([one.variants(len(along)) for one in lanes], words)
        defs = [renderer.definitions() for renderer in self.renderers.values()]
        return Reel(at=dict(at), along=list(along), defs=defs, **played)  # type: ignore[typeddict-item]


def _figure(artist: Any) -> Any:
    return artist.figure and artist.figure.figure  # the root; get_figure(root=True) came with matplotlib 3.10


def _still(figure: Figure, moving: Sequence[Artist]) -> list[Artist]:
    """The artists that must not change: all but the moving ones, what belongs to them, and what they stand in."""
    movers = {id(part) for artist in moving for part in _parts(artist)}
    still = [part for part in _parts(figure) if id(part) not in movers and not part.get_children()]
    for part in still:
        part.stale = False
    return still


def _parts(artist: Artist) -> Iterator[Artist]:
    """An artist and all in it, but for the axes that are switched off, which would only now make their ticks."""
    yield artist
    hidden = Axis if isinstance(artist, Axes) and not artist.axison else ()
    for child in artist.get_children():
        if not isinstance(child, hidden):
            yield from _parts(child)


def _refuse_changes(still: Sequence[Artist]) -> None:
    changed = [part for part in still if part.stale]
    if changed:
        raise ValueError(f"Expected only the artists listed in `moving` to change; {changed[0]} changed as well.")


class _Played:
    """Puts variants together into what the browser plays, each column of values once."""

    def __init__(self, positions: int, largest: int | None) -> None:
        self.positions, self.largest = positions, largest
        self.columns: dict[tuple[str | float, ...], int] = {}
        self.tracks: list[list[object]] = []

    def of(self, artists: list[list[Variant]], words: list[str]) -> dict[str, object]:
        marks = ["".join(self.variant(variant) for variant in variants) for variants in artists]
        label = self.parts(split(words), range(self.positions))
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
