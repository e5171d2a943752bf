"""What an exercise check says about the learner's own function or class."""

from widgets.checks.museum import check_bug
from widgets.checks.rmsnorm import (
    check_layernorm_from_rmsnorm,
    check_rms,
    check_rms_norm,
    check_rms_norm_backward,
    check_rmsnorm_module,
)
from widgets.checks.swiglu import (
    check_fused_swiglu,
    check_glu_family,
    check_llama_d_ff,
    check_matched_d_ff,
    check_swiglu_module,
    check_swish,
)
from widgets.checks.verdict import Step, Verdict
from widgets.checks.works import check_rmsnorm_test

__all__ = [
    "Step",
    "Verdict",
    "check_bug",
    "check_fused_swiglu",
    "check_glu_family",
    "check_layernorm_from_rmsnorm",
    "check_llama_d_ff",
    "check_matched_d_ff",
    "check_rms",
    "check_rms_norm",
    "check_rms_norm_backward",
    "check_rmsnorm_module",
    "check_rmsnorm_test",
    "check_swiglu_module",
    "check_swish",
]
