"""Reading the census of decoder families, and counting them."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from widgets.formats import scientific

COLUMNS = ("norm", "gated", "eps", "qk_norm")  # what is counted
BOTH = {
    (True, True): "RMSNorm and gated",
    (True, False): "only RMSNorm",
    (False, True): "only gated",
    (False, False): "neither",
}


def read_census(path: str | Path) -> list[dict[str, str]]:
    """The rows of a table made by lessons/data/census.py, one a family."""
    with Path(path).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def counts(census: Iterable[Mapping[str, str]]) -> dict[str, dict[str, int]]:
    """Question -> answer -> how many families give it, the most frequent first.

    Raises TypeError or ValueError in a sentence for what is not rows of the census.
    """
    rows = _rows(census)
    found = {
        "norm": Counter(row["norm"] for row in rows),
        "feed-forward": Counter("gated" if row["gated"] == "yes" else "not gated" for row in rows),
        "both changes": Counter(BOTH[row["norm"] == "RMSNorm", row["gated"] == "yes"] for row in rows),
        "eps of the RMSNorms": Counter(_eps(row["eps"]) for row in rows if row["norm"] == "RMSNorm"),
        "norm on queries and keys": Counter("QK-norm" if row["qk_norm"] == "yes" else "none" for row in rows),
    }
    return {question: dict(answers.most_common()) for question, answers in found.items()}


def _rows(census: Iterable[Mapping[str, str]]) -> list[Mapping[str, str]]:
    wanted = f"Expected rows of census.csv, each with the columns {', '.join(COLUMNS)}"
    if isinstance(census, str | bytes | Mapping) or not isinstance(census, Iterable):
        raise TypeError(f"{wanted}; got {type(census).__name__}.")
    rows = list(census)
    if not rows:
        raise ValueError(f"{wanted}; got no rows.")
    for row in rows:
        if not isinstance(row, Mapping):
            raise TypeError(f"{wanted}; got a row of type {type(row).__name__}.")
        missing = [name for name in COLUMNS if not isinstance(row.get(name), str)]
        if missing:
            raise ValueError(f"{wanted}; got a row without {missing[0]}.")
    return rows


def _eps(text: str) -> str:
    """The eps in the course's format; what is no number is left as it stands."""
    try:
        return scientific(float(text))
    except ValueError:
        return text
