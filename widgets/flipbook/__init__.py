"""A matplotlib figure that moves in the browser; knows no mathematics and no lesson."""
