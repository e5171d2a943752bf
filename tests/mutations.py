"""What would the tests let pass? Small changes to the code, one at a time, each of which a test should notice.

    python -m tests.mutations --sample 100          a hundred changes, chosen by a seed that is printed
    python -m tests.mutations --room maths --seed 7 only one room; the same seed chooses the same changes

A comparison is turned to its neighbour, a number grows, a statement is left out. A change that no test notices
survives, and is shown: it is a test that is missing, or a change that changes nothing. Needs POSIX; not part of the
suite.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# Each room, and the tests that know it best, the quickest first.
ROOMS = {
    "maths": ("norms", "gating_maths", "swiglu_budget", "depth", "three_matrices", "gating_explorers", "explorers"),
    "checks": ("checks_verdict", "checks_notebook", "checks_layer_norm", "checks_wrong", "checks_right", "checks_bank"),
    "flipbook": ("flipbook", "explorers"),
}
HEAVY = ("torch", "numpy", "mpmath", "matplotlib.figure", "ipywidgets", "anywidget", "transformers", "pytest")
PATIENCE = 5  # times what a room's tests take without a change; a change that makes them endless was noticed

NEIGHBOURS = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}


@dataclass(frozen=True)
class Place:
    """Somewhere in a module where something else could stand: a field of a node, or an element of a list in it."""

    node: ast.AST
    field: str
    index: int | None
    other: object
    line: int

    def put(self) -> str:
        """Put the other thing there; says what was changed."""
        if self.index is None:
            was = ast.unparse(self.node)
            setattr(self.node, self.field, self.other)
            return f"{was} is {self.other}"
        was = getattr(self.node, self.field)[self.index]
        getattr(self.node, self.field)[self.index] = self.other
        return "left out" if isinstance(was, ast.stmt) else f"{type(was).__name__} is {type(self.other).__name__}"


def places(tree: ast.Module) -> list[Place]:
    """Every place of a module, in the order of its lines."""
    typed = {id(part) for hint in hints(tree) for part in ast.walk(hint)}
    found = [place for node in ast.walk(tree) if id(node) not in typed for place in places_of(node)]
    return sorted(found, key=lambda place: place.line)


def hints(tree: ast.Module) -> Iterator[ast.AST]:
    """The annotations and decorators of a module: nothing is computed there."""
    for node in ast.walk(tree):
        yield from getattr(node, "decorator_list", [])
        for field in ("annotation", "returns"):
            if getattr(node, field, None) is not None:
                yield getattr(node, field)


def places_of(node: ast.AST) -> Iterator[Place]:
    """The places of one node: its comparisons, its number, its statements."""
    if isinstance(node, ast.Compare):
        for index, operator in enumerate(node.ops):
            yield Place(node, "ops", index, NEIGHBOURS[type(operator)](), node.lineno)
    if isinstance(node, ast.Constant) and isinstance(node.value, bool | int | float):
        yield Place(node, "value", None, grown(node.value), node.lineno)
    for field in ("body", "orelse", "finalbody"):
        statements = getattr(node, field, None)
        for index, statement in enumerate(statements if isinstance(statements, list) else []):
            if matters(statement):
                yield Place(node, field, index, ast.copy_location(ast.Pass(), statement), statement.lineno)


def grown(value: float) -> float:
    """Another number: True for False, one more, or twice a fraction."""
    if isinstance(value, bool):
        return not value
    return value + 1 if isinstance(value, int) or value == 0 else 2 * value


def matters(statement: ast.stmt) -> bool:
    """Whether a statement does something here; without a docstring or an import nothing else would be said."""
    if isinstance(statement, ast.Expr):
        return not isinstance(statement.value, ast.Constant)
    return isinstance(statement, ast.Assign | ast.AugAssign | ast.Raise | ast.Return | ast.If)


def changed(path: Path, number: int) -> tuple[str, str]:
    """A module with one of its places changed: its text, and what was changed."""
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    place = places(tree)[number]
    said, line = place.put(), text.splitlines()[place.line - 1].strip()
    return ast.unparse(tree), f"{path.relative_to(ROOT).as_posix()}:{place.line}: {said}: {line}"


def sample(rooms: list[str], size: int, seed: int) -> list[tuple[str, Path, int]]:
    """Some changes, as many from each room: the room, the file and the number of the place in it."""
    chosen = []
    for room in rooms:
        paths = sorted((ROOT / "widgets" / room).rglob("*.py"))
        trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in paths}
        every = [(room, path, number) for path in paths for number in range(len(places(trees[path])))]
        chosen += random.Random(f"{seed} {room}").sample(every, min(size // len(rooms), len(every)))
    return chosen


def passes(copy: Path, room: str, seconds: float) -> bool:
    """Whether a room's tests pass in time in a copy of the course; a child of this process has torch loaded."""
    child = os.fork()
    if not child:
        os._exit(run_tests(copy, room))
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status) == 0
        time.sleep(0.05)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False


def run_tests(copy: Path, room: str) -> int:
    """In the child: pytest, silent, up to the first failure."""
    import pytest

    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    os.chdir(copy)
    sys.path.insert(0, str(copy))
    os.environ["PYTHONPATH"] = str(copy)
    for name in [name for name in sys.modules if name.split(".")[0] in ("tests", "widgets", "conftest")]:
        del sys.modules[name]
    files = [f"tests/test_{name}.py" for name in ROOMS[room] if (copy / f"tests/test_{name}.py").exists()]
    return int(pytest.main(["-x", "-q", "-p", "no:cacheprovider", *files]))


def survives(copy: Path, room: str, path: Path, text: str, seconds: float) -> bool:
    """Whether a room's tests pass although one of its files has another text."""
    inside = copy / path.relative_to(ROOT)
    before, when = inside.read_text(encoding="utf-8"), inside.stat().st_mtime
    try:
        inside.write_text(text, encoding="utf-8")
        os.utime(inside, (when + 10, when + 10))  # newer than what Python has compiled
        sys.dont_write_bytecode = True
        return passes(copy, room, seconds)
    finally:
        inside.write_text(before, encoding="utf-8")
        os.utime(inside, (when, when))


def main() -> int:
    """Try a sample of changes and show those that survive; 1 if the tests fail without any."""
    parser = argparse.ArgumentParser("python -m tests.mutations", description="What would the tests let pass?")
    parser.add_argument("--sample", type=int, default=100, help="how many changes to try")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--room", action="append", choices=ROOMS, help="only this room")
    options = parser.parse_args()
    rooms = options.room or list(ROOMS)
    for name in HEAVY:
        importlib.import_module(name)
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "course"
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".git", ".venv", "work", "site", "__pycache__"))
        seconds = {room: taken(copy, room) for room in rooms}
        if failing := [room for room in rooms if not seconds[room]]:
            print(f"The tests of {', '.join(failing)} fail without any change.")
            return 1
        report(copy, sample(rooms, options.sample, options.seed), seconds, options.seed)
    return 0


def taken(copy: Path, room: str) -> float:
    """How long a room's tests take without a change, in seconds; 0 if they fail."""
    start = time.monotonic()
    return time.monotonic() - start if passes(copy, room, seconds=3600) else 0


def report(copy: Path, chosen: list[tuple[str, Path, int]], seconds: dict[str, float], seed: int) -> None:
    """Try some changes, print each survivor as it is found, and count at the end, also when it is stopped."""
    tried: Counter[str] = Counter()
    survived: Counter[str] = Counter()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        for room, path, number in chosen:
            text, said = changed(path, number)
            if survives(copy, room, path, text, PATIENCE * seconds[room]):
                survived[room] += 1
                print(said, flush=True)
            tried[room] += 1
    finally:
        for room in tried:
            print(f"{room}: {survived[room]} of {tried[room]} changes survived (seed {seed}).", flush=True)


if __name__ == "__main__":
    sys.exit(main())
