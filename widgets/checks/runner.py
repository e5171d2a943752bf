"""Running somebody else's code without being harmed by it.

Every call runs in a thread of its own with a deadline, which works in a notebook, in a widget's callback and on
Windows alike (a signal would not). An endless loop in Python is stopped; a call into C that never comes back cannot
be, so its thread is left behind. What the call prints, warns and changes globally is recorded, then undone.
Nothing here guards against `os._exit`, a crash inside C, or a learner who means harm.
"""

from __future__ import annotations

import bdb
import builtins
import contextlib
import ctypes
import io
import linecache
import logging
import os
import random
import sys
import sysconfig
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType
from typing import Any, NoReturn
from unittest import mock

import numpy
import torch

CALL_SECONDS = 5.0  # the longest one call may take
CHECK_SECONDS = 10.0  # the longest all calls of one check may take
IMPORT_SECONDS = 60.0  # more, for imports: torch imports some of itself only when it is needed
GRACE_SECONDS = 1.0  # how long a call that was told to stop may take to do so
STACK_BYTES = 64 * 2**20  # macOS gives threads half a megabyte, too little for a thousand nested calls
GRADIENTS_OFF = "whether gradients are recorded"
SEED_WORDS = "the seed of torch's random numbers"


class Stopped(SystemExit):
    """Raised inside a call whose time is up. A SystemExit, so that `except Exception` does not swallow it."""


class Asks(SystemExit):
    """Raised inside a call that asks somebody at the keyboard: input, a breakpoint, a debugger."""


@dataclass
class Outcome:
    """What came of one call: a value or an error, and what it did besides."""

    value: Any = None
    error: BaseException | None = None
    late: bool = False  # the deadline passed
    stopped: bool = False  # ... and the call could be stopped
    seconds: float = 0.0
    printed: str = ""
    changed: tuple[str, ...] = ()  # global settings that the call left changed, in words

    @property
    def line(self) -> str:
        """The line of the learner's own code that raised, as `line 3, "return x / y"`; empty if there is none."""
        frame = innermost(self.error)
        if frame is None:
            return ""
        place, number = frame
        code = linecache.getline(place.co_filename, number).strip()[:100]
        return f"line {number}, `{code}`" if code else f"line {number}"


def run(function: Callable[..., Any], *args: Any, seconds: float = CALL_SECONDS, seed: int = 0) -> Outcome:
    """Call a function and come back with an outcome, whatever it does; see the module for what that cannot include.

    seed: of all random numbers during the call; two calls with different seeds tell whether any are drawn
    """
    outcome = Outcome()
    thread = _worker(function, args, outcome)
    with _settings_kept(outcome, 1_000_003 * (seed + 1)), _output_caught(outcome), _alone(thread):
        try:
            _start(thread)
            outcome.seconds = _wait(thread, seconds)
        finally:
            if thread.is_alive():
                outcome.late = True
                outcome.stopped = _stop(thread)
    return outcome


def _worker(function: Callable[..., Any], args: tuple[Any, ...], outcome: Outcome) -> threading.Thread:
    def work() -> None:
        try:
            outcome.value = function(*args)
        except BaseException as error:
            outcome.error = error
        outcome.changed += _changed_in_thread()

    return threading.Thread(target=work, daemon=True, name="learner")


def _changed_in_thread() -> tuple[str, ...]:
    """Settings that belong to a thread and so end with it; a new thread records gradients, on the CPU."""
    changed = () if torch.is_grad_enabled() else (GRADIENTS_OFF,)
    return changed if torch.get_default_device().type == "cpu" else (*changed, "the default device")


_starting = threading.Lock()  # the size of the stack is everybody's


def _start(thread: threading.Thread) -> None:
    with _starting:
        before = threading.stack_size(STACK_BYTES)
        try:
            thread.start()
        finally:
            threading.stack_size(before)


def _wait(thread: threading.Thread, seconds: float) -> float:
    """Wait for the thread, and say how long it took, imports left out: a module cut off half-way stays broken.

    The waits are short, because on Windows a long one cannot be interrupted by the learner.
    """
    spent = importing = 0.0
    while thread.is_alive() and spent < seconds:
        started = time.monotonic()
        thread.join(min(seconds - spent, 0.1))
        slice_ = time.monotonic() - started
        if importing < IMPORT_SECONDS and _is_importing(thread):
            importing += slice_
        else:
            spent += slice_
    return spent


def _is_importing(thread: threading.Thread) -> bool:
    frame = sys._current_frames().get(thread.ident or 0)
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False


def _stop(thread: threading.Thread) -> bool:
    deadline = time.monotonic() + GRACE_SECONDS
    while thread.is_alive() and time.monotonic() < deadline:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident or 0), ctypes.py_object(Stopped))
        thread.join(0.05)
    return not thread.is_alive()


@contextlib.contextmanager
def _alone(thread: threading.Thread) -> Iterator[None]:
    """In this thread nobody can be asked anything, nothing is displayed and the kernel is not ended.

    A check calls many times. (What is printed is kept; pictures and tables of every probe would fill the page.)
    """

    def instead(place: Any, name: str, of_thread: Callable[[], None]) -> contextlib.AbstractContextManager[object]:
        usual = getattr(place, name)

        def maybe(*args: Any, **named: Any) -> Any:
            return of_thread() if threading.current_thread() is thread else usual(*args, **named)

        return mock.patch.object(place, name, maybe)

    shell = ipython()
    replaced: list[tuple[Any, str, Callable[[], None]]]
    replaced = [(builtins, "input", _ask), (sys, "breakpointhook", _ask), (bdb.Bdb, "set_trace", _ask)]
    replaced += [(shell, "ask_exit", sys.exit)] if hasattr(shell, "ask_exit") else []
    replaced += [(shell.display_pub, "publish", lambda: None)] if shell else []
    with contextlib.ExitStack() as stack:
        for place, name, of_thread in replaced:
            stack.enter_context(instead(place, name, of_thread))
        yield


def ipython() -> Any:
    """The shell that runs the cells; None where there is none."""
    return getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()


def _ask() -> NoReturn:
    raise Asks


class _Prints(io.TextIOBase):
    """Keeps the beginning of what is printed, so that an endless loop does not fill the memory."""

    def __init__(self, most: int = 2000) -> None:
        self.text, self.most = "", most

    def write(self, text: str) -> int:
        if len(self.text) < self.most:
            self.text += text
        return len(text)


@contextlib.contextmanager
def _output_caught(outcome: Outcome) -> Iterator[None]:
    prints = _Prints()
    with (
        warnings.catch_warnings(record=True),
        contextlib.redirect_stdout(prints),
        contextlib.redirect_stderr(_Prints()),
        mock.patch.object(logging.root, "handlers", list(logging.root.handlers)),  # `logging.warning` adds one
    ):
        warnings.simplefilter("always")
        yield
    outcome.printed = prints.text


@contextlib.contextmanager
def _settings_kept(outcome: Outcome, seed: int) -> Iterator[None]:
    """Global settings and random generators as they were before; what was left changed is noted in the outcome."""
    before = {words: read() for words, (read, _) in SETTINGS.items()}
    generators = [(restore, read()) for read, restore, _ in GENERATORS]
    for _, _, start in GENERATORS:
        start(seed)
    try:
        with _uncompiled():
            yield
    finally:
        for words, (read, write) in SETTINGS.items():
            if read() != before[words]:
                outcome.changed += (words,)
                write(before[words])
        if torch.initial_seed() != seed:
            outcome.changed += (SEED_WORDS,)
        for restore, state in generators:
            restore(state)


SETTINGS: dict[str, tuple[Callable[[], Any], Callable[[Any], object]]] = {
    "torch's default dtype": (torch.get_default_dtype, torch.set_default_dtype),
    "torch's number of threads": (torch.get_num_threads, torch.set_num_threads),
    "torch's deterministic mode": (torch.are_deterministic_algorithms_enabled, torch.use_deterministic_algorithms),
    "torch's anomaly mode": (torch.is_anomaly_enabled, torch.set_anomaly_enabled),
    "the precision of matrix products": (torch.get_float32_matmul_precision, torch.set_float32_matmul_precision),
    "the recursion limit": (sys.getrecursionlimit, sys.setrecursionlimit),
    "the working folder": (os.getcwd, os.chdir),
    "how tensors are printed": (
        lambda: dict(vars(torch._tensor_str.PRINT_OPTS)),
        lambda options: vars(torch._tensor_str.PRINT_OPTS).update(options),
    ),
    "how numpy prints": (numpy.get_printoptions, lambda options: numpy.set_printoptions(**options)),
}
GENERATORS: tuple[tuple[Callable[[], Any], Callable[[Any], object], Callable[[int], object]], ...] = (
    (torch.get_rng_state, torch.set_rng_state, torch.default_generator.manual_seed),
    (random.getstate, random.setstate, random.seed),
    (numpy.random.get_state, numpy.random.set_state, numpy.random.seed),
)


def _uncompiled() -> contextlib.AbstractContextManager[object]:
    """What torch.compile made runs as it was written: compiling takes seconds, and not every machine has a compiler."""
    if "torch._dynamo" not in sys.modules:
        return contextlib.nullcontext()
    return torch.compiler.set_stance("force_eager")


_FOLDERS = [Path(__file__).parent, Path(torch.__file__).parent, Path(sysconfig.get_path("stdlib"))]
_FOREIGN = tuple(str(form) for folder in _FOLDERS for form in (folder, folder.resolve()))


def innermost(error: BaseException | None) -> tuple[CodeType, int] | None:
    """Code and line of the innermost frame that is neither ours nor a library's."""
    found = None
    for frame, number in traceback.walk_tb(error.__traceback__ if error else None):
        if is_the_learners(frame.f_code):
            found = frame.f_code, number
    return found


def is_the_learners(code: CodeType) -> bool:
    """Whether code is neither ours nor a library's."""
    name = code.co_filename
    installed = "site-packages" in name or "dist-packages" in name or name.startswith("<frozen")
    return not installed and not name.startswith(_FOREIGN)
