"""What is tried and measured: the decoder, training, timing, conversion, and what the shipped data say."""
