"""The check of lesson 01: right LayerNorms of several styles pass, and each wrong one is told what it does."""

from __future__ import annotations

import pytest
import torch.nn.functional as F

from widgets import checks
from widgets.checks.exercises.layer_norm import BANK, REWORDED


def step_by_step(x, weight, bias, eps):
    centred = x - x.mean(dim=-1, keepdim=True)
    variance = centred.square().mean(dim=-1, keepdim=True)
    return centred / (variance + eps).sqrt() * weight + bias


def with_var(x, weight, bias, eps):
    return (x - x.mean(-1, keepdim=True)) * (x.var(-1, correction=0, keepdim=True) + eps).rsqrt() * weight + bias


def with_sums(x, weight, bias, eps):
    d = x.shape[-1]
    away = x - (x.sum(-1) / d)[..., None]
    return bias + weight * (away / ((away**2).sum(-1)[..., None] / d + eps) ** 0.5)


def built_in(x, weight, bias, eps):
    return F.layer_norm(x, x.shape[-1:], weight, bias, eps)


@pytest.mark.parametrize("right", [step_by_step, with_var, with_sums, built_in], ids=lambda one: one.__name__)
def test_right_answers_pass(right):
    assert checks.check_layer_norm(right).passed


def to_be_filled_in(x, weight, bias, eps):
    raise NotImplementedError


def test_an_empty_cell_is_not_a_mistake():
    verdict = checks.check_layer_norm(to_be_filled_in)
    assert "not written yet" in repr(verdict)


def of(centre=None, variance=None, scale=None, end=None):
    """LayerNorm with one step exchanged."""
    centre = centre or (lambda x: x - x.mean(-1, keepdim=True))
    variance = variance or (lambda centred, x: centred.square().mean(-1, keepdim=True))
    scale = scale or (lambda variance, eps: (variance + eps).sqrt())
    end = end or (lambda result, weight, bias: result * weight + bias)

    def layer_norm(x, weight, bias, eps):
        centred = centre(x)
        return end(centred / scale(variance(centred, x), eps), weight, bias)

    return layer_norm


WRONG = {
    "unbiased variance": of(variance=lambda centred, x: x.var(-1, keepdim=True)),
    "eps outside the root": of(scale=lambda variance, eps: variance.sqrt() + eps),
    "eps ignored": of(scale=lambda variance, eps: variance.sqrt()),
    "eps hard-coded": of(scale=lambda variance, eps: (variance + 1e-5).sqrt()),
    "root forgotten": of(scale=lambda variance, eps: variance + eps),
    "mean not subtracted": of(centre=lambda x: x),
    "centred after the norm": of(variance=lambda centred, x: x.square().mean(-1, keepdim=True)),
    "statistic over tokens": of(variance=lambda centred, x: centred.square().mean(0, keepdim=True)),
    "sum instead of mean": of(variance=lambda centred, x: centred.square().sum(-1, keepdim=True)),
    "keepdim forgotten": of(variance=lambda centred, x: centred.square().mean(-1)),
    "keepdim forgotten at the mean": of(centre=lambda x: x - x.mean(-1)),
    "mean over tokens and features": of(centre=lambda x: x - x.mean()),
    "bias forgotten": of(end=lambda result, weight, bias: result * weight),
    "weight never applied": of(end=lambda result, weight, bias: result + bias),
    "bias multiplied by the weight": of(end=lambda result, weight, bias: (result + bias) * weight),
    "mean detached": of(centre=lambda x: x - x.detach().mean(-1, keepdim=True)),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_mistake_is_named(name):
    verdict = checks.check_layer_norm(WRONG[name])
    assert not verdict.passed
    assert verdict.mistake == name, repr(verdict)


def test_centring_each_feature_is_refused():
    """BatchNorm's statistics: in no bank as a whole, and refused by what it breaks."""
    verdict = checks.check_layer_norm(
        lambda x, weight, bias, eps: (x - x.mean(0)) / (x.var(0, correction=0) + eps).sqrt() * weight + bias
    )
    assert not verdict.passed


def test_nobody_who_has_not_met_rms_norm_is_told_of_it():
    """Of the mistakes above, none is explained by RMSNorm; and every wording that was exchanged belongs to one."""
    assert set(REWORDED) <= {one.name for one in BANK}
    said = [one.sentence + " ".join(one.hints) for one in BANK if one.name in WRONG]
    assert [text for text in said if "RMSNorm" in text] == []
