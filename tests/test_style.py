"""The colours: legible on both papers, and apart from their neighbours in grey and for colour-blind eyes."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest

from widgets import style
from widgets.flipbook.flipbook import Flipbook

LIGHT = {name: value for name, value in vars(style).items() if isinstance(value, str) and value.startswith("#")}
DARK = {name: style.DARK[value] for name, value in LIGHT.items()}
THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
PAPERS = {"light": ["#ffffff"], "dark": ["#111111", "#1e1e1e"]}  # JupyterLab's two, and VS Code's dark one
TEXT = sorted(set(LIGHT) - {"PAPER", "RULE"})  # all that words are written in

SIDE_BY_SIDE = [
    ("INPUT", "LAYER_NORM", "RMS_NORM"),  # overall shift, geometry
    ("RMS_NORM", "LAYER_NORM", "GATE", "INPUT"),  # eps
    ("INPUT", "GATE", "CONTENT", "OUTPUT"),  # gate flow, ledger, skeleton
    ("INK", "SIGMOID", "GATE", "GELU"),  # activation curves
    ("INPUT", "GELU", "GATE", "CONTENT"),  # product task
]
PAIRS = sorted({pair for group in SIDE_BY_SIDE for pair in itertools.combinations(group, 2)})

# Machado, Oliveira & Fernandes 2009, "A Physiologically-based Model for Simulation of Color Vision Deficiency",
# the matrices of severity 1.0, for linear red, green and blue.
BLINDNESS = {
    "protan": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deutan": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritan": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
TO_XYZ = np.array(  # IEC 61966-2-1 (sRGB), white D65
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)


def linear(colour: str) -> np.ndarray:
    """The light of a colour written #rrggbb: linear red, green and blue from 0 to 1."""
    values = np.array([int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)])
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str) -> float:
    """WCAG 2.1, section 1.4.3."""
    bright, dim = sorted(((TO_XYZ[1] @ linear(colour)) for colour in (one, other)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


def lab(light: np.ndarray) -> np.ndarray:
    """CIE 1976 L*a*b*, in which a step of about 2 can just be seen."""
    part = (TO_XYZ @ light) / (TO_XYZ @ np.ones(3))
    root = np.where(part > 216 / 24389, np.cbrt(part), (24389 / 27 * part + 16) / 116)
    return np.array([116 * root[1] - 16, 500 * (root[0] - root[1]), 200 * (root[1] - root[2])])


def test_the_measures_are_right():
    """Black on white is 21 to 1; white is (100, 0, 0), and sRGB's red has the published (53.24, 80.09, 67.20)."""
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert lab(linear("#ffffff")) == pytest.approx([100, 0, 0], abs=1e-3)
    assert lab(linear("#ff0000")) == pytest.approx([53.24, 80.09, 67.20], abs=0.02)


def test_every_colour_has_a_dark_twin_of_its_own():
    assert set(style.DARK) == set(LIGHT.values())
    assert len(set(style.DARK.values())) == len(style.DARK)


@THEMES
@pytest.mark.parametrize("name", TEXT)
def test_words_can_be_read(name, theme):
    papers = PAPERS["light" if theme is LIGHT else "dark"]
    assert min(contrast(theme[name], paper) for paper in papers) >= 4.5


@THEMES
@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_neighbours_differ_on_a_grey_printer(pair, theme):
    one, other = (lab(linear(theme[name]))[0] for name in pair)
    assert abs(one - other) >= 7


@THEMES
@pytest.mark.parametrize("kind", BLINDNESS)
@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_neighbours_differ_for_colour_blind_eyes(pair, kind, theme):
    one, other = (lab(np.clip(BLINDNESS[kind] @ linear(theme[name]), 0, 1)) for name in pair)
    assert np.linalg.norm(one - other) >= 12


def test_the_view_uses_only_colours_that_there_are():
    used = set(re.findall(r"var\(--flipbook-(\w+)", Flipbook._css))
    assert used and used <= {colour.removeprefix("#") for colour in style.DARK}
