"""The question before an experiment: the learner commits to an answer, then runs the next cell and sees.

Why not jupyterquiz, which asks questions very well elsewhere: tried here, it gives its HTML another random id at
every run, so strict nbval fails each time; JupyterLab takes its arrow keys; and it marks an answer at once, where
here the experiment is to answer.
Why not ipywidgets.RadioButtons: they form no group, so the arrow keys leave them, and a screen reader does not say
the question with them. So this is one small form on anywidget.
"""

from __future__ import annotations

import datetime
import os
import re
import weakref
from collections.abc import Sequence
from pathlib import Path

import anywidget
import traitlets
from IPython import get_ipython

from widgets.explorers import predictions
from widgets.explorers.explorer import close_predecessors
from widgets.explorers.predictions import Kept, fingerprint
from widgets.inputs import shortened, words

LETTERS = "ABCD"
ASKING = "Choose an answer and commit to it. Then run the next cell."
SAID = 'You committed to {letter}: "{answer}". Now run the next cell and see.'
CONFIDENCE = "I am sure (leave it empty if you are guessing)"
BUTTONS = ("Commit", "Change my mind", "I have run it", "Show of hands")
UNMARKED = 'You said {letter}: "{answer}". Is that what you saw?'
VERDICTS = {  # right?, sure? -> what is said after the run
    (True, True): "Yes, {letter}. You were sure, and you can be.",
    (True, False): "Yes, {letter}. You were guessing: could you now tell somebody why?",
    (False, True): "It came out as {right}. You were sure of {letter}, so this is the one to remember.",
    (False, False): "It came out as {right}, not {letter}. That was worth a guess: now you know.",
}

_left: dict[tuple[str, ...], dict[str, object]] = {}  # question and answers -> how the learner left them
_asked: weakref.WeakSet[Prediction] = weakref.WeakSet()  # the forms that wait for a cell to be run


def predict(
    question: str, *answers: str, right: str | None = None, topic: str | None = None, hands: bool = False
) -> Prediction:
    """Ask before an experiment: the learner commits to one of two to four answers, sure or guessing.

    right: the letter of the right answer, such as "B", or several, "BC"; it is said only after the next cell has run
    topic: where `my_predictions` counts it, by default the notebook's name; hands: begin with the show of hands open
    The answer is kept in `predictions.json` beside the notebook, and asked again, the question remembers it.
    Raises TypeError for a question, an answer or a topic that is not text and for a `right` that is not; ValueError
    for an empty one, for fewer than two or more than four answers, for two answers that are the same, and for a
    letter that no answer has.
    """
    for text in (question, *answers):
        words("a question and its answers", text, 2000)
    if not 2 <= len(answers) <= len(LETTERS):
        raise ValueError(f"A question needs two to four answers to choose from; got {len(answers)}.")
    if len(set(answers)) < len(answers):
        raise ValueError(f"Each answer should be there once; got {shortened(max(answers, key=answers.count))} twice.")
    if not isinstance(hands, bool):
        raise TypeError(f"Expected hands to be True or False; got {shortened(hands)}.")
    topic = _notebook() if topic is None else words("topic", topic, 40)
    asked = Prediction(question, answers, _letters(right, len(answers)), topic, hands)
    close_predecessors(asked)
    _await_runs(asked)
    return asked


def _letters(right: str | None, count: int) -> str:
    """The letters of the right answers, "" where none is marked."""
    if right is None:
        return ""
    possible = LETTERS[:count]
    wanted = f"Expected right to be one or more of the letters {possible}, each once"
    if not isinstance(right, str):
        raise TypeError(f"{wanted}; got {shortened(right)}.")
    if not right or set(right) - set(possible) or len(set(right)) < len(right):
        raise ValueError(f"{wanted}; got {shortened(right)}.")
    return right


def _notebook() -> str:
    """The notebook's name without its number, where the server tells it; else "general"."""
    stem = Path(os.environ.get("JPY_SESSION_NAME", "")).stem
    return re.sub(r"^\d+_", "", stem).replace("_", " ")[:40].strip() or "general"


def _await_runs(asked: Prediction) -> None:
    """Lets a form hear when a cell has been run; without IPython nothing is run, and nothing is heard."""
    events = getattr(get_ipython(), "events", None)
    if events is None:
        return
    _asked.add(asked)
    if _after_run not in events.callbacks["post_run_cell"]:
        events.register("post_run_cell", _after_run)


def _after_run(result: object) -> None:
    """IPython's event: a cell has ended. The cell that asked the question does not count."""
    for asked in list(_asked):
        if asked.fresh:
            asked.fresh = False
        elif asked.committed and getattr(result, "success", False):
            asked.ran = True


class Prediction(anywidget.AnyWidget):
    """One question; `choice` counts from 0 and is -1 until something is chosen.

    said: what follows a commitment, one sentence for each answer; verdicts: what follows the run, two for each answer,
    for the sure and for those who guess. hands: a number for each answer, for an instructor to enter.
    """

    # As text: a path would tie every instance to a signal of its class, and none would ever be freed.
    _esm = Path(__file__).with_name("predict.js").read_text(encoding="utf-8")
    _css = Path(__file__).with_name("predict.css").read_text(encoding="utf-8")

    question = traitlets.Unicode().tag(sync=True)
    answers = traitlets.List().tag(sync=True)
    choice = traitlets.Int(-1, min=-1, max=len(LETTERS) - 1).tag(sync=True)
    sure = traitlets.Bool(False).tag(sync=True)
    committed = traitlets.Bool(False).tag(sync=True)
    ran = traitlets.Bool(False).tag(sync=True)
    hands = traitlets.List(traitlets.Int(min=0, max=999)).tag(sync=True)
    counting = traitlets.Bool(False).tag(sync=True)
    problem = traitlets.Unicode().tag(sync=True)
    asking = traitlets.Unicode(ASKING).tag(sync=True)
    confidence = traitlets.Unicode(CONFIDENCE).tag(sync=True)
    said = traitlets.List().tag(sync=True)
    verdicts = traitlets.List().tag(sync=True)
    buttons = traitlets.List(list(BUTTONS)).tag(sync=True)

    def __init__(self, question: str, answers: Sequence[str], right: str, topic: str, counting: bool) -> None:
        lettered = [list(pair) for pair in zip(LETTERS, answers, strict=False)]
        self.fresh, self._right, self._topic = True, right, topic
        self._fingerprint = fingerprint(answers)
        before, trouble = self._remembered(question, answers)
        super().__init__(
            question=question,
            answers=lettered,
            said=[SAID.format(letter=letter, answer=answer) for letter, answer in lettered],
            verdicts=[[_verdict(letter, answer, right, sure) for sure in (True, False)] for letter, answer in lettered],
            problem=trouble,
            **{"hands": [0] * len(answers), "counting": counting, **before},
        )
        self.observe(lambda change: before.update({change.name: change.new}), ["choice", "sure", "committed", "hands"])
        self.observe(self._keep, "committed")

    def _remembered(self, question: str, answers: Sequence[str]) -> tuple[dict[str, object], str]:
        """How the learner left the question: in this kernel, or else on disk; and a sentence if that is unreadable."""
        key, trouble = (question, *answers), ""
        if key not in _left:
            kept, trouble = predictions.read()
            found = [each for each in kept if (each.question, each.answers) == (question, self._fingerprint)]
            at = LETTERS[: len(answers)].find(found[-1].choice) if found and len(found[-1].choice) == 1 else -1
            _left[key] = {"choice": at, "sure": found[-1].sure, "committed": True} if at >= 0 else {}
        return _left[key], trouble

    def _keep(self, change: object) -> None:
        """Writes a commitment down; a change of mind only once there is another commitment."""
        if not self.committed or not 0 <= self.choice < len(self.answers):
            return
        letter = LETTERS[self.choice]
        right = letter in self._right if self._right else None
        today = datetime.date.today().isoformat()
        record = Kept(self.question, self._fingerprint, letter, self.sure, right, self._topic, today)
        self.problem = predictions.keep(record)

    def close(self) -> None:
        """Closes the form, its layout included, so that no model is left behind."""
        _asked.discard(self)
        self.layout.close()
        super().close()

    def __repr__(self) -> str:
        return "\n".join([self.question, *(f"  {letter}  {answer}" for letter, answer in self.answers)])


def _verdict(letter: str, answer: str, right: str, sure: bool) -> str:
    """What is said after the run to somebody who chose this letter."""
    if not right:
        return UNMARKED.format(letter=letter, answer=answer)
    return VERDICTS[letter in right, sure].format(letter=letter, right=" or ".join(right))
