"""Three components in space: LayerNorm lands on a circle, RMSNorm on the whole sphere."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from matplotlib.artist import Artist
from mpl_toolkits.mplot3d import Axes3D, proj3d
from mpl_toolkits.mplot3d.art3d import Line3D, Poly3DCollection

from widgets import formats, style
from widgets.maths.geometry import GeometrySteps
from widgets.maths.norms import mean_and_rms
from widgets.pictures.page import box, page, write

WIDTH, HEIGHT = 720, 372
ROOT3 = 3**0.5
REACH = 2.05  # of each axis, in the vector's own units
DOT = 8  # points
COLOURS = {"x": style.INPUT, "LayerNorm(x)": style.LAYER_NORM, "RMSNorm(x)": style.RMS_NORM}


class NormGeometryPicture:
    """The sphere of radius √3, the plane of mean 0, the line through (1, 1, 1), one vector and both results."""

    def __init__(self) -> None:
        self.figure, self.page = page(WIDTH, HEIGHT)
        self.axes = self._space()
        self.scenery = self._scenery()
        self.path = self._line([(0, 0, 0)] * 2, style.INPUT, linewidth=1.6)
        self.projection = self._line([(0, 0, 0)] * 2, style.FAINT, linestyle=":", linewidth=1.4)
        self.points, self.names, self.numbers, self.facts = {}, {}, {}, {}
        for k, (name, colour) in enumerate(COLOURS.items()):
            self.points[name] = box(self.page, 0, 0, DOT, DOT, facecolor=colour, edgecolor=style.PAPER, linewidth=1)
            self.names[name] = write(self.page, 0, 0, name, color=colour, weight="bold")
            y = HEIGHT - 98 - 74 * k
            write(self.page, 12, y, name, color=colour, weight="bold")
            self.numbers[name] = write(self.page, 12, y - 18)
            self.facts[name] = write(self.page, 12, y - 35, fontsize=style.SMALL)
        write(self.page, 12, HEIGHT - 68, "dotted: from x to x − mean", color=style.FAINT, fontsize=style.SMALL)
        write(self.page, 12, HEIGHT - 20, "A vector of three components", fontsize=style.LARGE, weight="bold")
        write(
            self.page, 12, HEIGHT - 40, "thick circle: mean 0 and RMS 1", color=style.LAYER_NORM, fontsize=style.SMALL
        )
        write(self.page, 12, HEIGHT - 54, "thin circles: the sphere of RMS 1", color=style.FAINT, fontsize=style.SMALL)
        self.angle = write(self.page, 12, 42)
        texts = [*self.names.values(), *self.numbers.values(), *self.facts.values(), self.angle]
        self.moving = [*self.scenery, self.path, self.projection, *self.points.values(), *texts]

    def _space(self) -> Axes3D:
        axes = self.figure.add_axes((0.33, -0.06, 0.67, 1.12), projection="3d", computed_zorder=False)
        axes.patch.set_visible(False)
        axes.set_axis_off()
        axes.set(xlim=(-REACH, REACH), ylim=(-REACH, REACH), zlim=(-REACH, REACH))
        axes.set_box_aspect((1, 1, 1), zoom=1.32)
        return axes

    def _line(self, points: object, colour: str, **look: object) -> Line3D:
        line = Line3D(*np.asarray(points, dtype=float).T, color=colour, **look)
        self.axes.add_line(line)
        return line

    def _scenery(self) -> list[Artist]:
        """What stands still unless the eye moves; the last one is the sphere's edge, which follows the eye."""
        equator = circle((1.0, 1.0, 1.0))
        disc = Poly3DCollection([equator], facecolor=style.LAYER_NORM, alpha=0.12)
        self.axes.add_collection3d(disc)
        ones = self._line([(-1.25,) * 3, (1.25,) * 3], style.INK, linewidth=1.0, linestyle="--")
        thin = [self._line(circle(n), style.RULE, linewidth=0.9) for n in ((1, 0, 0), (0, 1, 0), (0, 0, 1))]
        thick = self._line(equator, style.LAYER_NORM, linewidth=2.2)
        self.edge = self._line(equator, style.FAINT, linewidth=1.0)
        self.ones_name = write(self.page, 0, 0, "(1, 1, 1)", fontsize=style.SMALL)
        return [disc, ones, *thin, thick, self.edge, self.ones_name]

    def show(self, steps: GeometrySteps) -> None:
        """Moves the vector and its results to these steps."""
        self._look_from(steps.azimuth)
        vectors = dict(zip(COLOURS, (steps.x, steps.layer_norm, steps.rms_norm), strict=True))
        self.path.set_data_3d(*np.array([(0.0, 0.0, 0.0), steps.x.tolist()]).T)
        self.projection.set_data_3d(*np.array([steps.x.tolist(), steps.centred.tolist()]).T)
        for name, vector in vectors.items():
            self.numbers[name].set_text("(" + ", ".join(map(formats.number, vector.tolist())) + ")")
            self.facts[name].set_text(mean_and_rms(vector))
        self._place({name: self.on_page(vector.tolist()) for name, vector in vectors.items()})
        self.angle.set_text(f"between the two results: {formats.number(steps.angle(), 0)}°")

    def _look_from(self, azimuth: float) -> None:
        if self.axes.azim == azimuth and self.axes.M is not None:
            return
        self.axes.view_init(elev=18, azim=azimuth)
        self.axes.M = self.axes.get_proj()
        up, across = np.radians(18), np.radians(azimuth)
        self.edge.set_data_3d(*circle((np.cos(up) * np.cos(across), np.cos(up) * np.sin(across), np.sin(up))).T)
        self.ones_name.set_position(self.on_page((1.27, 1.27, 1.27)))

    def _place(self, places: dict[str, tuple[float, float]]) -> None:
        """A dot at each place and its name beside it; names that would meet are moved apart, the lower one down."""
        order = sorted(places, key=lambda name: -places[name][1])
        heights = {name: places[name][1] - 3 for name in order}
        for upper, lower in pairwise(order):
            heights[lower] = min(heights[lower], heights[upper] - 13)
        for name, (x, y) in places.items():
            self.points[name].set_xy((x - DOT / 2, y - DOT / 2))
            self.names[name].set_position((x + 9, heights[name]))

    def on_page(self, point: tuple[float, float, float] | list[float]) -> tuple[float, float]:
        """Where a point in space stands on the page, in points."""
        x, y, _ = proj3d.proj_transform(*point, self.axes.M)
        return tuple(self.page.transData.inverted().transform(self.axes.transData.transform((x, y))).tolist())


def circle(normal: tuple[float, float, float], count: int = 49) -> np.ndarray:
    """Points of the circle of radius √3 about the origin in the plane with this normal: (count, 3)."""
    normal = np.asarray(normal, dtype=float) / np.linalg.norm(normal)
    first = np.cross(normal, (0.3, -0.5, 0.8))
    first /= np.linalg.norm(first)
    angles = np.linspace(0.0, 2 * np.pi, count)[:, None]
    return ROOT3 * (np.cos(angles) * first + np.sin(angles) * np.cross(normal, first))
