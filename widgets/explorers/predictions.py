"""What was predicted, kept beside the notebooks in `predictions.json`, and counted by topic."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import threading
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from html import escape
from pathlib import Path

FILE = "predictions.json"  # in the folder the kernel works in, which is the notebook's
ASIDE = "predictions.damaged{}.json"  # where a file goes that is not ours, or not ours alone

_writing = threading.Lock()  # messages from the browser come in a thread of their own


@dataclass(frozen=True)
class Kept:
    """One commitment: the question, a fingerprint of its answers, and what the learner said.

    choice: a letter; right: whether it was, None where no answer was marked as right; date: as 2026-11-29
    """

    question: str
    answers: str
    choice: str
    sure: bool
    right: bool | None
    topic: str
    date: str

    def same_question(self, other: Kept) -> bool:
        """Whether both answer the same question, with the same answers to choose from."""
        return (self.question, self.answers) == (other.question, other.answers)


def fingerprint(answers: Sequence[str]) -> str:
    """A short name for the answers in their order; other answers have another."""
    return hashlib.sha256(json.dumps(list(answers)).encode()).hexdigest()[:16]


def read() -> tuple[list[Kept], str]:
    """What is kept here, the oldest first, and a sentence if the file cannot be read or holds something else too."""
    try:
        entries = json.loads(Path(FILE).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return [], ""
    except (OSError, ValueError, RecursionError):
        return [], f"Your earlier predictions cannot be read: {FILE} is not readable or not whole."
    if not isinstance(entries, list):
        return [], f"Your earlier predictions cannot be read: {FILE} holds something else."
    ours = [Kept(**entry) for entry in entries if _is_kept(entry)]
    return ours, "" if len(ours) == len(entries) else f"{FILE} holds something that is no prediction."


def _is_kept(entry: object) -> bool:
    """Whether an entry of the file is one of ours: anything else in it is passed over."""
    if not isinstance(entry, dict) or set(entry) != {field.name for field in fields(Kept)}:
        return False
    texts = (entry[name] for name in ("question", "answers", "choice", "topic", "date"))
    return (
        all(isinstance(text, str) for text in texts)
        and type(entry["sure"]) is bool
        and entry["right"] in (True, False, None)
    )


def keep(record: Kept) -> str:
    """Writes a commitment in place of an earlier one to the same question; a sentence if that is not possible.

    A file that cannot be read, or that holds anything else, is not lost: it is put aside under a name that is free.
    """
    said = ""
    with _writing:
        try:
            before, trouble = read()
            if trouble:
                said = f"What was in {FILE} before is kept in {_put_aside()}."
            others = [each for each in before if not each.same_question(record)]
            _write([asdict(each) for each in (*others, record)])
        except OSError as problem:
            why = problem.strerror or type(problem).__name__
            return f"Your prediction counts, but it could not be kept in {FILE}: {why}."
    return said


def _put_aside() -> str:
    """Gives the file another name, one that nothing has yet, and says which."""
    names = (ASIDE.format(more) for more in itertools.chain([""], (f".{number}" for number in itertools.count(2))))
    free = next(name for name in names if not os.path.lexists(name))
    os.rename(FILE, free)
    return free


def _write(entries: list[dict[str, object]]) -> None:
    """All or nothing: a file beside it takes its place when it is whole."""
    fresh = Path(f"{FILE}.{os.getpid()}.new")
    try:
        fresh.write_text(json.dumps(entries, indent=1) + "\n", encoding="utf-8")
        os.replace(fresh, FILE)
    finally:
        fresh.unlink(missing_ok=True)


def my_predictions() -> Tally:
    """How many of your predictions were right, by topic, with sure and guessing apart."""
    return Tally(*read())


class Tally:
    """The predictions counted by topic, as a table in a notebook and as text elsewhere."""

    HEAD = ("topic", "answered", "right", "right when sure", "right when guessing")

    def __init__(self, kept: Sequence[Kept], trouble: str = "") -> None:
        self.kept, self.trouble = list(kept), trouble

    def rows(self) -> list[tuple[str, ...]]:
        """One row for each topic, in the order in which they were met, and one for all together."""
        topics = list(dict.fromkeys(each.topic for each in self.kept))
        rows = [(topic, *_counts([each for each in self.kept if each.topic == topic])) for topic in topics]
        return [*rows, ("all together", *_counts(self.kept))] if len(topics) > 1 else rows

    def again(self) -> list[str]:
        """The questions that came out otherwise than predicted."""
        return [each.question for each in self.kept if each.right is False]

    def __repr__(self) -> str:
        if not self.kept:
            return self.trouble or "No predictions yet."
        table = [self.HEAD, *self.rows()]
        wide = [max(len(row[column]) for row in table) for column in range(len(self.HEAD))]
        lines = ["   ".join([row[0].ljust(wide[0]), *map(str.rjust, row[1:], wide[1:])]) for row in table]
        if self.again():
            lines += ["", "Worth another look:", *(f"- {question}" for question in self.again())]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        if not self.kept:
            return f"<p>{escape(repr(self))}</p>"
        head = "".join(f'<th scope="col">{words}</th>' for words in self.HEAD)
        body = "".join(
            f'<tr><th scope="row">{escape(topic)}</th>' + "".join(f"<td>{count}</td>" for count in counts) + "</tr>"
            for topic, *counts in self.rows()
        )
        again = "".join(f"<li>{escape(question)}</li>" for question in self.again())
        again = f"<p>Worth another look:</p><ul>{again}</ul>" if again else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{again}"


def _counts(kept: Sequence[Kept]) -> tuple[str, ...]:
    """How many; and how many of those that can be right are, of all, of the sure ones, of the guesses."""
    known = [each for each in kept if each.right is not None]
    groups = (known, [each for each in known if each.sure], [each for each in known if not each.sure])
    return str(len(kept)), *(f"{sum(each.right is True for each in group)} of {len(group)}" for group in groups)
