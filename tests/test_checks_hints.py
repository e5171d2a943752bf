"""No hint holds the line that solves its exercise, and a number to try tells the wrong code from the right."""

from __future__ import annotations

import re

import pytest
import torch

from tests.notebooks import SOLUTIONS, read
from widgets.checks.exercises import museum, own_test, rmsnorm, swiglu
from widgets.checks.ladder import gradients
from widgets.checks.mistakes import backward, errors, gate_formulas, gates, habits, modules, norms, statistic, widths
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


RULES = {widths.MATCHED: gate_formulas.matched_d_ff, widths.LLAMA: gate_formulas.llama_d_ff}
EXAMPLE = re.compile(r"(?:(\d+) and )?(\d+)(?: with (.+?))?(?:: it)? should give (\d+)")
EXAMPLES = [
    pytest.param(rule, one, *found.groups(), id=f"{rule.__name__}-{one.name}")
    for bank, rule in RULES.items()
    for one in bank
    for hint in one.hints
    if (found := EXAMPLE.search(hint))
]


@pytest.mark.parametrize(("rule", "mistake", "d_model", "width", "others", "right"), EXAMPLES)
def test_an_example_gives_another_number_to_who_has_made_the_mistake(
    rule, mistake: Mistake, d_model: str | None, width: str, others: str | None, right: str
) -> None:
    sizes = [int(width)] if rule is gate_formulas.llama_d_ff else [int(d_model or 64), int(width)]
    named = {name: float(value) if "." in value else int(value) for name, value in map(given, others_in(others))}
    assert rule(*sizes, **named) == int(right)
    assert int(right) not in [rule(*sizes, **named, **steps) for steps in mistake.variants]


def others_in(text: str | None) -> list[str]:
    return text.split(" and ") if text else []


def given(text: str) -> tuple[str, str]:
    """The name and the value in "multiple_of = 96"."""
    name, _, value = text.partition(" = ")
    return name, value


def test_most_mistakes_of_widths_have_an_example() -> None:
    assert len(EXAMPLES) >= 18


@pytest.mark.parametrize("name", ["clamped far out", "tail cut off"])
def test_far_out_every_cut_shows(name: str) -> None:
    """At −35, where those hints send a learner."""
    [mistake] = [one for one in gates.SWISH if one.name == name]
    z = torch.tensor([-35.0], dtype=torch.float64)
    assert any("−35 times the sigmoid of −35" in hint for hint in mistake.hints)
    right = gate_formulas.swish(z)
    assert all(abs(gate_formulas.swish(z, **steps) - right) > 0.5 * abs(right) for steps in mistake.variants)
