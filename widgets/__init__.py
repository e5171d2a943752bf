"""The names a lesson may import: one function per explorer, and the question that goes before an experiment."""

from widgets.explorers.overall_shift import overall_shift

__all__ = ["overall_shift"]
