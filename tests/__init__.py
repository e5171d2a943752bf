"""What CI runs: `python3 course.py test`."""
