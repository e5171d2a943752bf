"""The norms against torch, against transformers' Llama and Qwen2, and against numbers worked out by hand."""

from __future__ import annotations

import math
from importlib import import_module

import pytest
import torch
from torch import nn

from widgets.maths.geometry import geometry_steps, turned
from widgets.maths.norms import layer_norm_steps, output_rms, rms, rms_norm_steps, shift_steps

X = torch.tensor([2.0, -1.0, 0.5, 3.0, -0.5, 1.0], dtype=torch.float64)


def batch(dtype: torch.dtype = torch.float64) -> torch.Tensor:
    """Vectors with a mean that is not 0, of sizes that all differ: (2, 3, 8)."""
    return torch.randn(2, 3, 8, generator=torch.Generator().manual_seed(0), dtype=dtype) * 2 + 0.7


@pytest.mark.parametrize("eps", [1e-5, 1e-6, 0.1])
def test_layer_norm_is_torchs(eps):
    expected = nn.LayerNorm(8, eps=eps, dtype=torch.float64)(batch())
    torch.testing.assert_close(layer_norm_steps(batch(), eps).result, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("eps", [1e-5, 1e-6, 0.1])
def test_rms_norm_is_torchs(eps):
    expected = nn.RMSNorm(8, eps=eps, dtype=torch.float64)(batch())
    torch.testing.assert_close(rms_norm_steps(batch(), eps).result, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("model", ["Llama", "Qwen2"])
@pytest.mark.parametrize("eps", [1e-6, 0.1])
def test_rms_norm_is_what_models_compute(model, eps):
    # Loading transformers takes seconds: only the process that needs it does so.
    file = import_module(f"transformers.models.{model.lower()}.modeling_{model.lower()}")
    x, norm = batch(torch.float32), getattr(file, f"{model}RMSNorm")(8, eps=eps)
    torch.testing.assert_close(rms_norm_steps(x, eps).result, norm(x), rtol=0, atol=1e-6)


def test_by_hand():
    """3, 4 with mean 3.5: centred -0.5, 0.5 with RMS 0.5; mean square 12.5."""
    x = torch.tensor([3.0, 4.0], dtype=torch.float64)
    left, right = layer_norm_steps(x, eps=0.0), rms_norm_steps(x, eps=0.0)
    assert left.mean.item() == 3.5
    assert left.centred.tolist() == [-0.5, 0.5]
    assert left.scale.item() == 0.5
    assert left.result.tolist() == [-1.0, 1.0]
    assert right.mean is None
    assert right.centred is x
    assert right.scale.item() == math.sqrt(12.5)
    assert right.result.tolist() == pytest.approx([3 / math.sqrt(12.5), 4 / math.sqrt(12.5)], abs=1e-15)


def test_layer_norm_is_rms_norm_of_the_centred_vector():
    x = batch()
    centred = x - x.mean(dim=-1, keepdim=True)
    torch.testing.assert_close(layer_norm_steps(x).result, rms_norm_steps(centred).result, rtol=0, atol=1e-14)


@pytest.mark.parametrize("shift", [-5.0, 0.05, 3.0])
@pytest.mark.parametrize("scale", [0.02, 1.0, 3.0])
def test_a_shift_changes_only_rms_norm(shift, scale):
    steps = shift_steps(X, scale, shift)
    before = nn.functional.rms_norm(scale * X, (6,), eps=1e-5)
    after = nn.functional.rms_norm(scale * X + shift, (6,), eps=1e-5)
    layer_norm, rms_norm = steps.changes.tolist()
    assert layer_norm < 1e-12
    assert rms_norm == pytest.approx((after - before).abs().max().item(), abs=1e-12)
    assert rms_norm > 0.01
    assert steps.layer_norm.x.tolist() == pytest.approx((scale * X + shift).tolist(), abs=1e-15)


@pytest.mark.parametrize("size", [1e-5, 1e-3, 0.1, 10.0])
@pytest.mark.parametrize("eps", [1e-6, 1e-5])
def test_output_rms_is_what_the_norm_gives(size, eps):
    x = X / rms(X) * size
    inside = output_rms(torch.tensor(size, dtype=torch.float64), eps).item()
    outside = output_rms(torch.tensor(size, dtype=torch.float64), eps, inside=False).item()
    assert inside == pytest.approx(rms(nn.functional.rms_norm(x, (6,), eps=eps)).item(), rel=1e-9)
    assert outside == pytest.approx(rms(x / (rms(x) + eps)).item(), rel=1e-9)


def test_float16_and_bfloat16_steps_keep_their_type():
    for dtype in (torch.float16, torch.bfloat16):
        assert rms_norm_steps(batch(dtype)).result.dtype == dtype


@pytest.mark.parametrize("degrees", [0.0, 37.0, 120.0, 360.0])
def test_turning_keeps_the_mean_and_the_length(degrees):
    x = torch.tensor([-0.5, -0.4, 1.2], dtype=torch.float64)
    y = turned(x, degrees)
    assert y.mean().item() == pytest.approx(x.mean().item(), abs=1e-14)
    assert y.norm().item() == pytest.approx(x.norm().item(), abs=1e-14)


def test_a_third_of_a_turn_moves_each_component_to_the_next_place():
    x = torch.tensor([1.0, 2.0, 4.0], dtype=torch.float64)
    assert turned(x, 120.0).tolist() == pytest.approx([4.0, 1.0, 2.0], abs=1e-14)


def test_geometry_lands_on_the_circle_and_on_the_sphere():
    steps = geometry_steps(torch.tensor([-0.5, -0.4, 1.2], dtype=torch.float64), shift=0.6, turn=40.0, eps=0.0)
    assert steps.layer_norm.sum().item() == pytest.approx(0.0, abs=1e-14)
    assert steps.layer_norm.norm().item() == pytest.approx(math.sqrt(3), abs=1e-14)
    assert steps.rms_norm.norm().item() == pytest.approx(math.sqrt(3), abs=1e-14)
    cosine = (steps.layer_norm @ steps.rms_norm).item() / 3
    assert steps.angle == pytest.approx(math.degrees(math.acos(cosine)), abs=1e-6)


def test_without_a_mean_the_results_are_one_point():
    x = torch.tensor([1.0, 1.0, -2.0], dtype=torch.float64)
    assert geometry_steps(x).angle == pytest.approx(0.0, abs=1e-5)


def test_no_shift_makes_a_result_larger_than_is_said():
    """Held against torch's RMSNorm of the vector at many shifts; the frame of a picture is drawn for this size."""
    layer_norm, rms_norm = shift_steps(X, 3.0).largest()
    shifted = 3 * X + torch.linspace(-200, 200, 400_001, dtype=torch.float64).unsqueeze(-1)
    found = nn.RMSNorm(6, eps=1e-5, dtype=torch.float64)(shifted).abs().max().item()
    assert found <= rms_norm == pytest.approx(found, rel=1e-4)
    assert layer_norm == nn.LayerNorm(6, dtype=torch.float64)(3 * X).abs().max().item()
