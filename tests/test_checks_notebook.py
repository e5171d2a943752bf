"""A check judges what stands above it: cells that failed, were not run, or define another name."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest
from IPython.core.interactiveshell import InteractiveShell

from widgets.checks import notebook, progress

RIGHT = "def rms(x):\n    return x.square().mean(-1, keepdim=True).sqrt()\n"
OTHER_NAME = RIGHT.replace("rms", "root_mean_square", 1)
BROKEN = "def rms(x):\n    y = 1\n    return x.square(.mean()\n"
CHECK = "verdict = checks.check_rms(rms)\nverdict"


class Cells:
    """A notebook of three cells: imports, the answer, its check."""

    def __init__(self, shell: InteractiveShell) -> None:
        self.shell = shell
        self.run("from widgets import checks", "imports")

    def run(self, text: str, cell: str | None = "answer") -> object:
        return self.shell.run_cell(text, store_history=True, cell_id=cell).result

    def check(self) -> str:
        return repr(self.run(CHECK, "check"))


@pytest.fixture
def cells() -> Iterator[Cells]:
    shell = InteractiveShell.instance()
    shell.user_ns.pop("rms", None)
    notebook._ran.clear()
    notebook.watch()
    yield Cells(shell)
    shell.events.unregister("pre_run_cell", notebook._begin)
    shell.events.unregister("post_run_cell", notebook._remember)
    InteractiveShell.clear_instance()
    notebook._ran.clear()


@pytest.fixture(autouse=True)
def nothing_done(monkeypatch) -> Iterator[None]:
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    progress._done.clear()
    yield
    progress._done.clear()


def test_what_stands_above_is_judged(cells) -> None:
    cells.run(RIGHT)
    assert "✓ rms: passed" in cells.check()


def test_a_cell_with_a_syntax_error_was_not_run(cells, capsys) -> None:
    cells.run(RIGHT)
    cells.run(BROKEN)
    assert "The cell above did not run: SyntaxError in line 3. Nothing was checked." in cells.check()
    cells.run(RIGHT)
    assert "✓ rms: passed" in cells.check()


def test_nothing_is_said_of_what_was_not_checked(cells, capsys) -> None:
    cells.run(RIGHT)
    cells.run(BROKEN)
    assert cells.check() == "✗ rms: not yet\nThe cell above did not run: SyntaxError in line 3. Nothing was checked."


def test_a_cell_that_failed_before_its_definition(cells, capsys) -> None:
    cells.run(RIGHT)
    cells.run("1 / 0\n" + OTHER_NAME.replace("root_mean_square", "rms").replace("sqrt", "abs"))
    assert "The cell above did not run: ZeroDivisionError in line 1. Nothing was checked." in cells.check()


def test_a_cell_that_failed_after_its_definition_is_judged(cells, capsys) -> None:
    """As in a notebook that is graded: the function is there, and it is the one in the cell."""
    cells.run(RIGHT + "1 / 0")
    assert "✓ rms: passed" in cells.check()


@pytest.mark.parametrize("definition", ["", "rms = lambda x: x\n"])
def test_another_name_is_said(cells, capsys, definition) -> None:
    cells.run(RIGHT)
    cells.run(OTHER_NAME)
    assert "No `rms` here; you defined `root_mean_square`." in cells.check()


def test_a_name_that_is_missing_altogether_gets_a_card(cells, capsys) -> None:
    cells.check()
    assert "There is no `rms` yet. Run the cell above first." in capsys.readouterr().out
    cells.run(OTHER_NAME)
    cells.check()
    said = capsys.readouterr()
    assert "No `rms` here; you defined `root_mean_square`." in said.out
    assert "NameError" in said.out + said.err, "what grades notebooks looks for the error"
    cells.run(BROKEN)
    cells.check()
    assert "did not run: SyntaxError in line 3" in capsys.readouterr().out


def test_a_definition_in_another_cell_is_judged(cells) -> None:
    cells.run(RIGHT, "elsewhere")
    cells.run("helper = 3", "answer")
    assert "✓ rms: passed" in cells.check()


@pytest.mark.parametrize(
    "line", ["from mine import rms", "from mine import (\n    rms,\n)", "from mine import *", "%run mine.py"]
)
def test_an_answer_may_come_from_a_file(cells, tmp_path, monkeypatch, line) -> None:
    """The cell defined it before, and now takes it from a module of one's own."""
    (tmp_path / "mine.py").write_text(RIGHT, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "mine", raising=False)
    cells.run(RIGHT)
    cells.run(line)
    assert "✓ rms: passed" in cells.check()


def test_a_name_taken_otherwise_is_not_this_one(cells, capsys) -> None:
    cells.run(RIGHT)
    cells.run("from math import sqrt as rms_of_one  # for rms\nroot_mean_square = rms")
    assert "No `rms` here; you defined `root_mean_square`." in cells.check()


def test_an_error_in_a_file_of_ones_own_is_not_one_of_the_cell(cells, tmp_path, monkeypatch, capsys) -> None:
    (tmp_path / "slip.py").write_text("\n\nx = = 1", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    cells.run(RIGHT + "import slip")
    assert "✓ rms: passed" in cells.check(), "the function was there before"
    cells.run("import slip\n" + RIGHT.replace("sqrt", "abs"))
    assert "The cell above did not run: SyntaxError in line 1." in cells.check()


def test_an_answer_that_stands_in_the_cell_of_its_check(cells, capsys) -> None:
    """After a first run that failed, the check speaks while its own cell still runs."""
    cells.run(BROKEN + CHECK)
    assert "✓ rms: passed" in repr(cells.run(RIGHT + CHECK))


def test_a_cell_that_failed_keeps_nothing_alive(cells, capsys) -> None:
    cells.run("1 / 0")
    kinds = {type(value) for ran in notebook._ran for value in vars(ran).values()}
    assert kinds <= {str, bool, type(None)}, "an error holds its frames, and they hold their tensors"


def test_without_cell_ids_only_failures_are_said(cells, capsys) -> None:
    cells.run(RIGHT, None)
    cells.run(OTHER_NAME, None)
    assert "✓ rms: passed" in cells.check()
    cells.run(BROKEN, None)
    assert "SyntaxError" in cells.check()


def test_a_class_is_looked_up_as_well(cells, capsys) -> None:
    module = "from torch import nn\nclass RMSNorm(nn.RMSNorm):\n    def __init__(self, d_model, eps=1e-6):\n"
    module += "        super().__init__(d_model, eps)\n"
    cells.run(module + "1 / 0")
    assert "✓ RMSNorm: passed" in repr(cells.run("checks.check_rmsnorm_module(RMSNorm)", "check"))
    cells.run("1 / 0\n" + module.replace("eps)", "eps + 0)"))
    assert "ZeroDivisionError in line 1" in repr(cells.run("checks.check_rmsnorm_module(RMSNorm)", "check"))


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (
            "raise NotImplementedError\n    return x.square().mean(-1, keepdim=True).sqrt()",
            "still stands above your code",
        ),
        ("y = x.square().mean(-1, keepdim=True).sqrt()\n    raise NotImplementedError", "still stands below your code"),
        ("'''To do.'''\n    raise NotImplementedError", "not written yet"),
    ],
)
def test_the_line_that_was_there_at_the_start(cells, body, words) -> None:
    cells.run(f"def rms(x):\n    {body}\n")
    assert words in cells.check()


def test_a_class_as_it_was_given_is_not_written_yet(cells) -> None:
    stub = "super().__init__()\n        raise NotImplementedError()"
    cells.run(
        f"from torch import nn\nclass RMSNorm(nn.Module):\n    def __init__(self, d_model, eps=1e-6):\n        {stub}"
    )
    assert "not written yet" in repr(cells.run("checks.check_rmsnorm_module(RMSNorm)", "check"))


@pytest.mark.parametrize("call", ["input()", "breakpoint()", "import bdb; bdb.Bdb().set_trace()"])
def test_nobody_is_asked_anything(cells, call) -> None:
    cells.run(f"calls = []\ndef rms(x):\n    calls.append(x)\n    {call}\n    return x")
    assert "at line 4" in cells.check() and "waits for somebody" in cells.check()
    assert len(cells.shell.user_ns["calls"]) == 2, "once a check"


@pytest.mark.parametrize("call", ["exit()", "quit()", "import sys; sys.exit()", "raise SystemExit"])
def test_nobody_leaves(cells, call, monkeypatch) -> None:
    """`exit` asks the kernel to end once its cell is done."""
    monkeypatch.setattr(cells.shell, "ask_exit", lambda: pytest.fail("the kernel was asked to end"), raising=False)
    cells.run(f"def rms(x):\n    {call}\n    return x")
    assert "raised SystemExit at line 2" in cells.check()


def test_what_it_displays_while_it_is_checked_is_not_shown(cells, monkeypatch) -> None:
    shown = []
    monkeypatch.setattr(cells.shell.display_pub, "publish", lambda *args, **named: shown.append(args))
    cells.run("from IPython.display import display, HTML\ndef rms(x):\n    display(HTML('x'))\n    return x")
    cells.run("checks.check_rms(rms);", "check")
    assert shown == []
    cells.run("display(HTML('x'))")
    assert len(shown) == 1


def test_what_was_printed_is_kept_for_the_card(cells) -> None:
    cells.run("def rms(x):\n    print('shape', x.shape)\n    return x")
    cells.check()
    assert cells.shell.user_ns["verdict"].printed.startswith("shape torch.Size([2, 3, 8])")


def test_the_card_knows_what_is_done(cells) -> None:
    cells.run("def rms(x):\n    raise NotImplementedError")
    assert "done" not in cells.check()
    cells.run(RIGHT)
    assert cells.check().endswith("1 of 6 done: 1. Next: 2.")
    assert progress.record("RMSNorm", True) == "2 of 6 done: 1, 3. Next: 2."
    assert progress.record("rms", False) == "1 of 6 done: 3. Next: 1."
    assert progress.record("mended_2", True) == "1 of 12 done: bug 2. Next: 1."
    assert progress.record("something else", True) == ""
    for name in progress.NOTEBOOKS[0]:
        line = progress.record(name, True)
    assert line == "6 of 6 done: 1, 2, 3, 4, 5, 6. That was all of this notebook."


@pytest.mark.parametrize(
    ("session", "line"),
    [
        ("work/05_exercise_rmsnorm.ipynb", "1 of 6 done: 1. Next: 2."),
        ("05_exercise_rmsnorm_2026-11-29.ipynb", "1 of 6 done: 1. Next: 2."),
        ("lessons/02_rmsnorm.ipynb", ""),
    ],
)
def test_a_lesson_with_one_task_of_an_exercise_does_not_count(session, line, monkeypatch) -> None:
    monkeypatch.setenv("JPY_SESSION_NAME", session)
    assert progress.record("rms", True) == line
