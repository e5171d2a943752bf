"""The bank: every mistake is told apart from every other and from the right answer, and is named by its check."""

from __future__ import annotations

import itertools
from functools import partial

import pytest
import torch
from torch import nn

from tests.submissions import Linears
from widgets import checks
from widgets.checks import museum, rmsnorm, swiglu
from widgets.checks.gradients import gradients
from widgets.checks.mistakes import alike, answer, gate_formulas, norm_formulas

FORMULAS = {
    "rms": rmsnorm.RMS_FORMULA,
    "rms_norm": rmsnorm.RMS_NORM_FORMULA,
    "module": rmsnorm.MODULE,
    "module, gradients": rmsnorm.MODULE_CUT,
    "layer norm": rmsnorm.LAYER_NORM_FORMULA,
    "backward": rmsnorm.BACKWARD_FORMULA,
    "swish": swiglu.SWISH_FORMULA,
    "swiglu": swiglu.SWIGLU_FORMULA,
    "matched": swiglu.MATCHED_FORMULA,
    "llama": swiglu.LLAMA_FORMULA,
    "family": swiglu.FAMILY_FORMULA,
    "fused": swiglu.FUSED_FORMULA,
    "loaded": swiglu.LOADED_FORMULA,
    **{f"bug {number}": exhibit.formula for number, exhibit in museum.EXHIBITS.items()},
}
WITH_GRADIENTS = {"module, gradients", "swish"}


def answers(name, switches):
    """What the formula gives for every probe, and its gradients where the check looks at those too."""
    formula = FORMULAS[name]
    given = [answer(formula.right, probe.args, **switches) for probe in formula.probes]
    if name in WITH_GRADIENTS:
        given += [answer(gradients(formula.right), probe.args, **switches) for probe in formula.probes[:2]]
    return given


@pytest.mark.parametrize("name", FORMULAS)
def test_every_mistake_differs_from_every_other_and_from_the_right_answer(name):
    rows = [("the right answer", answers(name, {}))]
    rows += [(one.name, answers(name, switches)) for one in FORMULAS[name].bank for switches in one.switches]
    assert len(rows) > 1
    same = [
        (one, other)
        for (one, first), (other, second) in itertools.combinations(rows, 2)
        if one != other and all(map(alike, first, second))
    ]
    assert not same


def test_the_bank_covers_the_published_mistakes():
    """The rows of the list that this bank began with, by the public thread in which each was seen."""
    sources = {source for formula in FORMULAS.values() for one in formula.bank for source in one.source.split(", ")}
    published = {
        "allenai/OLMo#281",
        "meta-llama/llama#771",
        "ggml-org/llama.cpp#2374",
        "huggingface/pytorch-image-models#2380",
        "ggml-org/llama.cpp#173",
        "harvardnlp/annotated-transformer#122",
        "huggingface/transformers#37934",
        "mosaicml/llm-foundry#371",
        "bkitano/llama-from-scratch#4",
        "kyegomez/zeta#180",
        "TransformerLensOrg/TransformerLens#657",
        "pytorch/pytorch#133085",
        "tinygrad/tinygrad#4904",
        "Nijikadesu/breakdown-minimind#3",
        "ml-explore/mlx-lm#767",
        "vllm-project/vllm#29273",
        "Rishit-dagli/GLU#2",
        "Modalities/modalities#289",
        "skyzh/tiny-llm#161",
        "karpathy/llama2.c#579",
    }
    assert published <= sources


# Every row, handed in as a learner would hand it in


def norm_class(**switches):
    default = switches.get("default", 1e-6)

    class RMSNorm(nn.Module):
        def __init__(self, d_model, eps=default):
            super().__init__()
            self.weight, self.eps = nn.Parameter(torch.ones(d_model)), eps

        def forward(self, x):
            others = {name: value for name, value in switches.items() if name != "default"}
            return norm_formulas.rms_norm(x, self.weight, self.eps, **others)

    return RMSNorm


def swiglu_class(**switches):
    class SwiGLU(Linears):
        def forward(self, x):
            weights = self.gate_proj.weight, self.up_proj.weight, self.down_proj.weight
            return gate_formulas.gated(x, *weights, **switches)

    return SwiGLU


def fused_class(loaded="gate first", **switches):
    class FusedSwiGLU(nn.Module):
        def __init__(self, d_model, d_ff):
            super().__init__()
            self.gate_up_proj = nn.Linear(d_model, 2 * d_ff, bias=False)
            self.down_proj = nn.Linear(d_ff, d_model, bias=False)

        def forward(self, x):
            return museum.joint_gate(x, self.gate_up_proj.weight, self.down_proj.weight, **switches)

        def _load_from_state_dict(self, state_dict, prefix, *rest):
            names = [f"{prefix}{name}_proj.weight" for name in ("gate", "up")]
            if names[0] in state_dict:
                matrices = [state_dict.pop(name) for name in names]
                joint = matrices if loaded == "gate first" else matrices[::-1]
                state_dict[f"{prefix}gate_up_proj.weight"] = torch.cat(joint)
            super()._load_from_state_dict(state_dict, prefix, *rest)

    return FusedSwiGLU


def function(formula):
    return lambda **switches: lambda *args, **named: formula.right(*args, **named, **switches)


HANDED_IN = {
    "rms": (checks.check_rms, function(rmsnorm.RMS_FORMULA)),
    "rms_norm": (checks.check_rms_norm, function(rmsnorm.RMS_NORM_FORMULA)),
    "rms_norm, gradients": (checks.check_rms_norm, function(rmsnorm.RMS_NORM_CUT)),
    "module": (checks.check_rmsnorm_module, norm_class),
    "module, gradients": (checks.check_rmsnorm_module, norm_class),
    "layer norm": (checks.check_layernorm_from_rmsnorm, function(rmsnorm.LAYER_NORM_FORMULA)),
    "backward": (checks.check_rms_norm_backward, function(rmsnorm.BACKWARD_FORMULA)),
    "swish": (checks.check_swish, function(swiglu.SWISH_FORMULA)),
    "swiglu": (checks.check_swiglu_module, swiglu_class),
    "matched": (checks.check_matched_d_ff, function(swiglu.MATCHED_FORMULA)),
    "llama": (checks.check_llama_d_ff, function(swiglu.LLAMA_FORMULA)),
    "family": (checks.check_glu_family, function(swiglu.FAMILY_FORMULA)),
    "fused": (checks.check_fused_swiglu, fused_class),
    "loaded": (checks.check_fused_swiglu, fused_class),
    **{
        f"bug {number}": (partial(checks.check_bug, number), function(exhibit.formula))
        for number, exhibit in museum.EXHIBITS.items()
    },
}
FORMULAS_OF = {**FORMULAS, "rms_norm, gradients": rmsnorm.RMS_NORM_CUT}


@pytest.mark.parametrize("name", HANDED_IN)
def test_the_right_answer_passes(name):
    check, make = HANDED_IN[name]
    verdict = check(make())
    assert verdict.passed, verdict
    assert verdict.mistake is None


ROWS = [(name, one, at) for name in HANDED_IN for one in FORMULAS_OF[name].bank for at in range(len(one.switches))]


@pytest.mark.parametrize(("name", "mistake", "at"), ROWS, ids=lambda part: getattr(part, "name", str(part)))
def test_every_mistake_is_named(name, mistake, at):
    check, make = HANDED_IN[name]
    verdict = check(make(**mistake.switches[at]))
    assert not verdict.passed
    assert verdict.mistake == mistake.name, verdict
    assert verdict.message == mistake.sentence
    assert verdict.hints == mistake.hints
    assert verdict.steps[-1].passed is False


# Two mistakes at once

PAIRS = [
    ("rms", {"statistic": "unbiased variance"}, {"keepdim": False}),
    ("rms", {"roots": 0}, {"over": "everything"}),
    ("rms_norm", {"eps_in": "outside"}, {"gain": "forgotten"}),
    ("rms_norm", {"statistic": "unbiased variance"}, {"eps_in": "outside"}),
    ("rms_norm", {"centred": True}, {"eps_in": "nowhere"}),
    ("rms_norm", {"statistic": "sum of squares"}, {"gain": "added"}),
    ("module", {"eps_in": "outside"}, {"inner": "own"}),
    ("module", {"default": 1e-5}, {"gain": "forgotten"}),
    ("layer norm", {"centred": False}, {"offset": "forgotten"}),
    ("backward", {"correction": "none"}, {"weight_sum": "nothing"}),
    ("backward", {"gain": "forgotten"}, {"weight_of": "x"}),
    ("swiglu", {"on": "up"}, {"activation": "sigmoid"}),
    ("llama", {"rounding": "down"}, {"use_multiplier": False}),
    ("family", {"geglu": "relu"}, {"swiglu": "sigmoid"}),
]


@pytest.mark.parametrize(("name", "one", "other"), PAIRS)
def test_two_mistakes_are_both_named(name, one, other):
    check, make = HANDED_IN[name]
    names = {mistake.name for mistake in FORMULAS[name].bank if one in mistake.switches or other in mistake.switches}
    verdict = check(make(**one, **other))
    assert set(verdict.mistake.split(" + ")) == names
    assert " Besides: " in verdict.message
