"""The bank of known mistakes: each with its name, sentence, hints, source and its own wrong step."""
