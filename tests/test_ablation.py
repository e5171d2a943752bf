"""The shipped table against itself, against the script that made it, and its statistics by hand."""

from __future__ import annotations

import csv
import hashlib
import platform
from collections import defaultdict
from itertools import islice
from statistics import mean, stdev

import pytest
import torch

from tests.data import DATA
from tests.data import script as load_script
from widgets.experiments.ablation import ARMS, Difference, differences, losses, main_effects, read_runs
from widgets.experiments.decoder import CharModel, parameter_count
from widgets.experiments.threads import one_thread
from widgets.experiments.training import encode, text
from widgets.explorers.ablation_results import ablation_results

RUNS = read_runs(DATA / "ablation.csv")


@pytest.fixture(scope="module")
def script():
    """lessons/data/ablation.py as a module."""
    return load_script("ablation")


def rows() -> list[dict[str, str]]:
    with (DATA / "ablation.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_the_table_is_complete(script):
    assert len(RUNS) == len(ARMS) * (len(script.LEARNING_RATES) * len(script.TUNING_SEEDS) + 8)
    for arm in ARMS:
        assert sorted(losses(RUNS, arm)) == list(range(8))
    assert not {run.seed for run in RUNS if run.stage == "final"} & set(script.TUNING_SEEDS)


def test_all_took_the_rate_that_is_best_on_average():
    tried, taken = defaultdict(list), set()
    for row in rows():
        if row["stage"] == "tuning":
            tried[row["learning_rate"]].append(float(row["held_out_loss"]))
        else:
            taken.add(row["learning_rate"])
    assert taken == {min(tried, key=lambda rate: mean(tried[rate]))}


def test_no_best_rate_lies_at_the_end_of_the_grid(script):
    """Else a rate that nobody tried might be better."""
    assert {run.learning_rate for run in RUNS if run.stage == "final"} <= set(script.LEARNING_RATES[1:-1])


def test_parameters_are_the_models_own():
    for arm in ARMS:
        assert {run.parameters for run in RUNS if run.arm == arm} == {parameter_count(CharModel(*arm))}


def test_differences_by_hand():
    found = defaultdict(dict)
    for row in rows():
        if row["stage"] == "final":
            found[row["norm"], row["feed_forward"]][row["seed"]] = float(row["held_out_loss"])
    by_hand = {
        (before, after): [found[after][seed] - found[before][seed] for seed in found[before]]
        for before in found
        for after in found
        if before != after
    }
    assert len(differences(RUNS)) == 4
    for difference in differences(RUNS):
        values = by_hand[difference.before, difference.after]
        assert sum(a != b for a, b in zip(difference.before, difference.after, strict=True)) == 1
        assert difference.mean == pytest.approx(mean(values))
        assert difference.standard_error == pytest.approx(stdev(values) / len(values) ** 0.5)


@pytest.mark.parametrize(
    ("values", "p_value"),
    [((1.0, 1.0), 2 / 4), ((1.0, 1.0, 1.0), 2 / 8), ((1.0, -1.0), 1.0), ((3.0, 1.0, -1.0), 6 / 8)],
)
def test_p_value_by_hand(values, p_value):
    """(3, 1, −1) sums to 3; of ±3 ± 1 ± 1, the sums 5, 3, 3 and their opposites are as far from zero."""
    assert Difference(ARMS[0], ARMS[1], dict(enumerate(values))).p_value == pytest.approx(p_value)


def test_main_effects_by_hand():
    """The mean over both kept parts, which is half of the difference of sums over the arms."""
    norm, gate = main_effects(RUNS).values()
    by_arm = {arm: losses(RUNS, arm) for arm in ARMS}
    for seed in range(8):
        layer_relu, layer_swiglu, rms_relu, rms_swiglu = (by_arm[arm][seed] for arm in ARMS)
        assert norm.by_seed[seed] == pytest.approx((rms_relu + rms_swiglu - layer_relu - layer_swiglu) / 2)
        assert gate.by_seed[seed] == pytest.approx((layer_swiglu + rms_swiglu - layer_relu - rms_relu) / 2)
    assert list(main_effects(RUNS)) == ["LayerNorm → RMSNorm", "ReLU → SwiGLU"]


def test_what_the_lesson_says():
    """The norm's difference is within its error, the gate's beyond two; the gate is better in 14 of 16 pairs."""
    norm, gate = main_effects(RUNS).values()
    assert abs(norm.mean) < norm.standard_error and norm.p_value > 0.5
    assert gate.mean < -2 * gate.standard_error and gate.p_value < 0.05
    norms, gates = differences(RUNS)[:2], differences(RUNS)[2:]
    assert all(abs(each.mean) < each.standard_error + 1e-3 for each in norms)
    assert sum(each.better for each in gates) == 14


@pytest.mark.full
@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("held_out_loss", "loss", "with the columns stage, norm, .*; got a row without held_out_loss"),
        ("tuning,", "", "with the columns stage, norm, .*; got a row without held_out_loss"),
        (",2.", ",two point ", "in which .* are whole numbers, .* numbers; got .*two point"),
    ],
)
def test_another_table_is_refused(old, new, words, tmp_path):
    """A column missing, a number that is none, a row that is too short."""
    shipped = (DATA / "ablation.csv").read_text(encoding="utf-8")
    (tmp_path / "table.csv").write_text(shipped.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ValueError, match=f"^Expected (the path of )?a table {words}"):
        read_runs(tmp_path / "table.csv")


@pytest.mark.full
def test_the_script_runs_and_repeats(script, tmp_path, monkeypatch):
    """The whole experiment, two steps long, on little text; the first arm twice the same."""
    tokens = encode(text())[:4000]
    monkeypatch.setattr(script, "LEARNING_RATES", (0.003, 0.006))
    with one_thread():
        once = list(script.experiment(2, 1, tokens))
        again = list(islice(script.experiment(2, 1, tokens), 5))
    assert once[:5] == again
    assert [row["stage"] for row in once] == ["tuning"] * 4 * len(ARMS) + ["final"] * len(ARMS)
    assert len({row["learning_rate"] for row in once if row["stage"] == "final"}) == 1
    assert len(once) == len(ARMS) * (2 * 2 + 1)
    assert {float(row["held_out_loss"]) > 2 for row in once} == {True}
    assert tuple(once[0]) == tuple(rows()[0])


@pytest.mark.full
def test_a_shipped_run_comes_out_again(script):
    """One of the 64. Another processor or text may end elsewhere, but not further than seeds do."""
    noise = max(stdev(losses(RUNS, arm).values()) for arm in ARMS)
    shipped = next(run for run in RUNS if run.stage == "final" and run.arm == ("RMSNorm", "ReLU") and run.seed == 0)
    with one_thread():
        row = script.run("final", *shipped.arm, shipped.seed, shipped.learning_rate, 200, encode(text()))
    assert float(row["held_out_loss"]) == pytest.approx(shipped.held_out_loss, abs=2 * noise)


def test_the_log_says_which_text(script):
    log = dict(line.split(": ", 1) for line in (DATA / "ablation.log").read_text(encoding="utf-8").splitlines())
    if platform.python_version() == log["python"]:
        assert log["sha256 of the characters"] == hashlib.sha256(bytes(encode(text()).tolist())).hexdigest()
    assert script.settings(200, 8, torch.zeros(100, dtype=torch.int64)).splitlines()[0] == f"command: {log['command']}"


def test_the_picture_refuses_half_a_table():
    with pytest.raises(ValueError, match=r"^Expected at least two final runs of LayerNorm"):
        ablation_results([run for run in RUNS if run.arm != ARMS[0]])
    with pytest.raises(ValueError, match="got 0"):
        ablation_results([])
