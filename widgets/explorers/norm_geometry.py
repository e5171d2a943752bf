"""The geometry of both norms for vectors of three components."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
from torch import Tensor

from widgets.explorers.explorer import Explorer
from widgets.flipbook.controls import Slider
from widgets.formats import number
from widgets.inputs import as_vector
from widgets.maths.geometry import GeometrySteps, farthest, geometry_steps, geometry_steps_along
from widgets.pictures.norm_geometry import NormGeometryPicture

EXAMPLE = (-0.5, -0.4, 1.2)
SHIFTS = np.linspace(-1.2, 1.2, 121).round(2)
TURNS = np.arange(0.0, 361.0, 3.0)
VIEWS = np.arange(-90.0, 91.0, 5.0)
VIEW = -15.0  # degrees: from here the circle, the sphere and the line are seen apart


def norm_geometry(x: object = None) -> Explorer:
    """Where LayerNorm and RMSNorm send a vector of three components: onto a circle and onto a sphere.

    x: 3 numbers, by default (-0.5, -0.4, 1.2). Sliders add a shift to every component, turn the vector about the line
    through (1, 1, 1), and walk around the picture.
    Raises TypeError or ValueError in a sentence when x is something else.
    """
    return NormGeometry(as_vector(EXAMPLE if x is None else x, fewest=3, most=3))


class NormGeometry(Explorer):
    """The explorer that `norm_geometry` returns."""

    def __init__(self, x: Tensor) -> None:
        self.x0, mean = x, x.mean().item()
        shifts = SHIFTS.copy()
        if SHIFTS[0] <= -mean <= SHIFTS[-1]:
            shifts[abs(SHIFTS + mean).argmin()] = -mean  # so that there is one at which the mean is 0
        controls = {
            "shift": Slider("overall shift", shifts, 0.6, partial(number, sign=True)),
            "turn": Slider("turn the vector", TURNS, 0.0, _degrees),
            "view": Slider("walk around", VIEWS, 0.0, _degrees),
        }
        wanted = {"mean 0": -mean, "mean below 0": -mean - 1.0}
        presets = {label: {"shift": at} for label, at in wanted.items() if SHIFTS[0] <= at <= SHIFTS[-1]}
        presets["from the side"] = {"view": 60.0}
        super().__init__(controls, presets)

    def paint(self) -> NormGeometryPicture:
        return NormGeometryPicture(farthest(self.x0, SHIFTS))

    def steps(self, shift: float, turn: float, view: float) -> GeometrySteps:
        return geometry_steps(self.x0, shift, turn, VIEW + view)

    def along(self, places: Sequence[Mapping[str, float]]) -> list[GeometrySteps]:
        shifts, turns, views = ([at[name] for at in places] for name in ("shift", "turn", "view"))
        return geometry_steps_along(self.x0, shifts, turns, [VIEW + view for view in views])

    def words(self, steps: GeometrySteps) -> str:
        x = ", ".join(map(number, steps.x.tolist()))
        start = f"x = ({x}) has mean {number(steps.facts[0, 0].item())}:"
        if steps.layer_norm.abs().max() < 1e-6:
            return f"{start} all components are equal, or nearly, so LayerNorm’s result is 0 and lies on no circle."
        size = steps.facts[1, 1].item()
        if size < 0.995:
            return f"{start} its differences are small beside ε, so LayerNorm’s result has RMS {number(size)} only."
        if steps.angle < 0.5:
            return f"{start} both results are the same point of the circle."
        return f"{start} RMSNorm’s result is {number(steps.angle, 0)}° from LayerNorm’s, off the circle."

    def lines(self, steps: GeometrySteps) -> str:
        where = f"overall shift {number(steps.shift, sign=True)}, turned by {_degrees(steps.turn)}"
        lines = [f"{where}, seen from {number(steps.azimuth - VIEW, 1)}°"]
        for name, vector in steps.named.items():
            lines.append(f"{name:<14}" + "".join(f" {number(value):>6}" for value in vector.tolist()))
        nothing = steps.layer_norm.abs().max() < 1e-6
        between = "LayerNorm’s result is 0" if nothing else f"{number(steps.angle, 0)}°"
        return "\n".join([*lines, f"between the two results: {between}"])


def _degrees(angle: float) -> str:
    return f"{number(angle, 0 if angle == round(angle) else 1)}°"
