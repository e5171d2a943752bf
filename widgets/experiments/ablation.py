"""Reading the ablation: runs of four arms, and what changes when one part is changed and the seed is kept."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from statistics import mean, stdev
from typing import get_type_hints

from widgets.experiments.tables import read_table
from widgets.formats import number
from widgets.inputs import as_list, shortened

MOST_RUNS, MOST_SEEDS = 10_000, 16

Arm = tuple[str, str]
ARMS: tuple[Arm, ...] = tuple(itertools.product(("LayerNorm", "RMSNorm"), ("ReLU", "SwiGLU")))
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
    """The rows of a table made by lessons/data/ablation.py.

    Raises TypeError for what is no path, ValueError for a file that cannot be read and for another table.
    """
    kinds = {field.name: get_type_hints(Run)[field.name] for field in fields(Run)}
    rows = read_table(path, list(kinds))
    try:
        return [Run(**{name: kind(row[name]) for name, kind in kinds.items()}) for row in rows]
    except ValueError as problem:
        wanted = (
            "Expected a table in which seed and parameters are whole numbers, learning_rate and held_out_loss numbers"
        )
        raise ValueError(f"{wanted}; got {shortened(problem)}.") from problem


def losses(runs: list[Run], arm: Arm) -> dict[int, float]:
    """Seed -> held-out loss of the runs of one arm that count: those after the tuning."""
    return {run.seed: run.held_out_loss for run in runs if run.arm == arm and run.stage == "final"}


@dataclass(frozen=True)
class Difference:
    """What a change of one part does to the loss, seed by seed; negative is better."""

    before: Arm
    after: Arm
    by_seed: dict[int, float]

    @cached_property
    def mean(self) -> float:
        return mean(self.by_seed.values())

    @cached_property
    def standard_error(self) -> float:
        """Of the mean."""
        return stdev(self.by_seed.values()) / len(self.by_seed) ** 0.5

    @cached_property
    def p_value(self) -> float:
        """How often a mean at least as far from zero comes out when a coin decides the sign of every difference.

        Source: Fisher's sign-flip (randomisation) test, two-sided, over all 2^seeds signs.
        """
        sizes = [abs(value) for value in self.by_seed.values()]
        sums = [
            abs(sum(sign * size for sign, size in zip(signs, sizes, strict=True)))
            for signs in itertools.product((-1, 1), repeat=len(sizes))
        ]
        return mean(total >= abs(sum(self.by_seed.values())) - 1e-12 for total in sums)

    @property
    def p_in_words(self) -> str:
        """The p-value, which is never 0."""
        return "p < 0.01" if self.p_value < 0.005 else f"p = {number(self.p_value)}"

    @property
    def better(self) -> int:
        """For how many seeds the loss has fallen."""
        return sum(value < 0 for value in self.by_seed.values())

    @property
    def part(self) -> int:
        """Which part is changed: 0 the norm, 1 the feed-forward network."""
        return 0 if self.before[0] != self.after[0] else 1

    @property
    def change(self) -> str:
        """What is changed, in words."""
        return f"{self.before[self.part]} → {self.after[self.part]}"

    @property
    def kept(self) -> str:
        """What is kept, in words."""
        return f"with {self.before[1 - self.part]}"


def differences(runs: list[Run]) -> list[Difference]:
    """The four changes of one part, over the seeds that both arms have.

    runs: from read_runs
    Raises TypeError for what is no list of runs, ValueError for none and for very many.
    """
    found, runs = [], _runs(runs)
    for before, after in CHANGES:
        old, new = losses(runs, before), losses(runs, after)
        found.append(
            Difference(before, after, {seed: new[seed] - old[seed] for seed in sorted(old.keys() & new.keys())})
        )
    return found


def main_effects(runs: list[Run]) -> dict[str, Difference]:
    """Each change in words -> what it does seed by seed, averaged over the part that is kept.

    Two questions, two tests: with four, up to one in five comes out below p = 0.05 by luck alone.
    Raises TypeError for what is no list of runs, ValueError for none and for very many.
    """
    effects, found = {}, differences(runs)
    for one, other in zip(found[::2], found[1::2], strict=True):
        by_seed = {seed: (one.by_seed[seed] + other.by_seed[seed]) / 2 for seed in one.by_seed.keys() & other.by_seed}
        effects[one.change] = Difference(one.before, one.after, by_seed)
    return effects


@dataclass(frozen=True)
class Results:
    """What the ablation found: the held-out losses of every arm by seed, and the four changes of one part."""

    losses: dict[Arm, dict[int, float]]
    differences: list[Difference]

    def mean(self, arm: Arm) -> float:
        """The arm's mean held-out loss, in nats."""
        return mean(self.losses[arm].values())

    def spread(self, arm: Arm) -> float:
        """The standard deviation of the arm's losses from seed to seed, in nats."""
        return stdev(self.losses[arm].values())


def results(runs: list[Run]) -> Results:
    """All that is drawn and told of the ablation.

    runs: from read_runs
    Raises TypeError for what is no list of runs, ValueError for none, for an arm with fewer than two final runs, and
    for two arms with fewer than two seeds in common or more than sixteen, which have too many signs to try.
    """
    runs = _runs(runs)
    found = Results({arm: losses(runs, arm) for arm in ARMS}, differences(runs))
    for arm, by_seed in found.losses.items():
        if len(by_seed) < 2:
            raise ValueError(f"Expected at least two final runs of {' + '.join(arm)}; got {len(by_seed)}.")
    for each in found.differences:
        if not 2 <= len(each.by_seed) <= MOST_SEEDS:
            arms = " and ".join(" + ".join(arm) for arm in (each.before, each.after))
            raise ValueError(f"Expected two to {MOST_SEEDS} seeds that {arms} share; got {len(each.by_seed)}.")
    return found


def _runs(runs: object) -> list[Run]:
    wanted = "Expected the runs that read_runs returns, in a list"
    found = as_list(wanted, runs, 1, MOST_RUNS)
    for run in found:
        if not isinstance(run, Run):
            raise TypeError(f"{wanted}; got {shortened(run)} among them.")
    return found
