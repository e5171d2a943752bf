"""Where the two norms send a vector of three components: a circle and a sphere."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import torch
from torch import Tensor

from widgets.maths.norms import layer_norm_steps, rms_norm_steps


@dataclass(frozen=True)
class GeometrySteps:
    """A vector of three components, its part without mean, and both results; each (3,).

    shift: what was added to every component; turn, azimuth: degrees, the latter those from which they are looked at
    """

    x: Tensor
    centred: Tensor
    layer_norm: Tensor
    rms_norm: Tensor
    shift: float = 0.0
    turn: float = 0.0
    azimuth: float = 0.0

    @property
    def named(self) -> dict[str, Tensor]:
        """The vector and both results by their names."""
        return {"x": self.x, "LayerNorm(x)": self.layer_norm, "RMSNorm(x)": self.rms_norm}

    def angle(self) -> float:
        """The angle between the two results, in degrees."""
        cosine = torch.nn.functional.cosine_similarity(self.layer_norm, self.rms_norm, dim=0)
        return math.degrees(math.acos(min(1.0, max(-1.0, cosine.item()))))


def geometry_steps(
    x0: Tensor, shift: float = 0.0, turn: float = 0.0, azimuth: float = 0.0, eps: float = 1e-5
) -> GeometrySteps:
    """Turns x0 about the line through (1, 1, 1), adds the shift to every component, and normalises both ways.

    x0: (3,), floating point; turn and azimuth in degrees, the latter only for who looks at the steps
    """
    x = turned(x0, turn) + shift
    steps = layer_norm_steps(x, eps)
    return GeometrySteps(x, steps.centred, steps.result, rms_norm_steps(x, eps).result, shift, turn, azimuth)


def farthest(x0: Tensor, shifts: Iterable[float]) -> float:
    """The length of the longest vector that x0 becomes with one of these shifts; turning changes no length.

    x0: (3,)
    """
    return max((x0 + shift).norm().item() for shift in shifts)


def turned(x: Tensor, degrees: float) -> Tensor:
    """x turned about the line through (1, 1, 1), which keeps its mean and its length.

    x: (3,)
    Source: Rodrigues' rotation formula.
    """
    axis = torch.full_like(x, 3**-0.5)
    cosine, sine = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return x * cosine + torch.linalg.cross(axis, x) * sine + axis * (axis @ x) * (1 - cosine)
