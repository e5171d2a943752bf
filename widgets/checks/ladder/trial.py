"""One check under way: it calls the learner's code, keeps the steps, and ends in a verdict, whatever happens."""

from __future__ import annotations

import ast
import contextlib
import inspect
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from types import CodeType
from typing import Any, NoReturn

import torch

from widgets.checks.ladder.rungs import Rung
from widgets.checks.mistakes import habits
from widgets.checks.mistakes.diagnosis import Mistake
from widgets.checks.progress import record
from widgets.checks.runner import CALL_SECONDS, CHECK_SECONDS, Asks, Outcome, innermost, run
from widgets.checks.verdict import Step, Verdict, printable
from widgets.precision import in_float32


class Refused(Exception):
    """Ends a check: a rung broke, and this is the verdict."""

    def __init__(self, verdict: Verdict) -> None:
        super().__init__(verdict.message)
        self.verdict = verdict


class Trial:
    """One check under way: whose turn it is, what was tried so far, and how much time is left."""

    def __init__(self, call: str, hints: Sequence[str]) -> None:
        self.call, self.name, self.hints = call, call.split("(")[0], tuple(hints)
        self.steps: list[Step] = []
        self.seconds_left = CHECK_SECONDS
        self.calls = 0
        self.settings: dict[str, None] = {}  # in the order found, each once
        self.printed = ""
        self.praise = "Everything that was tried holds."

    def passed(self, what: str, note: str = "") -> None:
        self.steps.append(Step(str(what), True, note))

    def climbed(self, rungs: Sequence[str]) -> None:
        """Rungs that were passed, those already said left out."""
        said = {step.what for step in self.steps}
        self.steps += [Step(str(rung), True) for rung in rungs if rung not in said]

    def refuse(self, what: str, symptom: str, mistakes: Sequence[Mistake] = (), hints: Sequence[str] = ()) -> NoReturn:
        """Raises Refused. The symptom is what anybody can see; recognised mistakes say what is behind it."""
        found = tuple(dict.fromkeys(mistakes))
        symptom = printable(symptom)
        verdict = Verdict(
            exercise=self.name,
            passed=False,
            message=" Besides: ".join(one.sentence for one in found) or symptom,
            mistake=" + ".join(one.name for one in found) or None,
            hints=tuple(dict.fromkeys(hint for one in found for hint in one.hints)) or tuple(hints) or self.hints,
            steps=(*self.steps, Step(str(what), False)),
            source=", ".join(dict.fromkeys(one.source for one in found if one.source)),
            symptom=symptom,
            printed=self.printed,
        )
        raise Refused(verdict)

    def not_written(self) -> NoReturn:
        message = f"The cell above is still to be filled in. What you write will be called as `{self.call}`."
        raise Refused(Verdict(self.name, False, message, hints=self.hints, written=False))

    def accepted(self) -> Verdict:
        """The verdict when all rungs hold; raises Refused when settings of the whole program were left changed."""
        if self.settings:
            changed = habits.settings_changed(list(self.settings))
            self.refuse(Rung.TIDY, "After the call, something outside it is not as it was before.", [changed])
        self.passed(Rung.TIDY, "it also prints; leave that out before you hand it in" if self.printed else "")
        return Verdict(self.name, True, self.praise, steps=tuple(self.steps), printed=self.printed)

    def run(self, function: Callable[..., Any], *args: Any) -> Outcome:
        """One guarded call. Refuses when the code is not written yet, or too slow to go on."""
        self.calls += 1
        outcome = run(function, *args, seconds=min(CALL_SECONDS, self.seconds_left), seed=self.calls)
        self.seconds_left -= outcome.seconds
        if inspect.iscoroutine(outcome.value):
            outcome.value.close()  # Python warns about one that is never awaited
        self.settings |= dict.fromkeys(outcome.changed)
        self.printed = self.printed or outcome.printed
        if outcome.late:
            self.refuse(Rung.IN_TIME, _too_long(outcome, self.calls, self.seconds_left))
        if self.seconds_left < 0.05:
            self.refuse(Rung.IN_TIME, _too_slow(self.calls))
        if isinstance(outcome.error, Asks):
            self.refuse(Rung.ALONE, _asks(self.name, outcome))
        if isinstance(outcome.error, NotImplementedError) and _raised_on_purpose(outcome):
            self._still_raising(outcome)
        return outcome

    def _still_raising(self, outcome: Outcome) -> NoReturn:
        """The line that stood in the cell at the start: alone, or beside what was written since."""
        if beside := _beside(outcome):
            self.refuse(Rung.RUNS, f"The {outcome.line}, still stands {beside} your code: delete it.")
        self.not_written()


def _too_long(outcome: Outcome, calls: int, seconds_left: float) -> str:
    if seconds_left < 0.05 and outcome.seconds < CALL_SECONDS:
        return _too_slow(calls)
    again = f" of call {calls}" if calls > 1 else ""
    no_result = f"After {CALL_SECONDS:.0f} seconds there was no result{again}, and your code"
    if outcome.stopped:
        where = f" at {outcome.line}" if outcome.line else ""
        return f"{no_result} was stopped{where}. Does a loop never end?"
    return f"{no_result} could not be stopped; it goes on until you restart the kernel. Does it wait for something?"


def _too_slow(calls: int) -> str:
    return (
        f"The time was up after {calls} of your answers, {CHECK_SECONDS:.0f} seconds in all; a thousandth of a second "
        "each is usual. What was tried until then is below."
    )


def _asks(name: str, outcome: Outcome) -> str:
    return (
        f"`{name}` stops at {outcome.line} and waits for somebody. A check calls it many times: take that line out, or "
        "call your function yourself to look into it."
    )


def _beside(outcome: Outcome) -> str:
    """Where the line that raises stands beside other lines of its function, "above" or "below"; "" when it is alone."""
    found = innermost(outcome.error)
    if found is None:
        return ""
    code, number = found
    given = ("super().__init__()", "'", '"')  # what may have stood there from the start
    lines = [one.lineno for one in _body(code) if not ast.unparse(one).startswith(given)]
    number -= code.co_firstlineno - 1
    if any(line > number for line in lines):
        return "above"
    return "below" if any(line < number for line in lines) else ""


def _raised_on_purpose(outcome: Outcome) -> bool:
    """torch raises NotImplementedError too, with a text, from a line that does something else."""
    return (not str(outcome.error) or "raise NotImplementedError" in outcome.line) and _at_top(outcome)


def _at_top(outcome: Outcome) -> bool:
    """It stands in the function's body itself: one in an `if` or an `else` is the learner's own guard."""
    if (found := innermost(outcome.error)) is None or not (body := _body(found[0])):
        return True
    return any(isinstance(one, ast.Raise) and one.lineno == found[1] - found[0].co_firstlineno + 1 for one in body)


def _body(code: CodeType) -> list[ast.stmt]:
    """The statements of a function, counted from its own first line; none where its text is not known."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(code)))
    except (OSError, TypeError, SyntaxError):
        return []
    return getattr(tree.body[0], "body", [])


def judge(call: str, hints: Sequence[str], climb: Callable[[Trial], None]) -> Verdict:
    """Run one check: the verdict of the first rung that breaks, or the verdict that all hold."""
    verdict = _climbed(Trial(call, hints), climb)
    return replace(verdict, progress=record(verdict.exercise, verdict.passed))


def _climbed(trial: Trial, climb: Callable[[Trial], None]) -> Verdict:
    try:
        with _plain_torch():
            try:
                climb(trial)
                return trial.accepted()
            except Exception as error:
                if isinstance(error, Refused):
                    raise
                strange = f"The check could not handle what your code returned ({type(error).__name__})."
                trial.refuse(Rung.HANDLED, strange)
    except Refused as end:
        return end.verdict


@contextlib.contextmanager
def _plain_torch() -> Iterator[None]:
    """The check's own arithmetic does not depend on what the notebook has set."""
    on_cpu = contextlib.nullcontext() if torch.get_default_device().type == "cpu" else torch.device("cpu")
    with in_float32(), torch.inference_mode(False), torch.enable_grad(), torch.autocast("cpu", enabled=False), on_cpu:
        yield
