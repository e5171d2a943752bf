"""The names a lesson may import: one function per explorer, and `predict`, the question before a run."""

from widgets.explorers.activation_curves import activation_curves
from widgets.explorers.decoder_block import decoder_block
from widgets.explorers.eps import eps_explorer
from widgets.explorers.gate_flow import gate_flow
from widgets.explorers.norm_geometry import norm_geometry
from widgets.explorers.overall_shift import overall_shift
from widgets.explorers.parameter_ledger import parameter_ledger
from widgets.explorers.predict import predict
from widgets.explorers.product_picture import product_picture
from widgets.explorers.skeleton import skeleton
from widgets.explorers.swish_beta import swish_beta

__all__ = [
    "activation_curves",
    "decoder_block",
    "eps_explorer",
    "gate_flow",
    "norm_geometry",
    "overall_shift",
    "parameter_ledger",
    "predict",
    "product_picture",
    "skeleton",
    "swish_beta",
]
