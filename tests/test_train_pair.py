"""Training while one watches: what it returns, also after an interruption, and what it refuses."""

from __future__ import annotations

import pytest
from ipywidgets.widgets import widget as registry

from widgets import train_pair
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
    original = module.train

    def interrupted(*arguments):
        for step, loss in enumerate(original(*arguments)):
            if step == 4:
                raise KeyboardInterrupt
            yield loss

    monkeypatch.setattr(module, "train", interrupted)
    training = train_pair(steps=50)
    assert [len(values) for values in training.losses.values()] == [4, 4]
    assert set(training.held_out) == set(training.models)
    texts = [text.get_text() for text in training.flipbook._figure.axes[0].texts]
    assert any("RMSNorm + SwiGLU" in text for text in texts)


def test_the_picture_moves_while_it_trains(monkeypatch):
    drawn = []
    monkeypatch.setattr(module, "REDRAW", 0.0)
    monkeypatch.setattr(module.Flipbook, "draw", lambda *_: drawn.append(1))
    train_pair(steps=4)
    assert len(drawn) >= 4


def test_an_interruption_at_once(monkeypatch):
    """Before the first step nothing has been learned, and that is what it says."""

    def interrupted(*_):
        raise KeyboardInterrupt
        yield

    monkeypatch.setattr(module, "train", interrupted)
    assert repr(train_pair(steps=50)).count(" 0 steps") == 2


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"steps": 0}, ValueError),
        ({"steps": 1.5}, TypeError),
        ({"second": ("LayerNorm", "ReLU")}, ValueError),
        ({"first": ("BatchNorm", "ReLU")}, ValueError),
        ({"first": ("RMSNorm", "GELU")}, ValueError),
    ],
)
def test_wrong_arguments_are_refused(arguments, error):
    with pytest.raises(error, match=r"^Expected .+; got "):
        train_pair(**arguments)


def test_the_bar_says_where_it_is_and_closes():
    before = set(registry._instances)
    with Progress("starting") as progress:
        progress(0.5, "half")
        assert repr(progress) == "half"
        assert progress._repr_mimebundle_()["text/plain"] == "half"
    progress.close()
    assert set(registry._instances) == before
