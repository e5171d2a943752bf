"""How a check speaks: one verdict, shown as a small card in a notebook and as a few lines of text everywhere else."""

from __future__ import annotations

import html
import re
import textwrap
from dataclasses import dataclass

WIDTH = 100  # of the text form


@dataclass(frozen=True)
class Step:
    """One thing that was tried, and how it went; the note says what happened where the words alone do not."""

    what: str
    passed: bool
    note: str = ""


@dataclass(frozen=True)
class Verdict:
    """What a check found out about the learner's own code.

    symptom: what anybody can see; message: what is behind it, as far as that is known
    mistake: the short name of a recognised mistake (two are joined by " + "), or None
    hints: from a nudge to nearly the answer; steps: what was tried, in order
    written: False as long as the cell has not been filled in; source: where the mistake happened in public
    printed: what the learner's own code printed; progress: which exercises of the notebook are done, in a line
    """

    exercise: str
    passed: bool
    message: str
    mistake: str | None = None
    hints: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()
    written: bool = True
    source: str = ""
    symptom: str = ""
    printed: str = ""
    progress: str = ""

    def require(self) -> Verdict:
        """This verdict when it passed; otherwise AssertionError with its message."""
        if not self.passed:
            raise AssertionError(printable(f"{self.exercise}: {self.message}"))
        return self

    @property
    def heading(self) -> str:
        if self.passed:
            return f"✓ {self.exercise}: passed"
        if not self.written:
            return f"○ {self.exercise}: not written yet"
        return f"✗ {self.exercise}: not yet"

    def __repr__(self) -> str:
        lines = [self.heading, *textwrap.wrap(self.symptom or self.message, WIDTH)]
        lines += [f"  {'✓' if step.passed else '✗'} {_with_note(step)}" for step in self.steps]
        lines += [f"  looks like: {self.mistake}"] if self.mistake else []
        lines += [f"  hints: {len(self.hints)}"] if self.hints and not self.passed else []
        return printable("\n".join([*lines, self.progress] if self.progress else lines))

    def _repr_html_(self) -> str:
        colour = PASSED if self.passed else BROKEN if self.written else WAITING
        parts = [
            f'<strong style="color: {LEGIBLE.format(colour=colour)}">{_rich(self.heading)}</strong>',
            _paragraph(self.symptom or self.message),
            _folded("What was tried", _list(self.steps)) if self.steps else "",
            _folded("What your code printed", f"<pre>{html.escape(self.printed)}</pre>") if self.printed else "",
            "" if self.passed else self._behind(),
            f'<p style="margin: 4px 0; color: {WAITING}">{_rich(self.progress)}</p>' if self.progress else "",
        ]
        return printable(f'<div style="{CARD.format(colour=colour)}">{"".join(parts)}</div>')

    def _behind(self) -> str:
        """The mistake, folded, with its hints folded into it; the hints alone where no mistake was recognised."""
        if not self.mistake:
            return _hints(self.hints)
        seen = _paragraph(f"Seen in public code: {self.source}") if self.source else ""
        named = f'<p style="margin: 4px 0"><strong>{_rich(self.mistake)}</strong></p>'
        return _folded("What it looks like", named + _paragraph(self.message) + seen + _hints(self.hints))


PASSED = "var(--jp-success-color0, #1b7f3b)"
BROKEN = "var(--jp-error-color0, #b3261e)"
WAITING = "var(--jp-ui-font-color2, #616161)"
LEGIBLE = "color-mix(in srgb, {colour} 60%, var(--jp-ui-font-color1, #212121))"  # 4.5 : 1 in the dark theme too
LINK = "var(--jp-content-link-color, #0b57d0)"
BROKE_HERE = " (<strong>broke here</strong>)"
CARD = (
    "border: 1px solid var(--jp-border-color1, #bdbdbd); border-left: 5px solid {colour}; "
    "color: var(--jp-ui-font-color1, #212121); background: var(--jp-layout-color1, #ffffff); "
    "padding: 8px 14px; margin: 4px 0; max-width: 720px"
)


def printable(text: str) -> str:
    """Text that any channel can carry, half a surrogate pair too, without addresses, which differ from run to run."""
    return re.sub(r" at 0x[0-9a-fA-F]+", "", text).encode("utf-8", "backslashreplace").decode()


def _with_note(step: Step) -> str:
    return f"{step.what}: {step.note}" if step.note else step.what


def _rich(text: str) -> str:
    """Text as HTML: `code` as code, owner/name#7 as a link to the public thread of that number."""
    text = re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text))
    return re.sub(
        r"([\w.-]+/[\w.-]+)#(\d+)", rf'<a style="color: {LINK}" href="https://github.com/\1/issues/\2">\1#\2</a>', text
    )


def _paragraph(text: str) -> str:
    return f'<p style="margin: 4px 0">{_rich(text)}</p>'


def _list(steps: tuple[Step, ...]) -> str:
    items = (
        f"<li>{'✓' if step.passed else '✗'} {_rich(_with_note(step))}{'' if step.passed else BROKE_HERE}</li>"
        for step in steps
    )
    return f"<ol>{''.join(items)}</ol>"


def _folded(title: str, body: str) -> str:
    return f'<details style="margin: 4px 0"><summary>{title}</summary>{body}</details>'


def _hints(hints: tuple[str, ...]) -> str:
    """Each hint lies folded inside the one before it, so they open one at a time."""
    folded = ""
    for number, hint in reversed(list(enumerate(hints, start=1))):
        folded = _folded(f"Hint {number} of {len(hints)}", _paragraph(hint) + folded)
    return folded
