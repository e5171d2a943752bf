"""How long a lesson takes, by one formula: `python -m tests.minutes` writes it into titles and READMEs.

    minutes = words / 130
            + 1    for each question that is to be answered before a run
            + 1/3  for each cell of code to read and run
            + 1    for each picture that stands still, 2 for each that moves, 3 for one that measures or trains
            + what an exercise says of itself ("*Easy, 5 minutes*")

130 words a minute is a careful reader of technical prose whose first language may be another; folded explanations and
tables count, formulas and code blocks do not. A cell to fill in and its check belong to the exercise's own minutes. The
sum is stated in steps of five minutes. Nobody has been timed: the constants are agreed, so that lessons are comparable.
"""

from __future__ import annotations

import re
from pathlib import Path

from nbformat import NotebookNode

from tests.notebooks import LESSONS, ROOT, SOLUTIONS, notebooks_in, read

WORDS_A_MINUTE = 130
CODE = 1 / 3
CALLS = {  # minutes for each name that a lesson can call
    **dict.fromkeys(("predict", "my_predictions"), 1),
    **dict.fromkeys(("ablation_results", "decoder_block", "decoder_census", "norm_timings", "product_fits"), 1),
    **dict.fromkeys(("residual_growth", "skeleton"), 1),
    **dict.fromkeys(("activation_curves", "eps_effect", "gate_flow", "norm_geometry", "overall_shift"), 2),
    **dict.fromkeys(("parameter_ledger", "swish_beta", "three_matrices"), 2),
    **dict.fromkeys(("time_norms", "train_pair"), 3),
}
EXERCISE = r"^\*[A-Z][a-z]+, (\d+) minutes\b.*\*$"  # *Medium, 20 minutes*, on a line of its own
STATED = r"\b([Aa]bout) (\d+) minutes"
ROW = r"^\| `{}` \| (.*?) \| \d+ \|$"
TOTAL = r"That is \d+ hours?(?: \d+ minutes)?\."


def minutes(notebook: NotebookNode) -> float:
    """What the formula gives for a lesson, not yet rounded."""
    return sum(prose_minutes(cell) if cell.cell_type == "markdown" else code_minutes(cell) for cell in notebook.cells)


def prose_minutes(cell: NotebookNode) -> float:
    """Reading it, and doing the exercise that it sets."""
    prose = re.sub(r"```.*?```|\$\$.*?\$\$|<[^>]*>|\]\([^)]*\)", " ", cell.source, flags=re.S)
    exercises = sum(int(given) for given in re.findall(EXERCISE, cell.source, flags=re.M))
    return len(re.findall(r"\S*\w\S*", prose)) / WORDS_A_MINUTE + exercises


def code_minutes(cell: NotebookNode) -> float:
    """Answering, looking, or reading and running; nothing for imports and for what belongs to an exercise."""
    called = [CALLS[name] for name in re.findall(r"\b(\w+)\(", cell.source) if name in CALLS]
    if called:
        return max(called)
    in_an_exercise = re.search(r"\bNotImplementedError\b|\bchecks\.|\bverdict\b", cell.source)
    return 0 if in_an_exercise or re.match(r"(import|from) ", cell.source) else CODE


def rounded(value: float) -> int:
    """To the nearest five minutes, at least five."""
    return max(5, 5 * round(value / 5))


def state(path: Path, said: int) -> None:
    """Writes the minutes into the title of one notebook, wherever it is kept."""
    for kept in (path, SOLUTIONS / path.name):
        if kept.exists():
            text = kept.read_text(encoding="utf-8")
            kept.write_text(re.sub(STATED, rf"\1 {said} minutes", text, count=1), encoding="utf-8")


def state_in_readmes(said: dict[str, int]) -> None:
    """Writes the minutes into the tables of both READMEs, and their sum into the sentence under the table."""
    hours, rest = divmod(sum(said.values()), 60)
    for path in (ROOT / "README.md", LESSONS / "README.md"):
        text = path.read_text(encoding="utf-8")
        for name, value in said.items():
            text = re.sub(ROW.format(name), rf"| `{name}` | \1 | {value} |", text, flags=re.M)
        path.write_text(re.sub(TOTAL, f"That is {hours} hours {rest} minutes.", text), encoding="utf-8")


def main() -> None:
    """Says what each lesson takes, and writes it where it is stated."""
    said = {}
    for path in notebooks_in([LESSONS]):
        taken = minutes(read(path))
        said[path.stem] = rounded(taken)
        print(f"{path.stem:<24}{taken:6.1f}  ->  {said[path.stem]}")
        state(path, said[path.stem])
    state_in_readmes(said)


if __name__ == "__main__":
    main()
