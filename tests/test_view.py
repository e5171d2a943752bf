"""The view of an explorer on a bare page in Chromium: its controls and tools, with a kernel and without."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from tests.bare import bare
from tests.tiers import full
from widgets import activation_curves, gate_flow, overall_shift, parameter_ledger, skeleton, swish_beta
from widgets.explorers.explorer import Explorer
from widgets.flipbook.controls import Slider
from widgets.formats import number
from widgets.pictures.page import Page as Figure
from widgets.pictures.page import box

# Moves a slider in every frame; gives what has been announced by then.
HURRY = """async (input, positions) => {
    for (const k of positions) {
        input.value = k;
        input.dispatchEvent(new Event('input'));
        await new Promise(requestAnimationFrame);
    }
    return document.querySelector('.spoken').textContent;
}"""
# Three positions in place of the slider's 101, and a reel of theirs.
FEWER = """() => {
    const reel = model.get('beta_reel');
    const three = [0, 50, 100];
    const columns = reel.columns.map((column) => three.map((k) => column[k]));
    const [control] = model.get('controls');
    const texts = three.map((k) => control.texts[k]);
    model.set('beta_reel', {...reel, columns, along: [0, 5, 10]});
    model.set('controls', [{...control, texts, positions: [0, 5, 10], stops: [['five', 1, 50]]}]);
}"""
NARROW = {"width": 360, "height": 700}


class Covered(Explorer):
    """Two panels with a bar each; the second one, and nothing else, can be covered."""

    def __init__(self) -> None:
        super().__init__({"k": Slider("height", range(11), 3.0), "j": Slider("other", range(11), 5.0)})

    def paint(self):
        return TwoBars()

    def steps(self, k, j):
        return k, j

    def words(self, steps):
        return "heights {:.0f} and {:.0f}.".format(*steps)

    lines = words


class TwoBars:
    def __init__(self) -> None:
        self.panels = [Figure(340, 200) for _ in range(2)]
        self.covers = {"the answer": [(1, 0, 0, 340, 100)], "its title": [(1, 0, 100, 340, 20)]}
        self.moving = [box(one, 20, 20, 40, 1, facecolor="#1f5fae") for one in self.panels]

    def show(self, steps) -> None:
        for bar, height in zip(self.moving, steps, strict=True):
            bar.set_height(10 * height)


def words(page: Page) -> str:
    return page.locator(".words").first.inner_text()


def settled(page: Page) -> None:
    """Until every view has all its reels and nothing is on its way."""
    page.wait_for_function("() => [...document.querySelectorAll('.flipbook')].every(e => e.dataset.resting === 'true')")


def value(page: Page, slider: str) -> str:
    return page.get_by_role("slider", name=slider).first.get_attribute("aria-valuetext")


def says(page: Page, text: str) -> None:
    page.wait_for_function("text => document.querySelector('.words').textContent.includes(text)", arg=text)


def test_a_drag_paints_every_position_and_sends_nothing(chromium):
    with bare(chromium, overall_shift()) as page:
        settled(page)
        track = page.get_by_role("slider", name="overall shift").bounding_box()
        middle, sent, seen = track["y"] + track["height"] / 2, page.evaluate("sent"), set()
        page.mouse.move(track["x"] + track["width"] / 2, middle)
        page.mouse.down()
        for part in (0.6, 0.7, 0.8, 0.9):
            before = words(page)
            page.mouse.move(track["x"] + part * track["width"], middle)
            page.wait_for_function("before => document.querySelector('.words').textContent !== before", arg=before)
            seen.add(words(page))
        assert len(seen) == 4
        page.evaluate("() => new Promise(done => setTimeout(done, 400))")  # a hand that holds still is silent, too
        assert page.evaluate("sent") == sent
        page.mouse.up()
        page.wait_for_function("sent => window.sent > sent", arg=sent)
        settled(page)
        assert number(page.kernel.explorer.shift, sign=True) == value(page, "overall shift")
        assert page.complaints == []


def test_a_screen_reader_hears_the_words_once_a_hand_rests_and_no_covered_ones(chromium):
    with bare(chromium, Covered(), views=2) as page:
        settled(page)
        spoken, slider = page.locator(".spoken"), page.get_by_role("slider", name="height").first
        assert spoken.all_inner_texts() == ["", ""]  # nobody has touched anything
        slider.focus()
        slider.dispatch_event("pointerdown")
        assert slider.evaluate(HURRY, [4, 5, 6, 7, 8]) == ""
        slider.dispatch_event("pointerup")
        expect(spoken.first).to_have_text("heights 8 and 5.")
        assert spoken.nth(1).inner_text() == ""  # the other view is not where the hand is
        assert spoken.first.get_attribute("role") == "status"
        page.get_by_role("button", name="hide the answer").first.click()
        expect(spoken.first).not_to_contain_text("heights")


def test_keys_move_a_slider_and_python_does(chromium):
    with bare(chromium, swish_beta()) as page:
        slider = page.get_by_role("slider", name="β")
        for key, reads in (("Home", "0.00"), ("ArrowRight", "0.10"), ("End", "10.00"), ("ArrowLeft", "9.90")):
            slider.press(key)
            says(page, f"β = {reads}")
            expect(slider).to_have_attribute("aria-valuetext", reads)
            expect(page.locator("output")).to_have_text(reads)
        slider.press("PageDown")
        says(page, "β = 8.90")
        settled(page)
        page.evaluate("() => model.set('beta', 2)")
        says(page, "β = 2.00")
        assert slider.input_value() == "20"


def test_a_second_slider_moved_straight_after_the_first_follows(chromium):
    with bare(chromium, overall_shift()) as page:
        page.get_by_role("slider", name="overall shift").press("End")
        page.get_by_role("slider", name="scale").press("End")
        says(page, "Shift +5.00, scale 3.00")
        expect(page.locator(".waiting")).to_have_count(0)


def test_presets_and_reset(chromium):
    with bare(chromium, parameter_ledger()) as page:
        page.get_by_role("button", name="Gemma 7B").click()
        says(page, "d_model 3072, multiple of 256, multiplier 3.00")
        assert page.get_by_role("combobox", name="real model").input_value() == "Gemma 7B"
        page.get_by_role("slider", name="d_model").press("ArrowRight")
        page.wait_for_function("() => model.get('model') === 'choose …'")
        page.get_by_role("combobox", name="real model").select_option("Gemma 7B")
        says(page, "d_model 3072")
        page.get_by_role("button", name="reset").click()
        says(page, "d_model 4096, multiple of 256, multiplier 1.00")


def test_play_sweeps_until_it_is_paused_or_a_hand_takes_over(chromium):
    with bare(chromium, swish_beta()) as page:
        settled(page)
        sent = page.evaluate("sent")
        page.get_by_role("button", name="play").click()
        before = words(page)
        page.wait_for_function("before => document.querySelector('.words').textContent !== before", arg=before)
        assert page.evaluate("sent") == sent
        page.get_by_role("button", name="pause").click()
        page.wait_for_function("sent => window.sent > sent", arg=sent)
        page.get_by_role("button", name="play").click()
        page.get_by_role("slider", name="β").press("Home")
        page.get_by_role("button", name="play").wait_for()
        says(page, "β = 0.00")


def test_what_plays_is_a_slider_that_is_shown(chromium):
    with bare(chromium, activation_curves()) as page:
        settled(page)
        page.get_by_role("checkbox", name="bend").check()
        page.get_by_role("slider", name="β").press("End")
        settled(page)
        page.get_by_role("checkbox", name="bend").uncheck()
        settled(page)
        before = value(page, "z")
        page.get_by_role("button", name="play").click()
        page.wait_for_function("before => document.querySelector('output').textContent !== before", arg=before)
        page.get_by_role("button", name="pause").click()
        settled(page)
        assert page.kernel.explorer.beta == 1.0


def test_a_slider_with_other_positions_in_another_setting_goes_to_each_of_them(chromium):
    """As on a page, which takes fewer along for some settings."""
    with bare(chromium, swish_beta()) as page:
        settled(page)
        page.evaluate(FEWER)
        slider = page.get_by_role("slider", name="β")
        for key, reads in (("Home", "0.00"), ("ArrowRight", "5.00"), ("End", "10.00")):
            slider.press(key)
            says(page, f"β = {reads}")
            expect(slider).to_have_attribute("aria-valuetext", reads)
            expect(page.locator("output")).to_have_text(reads)
        assert page.locator(".stops button").all_inner_texts() == ["five"]
        page.get_by_role("button", name="five").click()
        says(page, "β = 5.00")


def test_nothing_plays_where_motion_is_unwanted(chromium):
    with bare(chromium, swish_beta(), reduced_motion="reduce") as page:
        assert page.get_by_role("button", name="full window").count() == 1
        assert page.get_by_role("button", name="play").count() == 0


def test_rows_are_covered_and_shown_one_by_one(chromium):
    with bare(chromium, Covered()) as page:
        picture = page.locator("svg[role=img]")
        page.get_by_role("button", name="hide the answer").click()
        assert not page.locator(".words").is_visible()
        assert "heights" not in picture.get_attribute("aria-label")
        page.get_by_role("slider", name="height").press("End")
        settled(page)
        assert "heights" not in picture.get_attribute("aria-label")
        lid = page.get_by_role("button", name="the answer", exact=False).first.bounding_box()
        panel = page.locator(".panel").nth(1).bounding_box()
        assert lid["y"] + lid["height"] == pytest.approx(panel["y"] + panel["height"], abs=1)
        assert lid["width"] == pytest.approx(panel["width"], abs=1)
        for row in ("the answer", "its title", "the words"):
            page.get_by_role("button", name=f"press to show: {row}").press("Enter")
        assert page.locator(".cover:visible").count() == 0
        expect(page.locator(".words")).to_have_text("heights 10 and 5.")
        expect(picture).to_have_attribute("aria-label", "heights 10 and 5.")


def test_the_full_window_is_left_with_escape(chromium):
    with bare(chromium, Covered()) as page:
        width = "document.querySelector('svg').getBoundingClientRect().width"
        before = page.evaluate(width)
        page.get_by_role("button", name="full window").press("Enter")
        page.wait_for_function(f"before => {width} > before", arg=before)
        assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
        page.keyboard.press("Escape")
        page.wait_for_function(f"before => {width} === before", arg=before)
        assert page.evaluate("() => document.activeElement.textContent") == "full window"


def test_the_picture_is_saved_as_it_stands(chromium, tmp_path):
    with bare(chromium, Covered()) as page:
        page.get_by_role("slider", name="height").press("End")
        says(page, "heights 10")
        for kind in ("svg", "png"):
            with page.expect_download() as saved:
                page.get_by_role("button", name=f"save as {kind.upper()}").click()
            saved.value.save_as(tmp_path / f"picture.{kind}")
        root = ElementTree.parse(tmp_path / "picture.svg").getroot()
        assert root.get("viewBox") == "0 0 680 200"
        heights = [path.get("d") for path in root.iter("{http://www.w3.org/2000/svg}path")]
        assert any("M 20 180 L 60 180 L 60 80 L 20 80 z" in path for path in heights)
        assert "var(" not in (tmp_path / "picture.svg").read_text()
        image = Image.open(tmp_path / "picture.png").convert("RGB")
        assert image.size == (2040, 600)
        assert image.getpixel((120, 500)) == (0x1F, 0x5F, 0xAE)
        assert page.complaints == []


@pytest.mark.full
def test_without_a_kernel_every_slider_plays_and_a_line_says_what_to_do(chromium):
    with bare(chromium, Covered()) as page:
        settled(page)
        page.kernel.alive = False
        page.get_by_role("slider", name="height").press("End")
        says(page, "heights 10 and 5")
        page.get_by_role("slider", name="other").press("Home")
        page.get_by_text("The kernel does not answer").wait_for()
        page.get_by_role("slider", name="other").press("End")
        says(page, "heights 3 and 10")  # the other one went back to where this reel was drawn, and shows it
        assert (value(page, "height"), value(page, "other")) == ("3.00", "10.00")
        settled(page)
        page.kernel.alive = True
        page.get_by_role("slider", name="height").press("End")
        says(page, "heights 10 and 10")
        settled(page)
        assert page.locator(".state").inner_text() == ""


def test_a_control_that_needs_the_kernel_says_so_when_that_is_gone(chromium):
    with bare(chromium, gate_flow()) as page:
        settled(page)
        page.kernel.alive = False
        page.get_by_role("combobox").select_option("8")
        page.get_by_text("The kernel does not answer").wait_for()


def test_two_views_of_one_explorer_agree(chromium):
    with bare(chromium, gate_flow(), views=2) as page:
        before = words(page)
        page.get_by_role("slider").first.press("Home")
        page.wait_for_function(
            "before => { const said = new Set([...document.querySelectorAll('.words')].map(e => e.textContent));"
            " return said.size === 1 && !said.has(before); }",
            arg=before,
        )
        assert page.get_by_role("slider").nth(1).input_value() == "0"
        page.get_by_role("combobox").nth(1).select_option("8")
        settled(page)
        labels = page.locator(".range label").all_inner_texts()
        assert labels == ["gate input of position 8"] * 2
        ids = page.evaluate("() => [...document.querySelectorAll('[id]')].map(e => e.id)")
        assert len(ids) == len(set(ids)) > 2


def test_a_view_that_is_closed_hears_nothing_more(chromium):
    with bare(chromium, swish_beta(), views=2) as page:
        settled(page)
        before = words(page)
        page.evaluate("() => { close(); model.set('beta', 10); }")
        says(page, "β = 10.00")
        assert page.locator(".words").nth(1).inner_text() == before


@pytest.mark.full
def test_a_view_that_is_closed_while_it_plays_asks_for_nothing(chromium):
    with bare(chromium, swish_beta()) as page:
        settled(page)
        sent = page.evaluate("sent")
        page.get_by_role("button", name="play").click()
        page.wait_for_function("before => document.querySelector('.words').textContent !== before", arg=words(page))
        page.evaluate("() => close()")
        page.evaluate("() => new Promise(done => setTimeout(done, 400))")
        assert page.evaluate("sent") == sent


def test_an_error_in_the_kernel_is_said(chromium, monkeypatch):
    explorer = overall_shift()
    with bare(chromium, explorer) as page:
        settled(page)

        def broken(*_, **__):
            raise ValueError("no such place")

        monkeypatch.setattr(type(explorer), "along", broken)
        page.get_by_role("slider", name="overall shift").press("End")
        page.get_by_text("The picture could not be drawn: no such place").wait_for()


@pytest.mark.parametrize("lost", ["controls", "stages", full("shape"), full("says")])
def test_a_state_of_another_version_shows_a_sentence(chromium, lost):
    with bare(chromium, skeleton(), state={lost: None}) as page:
        page.get_by_text("another version of the course").wait_for()
        assert bool(page.locator("svg").count()) == (lost != "stages")


def test_a_page_without_kernel_by_design(chromium):
    """A text box says what it needs, and a slider plays."""
    with bare(chromium, overall_shift(), state={"static": True}) as page:
        assert page.get_by_role("textbox").is_disabled()
        assert page.get_by_text("needs JupyterLab").count() == 1
        page.get_by_role("slider", name="overall shift").press("End")
        says(page, "Shift +5.00")


@pytest.mark.full
def test_nothing_is_ever_wider_than_its_pane(chromium):
    for make in (parameter_ledger, Covered):
        with bare(chromium, make(), viewport=NARROW) as page:
            for width in (360, 800, 1366):
                page.set_viewport_size({"width": width, "height": 700})
                assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.full
def test_named_stops_keep_apart(chromium):
    with bare(chromium, parameter_ledger(), viewport=NARROW) as page:
        for width in (360, 700, 800):
            page.set_viewport_size({"width": width, "height": 700})
            left, right = (stop.bounding_box() for stop in page.locator(".stops button").all())
            assert left["x"] + left["width"] <= right["x"]


def test_panels_stand_side_by_side_where_there_is_room(chromium):
    with bare(chromium, Covered(), viewport=NARROW) as page:
        for width, beside in ((360, False), (600, False), (700, True), (1366, True)):
            page.set_viewport_size({"width": width, "height": 700})
            first, second = (page.locator(".panel").nth(k).bounding_box() for k in (0, 1))
            assert (first["y"] == second["y"]) == beside
            assert min(first["width"], second["width"]) >= min(width - 20, 0.95 * 340)


def test_the_ink_follows_the_theme_of_the_page(chromium):
    brightest = "e => Math.max(...getComputedStyle(e).fill.match(/\\d+/g).map(Number))"
    with bare(chromium, skeleton(), color_scheme="dark") as page:
        for tag, name, given, scheme, dark in (
            ("html", "lang", "en", "dark", True),  # says nothing of colours
            ("html", "lang", "en", "light", False),
            ("html", "theme", "dark", "light", True),
            ("body", "data-jp-theme-light", "true", "dark", False),
            ("body", "data-jp-theme-light", "false", "light", True),
            ("body", "data-vscode-theme-kind", "vscode-dark", "dark", False),
        ):
            page.emulate_media(color_scheme=scheme)
            page.locator(tag).evaluate("(e, [name, given]) => e.setAttribute(name, given)", [name, given])
            page.wait_for_function("dark => document.querySelector('.flipbook').matches('.dark') === dark", arg=dark)
            assert (page.locator("svg text").first.evaluate(brightest) > 150) == dark
            page.locator(tag).evaluate("(e, name) => e.removeAttribute(name)", name)


def test_a_page_from_right_to_left_keeps_numbers_in_order(chromium):
    with bare(chromium, overall_shift()) as page:
        page.evaluate("() => (document.documentElement.dir = 'rtl')")
        assert page.locator("svg text").first.evaluate("e => getComputedStyle(e).direction") == "ltr"
        slider = page.get_by_role("slider", name="scale")
        slider.press("ArrowRight")
        assert slider.get_attribute("aria-valuetext") == "1.02"


@pytest.mark.full
def test_no_key_is_lost_when_the_kernel_echoes_an_earlier_place(chromium):
    with bare(chromium, overall_shift()) as page:
        slider = page.get_by_role("slider", name="overall shift")
        slider.press("Home")
        for _ in range(100):
            page.keyboard.press("ArrowRight")
        says(page, "Shift 0.00,")
        settled(page)
        assert (slider.input_value(), page.kernel.explorer.shift) == ("100", 0.0)


def test_a_named_stop_takes_the_slider_there(chromium):
    with bare(chromium, parameter_ledger()) as page:
        page.get_by_role("button", name="multiplier 1.3").click()
        says(page, "multiplier 1.30")
        assert value(page, "multiplier") == "1.30"
