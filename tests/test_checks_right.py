"""Right answers in styles that a check did not expect: all of them pass."""

from __future__ import annotations

import math
import warnings
from functools import partial

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn

from tests.submissions import Fused, Linears
from widgets import checks

# rms(x)


def rms_einsum(x):
    return (torch.einsum("...d,...d->...", x, x) / x.shape[-1]).sqrt().unsqueeze(-1)


def rms_vector_norm(x):
    return torch.linalg.vector_norm(x, dim=-1, keepdim=True) / math.sqrt(x.size(-1))


def rms_power(x):
    return ((x**2).sum(axis=-1) / x.shape[-1])[..., None] ** 0.5


def rms_double(x):
    return x.double().pow(2).mean(-1, True).sqrt().type_as(x)


def rms_of_variance_and_mean(x):
    """The mean square is the variance plus the square of the mean."""
    return (x.var(-1, correction=0, keepdim=True) + x.mean(-1, keepdim=True) ** 2).sqrt()


def rms_loop(x):
    total = 0
    for i in range(x.shape[-1]):
        total = total + x[..., i : i + 1] ** 2
    return torch.sqrt(total / x.shape[-1])


def rms_matmul(x):
    return torch.sqrt((x.unsqueeze(-2) @ x.unsqueeze(-1)).squeeze(-1) / x.shape[-1])


class CallableRms:
    def __call__(self, x):
        return F.avg_pool1d(x.reshape(-1, 1, x.shape[-1]) ** 2, x.shape[-1]).reshape(*x.shape[:-1], 1).sqrt()


def rms_prints(x):
    print("rms of", x.shape)
    return rms_vector_norm(x)


def rms_warns(x):
    warnings.warn("nearly done", stacklevel=1)
    return rms_vector_norm(x)


def scripted(function):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # torch.jit still works
        return torch.jit.script(function)


# rms_norm(x, weight, eps)


def plain(x, weight, eps):
    return x / torch.sqrt(torch.mean(x * x, dim=-1, keepdim=True) + eps) * weight


def llama(x, weight, eps):
    wide = x.float()
    return (wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + eps)).type_as(x) * weight


def gemma(x, weight, eps):
    wide = x.float()
    return (wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + eps) * weight.float()).to(x.dtype)


def built_in(x, weight, eps):
    return F.rms_norm(x, normalized_shape=(x.shape[-1],), weight=weight, eps=eps)


def einsum(x, weight, eps):
    mean_square = torch.einsum("...i,...i->...", x, x).div(x.shape[-1])
    return torch.einsum("...i,...,i->...i", x, (mean_square + eps).rsqrt(), weight)


def normalize(x, weight, eps):
    """F.normalize, with eps brought in exactly: as one more component of the vector."""
    d = x.shape[-1]
    longer = torch.cat([x, torch.full_like(x[..., :1], math.sqrt(d * eps))], dim=-1)
    return F.normalize(longer, dim=-1, eps=0.0 if eps else 1e-30)[..., :d] * math.sqrt(d) * weight


def layer_norm_of_both_signs(x, weight, eps):
    """[x, -x] has mean 0, so its LayerNorm is RMSNorm."""
    both = torch.cat([x, -x], dim=-1)
    return F.layer_norm(both, both.shape[-1:], eps=eps)[..., : x.shape[-1]] * weight


def double(x, weight, eps):
    wide = x.to(torch.float64)
    return (wide / (wide.square().mean(-1, keepdim=True) + eps) ** 0.5 * weight.double()).to(x.dtype)


def helper_calls(x, weight, eps):
    def scale(vector):
        return (vector.square().mean(dim=-1, keepdim=True) + eps) ** -0.5

    return torch.mul(torch.mul(x, scale(x)), weight)


def out_of_place_with_addcmul(x, weight, eps):
    result = torch.empty_like(x)
    scale = (x.square().mean(-1, keepdim=True) + eps).rsqrt()
    return torch.addcmul(torch.zeros_like(result), x * scale, weight)


def length_squared(x, weight, eps):
    """The mean square is the square of the length, by d."""
    return x / (x.norm(dim=-1, keepdim=True) ** 2 / x.shape[-1] + eps) ** 0.5 * weight


def in_place_on_a_copy(x, weight, eps):
    copy = x.clone()
    copy *= (x.square().mean(-1, keepdim=True) + eps).rsqrt()
    return copy.mul_(weight)


def over_flat_tokens(x, weight, eps):
    flat = x.reshape(-1, x.shape[-1])
    rows = [row * weight / math.sqrt(1) / (row.dot(row) / len(row) + eps).sqrt() for row in flat]
    return torch.stack(rows).reshape(x.shape)


class ByHand(torch.autograd.Function):
    """Forward and backward written out."""

    @staticmethod
    def forward(ctx, x, weight, eps):
        scale = (x.square().mean(-1, keepdim=True) + eps).sqrt()
        ctx.save_for_backward(x / scale, weight, scale)
        return x / scale * weight

    @staticmethod
    def backward(ctx, grad):
        normalised, weight, scale = ctx.saved_tensors
        inner = grad * weight
        grad_x = (inner - normalised * (inner * normalised).mean(-1, keepdim=True)) / scale
        return grad_x, (grad * normalised).reshape(-1, weight.shape[0]).sum(0), None


def autograd_function(x, weight, eps):
    return ByHand.apply(x, weight, eps)


def with_defaults(x, weight=None, eps=1e-5, *, extra=None):
    return plain(x, 1 if weight is None else weight, eps)


def other_names(hidden_states, gain, variance_epsilon):
    return plain(hidden_states, gain, variance_epsilon)


def any_arguments(*args, **kwargs):
    return built_in(*args, **kwargs)


# RMSNorm(d_model, eps=1e-6): in the dtype of x, computed in float32 or wider


def at_least_float32(x):
    return x.to(torch.promote_types(x.dtype, torch.float32))


def cast_then_multiply(x, weight, eps):
    """LLaMA's order, with the weight cast as well."""
    wide = at_least_float32(x)
    return (wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + eps)).type_as(x) * weight.type_as(x)


def multiply_then_cast(x, weight, eps):
    """torch's and Gemma's order."""
    wide = at_least_float32(x)
    return (wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + eps) * weight).to(x.dtype)


class Textbook(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))
        self.eps = eps

    def forward(self, x):
        return cast_then_multiply(x, self.weight, self.eps)


class Subclass(nn.RMSNorm):
    def __init__(self, d_model, eps=1e-6):
        super().__init__(d_model, eps=eps)


class SubclassOwnForward(nn.RMSNorm):
    def __init__(self, d_model, eps=1e-6, device=None, dtype=None):
        super().__init__((d_model,), eps, True, device, dtype)

    def forward(self, x):
        return multiply_then_cast(x, self.weight, self.eps)


class OffsetFromOne(nn.Module):
    """Stores the gain as an offset from 1 and shows, saves and loads it as a weight."""

    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.offset = nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    @property
    def weight(self):
        return 1 + self.offset

    def forward(self, x):
        return multiply_then_cast(x, self.weight, self.eps)

    def _save_to_state_dict(self, destination, prefix, keep_vars):
        destination[prefix + "weight"] = self.weight if keep_vars else self.weight.detach()

    def _load_from_state_dict(self, state_dict, prefix, *rest):
        with torch.no_grad():
            self.offset.copy_(state_dict[prefix + "weight"] - 1)


class EpsAsBuffer(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.register_parameter("weight", nn.Parameter(torch.full((d_model,), 1.0)))
        self.register_buffer("eps", torch.tensor(eps, dtype=torch.float64), persistent=False)

    def forward(self, x):
        wide = x.to(torch.float64)
        return (F.rms_norm(wide, wide.shape[-1:], None, self.eps.item()) * self.weight.double()).to(x.dtype)


class ManyArguments(nn.Module):
    def __init__(self, d_model, eps=1e-6, bias=False, **kwargs):
        super(ManyArguments, self).__init__()  # noqa: UP008
        self.weight = nn.Parameter(torch.ones(d_model), **kwargs)
        self.extra = {"eps": eps}

    def _norm(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.extra["eps"])

    def forward(self, x, *, scale=1.0):
        output = self._norm(at_least_float32(x)).type_as(x)
        return (output * self.weight * scale).type_as(x)


class ScalesDown(nn.Module):
    """Stays in float16 by dividing by the largest number, eps with it."""

    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.ones(d_model)), eps

    def forward(self, x):
        wide = x.float() if x.dtype != torch.float64 else x
        largest = wide.abs().amax(-1, keepdim=True).clamp(min=1e-20)
        small = wide / largest
        result = small / (small.square().mean(-1, keepdim=True) + self.eps / largest.square()).sqrt()
        return (result * self.weight).to(x.dtype)


class ByPieces(Textbook):
    """The square root of x's own products, and the result cast by indexing into an empty tensor of x's dtype."""

    def forward(self, x):
        wide = x.double()
        result = torch.empty_like(x)
        result[...] = wide / torch.sqrt((wide * wide).sum(-1, keepdim=True) / x.shape[-1] + self.eps) * self.weight
        return result


def factory(d_model, eps=1e-6):
    return nn.RMSNorm(d_model, eps)


class InferenceHook(Textbook):
    """Compiled inside."""

    def __init__(self, d_model, eps=1e-6):
        super().__init__(d_model, eps)
        self.compute = torch.compile(cast_then_multiply)

    def forward(self, x):
        return self.compute(x, self.weight, self.eps)


# The others


def layer_norm_1(x, weight, bias, eps):
    return plain(x - x.mean(-1, keepdim=True), weight, eps) + bias


def layer_norm_2(x, weight, bias, eps):
    return F.layer_norm(x, (x.shape[-1],), weight, bias, eps)


def layer_norm_3(x, weight, bias, eps):
    centring = torch.eye(x.shape[-1], dtype=x.dtype) - 1 / x.shape[-1]
    return torch.add(built_in(x @ centring, weight, eps), bias)


def backward_1(grad_output, x, weight, eps):
    rstd = torch.rsqrt(x.square().mean(-1, keepdim=True) + eps)
    grad = grad_output * weight
    grad_x = rstd * grad - rstd**3 * x * (grad * x).mean(-1, keepdim=True)
    return grad_x, (grad_output * x * rstd).reshape(-1, len(weight)).sum(0)


def backward_2(g, x, w, eps):
    d = x.shape[-1]
    scale = (x.square().mean(-1) + eps).sqrt()
    xhat = x / scale[..., None]
    projection = torch.eye(d, dtype=x.dtype) - torch.einsum("...i,...j->...ij", xhat, xhat) / d
    grad_x = torch.einsum("...ij,...j->...i", projection, g * w) / scale[..., None]
    return grad_x, torch.einsum("ni,ni->i", g.reshape(-1, d), xhat.reshape(-1, d))


class SwishFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx, z, beta):
        ctx.save_for_backward(z)
        ctx.beta = beta
        return z * torch.sigmoid(beta * z)

    @staticmethod
    def backward(ctx, grad):
        (z,) = ctx.saved_tensors
        sigma = torch.sigmoid(ctx.beta * z)
        return grad * (sigma + ctx.beta * z * sigma * (1 - sigma)), None


class LinearLike(nn.Module):
    def __init__(self, rows, columns):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(rows, columns) / columns**0.5)

    def forward(self, x):
        return torch.einsum("...i,oi->...o", x, self.weight)


class OwnLinears(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.0):
        super().__init__()
        for name, shape in {"down": (d_model, d_ff), "gate": (d_ff, d_model), "up": (d_ff, d_model)}.items():
            self.add_module(f"{name}_proj", LinearLike(*shape))
        self.dropout = nn.Dropout(dropout)
        self.act = nn.SiLU()

    def forward(self, x):
        gate, up = self.gate_proj(x), self.up_proj(x)
        return self.dropout(self.down_proj(up * self.act(gate)))


class FusedByHook(Fused):
    def __init__(self, d_model, d_ff):
        super().__init__(d_model, d_ff)
        self.d_ff = d_ff
        self.register_load_state_dict_pre_hook(self.translate)

    @staticmethod
    def translate(module, state_dict, prefix, *rest):
        names = [f"{prefix}{name}_proj.weight" for name in ("gate", "up")]
        if set(names) <= state_dict.keys():
            state_dict[f"{prefix}gate_up_proj.weight"] = torch.cat([state_dict.pop(name) for name in names])

    def forward(self, x):
        joint = F.linear(x, self.gate_up_proj.weight)
        return self.down_proj(F.silu(joint[..., : self.d_ff]) * joint[..., self.d_ff :])


def family_branches(x, gate_weight, up_weight, down_weight, kind):
    gate = F.linear(x, gate_weight)
    if kind == "glu":
        gate = gate.sigmoid()
    elif kind == "reglu":
        gate = gate.clamp(min=0)
    elif kind == "geglu":
        gate = F.gelu(gate, approximate="tanh")
    elif kind == "swiglu":
        gate = gate * gate.sigmoid()
    return F.linear(gate * F.linear(x, up_weight), down_weight)


def family_halves(x, g, u, d, kind):
    if kind == "glu":
        return F.glu(torch.cat([x @ u.T, x @ g.T], -1)) @ d.T
    act = {"bilinear": nn.Identity(), "reglu": nn.ReLU(), "geglu": nn.GELU(), "swiglu": nn.SiLU()}[kind]
    return torch.einsum("...f,...f,of->...o", act(x @ g.T), x @ u.T, d)


def matched_search(d_model, relu_d_ff):
    width = 0
    while 3 * d_model * (width + 1) <= 2 * d_model * relu_d_ff:
        width += 1
    return width


def llama_meta(d_model, multiple_of=256, multiplier=None):
    hidden = int(2 * 4 * d_model / 3)
    if multiplier is not None:
        hidden = int(multiplier * hidden)
    return multiple_of * ((hidden + multiple_of - 1) // multiple_of)


RIGHT = {
    checks.check_rms: [
        rms_einsum,
        rms_vector_norm,
        rms_power,
        rms_double,
        rms_of_variance_and_mean,
        rms_loop,
        rms_matmul,
        CallableRms(),
        rms_prints,
        rms_warns,
        partial(scripted, rms_vector_norm),
        lambda x: x.pow(2).mean(-1, keepdim=True).sqrt(),
    ],
    checks.check_rms_norm: [
        plain,
        llama,
        gemma,
        built_in,
        einsum,
        normalize,
        layer_norm_of_both_signs,
        double,
        helper_calls,
        out_of_place_with_addcmul,
        in_place_on_a_copy,
        length_squared,
        over_flat_tokens,
        autograd_function,
        with_defaults,
        other_names,
        any_arguments,
        partial(torch.compile, plain),
    ],
    checks.check_rmsnorm_module: [
        Textbook,
        Subclass,
        SubclassOwnForward,
        OffsetFromOne,
        EpsAsBuffer,
        ManyArguments,
        ScalesDown,
        ByPieces,
        factory,
        InferenceHook,
    ],
    checks.check_layernorm_from_rmsnorm: [layer_norm_1, layer_norm_2, layer_norm_3],
    checks.check_rms_norm_backward: [backward_1, backward_2],
    checks.check_swish: [
        lambda z, beta=1.0: z * torch.sigmoid(beta * z),
        lambda z, beta=1.0: z * (beta * z).sigmoid(),
        lambda z, beta=1.0: F.silu(z * beta) / beta if beta else z / 2,
        lambda z, beta=1.0: z * torch.exp(F.logsigmoid(beta * z)),
        lambda z, beta=1: SwishFunction.apply(z, beta),
        lambda z, *, beta=1.0: z * torch.special.expit(beta * z),
    ],
    checks.check_swiglu_module: [Linears, OwnLinears],
    checks.check_matched_d_ff: [
        lambda d_model, relu_d_ff: 2 * relu_d_ff // 3,
        lambda d_model, relu_d_ff: int(relu_d_ff * 2 / 3),
        lambda d_model, relu_d_ff: math.floor(2 * d_model * relu_d_ff / (3 * d_model)),
        lambda d, h: np.int64(2 * h // 3),
        matched_search,
    ],
    checks.check_llama_d_ff: [
        lambda d_model, multiple_of=256, multiplier=1.0: (
            math.ceil(int(int(8 * d_model / 3) * multiplier) / multiple_of) * multiple_of
        ),
        lambda d_model, multiple_of=256, multiplier=1.0: (
            -(-int(multiplier * (8 * d_model // 3)) // multiple_of) * multiple_of
        ),
        lambda d_model, multiple_of=256, multiplier=1.0: llama_meta(d_model, multiple_of, multiplier),
        lambda d_model, *, multiple_of=256, multiplier=1.0: llama_meta(d_model, multiple_of, multiplier),
    ],
    checks.check_glu_family: [family_branches, family_halves],
    checks.check_fused_swiglu: [FusedByHook],
}
CASES = [(check, one) for check, answers in RIGHT.items() for one in answers]


@pytest.mark.parametrize(("check", "right"), CASES, ids=lambda part: getattr(part, "__name__", type(part).__name__))
def test_a_right_answer_passes(check, right):
    verdict = check(right() if isinstance(right, partial) else right)  # made now: torch's compilers load for seconds
    assert verdict.passed, verdict
    assert verdict.require() is verdict


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_a_right_answer_passes_inside_autocast(dtype) -> None:
    with torch.autocast("cpu", dtype=dtype):
        for check, right in ((checks.check_rmsnorm_module, Textbook), (checks.check_swiglu_module, Linears)):
            assert check(right).passed
        assert torch.is_autocast_enabled("cpu")


def test_a_mended_program_may_work_in_place_on_its_own_copy() -> None:
    def mended_4(x, weight, eps, sublayer):
        wide = x.to(torch.float32, copy=True)
        wide.mul_(torch.rsqrt(wide.square().mean(dim=-1, keepdim=True) + eps))
        return x + sublayer((wide * weight).to(x.dtype))

    assert checks.check_bug(4, mended_4).passed


def test_a_standard_deviation_may_be_as_exact_as_float32() -> None:
    def mended_6(name, n_layers):
        return torch.tensor(0.02).div((2 * n_layers) ** (name[-9:-7] in ("wo", "w2") and 0.5)).item()

    assert checks.check_bug(6, mended_6).passed


def test_what_a_right_answer_prints_is_mentioned_and_not_shown(capsys):
    verdict = checks.check_rms(rms_prints)
    assert "also prints" in verdict.steps[-1].note
    assert capsys.readouterr().out == ""


def test_a_plain_rms_norm_hears_of_float16():
    assert any("float16" in step.note for step in checks.check_rms_norm(plain).steps)
    assert not any("float16" in step.note for step in checks.check_rms_norm(llama).steps)
