"""The geometry of both norms for vectors of three components."""

from __future__ import annotations

import numpy as np
from ipywidgets import FloatSlider
from torch import Tensor

from widgets.explorers.explorer import Explorer
from widgets.flipbook.flipbook import Flipbook
from widgets.formats import number
from widgets.inputs import as_vector
from widgets.maths.geometry import geometry_steps
from widgets.pictures.norm_geometry import COLOURS, NormGeometryPicture

EXAMPLE = (-0.5, -0.4, 1.2)
POSITIONS = {
    "shift": np.linspace(-1.2, 1.2, 121).round(2),
    "turn": np.arange(0.0, 361.0, 3.0),
    "view": np.arange(-90.0, 91.0, 2.5),
}
VIEW = -15.0  # degrees: from here the circle, the sphere and the line are seen apart
START = {"shift": 0.6, "turn": 0.0, "view": 0.0}


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
        self.x, self.picture = x, NormGeometryPicture()
        flipbook = Flipbook(self.picture.figure, self._show, self.picture.moving, POSITIONS, START)
        words = {"shift": "overall shift", "turn": "turn the vector (degrees)", "view": "walk around (degrees)"}
        sliders = {
            name: FloatSlider(START[name], min=at[0], max=at[-1], step=at[1] - at[0], description=words[name])
            for name, at in POSITIONS.items()
        }
        super().__init__(flipbook, sliders, self._text)

    def _show(self, shift: float, turn: float, view: float) -> str:
        steps = geometry_steps(self.x, shift, turn, VIEW + view)
        self.picture.show(steps)
        x = ", ".join(map(number, steps.x.tolist()))
        start = f"x = ({x}) has mean {number(steps.x.mean().item())}:"
        if steps.layer_norm.abs().max() < 1e-6:
            return f"{start} all components are equal, so LayerNorm’s result is 0 and lies on no circle."
        if steps.angle() < 0.5:
            return f"{start} both results are the same point of the circle."
        return f"{start} RMSNorm’s result is {number(steps.angle(), 0)}° from LayerNorm’s, off the circle."

    def _text(self, shift: float, turn: float, view: float) -> str:
        steps = geometry_steps(self.x, shift, turn)
        lines = [
            f"overall shift {number(shift, sign=True)}, turned by {number(turn, 0)}°, seen from {number(view, 1)}°"
        ]
        for name, vector in zip(COLOURS, (steps.x, steps.layer_norm, steps.rms_norm), strict=True):
            lines.append(f"{name:<14}" + "".join(f"{number(value):>7}" for value in vector.tolist()))
        return "\n".join([*lines, f"between the two results: {number(steps.angle(), 0)}°"])
