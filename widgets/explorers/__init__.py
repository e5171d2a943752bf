"""Controls, a flipbook and the same numbers as text: the only room that knows ipywidgets."""
