"""LaTeX in a lesson's prose as MathML, which every browser sets by itself: no script, no fonts, no network."""

from __future__ import annotations

import re

from latex2mathml.converter import convert

_CODE = re.compile(r"(```.*?```|`[^`\n]*`)", re.DOTALL)
_FORMULA = re.compile(r"\$\$(?P<block>.+?)\$\$|\$(?P<inline>[^$\n]+?)\$", re.DOTALL)
_LETTERS = re.compile(r'(?:<mi mathvariant="normal">\w</mi>){2,}')


def with_mathml(markdown: str) -> str:
    """The same prose with every $formula$ as MathML; code stays as it is."""
    parts = _CODE.split(markdown)
    parts[::2] = [_FORMULA.sub(_mathml, prose) for prose in parts[::2]]
    return "".join(parts)


def _mathml(found: re.Match) -> str:
    display = "inline" if found["block"] is None else "block"
    return _LETTERS.sub(_word, convert((found["block"] or found["inline"]).strip(), display=display))


def _word(letters: re.Match) -> str:
    """One name in place of its letters, so that it is set and read aloud as a word."""
    return f"<mi>{''.join(re.findall(r'>(.)<', letters[0]))}</mi>"
