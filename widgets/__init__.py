"""The names a lesson may import: one function per explorer, and `predict`, the question before a run."""

from widgets.explorers.ablation_results import ablation_results
from widgets.explorers.activation_curves import activation_curves
from widgets.explorers.decoder_block import decoder_block
from widgets.explorers.decoder_census import decoder_census
from widgets.explorers.eps_effect import eps_effect
from widgets.explorers.gate_flow import gate_flow
from widgets.explorers.norm_geometry import norm_geometry
from widgets.explorers.norm_timings import norm_timings, time_norms
from widgets.explorers.overall_shift import overall_shift
from widgets.explorers.parameter_ledger import parameter_ledger
from widgets.explorers.predict import predict
from widgets.explorers.predictions import my_predictions
from widgets.explorers.product_fits import product_fits
from widgets.explorers.residual_growth import residual_growth
from widgets.explorers.skeleton import skeleton
from widgets.explorers.swish_beta import swish_beta
from widgets.explorers.three_matrices import three_matrices
from widgets.explorers.train_pair import train_pair

__all__ = [
    "ablation_results",
    "activation_curves",
    "decoder_block",
    "decoder_census",
    "eps_effect",
    "gate_flow",
    "my_predictions",
    "norm_geometry",
    "norm_timings",
    "overall_shift",
    "parameter_ledger",
    "predict",
    "product_fits",
    "residual_growth",
    "skeleton",
    "swish_beta",
    "three_matrices",
    "time_norms",
    "train_pair",
]
