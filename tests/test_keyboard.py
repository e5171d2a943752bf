"""Lessons and exercises with nothing but the keyboard, in JupyterLab: every control is reached, used and left.

Marked `full`. Shift+Enter runs a cell, arrows go from cell to cell and move what has the focus, Tab goes on, Enter
presses.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser import Lesson
from tests.explorers import EXPLORERS
from tests.notebooks import LESSONS, notebooks_in, read
from tests.test_grading import POINTS, filled_in

pytestmark = pytest.mark.full

MANY = 80  # presses of Tab, more than any cell has controls

# What has the focus; a mark is left on it, so that what was never reached can be told.
FOCUSED = """() => {
    const e = document.activeElement, box = e.getBoundingClientRect(), look = getComputedStyle(e);
    const here = window.lesson.content.widgets.find(cell => cell.node.contains(e));
    e.dataset.reached = 'yes';
    return {
        kind: e.type || e.localName,
        name: e.getAttribute('aria-label') || e.labels?.[0]?.textContent || e.textContent,
        cell: here?.model.id,
        output: Boolean(e.closest('.jp-Cell-outputWrapper, .jp-MarkdownOutput')),
        framed: look.outlineStyle !== 'none' && parseFloat(look.outlineWidth) > 0,
        seen: box.width > 0 && box.top >= 0 && box.bottom <= innerHeight && box.left >= 0 && box.right <= innerWidth,
    };
}"""
MISSED = """id => {
    const { node } = window.lesson.content.widgets.find(cell => cell.model.id === id);
    const groups = new Set([...node.querySelectorAll('input[type=radio][data-reached]')].map(e => e.form));
    return [...node.querySelectorAll('.jp-Cell-outputWrapper :is(input, select, button, summary, a[href])')]
        .filter(e => e.checkVisibility() && !e.disabled && !e.dataset.reached)
        .filter(e => e.type !== 'radio' || !groups.has(e.form))
        .map(e => e.getAttribute('aria-label') || e.textContent);
}"""
QUIET = """() => window.lesson.sessionContext.session?.kernel?.status === 'idle'
    && window.lesson.content.widgets.every(cell => cell.model.executionState !== 'running')"""
DRAWN = """id => window.lesson.content.widgets.find(cell => cell.model.id === id)
    .node.querySelector('.panels svg')"""
WORDS = """id => window.lesson.content.widgets.find(cell => cell.model.id === id)
    .node.querySelector('.words').textContent"""
ACTIVE = "() => window.lesson.content.activeCell.model.id"


ASKED = """id => window.lesson.content.widgets.find(cell => cell.model.id === id)
    .node.querySelector('.prediction input[type=radio]')"""


@pytest.fixture
def keys_in(open_lesson: Callable[..., Lesson]) -> Iterator[Callable[[str], Keys]]:
    """Opens a notebook for a test, and closes it: sixteen open ones would take the time from one another."""
    opened: list[Lesson] = []

    def open_it(name: str) -> Keys:
        opened.append(open_lesson(name))
        return Keys(opened[-1])

    yield open_it
    for lesson in opened:
        lesson.close()


class Keys:
    """A person without a mouse."""

    def __init__(self, lesson: Lesson) -> None:
        self.lesson, self.page = lesson, lesson.page

    def press(self, key: str, times: int = 1) -> None:
        for _ in range(times):
            self.page.keyboard.press(key)

    def quiet(self) -> None:
        """Until nothing runs; some cells train for a while."""
        self.page.wait_for_function(QUIET, timeout=120e3, polling=50)

    def run_to(self, cell: str) -> None:
        """Runs one cell after the other until this one is next. The arrows pass over cells whose code is folded."""
        while (here := self.page.evaluate(ACTIVE)) != cell:
            self.press("Shift+Enter")
            self.page.wait_for_function(f"here => ({ACTIVE})() !== here", arg=here)
            self.quiet()

    def run(self, cell: str) -> None:
        """Runs everything down to a cell, and it, and goes back to it."""
        self.run_to(cell)
        self.press("Shift+Enter")
        self.page.wait_for_function(f"here => ({ACTIVE})() !== here", arg=cell)
        self.quiet()
        self.back_to(cell)

    def back_to(self, cell: str) -> None:
        """Out of what has the focus, and with the arrow to a cell above whose code is shown."""
        if not self.page.evaluate("() => window.lesson.node.contains(document.activeElement)"):
            self.press("Shift+Tab")  # Tab went on, out of the notebook
        self.press("Escape")
        while (here := self.page.evaluate(ACTIVE)) != cell:
            self.press("ArrowUp")
            self.page.wait_for_function(f"here => ({ACTIVE})() !== here", arg=here)

    def tab(self, key: str = "Tab") -> dict:
        """Goes on; gives what has the focus now. In an output it is always seen, and framed."""
        self.press(key)
        focused = self.page.evaluate(FOCUSED)
        assert not focused["output"] or (focused["framed"] and focused["seen"]), focused
        return focused

    def tab_to(self, wanted: Callable[[dict], bool], key: str = "Tab") -> dict:
        """Goes on to a control, or back."""
        for _ in range(MANY):
            if wanted(focused := self.tab(key)):
                return focused
        raise AssertionError(f"not reached; last: {focused}")

    def tab_through(self, cell: str) -> list[dict]:
        """Goes through a cell and out of it; gives what had the focus in its output, in order."""
        reached = []
        while (focused := self.tab())["cell"] == cell:
            reached += [focused] * focused["output"]
            assert len(reached) < MANY, "Tab does not leave the cell"
        assert self.page.evaluate(MISSED, cell) == []
        return reached


@pytest.mark.parametrize("path", notebooks_in([LESSONS]), ids=lambda path: path.stem)
def test_a_notebook_is_run_to_its_end_and_every_question_answered(
    keys_in: Callable[[str], Keys], served: Path, path: Path
) -> None:
    keys, cells = keys_in(path.name), [cell.id for cell in read(path).cells]
    for ask, following in pairwise(cells):
        if ask.endswith("-ask"):
            keys.run_to(following)
            answer(keys, path, ask, following, served / "predictions.json")
    keys.run_to(cells[-1])
    keys.press("Shift+Enter")
    keys.quiet()
    assert keys.lesson.errors() == []


def answer(keys: Keys, path: Path, ask: str, following: str, file: Path) -> None:
    """Arrows choose, Enter commits, and the next cell is the active one, ready to be run."""
    keys.page.wait_for_function(ASKED, arg=ask)
    keys.tab_to(lambda focused: focused["kind"] == "radio", "Shift+Tab")
    last = int(keys.page.evaluate("() => document.activeElement.value"))
    keys.press("ArrowUp")  # from the last answer, at which one arrives from below
    chosen = int(keys.page.evaluate("() => document.activeElement.checked && document.activeElement.value"))
    assert chosen == last - 1
    keys.tab_to(lambda focused: focused["name"] == "Commit")
    before = kept(file)
    keys.press("Enter")
    keys.page.wait_for_function(f"next => ({ACTIVE})() === next", arg=following)
    # The kernel hears of it another way than of cells, and the next cell could end before.
    keys.lesson.until(lambda: kept(file) != before, "the kernel has written the prediction down")
    if following == ask.replace("-ask", "-run"):
        keys.press("Shift+Enter")
        keys.quiet()
        said = f"Yes, {'ABCD'[chosen]}." if "ABCD"[chosen] == right_answer(path, ask) else "It came out as"
        expect(keys.lesson.show(ask)).to_contain_text(said, timeout=60e3)  # the kernel may not have begun yet
        keys.lesson.show(following)


def kept(file: Path) -> bytes:
    """The predictions that the kernel has written down."""
    return file.read_bytes() if file.exists() else b""


def right_answer(path: Path, ask: str) -> str:
    """The letter that a lesson's own code marks as right."""
    asks = next(cell.source for cell in read(path).cells if cell.id == ask)
    return next(word.value.value for word in ast.parse(asks).body[0].value.keywords if word.arg == "right")


def explorers_in(path: Path) -> list[str]:
    """The cells of a notebook that show an explorer with sliders."""
    return [cell.id for cell in read(path).cells if cell.source.startswith(tuple(f"{name}(" for name in EXPLORERS))]


@pytest.mark.parametrize("path", [*filter(explorers_in, notebooks_in([LESSONS]))], ids=lambda path: path.stem)
def test_every_control_of_an_explorer_is_reached_and_left(keys_in: Callable[[str], Keys], path: Path) -> None:
    keys = keys_in(path.name)
    for cell in explorers_in(path):
        keys.run(cell)
        keys.page.wait_for_function(DRAWN, arg=cell)
        reached = keys.tab_through(cell)
        sliders = [focused["name"] for focused in reached if focused["kind"] == "range"]
        assert sliders
        keys.back_to(cell)
        for name in sliders:
            move(keys, cell, name)
        keys.tab_through(cell)


def move(keys: Keys, cell: str, name: str) -> None:
    """One slider, by its arrows: the words say something else."""
    before = keys.lesson.page.evaluate(WORDS, cell)
    keys.tab_to(lambda focused: focused["kind"] == "range" and focused["name"] == name)
    value = "() => document.activeElement.getAttribute('aria-valuetext')"
    stood = keys.page.evaluate(value)
    keys.press("ArrowRight", 5)
    assert keys.page.evaluate(value) != stood
    if name != "walk around":
        keys.page.wait_for_function(f"([cell, before]) => ({WORDS})(cell) !== before", arg=[cell, before])


@pytest.mark.parametrize("lesson", POINTS)
def test_every_exercise_is_solved(keys_in: Callable[[str], Keys], lesson: str) -> None:
    """The card of each empty answer is opened and left; the solution is put in, as the clipboard does, and passes."""
    keys, solved = keys_in(f"{lesson}.ipynb"), filled_in(lesson, {}).cells
    answers = [(written, check.id) for written, check in pairwise(solved) if check.id.endswith("-check")]
    assert {check.removesuffix("-check") for _, check in answers} == set(POINTS[lesson])
    for written, check in answers:
        keys.run(check)
        keys.tab_to(lambda focused, check=check: focused["kind"] == "summary" and focused["cell"] == check)
        keys.press("Enter")
        assert keys.page.evaluate("() => document.activeElement.parentElement.open")
        keys.back_to(written.id)
        solve(keys, check, keys.page.keyboard.insert_text, written.source)


def test_an_answer_is_typed(keys_in: Callable[[str], Keys]) -> None:
    """Key by key, in an editor that closes brackets by itself."""
    keys = keys_in("05_exercise_rmsnorm.ipynb")
    keys.run_to("rms")
    code = "def rms(x): return x.square().mean(dim=-1, keepdim=True).sqrt()"
    solve(keys, "rms-check", keys.page.keyboard.type, code)


def solve(keys: Keys, check: str, put: Callable[[str], None], code: str) -> None:
    """Puts code into the active cell in place of what is there; the check below passes."""
    keys.press("Enter")
    keys.press("Control+A")
    put(code)
    keys.press("Escape")
    keys.run(check)
    expect(keys.lesson.show(check).locator(".jp-OutputArea")).to_contain_text(re.compile(r"✓ \S+: passed"))
