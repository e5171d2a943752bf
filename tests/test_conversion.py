"""LayerNorm turned into RMSNorm: exact to rounding, and only when every writer is centred."""

from __future__ import annotations

import copy

import pytest
import torch
from torch import Tensor

from tests.data import DATA
from widgets.experiments.conversion import centre_writers, mean_shares, swap_norms
from widgets.experiments.decoder import CharModel
from widgets.experiments.training import held_out_loss

SMALL = {"d_model": 12, "n_heads": 2, "vocabulary": 7, "context": 5}
TOKENS = torch.tensor([[0, 6, 2, 2, 5], [3, 3, 1, 0, 4]])


@pytest.fixture(params=["ReLU", "SwiGLU"])
def model(request) -> CharModel:
    """A LayerNorm model in double precision whose weights, gains and biases are all away from 0 and 1."""
    made = CharModel("LayerNorm", request.param, **SMALL).double()
    generator = torch.Generator().manual_seed(2)
    for parameter in made.parameters():
        parameter.data += 0.4 + 0.5 * torch.randn(parameter.shape, generator=generator, dtype=torch.float64)
    return made


def furthest(ours: CharModel, theirs: CharModel) -> float:
    with torch.no_grad():
        return (ours(TOKENS) - theirs(TOKENS)).abs().max().item()


def test_exact(model):
    assert furthest(model, centre_writers(model)) < 1e-12
    assert furthest(model, swap_norms(centre_writers(model))) < 1e-12
    assert not any(isinstance(module, torch.nn.LayerNorm) for module in swap_norms(model).modules())


def test_exact_without_a_bias():
    """Cohere's LayerNorm: a gain and no bias."""
    made = CharModel("LayerNorm without bias", "SwiGLU", **SMALL).double()
    generator = torch.Generator().manual_seed(2)
    for parameter in made.parameters():
        parameter.data += 0.4 + 0.5 * torch.randn(parameter.shape, generator=generator, dtype=torch.float64)
    assert furthest(made, swap_norms(centre_writers(made))) < 1e-12


def test_careless_is_another_function(model):
    assert furthest(model, swap_norms(model)) > 1e-3


@pytest.mark.parametrize(
    "writer",
    [
        "embed_tokens.weight",
        "embed_positions.weight",
        "blocks.0.attention.o_proj.weight",
        "blocks.1.attention.o_proj.weight",
        "blocks.0.feed_forward.down_proj.weight",
        "blocks.1.feed_forward.down_proj.weight",
    ],
)
def test_every_writer_counts(model, writer):
    """One writer left as it was, and the two are no longer the same."""
    incomplete = centre_writers(model)
    incomplete.load_state_dict({**incomplete.state_dict(), writer: model.state_dict()[writer]})
    assert furthest(model, swap_norms(incomplete)) > 1e-6


def test_centring_is_a_projection(model):
    """The same by matrix algebra: P = I − 11ᵀ/d from the left on what writes, from the right on embeddings."""
    d = SMALL["d_model"]
    projection = torch.eye(d, dtype=torch.float64) - torch.ones(d, d, dtype=torch.float64) / d
    before, after = model.state_dict(), centre_writers(model).state_dict()
    for name, weight in before.items():
        expected: Tensor = weight
        if "embed" in name:
            expected = weight @ projection
        elif "o_proj" in name or "down_proj" in name:
            expected = projection @ weight
        torch.testing.assert_close(after[name], expected)


def test_the_model_itself_is_left_alone(model):
    before = copy.deepcopy(model.state_dict())
    swap_norms(centre_writers(model))
    assert all(torch.equal(weight, before[name]) for name, weight in model.state_dict().items())
    assert isinstance(model.norm, torch.nn.LayerNorm)


def test_mean_shares(model):
    """Five norms; the first sees the embeddings themselves; after centring there is no mean."""
    shares = mean_shares(model, TOKENS)
    x = model.embed_tokens.weight[TOKENS] + model.embed_positions.weight
    share = (x.mean(-1) ** 2 / (x**2).mean(-1)).mean().item()
    assert len(shares) == 5
    assert shares[0] == pytest.approx(share)
    assert max(mean_shares(centre_writers(model), TOKENS)) < 1e-25
    assert not model.norm._forward_pre_hooks


def test_the_shipped_model():
    """Trained, so neither norm nor matrices are special: exact stays exact, careless costs a little."""
    stored = torch.load(DATA / "small_model.pt")
    model = CharModel("LayerNorm", "ReLU", d_model=48)
    model.load_state_dict(stored["weights"])
    held_out = stored["held_out"].long()
    before, exact, careless = (
        held_out_loss(each, held_out) for each in (model, swap_norms(centre_writers(model)), swap_norms(model))
    )
    assert exact == pytest.approx(before, abs=1e-5)
    assert before < 1.5  # it has learned: the entropy of single characters of this text is over 3
    assert 0.001 < careless - before < 0.1
