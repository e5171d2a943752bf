"""One check under way: it calls the learner's code, keeps the steps, and ends in a verdict, whatever happens."""

from __future__ import annotations

import contextlib
import dis
import inspect
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from .mistakes import Mistake, habits
from .runner import CALL_SECONDS, CHECK_SECONDS, Outcome, run
from .verdict import Step, Verdict


class Refused(Exception):
    """Ends a check: a rung broke, and the verdict is on the trial."""


class Trial:
    """One check under way: whose turn it is, what was tried so far, and how much time is left."""

    def __init__(self, call: str, hints: Sequence[str]) -> None:
        self.call, self.name, self.hints = call, call.split("(")[0], tuple(hints)
        self.steps: list[Step] = []
        self.seconds_left = CHECK_SECONDS
        self.calls = 0
        self.settings: dict[str, None] = {}  # in the order found, each once
        self.printed = False
        self.praise = "Everything that was tried holds."
        self.verdict: Verdict | None = None

    def passed(self, what: str, note: str = "") -> None:
        self.steps.append(Step(what, True, note))

    def climbed(self, rungs: Sequence[str]) -> None:
        """Rungs that were passed, those already said left out."""
        said = {step.what for step in self.steps}
        self.steps += [Step(rung, True) for rung in rungs if rung not in said]

    def refuse(self, what: str, message: str, mistakes: Sequence[Mistake] = (), hints: Sequence[str] = ()) -> None:
        """Raises Refused. Recognised mistakes speak for themselves; otherwise the message and the hints do."""
        found = tuple(dict.fromkeys(mistakes))
        if found:
            message = " Besides: ".join(mistake.sentence for mistake in found)
        message = re.sub(r" at 0x[0-9a-fA-F]+", "", message)  # an address differs from run to run
        steps = (*self.steps, Step(what, False, found[0].name if found else ""))
        self.verdict = Verdict(
            exercise=self.name,
            passed=False,
            message=message,
            mistake=" + ".join(mistake.name for mistake in found) or None,
            hints=tuple(hint for mistake in found for hint in mistake.hints) or tuple(hints) or self.hints,
            steps=steps,
            source=", ".join(mistake.source for mistake in found if mistake.source),
        )
        raise Refused

    def not_written(self) -> None:
        message = f"The cell above is still to be filled in. What you write will be called as `{self.call}`."
        self.verdict = Verdict(self.name, False, message, hints=self.hints, written=False)
        raise Refused

    def accept(self) -> None:
        note = "it also prints; leave that out before you hand it in" if self.printed else ""
        self.passed("leaves the rest of the program alone", note)
        self.verdict = Verdict(self.name, True, self.praise, steps=tuple(self.steps))

    def run(self, function: Callable[..., Any], *args: Any) -> Outcome:
        """One guarded call. Refuses when the code is not written yet, or too slow to go on."""
        self.calls += 1
        outcome = run(function, *args, seconds=min(CALL_SECONDS, self.seconds_left), seed=self.calls)
        self.seconds_left -= outcome.seconds
        if inspect.iscoroutine(outcome.value):
            outcome.value.close()  # Python warns about one that is never awaited
        self.settings |= dict.fromkeys(outcome.changed)
        self.printed |= bool(outcome.printed)
        if outcome.late:
            self.refuse("answers in time", _too_long(outcome, self.calls, self.seconds_left))
        if self.seconds_left < 0.05:
            self.refuse("answers in time", _too_slow(self.calls))
        if isinstance(outcome.error, NotImplementedError) and _raised_on_purpose(outcome):
            self.not_written()
        return outcome


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


def _raised_on_purpose(outcome: Outcome) -> bool:
    """torch raises NotImplementedError too, with a text, from a line that does something else."""
    return not str(outcome.error) or "raise NotImplementedError" in outcome.line


def judge(call: str, hints: Sequence[str], climb: Callable[[Trial], None]) -> Verdict:
    """Run one check: the verdict of the first rung that breaks, or the verdict that all hold."""
    trial = Trial(call, hints)
    with _plain_torch():
        try:
            climb(trial)
            if trial.settings:
                habit = habits.settings_changed(list(trial.settings))
                trial.refuse("leaves the rest of the program alone", "", [habit])
            trial.accept()
        except Refused:
            pass
        except Exception as error:  # an object so unusual that the check itself stumbles
            kind = type(error).__name__
            with contextlib.suppress(Refused):
                trial.refuse("can be checked", f"The check could not handle what your code returned ({kind}).")
    assert trial.verdict is not None
    return trial.verdict


@contextlib.contextmanager
def _plain_torch() -> Iterator[None]:
    """The check's own arithmetic does not depend on what the notebook has set."""
    dtype = torch.get_default_dtype()
    torch.set_default_dtype(torch.float32)
    try:
        on_cpu = contextlib.nullcontext() if torch.get_default_device().type == "cpu" else torch.device("cpu")
        with torch.inference_mode(False), torch.enable_grad(), on_cpu:
            yield
    finally:
        torch.set_default_dtype(dtype)


def callable_as(trial: Trial, learner: Any, *args: Any, **named: Any) -> Any:
    """There is a function or class, it is filled in, and it can be called with these arguments.

    Returns what to call: the learner's own, or, where it takes its optional arguments by name only, a function that
    passes them by name.
    """
    if learner is None or learner is ... or _is_empty(learner):
        trial.not_written()
    if not callable(learner):
        trial.refuse("can be called", f"`{trial.name}` is {kind(learner)}; expected `{trial.call}`.")
    try:
        signature = inspect.signature(learner)
    except (TypeError, ValueError):
        return learner
    if isinstance(learner, type) and issubclass(learner, nn.Module) and trial.name[0].islower():
        trial.refuse("can be called", f"`{trial.name}` is a class of modules; expected a function.")
    try:
        signature.bind(*args, **named)
    except TypeError:
        trial.refuse("can be called", f"It is called as `{trial.call}`; yours takes `{trial.name}{signature}`.")
    trial.passed(f"can be called as `{trial.call}`")
    return _by_name(learner, signature, [*args, *named.values()], _optional(trial.call))


def parameters(call: str) -> list[str]:
    """The names of the arguments in a call like `f(x, eps=1e-6)`, with their defaults."""
    return call.partition("(")[2].removesuffix(")").split(", ")


def _optional(call: str) -> list[str]:
    return [name.split("=")[0] for name in parameters(call) if "=" in name]


def _by_name(learner: Any, signature: inspect.Signature, args: Sequence[Any], optional: list[str]) -> Any:
    """The learner's function; where it takes the optional arguments by name only, one that passes them by name."""
    try:
        signature.bind(*args)
        return learner
    except TypeError:
        needed = len(args) - len(optional)

    def call(*values: Any) -> Any:
        return learner(*values[:needed], **dict(zip(optional, values[needed:], strict=False)))

    return call if optional and needed > 0 else learner


_EMPTY = {"RESUME", "NOP", "LOAD_CONST", "RETURN_VALUE", "RETURN_CONST", "POP_TOP", "CACHE", "COPY_FREE_VARS"}


def _is_empty(learner: Any) -> bool:
    """A body of `pass`, `...` or a docstring only; a class without a method of its own."""
    if isinstance(learner, type):
        own = [base for base in learner.__mro__ if not base.__module__.startswith(("torch.", "builtins"))]
        inherited = any(issubclass(learner, base) for base in (nn.RMSNorm, nn.LayerNorm, nn.Linear))
        return not inherited and not any(callable(member) for base in own for member in vars(base).values())
    code = getattr(learner, "__code__", None)
    return code is not None and all(
        step.opname in _EMPTY and (step.opname not in ("LOAD_CONST", "RETURN_CONST") or step.argval in (None, ...))
        for step in dis.get_instructions(code)
    )


def kind(value: Any) -> str:
    """What something is, in words."""
    if value is None:
        return "None"
    if isinstance(value, Tensor):
        return f"a tensor of shape {tuple(value.shape)}"
    if isinstance(value, bool | int | float | complex):
        return f"the number {value!r}"
    if isinstance(value, tuple | list):
        return f"a {type(value).__name__} of {len(value)}"
    if inspect.iscoroutine(value):
        return "a coroutine (a function made with `async def` has to be awaited; leave `async` out)"
    if inspect.isgenerator(value):
        return "a generator (that is what `yield` makes; use `return`)"
    if inspect.isroutine(value):
        return f"a function, `{value.__name__}`, that was not called (are its parentheses missing?)"
    return f"an object of type {type(value).__name__}"


def build(trial: Trial, module_class: Callable[..., nn.Module], *args: Any) -> nn.Module:
    """A module of the learner's class, made as they would make it."""
    rung = "can be built"
    if isinstance(module_class, nn.Module):
        trial.refuse(rung, f"`{trial.name}` is a module that was built already; hand over the class itself.")
    outcome = trial.run(module_class, *args)
    if outcome.error is not None:
        forgotten = isinstance(outcome.error, AttributeError) and "__init__() call" in str(outcome.error)
        trial.refuse(rung, raised(trial, outcome), [habits.SUPER_FORGOTTEN] if forgotten else [])
    if not isinstance(outcome.value, nn.Module):
        trial.refuse(rung, f"`{trial.call}` gives {kind(outcome.value)}; expected an `nn.Module`.")
    if not hasattr(outcome.value, "_parameters"):
        trial.refuse(rung, "", [habits.SUPER_FORGOTTEN])
    trial.passed(rung)
    return outcome.value


def as_function(fill: Callable[..., nn.Module], used: bool = False) -> Callable[..., Any]:
    """The function that x and the other arguments of `fill` define: build a module from them and apply it to x.

    used: apply it to something else before, and then in evaluation mode
    """

    def function(x: Tensor, *args: Any) -> Any:
        module = fill(x, *args)
        if used:
            module(2 - 3 * x)
            module.eval()
        return module(x)

    return function


def _first_words(error: BaseException) -> str:
    """The first line of an error's text, and the second where the first only announces it."""
    try:
        lines = [line.strip() for line in str(error).strip().splitlines()] or [""]
    except Exception:  # a class of errors that cannot be printed
        return ""
    return " ".join(lines[: 2 if lines[0].endswith(":") else 1])[:200]


def raised(trial: Trial, outcome: Outcome, where: str = "") -> str:
    """The learner's own line and the error's own words; an error of many lines is cut to its first."""
    assert outcome.error is not None
    error = type(outcome.error).__name__
    text = _first_words(outcome.error)
    line = f" at {outcome.line}" if outcome.line else ""
    return f"`{trial.name}` raised {error}{line}{' ' + where if where else ''}" + (f": {text}" if text else ".")
