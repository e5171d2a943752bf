"""A monkey at every explorer: whatever is pressed, dragged, typed and chosen, it shows what a fresh one would show.

Marked `full`. The seed of each run is printed; `MONKEY_SEED` and `MONKEY_EVENTS` in the environment repeat one.
"""

from __future__ import annotations

import os
import random
import re
from collections.abc import Iterator

import nbformat
import pytest
from playwright.sync_api import Locator

from tests import browser as browsers
from tests.browser import Lesson
from tests.explorers import EXPLORERS

pytestmark = pytest.mark.full

EVENTS = int(os.environ.get("MONKEY_EVENTS", 2000))
SEED = int(os.environ.get("MONKEY_SEED", random.SystemRandom().randrange(10**6)))
KEYS = ("ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "PageUp", "PageDown", "Home", "End")
TYPED = ("1, 2, 3", "2 -1 0.5 4", "nan, 1", "", "eins", "7", "1e9, 2", "-3, 3, -3, 3", "[1, 2", "0, 0, 0")
FRESH = """
fresh = {name}()
for _ in range(3):  # a list may move a slider, and a slider may empty a list
    for control in made.controls:
        setattr(fresh, control["name"], getattr(made, control["name"]))
fresh
"""
SAME = "(repr(made) == repr(fresh), made.values == fresh.values)"


@pytest.fixture(scope="module", params=EXPLORERS)
def lesson(
    request: pytest.FixtureRequest, chromium: browsers.Browser, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Lesson]:
    """A notebook with one explorer, and cells that make its twin."""
    name, folder = request.param, tmp_path_factory.mktemp("monkey")
    cells = {
        "made": f"from widgets import {name}\nmade = {name}()\nmade",
        "fresh": FRESH.format(name=name),
        "same": SAME,
    }
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(code, id=cell) for cell, code in cells.items()]
    )
    notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
    nbformat.write(notebook, folder / "monkey.ipynb")
    with browsers.jupyterlab(folder) as address:
        lesson = browsers.open_lesson(chromium, address, "monkey.ipynb")
        lesson.run("made")
        yield lesson
        lesson.close()


def one_event(lesson: Lesson, place: Locator, dice: random.Random) -> str:
    """Does one thing that a hand could do; says what."""
    kind = dice.choice(("key", "key", "key", "drag", "press", "check", "choose", "type"))
    found = {
        "key": "input[type=range]",
        "drag": "input[type=range]",
        "press": ".tools button:not([data-saves])",
        "check": "input[type=checkbox]",
        "choose": "select",
        "type": "input[type=text]",
    }[kind]
    possible = [one for one in place.locator(found).all() if one.is_visible() and one.is_enabled()]
    if not possible:
        return "nothing"
    one = dice.choice(possible)
    if kind == "key":
        key, times = dice.choice(KEYS), dice.randint(1, 5)
        for _ in range(times):
            one.press(key)
        return f"{times} {key}"
    if kind == "drag":
        return drag(lesson, one, dice)
    if kind == "press":
        label = one.inner_text()
        if re.search("save|window", label):
            return "nothing"
        one.click()
        return label
    if kind == "check":
        one.click()
        return "check"
    if kind == "choose":
        option = dice.choice(one.locator("option").all_inner_texts())
        one.select_option(option)
        return f"chose {option}"
    text = dice.choice(TYPED)
    one.fill(text)
    one.press("Enter")
    return f"typed {text!r}"


def drag(lesson: Lesson, slider: Locator, dice: random.Random) -> str:
    box = slider.bounding_box()
    if box is None:
        return "nothing"
    mouse, height = lesson.page.mouse, box["y"] + box["height"] / 2
    places = [box["x"] + box["width"] * dice.random() for _ in range(dice.randint(2, 5))]
    mouse.move(places[0], height)
    mouse.down()
    for x in places[1:]:
        mouse.move(x, height, steps=3)
    mouse.up()
    return "drag"


def shown(place: Locator) -> list[str]:
    """What a picture shows: words, texts and the places of everything that moves."""
    script = """flipbook => {
        const seen = (found) => [...flipbook.querySelectorAll(found)].filter(e => e.getClientRects().length);
        return [
            flipbook.querySelector('.words').textContent,
            ...seen('.panels text').map(e => e.textContent).sort(),
            ...seen('.panels [data-moves]').map(e => ['d', 'x', 'y'].map(a => e.getAttribute(a)).join(' ')).sort(),
        ];
    }"""
    return place.locator(".flipbook").evaluate(script)


def rest(lesson: Lesson, place: Locator) -> None:
    """Until nothing plays, nothing is covered, and nothing is asked of the kernel."""
    for label in ("pause", "show the answer"):
        for button in place.get_by_role("button", name=label, exact=True).all():
            if button.is_visible():
                button.click()
    lesson.page.wait_for_function(
        "cell => cell.querySelector('.flipbook').dataset.resting === 'true' && !cell.querySelector('.waiting')",
        arg=place.element_handle(),
        timeout=20_000,
    )


def test_a_monkey_cannot_make_it_wrong(lesson: Lesson) -> None:
    dice, place = random.Random(SEED), lesson.show("made")
    print(f"MONKEY_SEED={SEED}")
    done = []
    for _ in range(EVENTS):
        done.append(one_event(lesson, place, dice))
    rest(lesson, place)
    lesson.run("fresh")
    twin = lesson.show("fresh")
    rest(lesson, twin)
    assert shown(lesson.show("made")) == shown(twin), f"seed {SEED}; last: {done[-12:]}"
    lesson.run("same")
    assert "(True, True)" in lesson.show("same").inner_text(), f"seed {SEED}; last: {done[-12:]}"
    assert lesson.errors() == []
