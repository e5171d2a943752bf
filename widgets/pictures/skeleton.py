"""The skeleton of a gated layer beside the two-layer network: every matrix drawn to scale, area for parameters."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from widgets import style
from widgets.maths.budget import Budget, gated_budget, relu_budget
from widgets.pictures.page import box, page, write

WIDTH, HEIGHT = 720, 330
TALLEST = 118.0  # points for the larger of the two widths d_ff
