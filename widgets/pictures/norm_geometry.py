"""Three components in space: LayerNorm lands on a circle, RMSNorm on the whole sphere."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from widgets import formats, style
from widgets.maths.geometry import GeometrySteps
from widgets.maths.norms import in_words
from widgets.pictures.page import DASHED, PANEL, Page, box, faint, line, write

HEIGHT = 336
ROUND = Path.unit_circle()  # as curves, which stay exact however they are seen
ROOT3 = 3**0.5  # the length of a vector of three components whose RMS is 1
SPHERE, ROOM = 128.0, 150.0  # points: the largest radius of the sphere; how far from the middle a point may lie
FARTHEST = 4.5  # the longest vector that is drawn to scale; a longer one leaves the page
ELEVATION = 18.0  # degrees from which the scene is seen
DOT = 9  # points
COLOURS = {"x": style.INPUT, "LayerNorm(x)": style.LAYER_NORM, "RMSNorm(x)": style.RMS_NORM}
SHORT = {"x": "x", "LayerNorm(x)": "LN", "RMSNorm(x)": "RMS"}  # in the scene
LEGEND: tuple[tuple[str, dict[str, Any]], ...] = (
    ("LayerNorm’s circle: mean 0 and RMS 1", {"color": style.LAYER_NORM, "linewidth": 2.2}),
    ("RMSNorm’s sphere: RMS 1", {"color": style.FAINT, "linewidth": 1.2}),
    ("from x to x − mean", {"color": style.INK, "linewidth": 1.4, "linestyle": ":"}),
    ("the line through (1, 1, 1)", {"color": style.INK, "linewidth": 1, "linestyle": DASHED}),
)


class NormGeometryPicture:
    """The numbers; beside them the sphere of radius √3, the plane of mean 0, one vector and both results.

    farthest: the length of the longest vector to be shown
    """

    def __init__(self, farthest: float = ROOT3) -> None:
        words, self.page = Page(PANEL, HEIGHT), Page(PANEL, HEIGHT)
        self.texts = _Texts(words)
        self.eye = _Eye(min(SPHERE / ROOT3, ROOM / min(max(farthest, ROOT3), FARTHEST)))
        self.scenery = self._scenery()
        self.projection = line(self.page, (), (), color=style.INK, linestyle=":", linewidth=1.4)
        self.path = line(self.page, (), (), color=style.INPUT, linewidth=1.8)
        dot = {"edgecolor": style.PAPER, "linewidth": 1, "zorder": 3}
        bold = {"ha": "center", "weight": "bold"}
        self.points = {
            name: box(self.page, 0, 0, DOT, DOT, facecolor=colour, **dot) for name, colour in COLOURS.items()
        }
        self.names = {
            name: write(self.page, 0, 0, SHORT[name], color=colour, **bold) for name, colour in COLOURS.items()
        }
        self.panels, self.covers = [words, self.page], self.texts.covers
        self.moving = [*self.scenery, self.projection, self.path, *self.points.values(), *self.names.values()]
        self.moving += self.texts.moving

    def _scenery(self) -> list:
        """The sphere's edge, which never moves; and disc, circles and (1, 1, 1), which do when the eye does."""
        angles = np.linspace(0, 2 * np.pi, 73)
        edge = self.eye.middle[:, None] + ROOT3 * self.eye.unit * np.array([np.cos(angles), np.sin(angles)])
        line(self.page, *edge, color=style.FAINT, linewidth=1.2)
        disc = self._ring(facecolor=style.LAYER_NORM, alpha=0.13, linewidth=0)
        thin = [self._ring(edgecolor=style.RULE, linewidth=1, fill=False, zorder=2) for _ in range(3)]
        thick = self._ring(edgecolor=style.LAYER_NORM, linewidth=2.2, fill=False, zorder=2)
        ones = line(self.page, (), (), linewidth=1, linestyle=DASHED)
        return [disc, *thin, thick, ones]

    def _ring(self, **look: Any) -> PathPatch:
        return self.page.add(PathPatch(ROUND, **look))

    def show(self, steps: GeometrySteps) -> None:
        """Moves the vector and its results to these steps."""
        if self.eye.azimuth != steps.azimuth:
            self._look_from(steps.azimuth)
        self.texts.show(steps)
        vectors = (steps.x, steps.centred, steps.layer_norm, steps.rms_norm)
        x, centred, layer_norm, rms_norm = self.eye.see([vector.tolist() for vector in vectors])
        self.path.set_data(*zip(self.eye.middle, x, strict=True))
        self.projection.set_data(*zip(x, centred, strict=True))
        beyond = steps.x.norm().item() > FARTHEST
        self.projection.set_visible(not beyond)
        self.names["x"].set_text("x, farther out" if beyond else "x")
        for name, place in zip(COLOURS, (x, layer_norm, rms_norm), strict=True):
            self.points[name].set_xy((place[0] - DOT / 2, place[1] - DOT / 2))
        self._name(*self._places(x, layer_norm, rms_norm))

    def _look_from(self, azimuth: float) -> None:
        self.eye.look_from(azimuth)
        disc, *thin, thick, ones = self.scenery
        ones_plane = (1.0, 1.0, 1.0)
        for ring, normal in zip((disc, thick, *thin), (ones_plane, ones_plane, *np.eye(3)), strict=True):
            ring.set(path=Path(self.eye.see(circle(normal)), ROUND.codes))
        ones.set_data(*self.eye.see([[-1.22] * 3, [1.22] * 3]).T)

    def _places(self, x: np.ndarray, layer_norm: np.ndarray, rms_norm: np.ndarray) -> list[np.ndarray]:
        """For x's name one side of its line, for RMSNorm's the other, for LayerNorm's outwards from the middle."""
        along = _direction(x - self.eye.middle)
        aside = np.array([-along[1], along[0]])
        if aside @ (layer_norm - rms_norm) > 0:  # RMSNorm's name stands on the side without LayerNorm's point
            aside = -aside
        out = _direction(layer_norm - self.eye.middle)
        reach = np.array([[9 + 4.2 * len(name.get_text()), 13] for name in self.names.values()])
        return list(np.array([x, layer_norm, rms_norm]) + reach * np.array([-aside, out, aside]) - (0, 4.5))

    def _name(self, *places: np.ndarray) -> None:
        """Puts the names there; of two that would meet, the lower one moves down."""
        order = sorted(zip(self.names.values(), places, strict=True), key=lambda named: -named[1][1])
        for k, (name, place) in enumerate(order):
            for _, above in order[:k]:
                if abs(place[0] - above[0]) < 34 and above[1] - place[1] < 12:
                    place[1] = above[1] - 12
            half = 2 + 4.2 * len(name.get_text())
            name.set_position((min(max(place[0], half), PANEL - half), place[1]))


class _Eye:
    """Looks at space from far away: where its points lie on the page. unit: points for the number 1."""

    def __init__(self, unit: float) -> None:
        self.unit, self.azimuth, self.axes = unit, np.nan, np.zeros((3, 2))
        self.middle = np.array([PANEL / 2, HEIGHT / 2])

    def look_from(self, azimuth: float) -> None:
        """azimuth: degrees"""
        self.azimuth = azimuth
        up, across = np.radians(ELEVATION), np.radians(azimuth)
        right = (-np.sin(across), np.cos(across), 0.0)
        above = (-np.sin(up) * np.cos(across), -np.sin(up) * np.sin(across), np.cos(up))
        self.axes = self.unit * np.array([right, above]).T

    def see(self, points: Any) -> np.ndarray:
        """points: (n, 3) -> (n, 2), in points across and up the page; what is too far away lies at the edge."""
        seen = np.asarray(points, dtype=float) @ self.axes
        distance = np.hypot(*seen.T)[:, None]
        return self.middle + seen * np.minimum(1.0, (ROOM + 6) / np.maximum(distance, 1e-9))


class _Texts:
    """The vector and both results as numbers, the angle between the results, and what the lines mean."""

    def __init__(self, page: Page) -> None:
        write(page, 10, HEIGHT - 18, "A vector of three components", fontsize=style.LARGE, weight="bold")
        self.numbers, self.facts = [], []
        for k, (name, colour) in enumerate(COLOURS.items()):
            y = HEIGHT - 50 - 61 * k
            box(page, 10, y, DOT, DOT, facecolor=colour)
            called = "" if SHORT[name] == name else f"   {SHORT[name]} in the picture"
            write(page, 26, y, name + called, color=colour, weight="bold")
            self.numbers.append(write(page, 26, y - 18))
            self.facts.append(write(page, 26, y - 35, fontsize=style.SMALL))
        self.angle = write(page, 10, 90, weight="bold")
        for k, (words, look) in enumerate(LEGEND):
            line(page, (10, 44), (64 - 18 * k,) * 2, **look)
            faint(page, 52, 60 - 18 * k, words)
        self.moving = [*self.numbers, *self.facts, self.angle]
        self.covers = {"the results": [(0, 0, 110, PANEL, HEIGHT - 206)], "the angle": [(0, 0, 84, PANEL, 22)]}

    def show(self, steps: GeometrySteps) -> None:
        rows = zip(self.numbers, self.facts, steps.named.values(), steps.facts.tolist(), strict=True)
        for numbers, facts, vector, found in rows:
            numbers.set_text("(" + ", ".join(map(formats.number, vector.tolist())) + ")")
            facts.set_text(in_words(*found))
        nothing = steps.layer_norm.abs().max() < 1e-6
        angle = "LayerNorm’s result is 0" if nothing else f"{formats.number(steps.angle, 0)}°"
        self.angle.set_text(f"between the two results: {angle}")


def circle(normal: Any) -> np.ndarray:
    """The circle of radius √3 about the origin in the plane with this normal, as the points of ROUND: (26, 3)."""
    normal = np.asarray(normal, dtype=float) / np.linalg.norm(normal)
    first = np.cross(normal, (0.3, -0.5, 0.8))
    first /= np.linalg.norm(first)
    return ROOT3 * np.asarray(ROUND.vertices) @ np.array([first, np.cross(normal, first)])


def _direction(way: np.ndarray) -> np.ndarray:
    """A vector of length 1 that way; downwards for no way at all."""
    length = np.hypot(*way)
    return way / length if length > 1e-6 else np.array([0.0, -1.0])
