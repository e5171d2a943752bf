"""Training two models side by side while one watches."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence

from torch import Tensor

from widgets.experiments.decoder import CharModel
from widgets.experiments.pair import Arm, Trained, in_turns, two_models
from widgets.experiments.threads import one_thread
from widgets.experiments.training import encode, held_out_loss, split, text
from widgets.explorers.progress import Progress
from widgets.explorers.still import Still
from widgets.flipbook.plain import plain
from widgets.formats import number
from widgets.inputs import real_number, whole_number
from widgets.pictures.loss_curves import LossCurves
from widgets.precision import in_float32

OLD, MODERN = ("LayerNorm", "ReLU"), ("RMSNorm", "SwiGLU")
REDRAW = 0.7  # seconds


class Training(Still):
    """What came out, also when it was interrupted, as a picture and as numbers.

    losses: name -> the loss in nats of every step; held_out: name -> the loss on unseen text at the end; models
    """

    def __init__(self, picture: LossCurves, trained: Sequence[Trained]) -> None:
        self.losses = {each.name: list(each.losses) for each in trained}
        self.held_out = {each.name: each.held_out for each in trained}
        self.models = {each.name: each.model for each in trained}
        width = max(len(each.name) for each in trained)
        lines = "\n".join(f"{each.name:<{width}}  {_numbers(each)}" for each in trained)
        super().__init__(lambda: picture.panels, _caption(trained), lines)


@in_float32()
def train_pair(
    first: Arm = OLD, second: Arm = MODERN, steps: int = 60, seed: int = 0, learning_rate: float = 0.01
) -> Training:
    """Trains two models on the same pieces of text, in turns, and draws their losses while they learn.

    first, second: a norm and a feed-forward network, such as ("RMSNorm", "GeGLU"); either may be a class of your own
    norms: LayerNorm, LayerNorm without bias, RMSNorm; networks: ReLU, GELU, GLU, bilinear, ReGLU, GeGLU, SwiGLU
    steps: up to 100000; sixty take a few seconds; seed: 0 or more; learning_rate: 1e-6 to 1
    They are made and trained with float32 as torch's default dtype, whatever the notebook's.
    Interrupt the kernel (the square above the notebook) to stop early: what has been learned so far is returned.
    Raises TypeError or ValueError in a sentence for anything else, and for two arms that are the same.
    """
    steps, seed = whole_number("steps", steps, most=100_000), whole_number("seed", seed, least=0)
    learning_rate = real_number("learning_rate", learning_rate, 1e-6, 1)
    models = two_models(first, second, seed)
    losses: dict[str, list[float]] = {name: [] for name in models}
    with plain():
        picture = LossCurves(list(models), steps)
    running = Still(lambda: picture.panels, "The losses of " + " and ".join(models) + ".", "")
    with Progress("reading the text", running) as progress, one_thread():
        seen, held_out = split(encode(text()))
        run = in_turns(models, seen, steps, seed, learning_rate)
        try:
            for step in _redrawing(run, picture, running, losses):
                progress(step / steps, f"step {step} of {steps}; interrupt the kernel to stop early")
            words = f"{steps} steps"
        except KeyboardInterrupt:
            words = "stopped early; nothing is lost"
        picture.show(losses)
        trained = [_trained(name, model, losses[name], held_out) for name, model in models.items()]
        progress(len(trained[0].losses) / steps, words)
    return Training(picture, trained)


def _redrawing(
    run: Iterator[Mapping[str, float]], picture: LossCurves, running: Still, losses: dict[str, list[float]]
) -> Iterator[int]:
    """Takes the steps and counts them from 1; from time to time the picture is drawn again in between."""
    drawn = time.monotonic()
    for step, found in enumerate(run, start=1):
        for name, loss in found.items():
            losses[name].append(loss)
        if time.monotonic() - drawn > REDRAW:
            picture.show(losses)
            running.redraw()
            drawn = time.monotonic()
        yield step


def _trained(name: str, model: CharModel, losses: Sequence[float], held_out: Tensor) -> Trained:
    return Trained(name, model, tuple(losses), held_out_loss(model, held_out))


def _training_loss(each: Trained) -> str:
    """The mean of the last ten steps, which is where its line ends."""
    last = each.losses[-10:]
    return number(sum(last) / len(last), 3) if last else "none yet"


def _numbers(each: Trained) -> str:
    held_out = number(each.held_out, 3)
    return f"{len(each.losses):>4} steps   training loss {_training_loss(each)}   held-out loss {held_out}"


def _caption(trained: Sequence[Trained]) -> str:
    """What the lines end at, and how that goes together with the losses on held-out text."""
    each = "; ".join(
        f"{one.name} ends at {_training_loss(one)} in training and has {number(one.held_out, 3)} on held-out text"
        for one in trained
    )
    return (
        f"{each}. Training losses are the mean of the last steps, ten at most, each measured before its step on a piece"
        " of the text; held-out losses are measured at the end, on text that no step has seen."
    )
