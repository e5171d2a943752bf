"""Measures how smoothly the pictures follow a slider, and what a lesson's kernel costs: `python3 course.py bench`.

Give it the names of explorers to measure only these: `python3 course.py bench overall_shift`.
"""

from __future__ import annotations

import sys

from tests.bench import kernels, sliders
from tests.explorers import EXPLORERS


def main(names: list[str]) -> int:
    """Print one table a question; 2 for an unknown name."""
    unknown = [name for name in names if name not in EXPLORERS]
    if unknown:
        print(f"There is no explorer {unknown[0]}; there are {', '.join(EXPLORERS)}.", file=sys.stderr)
        return 2
    sliders.measure_explorers(names or list(EXPLORERS))
    if not names:
        sliders.measure_kernels()
        sliders.measure_pages()
        kernels.measure_building(EXPLORERS)
        kernels.compare_kernels()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
