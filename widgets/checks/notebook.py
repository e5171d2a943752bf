"""The cells that were run, so that a check judges what stands above it and not what stood there before.

Outside IPython nothing is known about cells, and nothing is said about them.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections import deque
from dataclasses import dataclass
from typing import Any

from widgets.checks.progress import LABELS
from widgets.checks.runner import innermost, ipython
from widgets.checks.verdict import Verdict

_NAMES = re.compile(r"^(?:async\s+)?(?:def|class)\s+(\w+)|^(\w+)\s*(?::[^=\n]+)?=(?!=)", re.MULTILINE)
_IMPORTS = r"^\s*(?:from\s+\S+\s+)?import\s+(?:\([^)]*|[^\n(#]*)(?<!\.)\b{}\b(?!\s+as\b)"
_UNSEEN = re.compile(r"^\s*%|\bimport \*|\b(?:exec|globals)\(", re.MULTILINE)  # makes names that its text does not tell


@dataclass(frozen=True)
class Ran:
    """One run of a cell: its text, its id where the notebook tells, and what went wrong, in words.

    parsed: whether it was Python at all. The error itself is not kept: with it would live all that its frames held.
    """

    text: str
    cell: str | None
    failure: str = ""
    parsed: bool = True

    @property
    def names(self) -> list[str]:
        """What it defines at its top level, or would have defined."""
        return [defined or assigned for defined, assigned in _NAMES.findall(self.text)]

    def makes(self, name: str) -> bool:
        """Whether it defines or imports this."""
        return name in self.names or bool(re.search(_IMPORTS.format(name), self.text, re.MULTILINE))


def _failure(error: BaseException | None, parsed: bool) -> str:
    if error is None:
        return ""
    place = (innermost(error) or (None, 0))[1] if parsed else getattr(error, "lineno", None)
    where = f" in line {place}" if place else ""
    return f"The cell above did not run: {type(error).__name__}{where}. Nothing was checked."


_ran: deque[Ran] = deque(maxlen=500)
_running: list[Ran] = []  # the cell that runs now, if one does


def watch() -> None:
    """From now on every cell that is run is remembered."""
    shell = ipython()
    if shell is not None:
        shell.events.register("pre_run_cell", _begin)
        shell.events.register("post_run_cell", _remember)


def _begin(info: Any) -> None:
    _running[:] = [Ran(info.raw_cell, None)]


def _remember(result: Any) -> None:
    _running.clear()
    info, error = result.info, result.error_before_exec or result.error_in_exec
    missing = error.name if isinstance(error, NameError) else None
    if missing in LABELS and "checks.check_" in info.raw_cell:
        sys.modules["IPython"].display.display(Verdict(missing, False, _why_missing(missing)))
    parsed = result.error_before_exec is None
    _ran.append(Ran(info.raw_cell, getattr(info, "cell_id", None), _failure(error, parsed), parsed))


def _why_missing(name: str) -> str:
    tried = next((one for one in reversed(_ran) if one.makes(name)), None)
    if tried and tried.failure:
        return tried.failure
    others = _ran[-1].names if _ran else []
    if others:
        return f"No `{name}` here; you defined `{others[-1]}`."
    return f"There is no `{name}` yet. Run the cell above first."


def stale(name: str, learner: Any) -> str:
    """Why what is handed in under this name is not what stands in the cell above, in a sentence; "" if it is."""
    runs = list(_ran)
    at = max((at for at, one in enumerate(runs) if one.makes(name)), default=None)
    if at is None or getattr(learner, "__name__", name) not in (name, "<lambda>"):
        return ""
    if any(one.makes(name) for one in _running):
        return ""  # it stands in the cell of its check
    if runs[at].failure and not _defined_by(runs[at], learner):
        return runs[at].failure
    again = [one for one in runs[at + 1 :] if one.cell is not None and one.cell == runs[at].cell]
    return (again[-1].failure or _renamed(name, again[-1])) if again else ""


def _renamed(name: str, ran: Ran) -> str:
    if _UNSEEN.search(ran.text):
        return ""
    return f"No `{name}` here; you defined `{ran.names[-1]}`." if ran.names else f"The cell above defines no `{name}`."


def _defined_by(ran: Ran, learner: Any) -> bool:
    """The cell failed only after it had defined this. Where the text of the learner's code is not known: it had."""
    if not ran.parsed:
        return False
    members = vars(learner).values() if isinstance(learner, type) else (learner,)
    try:
        return all(inspect.getsource(one.__code__).strip() in ran.text for one in members if hasattr(one, "__code__"))
    except (OSError, TypeError):
        return True
