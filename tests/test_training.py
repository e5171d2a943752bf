"""The text, the pieces, the loss and the training of the small models."""

from __future__ import annotations

import math
from itertools import islice, pairwise

import pytest
import torch
from torch import nn

from widgets.experiments.decoder import CharModel
from widgets.experiments.threads import one_thread
from widgets.experiments.training import batches, decode, encode, held_out_loss, loss, split, text, train


class Constant(nn.Module):
    """Always the same logits, three characters: probabilities 1/2, 1/4, 1/4."""

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return torch.tensor([0.5, 0.25, 0.25]).log().expand(*tokens.shape, 3)


def test_encode_and_decode():
    assert encode(" !~\n").tolist() == [0, 1, 94, 95]
    assert encode("aé\tb").tolist() == encode("ab").tolist()
    assert decode(encode("def f(x):\n    return 2 * x\n")) == "def f(x):\n    return 2 * x\n"
    assert decode(encode("")) == ""


def test_nothing_held_out_was_seen():
    """Paragraphs occur once, so none of the end's can be found in the beginning."""
    seen, held_out = (decode(part) for part in split(encode(text())))
    assert len(seen) > 200_000
    assert len(held_out) == pytest.approx(len(seen) / 9, rel=1e-3)
    paragraphs = [paragraph for paragraph in held_out.split("\n\n")[1:] if len(paragraph) > 100]
    assert len(paragraphs) > 50
    assert not any(paragraph in seen for paragraph in paragraphs)


def test_batches_repeat_with_their_seed():
    tokens = torch.arange(100)
    first, again, other = (list(islice(batches(tokens, seed, 4, 8), 3)) for seed in (0, 0, 1))
    assert all(torch.equal(a, b) for a, b in zip(first, again, strict=True))
    assert not torch.equal(first[0], other[0])
    assert first[0].shape == (4, 9)
    assert all((piece.diff(dim=1) == 1).all() for piece in first)  # pieces of the text in its order


def test_loss_by_hand():
    """Next characters 0, 1, 1, 2: −(log 1/2 + 3 log 1/4) / 4 = 7/4 log 2."""
    piece = torch.tensor([[2, 0, 1], [0, 1, 2]])
    assert loss(Constant(), piece).item() == pytest.approx(7 / 4 * math.log(2))


def test_held_out_loss_counts_every_place_once():
    """9 tokens in pieces of 2 and the next: places 1 to 8, of which the zeros cost log 2 and the others log 4."""
    tokens = torch.tensor([1, 0, 2, 1, 0, 0, 2, 2, 1])
    expected = (3 * math.log(2) + 5 * math.log(4)) / 8
    for dtype in (torch.int64, torch.int32, torch.uint8):
        assert held_out_loss(Constant(), tokens.to(dtype), context=2) == pytest.approx(expected)


def test_training_learns_and_repeats():
    """From guessing among few to the repetition that the text is, twice the same."""
    tokens = encode("abcd" * 100)
    runs = []
    for _ in range(2):
        model = CharModel("RMSNorm", "SwiGLU", d_model=12, n_heads=2, context=8)
        with one_thread():
            runs.append(list(train(model, batches(tokens, 0, 8, 8), 60, 0.02)))
    assert runs[0] == runs[1]
    assert runs[0][0] > 3 and runs[0][-1] < 0.5


def test_learning_rate_climbs_and_falls(monkeypatch):
    """Ten per cent up, then straight down; never above the rate that was asked for."""
    rates = []

    class Noting(torch.optim.SGD):
        def step(self, closure=None):
            rates.append(self.param_groups[0]["lr"])

    monkeypatch.setattr(torch.optim, "AdamW", lambda parameters, lr, weight_decay: Noting(parameters, lr=lr))
    model = CharModel(d_model=12, n_heads=2, context=8)
    list(train(model, batches(encode("abcd" * 10), 0, 2, 8), 20, 0.1))
    assert rates[:3] == pytest.approx([0.05, 0.1, 0.1])
    assert rates[-1] == pytest.approx(0.1 / 18)
    assert max(rates) <= 0.1
    assert all(b <= a for a, b in pairwise(rates[2:]))


def test_one_thread_gives_the_others_back():
    before = torch.get_num_threads()
    with pytest.raises(RuntimeError, match="on purpose"), one_thread():
        assert torch.get_num_threads() == 1
        raise RuntimeError("on purpose")
    assert torch.get_num_threads() == before
