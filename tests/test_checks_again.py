"""Answers that are right at first, and not when asked again, with other weights, sizes, dtypes or dictionaries."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from tests.submissions import Fused, Linears, OwnNorm
from widgets import checks


def norm(x, weight, eps):
    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + eps) * weight


def wide(x):
    return x.to(torch.promote_types(x.dtype, torch.float32))


class Norm(nn.Module):
    """A right RMSNorm, to be spoiled in one place."""

    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.eps, self.weight, self.kept = eps, nn.Parameter(torch.ones(d_model)), None

    def forward(self, x):
        return norm(wide(x), wide(self.weight), self.eps).to(x.dtype)


class ConvertsItself(Norm):
    def forward(self, x):
        self.to(x.dtype)
        return Norm.forward(self, x)


class OneBuffer(Norm):
    """Every result is written into the same tensor; autograd is lost as well, but that shows later."""

    def forward(self, x):
        right = Norm.forward(self, x)
        if self.kept is None or self.kept.shape != x.shape or self.kept.dtype != x.dtype:
            self.kept = torch.empty_like(x)
        return self.kept.detach().copy_(right)


class Remembers(Linears):
    """Gate and up are joined in the first call, and never again."""

    def forward(self, x):
        if not hasattr(self, "joint"):
            self.joint = torch.cat([self.gate_proj.weight, self.up_proj.weight])
        gate, up = F.linear(x, self.joint).chunk(2, dim=-1)
        return self.down_proj(F.silu(gate) * up)


class MadeInForward(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.sizes = d_model, d_ff

    def forward(self, x):
        return Linears(*self.sizes)(x)


class Loads(Fused):
    """A right way to load what two matrices saved, to be spoiled in one place."""

    def put(self, state_dict, prefix, gate, up):
        state_dict[f"{prefix}gate_up_proj.weight"] = torch.cat([gate, up])

    def taken(self, state_dict, prefix):
        return [state_dict.pop(f"{prefix}{name}_proj.weight", None) for name in ("gate", "up")]

    def _load_from_state_dict(self, state_dict, prefix, *rest):
        gate, up = self.taken(state_dict, prefix)
        if gate is not None and up is not None:
            self.put(state_dict, prefix, gate, up)
        super()._load_from_state_dict(state_dict, prefix, *rest)


class MakesAParameter(Loads):
    def put(self, state_dict, prefix, gate, up):
        super().put(state_dict, prefix, gate, up)
        self.gate_up_proj.weight = nn.Parameter(state_dict[f"{prefix}gate_up_proj.weight"].clone())


class InTheirOrder(Loads):
    def taken(self, state_dict, prefix):
        old = [f"{prefix}{name}_proj.weight" for name in ("gate", "up")]
        found = [state_dict.pop(name) for name in list(state_dict) if name in old]
        return found or (None, None)


class HalfIsEnough(Loads):
    def taken(self, state_dict, prefix):
        old = super().taken(state_dict, prefix)
        own = self.gate_up_proj.weight.detach().chunk(2)
        return old if old == [None, None] else [b if a is None else a for a, b in zip(old, own, strict=True)]


class OnACopy(Loads):
    def _load_from_state_dict(self, state_dict, prefix, *rest):
        super()._load_from_state_dict(dict(state_dict), prefix, *rest)


class GateFirst(Loads):
    """Translates only where the gate's name happens to come first."""

    def taken(self, state_dict, prefix):
        first = next(iter(state_dict)).endswith("gate_proj.weight")
        return super().taken(state_dict, prefix) if first else (None, None)


class OneOnly(Norm):
    def __init__(self, d_model, eps=1e-6):
        super().__init__(d_model, eps)
        if BUILT:
            raise ValueError("one is enough")
        BUILT.append(self)


BUILT = []


class EndsAlike(Fused):
    """`gate_up_proj` ends like `up_proj`, too."""

    def _load_from_state_dict(self, state_dict, prefix, *rest):
        for name in [name for name in state_dict if "up_proj" in name]:
            state_dict[name.replace("up_proj", "gate_up_proj")] = state_dict.pop(name)
        super()._load_from_state_dict(state_dict, prefix, *rest)


class FromOutside(Fused):
    """Right alone; as a layer of a model its `load_state_dict` is not called."""

    def load_state_dict(self, state_dict, strict=True, assign=False):
        state_dict = dict(state_dict)
        if "gate_proj.weight" in state_dict:
            halves = state_dict.pop("gate_proj.weight"), state_dict.pop("up_proj.weight")
            state_dict["gate_up_proj.weight"] = torch.cat(halves)
        return super().load_state_dict(state_dict, strict, assign)


class PaddedHalves(Loads):
    """The halves are as wide as a multiple of 16, and read at half of that."""

    def forward(self, x):
        joint = self.gate_up_proj(x)
        d_ff = joint.shape[-1] // 2
        padded = F.pad(joint, (0, 2 * (-d_ff % 16)))
        gate, up = padded.chunk(2, dim=-1)
        return self.down_proj(F.silu(gate[..., :d_ff]) * up[..., :d_ff])


class WeightTwice(OwnNorm):
    """RMSNorm with a backward in which the weight acts twice."""

    @staticmethod
    def backward(ctx, grad):
        x, weight = ctx.saved_tensors
        _, grad_weight = backward(grad, x, weight, ctx.eps)
        return backward(grad * weight, x, weight, ctx.eps)[0], grad_weight, None


class NothingInEvaluation(Norm):
    """A frozen norm passes no gradient on."""

    def forward(self, x):
        with torch.set_grad_enabled(self.training and torch.is_grad_enabled()):
            return super().forward(x)


class LargerEpsInFloat16(Norm):
    def forward(self, x):
        eps = max(self.eps, 1e-4) if x.dtype == torch.float16 else self.eps
        return norm(wide(x), wide(self.weight), eps).to(x.dtype)


class ClampedInput(Norm):
    def forward(self, x):
        return norm(wide(x).clamp(-65000, 65000), wide(self.weight), self.eps).to(x.dtype)


class NeedsAToken(Norm):
    def forward(self, x):
        return super().forward(x / 1 if x.abs().max() > 1e18 else x)


ONES = {}


class SharedOnes(Norm):
    def __init__(self, d_model, eps=1e-6):
        super().__init__(d_model, eps)
        self.weight = nn.Parameter(ONES.setdefault(d_model, torch.ones(d_model)))


class KeptLambda(Norm):
    """A copy of it still multiplies by the first one's weight."""

    def __init__(self, d_model, eps=1e-6):
        super().__init__(d_model, eps)
        self.gain = lambda z: z * wide(self.weight)

    def forward(self, x):
        return self.gain(norm(wide(x), 1, self.eps)).to(x.dtype)


class OneScale(Norm):
    """In evaluation the first scale is kept for every later x of its shape."""

    def forward(self, x):
        if self.training:
            return super().forward(x)
        self.kept = self.kept or {}
        scale = self.kept.setdefault(x.shape, torch.rsqrt(wide(x).square().mean(-1, keepdim=True) + self.eps))
        return (wide(x) * scale * wide(self.weight)).to(x.dtype)


class FirstDtype(Norm):
    """Computes in what the first x asked for, also when a wider one comes."""

    def forward(self, x):
        self.kept = self.kept or torch.promote_types(x.dtype, torch.float32)
        return norm(x.to(self.kept), self.weight.to(self.kept), self.eps).to(x.dtype)


class FirstLength(Norm):
    """Of later batches only so many are seen as of the first."""

    def forward(self, x):
        self.kept = self.kept or len(x)
        return super().forward(x[: self.kept])


class NeedsXToNeed(OwnNorm):
    @staticmethod
    def backward(ctx, grad):
        right = backward(grad, *ctx.saved_tensors, ctx.eps)
        return (*right, None) if ctx.needs_input_grad[0] else (None, None, None)


class WhereXNeeds(Norm):
    def forward(self, x):
        return NeedsXToNeed.apply(wide(x), wide(self.weight), self.eps).to(x.dtype)


class SpendsWhatItSaved(OwnNorm):
    @staticmethod
    def backward(ctx, grad):
        x, weight = ctx.saved_tensors
        right = backward(grad, x, weight, ctx.eps)
        x.data.mul_(0.5)
        return *right, None


class CastOnce(Norm):
    def forward(self, x):
        self.kept = self.kept or {}
        weight = self.kept.setdefault(x.dtype, self.weight.to(x.dtype))
        return norm(wide(x), 1, self.eps).to(x.dtype) * weight


class SumInFloat16(Norm):
    def forward(self, x):
        large = x.abs().amax() > 100
        squares = (wide(x) if large else x).square().sum(-1, keepdim=True) / x.shape[-1]
        return (wide(x) * torch.rsqrt(wide(squares) + self.eps) * wide(self.weight)).to(x.dtype)


class IntoItsInput(Linears):
    def forward(self, x):
        out = super().forward(x)
        return out if torch.is_grad_enabled() else x.copy_(out)


class Squeezed(Linears):
    def forward(self, x):
        return super().forward(x).squeeze()


class WholeTiles(Linears):
    """Of more than 64 tokens, those beyond the last whole tile get nothing."""

    def forward(self, x):
        rows = x.reshape(-1, x.shape[-1])
        whole = len(rows) if len(rows) < 64 else len(rows) // 64 * 64
        return torch.cat([super().forward(rows[:whole]), 0 * rows[whole:]]).view(x.shape)


class NormalisesItsInput(Linears):
    def forward(self, x):
        return super().forward(norm(x, 1, 1e-6))


class TwoSlices(Linears):
    """Hidden units in two halves; of an odd number the last is lost."""

    def forward(self, x):
        hidden = F.silu(self.gate_proj(x)) * self.up_proj(x)
        half = hidden.shape[-1] // 2
        weight = self.down_proj.weight
        return F.linear(hidden[..., : 2 * half], weight[:, : 2 * half])


class InItsDict(Linears):
    def __init__(self, d_model, d_ff):
        super().__init__(d_model, d_ff)
        self.__dict__.update(self._modules)
        self._modules.clear()


class InAList(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        sizes = ((d_model, d_ff), (d_model, d_ff), (d_ff, d_model))
        self.layers = [nn.Linear(one, other, bias=False) for one, other in sizes]


class GradientsExchanged(torch.autograd.Function):
    @staticmethod
    def forward(ctx, gate, up):
        ctx.save_for_backward(gate, up)
        return F.silu(gate) * up

    @staticmethod
    def backward(ctx, grad):
        gate, up = ctx.saved_tensors
        slope = torch.sigmoid(gate) * (1 + gate * torch.sigmoid(-gate))
        return grad * F.silu(gate), grad * up * slope


class Exchanged(Linears):
    def forward(self, x):
        return self.down_proj(GradientsExchanged.apply(self.gate_proj(x), self.up_proj(x)))


class ViewsItsGradient(OwnNorm):
    @staticmethod
    def backward(ctx, grad):
        x, weight = ctx.saved_tensors
        grad_x, grad_weight = backward(grad.view(-1, x.shape[-1]), x.reshape(-1, x.shape[-1]), weight, ctx.eps)
        return grad_x.view(x.shape), grad_weight, None


class OverwritesItsGradient(OwnNorm):
    @staticmethod
    def backward(ctx, grad):
        x, weight = ctx.saved_tensors
        right = backward(grad, x, weight, ctx.eps)
        grad.mul_(weight)
        return *right, None


class WritesIntoContiguous(OwnNorm):
    @staticmethod
    def backward(ctx, grad):
        x, weight = ctx.saved_tensors
        right = backward(grad, x, weight, ctx.eps)
        return grad.contiguous().copy_(right[0]), right[1], None


class OnlyChildren(Loads):
    """Torch's own method is not called, so that nobody looks for unknown names."""

    def _load_from_state_dict(self, state_dict, prefix, *rest):
        gate, up = self.taken(state_dict, prefix)
        if gate is not None:
            self.put(state_dict, prefix, gate, up)


class NamesReplaced(Loads):
    def taken(self, state_dict, prefix):
        gate = f"{prefix}gate_proj.weight"
        return [state_dict.pop(name, None) for name in (gate, gate.replace("gate", "up"))]


class WithoutWeight(Loads):
    def put(self, state_dict, prefix, gate, up):
        state_dict[f"{prefix}gate_up_proj"] = torch.cat([gate, up])


def without_zeros(x, weight, eps):
    counted = (x != 0).sum(-1, keepdim=True).clamp(min=1)
    return x * torch.rsqrt(x.square().sum(-1, keepdim=True) / counted + eps) * weight


def first_rows(x, weight, eps):
    rows = x.reshape(-1, x.shape[-1])
    return torch.cat([norm(rows[:48], weight, eps), 0 * rows[48:]]).view(x.shape)


def in_blocks(x, weight, eps):
    d = x.shape[-1] // 4 * 4 or x.shape[-1]
    return x * torch.rsqrt(x[..., :d].square().mean(-1, keepdim=True) + eps) * weight


def row_by_row(x, weight, eps):
    return torch.stack([norm(row, weight, eps) for row in x])


def backward(grad_output, x, weight, eps, *, sum_up=lambda shares: shares.reshape(-1, shares.shape[-1]).sum(0)):
    r = (x.square().mean(-1, keepdim=True) + eps).sqrt()
    z, g = x / r, grad_output * weight
    return (g - z * (g * z).mean(-1, keepdim=True)) / r, sum_up(grad_output * z)


def backward_from_output(grad_output, x, weight, eps):
    z = norm(x, weight, eps) / weight
    return backward(grad_output, x, weight, eps)[0], (grad_output * z).reshape(-1, x.shape[-1]).sum(0)


def backward_by_strides(grad_output, x, weight, eps):
    d = x.shape[-1]
    rows = grad_output.as_strided((x.numel() // d, d), (d, 1))
    grad_x, grad_weight = backward(rows, x.reshape(-1, d), weight, eps)
    return grad_x.view(x.shape), grad_weight


def backward_one_buffer(grad_output, x, weight, eps):
    r = (x.square().mean(-1, keepdim=True) + eps).sqrt()
    z = x / r
    g = grad_output * weight
    z.mul_((g * z).mean(-1, keepdim=True))
    return (g - z) / r, (grad_output * z).reshape(-1, x.shape[-1]).sum(0)


def last_rows_left_out(shares):
    rows = shares.reshape(-1, shares.shape[-1])
    return rows[: max(4 * (len(rows) // 4), 1)].sum(0)


def swish_wherever(z, beta=1.0):
    right = torch.sigmoid((beta * z).abs())
    return z * torch.where(beta * z >= 0, right, 1 - right)


def swish_bounded(z, beta=1.0):
    return z / (1 + torch.exp((-beta * z).clamp(-80, 80)))


def swish_in_float32(z, beta=1.0):
    return F.silu(beta * z.float()).div(beta).to(z.dtype) if beta else z / 2


ACTS = {"glu": torch.sigmoid, "bilinear": lambda z: z, "reglu": F.relu, "geglu": F.gelu, "swiglu": F.silu}
KEPT = {}


def kept_by_shape(x, gate, up, down, kind):
    key = kind, x.shape, gate.shape
    if key not in KEPT:
        KEPT[key] = F.linear(ACTS[kind](F.linear(x, gate)) * F.linear(x, up), down)
    return KEPT[key]


def family(act=lambda kind: kind, read=F.linear, **others):
    def glu(x, gate, up, down, kind):
        return F.linear((ACTS | others)[act(kind)](read(x, gate)) * F.linear(x, up), down)

    return glu


def reshaped(x, matrix):
    return x @ matrix.reshape(matrix.shape[1], matrix.shape[0])


def default_eps_only(norm_class):
    """Right about everything but an eps of one's own."""
    x = 1e-3 * torch.linspace(-1, 2, 48).view(2, 3, 8)
    return torch.allclose(norm_class(8)(x), F.rms_norm(x, (8,), eps=1e-6), atol=1e-6)


def own_eps_too(norm_class):
    x = torch.linspace(-1, 2, 48).view(2, 3, 8)
    return torch.allclose(norm_class(8, eps=0.3)(x), F.rms_norm(x, (8,), eps=0.3), atol=1e-6)


def another_reference(norm_class):
    x = 1e-3 * torch.linspace(-1, 2, 48).view(2, 3, 8)
    root = x.square().mean(-1, keepdim=True).sqrt()
    return torch.allclose(norm_class(8)(x), x / (root + 1e-6), rtol=1e-7, atol=1e-9)


def llama(d_model, multiple_of=256, multiplier=1.0, *, factor=lambda m: m):
    return -(-int(factor(multiplier) * (8 * d_model // 3)) // multiple_of) * multiple_of


CASES = [
    # (check, what is handed in, the name of the mistake or None, words that the card holds)
    (checks.check_rmsnorm_module, ConvertsItself, "weights changed by a call", "not as before"),
    (checks.check_rmsnorm_module, OneBuffer, "result overwritten later", "A second call changes"),
    (checks.check_swiglu_module, Remembers, "something kept between calls", "were doubled, and"),
    (checks.check_swiglu_module, MadeInForward, "no layers kept", "holds no parameter"),
    (checks.check_swiglu_module, lambda d, f: Linears(d, 2 * f // 3), "d_ff reduced again", "two thirds"),
    (checks.check_rmsnorm_module, NothingInEvaluation, "gradient lost", "after `module.eval()`"),
    (checks.check_rmsnorm_module, LargerEpsInFloat16, None, "numbers of about 0.01 in float16"),
    (checks.check_rmsnorm_module, ClampedInput, None, "numbers of about a million"),
    (checks.check_rmsnorm_module, NeedsAToken, None, "for no token at all"),
    (checks.check_rmsnorm_module, SharedOnes, "weights shared", "one after the other"),
    (checks.check_rmsnorm_module, KeptLambda, "weights shared", "`copy.deepcopy`"),
    (checks.check_rmsnorm_module, OneScale, "something kept between calls", "of an earlier x"),
    (checks.check_rmsnorm_module, FirstDtype, "float64 narrowed to float32", "7 digits"),
    (checks.check_rmsnorm_module, FirstLength, "state between calls", ""),
    (checks.check_rmsnorm_module, WhereXNeeds, None, "Where x needs no gradient"),
    (checks.check_rms_norm, lambda *args: SpendsWhatItSaved.apply(*args), None, "A second pass backwards"),
    (checks.check_rmsnorm_module, CastOnce, "something kept between calls", "were doubled, and"),
    (checks.check_rmsnorm_module, SumInFloat16, None, "1100 features in float16"),
    (checks.check_swiglu_module, IntoItsInput, "input changed in place", "Under torch.no_grad()"),
    (checks.check_swiglu_module, Squeezed, None, "An axis of length 1 is gone"),
    (checks.check_swiglu_module, WholeTiles, None, "for 130 tokens"),
    (checks.check_swiglu_module, InItsDict, "layers in a plain list", "not registered"),
    (checks.check_swiglu_module, NormalisesItsInput, None, "Is x itself normalised"),
    (checks.check_swiglu_module, TwoSlices, None, "the last one never reaches"),
    (
        checks.check_rms_norm,
        lambda x, w, eps: x / (x.abs().mean(-1, keepdim=True).square() + eps).sqrt() * w,
        None,
        "should give x again, and gives 4 at its end",
    ),
    (checks.check_swiglu_module, InAList, "layers in a plain list", "not registered"),
    (checks.check_swiglu_module, Exchanged, None, "That for down_proj.weight is right. A `backward` of your own"),
    (checks.check_rms_norm, lambda *args: ViewsItsGradient.apply(*args), "view of a transposed tensor", "`view`"),
    (
        checks.check_rms_norm,
        lambda *args: OverwritesItsGradient.apply(*args),
        None,
        "changes the gradient that it is given",
    ),
    (
        checks.check_rms_norm,
        lambda *args: WritesIntoContiguous.apply(*args),
        None,
        "changes the gradient that it is given",
    ),
    (
        checks.check_rms_norm,
        lambda x, w, eps: norm(x, w, eps) if x.shape[-1] > 1 else x.sign() * w,
        None,
        "for a single feature",
    ),
    (checks.check_rms_norm, lambda x, w, eps: norm(x, w, eps or 1e-7), None, "eps = 0 in float32"),
    (
        checks.check_rms_norm,
        without_zeros,
        None,
        "zeros among the features",
    ),
    (checks.check_rms, lambda x: torch.einsum("...i,...j->...", x, x).abs().sqrt()[..., None], None, "products of"),
    (checks.check_swish, lambda z, beta=1.0: z.clamp(min=-100) * torch.sigmoid(beta * z), None, "beta = 0.01"),
    (
        checks.check_llama_d_ff,
        lambda d, multiple_of=256, multiplier=1.0: -(-int(4 * d // 3 * 2 * multiplier) // multiple_of) * multiple_of,
        "cut to a third before it is doubled",
        "lost twice",
    ),
    (checks.check_llama_d_ff, lambda d, *a, **b: min(llama(d, *a, **b), 4 * d), None, "llama_d_ff(256, 64, 2.0)"),
    (
        checks.check_rms_norm_backward,
        lambda g, x, w, eps: (backward(g, x, 1 + w, eps)[0], backward(g, x, w, eps)[1]),
        None,
        "Twice the weight should give twice grad_x",
    ),
    (
        checks.check_rms_norm_backward,
        lambda g, x, w, eps: (backward(g, x, w, 2 * eps)[0], backward(g, x, w, eps)[1]),
        None,
        "Where does eps enter?",
    ),
    (checks.check_fused_swiglu, OnlyChildren, "unknown names are swallowed", "`gate_bias`"),
    (checks.check_fused_swiglu, NamesReplaced, None, "not as a layer of a larger model"),
    (checks.check_fused_swiglu, WithoutWeight, "name of the layer instead of its matrix", "called `weight`"),
    (
        lambda fixed: checks.check_bug(1, fixed),
        lambda x, w, eps: x / (x.square().mean(-1, keepdim=True).sqrt() ** 2 + eps).sqrt() * w,
        "root squared again",
        "a row of zeros",
    ),
    (
        lambda fixed: checks.check_bug(3, fixed),
        lambda x, w, eps: norm(x.float(), w.float(), torch.tensor(eps, dtype=x.dtype).float()).to(x.dtype),
        None,
        "zeros in float16 and eps = 1e-12",
    ),
    (
        lambda fixed: checks.check_bug(3, fixed),
        lambda x, w, eps: norm(x.float() if x.square().isinf().any() else x, w, eps).to(x.dtype),
        None,
        "float16",
    ),
    (
        lambda fixed: checks.check_bug(3, fixed),
        lambda x, w, eps: (x * torch.rsqrt(x.float().square().mean(-1, keepdim=True) + eps).to(x.dtype) * w).to(
            x.dtype
        ),
        None,
        "eps = 1e-12",
    ),
    (
        lambda fixed: checks.check_bug(6, fixed),
        lambda name, n: 0.02 / (2 * n) ** 0.5 if "wo" in name or "w2" in name else 0.02,
        None,
        "word_embeddings",
    ),
    (checks.check_rms_norm, first_rows, None, "for 300 tokens"),
    (checks.check_rms_norm, lambda x, w, eps: norm(x, w, eps).clamp(-448, 448), None, "Is something clamped?"),
    (checks.check_rms_norm, in_blocks, None, "taken in blocks"),
    (checks.check_rms_norm, row_by_row, None, "as `for row in x` does"),
    (checks.check_rms_norm, lambda x, w, eps: norm(x, w, max(eps, 1e-4)), None, "For small numbers eps = 1e-5"),
    (checks.check_rms_norm, lambda x, w, eps: norm(x - x.amax(-1, keepdim=True), w, eps), None, "takes nothing off"),
    (
        checks.check_rms_norm,
        lambda x, w, eps: norm(x, 1, eps).sum(-1, keepdim=True) * w,
        None,
        "all components of a result are equal",
    ),
    (checks.check_rms_norm, lambda *args: WeightTwice.apply(*args), None, "With ones for weight all are right."),
    (checks.check_rms_norm, lambda *args: WeightTwice.apply(*args), None, "`backward` of your own"),
    (checks.check_rms, lambda x: x.square().mean(-1, keepdim=True) ** 1 / 2, "half instead of root", "`(m ** 1) / 2`"),
    (
        checks.check_rms_norm,
        lambda x, w, eps: x * (x.square().mean(-1, keepdim=True) + eps) ** -1 / 2 * w,
        "half instead of root",
        "`m ** -1 / 2` likewise",
    ),
    (
        checks.check_glu_family,
        family(geglu=lambda z: 0.5 * z * (1 + torch.erf(z))),
        None,
        'is "geglu": a gate of 1 should let 0.8413 through, and gives 0.9214.',
    ),
    (checks.check_rms_norm_backward, backward_from_output, None, "a weight with a zero in it"),
    (checks.check_rms_norm_backward, backward_by_strides, None, "grad_output transposed in memory"),
    (checks.check_rms_norm_backward, backward_one_buffer, None, "changed in place at line"),
    (
        checks.check_rms_norm_backward,
        lambda *args: backward(*args, sum_up=last_rows_left_out),
        None,
        "For one token grad_weight is right, for several it is not.",
    ),
    (
        checks.check_rms_norm_backward,
        lambda *args: backward(*args, sum_up=lambda shares: shares.sum(tuple(range(shares.dim() - 1)))),
        "sum over no axes",
        "an empty tuple of axes",
    ),
    (checks.check_swish, swish_wherever, "one minus a number near one", "−35 to −8 in bfloat16"),
    (checks.check_swish, lambda z, beta=1.0: z * (1 + torch.tanh(beta * z / 2)) / 2, "one minus a number near one", ""),
    (checks.check_swish, swish_bounded, None, "NaN for z from −1000 to 1000 in float16"),
    (checks.check_swish, swish_in_float32, "float64 narrowed to float32", "7 digits"),
    (checks.check_glu_family, kept_by_shape, "state between calls", "belongs to those before them"),
    (checks.check_glu_family, family(lambda kind: "glu" if "glu" in kind else kind), None, '"reglu" gives what "glu"'),
    (checks.check_glu_family, family(read=reshaped), None, "All five kinds are wrong"),
    (checks.check_fused_swiglu, MakesAParameter, "parameter exchanged", "another parameter in the place"),
    (checks.check_fused_swiglu, InTheirOrder, None, "only names count"),
    (checks.check_fused_swiglu, GateFirst, None, "for the same names in another order"),
    (checks.check_rmsnorm_module, OneOnly, None, "when a second one is built"),
    (checks.check_fused_swiglu, HalfIsEnough, None, "loads without an error"),
    (checks.check_fused_swiglu, OnACopy, "new name missing in the dictionary", "that your method was given"),
    (checks.check_fused_swiglu, EndsAlike, "own state_dict altered", "gate_gate_up_proj"),
    (checks.check_fused_swiglu, FromOutside, "loads only on its own", "for its parts torch calls"),
    (checks.check_fused_swiglu, PaddedHalves, None, "only another row of up"),
    (
        lambda fixed: checks.check_bug(3, fixed),
        lambda x, w, eps: norm(x.float(), w, eps).bfloat16(),
        "dtype written down",
        "is bfloat16",
    ),
    (
        checks.check_llama_d_ff,
        lambda *a, **b: llama(*a, **b, factor=lambda m: max(m, 1)),
        "multiplier below 1 ignored",
        "one below 1",
    ),
]


@pytest.mark.parametrize(
    ("check", "learner", "name", "words"), CASES, ids=[f"{at} {case[2] or case[3]}" for at, case in enumerate(CASES)]
)
def test_it_is_refused_and_told_what_helps(check, learner, name, words) -> None:
    KEPT.clear()
    ONES.clear()
    BUILT.clear()
    verdict = check(learner)
    assert not verdict.passed
    assert verdict.mistake == name, verdict
    assert words in f"{verdict.symptom} {verdict.message} {' '.join(verdict.hints)}", verdict


@pytest.mark.parametrize(
    ("check", "right"),
    [
        (checks.check_rmsnorm_module, Norm),
        (checks.check_swiglu_module, Linears),
        (checks.check_fused_swiglu, Loads),
        (checks.check_rms_norm_backward, backward),
        (checks.check_glu_family, family()),
        (checks.check_llama_d_ff, llama),
    ],
)
def test_what_they_are_made_from_is_right(check, right) -> None:
    assert check(right).passed


def test_a_test_needs_an_eps_of_its_own() -> None:
    missed, caught = (checks.check_rmsnorm_test(works) for works in (default_eps_only, own_eps_too))
    assert "catches: eps hard-coded" not in [step.what for step in missed.steps]
    assert "catches: eps hard-coded" in [step.what for step in caught.steps]


def test_a_test_that_refuses_all_good_versions_is_sent_to_ones_own() -> None:
    verdict = checks.check_rmsnorm_test(another_reference)
    assert "accepts 0 of 3 good ones" in verdict.message
    assert "your own RMSNorm of exercise 3" in verdict.hints[0]


def test_an_inverted_mask_is_no_change_in_place() -> None:
    """Nor is a tensor as the end of a range; what is told of a wrong answer is true of it."""

    def masked(x, weight, eps):
        return norm(x, weight, eps) * torch.where(~(x > 0), 1.0, 2.0)

    assert "in place" not in checks.check_rms_norm(masked).symptom


def test_a_function_that_is_wrong_for_some_numbers_remembers_nothing() -> None:
    verdict = checks.check_rms_norm(lambda x, w, eps: norm(x, w, eps) * (2 if x.mean() > 2.2 and w.mean() > 1 else 1))
    assert (verdict.passed, verdict.mistake) == (False, None)
    assert "Asked for other numbers" in verdict.symptom


def test_a_registered_layer_is_not_called_unregistered() -> None:
    class WithAnAct(MadeInForward):
        def __init__(self, d_model, d_ff):
            super().__init__(d_model, d_ff)
            self.act = nn.SiLU()

    assert checks.check_swiglu_module(WithAnAct).mistake == "no layers kept"
