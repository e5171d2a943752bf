"""Two models trained in turns on the same pieces of text: arms by name, or with a learner's own classes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from widgets.experiments.decoder import FEED_FORWARDS, NORMS, CharModel, FeedForward, Norm
from widgets.experiments.training import batches, loss, train
from widgets.inputs import as_list, one_of, shortened

Arm = tuple[str | Norm, str | FeedForward]


@dataclass(frozen=True)
class Trained:
    """One model after training.

    name: its arm in words; losses: in nats, one a step, before that step; held_out: the loss on text that was kept back
    """

    name: str
    model: CharModel
    losses: tuple[float, ...]
    held_out: float


def two_models(first: object, second: object, seed: int) -> dict[str, CharModel]:
    """The models of two arms by their names, with the same random weights wherever they have the same matrices.

    first, second: each a norm and a feed-forward network, by name or as a class of your own
    Raises TypeError or ValueError for two arms that are the same, and for one that makes no model.
    """
    arms = [_arm(first), _arm(second)]
    names = [" + ".join(map(_called, arm)) for arm in arms]
    if all(one is other or (isinstance(one, str) and one == other) for one, other in zip(*arms, strict=True)):
        raise ValueError(f"Expected two different arms; got {names[0]} twice.")
    if names[0] == names[1]:
        names[1] += ", the second"
    return {name: _model(name, arm, seed) for name, arm in zip(names, arms, strict=True)}


def _arm(given: object) -> Arm:
    """A norm and a feed-forward network, each a name that is known or something that makes a module."""
    wanted = 'Expected an arm as a norm and a feed-forward network, such as ("RMSNorm", "SwiGLU")'
    parts = as_list(wanted, given, 2, 2)
    for what, part, known in zip(
        ("the norm", "the feed-forward network"), parts, (list(NORMS), list(FEED_FORWARDS)), strict=True
    ):
        if isinstance(part, nn.Module):
            raise TypeError(f"Expected {what} as a class, not yet built; got an object of {_called(type(part))}.")
        if not callable(part):
            one_of(what, part, known)
    return tuple(parts)


def _called(part: object) -> str:
    """A name as it is; a learner's class by its own name, and said to be theirs."""
    return part if isinstance(part, str) else f"own {getattr(part, '__name__', type(part).__name__):.20}"


def _model(name: str, arm: Arm, seed: int) -> CharModel:
    """The model, tried on a few characters, forward and backward: a mistake in a learner's class shows itself here."""
    try:
        model = CharModel(*arm, seed=seed)
        with torch.enable_grad():
            loss(model, torch.zeros(1, 4, dtype=torch.int64)).backward()
    except Exception as problem:  # whatever the learner's code raises
        why = f"{type(problem).__name__:.40}: {shortened(str(problem))}"
        raise ValueError(f"Expected {name} to make a model that can be trained; it raised {why}.") from problem
    model.zero_grad(set_to_none=True)
    return model


def in_turns(
    models: dict[str, CharModel], tokens: Tensor, steps: int, seed: int, learning_rate: float
) -> Iterator[dict[str, float]]:
    """One step of every model for each thing taken from this iterator: name -> the loss in nats before that step.

    tokens: (length,), the text to train on; every model sees the same pieces of it in the same order
    """
    runs = [train(model, batches(tokens, seed), steps, learning_rate) for model in models.values()]
    for losses in zip(*runs, strict=True):
        yield dict(zip(models, losses, strict=True))
