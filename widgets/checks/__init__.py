"""What an exercise check says about the learner's own function or class."""
