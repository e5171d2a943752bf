"""What each step computes: pure torch functions and frozen dataclasses of steps. No picture, no slider."""
