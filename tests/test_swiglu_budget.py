"""The ledger: every hidden size against the published one, every count against torch's own parameters."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from widgets.maths.budget import (
    MODELS,
    Ledger,
    WidthSteps,
    gated_budget,
    llama_d_ff,
    llama_width_steps,
    matched_d_ff,
    relu_budget,
)

# d_model, multiplier, multiple_of, and the hidden size in the published weights.
PUBLISHED = [
    ("LLaMA-1 7B", 4096, 1.0, 256, 11008),
    ("LLaMA-1 13B", 5120, 1.0, 256, 13824),
    ("LLaMA-1 33B", 6656, 1.0, 256, 17920),
    ("LLaMA-1 65B", 8192, 1.0, 256, 22016),
    ("Llama-2 70B", 8192, 1.3, 4096, 28672),
    ("Llama-3 8B", 4096, 1.3, 1024, 14336),
    ("Llama-3 70B", 8192, 1.3, 4096, 28672),
    ("Llama-3.1 405B", 16384, 1.2, 4096, 53248),
]


@pytest.mark.parametrize(("name", "d_model", "multiplier", "multiple_of", "d_ff"), PUBLISHED)
def test_the_rule_gives_the_published_hidden_size(name, d_model, multiplier, multiple_of, d_ff):
    assert llama_d_ff(d_model, multiple_of, multiplier) == d_ff
    (model,) = [model for model in MODELS if model.name == name]
    assert (model.d_model, model.d_ff, model.own_rule) == (d_model, d_ff, True)


def test_the_other_models_have_the_sizes_in_their_own_configurations():
    transformers = pytest.importorskip("transformers")
    size = {model.name: (model.d_model, model.d_ff) for model in MODELS if not model.own_rule}
    for name, config in (
        ("Mistral 7B", transformers.MistralConfig()),
        ("Gemma 7B", transformers.GemmaConfig()),
    ):
        assert size[name] == (config.hidden_size, config.intermediate_size)
    assert size["Qwen2 7B"] == (3584, 18944)
    d_model, d_ff = size["PaLM-style 4d"]
    assert d_ff == 4 * d_model


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_every_models_setting_of_the_rule_reproduces_its_width(model):
    assert llama_d_ff(model.d_model, model.multiple_of, model.multiplier) == model.d_ff


def test_only_the_first_llamas_keep_the_budget():
    share = {m.name: gated_budget(m.d_model, m.d_ff).parameters / relu_budget(m.d_model).parameters for m in MODELS}
    assert [name for name, s in share.items() if s < 1.02] == [f"LLaMA-1 {n}B" for n in (7, 13, 33, 65)]
    assert share["LLaMA-1 7B"] == pytest.approx(1.0078, abs=5e-5)
    assert share["LLaMA-1 13B"] == pytest.approx(1.0125, abs=5e-5)
    assert share["LLaMA-1 33B"] == pytest.approx(1.0096, abs=5e-5)
    assert share["Llama-3 8B"] == share["Llama-2 70B"] == share["Mistral 7B"] == 1.3125


def test_rounding_is_upwards_and_after_the_multiplier():
    assert llama_d_ff(4096, 1) == 10922
    assert llama_d_ff(4096, 256) == 11008  # down would give 10752
    assert llama_d_ff(8192, 4096) == 24576  # the code's defaults alone; the multiplier makes it 28672
    assert llama_d_ff(4096, 10922) == 10922
    assert llama_d_ff(1, 64) == 64
    assert llama_width_steps(4096, 1024, 1.3) == WidthSteps(1024, 1.3, 10922, 14198, 14336)


def test_two_thirds_keep_the_parameters_equal():
    assert matched_d_ff(2) == 1  # the least
    assert matched_d_ff(2048) == 1365
    assert matched_d_ff(3072) == 2048
    assert relu_budget(768).parameters == gated_budget(768, 2048).parameters == 4_718_592
    assert relu_budget(512).parameters == 2_097_152
    assert gated_budget(512, 1365).parameters == 2_096_640


@pytest.mark.parametrize(("d_model", "d_ff"), [(8, 20), (512, 1365), (7, 3)])
def test_counts_equal_what_torch_counts(d_model, d_ff):
    up, gate = (nn.Linear(d_model, d_ff, bias=False) for _ in range(2))
    down = nn.Linear(d_ff, d_model, bias=False)
    count = lambda *layers: sum(p.numel() for layer in layers for p in layer.parameters())  # noqa: E731
    assert relu_budget(d_model, d_ff).parameters == count(up, down)
    assert gated_budget(d_model, d_ff).parameters == count(gate, up, down)
    x = torch.zeros(d_model)
    assert gated_budget(d_model, d_ff).activations == gate(x).numel() + up(x).numel()
    assert relu_budget(d_model, d_ff).activations == up(x).numel()


@pytest.mark.parametrize(("d_model", "d_ff"), [(8, 20), (12, 32)])
def test_multiply_adds_equal_torchs_own_count(d_model, d_ff):
    from torch.utils.flop_counter import FlopCounterMode

    layers = [nn.Linear(d_model, d_ff, bias=False) for _ in range(2)] + [nn.Linear(d_ff, d_model, bias=False)]
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        x = torch.zeros(1, d_model)
        layers[2](layers[0](x) * layers[1](x))
    assert gated_budget(d_model, d_ff).multiply_adds == counter.get_total_flops() / 2  # a multiply-add is two flops


def test_a_third_more_activations_at_equal_parameters():
    relu, gated = relu_budget(3072), gated_budget(3072, 8192)
    assert relu.parameters == gated.parameters
    assert gated.activations * 3 == relu.activations * 4


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ((0,), ValueError, "d_model to be a whole number from 1 to .*; got 0"),
        ((-4096,), ValueError, "got -4096"),
        ((4096.5,), TypeError, "got 4096.5"),
        ((4096.0,), TypeError, "got 4096.0"),
        (("4096",), TypeError, "got '4096'"),
        ((True,), TypeError, "got True"),
        ((None,), TypeError, "got None"),
        ((float("nan"),), TypeError, "got nan"),
        ((2**62,), ValueError, r"fewer than 2\^63 parameters"),
        ((10**5000,), ValueError, r"got a number of 16610 bits"),
        ((-(10**5000),), ValueError, "from 1"),
        ((4096, 0), ValueError, "multiple_of"),
        ((4096, 2**62), ValueError, r"fewer than 2\^63 parameters"),
        ((4096, 256, 0), ValueError, "multiplier"),
        ((4096, 256, -1.3), ValueError, "multiplier"),
        ((4096, 256, float("nan")), ValueError, "multiplier"),
        ((4096, 256, float("inf")), ValueError, "multiplier"),
        ((4096, 256, "1.3"), TypeError, "multiplier"),
        ((4096, 256, 1e308), ValueError, "multiplier"),
        ((4096, 256, [1, 2]), TypeError, "multiplier"),
        ((4096, 256, 10**400), ValueError, "multiplier"),
        ((4096, 256, True), TypeError, "multiplier"),
        ((10**9, 256, 100), ValueError, r"fewer than 2\^63 parameters"),
    ],
)
def test_what_is_no_dimension_is_refused_in_one_sentence(arguments, error, says):
    with pytest.raises(error, match=says) as refusal:
        llama_d_ff(*arguments)
    assert "\n" not in str(refusal.value) and len(str(refusal.value)) < 200


def test_parameters_up_to_two_to_the_63_are_counted_exactly():
    assert relu_budget(2**30, 2**31).parameters == 2**62
    with pytest.raises(ValueError, match=r"fewer than 2\^63"):
        relu_budget(2**31, 2**31)


@pytest.mark.parametrize(("d_ff", "kept"), [(2614, True), (2613, False), (2719, True), (2721, False)])
def test_two_in_a_hundred_are_within_the_budget(d_ff, kept):
    """Of 8 million parameters: 7.84 to 8.16 million, three matrices of 1000 by d_ff."""
    assert Ledger(relu_budget(1000), gated_budget(1000, d_ff)).keeps_budget == kept
