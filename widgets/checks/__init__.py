"""What an exercise check says about the learner's own function or class."""

from widgets.checks.rmsnorm import (
    check_layernorm_from_rmsnorm,
    check_rms,
    check_rms_norm,
    check_rms_norm_backward,
    check_rmsnorm_module,
    check_rmsnorm_test,
)
from widgets.checks.verdict import Step, Verdict

__all__ = [
    "Step",
    "Verdict",
    "check_layernorm_from_rmsnorm",
    "check_rms",
    "check_rms_norm",
    "check_rms_norm_backward",
    "check_rmsnorm_module",
    "check_rmsnorm_test",
]
