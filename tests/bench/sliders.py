"""How many pictures a second a person sees while dragging a slider in a real JupyterLab in Chromium.

Each drag is held against the same drag with nothing painted, from the same run: what browser and machine can do.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import nbformat
from playwright.sync_api import Locator, Page

from tests.browser import LAPTOP, Lesson, chromium, jupyterlab, open_lesson
from tests.notebooks import LESSONS, notebooks_in, read
from widgets.site.__main__ import main as site

SECONDS = 2.0
DRAGS = 3  # of which the median counts: at 4x one drag may see a tenth more or fewer pictures than the next
THROTTLES = {1: 0.95, 2: 0.92, 4: 0.85}  # how much slower the page's processor is made -> the share to reach
BUSY = "import time\nend = time.time() + 60\nwhile time.time() < end: pass"
RESTING = "e => e.closest('.flipbook').dataset.resting === 'true'"
STOPPED = "() => window.lesson.sessionContext.session.kernel.interrupt()"
GONE = "() => window.lesson.sessionContext.session.kernel.shutdown()"

# Milliseconds from opening a page until an explorer's picture is there.
FIRST = """new MutationObserver(() => {
    if (document.querySelector('.flipbook svg')) window.first ??= performance.now();
}).observe(document, {subtree: true, childList: true});"""

# One position further in every frame, to and fro. Without `painting` the handle moves and nobody hears of it. A picture
# is one in the SVG or on the canvas over it; that the two, which tests/test_canvas.py compares, are exchanged is none.
DRAG = """async ([input, seconds, painting]) => {
    const panels = input.closest('.flipbook').querySelector('.panels');
    const frame = () => new Promise(requestAnimationFrame);
    HTMLCanvasElement.prototype.watched = true; // which costs a little more than people pay
    const drawn = () => panels.querySelector('canvas')?.shows;
    let [pictures, moved, frames, step, last] = [0, false, 0, 1, drawn()];
    const exchanged = seen => seen.some(one => one.attributeName === 'visibility');
    const changed = seen => seen.some(one => one.attributeName !== 'aria-label') && !exchanged(seen);
    const marks = new MutationObserver(seen => { moved ||= changed(seen); });
    marks.observe(panels, {subtree: true, attributes: true, characterData: true, childList: true});
    const count = () => { if (moved || last !== drawn()) pictures += 1; [moved, last] = [false, drawn()]; };
    const [hear, send] = [input.oninput, WebSocket.prototype.send];
    let sent = 0;
    WebSocket.prototype.send = function (...rest) { sent += 1; return send.apply(this, rest); };
    if (!painting) input.oninput = null;
    input.dispatchEvent(new PointerEvent('pointerdown'));
    const start = await frame();
    for (let now = start; now - start < 1000 * seconds; frames += 1) {
        if (+input.value + step > +input.max || +input.value + step < 0) step = -step;
        input.value = +input.value + step;
        input.dispatchEvent(new Event('input', {bubbles: true}));
        now = await frame();
        count();
    }
    // A hand stays 33 ms where it lets go: the painter's picture is there a frame after a move, on a slow page two.
    for (let k = 0; k < 2; k += 1) { await frame(); count(); }
    const during = pictures;
    WebSocket.prototype.send = send;
    input.dispatchEvent(new PointerEvent('pointerup'));
    input.oninput = hear;
    for (let k = 0; k < 60; k += 1) { await frame(); count(); }
    marks.disconnect();
    return {pictures: during / seconds, frames: frames / seconds, late: pictures - during, sent};
}"""


def measure_explorers(names: list[str]) -> None:
    """Every slider of these explorers, in the first lesson that shows them."""
    print("A drag of every slider: pictures a second, and their share of the frames when nothing is painted,")
    print(f"with the page's processor as it is and slowed ({', '.join(f'{k}x: {v}' for k, v in THROTTLES.items())}):")
    for path in notebooks_in([LESSONS]):
        here = {name: cell for name in names if (cell := _cell_of(name, path))}
        names = [name for name in names if name not in here]
        if here:
            with opened(path) as lesson:
                lesson.run_all()
                for name, cell in here.items():
                    measure(lesson, name, cell)
    print()


def measure_kernels() -> None:
    """The overall shift while the kernel computes, after that was interrupted, and after it has gone."""
    print("The overall shift, the kernel idle, busy, interrupted and gone:")
    with opened_cells({"imports": "from widgets import *", "shift": "overall_shift()", "busy": BUSY}) as lesson:
        for cell in ("imports", "shift"):
            lesson.run(cell)
        measure(lesson, "idle", "shift")
        lesson.show("busy")
        lesson.page.evaluate("() => { window.jupyterapp.commands.execute('notebook:run-cell') }")
        measure(lesson, "busy", "shift")
        lesson.page.evaluate(STOPPED)
        measure(lesson, "interrupted", "shift")
        lesson.page.evaluate(GONE)
        measure(lesson, "gone", "shift")
    print()


def measure_pages() -> None:
    """Lesson 02 as web pages, from disk: size, the time until a picture can be moved, and every slider."""
    print("Lesson 02 as web pages from disk, each explorer on its own:")
    with TemporaryDirectory() as folder, chromium(usual=True) as browser:
        with redirect_stdout(None):
            site([folder, "--only", "02_rmsnorm", "--coarse"])
        for path in [Path(folder) / "02_rmsnorm.html", *sorted(Path(folder, "explorers").glob("*.html"))]:
            page = browser.new_context(viewport=LAPTOP).new_page()
            page.add_init_script(FIRST)
            page.goto(path.as_uri())
            page.locator(".explorer").first.scroll_into_view_if_needed()
            page.wait_for_function("() => window.first")
            print(f"  {path.stem}: {path.stat().st_size / 1e6:.2f} MB, {page.evaluate('first'):.0f} ms to a picture")
            for slider in page.locator(".flipbook").first.get_by_role("slider").all():
                slider.press("ArrowRight")
                page.wait_for_function(RESTING, arg=slider.element_handle())
                row(f"  {slider.evaluate('e => e.labels[0].textContent')}", page, slider)
            page.context.close()
    print()


def _cell_of(name: str, path: Path) -> str | None:
    return next((cell.id for cell in read(path).cells if re.match(rf"{name}\(", cell.source)), None)


def measure(lesson: Lesson, name: str, cell: str) -> None:
    """The sliders of a cell, one after the other, with everything shown that has a checkbox."""
    place = lesson.show(cell)
    for box in place.get_by_role("checkbox").all():
        box.check()
    for slider in place.get_by_role("slider").all():
        slider.press("ArrowRight")
        lesson.page.wait_for_function(RESTING, arg=slider.element_handle())
        row(f"{name}: {slider.evaluate('e => e.labels[0].textContent')}", lesson.page, slider)


def row(words: str, page: Page, slider: Locator) -> None:
    """Prints one line: pictures a second and their share at each throttle, messages sent, pictures after letting go."""
    devtools = page.context.new_cdp_session(page)
    shares, late, sent = [], 0, 0
    for rate in THROTTLES:
        devtools.send("Emulation.setCPUThrottlingRate", {"rate": rate})
        drags = [page.evaluate(DRAG, [slider.element_handle(), SECONDS, on]) for on in DRAGS * (False, True)]
        floors, painted = drags[::2], drags[1::2]
        sent += sum(drag["sent"] for drag in painted)
        late += sum(drag["late"] for drag in painted)
        frames, pictures = median(one["frames"] for one in floors), median(one["pictures"] for one in painted)
        shares.append(f"{pictures:5.1f} {pictures / frames:5.2f}")
    devtools.send("Emulation.setCPUThrottlingRate", {"rate": 1})
    devtools.detach()
    print(f"  {words:<46}{'   '.join(shares)}   {sent} sent, {late:.0f} after letting go", flush=True)


@contextmanager
def opened(path: Path) -> Iterator[Lesson]:
    """A copy of a notebook, with the data beside it, open in a JupyterLab of its own, nothing run yet."""
    with TemporaryDirectory() as folder:
        shutil.copytree(path.parent, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".ipynb_checkpoints"))
        with jupyterlab(Path(folder)) as address, chromium(usual=True) as browser:
            lesson = open_lesson(browser, address, path.name)
            yield lesson
            lesson.close()


@contextmanager
def opened_cells(cells: dict[str, str]) -> Iterator[Lesson]:
    """A notebook of these cells (id -> source), open in a JupyterLab of its own, nothing run yet."""
    with TemporaryDirectory() as folder:
        notebook = nbformat.v4.new_notebook()
        notebook.cells = [nbformat.v4.new_code_cell(source, id=name) for name, source in cells.items()]
        notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
        nbformat.write(notebook, Path(folder) / "bench.ipynb")
        with opened(Path(folder) / "bench.ipynb") as lesson:
            yield lesson
