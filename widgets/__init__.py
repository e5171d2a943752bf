"""The names a lesson may import: one function per explorer, and the question that goes before an experiment."""

from widgets.explorers.decoder_block import decoder_block
from widgets.explorers.overall_shift import overall_shift

__all__ = ["decoder_block", "overall_shift"]
