"""Reading the ablation: runs of four arms, and what changes when one part is changed and the seed is kept."""

from __future__ import annotations

import csv
import itertools
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, stdev

from widgets.experiments.decoder import FEED_FORWARDS, NORMS

Arm = tuple[str, str]
ARMS: tuple[Arm, ...] = tuple(itertools.product(NORMS, FEED_FORWARDS))
CHANGES: tuple[tuple[Arm, Arm], ...] = (
    (("LayerNorm", "ReLU"), ("RMSNorm", "ReLU")),
    (("LayerNorm", "SwiGLU"), ("RMSNorm", "SwiGLU")),
    (("LayerNorm", "ReLU"), ("LayerNorm", "SwiGLU")),
    (("RMSNorm", "ReLU"), ("RMSNorm", "SwiGLU")),
)  # from one arm to another that differs from it in one part


@dataclass(frozen=True)
class Run:
    """One model trained: its arm, its seed, the learning rate, its parameters, its held-out loss in nats."""

    stage: str
    norm: str
    feed_forward: str
    seed: int
    learning_rate: float
    parameters: int
    held_out_loss: float

    @property
    def arm(self) -> Arm:
        return self.norm, self.feed_forward


def read_runs(path: str | Path) -> list[Run]:
    """The rows of a table made by lessons/data/ablation.py."""
    with Path(path).open(newline="", encoding="utf-8") as file:
        return [
            Run(
                row["stage"],
                row["norm"],
                row["feed_forward"],
                int(row["seed"]),
                float(row["learning_rate"]),
                int(row["parameters"]),
                float(row["held_out_loss"]),
            )
            for row in csv.DictReader(file)
        ]


def losses(runs: list[Run], arm: Arm) -> dict[int, float]:
    """Seed -> held-out loss of the runs of one arm that count: those after the tuning."""
    return {run.seed: run.held_out_loss for run in runs if run.arm == arm and run.stage == "final"}


@dataclass(frozen=True)
class Difference:
    """What a change of one part does to the loss, seed by seed; negative is better.

    error is the standard error of the mean; chance is how often a mean at least as far from zero comes out when every
    difference keeps its size and a coin decides its sign.
    """

    before: Arm
    after: Arm
    by_seed: dict[int, float]

    @property
    def mean(self) -> float:
        return mean(self.by_seed.values())

    @property
    def error(self) -> float:
        return stdev(self.by_seed.values()) / len(self.by_seed) ** 0.5

    @property
    def chance(self) -> float:
        sizes = [abs(value) for value in self.by_seed.values()]
        sums = [
            abs(sum(sign * size for sign, size in zip(signs, sizes, strict=True)))
            for signs in itertools.product((-1, 1), repeat=len(sizes))
        ]
        return mean(total >= abs(sum(self.by_seed.values())) - 1e-12 for total in sums)


def differences(runs: list[Run]) -> list[Difference]:
    """The four changes of one part, over the seeds that both arms have."""
    found = []
    for before, after in CHANGES:
        old, new = losses(runs, before), losses(runs, after)
        found.append(
            Difference(before, after, {seed: new[seed] - old[seed] for seed in sorted(old.keys() & new.keys())})
        )
    return found
