"""The census of open decoder families as bars and as numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from widgets.explorers.explorer import Explorer
from widgets.explorers.still import still
from widgets.pictures.decoder_census import CensusPicture, counts


def decoder_census(census: Sequence[Mapping[str, str]]) -> Explorer:
    """How many families use which norm, a gate, both, which eps, and a norm on queries and keys.

    census: the rows of lessons/data/census.csv
    """
    lines = {
        title: f"{title}: " + ", ".join(f"{words} {count}" for words, count, _ in rows)
        for title, rows in counts(census).items()
    }
    caption = f"Of {len(census)} families, {lines['both changes']}."
    return still(CensusPicture(census).figure, caption, "\n".join(lines.values()))
