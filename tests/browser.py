"""A real JupyterLab in a real Chromium, in the words of a test: open a lesson, run it, drag a slider, look.

    with jupyterlab(folder) as address, chromium() as browser:
        lesson = open_lesson(browser, address, "02_rmsnorm.ipynb")
        lesson.run_all()
        lesson.show("overall-shift")
        lesson.drag(lesson.slider("overall shift"), 0.75)
        assert not lesson.errors() and not lesson.complaints

Tests get the first line's two from the fixtures in conftest.py; tests/bench uses them as they are.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from playwright.sync_api import Browser, BrowserContext, Locator, Page, sync_playwright

WITHOUT_WINDOWS = "chromium-headless-shell"  # the same engine, and a third quicker
CHROMIUM_NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "C:/Program Files/Google/Chrome/Application/chrome.exe",
)
CHROMIUM_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
LAPTOP = {"width": 1366, "height": 768}
HANDLE = 24  # pixels across, in flipbook.css
START = 60  # seconds that JupyterLab and a lesson may take to start on a busy machine


def find_chromium(usual: bool = False) -> str | None:
    """The browser to test with: what the environment variable CHROMIUM says, or a usual name.

    usual: the one that people have, where there is one, rather than the quickest
    """
    names = (*CHROMIUM_NAMES, WITHOUT_WINDOWS) if usual else (WITHOUT_WINDOWS, *CHROMIUM_NAMES)
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)


@contextmanager
def chromium(usual: bool = False) -> Iterator[Browser]:
    """A headless Chromium that talks to nobody but us."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(usual), args=list(CHROMIUM_FLAGS))
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def jupyterlab(folder: Path, *options: str) -> Iterator[str]:
    """A JupyterLab that serves a folder on the loopback address; gives its address, which ends in the token.

    It is as a student sees it: own settings and workspaces, no news, and none of nbgrader's menus.
    options: more of JupyterLab's own.
    """
    with TemporaryDirectory(prefix="lab ") as private:
        env = private_environment(Path(private))
        command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"]
        command += [f"--ServerApp.root_dir={folder}", "--ServerApp.ip=127.0.0.1", "--ServerApp.port=0"]
        command += ["--LabApp.expose_app_in_browser=True", *options]
        with (Path(private) / "log.txt").open("w+", encoding="utf-8") as log:
            server = subprocess.Popen(command, env=env, stdout=log, stderr=subprocess.STDOUT)
            try:
                yield wait_for_address(Path(env["JUPYTER_RUNTIME_DIR"]), server, log.name)
            finally:
                server.terminate()
                server.wait(timeout=START)


def private_environment(home: Path) -> dict[str, str]:
    """Environment variables that keep a JupyterLab, and its settings, inside one folder."""
    folders = {name: home / name.lower() for name in ("CONFIG", "RUNTIME", "DATA")}
    env = {f"JUPYTER_{name}_DIR": str(path) for name, path in folders.items()}
    env |= {f"JUPYTERLAB_{name}_DIR": str(home / name.lower()) for name in ("SETTINGS", "WORKSPACES")}
    env |= {"IPYTHONDIR": str(home / "ipython")}
    write_json(
        home / "settings/@jupyterlab/apputils-extension/notification.jupyterlab-settings",
        {"fetchNews": "false"},
    )
    not_a_students = {"@jupyter/nbgrader": True, "@jupyter-notebook/lab-extension": True}
    write_json(folders["CONFIG"] / "labconfig/page_config.json", {"disabledExtensions": not_a_students})
    return os.environ | env


def write_json(path: Path, value: object) -> None:
    """Write a settings file, and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")


def wait_for_address(runtime: Path, server: subprocess.Popen[bytes], log: str) -> str:
    """The address of a starting JupyterLab with its token, as soon as it answers."""
    end = time.monotonic() + START
    while time.monotonic() < end and server.poll() is None:
        for path in runtime.glob("jpserver-*.json"):
            facts = json.loads(path.read_text(encoding="utf-8") or "{}")
            if "url" in facts:
                return f"{facts['url']}lab?token={facts['token']}"
        time.sleep(0.1)
    raise RuntimeError("JupyterLab did not start:\n" + Path(log).read_text(encoding="utf-8"))


def open_lesson(browser: Browser | BrowserContext, address: str, name: str) -> Lesson:
    """Open a notebook on a fresh page, kernel ready, nothing run; a context keeps what JupyterLab has sent once.

    name: its path from the folder that JupyterLab serves
    """
    page = browser.new_page(viewport=LAPTOP) if isinstance(browser, Browser) else browser.new_page()
    lesson = Lesson(page)
    page.goto(address.replace("/lab?", "/lab?reset&"), timeout=START * 1e3)
    page.wait_for_function(READY, timeout=START * 1e3)
    lesson.open(name)
    return lesson


READY = "() => window.jupyterapp?.commands?.hasCommand('notebook:run-all-cells')"

OPEN = """async path => {
    await window.jupyterapp.restored;
    const where = {path, factory: 'Notebook'};
    const panel = window.lesson = await window.jupyterapp.commands.execute('docmanager:open', where);
    await panel.context.ready;
    await panel.revealed;
    await panel.sessionContext.ready;
}"""

RUN = """command => {
    delete window.ran;
    window.jupyterapp.commands.execute(`notebook:${command}`).then(ended => { window.ran = ended; });
}"""

SETTLED = """() => window.ran !== undefined && window.lesson.sessionContext.session.kernel.status === 'idle'
    && window.lesson.content.widgets.every(cell => cell.model.executionState !== 'running')"""

ERRORS = """() => window.lesson.content.widgets.flatMap(cell => cell.model.type !== 'code' ? [] :
    cell.model.outputs.toJSON().filter(output => output.output_type === 'error')
        .map(output => `${cell.model.id}: ${output.ename}: ${output.evalue}`))"""

LOOK = """async () => {
    const notebook = window.lesson.content;
    const views = ({type, outputs}) => type === 'code'
        && outputs.toJSON().some(({data}) => data?.['application/vnd.jupyter.widget-view+json']);
    const alive = node => node.querySelector('.jp-OutputArea :is(.flipbook svg, .prediction form)');
    const seen = [];
    for (const [index, {model, node}] of notebook.widgets.entries()) {
        notebook.scrollToItem(index, 'start');
        do await new Promise(requestAnimationFrame);
        while (!node.isConnected || !node.innerText || (views(model) && !alive(node)));
        seen.push([model.id, node.innerText, node.querySelectorAll('.jp-OutputArea :is(img, svg[role=img])').length]);
    }
    return seen;
}"""

SHOW = """async id => {
    const notebook = window.lesson.content;
    const index = notebook.widgets.findIndex(cell => cell.model.id === id);
    if (index < 0) throw new Error(`there is no cell ${id}`);
    notebook.activeCellIndex = index;
    await notebook.scrollToItem(index, 'start');
    await notebook.widgets[index].ready;
}"""


class Sight(NamedTuple):
    """What can be seen of a cell: all its words, and how many pictures are in its output."""

    words: str
    pictures: int


class Lesson:
    """A notebook that is open in JupyterLab, and what can be done with it there.

    page: Playwright's page, for everything that has no word here.
    complaints: what the browser's console reported as an error so far.
    """

    def __init__(self, page: Page) -> None:
        self.page = page
        page.set_default_timeout(15_000)
        self.complaints: list[str] = []
        page.on("console", lambda message: self.complain(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: self.complain(str(error)))

    def complain(self, text: str) -> None:
        """Keep what the console reported."""
        self.complaints.append(text)

    def open(self, name: str) -> None:
        """Open another notebook in the same JupyterLab: what follows is about this one."""
        self.ask(OPEN, name)

    def save(self) -> None:
        """Write the notebook to the disk, as Ctrl+S does."""
        self.ask("() => window.jupyterapp.commands.execute('docmanager:save')")

    def run_all(self, timeout: float = 120) -> None:
        """Run every cell and wait until the kernel is idle; a failing cell ends the run: see `errors`."""
        self.start_all()
        self.settle(timeout)

    def start_all(self) -> None:
        """Begin to run every cell, and do not wait."""
        self.ask(RUN, "run-all-cells")

    def run_above(self, cell: str, timeout: float = 120) -> None:
        """Run every cell above this one and wait until the kernel is idle."""
        self.show(cell)
        self.ask(RUN, "run-all-above")
        self.settle(timeout)

    def run(self, cell: str, timeout: float = 120) -> None:
        """Run one cell by its id and wait for its end."""
        self.show(cell)
        self.ask(RUN, "run-cell")
        self.settle(timeout)

    def settle(self, timeout: float = 120) -> None:
        """Wait until what was started has ended and the kernel is idle."""
        self.page.wait_for_function(SETTLED, timeout=timeout * 1e3, polling=50)  # else JupyterLab draws every frame

    def ask(self, script: str, argument: object = None) -> Any:
        """Evaluate a JavaScript function on the page. Unlike Playwright's `evaluate`, this does not wait for ever."""
        late = f"new Promise((_, no) => setTimeout(() => no(new Error('no answer in {START} seconds')), {START}e3))"
        return self.page.evaluate(f"argument => Promise.race([({script})(argument), {late}])", argument)

    def cells(self) -> list[str]:
        """The ids of the cells, in order."""
        return self.ask("() => window.lesson.content.widgets.map(cell => cell.model.id)")

    def errors(self) -> list[str]:
        """Every error among the outputs, as `cell: name: message`."""
        return self.ask(ERRORS)

    def look(self) -> dict[str, Sight]:
        """What can be seen of each cell, by its id, when one scrolls from the first to the last."""
        return {cell: Sight(words, pictures) for cell, words, pictures in self.ask(LOOK)}

    def show(self, cell: str) -> Locator:
        """Scroll a cell into view, by its id; gives its place on the page, input and outputs."""
        self.ask(SHOW, cell)
        place = self.page.locator(".jp-Cell.jp-mod-active")
        place.wait_for()
        return place

    def slider(self, within: Locator, name: str) -> Locator:
        """The slider whose label contains `name`."""
        return within.get_by_role("slider", name=name)

    def drag(self, slider: Locator, to: float, steps: int = 20) -> None:
        """Drag a slider's handle with the mouse to a place on its track: 0 is the left end, 1 the right."""
        slider.scroll_into_view_if_needed()  # waits until it stands still: cells above it get their true heights
        track = slider.bounding_box()
        last, here = (int(slider.get_attribute("max")), int(slider.input_value()))
        middle, room = track["y"] + track["height"] / 2, track["width"] - HANDLE
        self.page.mouse.move(track["x"] + HANDLE / 2 + room * here / last, middle)
        self.page.mouse.down()
        self.page.mouse.move(track["x"] + HANDLE / 2 + room * to, middle, steps=steps)
        self.page.mouse.up()

    def press(self, handle: Locator, key: str, times: int = 1) -> None:
        """Give a control the keyboard's focus and press a key, as `ArrowRight`."""
        handle.focus()
        for _ in range(times):
            self.page.keyboard.press(key)

    def until(self, holds: Callable[[], bool], what: str) -> None:
        """Wait for what the page does not show, such as a file that the kernel writes; AssertionError if none comes."""
        for _ in range(300):
            if holds():
                return
            self.page.wait_for_timeout(50)
        raise AssertionError(f"15 seconds have gone, and still not: {what}")

    def picture(self, place: Locator) -> bytes:
        """A PNG of a part of the page as it is drawn now, to compare or to look at."""
        return place.screenshot(animations="disabled", caret="hide")

    def stop(self) -> None:
        """Shut the notebook's kernel down."""
        self.ask("() => window.lesson.sessionContext.shutdown()")

    def close(self) -> None:
        """Shut the kernel down and close the page."""
        self.stop()
        self.page.close()
