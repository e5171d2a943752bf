"""Learning y = x1 * x2 with thirty parameters: what multiplying two signals buys, on a very small task."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import pad

from widgets.experiments.threads import one_thread
from widgets.inputs import one_of, whole_number, yes_or_no
from widgets.maths.activations import gelu, relu
from widgets.maths.feed_forward import FAMILY

INSIDE, OUTSIDE = 2.0, 4.0  # training points lie within ±2; tests outside lie within ±4, but not within ±2
PARAMETERS = 30  # of each network, or the most that fit into them
_ACTIVATION = {"ReLU": relu, "GELU": gelu, "SwiGLU": FAMILY["SwiGLU"], "bilinear": FAMILY["bilinear"]}
NETWORKS = tuple(_ACTIVATION)
RATE = 0.03  # Adam's learning rate, the same for all


@dataclass(frozen=True)
class ProductFit:
    """One network after training, from several random starts.

    truth_inside: (points,); predicted_inside: (seeds, points); the same outside the training range.
    """

    network: str
    parameters: int
    truth_inside: Tensor
    predicted_inside: Tensor
    truth_outside: Tensor
    predicted_outside: Tensor

    @property
    def error_inside(self) -> Tensor:
        """Mean squared error of each seed on new points within the training range: (seeds,)."""
        return (self.predicted_inside - self.truth_inside).square().mean(dim=-1)

    @property
    def error_outside(self) -> Tensor:
        """Mean squared error of each seed on points outside the training range: (seeds,)."""
        return (self.predicted_outside - self.truth_outside).square().mean(dim=-1)


def learn_product(network: str, seeds: int = 5, steps: int = 800, biases: bool = False) -> ProductFit:
    """Train one network of thirty parameters on 256 points; all seeds learn side by side.

    network: one of NETWORKS. Adam with the same learning rate for all; about half a second.
    biases: whether each linear layer has them; they are parameters too, so there are fewer hidden positions then.
    Raises TypeError or ValueError for an unknown network, for seeds that are no whole number from 1 to 1000, for
    steps that are none from 1 to 100000, and for biases that are neither True nor False.
    """
    network, biases = one_of("network", network, NETWORKS), yes_or_no("biases", biases)
    seeds, steps = whole_number("seeds", seeds, most=1000), whole_number("steps", steps, most=100_000)
    shapes, points = _shapes(network, biases), _points(256, INSIDE, seed=0)
    # For matrices this small more threads only wait for each other, tenfold on a busy machine.
    with one_thread(), torch.enable_grad():
        weights = _train(network, shapes, _start(shapes, seeds), points, steps)
    inside, outside = _points(500, INSIDE, seed=1), _points(1000, OUTSIDE, seed=2)
    outside = outside[outside.abs().amax(dim=-1) > INSIDE]
    with torch.no_grad():
        predicted = [_predict(network, shapes, weights, x) for x in (inside, outside)]
    return ProductFit(network, weights.shape[1], inside.prod(-1), predicted[0], outside.prod(-1), predicted[1])


def _points(count: int, reach: float, seed: int) -> Tensor:
    return (torch.rand(count, 2, generator=torch.Generator().manual_seed(seed), dtype=torch.float32) * 2 - 1) * reach


def _start(shapes: list[tuple[int, int]], seeds: int) -> Tensor:
    """Random weights, for each matrix of variance 1 / (numbers coming in): (seeds, parameters)."""
    generators = [torch.Generator().manual_seed(seed) for seed in range(seeds)]
    return torch.stack(
        [
            torch.cat([_normal(shape, generator).flatten() / shape[1] ** 0.5 for shape in shapes])
            for generator in generators
        ]
    )


def _normal(shape: tuple[int, int], generator: torch.Generator) -> Tensor:
    return torch.randn(shape, generator=generator, dtype=torch.float32)


def _shapes(network: str, biases: bool) -> list[tuple[int, int]]:
    """(out, in) of each matrix: the gate's, if there is one, the content's, and the last; a bias is one column more."""
    branches = 2 if network in FAMILY else 1
    hidden = (PARAMETERS - biases) // (branches * (2 + biases) + 1)
    return [(hidden, 2 + biases)] * branches + [(1, hidden + biases)]


def _predict(network: str, shapes: list[tuple[int, int]], weights: Tensor, x: Tensor) -> Tensor:
    """weights: (seeds, parameters), of matrices of these shapes; x: (points, 2) -> (seeds, points)"""
    biases = shapes[0][1] - x.shape[-1]
    parts = weights.split([rows * columns for rows, columns in shapes], dim=-1)
    first, *middle, last = (part.unflatten(-1, shape) for part, shape in zip(parts, shapes, strict=True))
    x = pad(x, (0, biases), value=1.0)  # a bias is the weight of an input that is always 1
    hidden = _ACTIVATION[network](x @ first.mT)
    for content in middle:
        hidden = hidden * (x @ content.mT)
    return (pad(hidden, (0, biases), value=1.0) @ last.mT).squeeze(-1)


def _train(network: str, shapes: list[tuple[int, int]], weights: Tensor, x: Tensor, steps: int) -> Tensor:
    """Adam, written out: torch.optim takes longer to be imported than these networks to learn."""
    truth = x.prod(dim=-1)
    mean, square = torch.zeros_like(weights), torch.zeros_like(weights)
    for step in range(1, steps + 1):
        weights.requires_grad_()
        # A sum over the seeds, so that each has the gradient it would have alone.
        loss = (_predict(network, shapes, weights, x) - truth).square().mean(dim=-1).sum()
        (gradient,) = torch.autograd.grad(loss, weights)
        mean.lerp_(gradient, 1 - 0.9)
        square.lerp_(gradient.square(), 1 - 0.999)
        change = mean / (1 - 0.9**step) / ((square / (1 - 0.999**step)).sqrt() + 1e-8)
        weights = weights.detach() - RATE * change
    return weights
