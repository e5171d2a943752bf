"""What is asked of the learner in notebooks 05 and 06, one function for each exercise."""
