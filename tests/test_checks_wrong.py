"""What a check says about code that is in no bank: which property it breaks, and how it misbehaves."""

from __future__ import annotations

import logging
import math
import random
import re
import sys
import threading
import time
import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn

from tests.submissions import Fused, Linears, OwnNorm
from widgets import checks
from widgets.checks import runner
from widgets.checks.mistakes import gate_formulas
from widgets.checks.verdict import Verdict


def rms(x):
    return x.square().mean(-1, keepdim=True).sqrt()


def norm(x, weight, eps):
    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + eps) * weight


class Norm(nn.Module):
    """A right module, to be spoiled in one place."""

    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.ones(d_model)), eps

    def forward(self, x):
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        return (norm(wide, 1, self.eps) * self.weight).to(x.dtype)


class Gated(Linears):
    """A right SwiGLU, to be spoiled in one place."""

    def gated(self, activation, x, offset):
        return self.down_proj(activation(self.gate_proj(x)) * (offset + self.up_proj(x)))

    def forward(self, x):
        return self.gated(F.silu, x, 0)


def module(base, **members):
    return type(base.__name__, (base,), members)


def made(base, spoil):
    """The class with something done to every new module."""

    def __init__(self, *args, **kwargs):
        base.__init__(self, *args, **kwargs)
        spoil(self)

    return module(base, __init__=__init__)


def swiglu(forward):
    return module(Gated, forward=forward)


def linears(bias=False, **shapes):
    """A module of nothing but linear layers of these names, each from "d" to "f" or back."""

    class Layers(nn.Module):
        def __init__(self, d_model, d_ff):
            super().__init__()
            sizes = {"d": d_model, "f": d_ff}
            for name, (into, out) in shapes.items():
                self.add_module(name, nn.Linear(sizes[into], sizes[out], bias=bias))

    return Layers


def without_super(self, d_model, eps=1e-6):
    self.weight = nn.Parameter(torch.ones(d_model))


PROJECTIONS = {"gate_proj": "df", "up_proj": "df", "down_proj": "fd"}
EXCHANGED = {"gate_proj": "df", "up_proj": "fd", "down_proj": "df"}


def llama(self, x):
    """As in public code: huggingface/transformers#30236."""
    return norm(x.float(), 1, self.eps).to(x.dtype) * self.weight


def narrowed(self, x):
    return (norm(x.float(), 1, self.eps) * self.weight).to(x.dtype)


def not_cast_back(self, x):
    return norm(x.float(), self.weight.float(), self.eps)


def plain_weight(layer):
    del layer.weight
    layer.weight = torch.ones(8)


def where_swish(z, beta=1.0):
    large = (beta * z).exp()
    return torch.where(z > 0, z / (1 + (-beta * z).exp()), z * large / (1 + large))


def hard_coded_width(x):
    return x.norm(dim=-1, keepdim=True) / math.sqrt(8)


def partial_rms_norm(x, weight, eps):
    return x * torch.rsqrt(x[..., : x.shape[-1] // 2].square().mean(-1, keepdim=True) + eps) * weight


CALLS = []


def counts(x):
    CALLS.append(1)
    return rms(x) * (1 + 0.1 * len(CALLS))


def changes_dtype(x):
    torch.set_default_dtype(torch.float64)
    return rms(x)


def changes_everything(x):
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    torch.manual_seed(3)
    random.seed(3)
    np.random.seed(3)
    sys.setrecursionlimit(5000)
    torch.set_grad_enabled(False)
    warnings.simplefilter("error")
    logging.root.addHandler(logging.StreamHandler())
    print("noise")
    print("noise", file=sys.stderr)
    return rms(x).detach().requires_grad_() * 1


def only_three_axes(x, weight, eps):
    _batch, _tokens, _d = x.shape
    return norm(x, weight, eps)


def raises(x):
    scale = rms(x)
    return scale / scal  # noqa: F821


UNKNOWN = [
    # (check, what is handed in, words that the message holds)
    (checks.check_rms, hard_coded_width, "should give 3"),
    (checks.check_rms, lambda x: x.square().median(-1, keepdim=True).values.sqrt(), "is right"),
    (checks.check_rms, lambda x: rms(x).round(decimals=3), "nearly right"),
    (checks.check_rms, lambda x: rms(x) * torch.rand(1, dtype=x.dtype), "drawn at random"),
    (checks.check_rms, lambda x: (rms(x),), "a tuple of 1; expected a tensor"),
    (checks.check_rms, lambda x: "3.5", "type str; expected a tensor"),
    (checks.check_rms, lambda x: rms(x).sum().item(), "the number"),
    (checks.check_rms, lambda x: rms(x) + 0j, "is complex128; expected float64"),
    (checks.check_rms, lambda x: rms(x).to("meta"), "on the device meta; expected cpu"),
    (checks.check_rms, lambda x: rms(x).to_sparse(), "layout torch.sparse_coo"),
    (checks.check_rms, lambda x: rms(x).expand_as(x), "has shape (2, 3, 8); expected (2, 3, 1)"),
    (checks.check_rms, raises, "NameError at line"),
    (checks.check_rms, lambda: 1, "It is called as `rms(x)`"),
    (checks.check_rms, 5, "is the number 5"),
    (checks.check_rms_norm, partial_rms_norm, "order of the features"),
    (checks.check_rms_norm, lambda x, w, eps: norm(x, w, eps).clamp(-1, 1), "Twice the weight"),
    (checks.check_rms_norm, lambda x, w, eps: norm(x, w, 2 * eps), "Where is eps added?"),
    (checks.check_rms_norm, lambda x, w, eps: norm(x, w, 1e-3), "Another eps changes nothing"),
    (checks.check_rms_norm, lambda x, w, eps: norm(x.abs(), w, eps), "−x should give the negative"),
    (checks.check_rms_norm, lambda x, w, eps: norm(x.half(), w.half(), eps).to(x.dtype), "nearly right"),
    (checks.check_rms_norm, lambda x, w, eps: torch.full_like(x, math.nan), "contains NaN"),
    (checks.check_rms_norm, lambda x, w: x, "yours takes `rms_norm(x, w)`"),
    (checks.check_rmsnorm_module, made(Norm, lambda m: nn.init.normal_(m.weight)), "should start as ones"),
    (checks.check_rmsnorm_module, module(Norm, __init__=lambda self, d: None), "yours takes `RMSNorm(d)`"),
    (checks.check_rmsnorm_module, made(Norm, lambda m: m.register_buffer("seen", torch.ones(1))), "holds seen"),
    (checks.check_rmsnorm_module, lambda d, eps=1e-6: rms, "expected an `nn.Module`"),
    (checks.check_rmsnorm_module, Norm(8), "built already"),
    (
        checks.check_layernorm_from_rmsnorm,
        lambda x, w, b, eps: norm(x - x.mean(0, keepdim=True), w, eps) + b,
        "another token does",
    ),
    (checks.check_rms_norm_backward, lambda g, x, w, eps: g, "expected a tuple of 2 tensors"),
    (checks.check_rms_norm_backward, lambda g, x, w, eps: (g, None), "One of the results is None"),
    (checks.check_swish, lambda z, beta=2.0: z * torch.sigmoid(beta * z), "Without beta"),
    (checks.check_swish, where_swish, "contains NaN"),
    (checks.check_swish, lambda z, beta=1.0: z * torch.sigmoid(beta * z) + 0.001, "nearly right"),
    (
        checks.check_swiglu_module,
        swiglu(lambda self, x: self.gated(F.selu, x, 0)),
        "activation of the gate is not Swish",
    ),
    (checks.check_swiglu_module, swiglu(lambda self, x: self.gated(F.silu, x, 1)), "zeros in the up matrix"),
    (checks.check_swiglu_module, swiglu(lambda self, x: self.down_proj), "a layer, `Linear`, that was not called"),
    (checks.check_swiglu_module, made(Gated, lambda m: setattr(m, "up_proj", m.gate_proj)), "the same matrix"),
    (checks.check_swiglu_module, lambda d, f: Gated(d, f // 2), "should have the shape (20, 8)"),
    (checks.check_matched_d_ff, lambda d, r: int(0.666667 * r), "it gives 2000001; expected 2000000"),
    (checks.check_matched_d_ff, lambda d, r: str(r), "type str; expected a whole number"),
    (checks.check_llama_d_ff, lambda d_model, multiple_of=256, multiplier=1.0: 11008, "expected 13824"),
    (checks.check_fused_swiglu, lambda d, f: Fused(d, f // 2), "should have the shape (40, 8)"),
]

NAMED = [
    # (check, what is handed in, the name of the mistake): mistakes that are seen in another way than by their values
    (checks.check_rms, lambda x: print(rms(x)), "printed instead of returned"),
    (checks.check_rms, lambda x: rms(x).numpy(), "numpy instead of torch"),
    (checks.check_rms, lambda x: rms(x).detach(), "gradient lost"),
    (checks.check_rms, lambda x: x.pow_(2).mean(-1, keepdim=True).sqrt(), "input changed in place"),
    (checks.check_rms, lambda x: rms(x.double()), "result not cast back"),
    (checks.check_rms, counts, "state between calls"),
    (checks.check_rms, changes_dtype, "global setting changed"),
    (checks.check_rms_norm, lambda x, w, eps: norm(x.float(), w.float(), eps), "result not cast back"),
    (checks.check_rmsnorm_module, made(Norm, plain_weight), "weight is not a parameter"),
    (checks.check_rmsnorm_module, made(Norm, lambda m: nn.init.zeros_(m.weight)), "weight starts at zero"),
    (
        checks.check_rmsnorm_module,
        made(Norm, lambda m: setattr(m, "bias", nn.Parameter(torch.zeros(8)))),
        "bias left in",
    ),
    (checks.check_rmsnorm_module, lambda d, eps=1e-6: nn.Sequential(nn.RMSNorm(d, eps)), "parameter has another name"),
    (checks.check_rmsnorm_module, module(nn.Module, __init__=without_super), "super().__init__() forgotten"),
    (checks.check_rmsnorm_module, module(Norm, forward=not_cast_back), "result not cast back"),
    (checks.check_rmsnorm_module, module(Norm, forward=llama), "dtype of the weight returned"),
    (checks.check_rmsnorm_module, module(Norm, forward=narrowed), "float64 narrowed to float32"),
    (checks.check_swiglu_module, linears(bias=True, **PROJECTIONS), "biases left on"),
    (checks.check_swiglu_module, linears(gate_proj="df", up_proj="df"), "down projection missing"),
    (checks.check_swiglu_module, linears(w1="df", w2="fd", w3="df"), "projections have other names"),
    (checks.check_swiglu_module, linears(**EXCHANGED), "down projection confused with another"),
    (checks.check_swiglu_module, linears(gate_proj="fd", up_proj="fd", down_proj="df"), "d_model and d_ff exchanged"),
    (checks.check_matched_d_ff, lambda d, r: float(2 * r // 3), "not a whole number"),
    (checks.check_fused_swiglu, lambda d_ff, d_model: Fused(d_model, d_ff), "d_model and d_ff exchanged"),
    (checks.check_fused_swiglu, Fused, "the two-matrix form does not load"),
]


@pytest.mark.parametrize(("check", "learner", "words"), UNKNOWN, ids=range(len(UNKNOWN)))
def test_an_unknown_mistake_is_refused_in_words(check, learner, words) -> None:
    verdict = check(learner)
    assert not verdict.passed
    assert words in verdict.message, verdict
    assert "could not handle" not in verdict.message
    assert verdict.hints
    with pytest.raises(AssertionError, match=verdict.exercise):
        verdict.require()


@pytest.mark.parametrize(("check", "learner", "name"), NAMED, ids=range(len(NAMED)))
def test_a_habit_is_named(check, learner, name) -> None:
    verdict = check(learner)
    assert not verdict.passed
    assert verdict.mistake == name, verdict
    assert "could not handle" not in verdict.message


@pytest.mark.parametrize(
    "learner", [None, ..., lambda x: None, lambda x: ...], ids=["None", "...", "pass", "returns ..."]
)
def test_what_is_not_written_yet_is_said(learner) -> None:
    verdict = checks.check_rms(learner)
    assert (verdict.passed, verdict.written, verdict.mistake) == (False, False, None)
    assert "not written yet" in repr(verdict)


def test_a_stub_is_not_written_yet() -> None:
    class RMSNorm(nn.Module):
        """To be filled in."""

    class Half(Norm):
        def forward(self, x):
            raise NotImplementedError("later")

    def stub(x):
        """To be filled in."""
        raise NotImplementedError

    for verdict in (checks.check_rmsnorm_module(RMSNorm), checks.check_rmsnorm_module(Half), checks.check_rms(stub)):
        assert not verdict.written


def test_torchs_own_not_implemented_error_is_an_error() -> None:
    """torch raises that for an operation that a dtype lacks; the cell is written nevertheless."""
    verdict = checks.check_rms(lambda x: torch.linalg.eigvals(x.to("meta")).real)
    assert verdict.written


# Behaviour


def settings() -> list[object]:
    kept = [read() for read, _ in runner.SETTINGS.values()]
    return [
        *kept,
        torch.get_rng_state().tolist(),
        random.getstate(),
        np.random.get_state()[1].tolist(),
        torch.is_grad_enabled(),
        list(warnings.filters),
        sys.stdout,
        sys.stderr,
        list(logging.root.handlers),
        torch.get_default_device(),
    ]


def test_everything_global_is_as_before(capfd: pytest.CaptureFixture[str]) -> None:
    before = settings()
    verdict = checks.check_rms(changes_everything)
    assert not verdict.passed
    assert settings() == before
    assert capfd.readouterr() == ("", "")


def test_settings_of_the_notebook_do_not_disturb_a_check() -> None:
    torch.set_default_dtype(torch.float64)
    try:
        with torch.no_grad(), torch.device("meta"):
            assert checks.check_rms_norm(norm).passed
            assert checks.check_rmsnorm_module(Norm).passed
        assert torch.get_default_dtype() == torch.float64
    finally:
        torch.set_default_dtype(torch.float32)


def recursion(x):
    return recursion(x)


def leaves(x):
    sys.exit(3)


def interrupts(x):
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("learner", "error"),
    [(recursion, "RecursionError"), (leaves, "SystemExit"), (interrupts, "KeyboardInterrupt")],
)
def test_whatever_is_raised_is_said_with_its_line(learner, error) -> None:
    verdict = checks.check_rms(learner)
    line = learner.__code__.co_firstlineno + 1
    assert f"raised {error} at line {line}, `" in verdict.symptom


def endless(x):
    while True:
        pass


def endless_and_stubborn(x):
    while True:
        try:
            while True:
                pass
        except Exception:
            pass


def waits(x):
    time.sleep(3)
    return rms(x)


def a_second_each(x):
    time.sleep(0.25)
    return rms(x)


@pytest.fixture
def short_deadlines(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fifth of the usual time, so that the tests need not wait."""
    monkeypatch.setattr("widgets.checks.ladder.trial.CALL_SECONDS", 1.0)
    monkeypatch.setattr("widgets.checks.ladder.trial.CHECK_SECONDS", 2.0)
    monkeypatch.setattr("widgets.checks.runner.GRACE_SECONDS", 0.3)


@pytest.mark.usefixtures("short_deadlines")
@pytest.mark.parametrize(
    ("learner", "words"),
    [
        (endless, "was stopped at line"),
        (endless_and_stubborn, "was stopped at line"),
        (waits, "could not be stopped"),
        (a_second_each, "The time was up after"),
    ],
)
def test_a_check_answers_in_time(learner, words) -> None:
    started = time.monotonic()
    verdict = checks.check_rms(learner)
    assert time.monotonic() - started < 4
    assert not verdict.passed
    assert words in verdict.message
    assert verdict.steps[-1].what == "answers in time"


def test_a_check_runs_in_a_thread_of_its_caller(recwarn: pytest.WarningsRecorder) -> None:
    """As in a widget's callback, which JupyterLab runs beside the main thread."""
    outcome = runner.run(lambda: checks.check_rms(rms))
    assert isinstance(outcome.value, Verdict)
    assert outcome.value.passed


def test_a_coroutine_leaves_no_warning(recwarn: pytest.WarningsRecorder) -> None:
    async def coroutine(x):
        return rms(x)

    assert "coroutine" in checks.check_rms(coroutine).message
    assert not recwarn.list


def test_the_same_code_gives_the_same_verdict() -> None:
    for learner in (partial_rms_norm, norm):
        first, second = checks.check_rms_norm(learner), checks.check_rms_norm(learner)
        assert repr(first) == repr(second)
        assert first._repr_html_() == second._repr_html_()


# The learner's own test


def compares_shapes(norm_class):
    x = torch.ones(2, 3, 8)
    return norm_class(8)(x).shape == x.shape


def compares_values(norm_class):
    x = torch.randn(4, 8, generator=torch.Generator().manual_seed(0)) + 0.5
    return torch.allclose(norm_class(8)(x), F.rms_norm(x, (8,), eps=1e-6), atol=1e-5)


def asserts(norm_class):
    assert compares_values(norm_class)
    return True


def compares_exactly(norm_class):
    x = (torch.randn(64, 8, generator=torch.Generator().manual_seed(0)) + 0.5).bfloat16()
    layer = norm_class(8).bfloat16()
    layer.weight.data = torch.linspace(-1, 2, 8).bfloat16()
    return torch.equal(layer(x), F.rms_norm(x, (8,), layer.weight, 1e-6))


@pytest.mark.parametrize(
    ("works", "counts"),
    [
        (lambda norm_class: True, "catches 0 of 12 broken versions and accepts 3 of 3 good ones."),
        (lambda norm_class: False, "catches 12 of 12 broken versions and accepts 0 of 3 good ones."),
        (compares_shapes, "catches 0 of 12 broken versions and accepts 3 of 3 good ones."),
        # LayerNorm, the length, all tokens together
        (compares_values, "catches 3 of 12 broken versions and accepts 3 of 3 good ones."),
        (asserts, "catches 3 of 12 broken versions and accepts 3 of 3 good ones."),
    ],
)
def test_a_test_is_told_what_it_catches(works, counts) -> None:
    verdict = checks.check_rmsnorm_test(works)
    assert not verdict.passed
    assert verdict.message == f"Your test {counts}"
    assert verdict.hints


def trains_in_bfloat16(norm_class):
    """The specification, literally: bfloat16 in, bfloat16 out, with the float32 weight of a new module."""
    return norm_class(8)(torch.ones(2, 8, dtype=torch.bfloat16)).dtype == torch.bfloat16


def differentiates(norm_class):
    norm, x = norm_class(8).double(), torch.linspace(-1, 2, 16, dtype=torch.float64).view(2, 8).requires_grad_()
    return torch.autograd.gradcheck(norm, (x,), raise_exception=False)


def test_a_test_of_the_dtype_contract_accepts_the_good_versions() -> None:
    for works in (trains_in_bfloat16, differentiates):
        assert "accepts 3 of 3 good ones" in checks.check_rmsnorm_test(works).message


def test_a_test_that_is_too_exact_hears_of_tolerance() -> None:
    verdict = checks.check_rmsnorm_test(compares_exactly)
    assert "of 3 good ones" in verdict.message
    assert "3 of 3" not in verdict.message
    assert "rounding" in verdict.hints[0]


def test_hints_do_not_give_the_missed_version_away() -> None:
    """Neither its name nor the others' names, as long as it is missed."""
    verdict = checks.check_rmsnorm_test(compares_values)
    missed = ["eps outside", "eps ignored", "weight never", "float16", "bfloat16", "in place", "detached", "parameter"]
    told = " ".join([verdict.message, *verdict.hints, *(step.what + step.note for step in verdict.steps)])
    assert not [words for words in missed if words in told]


def builds_without_a_width(norm_class):
    return norm_class()(torch.ones(2, 8)).shape == (2, 8)


@pytest.mark.parametrize(
    ("works", "words"), [(builds_without_a_width, "norm_class(d)"), (compares_exactly, "rounding")]
)
def test_hints_fit_the_way_in_which_a_test_refuses_the_good_versions(works, words) -> None:
    verdict = checks.check_rmsnorm_test(works)
    assert "of 3 good ones" in verdict.message and words in verdict.hints[0]


@pytest.mark.parametrize("answer", [None, 1, "yes", torch.ones(2, dtype=torch.bool)])
def test_a_test_must_answer_yes_or_no(answer) -> None:
    verdict = checks.check_rmsnorm_test(lambda norm_class: [answer][0])
    assert verdict.steps[-1].what == "returns True or False"


@pytest.mark.parametrize("number", [0, 7, "1", None, True, [1], {}])
def test_there_are_six_bugs(number) -> None:
    with pytest.raises(ValueError, match="Expected the number of a bug, 1 to 6; got"):
        checks.check_bug(number, norm)


def test_an_import_is_not_cut_off(tmp_path, monkeypatch, short_deadlines) -> None:
    """A module that was stopped half-way would stay broken for the rest of the session."""
    (tmp_path / "slow_module.py").write_text("import time\ntime.sleep(1.5)\nready = True\n")
    monkeypatch.syspath_prepend(tmp_path)

    def imports(x):
        import slow_module

        return rms(x) if slow_module.ready else None

    assert checks.check_rms(imports).passed


# Found by handing in what many different people might write


def first_tokens_scale(x, w, eps):
    """Every token is divided by the scale of the last token of its sequence."""
    scale = (x.square().mean(-1, keepdim=True) + eps).sqrt()
    return x / (scale[..., -1:, :] if x.dim() > 1 else scale) * w


def axes_one_and_two(x, w, eps):
    """bkitano/llama-from-scratch#4, which cannot be called with other than three axes."""
    return x / (torch.linalg.norm(x, dim=(1, 2), keepdim=True) * x[0].numel() ** -0.5) * w


def only_bfloat16_is_wrong(x, w, eps):
    return norm(x, w, eps) * (1.1 if x.dtype == torch.bfloat16 else 1)


def contiguous_only(x):
    return rms(x.view(-1, x.shape[-1])).view(*x.shape[:-1], 1)


def prints_otherwise(x):
    torch.set_printoptions(precision=10)
    return rms(x)


def layer(x, gate, up, down, kind):
    activations = {"glu": torch.sigmoid, "bilinear": lambda t: t, "reglu": F.relu, "geglu": F.gelu, "swiglu": F.silu}
    opened = activations[kind](F.linear(x, gate))
    return F.linear((opened.detach() if kind == "swiglu" else opened) * F.linear(x, up), down)


def quick_gelu(x, gate, up, down, kind):
    if kind != "geglu":
        return gate_formulas.family(x, gate, up, down, kind)
    opened = F.linear(x, gate)
    return F.linear(opened * torch.sigmoid(1.702 * opened) * F.linear(x, up), down)


class JointOnly(nn.Module):
    """Loads the two-matrix form, as long as no name has a prefix; `cut` detaches the joint product."""

    cut = False

    def __init__(self, d_model, d_ff):
        super().__init__()
        self.gate_up_proj = nn.Linear(d_model, 2 * d_ff, bias=False)
        self.down_proj = nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x):
        joint = self.gate_up_proj(x)
        gate, up = (joint.detach() if self.cut else joint).chunk(2, dim=-1)
        return self.down_proj(F.silu(gate) * up)

    def _load_from_state_dict(self, state_dict, prefix, *rest):
        prefix = prefix if self.cut else ""
        if prefix + "gate_proj.weight" in state_dict:
            two = [state_dict.pop(f"{prefix}{name}_proj.weight") for name in ("gate", "up")]
            state_dict[prefix + "gate_up_proj.weight"] = torch.cat(two)
        super()._load_from_state_dict(state_dict, prefix, *rest)


class JointDetached(JointOnly):
    cut = True


def loads(translate):
    """FusedSwiGLU that does this with the dictionary, the prefix and, where they are there, the two old matrices."""

    def load(self, state_dict, prefix, *rest):
        old = [state_dict.get(f"{prefix}{name}_proj.weight") for name in ("gate", "up")]
        if old[0] is not None:
            translate(self, state_dict, prefix, old)
        Fused._load_from_state_dict(self, state_dict, prefix, *rest)

    return module(Fused, _load_from_state_dict=load)


def taken_for_granted(self, state_dict, prefix, *rest):
    two = [state_dict.pop(f"{prefix}{name}_proj.weight") for name in ("gate", "up")]
    state_dict[f"{prefix}gate_up_proj.weight"] = torch.cat(two)
    Fused._load_from_state_dict(self, state_dict, prefix, *rest)


def store(state_dict, prefix, joint, take_out=True):
    state_dict[f"{prefix}gate_up_proj.weight"] = joint
    if take_out:
        del state_dict[f"{prefix}gate_proj.weight"], state_dict[f"{prefix}up_proj.weight"]


def copied(self, state_dict, prefix, old):
    store(state_dict, prefix, torch.cat(old))
    self.gate_up_proj.weight.data = state_dict.pop(f"{prefix}gate_up_proj.weight")


class HalfLoaded(Fused):
    """Copies the gate rows and forgets the others."""

    def _load_from_state_dict(self, state_dict, prefix, *rest):
        if prefix + "gate_proj.weight" in state_dict:
            joint = self.gate_up_proj.weight.detach().clone()
            joint[: len(joint) // 2] = state_dict.pop(prefix + "gate_proj.weight")
            del state_dict[prefix + "up_proj.weight"]
            state_dict[prefix + "gate_up_proj.weight"] = joint
        super()._load_from_state_dict(state_dict, prefix, *rest)


class SlopeOfOne(torch.autograd.Function):
    """Swish whose backward was written for beta = 1."""

    @staticmethod
    def forward(ctx, z, beta):
        ctx.save_for_backward(z)
        return z * torch.sigmoid(beta * z)

    @staticmethod
    def backward(ctx, grad):
        (z,) = ctx.saved_tensors
        return grad * torch.sigmoid(z) * (1 + z * torch.sigmoid(-z)), None


class LayerNormsBackward(OwnNorm):
    """RMSNorm with LayerNorm's three terms on the way back."""

    @staticmethod
    def backward(ctx, grad):
        x, weight = ctx.saved_tensors
        r = (x.square().mean(-1, keepdim=True) + ctx.eps).sqrt()
        z, g = x / r, grad * weight
        grad_x = (g - g.mean(-1, keepdim=True) - z * (g * z).mean(-1, keepdim=True)) / r
        return grad_x, (grad * z).reshape(-1, x.shape[-1]).sum(0), None


def equal_units(layer):
    for one in (layer.gate_proj, layer.up_proj, layer.down_proj):
        nn.init.constant_(one.weight, 0.1)


def padded(x):
    return (x.square().sum(-1, keepdim=True) / 2 ** (x.shape[-1] - 1).bit_length()).sqrt()


def norm_of_centred(x, w, eps):
    return norm(x - x.mean(-1, keepdim=True), w, eps)


def bug(number):
    return lambda fixed: checks.check_bug(number, fixed)


def leaning(x):
    """Right as long as nobody chooses another dtype for numbers that have none."""
    return rms(x) * torch.ones(1) if x.dtype == torch.float32 else rms(x)


def wide_rms(x):
    return x.to(torch.promote_types(x.dtype, torch.float32)).square().mean(dim=-1, keepdim=True).sqrt()


def wide_layer_norm(x, weight, bias, eps):
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    return norm_of_centred(wide, weight.to(wide.dtype), eps) + bias


def divided_and_chosen(z, beta=1.0):
    """The branch that is not taken is 0 / 0, and its slope is NaN."""
    return torch.where(torch.tensor(beta != 0), F.silu(beta * z) / beta, z / 2)


def with_a_floor(x, weight, eps):
    return norm(x, weight, max(eps, torch.finfo(x.dtype).eps))


def cut_once(d_model, multiple_of=256, multiplier=1.0):
    return -(-int(2 * 4 * d_model / 3 * multiplier) // multiple_of) * multiple_of


class RMSNorm(nn.Module):
    """Called as torch's own, which is a layer too; eps was never kept."""

    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x):
        return F.rms_norm(x, x.shape[-1:], self.weight, self.eps)


def guarded(x, gate_weight, up_weight, down_weight, kind):
    """A kind is misspelled, and an own guard says so."""
    acts = {"glu": torch.sigmoid, "bilinear": lambda z: z, "reglu": F.relu, "geglu": F.gelu, "silu": F.silu}
    if kind not in acts:
        raise NotImplementedError(kind)
    return (acts[kind](x @ gate_weight.T) * (x @ up_weight.T)) @ down_weight.T


class GainInFloat32(RMSNorm):
    def __init__(self, d_model, eps=1e-6):
        super().__init__(d_model)
        self.eps = eps

    def forward(self, x):
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        return (wide / (wide.square().mean(-1, keepdim=True) + self.eps).sqrt() * self.weight.float()).to(x.dtype)


class Parameters(nn.Module):
    """Matrices without a layer around them."""

    def __init__(self, d_model, d_ff):
        super().__init__()
        self.gate_proj, self.up_proj = (nn.Parameter(torch.randn(d_ff, d_model)) for _ in range(2))
        self.down_proj = nn.Parameter(torch.randn(d_model, d_ff))


def lazy(d_model, d_ff):
    made = nn.Module()
    made.gate_proj, made.up_proj = nn.LazyLinear(d_ff, bias=False), nn.LazyLinear(d_ff, bias=False)
    made.down_proj = nn.Linear(d_ff, d_model, bias=False)
    return made


def overwritten(x, weight, eps):
    y = x.clone()
    y /= (y.square().mean(-1, keepdim=True) + eps).sqrt()
    return y * weight


MORE = [
    # (check, what is handed in, the name of the mistake or None, words that the message holds)
    (checks.check_rms, lambda x: (x.pow(2).mean(-1, keepdim=True) + 1e-3).sqrt(), "eps in the root mean square", ""),
    (checks.check_rms, lambda x: rms(x) * (1 + 0.1 * random.random()), "state between calls", ""),
    (checks.check_rms, prints_otherwise, "global setting changed", "how tensors are printed"),
    (checks.check_rms, contiguous_only, "view of a transposed tensor", "`view`"),
    (checks.check_rms_norm, only_three_axes, "taken apart into too many or too few", "into 3 names"),
    (checks.check_rms, lambda x: (y for y in x), None, "`yield`"),
    (checks.check_rms, lambda x: x.mean, None, "parentheses"),
    (checks.check_rms, type("Rms", (nn.Module,), {"forward": lambda self, x: rms(x)}), None, "expected a function"),
    (checks.check_rms_norm, lambda x, w, eps: norm(x, w, 1e-10), "eps hard-coded", ""),
    (checks.check_rms_norm, lambda e, x, w: norm(x, w, e), "arguments in another order", ""),
    (checks.check_rms_norm, axes_one_and_two, "eps ignored + statistic over tokens and features", ""),
    (checks.check_rms_norm, first_tokens_scale, None, "another token does"),
    (checks.check_rms_norm, only_bfloat16_is_wrong, None, "for x in bfloat16"),
    (checks.check_rms_norm, lambda x, w, eps: norm(x, w.flip(0), eps), None, "order of the features"),
    (
        checks.check_layernorm_from_rmsnorm,
        lambda x, w, b, eps: F.layer_norm(x, w.shape, w, b.detach(), eps),
        None,
        "No gradient reaches bias",
    ),
    (
        checks.check_layernorm_from_rmsnorm,
        lambda x, w, b, eps: norm(x - x.detach().mean(-1, keepdim=True), w, eps) + b,
        "mean detached",
        "",
    ),
    (checks.check_swish, lambda z, beta=1.0: z * torch.sigmoid(beta * z).detach(), "gate detached", ""),
    (checks.check_swish, lambda z, beta=1.0: torch.sigmoid(z), "beta ignored + sigmoid instead of Swish", ""),
    (
        checks.check_swiglu_module,
        swiglu(lambda self, x: self.gated(lambda g: g / (1 + torch.exp(-g)), x, 0)),
        "exp overflows",
        "",
    ),
    (
        checks.check_swiglu_module,
        linears(bias=True, w1="df", w2="fd", w3="df"),
        "projections have other names + biases left on",
        "",
    ),
    (checks.check_matched_d_ff, lambda d, r: r // 3 * 2, "divided before multiplied", ""),
    (checks.check_matched_d_ff, lambda d, r: 2 * r // 3 + random.randint(0, 1), None, ""),
    (
        checks.check_llama_d_ff,
        lambda d, multiple_of=256, multiplier=1.0: math.ceil(multiplier * 8 * d / 3 / multiple_of) * multiple_of,
        "not cut to a whole number",
        "",
    ),
    (checks.check_glu_family, layer, "branch detached", ""),
    (checks.check_glu_family, quick_gelu, "geglu with Swish with beta = 1.702", ""),
    (checks.check_fused_swiglu, JointOnly, None, "larger model"),
    (checks.check_fused_swiglu, JointDetached, "gradient lost", ""),
    (
        bug(1),
        lambda x, w, eps: x / (x.detach().square().mean(-1, keepdim=True) + eps).sqrt() * w,
        "denominator detached",
        "",
    ),
    (bug(2), first_tokens_scale, None, "another token does"),
    (bug(3), lambda x, w, eps: norm(x.float(), 1, eps).to(x.dtype) * w, "dtype of the weight returned", ""),
    (bug(4), lambda x, w, eps, sub: x + sub(norm(x, 1, eps) * w), "dtype of the weight returned", ""),
    (checks.check_rms_norm, lambda x, w, eps: -norm(x, w, eps), None, "x times one positive number"),
    (checks.check_layernorm_from_rmsnorm, lambda x, w, b, eps: 1.1 * norm_of_centred(x, w, eps) + b, None, "of 1, and"),
    (checks.check_rms, padded, "divided by a padded length", ""),
    (checks.check_rms, lambda x: x.square().mean(-1, keepdim=True).square(), "squared instead of rooted", ""),
    (checks.check_rms, lambda x: rms(x) * torch.ones(1), "result not cast back", ""),
    (checks.check_rms, leaning, "leans on the default dtype", ""),
    (checks.check_rms, wide_rms, "result not cast back", ""),
    (checks.check_layernorm_from_rmsnorm, wide_layer_norm, "result not cast back", ""),
    (checks.check_swish, divided_and_chosen, None, "NaN"),
    (checks.check_rms_norm, with_a_floor, None, "eps = 0 in float32"),
    (checks.check_llama_d_ff, cut_once, "cut only once", "also cuts before it"),
    (checks.check_rmsnorm_module, RMSNorm, None, "no attribute 'eps'"),
    (checks.check_glu_family, guarded, None, "NotImplementedError"),
    (checks.check_rmsnorm_module, GainInFloat32, None, "held in float32 on the way"),
    (checks.check_swiglu_module, Parameters, None, "The names are right"),
    (checks.check_swiglu_module, lazy, None, "A lazy layer has no shape"),
    (checks.check_rms_norm, overwritten, "a tensor overwritten that the gradient needs", ""),
    (checks.check_rms_norm, lambda *args: LayerNormsBackward.apply(*args), "LayerNorm's gradient", "own backward"),
    (checks.check_rms_norm, lambda x, w, eps: x / (rms(x) ** 2 + eps).sqrt() * w, "root squared again", "zeros"),
    (checks.check_swish, lambda z, beta=1.0: SlopeOfOne.apply(z, beta), "own backward for beta = 1", ""),
    (checks.check_fused_swiglu, HalfLoaded, "half of the joint matrix not loaded", ""),
    (
        checks.check_fused_swiglu,
        module(Fused, _load_from_state_dict=taken_for_granted),
        "only the old names load",
        "as your own layer saves it",
    ),
    (
        checks.check_fused_swiglu,
        loads(lambda self, given, prefix, old: store(given, prefix, torch.cat(old, dim=1))),
        "matrices joined along another axis",
        "one below the other",
    ),
    (
        checks.check_fused_swiglu,
        loads(lambda self, given, prefix, old: store(given, prefix, torch.cat(old), take_out=False)),
        "old names left in the dictionary",
        "",
    ),
    (checks.check_fused_swiglu, loads(copied), "new name missing in the dictionary", ""),
    (
        checks.check_fused_swiglu,
        loads(lambda self, given, prefix, old: store(given, prefix, torch.cat(old).flip(0))),
        None,
        "in which order",
    ),
    (checks.check_rms, lambda x: x.square().mean(-1).sqrt().unsqueeze(0), None, "their order is not"),
    (checks.check_rms, lambda x: rms(x)[..., None], None, "an axis too many"),
    (checks.check_rms, lambda x: rms(x).expand_as(x), None, "Axis 3 of 3 has another length"),
    (checks.check_swiglu_module, made(Gated, equal_units), None, "training would keep them equal"),
    (bug(5), lambda x, joint, down: x * 0, None, "Twice the gate matrix"),
    (bug(5), lambda x, joint, down: gate_formulas.joint(x, joint, down.flip(1)), None, "With a single hidden unit"),
    (
        bug(2),
        lambda x, w, eps: norm(x, w, eps) * (1.5 if x.dim() == 2 and len(x) > 1 else 1),
        None,
        "It is right for tokens of",
    ),
    (checks.check_fused_swiglu, Fused, "the two-matrix form does not load", "still has the old ones"),
]


@pytest.mark.parametrize(("check", "learner", "name", "words"), MORE, ids=range(len(MORE)))
def test_what_other_people_write(check, learner, name, words) -> None:
    verdict = check(learner)
    assert not verdict.passed
    if name or words:
        assert verdict.mistake == name, verdict
    assert words in verdict.message, verdict
    assert "could not handle" not in verdict.message


STRANGE = [
    # (what is handed in for rms_norm, where the first number that is not finite comes from)
    (lambda x, w, eps: x / x.abs().amax(-1, keepdim=True), "0 / 0 is nan"),
    (lambda x, w, eps: x * (1 / x.square().sum(-1, keepdim=True)).sqrt(), "1 / 0 is inf"),
    (lambda x, w, eps: x.pow(0.5), r"\(-\S+\) \*\* 0.5 is nan"),
    (lambda x, w, eps: x.log().mean(-1, keepdim=True) * x, "log of .* is nan"),
    (lambda x, w, eps: x * x.square().flatten()[:1].std(), "`std` gives nan"),
]


@pytest.mark.parametrize(("learner", "words"), STRANGE, ids=range(len(STRANGE)))
def test_where_nan_comes_from_is_told_with_its_line(learner, words) -> None:
    verdict = checks.check_rms_norm(learner)
    assert "contains" in verdict.symptom
    assert re.search(rf"arises at line {learner.__code__.co_firstlineno}, `.*`: {words}\.", verdict.symptom), verdict


def test_where_nan_in_a_gradient_comes_from_is_told() -> None:
    symptom = checks.check_rms_norm(lambda x, w, eps: norm(x, w, eps) + 0 * x.norm(dim=-1, keepdim=True).sqrt()).symptom
    assert "contains NaN for a row of zeros" in symptom
    assert "It comes from the slope of `sqrt`." in symptom


def test_what_does_not_depend_on_eps_has_not_always_a_fixed_one() -> None:
    verdict = checks.check_rms_norm(
        lambda x, w, eps: x / (x.abs() ** 3).mean(-1, keepdim=True).add(1e-30) ** (1 / 3) * w
    )
    assert verdict.mistake is None
    assert "Another eps gives the same result." in verdict.symptom


def test_a_key_that_is_missing_is_told_to_be_one() -> None:
    verdict = checks.check_glu_family(lambda x, gate, up, down, kind: {"GLU": x}[kind])
    assert "'glu' is no key of that dictionary" in verdict.message


def test_grad_x_for_one_number_of_features_only_is_not_told_to_be_orthogonal() -> None:
    def eight(g, x, w, eps):
        r = (x.square().mean(-1, keepdim=True) + eps).sqrt()
        grad, z = g * w, x / r
        return (grad - z * (grad * z).sum(-1, keepdim=True) / 8) / r, (g * z).reshape(-1, len(w)).sum(0)

    symptom = checks.check_rms_norm_backward(eight).symptom
    assert "For 8 features grad_x is right, for 6 it is not." in symptom
    assert "right angles" not in symptom


def test_the_names_that_were_found_are_shown() -> None:
    verdict = checks.check_rmsnorm_module(lambda d, eps=1e-6: nn.ModuleDict({"norm": nn.RMSNorm(d, eps)}))
    assert "holds norm.weight; that of torch.nn.RMSNorm holds weight" in verdict.symptom


def test_what_is_stored_besides_the_projections_is_named() -> None:
    """Not "other names" and not "biases left on": the projections are as they should be."""
    verdict = checks.check_swiglu_module(linears(**PROJECTIONS, norm="df"))
    assert verdict.mistake is None
    assert "`norm.weight` is too much" in verdict.symptom


def test_one_matrix_of_equal_numbers_does_not_keep_the_units_equal() -> None:
    assert checks.check_swiglu_module(made(Gated, lambda m: nn.init.constant_(m.gate_proj.weight, 0.1))).passed


@pytest.mark.parametrize("huge", [Decimal("1e999999"), 10**5000, float("inf"), Fraction(1, 3)], ids=range(4))
def test_a_strange_number_is_refused_at_once(huge) -> None:
    started = time.monotonic()
    verdict = checks.check_matched_d_ff(lambda d, r: huge)
    assert not verdict.passed
    assert "could not handle" not in verdict.message
    assert time.monotonic() - started < 5


def test_half_a_character_in_an_error_does_not_lose_the_card() -> None:
    def raises_half(x):
        raise ValueError("\udcff")

    verdict = checks.check_rms(raises_half)
    assert "ValueError" in verdict.message
    assert (repr(verdict) + verdict._repr_html_()).encode()


@pytest.mark.parametrize("factor", [1.01, 1.00001])
def test_the_numbers_in_a_symptom_differ(factor) -> None:
    given, right = re.search(
        r"has (\S+) where (\S+) is right", checks.check_rms(lambda x: factor * rms(x)).symptom
    ).groups()
    assert given != right
    assert float(given) / float(right) == pytest.approx(factor, rel=1e-3)


def test_a_sign_exchanged_in_swish_is_told_by_a_number() -> None:
    symptom = checks.check_swish(lambda z, beta=1.0: z * torch.sigmoid(-beta * z)).symptom
    assert "Swish(10) is nearly 10; yours is not" in symptom
    given, right = map(float, re.search(r"has (\S+) where (\S+) is right", symptom).groups())
    z = given + right  # since the two sigmoids add up to one
    assert right == pytest.approx(z / (1 + math.exp(-z)), rel=1e-3)


def test_no_symptom_speaks_of_minus_zero() -> None:
    symptom = checks.check_swish(lambda z, beta=1.0: z * torch.sigmoid(beta * z) + (z < -500)).symptom
    assert "has 1 where 0 is right" in symptom


def test_a_wrong_default_is_not_taken_for_a_number_cut_off() -> None:
    for default in (0.0, 2.0, 1.5):
        verdict = checks.check_swish(lambda z, beta=default: z * torch.sigmoid(beta * z))
        assert verdict.mistake is None and "Without beta" in verdict.symptom


def test_print_options_are_set_back() -> None:
    before = repr(torch.tensor(1 / 3))
    checks.check_rms(prints_otherwise)
    assert repr(torch.tensor(1 / 3)) == before


def test_a_message_holds_no_address() -> None:
    """The text of two runs has to be the same."""

    def raises_an_object(x):
        raise ValueError(object())

    assert " at 0x" not in checks.check_rms(raises_an_object).message


def test_an_error_that_cannot_be_printed_is_named() -> None:
    class Mute(Exception):
        def __str__(self):
            raise RuntimeError

    def mute(x):
        raise Mute

    assert "raised Mute at line" in checks.check_rms(mute).message


def by_grad(grad_output, x, weight, eps):
    with torch.enable_grad():
        leaves = [x.detach().requires_grad_(), weight.detach().requires_grad_()]
        return list(torch.autograd.grad(norm(leaves[0], leaves[1], eps), leaves, grad_output))


def by_backward(grad_output, x, weight, eps):
    x, weight = x.clone().requires_grad_(), weight.clone().requires_grad_()
    norm(x, weight, eps).backward(grad_output)
    return x.grad, weight.grad


@pytest.mark.parametrize("learner", [by_grad, by_backward])
def test_a_backward_that_asks_autograd(learner):
    verdict = checks.check_rms_norm_backward(learner)
    assert (verdict.passed, verdict.mistake) == (False, "autograd used"), verdict


def test_a_number_of_many_digits_is_told_by_their_count() -> None:
    symptom = checks.check_matched_d_ff(lambda d, r: 10**100).symptom
    assert "it gives a whole number of about 100 digits" in symptom


def test_an_error_of_a_function_of_numbers_is_told() -> None:
    assert "raised ZeroDivisionError" in checks.check_matched_d_ff(lambda d, r: r // 0).symptom


def test_nothing_is_said_of_an_origin_that_no_step_has() -> None:
    symptom = checks.check_rms(lambda x: rms(x) * float("nan")).symptom
    assert "contains NaN" in symptom and "arises" not in symptom


def test_a_bug_says_why_a_matrix_is_not_scaled() -> None:
    symptom = checks.check_bug(6, lambda name, n: 0.02 / (2 * n) ** 0.5).symptom
    assert "It does not write to the residual stream" in symptom


def test_a_card_begins_with_the_call() -> None:
    assert checks.check_rms(rms).steps[0].what == "can be called as `rms(x)`"


def test_a_call_inside_a_call_leaves_the_stack_of_other_threads(monkeypatch) -> None:
    """The inner one asks for its stack while the outer one has not yet given its own back."""
    before, start, inner_asked = threading.stack_size(), threading.Thread.start, threading.Event()
    asked = threading.stack_size

    def waits(thread):
        start(thread)
        if thread.name == "learner" and not inner_asked.is_set():
            inner_asked.wait(0.5)

    def noted(*size):
        if size and threading.current_thread().name == "learner":
            inner_asked.set()
        return asked(*size)

    monkeypatch.setattr(threading.Thread, "start", waits)
    monkeypatch.setattr(threading, "stack_size", noted)
    assert runner.run(lambda: runner.run(lambda: 1).value).value == 1
    assert asked() == before


def test_a_module_that_is_right_only_at_first_is_refused() -> None:
    def once(self, x):
        self.calls = getattr(self, "calls", 0) + 1
        return Norm.forward(self, x) * (1 if self.calls == 1 else 2)

    verdict = checks.check_rmsnorm_module(module(Norm, forward=once))
    assert (verdict.passed, verdict.mistake) == (False, "state between calls")
