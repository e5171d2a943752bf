"""Training while one watches: what it returns, also after an interruption, and what it refuses."""

from __future__ import annotations

import math

import pytest
import torch
from ipywidgets.widgets import widget as registry
from matplotlib.text import Text
from torch import nn

from tests.submissions import Linears
from widgets import train_pair
from widgets.experiments import pair
from widgets.experiments.decoder import FEED_FORWARDS, NORMS, feed_forward_maker
from widgets.explorers import progress as bars
from widgets.explorers import train_pair as module
from widgets.explorers.progress import Progress


@pytest.fixture(autouse=True)
def little_text(monkeypatch):
    monkeypatch.setattr(module, "text", lambda: "the cat sat on the mat. " * 300)


def test_it_returns_losses_models_and_numbers():
    training = train_pair(steps=3)
    assert list(training.models) == ["LayerNorm + ReLU", "RMSNorm + SwiGLU"]
    assert [len(values) for values in training.losses.values()] == [3, 3]
    assert all(0 < value < 10 for value in training.held_out.values())
    assert repr(training).count("3 steps") == 2


def test_same_seed_same_losses():
    arms = ("LayerNorm", "SwiGLU"), ("RMSNorm", "SwiGLU")
    assert train_pair(*arms, steps=2, seed=5).losses == train_pair(*arms, steps=2, seed=5).losses


def test_an_interruption_loses_nothing(monkeypatch):
    """The kernel's interrupt arrives as KeyboardInterrupt in the middle of a step."""
    original = pair.train

    def interrupted(*arguments):
        for step, loss in enumerate(original(*arguments)):
            if step == 4:
                raise KeyboardInterrupt
            yield loss

    monkeypatch.setattr(pair, "train", interrupted)
    training = train_pair(steps=50)
    assert [len(values) for values in training.losses.values()] == [4, 4]
    assert set(training.held_out) == set(training.models)
    texts = [text.get_text() for text in training.picture.panels[0].findobj(Text)]
    assert any("RMSNorm + SwiGLU" in text for text in texts)


def test_the_text_and_the_caption_say_both_losses():
    """Where the line ends is the mean of the last ten steps; the held-out loss is another number, and both are said."""
    training = train_pair(steps=12)
    for name, losses in training.losses.items():
        ends = f"{sum(losses[-10:]) / 10:.3f}"
        assert f"{name} ends at {ends} in training and has {training.held_out[name]:.3f}" in training.said
        assert f"training loss {ends}   held-out loss {training.held_out[name]:.3f}" in repr(training)


def test_the_picture_moves_while_it_trains(monkeypatch):
    drawn = []
    monkeypatch.setattr(module, "REDRAW", 0.0)
    monkeypatch.setattr(module.Still, "redraw", lambda *_: drawn.append(1))
    train_pair(steps=4)
    assert len(drawn) >= 4


def test_an_interruption_at_once(monkeypatch):
    """Before the first step nothing has been learned, and that is what it says."""

    def interrupted(*_):
        raise KeyboardInterrupt
        yield

    monkeypatch.setattr(pair, "train", interrupted)
    assert repr(train_pair(steps=50)).count(" 0 steps   training loss none yet") == 2


class OwnNorm(nn.Module):
    """As a learner writes it."""

    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.ones(d_model)), eps

    def forward(self, x):
        return x / (x.square().mean(-1, keepdim=True) + self.eps).sqrt() * self.weight


class OwnLayer(Linears):
    def forward(self, x):
        gate = self.gate_proj(x)
        return self.down_proj(gate * gate.sigmoid() * self.up_proj(x))


def test_a_learners_own_classes_learn_as_ours_do():
    """The same formula, the same random weights, the same text: the same losses up to rounding."""
    training = train_pair(("RMSNorm", "SwiGLU"), (OwnNorm, OwnLayer), steps=4)
    ours, theirs = training.losses.values()
    assert list(training.losses) == ["RMSNorm + SwiGLU", "own OwnNorm + own OwnLayer"]
    assert theirs == pytest.approx(ours, abs=1e-3)


def test_the_default_dtype_of_a_notebook_does_not_reach_a_learners_classes():
    """Their parameters are made and trained under float32; after that the default is again what the notebook set."""
    arms = ("RMSNorm", "SwiGLU"), (OwnNorm, OwnLayer)
    expected = train_pair(*arms, steps=2).losses
    torch.set_default_dtype(torch.float64)
    try:
        training = train_pair(*arms, steps=2)
        assert torch.get_default_dtype() == torch.float64
    finally:
        torch.set_default_dtype(torch.float32)
    assert training.losses == expected
    assert {weight.dtype for model in training.models.values() for weight in model.parameters()} == {torch.float32}


@pytest.mark.parametrize("network", FEED_FORWARDS)
def test_every_network_of_the_family_has_the_same_size(network):
    """8 d² weights; d_ff is the width that gives them, for a class of one's own too."""
    make, d_ff = feed_forward_maker(network, 96)
    layer = make(96, d_ff)
    assert sum(weight.numel() for weight in layer.parameters()) == 8 * 96**2
    assert feed_forward_maker(type(layer), 96)[1] == d_ff


@pytest.mark.parametrize(
    ("network", "formula"),
    [
        ("ReLU", lambda up: up.clamp(min=0)),
        ("GELU", lambda up: up * (1 + torch.erf(up / math.sqrt(2))) / 2),
    ],
)
def test_two_layers_by_formula(network, formula):
    layer, x = FEED_FORWARDS[network][0](6, 10).double(), random(3, 6)
    torch.testing.assert_close(layer(x), formula(x @ layer.up_proj.weight.T) @ layer.down_proj.weight.T)


@pytest.mark.parametrize(
    ("network", "gate"),
    [
        ("GLU", lambda z: 1 / (1 + torch.exp(-z))),
        ("bilinear", lambda z: z),
        ("ReGLU", lambda z: z.clamp(min=0)),
        ("GeGLU", lambda z: z * (1 + torch.erf(z / math.sqrt(2))) / 2),
        ("SwiGLU", lambda z: z / (1 + torch.exp(-z))),
    ],
)
def test_the_family_by_formula(network, gate):
    layer, x = FEED_FORWARDS[network][0](6, 10).double(), random(3, 6)
    product = gate(x @ layer.gate_proj.weight.T) * (x @ layer.up_proj.weight.T)
    torch.testing.assert_close(layer(x), product @ layer.down_proj.weight.T)


def random(*shape):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(3), dtype=torch.float64)


def test_layer_norm_without_bias_is_one_vector_smaller():
    assert [name for name, _ in NORMS["LayerNorm without bias"](6).named_parameters()] == ["weight"]
    training = train_pair(("LayerNorm", "bilinear"), ("LayerNorm without bias", "bilinear"), steps=1)
    sizes = [sum(weight.numel() for weight in model.parameters()) for model in training.models.values()]
    assert sizes[0] - sizes[1] == 5 * 96
    assert training.losses["LayerNorm + bilinear"] == training.losses["LayerNorm without bias + bilinear"]


class Unfinished(OwnNorm):
    def forward(self, x):
        raise NotImplementedError("x" * 1000)


class InPlace(OwnNorm):
    def forward(self, x):
        x /= (x.square().mean(-1, keepdim=True) + self.eps).sqrt()
        return x * self.weight


class Wide(OwnLayer):
    def forward(self, x):
        return self.up_proj(x)


@pytest.mark.parametrize(
    ("arm", "words"),
    [
        (
            (Unfinished, "ReLU"),
            "own Unfinished + ReLU to make a model that can be trained; it raised NotImplementedErr",
        ),
        ((InPlace, "ReLU"), "it raised RuntimeError"),
        (("RMSNorm", Wide), "RMSNorm + own Wide to make a model"),
        ((OwnLayer, "ReLU"), "it raised TypeError"),
        ((lambda d_model: 3, "ReLU"), "it raised TypeError"),
    ],
)
def test_a_learners_mistake_is_said_in_a_sentence(arm, words):
    with pytest.raises(ValueError, match=r"^Expected ") as refused:
        train_pair(arm, steps=1)
    assert words in str(refused.value)
    assert "\n" not in str(refused.value) and len(str(refused.value)) < 260


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"steps": 0}, ValueError),
        ({"steps": 1.5}, TypeError),
        ({"steps": 100_001}, ValueError),
        ({"seed": 1.5}, TypeError),
        ({"seed": -1}, ValueError),
        ({"learning_rate": "x"}, TypeError),
        ({"learning_rate": float("nan")}, ValueError),
        ({"learning_rate": float("inf")}, ValueError),
        ({"learning_rate": 1e9}, ValueError),
        ({"learning_rate": 0}, ValueError),
        ({"second": ("LayerNorm", "ReLU")}, ValueError),
        ({"second": ["LayerNorm", "ReLU"]}, ValueError),
        ({"first": ("BatchNorm", "ReLU")}, ValueError),
        ({"first": ("RMSNorm", "swiglu")}, ValueError),
        ({"first": "RMSNorm", "second": "SwiGLU"}, TypeError),
        ({"first": ("RMSNorm",)}, ValueError),
        ({"first": ("RMSNorm", "ReLU", "ReLU")}, ValueError),
        ({"first": 3}, TypeError),
        ({"first": (3, "ReLU")}, TypeError),
        ({"first": (OwnNorm(96), "ReLU")}, TypeError),
        ({"first": (OwnNorm, OwnLayer), "second": [OwnNorm, OwnLayer]}, ValueError),
        ({"first": {"RMSNorm", "ReLU"}}, TypeError),
    ],
)
def test_wrong_arguments_are_refused(arguments, error):
    before = set(registry._instances)
    with pytest.raises(error, match=r"^Expected .+; got ") as refused:
        train_pair(**arguments)
    assert type(refused.value) is error
    assert set(registry._instances) == before


def test_classes_of_one_name_are_kept_apart():
    class Twin(OwnNorm):
        pass

    first = Twin

    class Twin(OwnNorm):
        pass

    training = train_pair((first, "ReLU"), (Twin, "ReLU"), steps=1)
    assert list(training.models) == ["own Twin + ReLU", "own Twin + ReLU, the second"]


def test_the_bar_tells_the_time_left(monkeypatch):
    """From the third second on; a quarter done after 30 seconds leaves 90."""
    now = [100.0]
    monkeypatch.setattr(bars.time, "monotonic", lambda: now[0])
    with Progress("starting") as progress:
        for passed, done, words in (
            (1, 0.5, "step"),
            (30, 0.0, "step"),
            (30, 0.25, "step; about 2 min left"),
            (10, 0.5, "step; about 10 s left"),
            (30, 0.99, "step; about 5 s left"),
            (30, 1.0, "step"),
        ):
            now[0] = 100.0 + passed
            progress(done, "step")
            assert repr(progress) == words
    progress.close()


def test_the_bar_says_where_it_is_and_closes():
    before = set(registry._instances)
    with Progress("starting") as progress:
        progress(0.5, "half")
        assert repr(progress) == "half"
        assert progress._repr_mimebundle_()["text/plain"] == "half"
    progress.close()
    assert set(registry._instances) == before
