"""The census of open decoder families as bars and as numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from widgets.experiments.census import counts
from widgets.explorers.explorer import Explorer
from widgets.explorers.still import still
from widgets.pictures.decoder_census import census_figures


def decoder_census(census: Sequence[Mapping[str, str]]) -> Explorer:
    """How many families use which norm, a gate, both, which eps, and a norm on queries and keys.

    census: from widgets.experiments.census.read_census
    Raises TypeError or ValueError when it is something else.
    """
    found = counts(census)
    lines = {
        question: f"{question}: " + ", ".join(f"{answer} {count}" for answer, count in answers.items())
        for question, answers in found.items()
    }
    caption = f"{sum(found['norm'].values())} families. {'; '.join(lines.values())}."
    return still(partial(census_figures, found), caption, "\n".join(lines.values()))
