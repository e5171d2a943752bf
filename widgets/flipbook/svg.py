"""matplotlib's own SVG renderer, writing a tree of elements: what a figure looks like without what moves in it.

Numbers are short, text stays text, and no id depends on chance.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from xml.sax.saxutils import escape, quoteattr

from matplotlib import _path
from matplotlib.artist import Artist
from matplotlib.backends.backend_svg import RendererSVG
from matplotlib.figure import Figure

UNIQUE = "__flipbook__"  # the browser puts a name of its own in its place, so that ids never meet
_UPRIGHT = re.compile(r"rotate\(-?0 ")


@dataclass
class Node:
    """One SVG element."""

    tag: str
    attributes: dict[str, str]
    children: list[Node] = field(default_factory=list)
    text: str = ""

    def markup(self, mark: dict[int, int] | None = None) -> str:
        """The element as SVG text; `mark` numbers the elements that move: id(node) -> number."""
        parts = [f"<{self.tag}"]
        parts += [f" {name}={quoteattr(value)}" for name, value in self.attributes.items()]
        if mark and id(self) in mark:
            parts.append(f' data-moves="{mark[id(self)]}"')
        inside = escape(self.text) + "".join(child.markup(mark) for child in self.children)
        return "".join([*parts, f">{inside}</{self.tag}>"])

    def walk(self) -> list[Node]:
        """This element and all below it, in document order."""
        return [self, *(below for child in self.children for below in child.walk())]


class _Tree:
    """Takes the place of the renderer's XML writer and keeps elements instead of text."""

    def __init__(self) -> None:
        self.open = [Node("svg", {})]

    def start(self, tag: str, attrib: dict[str, str] | None = None, **extra: str) -> int:
        given = {**(attrib or {}), **extra}
        if tag == "g":
            given.pop("id", None)
        if _UPRIGHT.match(given.get("transform", "")):
            del given["transform"]
        if "fill" in given:
            given["style"] = f"fill: {given.pop('fill')}"
        attributes = {name.removeprefix("xlink:"): value for name, value in given.items() if value}
        node = Node(tag, attributes)
        self.open[-1].children.append(node)
        self.open.append(node)
        return len(self.open) - 1

    def end(self, tag: str | None = None, indent: bool = True) -> None:
        self.open.pop()

    def close(self, identifier: int) -> None:
        del self.open[identifier:]

    def data(self, text: str) -> None:
        self.open[-1].text += text

    def element(self, tag: str, text: str | None = None, attrib: dict[str, str] | None = None, **extra: str) -> None:
        self.start(tag, attrib, **extra)
        self.data(text or "")
        self.end()

    def comment(self, comment: str) -> None:
        pass

    def flush(self) -> None:
        pass


# What matplotlib does not promise to keep, and this file builds on: methods of RendererSVG with their arguments.
PRIVATE = {
    "_write_clips": [],
    "_write_hatches": [],
    "_get_clip_attrs": ["gc"],
    "_draw_text_as_text": ["gc", "x", "y", "s", "prop", "angle", "ismath", "mtext"],
    "_make_id": ["type", "content"],
    "_convert_path": ["path", "transform", "clip", "simplify", "sketch"],
}


class Renderer(RendererSVG):
    """matplotlib's SVG renderer, writing into a tree: short numbers, text as text, ids that do not depend on chance.

    Beside PRIVATE it uses `writer`, which it replaces, and _path.convert_to_string.
    """

    def __init__(self, figure: Figure, panel: int = 0) -> None:
        self._prefix = f"{UNIQUE}{panel}"  # the panels of a picture stand on one page
        width, height = (float(inches * 72) for inches in figure.get_size_inches())
        self._ids: dict[tuple[str, str], str] = {}
        super().__init__(width, height, io.StringIO(), image_dpi=144)
        self.writer = _Tree()
        self.defs: dict[str, Node] = {}
        self.on_stage: frozenset[str] = frozenset()  # the definitions that the stage brings along

    def capture(self, draw: Callable[[Renderer], None]) -> list[Node]:
        """What `draw(renderer)` draws, as elements; definitions (markers, clip paths, hatches) go to `defs`."""
        self.writer = _Tree()
        top = self.writer.open[0]
        draw(self)
        del self.writer.open[1:]
        self._write_clips()
        self._write_hatches()
        self._take_definitions(top)
        return top.children

    def _take_definitions(self, node: Node) -> None:
        kept = []
        for child in node.children:
            if child.tag == "defs":
                self.defs.update((one.attributes["id"], one) for one in child.children if "id" in one.attributes)
            else:
                self._take_definitions(child)
                kept.append(child)
        node.children = kept

    def definitions(self) -> str:
        """What has been defined since the stage was drawn."""
        return "".join(node.markup() for name, node in self.defs.items() if name not in self.on_stage)

    def _make_id(self, type: str, content: object) -> str:
        return self._ids.setdefault((type, str(content)), f"{self._prefix}{type}{len(self._ids)}")

    def _convert_path(self, path, transform=None, clip=None, simplify=None, sketch=None) -> str:
        """As in matplotlib, but to a hundredth of a point instead of a millionth, and on one line."""
        bounds = (0.0, 0.0, self.width, self.height) if clip else None
        codes = [b"M", b"L", b"Q", b"C", b"z"]
        text = _path.convert_to_string(path, transform, bounds, simplify, sketch, 2, codes, False).decode("ascii")  # type: ignore[attr-defined]
        return text.replace("\n", "").replace("-0 ", "0 ").strip()

    def draw_text(self, gc, x, y, s, prop, angle, ismath=False, mtext=None) -> None:
        clip = self._get_clip_attrs(gc)
        if clip:
            self.writer.start("g", **clip)
        self._draw_text_as_text(gc, x, y, s, prop, angle, ismath, mtext)
        if clip:
            self.writer.end("g")


def coordinate(value: float) -> str:
    """A coordinate to a hundredth of a point, without trailing zeros."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def capture(artist: Artist, renderer: Renderer) -> list[Node]:
    """The elements of one artist as it is now (a 3-D artist is projected first)."""
    if hasattr(artist, "do_3d_projection") and not hasattr(artist, "view_init"):
        artist.do_3d_projection()
    return renderer.capture(artist.draw)


def draw_stage(figure: Figure, moving: Mapping[int, Artist], renderer: Renderer) -> str:
    """The figure as one SVG with a numbered gap where each moving artist will be, in matplotlib's own order."""
    for number, artist in moving.items():
        artist.draw = lambda _, number=number: renderer.writer.element("g", **{"data-gap": str(number)})  # type: ignore
    try:
        nodes = renderer.capture(figure.draw)
    finally:
        for artist in moving.values():
            del artist.draw
    body = "".join(node.markup() for node in nodes)
    missing = [artist for number, artist in moving.items() if f'data-gap="{number}"' not in body]
    if missing:
        raise ValueError(f"Expected every moving artist to be drawn by the figure; {missing[0]} is not.")
    definitions = renderer.definitions()
    renderer.on_stage = frozenset(renderer.defs)
    size = f'viewBox="0 0 {renderer.width:g} {renderer.height:g}" style="--points: {renderer.width:g}"'
    reel = '<defs data-reel=""></defs>'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}><defs>{definitions}</defs>{reel}{body}</svg>'
