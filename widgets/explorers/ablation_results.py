"""The ablation's results as a picture and as numbers."""

from __future__ import annotations

from functools import partial

from widgets.experiments.ablation import Arm, Difference, Results, Run, results
from widgets.explorers.explorer import Explorer
from widgets.explorers.still import still
from widgets.formats import number
from widgets.pictures.ablation_results import ablation_figures


def ablation_results(runs: list[Run]) -> Explorer:
    """Four arms and the four changes of one part between them, with error bars of two standard errors.

    runs: from widgets.experiments.ablation.read_runs
    Raises TypeError or ValueError when they are something else, or too few.
    """
    found = results(runs)
    lines = [_arm(found, arm) for arm in found.losses] + [_difference(each) for each in found.differences]
    losses = (f"{' + '.join(arm)} {number(found.mean(arm), 3)}" for arm in found.losses)
    changes = (f"{each.change} {each.kept} {_worth(each)} ({each.p_in_words})" for each in found.differences)
    caption = f"Mean held-out loss in nats: {'; '.join(losses)}. Mean change: {'; '.join(changes)}."
    return still(partial(ablation_figures, found), caption, "\n".join(lines))


def _arm(found: Results, arm: Arm) -> str:
    return f"{' + '.join(arm):<28}{number(found.mean(arm), 3)} (seeds differ by {number(found.spread(arm), 3)})"


def _worth(each: Difference) -> str:
    return f"{number(each.mean, 3, sign=True)} ± {number(each.standard_error, 3)}"


def _difference(each: Difference) -> str:
    seeds = f"better for {each.better} of {len(each.by_seed)} seeds, {each.p_in_words}"
    return f"{f'{each.change} {each.kept}':<36}{_worth(each)}   {seeds}"
