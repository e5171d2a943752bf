"""What a page takes along of each widget of a notebook; runs in the notebook's kernel, after its last cell."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from IPython.display import display
from torch import no_grad

from widgets.explorers.explorer import Explorer, living
from widgets.explorers.predict import Prediction
from widgets.flipbook.controls import nearest
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
    presets = [_on_its_own(explorer, preset) for preset in explorer.presets]
    others = switches(explorer)
    ship: dict[str, Any] = {
        "kind": "explorer",
        "moves": bool(explorer.controls),
        "state": start,
        "switches": others,
        "sorry": SORRY,
    }
    present = key_of(tuple(getattr(explorer, name) for name in others))
    variants = {
        setting: variant(explorer, start, MOST_PLACES if coarse or setting != present else None, presets)
        for setting in settings(explorer, others, coarse)
    }
    ship["variants"] = _settled(variants, start)
    start |= variants[present]["changes"] | {f"{name}_reel": {} for name in explorer.positions}
    start["presets"] = presets
    return ship


def _settled(variants: dict[str, dict[str, Any]], start: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """What one setting changes is said in each, since a page comes from any of them; so is where a hidden slider is."""
    changed = set().union(*(one["changes"] for one in variants.values()))
    for one in variants.values():
        one["changes"] = {name: start[name] for name in changed} | one["changes"] | one.pop("hidden")
    return variants


def unled(explorer: Explorer) -> list[dict[str, Any]]:
    """The controls that work without a kernel: those that follow others do not."""
    return [control for control in explorer.controls if control["name"] not in explorer.follows]


def _on_its_own(explorer: Explorer, preset: dict[str, Any]) -> dict[str, Any]:
    """A preset as a page can set it: where one sets a control that is left out, all that the kernel would set then."""
    if not set(preset["set"]) & set(explorer.follows):
        return preset
    before = {control["name"]: getattr(explorer, control["name"]) for control in unled(explorer)}
    _set(explorer, preset["set"])
    made = {**preset, "set": {name: getattr(explorer, name) for name in before}}
    _set(explorer, before)
    return made


def variant(
    explorer: Explorer, start: dict[str, Any], most: int | None, presets: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    """What the present setting changes on the page, and its recordings; a slider keeps the positions that they have.

    hidden: where the sliders stand that are not shown; nobody could move them back
    """
    made = recordings(explorer, most, presets)
    changes = changes_from(start, explorer)
    grids = {name: at for each in made for name, at in each["grid"].items()}
    changes["controls"] = [_thinned(control, grids.get(control["name"])) for control in unled(explorer)]
    hidden = [control["name"] for control in explorer.controls if not control["shown"]]
    places = {name: at for name, at in explorer.values.items() if name in hidden}
    return {"changes": changes, "recordings": made, "hidden": places}


def _thinned(control: dict[str, Any], kept: list[float] | None) -> dict[str, Any]:
    if kept is None or kept == control.get("positions"):
        return control
    numbers = [control["positions"].index(value) for value in kept]
    texts = [control["texts"][number] for number in numbers]
    stops = [[label, numbers.index(at), left] for label, at, left in control["stops"] if at in numbers]
    return {**control, "positions": kept, "texts": texts, "stops": stops}


def switches(explorer: Explorer) -> list[str]:
    """The lists and checkboxes of an explorer; a text box needs a kernel."""
    return [control["name"] for control in unled(explorer) if control["kind"] in ("check", "list")]


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


def recordings(explorer: Explorer, most: int | None, presets: Sequence[dict[str, Any]] = ()) -> list[dict[str, Any]]:
    """What the sliders that are shown can do in the present setting.

    Two sliders: every position of both; fewer of the second, evenly spaced and where a stop or a preset leads, where
    that would be too large, or more than `most` pictures. Otherwise each slider's positions with the others where they
    are.
    """
    shown = [control["name"] for control in explorer.controls if control["kind"] == "range" and control["shown"]]
    if len(shown) != 2:
        return [_recording(explorer, {name: explorer.positions[name]}) for name in shown]
    first, second = shown
    pictures = len(explorer.positions[first]) * len(explorer.positions[second])
    step = math.ceil(pictures / (most or MOST_PLACES))
    grid = partial(_grid, explorer, first, second, named(explorer, second, presets))
    return [grid(step if most else _finest(grid, explorer, second, step))]


def _finest(grid: Callable[[int], dict[str, Any]], explorer: Explorer, second: str, step: int) -> int:
    """The step at which a grid is likely to stay just under LARGEST, judged by this one and by half of it."""
    if step == 1:
        return 1
    grids = (grid(each) for each in (step, step // 2))
    (few, small), (more, large) = ((len(one["grid"][second]), len(compressed(one))) for one in grids)
    if large <= small:
        return step // 2
    most = few + (LARGEST - small) * (more - few) / (large - small)
    return math.ceil(len(explorer.positions[second]) / max(few, most))


def _grid(explorer: Explorer, first: str, second: str, always: set[float], step: int) -> dict[str, Any]:
    positions, here = explorer.positions[second], explorer.values[second]
    few = sorted({*positions[::step], positions[-1], here, *always})
    recording = _recording(explorer, {second: few, first: explorer.positions[first]})
    if len(compressed(recording)) > LARGEST and len(positions[::step]) > 8:
        return _grid(explorer, first, second, always, 2 * step)
    return recording


def named(explorer: Explorer, slider: str, presets: Sequence[dict[str, Any]]) -> set[float]:
    """The positions of a slider to which a stop or a preset leads."""
    (control,) = [one for one in explorer.controls if one["name"] == slider]
    wanted = [preset["set"][slider] for preset in presets if slider in preset["set"]]
    positions = explorer.positions[slider]
    return {positions[at] for _, at, _ in control["stops"]} | {nearest(positions, value) for value in wanted}


def _recording(explorer: Explorer, grid: dict[str, list[float]]) -> dict[str, Any]:
    here = explorer.values
    places = [{**here, **dict(zip(grid, at, strict=True))} for at in itertools.product(*grid.values())]
    fixed = {name: value for name, value in here.items() if name not in grid}
    return {**packed(explorer.recorded(places), grid), "at": fixed}
