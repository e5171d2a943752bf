"""A hub on another continent: 200 milliseconds each way between the browser and JupyterLab.

Marked `full`. The relay stands between them on the loopback address and holds back every byte for that long.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import permutations
from urllib.parse import urlsplit

import nbformat
import pytest
from playwright.sync_api import Locator, Page, WebSocket

from tests import browser as browsers
from tests.browser import Lesson

pytestmark = pytest.mark.full

DELAY = 0.2  # seconds, each way
CELLS = {
    "imports": "from widgets import *\nskeleton(64)",  # with the first explorer JupyterLab fetches its own scripts
    "overall_shift": "overall_shift()",
    "eps_effect": "eps_effect()",
    "swish_beta": "swish_beta()",
    "norm_geometry": "norm_geometry()",
    "activation_curves": "activation_curves()",
    "gate_flow": "gate_flow()",
    "three_matrices": "three_matrices()",
    "parameter_ledger": "parameter_ledger()",
}
MOVING = [name for name in CELLS if name != "imports"]
SEVERAL = ["overall_shift", "norm_geometry", "three_matrices", "parameter_ledger"]  # that show two sliders and more
SOON = 3  # seconds, after which an explorer says that the kernel does not answer
# From now on until a picture that has waited is right, or for so long: how light it was in its first second of waiting,
# and how many seconds it has waited.
WATCH = """([cell, seconds]) => {
    const panels = cell.querySelector('.panels'), start = performance.now();
    let [light, before, since, waited] = [1, start, undefined, 0];
    window.watched = new Promise(done => {
        const look = now => {
            const waits = panels.classList.contains('waiting');
            if (waits) since ??= before; // it began after that
            before = now;
            if (waits && now - since < 1000) light = Math.min(light, Number(getComputedStyle(panels).opacity));
            if (since !== undefined) waited = (now - since) / 1e3;
            if (now - start > 1e3 * seconds || (waited && !waits)) done([light, waited]);
            else requestAnimationFrame(look);
        };
        requestAnimationFrame(look);
    });
}"""
WATCHED = "() => window.watched"


class Relay:
    """Passes on what comes, in order and late."""

    def __init__(self, port: int) -> None:
        self.port, self.loop = port, asyncio.new_event_loop()

    async def listen(self) -> int:
        """Gives the port to connect to."""
        server = await asyncio.start_server(self.join, "127.0.0.1", 0)
        return server.sockets[0].getsockname()[1]

    async def join(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection: both directions, until one of them ends."""
        there, back = await asyncio.open_connection("127.0.0.1", self.port)
        await asyncio.gather(self.pass_on(reader, back), self.pass_on(there, writer), return_exceptions=True)

    async def pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One direction; what comes while something is held back is held back beside it."""
        while data := await reader.read(2**16):
            self.loop.call_later(DELAY, writer.write, data)
        self.loop.call_later(DELAY, writer.close)


@contextmanager
def far_away(address: str) -> Iterator[str]:
    """The same address through a relay."""
    port = urlsplit(address).port
    relay = Relay(port)
    thread = threading.Thread(target=relay.loop.run_forever, daemon=True)
    thread.start()
    near = asyncio.run_coroutine_threadsafe(relay.listen(), relay.loop).result()
    try:
        yield address.replace(f":{port}/", f":{near}/")
    finally:
        relay.loop.call_soon_threadsafe(relay.loop.stop)
        thread.join()


class Wire:
    """What a page's web sockets have carried, in order: the texts that went, and the sizes of what came."""

    def __init__(self, page: Page) -> None:
        self.carried = list[str | int]()
        page.on("websocket", self.tap)

    def tap(self, socket: WebSocket) -> None:
        socket.on("framereceived", lambda frame: self.carried.append(len(frame)))
        socket.on("framesent", lambda frame: self.carried.append(str(frame)))

    def asked(self) -> list[str]:
        """What the picture has asked the kernel for."""
        return [what for what in self.carried if isinstance(what, str) and "comm_msg" in what]

    def until_asked(self) -> int:
        """The bytes that came before it asked for anything."""
        until = self.carried.index(self.asked()[0]) if self.asked() else len(self.carried)
        return sum(size for size in self.carried[:until] if isinstance(size, int))


@pytest.fixture(scope="module")
def far(chromium: browsers.Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Lesson, Wire]]:
    """A notebook with explorers, opened from far away, their names imported."""
    folder = tmp_path_factory.mktemp("far")
    notebook = nbformat.v4.new_notebook()
    notebook.cells = [nbformat.v4.new_code_cell(source, id=name) for name, source in CELLS.items()]
    notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
    nbformat.write(notebook, folder / "far.ipynb")
    with browsers.jupyterlab(folder) as address, far_away(address) as slow:
        page = chromium.new_context(viewport=browsers.LAPTOP).new_page()
        lesson, wire = Lesson(page), Wire(page)
        page.goto(slow.replace("/lab?", "/lab?reset&"), timeout=120_000)
        page.wait_for_function(browsers.READY, timeout=120e3)
        lesson.open("far.ipynb")
        lesson.run("imports")
        yield lesson, wire
        lesson.close()


def run(lesson: Lesson, name: str) -> Locator:
    """Runs a cell, not waiting for its end; gives its place once its picture is there."""
    place = lesson.show(name)
    lesson.ask(browsers.RUN, "run-cell")
    place.locator(".panels svg").first.wait_for()
    return place


@pytest.mark.parametrize("name", MOVING)
def test_the_first_picture_is_light_and_comes_in_one_round_trip(far: tuple[Lesson, Wire], name: str) -> None:
    """What is asked for then is for the other sliders: the picture and the reel of the first are there."""
    lesson, wire = far
    lesson.show(name)
    wire.carried.clear()
    place = run(lesson, name)
    lesson.settle()
    resting(lesson, place)  # else what still comes is counted with the next explorer
    print(f"{name}: {wire.until_asked() / 1e3:.0f} kB")
    assert 1000 < wire.until_asked() < 300_000
    assert wire.asked() or name not in SEVERAL
    assert all('"now":false' in request for request in wire.asked())  # true: the picture waits for this


@pytest.mark.parametrize("name", MOVING)
def test_nothing_dims_within_a_second(far: tuple[Lesson, Wire], name: str) -> None:
    """The first slider, a rest, and then each other one: its picture follows, undimmed."""
    lesson, _ = far
    place = run(lesson, name)
    lesson.settle()
    for slider in place.get_by_role("slider").all():
        resting(lesson, place)
        slider.focus()
        shown = place.locator(".panels").inner_html()
        key = "ArrowRight" if slider.input_value() == "0" else "ArrowLeft"
        lesson.page.evaluate(WATCH, [place.element_handle(), 1])
        for _ in range(2):
            lesson.page.keyboard.press(key)
        light, _ = lesson.page.evaluate(WATCHED)
        assert light == 1, slider.evaluate("e => e.labels[0].textContent")
        assert place.locator(".panels").inner_html() != shown


@pytest.mark.parametrize("name", SEVERAL)
def test_a_second_slider_taken_at_once_waits_for_one_round_trip(far: tuple[Lesson, Wire], name: str) -> None:
    """No reel fits then: the last picture stays as it was for a second, and the right one is there before one asks."""
    lesson, _ = far
    place = run(lesson, name)
    lesson.settle()
    sliders = place.get_by_role("slider").all()
    assert len(sliders) > 1
    for first, second in permutations(sliders, 2):
        resting(lesson, place)
        lesson.page.evaluate(WATCH, [place.element_handle(), 2 * SOON])
        for slider in (first, second):
            slider.focus()
            lesson.page.keyboard.press("ArrowRight" if slider.input_value() == "0" else "ArrowLeft")
        light, seconds = lesson.page.evaluate(WATCHED)
        print(f"{name}: right after {seconds:.2f} s")
        assert light == 1 and 0 < seconds < SOON
        assert place.locator(".state").inner_text() == ""  # not even "the kernel does not answer"


def resting(lesson: Lesson, place: Locator) -> None:
    """Until the browser has all that it needs."""
    lesson.page.wait_for_function(
        "cell => cell.querySelector('.flipbook').dataset.resting === 'true'", arg=place.element_handle()
    )
