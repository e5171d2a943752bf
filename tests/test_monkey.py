"""A monkey at every explorer: whatever is pressed, dragged, typed and chosen, it shows what a fresh one would show.

Marked `full`. The seed of each run is printed; `MONKEY_SEED` and `MONKEY_EVENTS` in the environment repeat one.
"""

from __future__ import annotations

import inspect
import os
import random
from collections.abc import Iterator
from pathlib import Path

import nbformat
import numpy as np
import pytest
from playwright.sync_api import ElementHandle, Locator

from tests import browser as browsers
from tests.browser import Lesson
from tests.explorers import EXPLORERS, put_alike

pytestmark = pytest.mark.full

# How a fresh one is made, where its controls alone do not say it: a box keeps what was refused, a gate what was turned.
MADE = {name: f"{name}()" for name in EXPLORERS} | {
    "overall_shift": "overall_shift(made.x0)",
    "gate_flow": "gate_flow(made.content, made.gate_input, made.turned + 1)",
}
EVENTS = int(os.environ.get("MONKEY_EVENTS", 2000))
SEED = int(os.environ.get("MONKEY_SEED", random.SystemRandom().randrange(10**6)))
COMPARED = 100  # events, and then it is compared with a fresh one
KEYS = ("ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "PageUp", "PageDown", "Home", "End")
TYPED = ("1, 2, 3", "2 -1 0.5 4", "nan, 1", "", "eins", "7", "1e9, 2", "-3, 3, -3, 3", "[1, 2", "0, 0, 0")
WIDTHS = (800, 1024, 1366)
SAME = "(repr(made) == repr(fresh), made.values == fresh.values)"
HANDS = {
    "key": "input[type=range]",
    "drag": "input[type=range]",
    "press": ".tools button",
    "stop": ".stops button",
    "check": "input[type=checkbox]",
    "choose": "select",
    "type": "input[type=text]",
}
OFTEN = ("key", "key", "key", "drag", "drag", "press", "stop", "check", "choose", "type", "lift", "resize")
NEVER = ("save as SVG", "save as PNG", "full window")

# What a picture shows: words, readouts and controls; and all its marks with their texts and places.
SHOWN = """flipbook => {
    const seen = found => [...flipbook.querySelectorAll(found)].filter(e => e.getClientRects().length);
    const place = ({x, y, width, height}) => [x, y, width, height];
    const said = [
        flipbook.querySelector('.words').textContent,
        flipbook.querySelector('[role=img]').getAttribute('aria-label'),
        ...seen('output').map(e => e.textContent),
        ...seen('input[type=range], select').map(e => e.value),
        ...seen('input[type=checkbox]').map(e => e.checked),
    ];
    const marks = seen('.panels :is(text, path, use)').filter(e => e.localName !== 'text' || e.textContent.trim());
    return [said, marks.map(e => e.localName + e.textContent), marks.map(e => place(e.getBBox()))];
}"""
# What must never be, not even while a hand moves.
WRONG = """flipbook => {
    const wrong = [], cell = flipbook.closest('.jp-OutputArea');
    const pictures = [...flipbook.querySelectorAll('.panels svg')];
    const seen = pictures.filter(svg => svg.getBoundingClientRect().width > 100 && svg.querySelector('path, text'));
    if (!pictures.length || seen.length < pictures.length) wrong.push('a blank picture');
    if (!flipbook.querySelector('.words').textContent) wrong.push('no words');
    if (cell.scrollWidth > cell.clientWidth + 1) wrong.push(`${cell.scrollWidth} wide in ${cell.clientWidth}`);
    return wrong;
}"""
MIDDLE = """button => {
    button.scrollIntoView({ block: 'nearest' });
    const { x, y, width, height } = button.getBoundingClientRect();
    return [width, x + width / 2, y + height / 2];
}"""
RESTING = "book => book.dataset.resting === 'true' && !book.querySelector('.waiting')"


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A JupyterLab with a notebook for each explorer, and cells that make its twin."""
    folder = tmp_path_factory.mktemp("monkey")
    for name, made in MADE.items():
        write(folder / f"{name}.ipynb", name, made)
    with browsers.jupyterlab(folder) as address:
        yield address


def write(path: Path, name: str, made: str) -> None:
    """Writes the notebook of one explorer."""
    cells = {
        "made": f"from widgets import {name}\nmade = {name}()\nmade",
        "fresh": f"{inspect.getsource(put_alike)}\nfresh = {made}\nput_alike(fresh, made)\nfresh",
        "same": SAME,
    }
    notebook = nbformat.v4.new_notebook()
    notebook.cells = [nbformat.v4.new_code_cell(code, id=cell) for cell, code in cells.items()]
    notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
    nbformat.write(notebook, path)


class Monkey:
    """Two hands, and what they have done."""

    def __init__(self, lesson: Lesson, seed: int) -> None:
        self.lesson, self.dice, self.done = lesson, random.Random(seed), list[str]()
        self.sit()

    def sit(self) -> None:
        """Before the explorer, all controls in reach."""
        self.book = self.lesson.show("made").locator(".flipbook")
        self.book.locator(".panels svg").first.wait_for()
        self.controls = {kind: self.book.locator(found).element_handles() for kind, found in HANDS.items()}
        assert self.controls["key"] and self.controls["press"]

    def act(self) -> None:
        """Does one thing that a hand could do."""
        kind = self.dice.choice(OFTEN)
        if kind in ("lift", "resize"):
            self.done.append(getattr(self, kind)())
            return
        possible = [one for one in self.controls[kind] if one.is_visible()]
        if possible:
            self.done.append(f"{kind}: {getattr(self, kind)(self.dice.choice(possible))}")

    def key(self, slider: ElementHandle) -> str:
        key, times = self.dice.choice(KEYS), self.dice.randint(1, 5)
        slider.focus()
        for _ in range(times):
            self.lesson.page.keyboard.press(key)
        return f"{times} {key}"

    def drag(self, slider: ElementHandle) -> str:
        slider.scroll_into_view_if_needed()
        box, mouse = slider.bounding_box(), self.lesson.page.mouse
        places = [box["x"] + box["width"] * self.dice.random() for _ in range(self.dice.randint(2, 5))]
        mouse.move(places[0], box["y"] + box["height"] / 2)
        mouse.down()
        for x in places[1:]:
            mouse.move(x, box["y"] + box["height"] / 2, steps=3)
        mouse.up()
        return f"{len(places)} places"

    def press(self, button: ElementHandle) -> str:
        label = button.inner_text()
        if label not in NEVER:
            self.hit(button)
        return label

    def stop(self, button: ElementHandle) -> str:
        self.hit(button)
        return button.inner_text()

    def hit(self, button: ElementHandle) -> None:
        """In its middle, whatever lies over it; a cover may be gone by now, with the picture that it lay on."""
        width, x, y = button.evaluate(MIDDLE)
        if width:
            self.lesson.page.mouse.click(x, y)

    def check(self, box: ElementHandle) -> str:
        box.click()
        return str(box.is_checked())

    def choose(self, choice: ElementHandle) -> str:
        option = self.dice.choice(choice.query_selector_all("option")).inner_text()
        choice.select_option(option)
        return option

    def type(self, box: ElementHandle) -> str:
        text = self.dice.choice(TYPED)
        box.fill(text)
        self.lesson.page.keyboard.press("Enter")
        return repr(text)

    def lift(self) -> str:
        lids = [one for one in self.book.locator(".cover").element_handles() if one.is_visible()]
        if lids:
            self.hit(self.dice.choice(lids))
        return "lift one cover"

    def resize(self) -> str:
        width = self.dice.choice(WIDTHS)
        self.lesson.page.set_viewport_size({"width": width, "height": 768})
        return f"window {width}"


def rest(lesson: Lesson, book: Locator) -> None:
    """Until nothing plays, nothing is covered, and nothing is asked of the kernel."""
    for label in ("pause", "show the answer"):
        for button in book.get_by_role("button", name=label, exact=True).all():
            button.click()
    lesson.page.wait_for_function(RESTING, arg=book.element_handle(), timeout=20_000)


def both(monkey: Monkey) -> tuple[list, list]:
    """What the explorer shows, and what a fresh one does that was put where the kernel has it."""
    lesson = monkey.lesson
    rest(lesson, monkey.book)
    lesson.run("fresh")
    monkey.sit()
    rest(lesson, monkey.book)
    seen = monkey.book.evaluate(SHOWN)
    twin = lesson.show("fresh").locator(".flipbook")
    rest(lesson, twin)
    return seen, twin.evaluate(SHOWN)


def compare(monkey: Monkey) -> None:
    """What is shown is what a fresh explorer shows at the same place, in the browser and in the kernel."""
    lesson, last = monkey.lesson, f"seed {SEED}, {len(monkey.done)} done; last: {monkey.done[-12:]}"
    for _ in range(3):  # a kernel takes what a slider says on another thread than a cell, and on a busy machine later
        (said, marks, places), expected = both(monkey)
        if [said, marks] == expected[:2]:
            break
    assert [said, marks] == expected[:2], last
    np.testing.assert_allclose(places, expected[2], atol=0.02, err_msg=last)  # points; two decimals travel
    lesson.run("same")
    assert "(True, True)" in lesson.show("same").inner_text(), last
    monkey.sit()


@pytest.mark.parametrize("name", EXPLORERS)
def test_a_monkey_cannot_make_it_wrong(name: str, chromium: browsers.Browser, lab: str) -> None:
    print(f"MONKEY_SEED={SEED}")
    lesson = browsers.open_lesson(chromium, lab, f"{name}.ipynb")
    lesson.run("made")
    monkey = Monkey(lesson, SEED)
    for event in range(1, EVENTS + 1):
        monkey.act()
        assert monkey.book.evaluate(WRONG) == [], f"seed {SEED}, event {event}; last: {monkey.done[-12:]}"
        if event % COMPARED == 0 or event == EVENTS:
            compare(monkey)
    assert (lesson.errors(), lesson.complaints) == ([], []), f"seed {SEED}"
    lesson.close()
