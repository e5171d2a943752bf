"""x through the three matrices: the numbers shown are torch's, for any x and activation, and nonsense is refused."""

from __future__ import annotations

import re
from functools import cache

import pytest
import torch
from torch.nn import functional as F

from tests.notebooks import LESSONS, read
from widgets.explorers.three_matrices import DOWN, FAMILIES, GATE, UP, X, three_matrices
from widgets.pictures.three_matrices import LARGEST, ROWS

pytestmark = pytest.mark.usefixtures("short_reels")

TORCHS = {"Swish": F.silu, "GELU": F.gelu, "ReLU": F.relu, "sigmoid": torch.sigmoid, "none": torch.nn.Identity()}
PLACES = [(1.0, 2.0, -1.0, 1.0), (-1.5, 0.3, 2.0, 0.5), (3.0, 3.0, -3.0, 2.0), (0.0, 0.0, 0.0, 1.0)]


@cache
def layer(activation: str) -> object:
    """The explorer with this activation, made once."""
    return three_matrices(activation=activation)


def linear(weight: object) -> torch.nn.Linear:
    weight = torch.as_tensor(weight, dtype=torch.float64)
    layer = torch.nn.Linear(*reversed(weight.shape), bias=False, dtype=torch.float64)
    layer.load_state_dict({"weight": weight})
    return layer.requires_grad_(False)


def table(explorer: object) -> dict[str, list[float]]:
    """The rows of numbers that an explorer prints, by name."""
    rows = re.findall(r"^(\S+(?: \S+)?) {2,}(.*\d)$", repr(explorer).replace("−", "-"), flags=re.M)
    return {name: [float(number) for number in numbers.split()] for name, numbers in rows}


def at(x1: float, x2: float, x3: float, size: float) -> dict[str, float]:
    return {"x1": x1, "x2": x2, "x3": x3, "size": size}


@pytest.mark.parametrize("activation", FAMILIES)
@pytest.mark.parametrize("place", PLACES)
def test_every_number_is_the_one_that_torchs_modules_give(activation, place):
    steps = layer(activation).steps(**at(*place))
    x = place[3] * torch.tensor(place[:3], dtype=torch.float64)
    gate, content = TORCHS[activation](linear(GATE)(x)), linear(UP)(x)
    torch.testing.assert_close(steps.gated.gate_input, linear(GATE)(x))
    torch.testing.assert_close(steps.gated.gate, gate)
    torch.testing.assert_close(steps.gated.content, content)
    torch.testing.assert_close(steps.gated.output, linear(DOWN)(gate * content))
    torch.testing.assert_close(steps.relu.hidden, torch.cat([content, linear(GATE[2:])(x)]))
    torch.testing.assert_close(steps.relu.passed, steps.relu.hidden.clamp(min=0))


def test_the_relu_network_beside_it_has_as_many_parameters():
    matrices = layer("Swish").matrices
    gated = matrices.gate.numel() + matrices.up.numel() + matrices.down.numel()
    assert matrices.relu_up.numel() + matrices.relu_down.numel() == gated == 36


def test_twice_x_doubles_the_relu_network_and_squares_the_bilinear_layer():
    once, twice = (layer("none").steps(**at(0.7, -1.1, 0.4, size)) for size in (1.0, 2.0))
    torch.testing.assert_close(twice.relu.output, 2 * once.relu.output)
    torch.testing.assert_close(twice.gated.output, 4 * once.gated.output)


def test_the_text_holds_the_numbers_of_the_present_position():
    explorer = three_matrices()
    rows, matrices = table(explorer), explorer.matrices
    x, gate, up = (torch.tensor(weight, dtype=torch.float64) for weight in (X, GATE, UP))
    assert rows["x"] == list(X)
    assert rows["gate input"] == (gate @ x).tolist()
    assert rows["content"] == (up @ x).tolist()
    assert rows["product"] == pytest.approx((F.silu(gate @ x) * (up @ x)).tolist(), abs=0.005)
    relu = linear(matrices.relu_down)(F.relu(linear(matrices.relu_up)(x)))
    assert rows["ReLU network"] == pytest.approx(relu.tolist(), abs=0.005)


def test_the_matrices_are_those_of_the_lessons():
    """So that the learner finds in the explorer what they computed by hand."""
    for name, cells in (("03_gating", ("network-run", "two-run")), ("04_swiglu", ("hand-weights",))):
        found = {"torch": torch, "F": F}
        for cell in read(LESSONS / f"{name}.ipynb").cells:
            if cell.id in cells:
                exec(cell.source, found)
        for weight, ours in (("x", X), ("gate", GATE), ("up", UP), ("down", DOWN)):
            assert found[weight].tolist() == torch.tensor(ours).tolist(), (name, weight)


def test_bars_are_in_proportion_within_their_row_and_both_panels_share_the_scales():
    explorer = layer("Swish")
    steps = explorer.steps(**at(1.0, 2.0, -1.0, 1.0))
    explorer.picture.show(steps)
    gated, relu = (layer.rows for layer in explorer.picture.layers)
    for row, values in (("first", steps.gated.gate_input), ("content", steps.gated.content)):
        unit = ROWS[row][1] / LARGEST[row]
        assert [bar.get_height() for bar in gated[row].bars] == pytest.approx((unit * values).tolist(), abs=0.051)
    assert [bar.get_height() for bar in gated["content"].bars] == pytest.approx(
        [bar.get_height() for bar in relu["content"].bars][:4]
    )


def test_each_position_says_what_its_gate_does():
    explorer = layer("Swish")
    explorer.picture.show(explorer.steps(**at(1.0, 2.0, -1.0, 1.0)))
    words = [word.get_text() for word in explorer.picture.layers[0].states]
    assert words == ["flipped", "amplified", "closed", "amplified"]  # Swish of −4, 4, 0 and 2
    said = explorer.words(explorer.steps(**at(*PLACES[0])))
    assert "position 1 flipped, position 2 amplified, position 3 closed" in said


def test_another_activation_makes_another_layer_at_the_same_x():
    explorer = three_matrices()
    explorer.x1 = -2.0
    before = table(explorer)
    explorer.activation = "sigmoid"
    after = table(explorer)
    assert explorer.problem == ""
    assert repr(explorer).startswith("GLU\n")
    assert after["x"] == before["x"] == [-2.0, 2.0, -1.0]
    assert after["gate"] == pytest.approx(torch.sigmoid(torch.tensor(before["gate input"])).tolist(), abs=0.006)


@pytest.mark.parametrize(
    ("kind", "arguments", "message"),
    [
        (ValueError, {"x": [1, 2]}, "3 numbers in one row; got 2"),
        (ValueError, {"x": [1, 2, 9]}, "component 3 of x to be a number from -3 to 3; got 9"),
        (ValueError, {"x": [1, float("nan"), 0]}, "finite; got nan"),
        (TypeError, {"x": "1 2 3"}, "3 numbers in one row"),
        (ValueError, {"activation": "tanh"}, "Swish, GELU, ReLU, sigmoid or none; got 'tanh'"),
        (TypeError, {"activation": 3}, "got 3"),
    ],
)
def test_nonsense_is_refused_in_a_sentence(kind, arguments, message):
    with pytest.raises(kind, match=re.escape(message)):
        three_matrices(**arguments)
