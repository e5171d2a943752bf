"""Reading the census of decoder families, and counting them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from widgets.experiments.tables import read_table
from widgets.formats import scientific
from widgets.inputs import as_list

COLUMNS = ("norm", "gated", "eps", "qk_norm")  # what is counted
MOST_ROWS = 10_000
BOTH = {
    (True, True): "RMSNorm and gated",
    (True, False): "only RMSNorm",
    (False, True): "only gated",
    (False, False): "neither",
}


def read_census(path: str | Path) -> list[dict[str, str]]:
    """The rows of a table made by lessons/data/census.py, one a family.

    Raises TypeError for what is no path, ValueError for a file that cannot be read and for another table.
    """
    return read_table(path, (*COLUMNS, "year"))


def counts(census: Sequence[Mapping[str, str]]) -> dict[str, dict[str, int]]:
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


def both_by_year(census: Sequence[Mapping[str, str]]) -> dict[str, tuple[int, int]]:
    """Year -> how many families of that year have made both changes, and how many there are.

    Raises TypeError or ValueError in a sentence for what is not rows of the census.
    """
    rows = _rows(census, (*COLUMNS, "year"))
    both = Counter(row["year"] for row in rows if row["norm"] == "RMSNorm" and row["gated"] == "yes")
    return {year: (both[year], count) for year, count in sorted(Counter(row["year"] for row in rows).items())}


def _rows(census: object, columns: Sequence[str] = COLUMNS) -> list[dict[str, str]]:
    wanted = f"Expected rows of census.csv in a list, each with the columns {', '.join(columns)}"
    rows = as_list(wanted, census, 1, MOST_ROWS)
    for row in rows:
        if not isinstance(row, dict):
            raise TypeError(f"{wanted}; got a row of type {type(row).__name__:.40}.")
        missing = [name for name in columns if not isinstance(row.get(name), str)]
        if missing:
            raise ValueError(f"{wanted}; got a row without {missing[0]}.")
    return rows


def _eps(text: str) -> str:
    """The eps in the course's format; what is no number is left as it stands."""
    try:
        return scientific(float(text))
    except ValueError:
        return text
