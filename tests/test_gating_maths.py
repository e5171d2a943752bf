"""The curves and the gated layer: against torch, transformers, and derivatives by a method of their own."""

from __future__ import annotations

import mpmath
import pytest
import torch
from torch.nn import functional as F

from widgets.maths import activations
from widgets.maths.activations import SWISH_LEAST, SWISH_ONE, gelu, sigmoid, swish
from widgets.maths.feed_forward import FAMILY, both_steps, gated_steps, matched, relu_steps
from widgets.maths.gates import CURVES as CURVE_NAMES
from widgets.maths.gates import curves_at, flow_steps, gate_states

CURVES = ("sigmoid", "relu", "swish", "gelu")
HIGH_PRECISION = {
    "sigmoid": lambda z: 1 / (1 + mpmath.exp(-z)),
    "relu": lambda z: max(z, mpmath.mpf(0)),
    "swish": lambda z: z / (1 + mpmath.exp(-z)),
    "gelu": lambda z: z * mpmath.ncdf(z),
}
POINTS = [-9.5, -4.25, -1.2784645427610738, -0.7517915246935645, -0.5, 0.03125, 0.5, 1.0, 2.3993572805, 6.75]


@pytest.mark.parametrize("name", CURVES)
def test_a_curve_and_its_derivative_equal_forty_digits_of_mpmath(name):
    z = torch.tensor(POINTS, dtype=torch.float64)
    exact = HIGH_PRECISION[name]
    with mpmath.workdps(40):
        values = [float(exact(mpmath.mpf(p))) for p in POINTS]
        slopes = [float(mpmath.diff(exact, mpmath.mpf(p))) for p in POINTS]
    assert getattr(activations, name)(z).tolist() == pytest.approx(values, rel=1e-12, abs=1e-16)
    assert getattr(activations, f"{name}_derivative")(z).tolist() == pytest.approx(slopes, rel=1e-11, abs=1e-14)


@pytest.mark.parametrize("beta", [-0.5, 0.0, 0.25, 1.0, 1.702, 8.0])
def test_swish_with_beta_and_its_derivative_equal_mpmath(beta):
    z = torch.tensor(POINTS, dtype=torch.float64)
    with mpmath.workdps(40):
        exact = [mpmath.mpf(p) / (1 + mpmath.exp(-mpmath.mpf(beta) * p)) for p in POINTS]
        slopes = [mpmath.diff(lambda t: t / (1 + mpmath.exp(-mpmath.mpf(beta) * t)), p) for p in POINTS]
    assert swish(z, beta).tolist() == pytest.approx([float(v) for v in exact], rel=1e-12)
    assert activations.swish_derivative(z, beta).tolist() == pytest.approx([float(v) for v in slopes], rel=1e-10)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (sigmoid, torch.sigmoid),
        (activations.relu, F.relu),
        (swish, F.silu),
        (gelu, F.gelu),
        (lambda z: swish(z, 1.702), lambda z: z * torch.sigmoid(1.702 * z)),
    ],
)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_curve_equals_torch(ours, theirs, dtype):
    z = torch.linspace(-30, 30, 4001, dtype=dtype).reshape(-1, 1)
    torch.testing.assert_close(ours(z), theirs(z), rtol=1e-5, atol=3e-6 if dtype == torch.float32 else 1e-13)


@pytest.mark.parametrize("name", CURVES)
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_far_out_a_curve_has_reached_its_limits_and_its_gradient_too(name, dtype):
    z = torch.tensor([-1000.0, -800.0, 800.0, 1000.0], dtype=dtype, requires_grad=True)
    value = getattr(activations, name)(z)
    value.backward(torch.ones_like(value))
    slope = getattr(activations, f"{name}_derivative")(z.detach())
    limits = [0, 0, 1, 1] if name == "sigmoid" else [0, 0, *z.detach()[2:].tolist()]
    slopes = [0, 0, 0, 0] if name == "sigmoid" else [0, 0, 1, 1]
    assert value.dtype == slope.dtype == dtype
    assert value.tolist() == limits
    assert z.grad.tolist() == slope.tolist() == slopes


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
@pytest.mark.parametrize("beta", [0.0, 1.0, 100.0])
def test_swish_stays_finite_where_beta_times_z_does_not(dtype, beta):
    z = torch.tensor([-torch.finfo(dtype).max, -1000.0, 0.0, 1000.0, torch.finfo(dtype).max], dtype=dtype)
    z.requires_grad_()
    value = swish(z, beta)
    value.backward(torch.ones_like(value))
    for numbers in (value, z.grad, activations.swish_derivative(z.detach(), beta)):
        assert torch.isfinite(numbers).all()


@pytest.mark.parametrize("name", CURVES)
def test_autograd_and_the_derivative_agree(name):
    z = torch.linspace(-15, 15, 601, dtype=torch.float64).add(0.01).requires_grad_()
    cotangent = torch.randn(601, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    getattr(activations, name)(z).backward(cotangent)
    torch.testing.assert_close(z.grad, cotangent * getattr(activations, f"{name}_derivative")(z.detach()))


def test_swish_is_least_at_lamberts_w_and_one_at_the_mirror_image():
    with mpmath.workdps(40):
        w = mpmath.lambertw(mpmath.exp(-1)).real
        assert float(1 + w) == pytest.approx(SWISH_ONE, abs=3e-16)
        assert float(-w) == pytest.approx(SWISH_LEAST, abs=2e-16)
    z = torch.tensor([-SWISH_ONE, SWISH_ONE], dtype=torch.float64)
    assert swish(z).tolist() == pytest.approx([-0.2784645427610738, 1.0], abs=1e-15)
    assert abs(activations.swish_derivative(z)[0].item()) < 1e-15
    around = torch.linspace(-20, 20, 400_001, dtype=torch.float64)
    assert swish(around).min() >= SWISH_LEAST - 1e-15


@pytest.mark.parametrize("beta", [0.1, 1.0, 1.702, 10.0])
def test_where_swish_is_least_and_where_it_is_one_for_other_betas(beta):
    z, least = activations.swish_least(beta)
    grid = torch.linspace(-40, 3, 430_001, dtype=torch.float64)
    assert swish(grid, beta).min().item() == pytest.approx(least, abs=1e-7)
    assert grid[swish(grid, beta).argmin()].item() == pytest.approx(z, abs=2e-4)
    one = torch.tensor(activations.swish_one(beta), dtype=torch.float64)
    assert swish(one, beta).item() == pytest.approx(1, abs=1e-14)


def test_swish_with_beta_1702_is_least_where_it_was_measured():
    assert activations.swish_least(1.702) == pytest.approx((-0.7512, -0.1636), abs=5e-5)
    assert activations.swish_one(1.0) == pytest.approx(SWISH_ONE, abs=1e-15)
    assert activations.swish_one(0.0) == 2.0
    for refused in (0.0, -1.0, float("nan")):
        with pytest.raises(ValueError, match="beta above 0"):
            activations.swish_least(refused)
    with pytest.raises(ValueError, match="at least 0"):
        activations.swish_one(-1.0)


def test_swish_of_z_less_swish_of_minus_z_is_z():
    z = torch.linspace(-40, 40, 801, dtype=torch.float64)
    torch.testing.assert_close(swish(z) - swish(-z), z)


def test_the_largest_slope_of_swish_is_the_published_one():
    z = torch.linspace(-8, 8, 1_600_001, dtype=torch.float64)
    slope = activations.swish_derivative(z)
    assert slope.max().item() == pytest.approx(1.0998393201, abs=1e-10)
    assert slope.min().item() == pytest.approx(-0.0998393201, abs=1e-10)
    assert z[slope.argmax()].item() == pytest.approx(2.3993572805, abs=1e-5)


def weights(d_model=8, d_ff=20, dtype=torch.float64):
    generator = torch.Generator().manual_seed(0)
    shapes = {"gate": (d_ff, d_model), "up": (d_ff, d_model), "down": (d_model, d_ff)}
    return {name: torch.randn(shape, generator=generator, dtype=dtype) for name, shape in shapes.items()}


def batch(d_model=8, dtype=torch.float64):
    return torch.randn(2, 3, d_model, generator=torch.Generator().manual_seed(1), dtype=dtype)


def hugging_face_mlps():
    from transformers import GemmaConfig, LlamaConfig, MistralConfig, Qwen2Config
    from transformers.models.gemma.modeling_gemma import GemmaMLP
    from transformers.models.llama.modeling_llama import LlamaMLP
    from transformers.models.mistral.modeling_mistral import MistralMLP
    from transformers.models.qwen2.modeling_qwen2 import Qwen2MLP

    return {
        "Llama": (LlamaMLP, LlamaConfig),
        "Mistral": (MistralMLP, MistralConfig),
        "Qwen2": (Qwen2MLP, Qwen2Config),
        "Gemma": (GemmaMLP, GemmaConfig),
    }


@pytest.mark.parametrize("name", ["Llama", "Mistral", "Qwen2", "Gemma"])
def test_the_gated_layer_equals_the_one_in_transformers(name):
    pytest.importorskip("transformers")
    layer, config = hugging_face_mlps()[name]
    theirs = layer(config(hidden_size=8, intermediate_size=20, num_attention_heads=2)).double()
    ours = weights()
    theirs.load_state_dict({f"{branch}_proj.weight": weight for branch, weight in ours.items()})
    steps = gated_steps(batch(), **ours, family="GeGLU" if name == "Gemma" else "SwiGLU")
    # Gemma computes an approximation of GELU, which differs by up to 4.7e-4 at each gate: redo its product.
    approximate = F.gelu(steps.gate_input, approximate="tanh") * steps.content
    output = approximate @ ours["down"].T if name == "Gemma" else steps.output
    torch.testing.assert_close(output, theirs(batch()))
    if name == "Gemma":
        approximated = F.gelu(steps.gate_input, approximate="tanh")
        torch.testing.assert_close(steps.gate, approximated, rtol=0, atol=4.8e-4)
        torch.testing.assert_close(steps.output, (steps.gate * steps.content) @ ours["down"].T)


@pytest.mark.parametrize(
    ("family", "activation"),
    [
        ("GLU", torch.sigmoid),
        ("bilinear", torch.nn.Identity()),
        ("ReGLU", F.relu),
        ("GeGLU", F.gelu),
        ("SwiGLU", F.silu),
    ],
)
def test_each_member_of_the_family_differs_in_the_gate_alone(family, activation):
    w = weights()
    steps = gated_steps(batch(), **w, family=family)
    linear = {name: F.linear(batch(), w[name]) for name in ("gate", "up")}
    torch.testing.assert_close(steps.gate_input, linear["gate"])
    torch.testing.assert_close(steps.gate, activation(linear["gate"]))
    torch.testing.assert_close(steps.content, linear["up"])
    torch.testing.assert_close(steps.product, activation(linear["gate"]) * linear["up"])
    torch.testing.assert_close(steps.output, F.linear(steps.product, w["down"]))
    assert steps.product.shape == (2, 3, 20)
    assert steps.output.shape == (2, 3, 8)


def test_glu_is_torchs_glu_with_the_gate_in_the_second_half():
    w = weights()
    joint = torch.cat([F.linear(batch(), w["up"]), F.linear(batch(), w["gate"])], dim=-1)
    torch.testing.assert_close(gated_steps(batch(), **w, family="GLU").product, F.glu(joint, dim=-1))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_a_gated_layer_is_finite_for_inputs_of_a_thousand(dtype):
    w = {name: weight.sign() / 32 for name, weight in weights(dtype=dtype).items()}
    x = (1000 * batch(dtype=dtype).sign()).requires_grad_()
    for family in FAMILY:
        steps = gated_steps(x, **w, family=family)
        assert torch.isfinite(steps.output).all()
        (gradient,) = torch.autograd.grad(steps.output.sum(), x)
        assert torch.isfinite(gradient).all()


def linear(weight):
    """A torch layer that holds this weight."""
    layer = torch.nn.Linear(*reversed(weight.shape), bias=False, dtype=weight.dtype)
    layer.load_state_dict({"weight": weight})
    return layer


def test_the_two_layer_network_equals_torchs_modules_and_its_switch_is_relu():
    w = weights()
    theirs = torch.nn.Sequential(linear(w["up"]), torch.nn.ReLU(), linear(w["down"]))
    steps = relu_steps(batch(), w["up"], w["down"])
    torch.testing.assert_close(steps.output, theirs(batch()))
    torch.testing.assert_close(steps.passed, steps.switch * steps.hidden)
    assert set(steps.switch.unique().tolist()) == {0.0, 1.0}


def test_the_relu_network_beside_a_gated_layer_has_as_many_parameters_and_its_first_rows():
    w = weights()
    matrices = matched(**w)
    theirs = [linear(matrices.relu_up), linear(matrices.relu_down)]
    assert sum(layer.weight.numel() for layer in theirs) == sum(weight.numel() for weight in w.values()) == 480
    x = batch()[0, 0]
    both = both_steps(x, matrices, "GLU")
    torch.testing.assert_close(both.relu.output, theirs[1](F.relu(theirs[0](x))))
    torch.testing.assert_close(both.gated.output, F.linear(torch.sigmoid(w["gate"] @ x) * (w["up"] @ x), w["down"]))
    torch.testing.assert_close(both.relu.hidden[:20], both.gated.content)
    assert both.family == "GLU"


@pytest.mark.parametrize(
    ("gate", "up", "down"),
    [((4, 3), (4, 2), (3, 4)), ((4, 3), (4, 3), (4, 3)), ((5, 3), (5, 3), (3, 5)), ((4, 3), (2, 3), (3, 4))],
)
def test_matrices_that_make_no_layer_are_refused(gate, up, down):
    with pytest.raises(ValueError, match=r"one shape \(d_ff, d_model\), d_ff even.* got the shapes"):
        matched(*(torch.ones(shape) for shape in (gate, up, down)))


def test_states_follow_from_the_gate_read_to_one_decimal():
    gate = torch.tensor([-0.27, -0.06, -0.04, 0.0, 0.04, 0.06, 0.94, 0.96, 1.0, 1.04, 1.06, 5.0])
    assert gate_states(gate) == [
        "flipped", "flipped", "closed", "closed", "closed", "attenuated",
        "attenuated", "passed", "passed", "passed", "amplified", "amplified",
    ]  # fmt: skip
    assert gate_states(swish(torch.tensor([-8.0, -1.0, 0.0, 0.5, SWISH_ONE, 3.0]))) == [
        "closed", "flipped", "closed", "attenuated", "passed", "amplified",
    ]  # fmt: skip


@pytest.mark.parametrize("gate", [torch.tensor([0.0, float("nan")]), torch.tensor([float("inf")])])
def test_a_gate_that_is_not_finite_has_no_state(gate):
    with pytest.raises(ValueError, match="finite"):
        gate_states(gate)


def test_the_curves_at_a_point_are_torchs():
    at = curves_at(0.75, beta=2.0)
    z = torch.tensor(0.75, dtype=torch.float64, requires_grad=True)
    curves = (F.relu(z), torch.sigmoid(z), z * torch.sigmoid(2 * z), F.gelu(z))
    assert CURVE_NAMES == ("ReLU", "sigmoid", "Swish", "GELU")
    assert at.values == pytest.approx([curve.item() for curve in curves], rel=1e-14)
    assert at.slopes == pytest.approx([torch.autograd.grad(curve, z)[0].item() for curve in curves], rel=1e-13)
    assert (at.sigmoid_state, at.swish_state) == ("attenuated", "attenuated")


def test_in_the_flow_each_position_minds_its_own_gate():
    content, gate_input = torch.tensor([2.0, -1.0, 0.5]), torch.tensor([-1.0, 0.0, 3.0])
    steps = flow_steps(content, gate_input)
    torch.testing.assert_close(steps.product, F.silu(gate_input) * content)
    assert steps.states == ["flipped", "closed", "amplified"]
    with pytest.raises(ValueError, match="as many gate inputs as contents"):
        flow_steps(content, gate_input[:2])


@pytest.mark.parametrize("shape", [(), (2, 3), (1, 2, 3)])
def test_gates_come_in_one_row(shape):
    with pytest.raises(ValueError, match="one row of gates"):
        gate_states(torch.ones(shape))


@pytest.mark.parametrize("beta", [0.1, 0.5, 1.0, 4.0])
def test_a_steeper_swish_is_the_same_curve_made_smaller(beta):
    """Swish_beta(z) is Swish(beta z) / beta; the numbers of Swish are those that the lesson quotes."""
    steps = activations.beta_steps(beta)
    assert (beta * steps.least_at, beta * steps.least) == pytest.approx((-1.27846, -0.27846), abs=1e-5)
