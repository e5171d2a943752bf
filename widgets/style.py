"""How the course looks: colours with a meaning, and the sizes of text.

Every colour has a light and a dark form; the browser shows the one that fits JupyterLab's theme. The five that mean
something differ in lightness as well as hue, so that they stay apart on a grey printer.
"""

from __future__ import annotations

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
SIGMOID = "#2f7fb0"  # curves beside Swish, which is drawn in the colour of the gate
GELU = "#8a6a00"

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
    SIGMOID: "#74bde6",
    GELU: "#dcbf55",
}

SMALL, NORMAL, LARGE = 9.0, 10.5, 13.0  # points, in a picture 10 inches wide
