"""Training two models side by side while one watches."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from IPython.display import display

from widgets.explorers.progress import Progress
from widgets.explorers.still import still
from widgets.maths.ablation import Arm
from widgets.maths.decoder import CharModel
from widgets.maths.numbers import whole_number
from widgets.maths.threads import one_thread
from widgets.maths.training import batches, encode, held_out_loss, split, text, train
from widgets.pictures.loss_curves import LossCurves
from widgets.style import number

OLD, MODERN = ("LayerNorm", "ReLU"), ("RMSNorm", "SwiGLU")
REDRAW = 0.7  # seconds


@dataclass
class Training:
    """What came out, also when it was interrupted: the losses of every step, and the held-out loss at the end."""

    curves: dict[str, list[float]]
    models: dict[str, CharModel]
    held_out: dict[str, float] = field(default_factory=dict)

    def __repr__(self) -> str:
        rows = []
        for name, losses in self.curves.items():
            end = f"held-out loss {number(self.held_out[name], 3)}" if name in self.held_out else "nothing measured yet"
            rows.append(f"{name:<20} {len(losses):>4} steps   {end}")
        return "\n".join(rows)


def train_pair(
    first: Arm = OLD, second: Arm = MODERN, steps: int = 60, seed: int = 0, learning_rate: float = 0.01
) -> Training:
    """Trains two models on the same pieces of text, in turns, and draws their losses while they learn.

    first, second: a norm and a feed-forward, such as ("RMSNorm", "ReLU"); 60 steps take about six seconds
    Interrupt the kernel (the square above the notebook) to stop early: what has been learned so far is returned.
    Raises ValueError for two arms that are the same or unknown, TypeError or ValueError for steps below 1.
    """
    steps = whole_number("steps", steps)
    if first == second:
        raise ValueError(f"Expected two different arms; got {first} twice.")
    models = {" + ".join(arm): CharModel(*arm, seed=seed) for arm in (first, second)}
    seen, held_out = split(encode(text()))
    result = Training({name: [] for name in models}, models)
    runs = {name: train(model, batches(seen, seed), steps, learning_rate) for name, model in models.items()}
    picture = LossCurves(list(models), steps)
    view = still(picture.figure, "the losses of " + " and ".join(models))
    with Progress("training") as progress, one_thread():
        display(view)
        drawn = 0.0
        try:
            for step in range(1, steps + 1):
                for name, run in runs.items():
                    result.curves[name].append(next(run))
                if time.monotonic() - drawn > REDRAW or step == steps:
                    progress(step / steps, f"step {step} of {steps}; interrupt the kernel to stop early")
                    picture.show(result.curves)
                    view.draw(picture.figure, lambda: repr(result), [])
                    drawn = time.monotonic()
            ended = f"{steps} steps"
        except KeyboardInterrupt:
            ended = "stopped early, nothing lost"
        for name, model in models.items():
            result.held_out[name] = held_out_loss(model, held_out)
        progress(len(result.curves[name]) / steps, ended)
    return result
