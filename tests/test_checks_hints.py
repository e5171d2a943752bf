"""A check never shows the answer: no hint holds the line that solves its exercise."""

from __future__ import annotations

import re

from tests.notebooks import SOLUTIONS, read
from widgets.checks.exercises import museum, own_test, rmsnorm, swiglu
from widgets.checks.ladder import gradients
from widgets.checks.mistakes import backward, errors, gates, habits, modules, norms, statistic, widths
from widgets.checks.mistakes.diagnosis import Mistake


def squeezed(text: str) -> str:
    return re.sub(r"[\s`]", "", text)


def answers() -> list[str]:
    """What the functions of the solved notebooks return, where that is more than a name or a constant."""
    cells = [
        cell.source
        for name in ("05_exercise_rmsnorm", "06_exercise_swiglu")
        for cell in read(SOLUTIONS / f"{name}.ipynb").cells
        if cell.cell_type == "code" and "BEGIN SOLUTION" in cell.source
    ]
    returned = re.findall(r"return (.+)", "\n".join(cells))
    return [squeezed(one) for one in returned if len(squeezed(one)) > 10]


def hints() -> list[str]:
    found = []
    banks = (backward, errors, gates, habits, modules, norms, statistic, widths)
    for module in (museum, own_test, rmsnorm, swiglu, gradients, *banks):
        for name, value in vars(module).items():
            entries = value if isinstance(value, tuple) else (value,)
            found += [hint for one in entries if isinstance(one, Mistake) for hint in one.hints]
            found += [one for one in entries if isinstance(one, str) and name.endswith("HINTS")]
            found += list(value.hints) if isinstance(value, museum.Exhibit) else []
    return found


def test_no_hint_is_an_answer() -> None:
    lines, told = answers(), hints()
    assert len(lines) >= 12 and len(told) >= 300
    assert [(line, hint) for line in lines for hint in told if line in squeezed(hint)] == []
