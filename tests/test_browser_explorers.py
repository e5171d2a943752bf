"""Explorers as a person has them: moved by keyboard and by mouse, in a real JupyterLab with Chromium."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import Locator, expect

from tests.browser import READY, Lesson
from tests.explorers import EXPLORERS
from tests.notebooks import read
from tests.tiers import full

BUSY = "from pathlib import Path\nwhile not Path('enough').exists(): pass"
CELLS = {
    "imports": "from ipywidgets.widgets.widget import _instances\nfrom widgets import *",
    "overall-shift": "overall_shift()",
    "again": "overall_shift([1, 2, 3], layernorm_only=True)",
    "eps": "eps_effect()",
    "geometry": "norm_geometry()",
    "curves": "activation_curves(beta=2.0)",
    "flow": "gate_flow()",
    "matrices": "three_matrices()",
    "ledger": "parameter_ledger()",
    "beta": "swish_beta()",
    "skeleton": "skeleton()",
    "question": "predict('Which?', 'one', 'two')",
    "busy": BUSY,
    "count": "len(_instances)",
}


@pytest.fixture(scope="module")
def page(open_lesson: Callable[[str], Lesson], served: Path) -> Lesson:
    """A notebook with every explorer of lessons 01 to 04, run once but for the long cell and the last."""
    notebook = nbformat.v4.new_notebook()
    notebook.cells = [nbformat.v4.new_code_cell(source, id=name) for name, source in CELLS.items()]
    notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
    nbformat.write(notebook, served / "explorers.ipynb")
    lesson = open_lesson("explorers.ipynb")
    lesson.run_above("busy")
    return lesson


def state(place: Locator) -> tuple[str, str]:
    """What a flipbook says, and the marks that it shows."""
    return place.locator(".flipbook svg[role=img]").get_attribute("aria-label"), marks(place)


def marks(place: Locator) -> str:
    return place.locator(".flipbook .panels").inner_html()


def wait_for(lesson: Lesson, place: Locator, test: str, given: str = "", seconds: float = 8.0) -> str:
    """Waits until a JavaScript test of a cell's picture, `(panels, given) => ...`, holds; gives the picture's words."""
    lesson.page.wait_for_function(
        f"([cell, given]) => ({test})(cell.querySelector('.flipbook .panels'), given)",
        arg=[place.element_handle(), given],
        timeout=seconds * 1e3,
    )
    return state(place)[0]


def wait_for_change(lesson: Lesson, place: Locator, before: str) -> str:
    """The words once they differ from `before`."""
    differ = "(panels, before) => panels.querySelector('[role=img]').getAttribute('aria-label') !== before"
    return wait_for(lesson, place, differ, before)


def wait_for_rest(lesson: Lesson, place: Locator) -> None:
    """Until a cell's picture is that of its sliders and nothing is asked of the kernel any more."""
    wait_for(lesson, place, "panels => !panels.matches('.waiting')")
    lesson.page.wait_for_function(
        "cell => cell.querySelector('.flipbook').dataset.resting === 'true'", arg=place.element_handle()
    )


# A third slider, which turns a picture in space; several tests below move a first one.
SLIDERS = [("geometry", "walk around")]
OTHERS = [
    ("overall-shift", "overall shift"),
    ("overall-shift", "scale"),
    ("curves", "β of Swish"),
    ("again", "overall shift"),
    ("eps", "RMS of the input"),
    ("geometry", "overall shift"),
    ("geometry", "turn the vector"),
    ("curves", "z"),
    ("flow", "gate input of position 3"),
    ("ledger", "d_model"),
    ("ledger", "multiplier"),
    ("beta", "β"),
]


@pytest.mark.parametrize(("cell", "name"), [*SLIDERS, *(full(*slider) for slider in OTHERS)])
def test_every_slider_moves_the_picture_by_keyboard_and_by_mouse(page: Lesson, cell: str, name: str) -> None:
    place = page.show(cell)
    handle = page.slider(place, name)
    for move in (
        lambda: page.press(handle, "ArrowRight", 12),
        lambda: page.drag(handle, 0.2),
        lambda: page.press(handle, "ArrowLeft", 3),
    ):
        words, shown = state(place)
        move()
        wait_for(page, place, "(panels, shown) => panels.innerHTML !== shown", shown)
        if name != "walk around":
            assert wait_for_change(page, place, words)
        wait_for_rest(page, place)
    assert page.errors() == []
    assert page.complaints == []


STARTS = "(panels, words) => panels.querySelector('[role=img]').getAttribute('aria-label').startsWith(words)"


def test_the_words_are_those_of_the_slider(page: Lesson) -> None:
    place = page.show("overall-shift")
    handle = page.slider(place, "overall shift")
    page.press(handle, "Home")
    wait_for(page, place, STARTS, "Shift −5.00")
    page.press(handle, "ArrowRight", 100)
    wait_for(page, place, STARTS, "Shift 0.00,")


def test_two_flipbooks_do_not_disturb_each_other(page: Lesson) -> None:
    other = state(page.show("again"))
    place = page.show("overall-shift")
    words, _ = state(place)
    page.press(page.slider(place, "overall shift"), "ArrowLeft", 5)
    wait_for_change(page, place, words)
    assert state(page.show("again")) == other


def test_ids_of_a_page_are_unique(page: Lesson) -> None:
    page.show("geometry")
    ids = page.page.evaluate("() => [...document.querySelectorAll('.flipbook [id]')].map(e => e.id)")
    assert len(ids) == len(set(ids)) > 0


def test_a_bad_vector_is_refused_in_words_and_a_good_one_is_drawn(page: Lesson) -> None:
    place = page.show("overall-shift")
    box = place.get_by_role("textbox", name="your own x₀")
    words, shown = state(place)
    box.fill("")
    box.press_sequentially("1 2 three")  # key by key, as nobody does who fills it
    box.press("Enter")
    alert = place.get_by_role("alert")
    alert.filter(has_text="'three' is not a number").wait_for()
    assert state(place) == (words, shown)
    assert box.input_value() == "1 2 three"
    box.fill("3, 4")
    box.press("Enter")
    expect(place.locator(".problem")).to_have_text("")
    wait_for_change(page, place, words)
    wait_for_rest(page, place)
    words, _ = state(place)
    page.press(page.slider(place, "overall shift"), "ArrowLeft", 10)
    wait_for_change(page, place, words)


def test_the_second_slider_follows_at_once_after_another_control_has_changed_the_picture(page: Lesson) -> None:
    """Another rounding leaves the stage as it is; the browser asks for the second reel anew all the same."""
    place = page.show("ledger")
    words, _ = state(place)
    rounding = place.get_by_role("combobox", name="round up")
    rounding.select_option("512" if rounding.input_value() != "512" else "1024")
    wait_for_change(page, place, words)
    wait_for_rest(page, place)
    words, _ = state(place)
    shown = marks(place)
    page.press(page.slider(place, "multiplier"), "ArrowRight")
    page.page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert marks(place) != shown
    wait_for_change(page, place, words)


# Not the kernel's status: messages of a slider end in a status "idle" of their own while the cell goes on.
BUSY_STATE = "() => window.lesson.content.widgets.find(cell => cell.model.id === 'busy').model.executionState"


def test_the_first_slider_moves_while_the_kernel_is_busy(page: Lesson, served: Path) -> None:
    place = page.show("eps")
    handle = page.slider(place, "RMS of the input")
    wait_for_rest(page, place)
    page.show("busy")
    page.page.evaluate("() => { window.jupyterapp.commands.execute('notebook:run-cell') }")
    page.page.wait_for_function(f"() => ({BUSY_STATE})() === 'running'")
    place = page.show("eps")
    heard = set()
    try:
        for to in (0.1, 0.9, 0.3, 0.7):
            words, _ = state(place)
            page.drag(handle, to, steps=5)
            heard.add(wait_for_change(page, place, words))
        assert page.page.evaluate(BUSY_STATE) == "running"
        assert len(heard) == 4
    finally:
        (served / "enough").touch()  # else the kernel is busy for all tests that come
    page.page.wait_for_function(f"() => ({BUSY_STATE})() !== 'running'", timeout=30_000)


@pytest.mark.full
def test_more_runs_leave_nothing_behind(page: Lesson) -> None:
    def models() -> int:
        page.run("count")
        return int(page.show("count").locator(".jp-OutputArea-output").inner_text())

    page.run("overall-shift")
    before = models()
    for _ in range(2):
        page.run("overall-shift")
    assert models() == before
    place = page.show("overall-shift")
    page.press(page.slider(place, "overall shift"), "ArrowRight", 3)
    wait_for(page, place, STARTS, "Shift +0.15")


def test_controls_and_pictures_have_names(page: Lesson) -> None:
    """What Chromium tells a screen reader."""
    moving = [cell for cell, source in CELLS.items() if source.partition("(")[0] in EXPLORERS]
    needed = {cell: {"slider", "img", "button"} for cell in moving}
    needed |= {"skeleton": {"img"}, "question": {"radio", "button"}}
    assert len(needed) == 2 + len(EXPLORERS) + 1  # one of them is there twice
    for cell, roles in needed.items():
        snapshot = page.show(cell).locator(".jp-Cell-outputWrapper").aria_snapshot()
        for role in ("slider", "img", "textbox", "checkbox", "combobox", "button", "radio"):
            controls = re.findall(rf"- '?{role}\b.*", snapshot)
            assert controls or role not in roles, snapshot
            assert all(re.match(rf"- '?{role} \"[^\"]+", control) for control in controls), snapshot


def test_the_explorer_fits_a_laptop(page: Lesson) -> None:
    """All of the overall shift between JupyterLab's bars at 1366 x 768."""
    place = page.show("overall-shift")
    height = place.locator(".jp-OutputArea").first.bounding_box()["height"]
    assert height < page.page.locator(".jp-WindowedPanel-outer").first.bounding_box()["height"]


def test_the_picture_grows_and_shrinks_with_its_pane(page: Lesson) -> None:
    cell = page.show("overall-shift").element_handle()
    width = "cell => cell.querySelector('.flipbook svg[role=img]').getBoundingClientRect().width"
    wide = cell.evaluate(width)
    for pane, test in ((700, "< 0.8 * wide"), (1366, "> 0.99 * wide")):
        page.page.set_viewport_size({"width": pane, "height": 768})
        page.page.wait_for_function(f"([cell, wide]) => ({width})(cell) {test}", arg=[cell, wide])


def test_the_dark_theme_has_light_ink(page: Lesson) -> None:
    """In JupyterLab's dark theme a picture's ink is light; in the light theme dark."""
    place = page.show("overall-shift")
    ink = "el => Math.max(...getComputedStyle(el).fill.match(/\\d+/g).map(Number))"
    title = place.locator(".flipbook text", has_text="x = scale").first
    theme = "name => window.jupyterapp.commands.execute('apputils:change-theme', {theme: name})"
    assert title.evaluate(ink) < 100
    page.page.evaluate(theme, "JupyterLab Dark")
    page.page.wait_for_function("() => document.body.dataset.jpThemeLight === 'false'")
    assert title.evaluate(ink) > 200
    page.page.evaluate(theme, "JupyterLab Light")
    page.page.wait_for_function("() => document.body.dataset.jpThemeLight === 'true'")


def reload(page: Lesson) -> None:
    """The page anew, with the notebook open."""
    page.page.reload()
    page.page.wait_for_function(READY)
    page.complaints.clear()
    page.open("explorers.ipynb")


@pytest.mark.full
def test_a_reloaded_page_gets_its_explorers_back(page: Lesson) -> None:
    """The last but one: afterwards the page is another one."""
    page.save()
    reload(page)
    place = page.show("overall-shift")
    place.get_by_role("slider").first.wait_for()
    words, _ = state(place)
    page.press(page.slider(place, "overall shift"), "ArrowRight", 4)
    wait_for_change(page, place, words)


@pytest.mark.full
def test_yesterdays_explorers_play_before_anything_has_run(page: Lesson, served: Path) -> None:
    """With the settings of `course.py lab`: saved with the notebook, opened on another day, their kernel long gone."""
    assert "application/vnd.jupyter.widget-state+json" in read(served / "explorers.ipynb").metadata.widgets
    page.stop()
    reload(page)
    place = page.show("again")
    words, _ = state(place)
    page.press(page.slider(place, "overall shift"), "ArrowRight", 4)
    wait_for_change(page, place, words)
    assert page.complaints == []
