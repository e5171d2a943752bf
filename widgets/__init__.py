"""The names a lesson may import: one function per explorer, and `predict`, the question before a run."""

from widgets.explorers.overall_shift import overall_shift
from widgets.explorers.predict import predict

__all__ = ["overall_shift", "predict"]
