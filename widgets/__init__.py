"""The shared package of the course: one function per explorer, and the question that goes before an experiment."""
