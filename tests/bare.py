"""An explorer on a page of its own, without JupyterLab: the shim of a model, and a kernel that this process plays.

    with bare(browser, explorer) as page:
        page.get_by_role("slider", name="scale").press("End")

It stands in for every page that is not a notebook, and is up in a second.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from playwright.sync_api import Browser, Page

from tests.browser import LAPTOP
from widgets.explorers.explorer import Explorer

# The model that player.js describes, over one function that hands the kernel what was set or sent.
SHIM = """
window.models = [];
window.shim = (state) => {
  const heard = {}, dirty = new Set();
  const fire = (event, ...rest) => [...(heard[event] ?? [])].forEach((f) => f(...rest));
  const take = (answer) => {
    if (!answer) return;
    Object.assign(state, answer.traits);
    for (const name in answer.traits) fire(`change:${name}`);
    for (const message of answer.messages) fire("msg:custom", message);
  };
  const ask = async (what) => { window.sent += 1; take(JSON.parse(await window.kernel(JSON.stringify(what)))); };
  return {
    get: (name) => state[name],
    set(name, value) {
      if (state[name] === value) return;
      state[name] = value;
      dirty.add(name);
      fire(`change:${name}`);
    },
    save_changes() {
      const set = Object.fromEntries([...dirty].map((name) => [name, state[name]]));
      dirty.clear();
      if (Object.keys(set).length) ask({ set });
    },
    on: (event, f) => (heard[event] ??= new Set()).add(f),
    off: (event, f) => heard[event]?.delete(f),
    send: (message) => ask({ message }),
  };
};
window.sent = 0;
window.show = (model) => {
  const el = document.createElement("div");
  document.body.append(el);
  return render({ model, el });
};
"""
NOT_SENT = ("layout", "tabbable", "tooltip")


def state_of(explorer: Explorer) -> dict[str, object]:
    """The traits that a page gets, but for those of ipywidgets."""
    return {
        name: value for name, value in explorer.get_state().items() if not name.startswith("_") and name not in NOT_SENT
    }


class Kernel:
    """Answers for one explorer; `alive` False: as one that is gone."""

    def __init__(self, explorer: Explorer) -> None:
        self.explorer, self.alive = explorer, True
        self.messages: list[dict] = []
        explorer.send = lambda content, *_: self.messages.append(content)

    def __call__(self, text: str) -> str:
        if not self.alive:
            return "null"
        what, before = json.loads(text), state_of(self.explorer)
        self.messages.clear()
        with suppress(Exception):  # what fails is said by the explorer itself
            if "set" in what:
                self.explorer.set_state(what["set"])
            else:
                self.explorer._handle_custom_msg(what["message"], [])
        after = state_of(self.explorer)
        traits = {name: value for name, value in after.items() if before[name] != value}
        return json.dumps({"traits": traits, "messages": self.messages})


@contextmanager
def bare(browser: Browser, explorer: Explorer, views: int = 1, state: dict | None = None, **context) -> Iterator[Page]:
    """A page with one explorer, `views` times; `state` replaces or adds traits.

    page.kernel is its Kernel, page.complaints what the console reported as an error.
    """
    page = browser.new_context(**{"viewport": LAPTOP, **context}).new_page()
    page.kernel, page.complaints = Kernel(explorer), []
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    page.on("console", lambda said: said.type == "error" and page.complaints.append(said.text))
    page.expose_function("kernel", page.kernel)
    page.set_content(f"<!doctype html><html><style>{explorer._css}</style><body></body></html>")
    script = explorer._esm.replace("export default { render };", "")
    page.add_script_tag(content=script + SHIM, type="module")
    page.wait_for_function("() => window.show")
    page.evaluate("state => { window.model = shim(state); }", state_of(explorer) | (state or {}))
    for _ in range(views):
        page.evaluate("() => { window.close = show(model); }")
    try:
        yield page
    finally:
        page.context.close()
