"""How many pictures a second a person sees while dragging a slider in a real JupyterLab in Chromium."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat

from tests.browser import Lesson, chromium, jupyterlab, open_lesson

SECONDS = 4.0
IMPORTS = "from widgets import *"

# The same picture, updated in the two usual ways.
PARTS = """\
from ipywidgets import interact
from matplotlib import pyplot as plt
import torch
from widgets.maths.norms import shift_steps
from widgets.pictures.overall_shift import OverallShiftPicture
x = torch.tensor([2, -1, 0.5, 3, -0.5, 1])"""
INTERACT = """\
def draw(shift):
    picture = OverallShiftPicture(6, 9.0)
    picture.show(shift_steps(x, 1.0, shift))
    for panel in picture.panels:
        plt.figure(panel)
    plt.show()
interact(draw, shift=(-5.0, 5.0, 0.05))"""
IPYMPL = """\
%matplotlib widget
picture = OverallShiftPicture(6, 9.0)
for panel in picture.panels:
    plt.figure(panel)
def draw(shift):
    picture.show(shift_steps(x, 1.0, shift))
    for panel in picture.panels:
        panel.canvas.draw_idle()
interact(draw, shift=(-5.0, 5.0, 0.05))
plt.show()"""
BUSY = "import time\nend = time.time() + 10\nwhile time.time() < end: pass"

# A new picture is: marks of an SVG that change (one count a frame), an image that loads, an image drawn on a canvas.
DRAG = """async ([handle, seconds]) => {
    const output = handle.closest('.jp-Cell-outputWrapper');
    const base = handle.closest('.noUi-base').getBoundingClientRect();
    const knob = handle.getBoundingClientRect();
    const y = knob.y + knob.height / 2;
    let pictures = 0, moved = false;
    const seen = new Set();
    const draw = CanvasRenderingContext2D.prototype.drawImage;
    CanvasRenderingContext2D.prototype.drawImage = function (image, ...rest) {
        if (image.src && !seen.has(image.src)) { seen.add(image.src); pictures += 1; }
        return draw.call(this, image, ...rest);
    };
    const loaded = event => { if (event.target.tagName === 'IMG') pictures += 1; };
    output.addEventListener('load', loaded, true);
    const marks = new MutationObserver(() => { moved = true; });
    for (const svg of output.querySelectorAll('.flipbook svg'))
        marks.observe(svg, {subtree: true, attributes: true, characterData: true, childList: true});
    const mouse = (type, target, x) => target.dispatchEvent(
        new MouseEvent(type, {bubbles: true, cancelable: true, clientX: x, clientY: y, buttons: 1, view: window}));
    const frames = async (seconds, each) => {
        const start = performance.now();
        for (let count = 1; ; count += 1) {
            const now = await new Promise(requestAnimationFrame);
            if (moved) { pictures += 1; moved = false; }
            const t = (now - start) / 1000;
            if (t > seconds) return count / t;
            each(t);
        }
    };
    mouse('mousedown', handle.querySelector('.noUi-touch-area'), knob.x + knob.width / 2);
    const rate = await frames(seconds, t => {
        const there = (t / 2) % 2, part = there < 1 ? there : 2 - there;
        mouse('mousemove', document.documentElement, base.x + base.width * part);
    });
    const during = pictures;
    mouse('mouseup', document.documentElement, knob.x);
    await frames(1.5, () => {});
    CanvasRenderingContext2D.prototype.drawImage = draw;
    output.removeEventListener('load', loaded, true);
    marks.disconnect();
    return {pictures: during / seconds, screen: rate, late: pictures - during};
}"""


def measure_explorers(names: list[str]) -> None:
    """Every slider of these explorers, each dragged once."""
    print(f"Pictures a second while a slider is dragged for {SECONDS:g} s, and pictures after letting go:")
    cells = {name: f"{name}()" for name in names}
    with opened({"imports": IMPORTS, **cells}) as lesson:
        lesson.run_all()
        for name in names:
            place = lesson.show(name)
            for box in place.locator("input[type=checkbox]").all():
                box.check()  # shows every slider, and the picture with everything in it
                lesson.page.wait_for_timeout(2000)
            lesson.page.wait_for_timeout(1500)
            for k in range(place.locator(".widget-hslider").count()):
                slider = place.locator(".widget-hslider").nth(k)
                row(f"{name}: {slider.locator('label').inner_text()}", drag(lesson, slider.locator(".noUi-handle")))
                lesson.page.wait_for_timeout(1000)
    print()


def compare_overall_shift() -> None:
    """The same picture in three ways, and the flipbook again while the kernel computes for ten seconds."""
    print("The overall shift in one run, the same picture updated in three ways:")
    cells = {"imports": IMPORTS, "parts": PARTS, "flipbook": "overall_shift()", "interact": INTERACT}
    with opened({**cells, "busy": BUSY, "ipympl": IPYMPL}) as lesson:
        for cell in cells:
            lesson.run(cell)
        flipbook = measure(lesson, "flipbook", "flipbook")
        interact = measure(lesson, "interact", "interact with pyplot")
        lesson.run("ipympl")
        ipympl = measure(lesson, "ipympl", "ipympl")
        lesson.show("busy")
        lesson.page.evaluate("() => { window.jupyterapp.commands.execute('notebook:run-cell') }")
        busy = measure(lesson, "flipbook", "flipbook, kernel busy")
    ratios = [flipbook / max(other, 0.25) for other in (interact, ipympl, busy)]
    print("flipbook against interact {:.1f}, against ipympl {:.1f}, against itself busy {:.2f}".format(*ratios))
    print()


def measure(lesson: Lesson, cell: str, words: str) -> float:
    """Drags the first slider of a cell; prints the row and gives pictures a second."""
    handle = lesson.show(cell).locator(".noUi-handle").first
    handle.wait_for()
    lesson.page.wait_for_timeout(500)
    return row(words, drag(lesson, handle))


def drag(lesson: Lesson, handle: object) -> dict[str, float]:
    """A steady sweep at the screen's own rate."""
    return lesson.page.evaluate(DRAG, [handle.element_handle(), SECONDS])


def row(words: str, result: dict[str, float]) -> float:
    """Prints one measurement; gives pictures a second."""
    rates = f"{result['pictures']:5.1f} pictures/s at {result['screen']:4.1f} frames/s"
    print(f"  {words:<44}{rates}, {result['late']:.0f} after letting go", flush=True)
    return result["pictures"]


@contextmanager
def opened(cells: dict[str, str]) -> Iterator[Lesson]:
    """A notebook of these cells (id -> source), open in a JupyterLab of its own, nothing run yet."""
    with TemporaryDirectory() as folder:
        notebook = nbformat.v4.new_notebook()
        notebook.cells = [nbformat.v4.new_code_cell(source, id=name) for name, source in cells.items()]
        notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
        nbformat.write(notebook, Path(folder) / "bench.ipynb")
        with jupyterlab(Path(folder)) as address, chromium() as browser:
            lesson = open_lesson(browser, address, "bench.ipynb")
            yield lesson
            lesson.close()
