"""Makes small_model.pt: a small old model (LayerNorm, ReLU) that has been trained, and text that it has not seen.

python lessons/data/small_model.py                          about two minutes on one core
"""

from __future__ import annotations

from pathlib import Path

import torch

from widgets.experiments.decoder import CharModel
from widgets.experiments.training import batches, encode, held_out_loss, split, text, train

STEPS, HELD_OUT = 3000, 64 * 200 + 1


def main() -> None:
    torch.set_num_threads(1)
    seen, held_out = split(encode(text()))
    model = CharModel(d_model=48)
    for step, value in enumerate(train(model, batches(seen, seed=0), STEPS, learning_rate=0.01)):
        if step % 500 == 0:
            print(step, f"{value:.3f}")
    model.half().float()  # what is stored is what was measured
    print("held-out loss in nats:", f"{held_out_loss(model, held_out[:HELD_OUT]):.4f}")
    weights = {name: weight.half() for name, weight in model.state_dict().items()}
    stored = {"weights": weights, "held_out": held_out[:HELD_OUT].to(torch.uint8)}
    torch.save(stored, Path(__file__).with_suffix(".pt"))


if __name__ == "__main__":
    main()
