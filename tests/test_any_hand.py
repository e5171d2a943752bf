"""Whatever a hand does to an explorer, and in whatever order: it is what a fresh one at the same place is.

Without a browser: the messages are those that controls.js sends, the picture is put together as player.js does it.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule, run_state_machine_as_test
from ipywidgets.widgets import widget as registry
from traitlets import TraitError

import widgets
from tests.explorers import EXPLORERS, put_alike
from tests.test_flipbook import assembled, assert_same_marks, marks_of
from tests.tiers import full
from widgets.explorers.explorer import Explorer
from widgets.explorers.gate_flow import GATE_INPUT
from widgets.flipbook.recording import Reel

FAST = settings(
    max_examples=2,
    stateful_step_count=5,
    derandomize=True,  # the same hands in every run
    database=None,
    deadline=None,
    phases=[Phase.generate],  # a step takes a tenth of a second: too long to look for a shorter way
    suppress_health_check=list(HealthCheck),
)
FULL = settings(FAST, max_examples=15, stateful_step_count=30, derandomize=False, print_blob=True)

VECTORS = st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=12)
NO_VECTORS = (
    "",
    "1",
    "one two",
    "1, nan",
    "inf 2",
    "1e7 2",
    "[1, 2",
    "\ud800 2",
    " ".join("1234567890123"),
    "1 2\u00b2",
)

NONSENSE = {  # what the kind of control never sends
    "range": (float("nan"), "3", None, [1.0]),
    "list": ("none of these", None, 3, []),
    "check": ("yes", None, 1.5, []),
    "text": (None, 3, ["1", "2"]),
}


def fits(explorer: Explorer, name: str) -> bool:
    """Whether a slider's reel shows the present place; as in player.js."""
    reel, here = getattr(explorer, f"{name}_reel"), explorer.values
    if not reel or (reel["along"] != explorer.positions[name] and reel["along"] != [here[name]]):
        return False
    return all(here[other] == value for other, value in reel["at"].items())


def ask(explorer: Explorer, name: str, at: dict[str, float], now: bool) -> None:
    """Asks for a reel as the browser does, which waits for an answer."""
    said: list[dict] = []
    explorer.send = lambda message, *_: said.append(message)
    explorer._handle_custom_msg({"id": "7", "record": name, "at": at, "now": now}, [])
    assert said == [{"answered": "7"}]


def seen_at(explorer: Explorer, reel: Reel, place: int) -> tuple[list[tuple], str]:
    """All marks at one position of a reel, and the words."""
    marks = [mark for stage in explorer.stages for mark in marks_of(assembled(stage, reel, place))]
    return marks, "".join(p if isinstance(p, str) else str(reel["columns"][p][place]) for p in reel["words"])


def shown(explorer: Explorer) -> tuple[list[tuple], str]:
    """What the browser shows at rest: from a reel that fits, for which it asks if there is none."""
    first = next(iter(explorer.positions))
    if not any(fits(explorer, name) for name in explorer.positions):
        ask(explorer, first, explorer.values, True)
    name = next(name for name in explorer.positions if fits(explorer, name))
    reel = getattr(explorer, f"{name}_reel")
    return seen_at(explorer, reel, reel["along"].index(getattr(explorer, name)))


def state(explorer: Explorer) -> list[object]:
    """All that a refusal leaves as it is."""
    return [repr(explorer), explorer.values, explorer.stages, [getattr(explorer, f"{n}_reel") for n in explorer.values]]


def refuses(explorer: Explorer, name: str, nonsense: object) -> None:
    """What no control sends changes nothing."""
    before = [*state(explorer), getattr(explorer, name)]
    with pytest.raises(TraitError):
        explorer.set_state({name: nonsense})
    assert [*state(explorer), getattr(explorer, name)] == before


class Hand(RuleBasedStateMachine):
    """A hand at one explorer, and what it has done that no control shows: `given`, arguments of a fresh one."""

    def __init__(self, make: Callable[..., Explorer]) -> None:
        super().__init__()
        self.make = make
        self.begin()

    def begin(self) -> None:
        """Runs the cell."""
        self.before = set(registry._instances)
        self.explorer = self.make()
        here = [one for one in self.explorer.controls if one["shown"] or one["kind"] != "text"]
        self.kinds = {control["name"]: control["kind"] for control in here}
        self.start = self.controls()
        self.given: dict[str, object] = {}
        if "z" in self.kinds and "position" in self.kinds:
            self.given = {"gate_input": list(GATE_INPUT), "position": int(self.explorer.position)}

    def controls(self) -> dict[str, object]:
        """Where all controls stand."""
        return {name: getattr(self.explorer, name) for name in self.kinds}

    def some(self, *kinds: str) -> st.SearchStrategy[str]:
        """The controls of these kinds."""
        return st.sampled_from([name for name, kind in self.kinds.items() if kind in kinds])

    def has(self, *kinds: str) -> bool:
        return any(kind in kinds for kind in self.kinds.values())

    def set(self, values: dict[str, object]) -> None:
        """Sets controls in one message, and notes what a fresh explorer has to be given."""
        self.explorer.set_state(values)
        if "x" in values:
            self.given["x"] = [float(part) for part in str(values["x"]).split(",")]
        if "gate_input" in self.given and len(values) == 1:
            self.turn(**values)

    def turn(self, z: float | None = None, position: str | None = None) -> None:
        """Gate flow remembers a gate that is no longer turned."""
        if z is None:
            self.given["position"] = int(position)
        else:
            self.given["gate_input"][self.given["position"] - 1] = self.explorer.z

    @rule(data=st.data())
    def move(self, data: st.DataObject) -> None:
        """A slider has come to rest."""
        name = data.draw(self.some("range"), "slider")
        place = data.draw(st.sampled_from(self.explorer.positions[name]), "place")
        self.set({name: place})
        assert getattr(self.explorer, name) == place

    @rule(data=st.data(), now=st.booleans(), late=st.booleans())
    def want(self, data: st.DataObject, now: bool, late: bool) -> None:
        """The browser asks for a reel, of the present place or of one that is left by now."""
        name, at = data.draw(self.some("range"), "slider"), self.explorer.values
        if late:
            at = {name: data.draw(st.sampled_from(here)) for name, here in self.explorer.positions.items()}
        ask(self.explorer, name, at, now)
        reel = getattr(self.explorer, f"{name}_reel")
        assert reel["along"] == self.explorer.positions[name]
        assert reel["at"] == {other: place for other, place in at.items() if other != name}

    @precondition(lambda self: self.has("check", "list"))
    @rule(data=st.data())
    def choose(self, data: st.DataObject) -> None:
        name = data.draw(self.some("check", "list"), "control")
        if self.kinds[name] == "check":
            self.set({name: data.draw(st.booleans())})
        else:
            options = next(control["options"] for control in self.explorer.controls if control["name"] == name)
            self.set({name: data.draw(st.sampled_from(options))})
        assert self.explorer.problem == ""

    @precondition(lambda self: self.has("text"))
    @rule(data=st.data(), vector=VECTORS)
    def type_a_vector(self, data: st.DataObject, vector: list[float]) -> None:
        self.set({data.draw(self.some("text")): ", ".join(map(repr, vector))})
        assert self.explorer.problem == ""

    @precondition(lambda self: self.has("text"))
    @rule(data=st.data(), text=st.sampled_from(NO_VECTORS))
    def type_something_else(self, data: st.DataObject, text: str) -> None:
        """It stays in the box, is refused in words, and changes nothing."""
        name, before = data.draw(self.some("text")), state(self.explorer)
        self.explorer.set_state({name: text})
        assert getattr(self.explorer, name) == text
        assert self.explorer.problem.encode().startswith(b"Expected")
        assert state(self.explorer) == before

    @rule(data=st.data())
    def send_nonsense(self, data: st.DataObject) -> None:
        """As no page of ours does, to any control, a hidden one too."""
        control = data.draw(st.sampled_from(self.explorer.controls), "control")
        refuses(self.explorer, control["name"], data.draw(st.sampled_from(NONSENSE[control["kind"]]), "nonsense"))

    @rule(data=st.data())
    def press(self, data: st.DataObject) -> None:
        """A preset: all its sliders stand where it says."""
        preset = data.draw(st.sampled_from(self.explorer.presets[1:]), "preset")["set"]
        self.set(preset)
        assert {name: value for name, value in preset.items() if name in self.explorer.values}.items() <= (
            self.explorer.values.items()
        )

    @rule()
    def reset(self) -> None:
        """Everything is as after the cell was run."""
        self.explorer.set_state(self.explorer.presets[0]["set"])
        self.begin_again()
        assert self.controls() == self.start
        assert self.explorer.problem == ""

    def begin_again(self) -> None:
        self.given.pop("x", None)
        if "gate_input" in self.given:
            self.given = {"gate_input": list(GATE_INPUT), "position": int(self.start["position"])}

    @rule()
    def run_again(self) -> None:
        """A closed explorer leaves nothing behind."""
        self.explorer.close()
        assert set(registry._instances) == self.before
        self.begin()

    @rule()
    def look(self) -> None:
        """Picture, words and numbers are those of a fresh explorer at the same place."""
        fresh = self.make(**self.given)
        put_alike(fresh, self.explorer)
        assert fresh.values == self.explorer.values
        assert repr(fresh) == repr(self.explorer)
        assert fresh.controls == self.explorer.controls
        (marks, words), (expected, sentence) = shown(self.explorer), seen_at(fresh, fresh.recorded([fresh.values]), 0)
        assert_same_marks(marks, expected)
        assert words == sentence == fresh.words(fresh.steps(**fresh.values))
        fresh.close()

    def teardown(self) -> None:
        self.look()
        self.explorer.close()


@pytest.mark.parametrize("name", EXPLORERS)
def test_no_control_takes_nonsense(name: str) -> None:
    """Hidden ones too, such as gate flow's box."""
    explorer = getattr(widgets, name)()
    for control in explorer.controls:
        for nonsense in NONSENSE[control["kind"]]:
            refuses(explorer, control["name"], nonsense)
    explorer.close()


MORE_THAN_SLIDERS = ("activation_curves", "gate_flow", "overall_shift", "parameter_ledger")


@pytest.mark.parametrize("name", [MORE_THAN_SLIDERS[0], *map(full, MORE_THAN_SLIDERS[1:])])
def test_no_hand_can_make_it_wrong(name: str) -> None:
    run_state_machine_as_test(lambda: Hand(getattr(widgets, name)), settings=FAST)


@pytest.mark.full
@pytest.mark.parametrize("name", EXPLORERS)
def test_no_restless_hand_can_make_it_wrong(name: str) -> None:
    run_state_machine_as_test(lambda: Hand(getattr(widgets, name)), settings=FULL)
