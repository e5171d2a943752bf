"""How an answer is judged: rungs are climbed in order, and the first that breaks ends the check."""
