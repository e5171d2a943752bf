"""The bank: every mistake is told apart from every other and from the right answer, and is named by its check."""

from __future__ import annotations

import itertools
from functools import partial

import pytest
import torch
from torch import nn

from tests.submissions import Linears
from widgets import checks
from widgets.checks.exercises import museum, rmsnorm, swiglu
from widgets.checks.ladder.gradients import gradients
from widgets.checks.mistakes import gate_formulas, norm_formulas
from widgets.checks.mistakes.diagnosis import alike, all_alike, answer, named

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


def answers(name, steps):
    """What the formula gives for every probe, and its gradients where the check looks at those too."""
    formula = FORMULAS[name]
    given = [answer(formula.right, probe.args, **steps) for probe in formula.probes]
    if name in WITH_GRADIENTS:
        given += [answer(gradients(formula.right), probe.args, **steps) for probe in formula.probes[:4]]
    return given


@pytest.mark.parametrize("name", FORMULAS)
def test_every_mistake_differs_from_every_other_and_from_the_right_answer(name):
    rows = [("the right answer", answers(name, {}))]
    rows += [(one.name, answers(name, steps)) for one in FORMULAS[name].bank for steps in one.variants]
    assert len(rows) > 1
    same = []
    for at, (one, first) in enumerate(rows):
        left = [row for row in rows[at + 1 :] if row[0] != one]
        for probe, given in enumerate(first):
            left = list(itertools.compress(left, all_alike([second[probe] for _, second in left], given)))
        same += [(one, other) for other, _ in left]
    assert not same


def test_many_answers_are_compared_as_one_by_one():
    numbers = torch.tensor([[1.0, 2.0], [0.0, 3e4]])
    tensors = [numbers, numbers * (1 + 1e-5), numbers * 1.001, numbers.double(), numbers.T, numbers[0], numbers[:0]]
    tensors += [numbers.half(), numbers * float("nan"), numbers / 0, numbers.to(torch.complex64), torch.tensor(1.0)]
    given = [*((one,) for one in tensors), (numbers, numbers), (numbers, numbers[0]), (1.0,), (None,), (), ValueError]
    for one in given:
        assert all_alike(given, one) == [alike(other, one) for other in given]
    assert sum(all_alike(given, (numbers,))) == 4  # itself, in float64 and in float16, and one that is hardly off


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


def norm_class(**steps):
    default = steps.get("default", 1e-6)

    class RMSNorm(nn.Module):
        def __init__(self, d_model, eps=default):
            super().__init__()
            self.weight, self.eps = nn.Parameter(torch.ones(d_model)), eps

        def forward(self, x):
            others = {name: value for name, value in steps.items() if name != "default"}
            return norm_formulas.rms_norm(x, self.weight, self.eps, **others)

    return RMSNorm


def swiglu_class(**steps):
    class SwiGLU(Linears):
        def forward(self, x):
            weights = self.gate_proj.weight, self.up_proj.weight, self.down_proj.weight
            return gate_formulas.gated(x, *weights, **steps)

    return SwiGLU


def fused_class(loaded=lambda gate, up: (gate, up), **steps):
    class FusedSwiGLU(nn.Module):
        def __init__(self, d_model, d_ff):
            super().__init__()
            self.gate_up_proj = nn.Linear(d_model, 2 * d_ff, bias=False)
            self.down_proj = nn.Linear(d_ff, d_model, bias=False)

        def forward(self, x):
            return gate_formulas.joint(x, self.gate_up_proj.weight, self.down_proj.weight, **steps)

        def _load_from_state_dict(self, state_dict, prefix, *rest):
            names = [f"{prefix}{name}_proj.weight" for name in ("gate", "up")]
            if names[0] in state_dict:
                joint = loaded(*(state_dict.pop(name) for name in names))
                state_dict[f"{prefix}gate_up_proj.weight"] = torch.cat(joint)
            super()._load_from_state_dict(state_dict, prefix, *rest)

    return FusedSwiGLU


def function(formula):
    return lambda **steps: lambda *args, **named: formula.right(*args, **named, **steps)


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


ROWS = [(name, one) for name in HANDED_IN for one in FORMULAS_OF[name].bank]
ELSEWHERE = {id(one) for name, one in ROWS if not name.startswith("bug")}
ROWS = [(name, one) for name, one in ROWS if not name.startswith("bug") or id(one) not in ELSEWHERE]


@pytest.mark.parametrize(("name", "mistake"), ROWS, ids=lambda part: getattr(part, "name", str(part)))
def test_every_mistake_is_named(name, mistake):
    """In one of its variants: that the others differ from everything else is shown above."""
    check, make = HANDED_IN[name]
    verdict = check(make(**mistake.variants[-1]))
    assert not verdict.passed
    assert verdict.mistake == mistake.name, verdict
    assert verdict.message == mistake.sentence
    assert verdict.hints == mistake.hints
    assert verdict.steps[-1].passed is False


# Two mistakes at once

PAIRS = [
    # (formula, a mistake and which of its variants, another one)
    ("rms", ("unbiased standard deviation", 0), ("keepdim forgotten", 0)),
    ("rms", ("root forgotten", 0), ("statistic over tokens and features", 2)),
    ("rms_norm", ("eps outside the root", 0), ("weight never applied", 0)),
    ("rms_norm", ("unbiased standard deviation", 0), ("eps outside the root", 0)),
    ("rms_norm", ("LayerNorm instead of RMSNorm", 0), ("eps ignored", 0)),
    ("rms_norm", ("sum instead of mean", 0), ("weight added", 0)),
    ("module", ("eps outside the root", 0), ("squares in float16", 0)),
    ("module", ("another default eps", 0), ("weight never applied", 0)),
    ("layer norm", ("mean not subtracted", 0), ("bias forgotten", 0)),
    ("backward", ("second term forgotten", 0), ("grad_weight not summed", 0)),
    ("backward", ("weight forgotten in grad_x", 0), ("grad_weight without the norm", 0)),
    ("swiglu", ("activation on the content branch", 0), ("tanh instead of Swish", 0)),
    ("llama", ("rounded down", 0), ("multiplier ignored", 0)),
    ("family", ("geglu with ReLU", 0), ("swiglu with the sigmoid", 0)),
]


@pytest.mark.parametrize(("name", "one", "other"), PAIRS)
def test_two_mistakes_are_both_named(name, one, other):
    check, make = HANDED_IN[name]
    steps = {}
    for mistake, at in (one, other):
        steps |= named(FORMULAS[name].bank, mistake)[0].variants[at]
    verdict = check(make(**steps))
    assert set(verdict.mistake.split(" + ")) == {one[0], other[0]}
    assert " Besides: " in verdict.message
