"""What a page takes along of each widget of a notebook; runs in the notebook's kernel, after its last cell."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterator
from typing import Any

from IPython.display import display
from torch import no_grad

from widgets.explorers.explorer import Explorer, living
from widgets.explorers.predict import Prediction
from widgets.site.reels import compressed, packed

LARGEST = 300_000  # bytes, packed, for every position of a second slider; coarser when it would be more
MOST_SETTINGS = 40  # of lists and checkboxes taken along
MOST_PLACES = 1_500  # pictures drawn for a setting other than the first, and to see how large all would be
NOT_STATE = ("layout", "tabbable", "tooltip")
SORRY = "This combination is not on the page; in JupyterLab it can be drawn."
WAITS = "Commit to an answer, and what came out appears here."
ASKING = "Choose an answer and commit to it. Then you see what came out."
SAID = 'You committed to {letter}: "{answer}". See below what came out.'
SEEN = "I have seen it"


def ship_all(coarse: bool = False) -> None:
    """Displays, as JSON, model id -> what the page needs, for every question and explorer of this notebook."""
    shipped = {}
    for widget in living():
        if isinstance(widget, Prediction):
            shipped[widget.model_id] = ship_question(widget)
        elif isinstance(widget, Explorer):
            with no_grad():
                shipped[widget.model_id] = ship(widget, coarse)
    display({"application/json": shipped}, raw=True)


def ship_question(asked: Prediction) -> dict[str, Any]:
    """A question as a page asks it, where no cell is run: what came out is there already, covered."""
    said = [SAID.format(letter=letter, answer=answer) for letter, answer in asked.answers]
    commit, withdraw, _, show_of_hands = asked.buttons
    words = {"asking": ASKING, "said": said, "buttons": [commit, withdraw, SEEN, show_of_hands]}
    return {"kind": "question", "state": state_of(asked) | words, "waits": WAITS}


def state_of(widget: Any) -> dict[str, Any]:
    """The traits that a view reads."""
    return {
        name: value for name, value in widget.get_state().items() if not name.startswith("_") and name not in NOT_STATE
    }


def ship(explorer: Explorer, coarse: bool = False) -> dict[str, Any]:
    """One explorer: its state, and what each setting of its lists and checkboxes changes, with the reels for it.

    coarse: the present setting alone, and fewer positions of a second slider, for a quick trial.
    """
    start = state_of(explorer) | {"static": True}
    others = switches(explorer)
    ship: dict[str, Any] = {
        "kind": "explorer",
        "moves": bool(explorer.controls),
        "state": start,
        "switches": others,
        "sorry": SORRY,
    }
    present = key_of(tuple(getattr(explorer, name) for name in others))
    ship["variants"] = {
        setting: variant(explorer, start, MOST_PLACES if coarse or setting != present else None)
        for setting in settings(explorer, others, coarse)
    }
    start |= ship["variants"][present]["changes"] | {f"{name}_reel": {} for name in explorer.positions}
    return ship


def variant(explorer: Explorer, start: dict[str, Any], most: int | None) -> dict[str, Any]:
    """What the present setting changes on the page, and its recordings; a slider keeps the positions that they have."""
    made = recordings(explorer, most)
    changes = changes_from(start, explorer)
    grids = {name: at for each in made for name, at in each["grid"].items()}
    changes["controls"] = [_thinned(control, grids.get(control["name"])) for control in explorer.controls]
    return {"changes": changes, "recordings": made}


def _thinned(control: dict[str, Any], kept: list[float] | None) -> dict[str, Any]:
    if kept is None or kept == control.get("positions"):
        return control
    numbers = [control["positions"].index(value) for value in kept]
    texts = [control["texts"][number] for number in numbers]
    stops = [[label, numbers.index(at), left] for label, at, left in control["stops"] if at in numbers]
    return {**control, "positions": kept, "texts": texts, "stops": stops}


def switches(explorer: Explorer) -> list[str]:
    """The lists and checkboxes of an explorer; a text box needs a kernel."""
    return [control["name"] for control in explorer.controls if control["kind"] in ("check", "list")]


def settings(explorer: Explorer, names: list[str], coarse: bool) -> Iterator[str]:
    """Sets the explorer to each combination of its lists and checkboxes, the present one first and last; names it."""
    present = tuple(getattr(explorer, name) for name in names)
    places = explorer.values
    combinations = [present] if coarse else [present, *_combinations(explorer, names, present)]
    for combination in combinations:
        _set(explorer, dict(zip(names, combination, strict=True)))
        yield key_of(combination)
    _set(explorer, {**dict(zip(names, present, strict=True)), **places})


def key_of(combination: tuple) -> str:
    """The name of a setting, as page.js makes it."""
    return json.dumps(list(combination), separators=(",", ":"), ensure_ascii=False)


def _combinations(explorer: Explorer, names: list[str], present: tuple) -> list[tuple]:
    options = {
        control["name"]: control.get("options") or [False, True]
        for control in explorer.controls
        if control["name"] in names
    }
    found = [one for one in itertools.product(*(options[name] for name in names)) if one != present]
    if len(found) < MOST_SETTINGS:
        return found
    one_away = [one for one in found if sum(a != b for a, b in zip(one, present, strict=True)) == 1]
    return one_away[:MOST_SETTINGS]


def _set(explorer: Explorer, values: dict[str, Any]) -> None:
    for name, value in values.items():
        if getattr(explorer, name) != value:
            setattr(explorer, name, value)


def changes_from(start: dict[str, Any], explorer: Explorer) -> dict[str, Any]:
    """The traits that differ from how the explorer began, reels aside."""
    return {
        name: value
        for name, value in state_of(explorer).items()
        if not name.endswith("_reel") and value != start.get(name)
    }


def recordings(explorer: Explorer, most: int | None) -> list[dict[str, Any]]:
    """What the sliders that are shown can do in the present setting.

    Two sliders: every position of both; fewer of the second, evenly spaced, where that would be too large, or more than
    `most` pictures. Otherwise each slider's positions with the others where they are.
    """
    shown = [control["name"] for control in explorer.controls if control["kind"] == "range" and control["shown"]]
    if len(shown) != 2:
        return [_recording(explorer, {name: explorer.positions[name]}) for name in shown]
    first, second = shown
    pictures = len(explorer.positions[first]) * len(explorer.positions[second])
    step = math.ceil(pictures / (most or MOST_PLACES))
    return [_grid(explorer, first, second, step if most else _finest(explorer, first, second, step))]


def _finest(explorer: Explorer, first: str, second: str, step: int) -> int:
    """The step at which a grid is likely to stay just under LARGEST, judged by this one and by half of it."""
    if step == 1:
        return 1
    grids = (_grid(explorer, first, second, each) for each in (step, step // 2))
    (few, small), (more, large) = ((len(one["grid"][second]), len(compressed(one))) for one in grids)
    if large <= small:
        return step // 2
    most = few + (LARGEST - small) * (more - few) / (large - small)
    return math.ceil(len(explorer.positions[second]) / max(few, most))


def _grid(explorer: Explorer, first: str, second: str, step: int) -> dict[str, Any]:
    positions, here = explorer.positions[second], explorer.values[second]
    kept = sorted({*positions[::step], positions[-1], here})
    recording = _recording(explorer, {second: kept, first: explorer.positions[first]})
    if len(compressed(recording)) > LARGEST and len(kept) > 8:
        return _grid(explorer, first, second, 2 * step)
    return recording


def _recording(explorer: Explorer, grid: dict[str, list[float]]) -> dict[str, Any]:
    here = explorer.values
    places = [{**here, **dict(zip(grid, at, strict=True))} for at in itertools.product(*grid.values())]
    fixed = {name: value for name, value in here.items() if name not in grid}
    return {**packed(explorer.recorded(places), grid), "at": fixed}
