"""The explorers of lessons 03 and 04: their numbers are torch's, their controls work, bad input is refused."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.text import Text
from torch.nn import functional as F

from tests.test_explorers import named, numbers_in, reel_words
from widgets import activation_curves, gate_flow, parameter_ledger, product_fits, skeleton, swish_beta
from widgets.experiments.product_task import learn_product
from widgets.maths.budget import MODELS
from widgets.pictures.gate_flow import HEIGHT
from widgets.pictures.product_fits import product_figures

NAN = float("nan")
not_played = pytest.mark.usefixtures("short_reels")


@not_played
@pytest.mark.parametrize("z", [-5.0, -1.3, 0.0, 1.25, 5.0])
def test_the_curves_read_off_torchs_values(z):
    explorer = activation_curves(z)
    at = torch.tensor(z, dtype=torch.float64, requires_grad=True)
    curves = (F.relu(at), torch.sigmoid(at), F.silu(at), F.gelu(at))
    value, slope = (numbers_in(line) for line in repr(explorer).splitlines()[-2:])
    assert value == pytest.approx([curve.item() for curve in curves], abs=0.00051)
    assert slope == pytest.approx([torch.autograd.grad(curve, at)[0].item() for curve in curves], abs=0.00051)


@not_played
def test_a_start_between_two_positions_is_that_of_the_slider_too():
    explorer = activation_curves(z=-1.31)
    assert explorer.z == explorer.values["z"] == -1.3


@not_played
def test_the_dots_stand_on_the_curves():
    explorer = activation_curves(gelu=True)
    picture = explorer.picture
    for z in (-5.0, 0.5, 4.0):
        explorer._at(z=z, beta=1.0)
        for curve, function in zip(picture.curves, (F.relu, torch.sigmoid, F.silu, F.gelu), strict=True):
            (x,), (y,) = curve.dot.get_data()
            expected = function(torch.tensor(z, dtype=torch.float64)).item()
            assert (x, y) == pytest.approx((picture.chart.x(z), picture.chart.y(expected)), abs=1e-9)


@not_played
def test_gelu_and_the_slopes_come_and_go_with_their_boxes():
    explorer = activation_curves()
    assert not any("GELU" in stage or "slope" in stage for stage in explorer.stages)
    explorer.set_state({"gelu": True})
    explorer.set_state({"slopes": True})
    assert all("GELU" in stage for stage in explorer.stages) and "slope" in explorer.stages[1]
    assert explorer.z_reel["along"][-1] == 5.0
    explorer.set_state({"gelu": False})
    assert not any("GELU" in stage for stage in explorer.stages)


@not_played
def test_beta_bends_swish_and_unticking_it_straightens_it_out():
    explorer = activation_curves(z=-1.0)
    assert not named(explorer, "beta")["shown"]
    explorer.set_state({"bend": True})
    assert named(explorer, "beta")["shown"]
    explorer.set_state({"beta": 3.0})
    expected = -1 / (1 + torch.tensor(3.0).exp().item())
    assert numbers_in(repr(explorer).splitlines()[2])[2] == pytest.approx(expected, abs=0.00051)
    explorer._at(z=-1.0, beta=3.0)
    chart, (x, y) = explorer.picture.chart, explorer.picture.swish.line.get_data()
    z = (torch.tensor(x) - chart.x(0)) / (chart.x(1) - chart.x(0))
    heights = (torch.tensor(y) - chart.y(0)) / (chart.y(1) - chart.y(0))
    torch.testing.assert_close(heights, z * torch.sigmoid(3 * z))
    explorer.set_state({"bend": False})
    assert explorer.beta == 1.0
    assert not named(explorer, "beta")["shown"]


@not_played
def test_the_flow_is_torchs_and_only_the_chosen_position_moves():
    explorer = gate_flow()
    content, gate_input = (torch.tensor(numbers_in(line)) for line in repr(explorer).splitlines()[1:3])
    explorer.set_state({"z": -1.3})
    gate_input[2] = -1.3
    rows = [numbers_in(line) for line in repr(explorer).splitlines()[2:5]]
    expected = (gate_input, F.silu(gate_input), F.silu(gate_input) * content)
    for row, numbers in zip(rows, expected, strict=True):
        assert row == pytest.approx(numbers.tolist(), abs=0.0051)
    assert repr(explorer).splitlines()[-1].split()[3] == "flipped"
    assert len(explorer.picture.moving) == 8


@not_played
def test_the_bars_are_the_numbers_and_the_outline_is_the_content():
    explorer = gate_flow([2.0, -1.0], [3.0, -1.0], position=1)
    column, units = explorer.picture.column, explorer.picture.column.units
    for z in (-6.0, -1.3, 0.0, 3.0):
        explorer._at(z=z)
        gate = F.silu(torch.tensor(z, dtype=torch.float64)).item()
        heights = [bar.get_height() / units[base] for base, bar in column.bars.items()]
        assert heights == pytest.approx([2.0, z, gate, gate * 2.0], abs=1e-9)
        assert column.outline.get_height() == pytest.approx(column.bars[max(column.bars)].get_height())


def test_turning_six_to_three_the_content_is_closed_twice():
    explorer = gate_flow()
    words = [reel_words(explorer, "z", k).rsplit(" ", 1)[-1].rstrip(".") for k in range(181)]
    order = [word for k, word in enumerate(words) if k == 0 or word != words[k - 1]]
    assert order == ["closed", "flipped", "closed", "attenuated", "passed", "amplified"]


@not_played
def test_a_state_differs_in_its_hatch_as_well_as_in_its_word():
    explorer = gate_flow()
    looks = set()
    for z in (-6.0, -1.3, 0.5, 1.3, 3.0):
        explorer._at(z=z)
        chip = explorer.picture.column.chip
        looks.add((chip.get_hatch(), chip.get_facecolor()))
        assert explorer.picture.column.bars[min(explorer.picture.column.bars)].get_hatch() == chip.get_hatch()
    assert len(looks) == 5


@not_played
def test_another_position_starts_from_its_own_gate_input_and_the_first_keeps_its_new_one():
    explorer = gate_flow()
    explorer.set_state({"z": 2.0})
    explorer.set_state({"position": "8"})
    assert explorer.z == pytest.approx(-0.6)
    assert named(explorer, "z")["label"] == "gate input of position 8"
    gate_input = numbers_in(repr(explorer).splitlines()[2])
    assert (gate_input[2], gate_input[7]) == (2.0, -0.6)


@not_played
@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_the_ledger_starts_from_every_model_with_its_real_numbers(model):
    explorer = parameter_ledger()
    explorer.set_state({"model": model.name})
    lines = repr(explorer).splitlines()
    assert numbers_in(lines[2].replace(",", "")) == [4 * model.d_model, 8 * model.d_model**2, 4 * model.d_model]
    gated = [model.d_ff, 3 * model.d_model * model.d_ff, 2 * model.d_ff]
    assert numbers_in(lines[3].replace(",", "")) == gated
    explorer._at(**explorer.values)
    keeps = model.name.startswith("LLaMA-1")
    assert explorer.picture.verdict.get_text().startswith("✓" if keeps else "▲")


@not_played
def test_the_list_of_models_follows_the_settings():
    explorer = parameter_ledger()
    assert explorer.model == "LLaMA-1 7B"
    explorer.set_state({"model": "Gemma 7B"})
    explorer.set_state({"d_model": 4352.0})
    assert explorer.model == "choose …"
    explorer.set_state({"model": "Gemma 7B"})
    assert (explorer.model, explorer.d_model, explorer.multiplier) == ("Gemma 7B", 3072, 3.0)
    explorer.set_state({"model": "Mistral 7B"})  # whose settings are those of Llama-3 8B, too
    assert explorer.model == "Mistral 7B"
    explorer.set_state({"multiple_of": "1"})
    assert explorer.model == "choose …"


@not_played
def test_the_bars_of_the_ledger_are_parameters_in_units_of_d_squared():
    explorer = parameter_ledger(d_model=512, multiple_of=1)
    explorer._at(d_model=512, multiplier=1.0)
    widths = [segment.bar.get_width() for segment in explorer.picture.parameters.segments]
    assert sum(widths) / explorer.picture.parameters.unit == pytest.approx(3 * 1365 / 512)
    assert len(set(widths)) == 1


@not_played
def test_another_rounding_is_drawn_with_the_sliders_where_they_are():
    explorer = parameter_ledger(512, multiple_of=1)
    explorer.set_state({"multiplier": 1.5})
    explorer.set_state({"multiple_of": "64"})
    assert numbers_in(repr(explorer).splitlines()[3].replace(",", ""))[0] == 2048  # 1365 * 1.5 = 2047, up to 64
    assert explorer.d_model_reel["at"] == {"multiplier": 1.5}
    assert "multiple of 64" in reel_words(explorer, "d_model", 0)


def test_beta_is_played_from_a_line_to_nearly_relu():
    explorer = swish_beta()
    assert "a straight line" in reel_words(explorer, "beta", 0)
    assert numbers_in(reel_words(explorer, "beta", 100)) == pytest.approx(
        [10, -0.028, -0.128, 0.028, 0.128, 1, 1.0], abs=0.00051
    )


@not_played
def test_two_contents_turn_the_last():
    assert repr(gate_flow([1, 2])).startswith("turning position 2")


def test_the_skeletons_areas_are_its_parameters():
    from widgets.maths.budget import Ledger, gated_budget, relu_budget
    from widgets.pictures.skeleton import skeleton_figures

    figures = skeleton_figures(Ledger(relu_budget(512, 2048), gated_budget(512, 1365)))
    shapes = {"(2048, 512)": 1, "(512, 2048)": 1, "(1365, 512)": 2, "(512, 1365)": 1}
    texts = [text.get_text() for figure in figures for text in figure.findobj(Text)]
    assert {shape: texts.count(shape) for shape in shapes} == shapes
    boxes = [box for figure in figures for box in figure.findobj(Rectangle)]
    areas = sorted((b.get_width() * b.get_height() for b in boxes), reverse=True)[:5]
    expected = sorted([2048 * 512, 512 * 2048, 1365 * 512, 1365 * 512, 512 * 1365], reverse=True)
    assert [area / areas[0] for area in areas] == pytest.approx([size / expected[0] for size in expected])


def test_the_skeleton_says_the_counts():
    text = repr(skeleton(d_model=8, d_ff=20, relu_d_ff=30))
    assert "up (30, 8), down (8, 30): 480 parameters" in text
    assert "gate (20, 8), up (20, 8), down (8, 20): 480 parameters" in text


def test_the_product_picture_takes_fits_and_says_their_errors():
    fits = [learn_product(network, seeds=3, steps=3) for network in ("ReLU", "SwiGLU")]
    lines = repr(product_fits(fits)).splitlines()
    assert [line.split()[0] for line in lines[1:]] == ["ReLU", "SwiGLU"]
    typical = fits[1].error_inside.median().item()
    assert numbers_in(lines[2])[0] == pytest.approx(typical, rel=0.06)


def test_two_fits_of_one_network_are_two_rows():
    fits = [learn_product("ReLU", seeds=1, steps=3, biases=biases) for biases in (False, True)]
    lines = repr(product_fits(fits)).splitlines()
    assert [numbers_in(line)[0] for line in lines[1:]] == [
        pytest.approx(fit.error_inside.item(), rel=0.06) for fit in fits
    ]


@pytest.mark.parametrize("seeds", [1, 2, 3, 4])
def test_the_cloud_is_of_the_seed_whose_error_stands_above(seeds):
    fit = learn_product("ReLU", seeds=seeds, steps=3)
    seed = fit.error_inside.tolist().index(fit.error_inside.median().item())
    (figure,) = product_figures([fit])
    cloud = next(line for line in figure.findobj(Line2D) if line.get_marker() == ".")
    drawn = np.asarray(cloud.get_ydata())
    told = fit.predicted_inside[seed][: len(drawn)].clamp(-4, 4).numpy()  # within ±2 the product is within ±4
    assert np.corrcoef(drawn, told)[0, 1] == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize(
    ("make", "arguments", "error", "says"),
    [
        (activation_curves, {"z": 5.5}, ValueError, "z to be a number from -5 to 5; got 5.5"),
        (activation_curves, {"z": NAN}, ValueError, "got nan"),
        (activation_curves, {"beta": -1}, ValueError, "beta to be a number from 0.3 to 4.3"),
        (activation_curves, {"z": "2"}, TypeError, "got '2'"),
        (swish_beta, {"beta": 11}, ValueError, "beta to be a number from 0 to 10"),
        (swish_beta, {"beta": None}, TypeError, "got None"),
        (gate_flow, {"content": [1.0, NAN]}, ValueError, "finite; got nan"),
        (gate_flow, {"content": []}, ValueError, "2 to 8 numbers"),
        (gate_flow, {"content": [1.0]}, ValueError, "2 to 8 numbers"),
        (gate_flow, {"content": range(9)}, ValueError, "2 to 8 numbers"),
        (gate_flow, {"content": "1 2"}, TypeError, "2 to 8 numbers"),
        (gate_flow, {"content": [1, 2], "gate_input": [1, 2, 3]}, ValueError, "as many gate inputs as contents"),
        (gate_flow, {"gate_input": [0.0] * 7 + [3.5]}, ValueError, "gate input 8 to be a number from -6 to 3"),
        (gate_flow, {"position": 0}, ValueError, "position to be a whole number from 1 to 8; got 0"),
        (gate_flow, {"position": 9}, ValueError, "got 9"),
        (gate_flow, {"position": 1.5}, TypeError, "got 1.5"),
        (parameter_ledger, {"d_model": 0}, ValueError, "d_model"),
        (parameter_ledger, {"d_model": 4096.5}, TypeError, "d_model"),
        (parameter_ledger, {"d_model": 100}, ValueError, "multiple of 64"),
        (parameter_ledger, {"d_model": 2**62}, ValueError, "d_model"),
        (parameter_ledger, {"multiple_of": 0}, ValueError, "multiple_of to be a whole number from 1"),
        (parameter_ledger, {"multiplier": 0.1}, ValueError, "multiplier"),
        (parameter_ledger, {"multiplier": "1.3"}, TypeError, "multiplier"),
        (skeleton, {"d_model": -1}, ValueError, "d_model"),
        (skeleton, {"d_model": 2**40}, ValueError, r"fewer than 2\^63"),
        (skeleton, {"d_ff": 0}, ValueError, "d_ff"),
        (product_fits, {"fits": []}, ValueError, "one to 4 results"),
        (product_fits, {"fits": [1]}, TypeError, "learn_product"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(make, arguments, error, says):
    with pytest.raises(error, match=says) as refusal:
        make(**arguments)
    assert "\n" not in str(refusal.value) and len(str(refusal.value)) < 200


@not_played
@pytest.mark.parametrize(
    ("content", "gate_input"),
    [([0.0, 0.0], [0.0, 0.0]), ([1e6, -1e6], [3.0, -6.0]), ([1e-9, 2e-9], [1.0, 1.0])],
)
def test_extreme_contents_are_drawn_on_the_page(content, gate_input):
    explorer = gate_flow(content, gate_input, position=1)
    for z in (-6.0, 3.0):
        explorer._at(z=z)
        for base, bar in explorer.picture.column.bars.items():
            bottom, top = sorted((base, base + bar.get_height()))
            assert bottom >= 0
            assert top <= HEIGHT
    assert "nan" not in repr(explorer)
