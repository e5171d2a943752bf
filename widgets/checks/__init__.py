"""What an exercise check says about the learner's own function or class.

The way from an answer to a card, for `check_rms_norm(rms_norm)`:

    notebook            did the cell above run, and does it define what is handed in?
    exercises/rmsnorm   what is asked: the formula, its probes, its properties
    exercises/exercise  the way up, the same for every function
      ladder/calling    is it there, and can it be called so?
      ladder/tensors    rung by rung: runs, shape, dtype, finite, input alone, values
        runner          one guarded call for each probe
        mistakes/       which wrong step explains what came back? (diagnosis, then the bank; for an error, errors)
        ladder/origin   where does a number come from that is not finite?
      ladder/again      is it right as well when asked again, after other numbers, with other weights?
      ladder/gradients  the last rung
      ladder/trial      keeps what was tried; a rung that breaks raises Refused, which carries the verdict
    verdict             the card; progress: which exercises are done
"""

from widgets.checks.exercises.layer_norm import check_layer_norm
from widgets.checks.exercises.museum import check_bug
from widgets.checks.exercises.own_test import check_rmsnorm_test
from widgets.checks.exercises.rmsnorm import (
    check_layernorm_from_rmsnorm,
    check_rms,
    check_rms_norm,
    check_rms_norm_backward,
    check_rmsnorm_module,
)
from widgets.checks.exercises.swiglu import (
    check_fused_swiglu,
    check_glu_family,
    check_llama_d_ff,
    check_matched_d_ff,
    check_swiglu_module,
    check_swish,
)
from widgets.checks.notebook import watch
from widgets.checks.verdict import Step, Verdict

__all__ = [
    "Step",
    "Verdict",
    "check_bug",
    "check_fused_swiglu",
    "check_glu_family",
    "check_layer_norm",
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

watch()
