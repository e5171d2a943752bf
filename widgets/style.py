"""How the course looks: colours with a meaning, and the sizes of text.

Every colour has a light and a dark form; the browser shows the one that fits the page. All that text is written in have
a contrast of at least 4.5 to the paper, and colours that stand side by side differ in lightness as well as hue, so that
they stay apart on a grey printer and for colour-blind eyes (tests/test_style.py measures it).
"""

from __future__ import annotations

INK = "#1c272f"  # text, axes
FAINT = "#647079"  # ticks, outlines, what is only there to compare with
RULE = "#d5dade"  # grid and frames
PAPER = "#ffffff"

INPUT = "#353f46"
LAYER_NORM = "#004e99"
RMS_NORM = "#bc570f"
GATE = "#006f50"
CONTENT = "#732f91"
OUTPUT = "#d63268"
SIGMOID = "#005183"  # curves beside Swish, which is drawn in the colour of the gate
GELU = "#8e7100"

DARK = {  # the same colours on a dark page
    INK: "#edf1f4",
    FAINT: "#96a2ac",
    RULE: "#3d474f",
    PAPER: "#111111",
    INPUT: "#d0dbe7",
    LAYER_NORM: "#4a90e5",
    RMS_NORM: "#eb9045",
    GATE: "#40d4a2",
    CONTENT: "#b374d5",
    OUTPUT: "#f98085",
    SIGMOID: "#0198cf",
    GELU: "#c6a231",
}

SMALL, NORMAL, LARGE = 11.9, 12.5, 15.0  # points, on a panel 340 points wide
