"""Training two models side by side while one watches."""

from __future__ import annotations

import time
from collections.abc import Iterator

from widgets.experiments.ablation import Arm
from widgets.experiments.decoder import CharModel
from widgets.experiments.threads import one_thread
from widgets.experiments.training import batches, encode, held_out_loss, split, text, train
from widgets.explorers.explorer import Explorer
from widgets.explorers.progress import Progress
from widgets.flipbook.flipbook import Flipbook
from widgets.formats import number
from widgets.inputs import whole_number
from widgets.pictures.loss_curves import LossCurves

OLD, MODERN = ("LayerNorm", "ReLU"), ("RMSNorm", "SwiGLU")
REDRAW = 0.7  # seconds


class Training(Explorer):
    """What came out, also when it was interrupted, as a picture and as numbers.

    losses: name -> the loss in nats of every step; held_out: name -> the loss on unseen text at the end; models
    """

    def __init__(
        self,
        picture: LossCurves,
        losses: dict[str, list[float]],
        held_out: dict[str, float],
        models: dict[str, CharModel],
    ) -> None:
        self.losses, self.held_out, self.models = losses, held_out, models
        text = "\n".join(
            f"{name:<20} {len(losses[name]):>4} steps   held-out loss {number(held_out[name], 3)}" for name in models
        )
        super().__init__(Flipbook(picture.figure, label="; ".join(text.splitlines()) + "."), {}, lambda: text)
        self.layout.max_width = "900px"


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
    picture = LossCurves(list(models), steps)
    running = Flipbook(picture.figure, label="The losses of " + " and ".join(models))
    losses: dict[str, list[float]] = {name: [] for name in models}
    with Progress("reading the text", running) as progress, one_thread():
        seen, held_out = split(encode(text()))
        runs = {name: train(model, batches(seen, seed), steps, learning_rate) for name, model in models.items()}
        try:
            for step in _redrawing(steps, picture, running, losses):
                progress(step / steps, f"step {step} of {steps}; interrupt the kernel to stop early")
                for name, run in runs.items():
                    losses[name].append(next(run))
            words = f"{steps} steps"
        except KeyboardInterrupt:
            words = "stopped early; nothing is lost"
        picture.show(losses)
        held_out_losses = {name: held_out_loss(model, held_out) for name, model in models.items()}
        progress(min(map(len, losses.values())) / steps, words)
    return Training(picture, losses, held_out_losses, models)


def _redrawing(steps: int, picture: LossCurves, running: Flipbook, losses: dict[str, list[float]]) -> Iterator[int]:
    """The numbers of the steps from 1 on; from time to time the picture is drawn anew in between."""
    drawn = time.monotonic()
    for step in range(1, steps + 1):
        yield step
        if time.monotonic() - drawn > REDRAW:
            picture.show(losses)
            running.draw(picture.figure, lambda: running.label, [], {})
            drawn = time.monotonic()
