"""The explorers with sliders, by the names under which a lesson imports them."""

EXPLORERS = (
    "overall_shift",
    "eps_effect",
    "norm_geometry",
    "activation_curves",
    "swish_beta",
    "gate_flow",
    "three_matrices",
    "parameter_ledger",
)
