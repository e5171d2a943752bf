"""Where the two norms send a vector of three components: a circle and a sphere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import cosine_similarity

from widgets.maths.norms import layer_norm_steps, mean_and_rms, rms_norm_steps
from widgets.maths.places import apart, column


@dataclass(frozen=True)
class GeometrySteps:
    """A vector of three components, its part without mean, and both results; each (3,).

    facts: (3, 2), mean and RMS of x and of both results; angle: degrees between the results
    shift: what was added to every component; turn, azimuth: degrees, the latter those from which they are looked at
    """

    x: Tensor
    centred: Tensor
    layer_norm: Tensor
    rms_norm: Tensor
    facts: Tensor
    angle: float
    shift: float
    turn: float
    azimuth: float

    @property
    def named(self) -> dict[str, Tensor]:
        """The vector and both results by their names."""
        return {"x": self.x, "LayerNorm(x)": self.layer_norm, "RMSNorm(x)": self.rms_norm}


def geometry_steps(
    x0: Tensor, shift: float = 0.0, turn: float = 0.0, azimuth: float = 0.0, eps: float = 1e-5
) -> GeometrySteps:
    """Turns x0 about the line through (1, 1, 1), adds the shift to every component, and normalises both ways.

    x0: (3,), floating point; turn and azimuth in degrees, the latter only for who looks at the steps
    """
    return geometry_steps_along(x0, [shift], [turn], [azimuth], eps)[0]


def geometry_steps_along(
    x0: Tensor, shifts: Sequence[float], turns: Sequence[float], azimuths: Sequence[float], eps: float = 1e-5
) -> list[GeometrySteps]:
    """The same for as many shifts, turns and azimuths, computed together.

    x0: (3,), floating point
    """
    shift, turn, azimuth = map(column, (shifts, turns, azimuths))
    x = turned(x0, turn) + shift
    steps, rms_norm = layer_norm_steps(x, eps), rms_norm_steps(x, eps).result
    facts = mean_and_rms(x, steps.result, rms_norm)
    angle = cosine_similarity(steps.result, rms_norm, dim=-1).clamp(-1, 1).acos().rad2deg()
    return apart(
        GeometrySteps(x, steps.centred, steps.result, rms_norm, facts, angle, shift, turn, azimuth)  # type: ignore[arg-type]
    )


def farthest(x0: Tensor, shifts: Iterable[float]) -> float:
    """The length of the longest vector that x0 becomes with one of these shifts; turning changes no length.

    x0: (3,)
    """
    return max((x0 + shift).norm().item() for shift in shifts)


def turned(x: Tensor, degrees: float | Tensor) -> Tensor:
    """x turned about the line through (1, 1, 1), which keeps its mean and its length.

    x: (3,) -> (3,), or (places, 3) for a column of degrees, (places, 1)
    Source: Rodrigues' rotation formula.
    """
    axis = torch.full_like(x, 3**-0.5)
    angle = torch.as_tensor(degrees, dtype=x.dtype).deg2rad()
    cosine, sine = angle.cos(), angle.sin()
    return x * cosine + torch.linalg.cross(axis, x) * sine + axis * (axis @ x) * (1 - cosine)
