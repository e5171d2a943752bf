"""The size of a function: what it does fits on one look, and what it needs in one hand."""

from __future__ import annotations

import ast

from tests.notebooks import ROOT

LINES, PARAMETERS = 20, 8
Function = ast.FunctionDef | ast.AsyncFunctionDef


def body_lines(function: Function, text: str) -> int:
    """How many lines a function's body has, its docstring and blank lines aside."""
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    lines = text.splitlines()[body[0].lineno - 1 : body[-1].end_lineno] if body else []
    return len([line for line in lines if line.strip()])


def parameters(function: Function) -> int:
    """How many values a caller may give, self aside."""
    arguments = function.args
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return len([each for each in named if each.arg not in ("self", "cls")])


def too_large(text: str) -> list[str]:
    """The functions of a module that are too long, or want too much."""
    found = []
    for function in ast.walk(ast.parse(text)):
        if isinstance(function, Function):
            if (lines := body_lines(function, text)) > LINES:
                found.append(f"{function.name}, line {function.lineno}: {lines} lines")
            if (wanted := parameters(function)) > PARAMETERS:
                found.append(f"{function.name}, line {function.lineno}: {wanted} parameters")
    return found


def test_functions_are_short_and_take_little() -> None:
    paths = [*sorted((ROOT / "widgets").rglob("*.py")), ROOT / "course.py"]
    found = {str(path.relative_to(ROOT)): too_large(path.read_text(encoding="utf-8")) for path in paths}
    assert {path: functions for path, functions in found.items() if functions} == {}


def test_the_rule_counts() -> None:
    twenty = "\n\n".join(f"    x = {n}" for n in range(20))
    assert too_large(f"def f(self, a, b, c, d, /, e, f, *more, g, h, **rest):\n    'words'\n{twenty}") == []
    assert too_large(f"async def f():\n{twenty}\n    x = 20") == ["f, line 1: 21 lines"]
    assert too_large("def f(a, b, c, d, e, f, g, h, i):\n    'words'") == ["f, line 1: 9 parameters"]
