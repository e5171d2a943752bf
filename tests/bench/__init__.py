"""What is measured and never asserted: `python3 course.py bench` prints it, each comparison from one run."""
