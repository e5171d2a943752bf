"""The names a lesson may import: one function per explorer, and `predict`, the question before a run."""

from widgets.explorers.decoder_block import decoder_block
from widgets.explorers.eps import eps_explorer
from widgets.explorers.norm_geometry import norm_geometry
from widgets.explorers.overall_shift import overall_shift
from widgets.explorers.predict import predict

__all__ = ["decoder_block", "eps_explorer", "norm_geometry", "overall_shift", "predict"]
