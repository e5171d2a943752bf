"""Makes ablation.csv: does a small language model get better with RMSNorm, with SwiGLU, with both?

    python lessons/data/ablation.py                              the whole experiment, about ten minutes on one core
    python lessons/data/ablation.py --steps 20 --seeds 2 --out small.csv

Four arms (LayerNorm or RMSNorm, ReLU or SwiGLU) of one character model, their feed-forward weights equal in number.
First every arm tries each learning rate on seeds that are used for nothing else. Then all train with one rate, the best
on average over the four arms, once per seed: had each its own, a change of one part would change the rate as well. Arms
with the same seed see the same pieces of text in the same order.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import itertools
import platform
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import mean

import torch

from widgets.experiments.ablation import ARMS
from widgets.experiments.decoder import CharModel, parameter_count
from widgets.experiments.training import batches, encode, held_out_loss, split, text, train

LEARNING_RATES = (0.003, 0.006, 0.012, 0.024)
TUNING_SEEDS = (100, 101)
FIELDS = ("stage", "norm", "feed_forward", "seed", "learning_rate", "steps", "parameters", "held_out_loss")


def run(stage: str, norm: str, feed_forward: str, seed: int, rate: float, steps: int, tokens: torch.Tensor) -> dict:
    """One model trained and measured: one row of the table."""
    seen, held_out = split(tokens)
    model = CharModel(norm, feed_forward, seed=seed)
    for _ in train(model, batches(seen, seed), steps, rate):
        pass
    measured = f"{held_out_loss(model, held_out):.4f}"
    return dict(
        zip(
            FIELDS,
            (stage, norm, feed_forward, seed, rate, steps, parameter_count(model), measured),
            strict=True,
        )
    )


def experiment(steps: int, seeds: int, tokens: torch.Tensor) -> Iterator[dict]:
    """The rows: the tuning of every arm, then the runs that count, all with the rate that was best on average."""
    tried: dict[float, list[float]] = {rate: [] for rate in LEARNING_RATES}
    for arm, rate, seed in itertools.product(ARMS, LEARNING_RATES, TUNING_SEEDS):
        row = run("tuning", *arm, seed, rate, steps, tokens)
        tried[rate].append(float(row["held_out_loss"]))
        yield row
    best = min(tried, key=lambda rate: mean(tried[rate]))
    for arm, seed in itertools.product(ARMS, range(seeds)):
        yield run("final", *arm, seed, best, steps, tokens)


def settings(steps: int, seeds: int, tokens: torch.Tensor) -> str:
    """What one would need to know to repeat it."""
    lines = {
        "command": f"python lessons/data/ablation.py --steps {steps} --seeds {seeds}",
        "python": platform.python_version(),
        "torch": torch.__version__,
        "threads": torch.get_num_threads(),
        "text": "pydoc_data.topics, every paragraph once, printable ASCII and newlines",
        "characters": len(tokens),
        "sha256 of the characters": hashlib.sha256(bytes(tokens.tolist())).hexdigest(),
        "held out": f"the last {len(split(tokens)[1])} characters",
        "model": "d_model 96, 2 blocks, 3 heads, context 64, d_ff 384 (ReLU) or 256 (SwiGLU)",
        "training": "AdamW without weight decay, batches of 32, warm-up over a tenth, then linear to zero",
        "learning rates tried by every arm": ", ".join(map(str, LEARNING_RATES)),
        "seeds of the tuning": ", ".join(map(str, TUNING_SEEDS)),
        "learning rate of the runs that count": "one for all arms, the best on average in the tuning",
    }
    return "".join(f"{name}: {value}\n" for name, value in lines.items())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--out", type=Path, default=Path(__file__).with_suffix(".csv"))
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    tokens = encode(text())
    chosen.out.with_suffix(".log").write_text(settings(chosen.steps, chosen.seeds, tokens), encoding="utf-8")
    with chosen.out.open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, FIELDS, lineterminator="\n")
        table.writeheader()
        start = time.perf_counter()
        for row in experiment(chosen.steps, chosen.seeds, tokens):
            table.writerow(row)
            file.flush()
            print(f"{time.perf_counter() - start:5.0f} s ", *row.values(), file=sys.stderr)


if __name__ == "__main__":
    main()
