"""How the course looks and counts: colours with a meaning, sizes, number formats, and the words a picture shows.

Every colour has a light and a dark form; the browser shows the one that fits JupyterLab's theme. The five that mean
something differ in lightness as well as hue, so that they stay apart on a grey printer.
"""

from __future__ import annotations

import math

INK = "#1f2a33"  # text, axes
FAINT = "#7b8790"  # ticks, outlines, what is only there to compare with
RULE = "#d5dade"  # grid and frames
PAPER = "#ffffff"

INPUT = "#5b6770"
LAYER_NORM = "#1f5fae"
RMS_NORM = "#d9731a"
GATE = "#0e7c66"
CONTENT = "#8f4fa8"
OUTPUT = "#b5333f"

DARK = {  # the same colours on JupyterLab's dark theme
    INK: "#e6ebef",
    FAINT: "#93a0aa",
    RULE: "#3d474f",
    PAPER: "#111111",
    INPUT: "#a3afb8",
    LAYER_NORM: "#6ea8ee",
    RMS_NORM: "#f2a45c",
    GATE: "#4fc2a7",
    CONTENT: "#c792dc",
    OUTPUT: "#ef7f88",
}

SMALL, NORMAL, LARGE = 9.0, 10.5, 13.0  # points, in a picture 10 inches wide


def number(value: float, digits: int = 2, sign: bool = False) -> str:
    """A number as the course prints it: fixed decimals, a real minus sign, never a negative zero.

    Numbers whose fixed form would lose the point (under half the last digit, or over 99999) are written like 1.2e-5.
    """
    if value and (abs(value) < 0.5 * 10**-digits or abs(value) >= 1e5):
        text = f"{value:.1e}".replace("e-0", "e-").replace("e+0", "e+").replace("e+", "e")
    else:
        text = f"{value:.{digits}f}"
        if float(text) == 0.0:
            text = f"{0.0:.{digits}f}"
    if sign and math.copysign(1.0, value) > 0 and float(text) != 0.0:
        text = "+" + text
    return text.replace("-", "−")
