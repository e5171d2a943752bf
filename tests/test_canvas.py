"""While a hand moves on a slow page, a canvas shows the picture: the same as the SVG, and gone once the hand rests."""

from __future__ import annotations

import io

import numpy as np
import pytest
from matplotlib.patches import Circle
from matplotlib.transforms import Bbox
from PIL import Image
from playwright.sync_api import Page, expect

import widgets
from tests.bare import bare
from tests.tiers import full
from widgets.explorers.explorer import Explorer
from widgets.flipbook.controls import Slider
from widgets.pictures.page import Page as Blank

# Frames come EVERY ms apart, as far as the page can tell; time stands still once `hold` is set: the hand never rests.
# A canvas tells which position it shows.
FRAMES = """() => {
    const [frame, now] = [requestAnimationFrame, performance.now.bind(performance)];
    let [time, last] = [0, 0];
    const at = (t) => (t === last ? time : ((last = t), (time += EVERY)));
    window.requestAnimationFrame = (f) => frame((t) => f(at(t)));
    performance.now = () => window.hold ?? now();
    HTMLCanvasElement.prototype.watched = true;
}"""
SLOW, QUICK = (FRAMES.replace("EVERY", every) for every in ("40", "16"))
DRAG = """async ([input, by]) => {
    input.dispatchEvent(new PointerEvent('pointerdown'));
    for (let k = 0; k < by; k += 1) {
        input.value = +input.value + 1;
        input.dispatchEvent(new Event('input', {bubbles: true}));
        window.hold = performance.now();
        await new Promise(requestAnimationFrame);
    }
}"""
REST = "input => { delete window.hold; input.dispatchEvent(new PointerEvent('pointerup')); }"
FAR = 12  # positions
SEEN = "canvas:not([style*='opacity: 0'])"


class Disc(Explorer):
    """A disc of which one property, and nothing else, takes these values."""

    def __init__(self, name: str, values: list) -> None:
        self.name, self.choices = name, values
        super().__init__({"k": Slider("number", range(len(values)), 0.0)})

    def paint(self):
        return OneDisc(self.name)

    def steps(self, k):
        return self.choices[int(k)]

    def words(self, steps):
        return f"{self.name} {steps}."

    lines = words


class OneDisc:
    def __init__(self, name: str) -> None:
        figure = Blank(340, 100)
        self.panels, self.covers, self.name = [figure], {}, name
        self.moving = [figure.add(Circle((50, 50), 10))]

    def show(self, steps) -> None:
        self.moving[0].set(**{self.name: steps})


def blurred(pixels: np.ndarray) -> np.ndarray:
    """Means of 6 x 6 pixels, in which a quarter of a pixel between two renderings of a letter does not count."""
    return np.asarray(Image.fromarray(pixels).reduce(6), dtype=float)


def picture(page: Page) -> np.ndarray:
    """The panels as they are painted."""
    shot = page.locator(".panels").screenshot(animations="disabled")
    return np.asarray(Image.open(io.BytesIO(shot)).convert("RGB"))


def at_rest(page: Page) -> np.ndarray:
    page.wait_for_function("() => [...document.querySelectorAll('.flipbook')].every(e => e.dataset.resting === 'true')")
    return picture(page)


def drag(page: Page, by: int) -> None:
    page.evaluate(DRAG, [page.get_by_role("slider").first.element_handle(), by])


def rest(page: Page) -> None:
    page.get_by_role("slider").first.evaluate(REST)


def covered(page: Page) -> np.ndarray:
    """The panels once canvases show the position that the slider has; a canvas is on the screen after it was drawn."""
    there = "([...all]) => all.length && all[0].style.opacity === '1' && all[0].shows === +input.value"
    page.wait_for_function(
        "() => { const input = document.querySelector('input[type=range]');"
        f"return ({there})(document.querySelectorAll('canvas')); }}"
    )
    seen = []
    while len(seen) < 2 or (seen[-1] != seen[-2]).any():
        page.wait_for_timeout(50)
        seen.append(picture(page))
    return seen[-1]


@pytest.mark.parametrize(
    ("name", "look"),
    [
        full("overall_shift", {}),
        ("overall_shift", {"color_scheme": "dark"}),
        full("eps_effect", {"device_scale_factor": 2}),
        ("eps_effect", {"device_scale_factor": 1.25}),  # pixels of the page that are no whole ones
        ("gate_flow", {}),  # hatches
        full("norm_geometry", {}),
        full("activation_curves", {}),
        full("swish_beta", {}),
        full("three_matrices", {}),
        full("parameter_ledger", {}),
    ],
)
def test_it_shows_what_the_svg_shows(chromium, name, look):
    with bare(chromium, getattr(widgets, name)(), **look) as page:
        before = at_rest(page)
        page.evaluate(SLOW)
        drag(page, FAR)
        drawn = covered(page)
        rest(page)
        expect(page.locator(f"{SEEN}, [visibility]")).to_have_count(0)
        exact = at_rest(page)
        assert np.abs(blurred(drawn) - blurred(exact)).max() < 30  # of 255; a missing mark is 60 and more
        assert np.abs(blurred(before) - blurred(exact)).max() > 60
        assert page.complaints == []


def test_it_is_seen_though_nobody_watches(chromium):
    """In a second drag too: then the canvases are there already, and the SVG stands still from the start."""
    with bare(chromium, Disc("radius", [*range(1, 21)])) as page:
        page.evaluate(SLOW)
        page.evaluate("() => { HTMLCanvasElement.prototype.watched = false; }")
        for by in (FAR, 3):
            drag(page, by)
            page.locator(SEEN).wait_for()
            rest(page)
            at_rest(page)


def test_the_readout_lags_a_little_and_is_exact_once_the_hand_rests(chromium):
    with bare(chromium, Disc("radius", [*range(1, 21)])) as page:
        page.evaluate(SLOW)
        drag(page, FAR)
        readout = page.locator("output")
        assert 0 < float(readout.inner_text()) < FAR  # from where the canvas took over, time stands still
        rest(page)
        expect(readout).to_have_text(f"{FAR}.00")
        assert page.get_by_role("slider").get_attribute("aria-valuetext") == f"{FAR}.00"


def test_a_page_that_allows_no_thread_goes_on_with_the_svg(chromium):
    refused = "() => { window.Worker = function () { throw new Error('Refused by the page'); }; }"
    for script in (refused, "() => { URL.createObjectURL = () => 'blob:gone'; }"):
        with bare(chromium, Disc("radius", [*range(1, 21)])) as page:
            page.evaluate(script)
            page.evaluate("() => { close(); document.body.replaceChildren(); show(model); }")
            page.evaluate(SLOW)
            drag(page, FAR)
            page.wait_for_function("() => document.querySelectorAll('canvas').length === 0")
            drag(page, 1)
            assert page.get_by_role("slider").input_value() == str(FAR + 1)
            width = page.locator("[data-moves]").first.evaluate("e => e.getBBox().width")
            assert width == pytest.approx(2 * (FAR + 2))  # of radius k + 1
            rest(page)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("facecolor", ["#1f5fae", "#ffffff"] * 10),
        ("clip_box", [Bbox.from_bounds(0, 0, 45 + width, 100) for width in range(20)]),
    ],
)
def test_what_it_cannot_draw_moves_in_the_svg(chromium, name, values):
    with bare(chromium, Disc(name, values)) as page:
        before = at_rest(page)
        page.evaluate(SLOW)
        drag(page, FAR - 1)
        assert page.locator("canvas").count() == 0
        assert (picture(page) != before).any()


@pytest.mark.parametrize(("frames", "canvases"), [(QUICK, 0), (SLOW, 1)])
def test_only_a_page_that_does_not_keep_up_needs_it(chromium, frames, canvases):
    with bare(chromium, Disc("radius", [*range(1, 21)])) as page:
        page.evaluate(frames)
        drag(page, FAR)
        assert page.locator("canvas").count() == canvases


def darken(page: Page) -> None:
    page.emulate_media(color_scheme="dark")
    page.locator(".flipbook.dark").wait_for()


@pytest.mark.parametrize(
    ("change", "kept"),
    [
        (lambda page: None, True),
        full(lambda page: page.set_viewport_size({"width": 360, "height": 600}), False),
        (darken, False),
    ],
    ids=["nothing", "width", "theme"],
)
def test_canvases_are_kept_for_the_next_drag_unless_the_picture_looks_otherwise(chromium, change, kept):
    with bare(chromium, Disc("radius", [*range(1, 21)])) as page:
        page.evaluate(SLOW)
        drag(page, FAR)
        covered(page)
        page.evaluate("() => { window.first = document.querySelector('canvas'); }")
        rest(page)
        at_rest(page)
        change(page)
        drag(page, 3)
        drawn = covered(page)
        assert page.evaluate("() => window.first === document.querySelector('canvas')") == kept
        rest(page)
        assert np.abs(blurred(drawn) - blurred(at_rest(page))).max() < 30
        assert page.locator("canvas").count() == 1
