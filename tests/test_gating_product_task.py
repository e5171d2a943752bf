"""Learning a product: what is certain (thirty parameters, an exact solution), and errors orders apart."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional as F

from widgets.experiments.product_task import INSIDE, NETWORKS, OUTSIDE, learn_product


@pytest.fixture(scope="module")
def fits():
    return {network: learn_product(network) for network in NETWORKS}


def test_every_network_has_thirty_parameters(fits):
    assert {fit.parameters for fit in fits.values()} == {30}


@pytest.mark.parametrize("network", NETWORKS)
def test_with_biases_as_many_hidden_positions_as_fit_into_thirty_parameters(network):
    """A position takes 3 numbers a branch and 1 for the way out, the result 1: 4h + 1, or 7h + 1 with a gate."""
    assert learn_product(network, seeds=1, steps=1, biases=True).parameters == 29


def test_biases_let_the_relu_network_leave_proportion_and_learn_better(fits):
    with_biases = learn_product("ReLU", biases=True)
    assert with_biases.error_inside.median() < fits["ReLU"].error_inside.median() / 2


def test_errors_are_those_of_five_seeds_on_the_same_points(fits):
    for fit in fits.values():
        assert fit.error_inside.shape == fit.error_outside.shape == (5,)
        assert torch.equal(fit.truth_inside, fits["ReLU"].truth_inside)
        assert torch.equal(fit.truth_outside, fits["ReLU"].truth_outside)
        assert fit.error_inside[3].item() == pytest.approx(F.mse_loss(fit.predicted_inside[3], fit.truth_inside).item())


def test_the_points_lie_where_they_should(fits):
    assert fits["ReLU"].truth_inside.abs().max() <= INSIDE**2
    assert INSIDE**2 < fits["ReLU"].truth_outside.abs().max() <= OUTSIDE**2


@pytest.mark.parametrize("where", ["error_inside", "error_outside"])
def test_the_typical_error_falls_by_an_order_of_ten_from_network_to_network(fits, where):
    """Measured were factors of more than 100 from GELU to SwiGLU to bilinear, and 11 and 2 from ReLU to GELU."""
    typical = [getattr(fits[network], where).median().item() for network in ("GELU", "SwiGLU", "bilinear")]
    assert typical[0] > 5 * typical[1] > 25 * typical[2]
    assert getattr(fits["ReLU"], where).median().item() > 1.5 * typical[0]


def test_the_bilinear_network_finds_the_product_itself(fits):
    assert fits["bilinear"].error_outside.max() < 1e-6


def test_a_network_without_biases_and_with_relu_grows_in_proportion_and_a_product_does_not():
    """ReLU(c x) = c ReLU(x): the reason why no training can make that network a product."""
    up = torch.randn(10, 2, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    x = torch.tensor([1.5, -0.5], dtype=torch.float64)
    torch.testing.assert_close(torch.relu(3 * x @ up.T), 3 * torch.relu(x @ up.T))


def test_two_swish_gates_make_a_product_exactly():
    x = torch.randn(50, 2, generator=torch.Generator().manual_seed(0), dtype=torch.float64) * 3
    gate = torch.tensor([[1.0, 0.0], [-1.0, 0.0]], dtype=torch.float64)
    up = torch.tensor([[0.0, 1.0], [0.0, -1.0]], dtype=torch.float64)
    down = torch.ones(1, 2, dtype=torch.float64)
    product = F.linear(F.silu(F.linear(x, gate)) * F.linear(x, up), down)
    torch.testing.assert_close(product[:, 0], x[:, 0] * x[:, 1])


def test_the_seeds_differ_and_the_same_seed_gives_the_same_network():
    first, again = learn_product("SwiGLU", seeds=2, steps=5), learn_product("SwiGLU", seeds=3, steps=5)
    assert not torch.equal(first.predicted_inside[0], first.predicted_inside[1])
    torch.testing.assert_close(first.predicted_inside, again.predicted_inside[:2])


@pytest.mark.parametrize(
    ("arguments", "error"),
    [(("Swish",), ValueError), ((3,), TypeError), (("ReLU", 0), ValueError), (("ReLU", 5, 2.5), TypeError)],
)
def test_what_cannot_be_trained_is_refused(arguments, error):
    with pytest.raises(error, match="Expected"):
        learn_product(*arguments)


def test_the_training_is_torchs_adam():
    """The same start, points and steps, with torch.optim, torch.nn.functional and one seed at a time."""
    ours = learn_product("SwiGLU", seeds=2, steps=20)
    points = (torch.rand(256, 2, generator=torch.Generator().manual_seed(0)) * 2 - 1) * INSIDE
    inside = (torch.rand(500, 2, generator=torch.Generator().manual_seed(1)) * 2 - 1) * INSIDE
    for seed in range(2):
        generator = torch.Generator().manual_seed(seed)
        gate, up = (torch.randn(6, 2, generator=generator).div(2**0.5).requires_grad_() for _ in range(2))
        down = torch.randn(1, 6, generator=generator).div(6**0.5).requires_grad_()
        optimizer = torch.optim.Adam([gate, up, down], lr=0.03)
        for _ in range(20):
            optimizer.zero_grad()
            predicted = F.linear(F.silu(F.linear(points, gate)) * F.linear(points, up), down)
            F.mse_loss(predicted[:, 0], points[:, 0] * points[:, 1]).backward()
            optimizer.step()
        expected = F.linear(F.silu(F.linear(inside, gate)) * F.linear(inside, up), down)[:, 0]
        torch.testing.assert_close(ours.predicted_inside[seed], expected, rtol=1e-4, atol=1e-4)


def test_a_learners_own_settings_do_not_reach_the_training():
    expected = learn_product("SwiGLU", seeds=1, steps=3).predicted_inside
    torch.set_default_dtype(torch.float64)
    try:
        with torch.no_grad():
            assert torch.equal(learn_product("SwiGLU", seeds=1, steps=3).predicted_inside, expected)
    finally:
        torch.set_default_dtype(torch.float32)


def test_training_leaves_the_number_of_threads_as_it_was():
    before = torch.get_num_threads()
    torch.set_num_threads(before + 1)
    try:
        learn_product("bilinear", seeds=1, steps=1)
        assert torch.get_num_threads() == before + 1
    finally:
        torch.set_num_threads(before)
