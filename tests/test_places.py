"""Steps of many places at once: what comes apart is what each place has by itself."""

from __future__ import annotations

import torch

from widgets.maths.geometry import geometry_steps, geometry_steps_along
from widgets.maths.norms import mean_and_rms, shift_steps, shift_steps_along

X = torch.tensor([2.0, -1.0, 0.5], dtype=torch.float64)
SHIFTS = [-1.5, 0.0, 2.0, 7.25]


def test_shifts_and_scales_come_apart() -> None:
    scales = [1.0, 0.5, 3.0, 2.0]
    for steps, scale, shift in zip(shift_steps_along(X, scales, SHIFTS), scales, SHIFTS, strict=True):
        alone = shift_steps(X, scale, shift)
        assert (steps.scale, steps.shift) == (alone.scale, alone.shift) == (scale, shift)
        expected = torch.nn.functional.layer_norm(scale * X + shift, (3,), eps=1e-5)
        torch.testing.assert_close(steps.layer_norm.result, expected, rtol=0, atol=1e-14)
        torch.testing.assert_close(steps.rms_norm_unshifted, alone.rms_norm_unshifted, rtol=0, atol=0)
        assert steps.rms_norm.mean is None


def test_turns_come_apart() -> None:
    turns, azimuths = [0.0, 30.0, 120.0, 359.0], [5.0, -15.0, 0.0, 60.0]
    found = geometry_steps_along(X, SHIFTS, turns, azimuths)
    for steps, *at in zip(found, SHIFTS, turns, azimuths, strict=True):
        alone = geometry_steps(X, *at)
        assert [steps.shift, steps.turn, steps.azimuth] == at
        torch.testing.assert_close(steps.x, alone.x, rtol=0, atol=1e-15)
        assert abs(steps.angle - alone.angle) < 1e-6


def test_mean_and_rms_of_several_vectors() -> None:
    """(3, 4, 0) has mean 7/3 and RMS 5/√3."""
    vector = torch.tensor([3.0, 4.0, 0.0], dtype=torch.float64)
    expected = torch.tensor([[7 / 3, 5 / 3**0.5], [0.0, 0.0]], dtype=torch.float64)
    torch.testing.assert_close(mean_and_rms(vector, 0 * vector), expected, rtol=0, atol=1e-15)
