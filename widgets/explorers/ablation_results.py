"""The ablation's results as a picture and as numbers."""

from __future__ import annotations

from statistics import mean, stdev

from widgets.experiments.ablation import ARMS, Run, differences, losses
from widgets.explorers.explorer import Explorer
from widgets.explorers.still import still
from widgets.pictures.ablation_results import AblationPicture, change
from widgets.style import number


def ablation_results(runs: list[Run]) -> Explorer:
    """Four arms and the four changes of one part between them, with error bars of two standard errors.

    runs: from widgets.experiments.ablation.read_runs
    Raises ValueError when an arm has fewer than two runs that count.
    """
    for arm in ARMS:
        if len(losses(runs, arm)) < 2:
            raise ValueError(f"Expected at least two final runs of {' + '.join(arm)}; got {len(losses(runs, arm))}.")
    rows = [f"{' + '.join(arm):<28}{_spread(list(losses(runs, arm).values()))}" for arm in ARMS]
    for difference in differences(runs):
        worth = f"{number(difference.mean, 3, sign=True)} ± {number(difference.error, 3)}"
        better = sum(value < 0 for value in difference.by_seed.values())
        seeds = f"better for {better} of {len(difference.by_seed)} seeds"
        rows.append(f"{' '.join(change(difference)):<36}{worth}   {seeds}, by chance {number(difference.chance)}")
    changes = (f"{' '.join(change(each))} {number(each.mean, 3, sign=True)}" for each in differences(runs))
    return still(AblationPicture(runs).figure, f"Mean change in nats: {'; '.join(changes)}.", "\n".join(rows))


def _spread(values: list[float]) -> str:
    return f"{number(mean(values), 3)} (seeds differ by {number(stdev(values), 3)})"
