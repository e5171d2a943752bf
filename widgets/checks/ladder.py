"""The ladder that every check climbs: rungs in order, and the first that breaks is what the learner hears."""

from __future__ import annotations

import contextlib
import dis
import inspect
import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn

from .mistakes import Answer, Mistake, Switches, alike, answer, close, diagnose, fresh, habits
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
            self.refuse("answers in time", _too_long(outcome, self.calls))
        if self.seconds_left < 0.05:
            self.refuse("answers in time", _too_slow(self.calls))
        if isinstance(outcome.error, NotImplementedError) and _raised_on_purpose(outcome):
            self.not_written()
        return outcome


def _too_long(outcome: Outcome, calls: int) -> str:
    if calls > 1:
        return _too_slow(calls)
    no_result = f"After {CALL_SECONDS:.0f} seconds there was no result, and your code"
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
                habit = habits.SETTINGS_CHANGED
                settings = " and ".join(trial.settings)
                habit = replace(habit, sentence=habit.sentence.format(settings=settings))
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


# The first rungs: is there something to call?


def callable_as(trial: Trial, learner: Any, *args: Any, **named: Any) -> None:
    """There is a function or class, it is filled in, and it can be called with these arguments."""
    if learner is None or learner is ... or _is_empty(learner):
        trial.not_written()
    if not callable(learner):
        trial.refuse("can be called", f"`{trial.name}` is {kind(learner)}; expected `{trial.call}`.")
    try:
        signature = inspect.signature(learner)
    except (TypeError, ValueError):
        return
    try:
        signature.bind(*args, **named)
    except TypeError:
        trial.refuse("can be called", f"It is called as `{trial.call}`; yours takes `{trial.name}{signature}`.")
    trial.passed(f"can be called as `{trial.call}`")


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


# The rungs of a function that takes tensors and returns tensors


@dataclass(frozen=True)
class Probe:
    """Arguments to try, and what is particular about them, in words that complete "for ..."."""

    words: str
    args: tuple[Any, ...]


@dataclass(frozen=True)
class Property:
    """Something that the right answer has, and the sentence for an answer that has it not.

    holds: takes the learner's function and says whether it has the property
    """

    holds: Callable[[Callable[..., Any]], bool]
    otherwise: str


@dataclass(frozen=True)
class Formula:
    """What the learner is to write: the right answer with switches, its known mistakes, and where to look.

    returns: the names of the results; more than one means a tuple
    also: switches that make another right answer
    """

    right: Callable[..., Any]
    bank: tuple[Mistake, ...]
    probes: tuple[Probe, ...]
    properties: tuple[Property, ...] = ()
    returns: tuple[str, ...] = ("the result",)
    also: tuple[Switches, ...] = ()


ENOUGH = 3  # probes that tell a mistake when the learner's code raises at the others

RUNGS = (
    "runs without an error",
    "returns a tensor",
    "has the right shape",
    "keeps dtype and device",
    "stays finite",
    "leaves its input alone",
    "has the right values",
)


@dataclass(frozen=True)
class Broken:
    """The first rung that did not hold, at one probe."""

    rung: int
    message: str
    mistakes: tuple[Mistake, ...] = ()


def compare(trial: Trial, formula: Formula, function: Callable[..., Any]) -> None:
    """Climb all rungs with every probe; refuse at the first that breaks, by the name of the mistake if it has one."""
    outcomes, after = [], []
    for probe in formula.probes:
        args = tuple(fresh(arg) for arg in probe.args)
        outcomes.append(trial.run(function, *args))
        after.append(args)
    expected = _expected(formula, outcomes)
    trials = list(zip(formula.probes, outcomes, after, expected, strict=True))
    broken = min(
        filter(None, (_first_broken(trial, formula, *one) for one in trials)),
        key=lambda one: one.rung,
        default=None,
    )
    trial.climbed(RUNGS[: broken.rung if broken else len(RUNGS)])
    if broken is None:
        return
    mistakes = broken.mistakes + _recognised(formula, outcomes, expected)
    message = broken.message
    if not mistakes and broken.rung == len(RUNGS) - 1:
        if not _says_the_same(trial, formula, function, outcomes[0]):
            mistakes = (habits.REMEMBERS,)
        message = f"{_nearly(outcomes, expected) or _broken_property(trial, formula, function)} {message}".strip()
    trial.refuse(RUNGS[broken.rung], message, mistakes)


def _expected(formula: Formula, outcomes: list[Outcome]) -> list[Answer]:
    """What the formula answers; where several answers are right, the one that fits."""
    for switches in formula.also:
        other = [answer(formula.right, probe.args, **switches) for probe in formula.probes]
        if all(alike(_values(outcome), wanted) for outcome, wanted in zip(outcomes, other, strict=True)):
            return other
    return [answer(formula.right, probe.args) for probe in formula.probes]


def _recognised(formula: Formula, outcomes: list[Outcome], expected: list[Answer]) -> tuple[Mistake, ...]:
    """The mistakes in the values; where some probes raise and no mistake raises there too, by the other probes."""
    answers = [_values(outcome) for outcome in outcomes]
    answered = [at for at, outcome in enumerate(outcomes) if outcome.error is None]
    choices = [list(range(len(answers)))] + ([answered] if ENOUGH <= len(answered) < len(answers) else [])
    for chosen in choices:
        if all(alike(answers[at], expected[at]) for at in chosen):
            return ()
        probes = [formula.probes[at].args for at in chosen]
        if found := diagnose(formula.right, formula.bank, probes, [answers[at] for at in chosen]):
            return found
    return ()


def _values(outcome: Outcome) -> Answer:
    if outcome.error is not None:
        return type(outcome.error)
    return tuple(outcome.value) if isinstance(outcome.value, tuple | list) else (outcome.value,)


def _first_broken(
    trial: Trial, formula: Formula, probe: Probe, outcome: Outcome, after: tuple[Any, ...], expected: Answer
) -> Broken | None:
    assert not isinstance(expected, type), probe
    where = f"for {probe.words}"
    if outcome.error is not None:
        return Broken(0, raised(trial, outcome, where))
    if wrong := _wrong_type(trial, outcome, formula.returns, where):
        return wrong
    values = _values(outcome)
    for name, value, wanted in zip(formula.returns, values, expected, strict=True):
        if isinstance(wanted, Tensor) and (wrong := _wrong_tensor(name, value, wanted, where)):
            return wrong
    if any(isinstance(arg, Tensor) and not _same(arg, before) for arg, before in zip(after, probe.args, strict=True)):
        return Broken(5, "", (habits.INPUT_CHANGED,))
    for name, value, wanted in zip(formula.returns, values, expected, strict=True):
        if not close(value, wanted):
            return Broken(6, f"{_sentence(name)} {where} {_example(value, wanted)}.")
    return None


def _same(one: Tensor, other: Tensor) -> bool:
    return one.shape == other.shape and one.dtype == other.dtype and torch.equal(one.detach(), other)


def raised(trial: Trial, outcome: Outcome, where: str = "") -> str:
    """The learner's own line and the error's own words; an error of many lines is cut to its first."""
    assert outcome.error is not None
    error = type(outcome.error).__name__
    text = (str(outcome.error).strip().splitlines() or [""])[0][:160]
    line = f" at {outcome.line}" if outcome.line else ""
    return f"`{trial.name}` raised {error}{line}{' ' + where if where else ''}" + (f": {text}" if text else ".")


def _wrong_type(trial: Trial, outcome: Outcome, returns: tuple[str, ...], where: str) -> Broken | None:
    """Not a tensor, or not a tuple of as many tensors as there are results."""
    value = outcome.value
    if value is None:
        habit = habits.nothing_returned(outcome.printed)
        return Broken(1, "", (replace(habit, sentence=f"{habit.sentence[:-1]} ({where})."),))
    if type(value).__module__.split(".")[0] == "numpy":
        return Broken(1, "", (habits.NUMPY_RETURNED,))
    if len(returns) > 1:
        wanted = f"a tuple of {len(returns)} tensors ({', '.join(returns)})"
        if not isinstance(value, tuple | list) or len(value) != len(returns):
            return Broken(1, f"`{trial.name}` returned {kind(value)}; expected {wanted}.")
        strange = next((one for one in value if not isinstance(one, Tensor)), None)
        if not all(isinstance(one, Tensor) for one in value):
            return Broken(1, f"One of the results is {kind(strange)}; expected {wanted}.")
    elif not isinstance(value, Tensor):
        return Broken(1, f"`{trial.name}` returned {kind(value)}; expected a tensor.")
    return None


def _wrong_tensor(name: str, value: Tensor, wanted: Tensor, where: str) -> Broken | None:
    if value.shape != wanted.shape:
        shape = tuple(value.shape)
        return Broken(2, f"{_sentence(name)} {where} has shape {shape}; expected {tuple(wanted.shape)}.")
    if value.layout != wanted.layout:
        return Broken(3, f"{_sentence(name)} has the layout {value.layout}; expected {wanted.layout}, as the input.")
    if value.device != wanted.device:
        return Broken(3, f"{_sentence(name)} is on the device {value.device}; expected {wanted.device}, as the input.")
    if value.dtype != wanted.dtype:
        message = f"{_sentence(name)} {where} is {short(value.dtype)}; expected {short(wanted.dtype)}, as the input."
        habit = replace(habits.NOT_CAST_BACK, sentence=f"{habits.NOT_CAST_BACK.sentence} {message}")
        return Broken(3, message, (habit,) if value.is_floating_point() else ())
    if wanted.isfinite().all() and not value.isfinite().all():
        what = "NaN" if value.isnan().any() else "inf"
        return Broken(4, f"{_sentence(name)} {where} contains {what}; expected finite numbers.")
    return None


def _sentence(name: str) -> str:
    """A result's name at the beginning of a sentence; what is a name in the code stays as it is."""
    return name if "_" in name else name.capitalize()


def short(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def _example(value: Any, wanted: Any) -> str:
    """The first component that is off, as numbers."""
    if not isinstance(wanted, Tensor):
        return f"is {value!r}; expected {wanted!r}"
    given, right = value.detach().double().flatten(), wanted.double().flatten()
    worst = int((given - right).abs().nan_to_num(torch.inf).argmax())
    return f"has {given[worst].item():.4g} where {right[worst].item():.4g} is right"


def _nearly(outcomes: list[Outcome], expected: list[Answer]) -> str:
    """What to say when the first wrong result is a hundredth off at most."""
    for outcome, wanted in zip(outcomes, expected, strict=True):
        for one, other in zip(_values(outcome), wanted, strict=True):
            if not close(one, other):
                off = (one.detach().double() - other.double()).abs().max() / other.double().abs().max()
                return "The result is nearly right. Is something rounded, or in a narrower dtype?" if off < 0.01 else ""
    return ""


class _Unknown(Exception):
    """The learner's function gave no tensor for this question."""


def _says_the_same(trial: Trial, formula: Formula, function: Callable[..., Any], before: Outcome) -> bool:
    """The first probe gives what it gave before."""
    outcome = trial.run(function, *(fresh(arg) for arg in formula.probes[0].args))
    return alike(_values(outcome), _values(before))


def _broken_property(trial: Trial, formula: Formula, function: Callable[..., Any]) -> str:
    def ask(*args: Any) -> Any:
        outcome = trial.run(function, *args)
        if outcome.error is not None or isinstance(outcome.value, type(None)):
            raise _Unknown
        return outcome.value

    for one in formula.properties:
        with contextlib.suppress(_Unknown, RuntimeError, TypeError, IndexError, AttributeError):
            if not one.holds(ask):
                return one.otherwise
    return ""


def compare_numbers(trial: Trial, formula: Formula, function: Callable[..., Any], whole: bool = True) -> None:
    """The rungs of a function that returns a number, a whole one unless said otherwise."""
    rungs = ("runs without an error", f"returns a {'whole ' if whole else ''}number", "has the right values")
    outcomes = [trial.run(function, *probe.args) for probe in formula.probes]
    for probe, outcome in zip(formula.probes, outcomes, strict=True):
        if outcome.error is not None:
            trial.refuse(rungs[0], raised(trial, outcome, f"for {probe.words}"))
    trial.passed(rungs[0])
    answers = [_number(outcome.value) for outcome in outcomes]
    wanted = [answer(formula.right, probe.args) for probe in formula.probes]
    wrong = [at for at, given in enumerate(answers) if not alike(given, wanted[at])]
    found = diagnose(formula.right, formula.bank, [probe.args for probe in formula.probes], answers) if wrong else ()
    for outcome in outcomes:
        _refuse_other_than_number(trial, rungs[1], outcome, whole, found)
    trial.passed(rungs[1])
    if wrong:
        probe, given, right = formula.probes[wrong[0]], answers[wrong[0]], wanted[wrong[0]]
        trial.refuse(rungs[2], f"For {probe.words} it gives {_short(given[0])}; expected {_short(right[0])}.", found)
    trial.passed(rungs[2])


def _refuse_other_than_number(
    trial: Trial, rung: str, outcome: Outcome, whole: bool, found: tuple[Mistake, ...]
) -> None:
    value = outcome.value
    if value is None:
        trial.refuse(rung, "", [habits.nothing_returned(outcome.printed)])
    is_whole = _is_whole(value)
    is_number = is_whole or isinstance(value, float)
    if not (is_whole if whole else is_number):
        message = f"`{trial.name}` returned {kind(value)}; expected a {'whole ' if whole else ''}number."
        trial.refuse(rung, message, [habits.NOT_WHOLE, *found] if is_number else [])


def _short(number: float) -> str:
    return str(number) if isinstance(number, int) else f"{number:.4g}"


def _is_whole(value: Any) -> bool:
    try:
        operator.index(value)
    except (TypeError, RuntimeError):
        return False
    return not isinstance(value, bool)


def _number(value: Any) -> Answer:
    """A number as a tuple of one; 1365.0 counts as 1365, so that the mistake behind it can be named."""
    try:
        return (int(value),) if float(value) == int(value) else (float(value),)
    except (TypeError, ValueError, OverflowError, RuntimeError):
        return (value,)


# Further rungs


def repeatable(trial: Trial, formula: Formula, function: Callable[..., Any]) -> None:
    """The first probe again, after all the others: the answer is still the same."""
    before = Outcome(value=answer(formula.right, formula.probes[0].args))
    if not _says_the_same(trial, formula, function, before):
        trial.refuse("answers the same a second time", "", [habits.REMEMBERS])
    trial.passed("answers the same a second time")


def gradients(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function that returns the gradients of `function` for its floating-point arguments.

    The result is multiplied by fixed numbers that look random and then summed: the plain sum of a norm's result has no
    gradient to speak of.
    """

    def gradient(*args: Any, **switches: Any) -> tuple[Tensor | None, ...]:
        args = tuple(
            arg.requires_grad_() if isinstance(arg, Tensor) and arg.is_floating_point() else arg for arg in args
        )
        leaves = [arg for arg in args if isinstance(arg, Tensor) and arg.requires_grad]
        result = function(*args, **switches)
        if not result.requires_grad:
            return (None,) * len(leaves)
        return torch.autograd.grad(result, leaves, cotangent(result), allow_unused=True)

    return gradient


def module_gradients(module: nn.Module, x: Tensor, weights: Sequence[Tensor]) -> tuple[Tensor | None, ...]:
    """The gradients of a module's result for x and for its weights, as `gradients` has them for a function."""
    leaves = [x.requires_grad_(), *weights]
    result = module(x)
    if not result.requires_grad:
        return (None,) * len(leaves)
    return torch.autograd.grad(result, leaves, cotangent(result), allow_unused=True)


def cotangent(result: Tensor) -> Tensor:
    """Numbers to weigh a result with: the same ones for every result of this shape."""
    numbers = torch.randn(result.shape, generator=torch.Generator().manual_seed(7), dtype=torch.float64)
    return numbers.to(result.dtype)


def compare_gradients(
    trial: Trial,
    formula: Formula,
    function: Callable[..., Any],
    names: Sequence[str],
    probe: Probe | None = None,
) -> None:
    """The gradients for every floating-point argument. `function` is made by `gradients`, or returns what it would."""
    rung, probe = "has the right gradient", probe or formula.probes[0]
    outcome = trial.run(function, *(fresh(arg) for arg in probe.args))
    if outcome.error is not None:
        trial.refuse(rung, "The gradient could not be computed: " + raised(trial, outcome))
    right = gradients(formula.right)
    given, wanted = _values(outcome), answer(right, probe.args)
    if all(one is None for one in given):
        trial.refuse(rung, "", [habits.GRADIENT_LOST])
    if alike(given, wanted):
        trial.climbed([rung])
        return
    mistakes = diagnose(right, formula.bank, [probe.args], [given])
    for name, one, other in zip(names, given, wanted, strict=True):
        if one is None:
            trial.refuse(rung, f"No gradient reaches {name}: it was cut off on the way, or never used.", mistakes)
        if not one.isfinite().all():
            what = "NaN" if one.isnan().any() else "inf"
            trial.refuse(rung, f"The values are right, but the gradient for {name} contains {what}.", mistakes)
        if not close(one, other):
            trial.refuse(rung, f"The values are right, but the gradient for {name} is not.", mistakes)
