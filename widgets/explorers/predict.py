"""The question before an experiment: the learner commits to an answer, then runs the next cell and sees.

Why not jupyterquiz, which asks questions very well elsewhere: tried here, it gives its HTML another random id at
every run, so strict nbval fails each time; JupyterLab takes its arrow keys; and it marks an answer at once, where
here the experiment is to answer.
Why not ipywidgets.RadioButtons: they form no group, so the arrow keys leave them, and a screen reader does not say
the question with them. So this is one small form on anywidget.
"""

from __future__ import annotations

import pathlib

import anywidget
import traitlets

from widgets.explorers.explorer import close_predecessors

LETTERS = "ABCD"
ASKING = "Choose an answer and commit to it. Then run the next cell."
SAID = "You committed to {letter}: “{answer}”. Now run the next cell and see."
BUTTONS = ("Commit", "Change my mind")

_chosen: dict[tuple[str, ...], dict[str, object]] = {}  # question and answers -> how the learner left them


def predict(question: str, *answers: str) -> Prediction:
    """Ask before an experiment: the learner commits to one of two to four answers.

    The right answer is not marked: the next cell shows it. Asked again, the question remembers what was chosen.
    Raises TypeError for a question or an answer that is not text, ValueError for an empty one, for fewer than two
    or more than four answers, and for two answers that are the same.
    """
    for text in (question, *answers):
        if not isinstance(text, str):
            raise TypeError(f"A question and its answers are texts; got {text!r:.60} of type {type(text).__name__}.")
        if not text.strip():
            raise ValueError("A question and its answers need words; got an empty text.")
    if not 2 <= len(answers) <= len(LETTERS):
        raise ValueError(f"A question needs two to four answers to choose from; got {len(answers)}.")
    if len(set(answers)) < len(answers):
        raise ValueError(f"Each answer should be there once; got {max(answers, key=answers.count)!r} twice.")
    asked = Prediction(question, answers)
    close_predecessors(asked)
    return asked


class Prediction(anywidget.AnyWidget):
    """One question; `choice` counts from 0 and is -1 until something is chosen."""

    _esm = pathlib.Path(__file__).with_name("predict.js")
    _css = pathlib.Path(__file__).with_name("predict.css")

    question = traitlets.Unicode().tag(sync=True)
    answers = traitlets.List().tag(sync=True)
    choice = traitlets.Int(-1).tag(sync=True)
    committed = traitlets.Bool(False).tag(sync=True)
    asking = traitlets.Unicode(ASKING).tag(sync=True)
    said = traitlets.List().tag(sync=True)
    buttons = traitlets.List(BUTTONS).tag(sync=True)

    def __init__(self, question: str, answers: tuple[str, ...]) -> None:
        lettered = list(zip(LETTERS, answers, strict=False))
        said = [SAID.format(letter=letter, answer=answer) for letter, answer in lettered]
        before = _chosen.setdefault((question, *answers), {})
        super().__init__(question=question, answers=[list(pair) for pair in lettered], said=said, **before)
        self.observe(lambda change: before.update({change.name: change.new}), ["choice", "committed"])

    def close(self) -> None:
        """Closes the form, its layout included, so that no model is left behind."""
        self.layout.close()
        super().close()

    def __repr__(self) -> str:
        return "\n".join([self.question, *(f"  {letter}  {answer}" for letter, answer in self.answers)])
