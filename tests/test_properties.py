"""Whatever anybody gives to a public function: it is taken, or refused by TypeError or ValueError in one sentence."""

from __future__ import annotations

import inspect
import itertools
import math
import re
import sys
import time
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from torch import nn

import widgets
from tests.data import DATA
from tests.explorers import EXPLORERS
from tests.notebooks import notebooks_in, read
from tests.tiers import full
from widgets import checks
from widgets.experiments import ablation, census, decoder
from widgets.experiments.pair import in_turns
from widgets.experiments.product_task import learn_product
from widgets.experiments.timing import Timing, timings
from widgets.explorers import predict as predictions
from widgets.explorers import train_pair as pairs
from widgets.explorers.explorer import Explorer
from widgets.inputs import as_vector, eps_values, number_range, parse_vector, real_number, shortened, whole_number

FAST = settings(
    max_examples=3,
    derandomize=True,  # the same examples in every run: CI is no place for luck
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
FULL = settings(FAST, max_examples=300, derandomize=False, print_blob=True)
PATIENCE = 10.0  # seconds for one call on a busy machine; what hangs takes for ever


# Anything


class Raises:
    """An object whose own methods raise, and not what one would expect."""

    def __repr__(self) -> str:
        raise SystemError("on purpose")

    __str__ = __len__ = __iter__ = __float__ = __int__ = __index__ = __array__ = __bool__ = __hash__ = __eq__ = __repr__


class Endless(list):
    """A list that never comes to its end, whatever it says about its length."""

    def __iter__(self):
        return itertools.count(1)


class Lying(list):
    """A list that raises when it is counted."""

    def __len__(self) -> int:
        raise OverflowError("more than\ncan be counted")


class HalfACharacter:
    """An object whose own word for itself cannot be sent to a browser."""

    def __repr__(self) -> str:
        return "half \ud800"


def nested(depth: int) -> object:
    thing: object = 1.0
    for _ in range(depth):
        thing = [thing]
    return thing


MASKED = np.ma.array([1.0, 2.0, 3.0], mask=[0, 1, 0])
STRANGE = [
    *(HalfACharacter(), Raises(), [Raises()], Endless([1, 2]), Lying([1, 2]), itertools.count(), itertools.repeat("x")),
    *((k for k in (1, 2)), range(10**12), nested(3000), "x" * 10**6, "\ud800", "1\n2", b"12", bytearray(b"1")),
    *(memoryview(b"12"), 10**400, -(10**400), Decimal("1e999999999"), Decimal("NaN"), Fraction(10**400, 3)),
    *(5e-324, -0.0, math.nan, math.inf, True, np.True_, 1 + 2j, np.complex64(1), np.longdouble("1e4000")),
    *(np.datetime64("2026-01-01"), np.str_("1"), MASKED, np.ma.masked, np.array(["1", "2"])),
    *(np.array([1, "a"], dtype=object), np.zeros((2, 3)), np.zeros(0), np.array(3.0), np.array([1, 2], "m8[s]")),
    *(np.ones(10**6), torch.tensor([1 + 2j, 3]), torch.tensor([True, False]), torch.zeros(3, device="meta")),
    *(torch.tensor(2.0), torch.zeros(2, 3), torch.ones(3, dtype=torch.bfloat16), torch.ones(3, requires_grad=True)),
    *(torch.eye(3).to_sparse(), nn.Linear(3, 3), nn.Linear, nn.Sequential(), decoder.modern_block(8, 2, 12), object()),
    *(type, len, lambda: 1, Raises, None, ..., {}, {1: 2}, {1, 2}, frozenset(), [], (), [[]], [None, None]),
    *(("RMSNorm", "ReLU"), ["no norm"], [("a", "b")]),
]

numbers = st.one_of(
    st.integers(-20, 20), st.integers(), st.floats(-7, 7), st.floats(), st.fractions(), st.decimals(), st.booleans()
)
texts = st.one_of(st.text(max_size=20), st.text(st.characters(categories=("Cs", "Cc")), max_size=3))
leaves = st.one_of(st.none(), numbers, texts, st.binary(max_size=8), st.complex_numbers())
anything = st.one_of(
    leaves,
    st.lists(numbers, max_size=14),
    st.lists(st.floats(-5, 5), min_size=2, max_size=12).map(np.array),
    st.lists(st.floats(-5, 5, width=32), min_size=2, max_size=12).map(torch.tensor),
    st.recursive(
        leaves, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=3), max_leaves=8
    ),
)


# Every parameter of every public function, the others as they should be


def a_timing() -> list[Timing]:
    return timings({}, 2, 4, rounds=3, seconds=0)


GOOD: dict[str, dict[str, object]] = {
    "ablation_results": {"runs": ablation.read_runs(DATA / "ablation.csv")},
    "activation_curves": {"z": 1.0, "beta": 1.0, "gelu": False, "slopes": False},
    "decoder_block": {"which": "old"},
    "decoder_census": {"census": census.read_census(DATA / "census.csv")},
    "eps_effect": {"inside": [1e-5], "outside": [1e-6]},
    "gate_flow": {"content": [1.0, 2.0], "gate_input": [0.5, -1.0], "position": 1},
    "norm_geometry": {"x": [1.0, 2.0, 0.5]},
    "norm_timings": {"found": a_timing()},
    "overall_shift": {"x": [1.0, 2.0], "layernorm_only": False, "shift": (-1, 1)},
    "parameter_ledger": {"d_model": 512, "multiple_of": 256, "multiplier": 1.0},
    "predict": {"question": "Which?", "answers": "yes", "right": "A", "topic": "t", "hands": False},
    "product_fits": {"fits": [learn_product("bilinear", seeds=2, steps=2)]},
    "residual_growth": {
        **{"norms": ["RMSNorm"], "feed_forwards": ["ReLU"], "places": ["before"], "depth": 4, "gain": 1.0},
    },
    "skeleton": {"d_model": 64, "d_ff": 170, "relu_d_ff": 256},
    "swish_beta": {"beta": 1.0},
    "three_matrices": {"x": [1.0, 2.0, -1.0], "activation": "GELU"},
    "time_norms": {"sizes": [(2, 4)], "compile_at": 0},
    "train_pair": {
        **{
            "first": ("LayerNorm", "ReLU"),
            "second": ("RMSNorm", "SwiGLU"),
            "steps": 1,
            "seed": 0,
            "learning_rate": 0.01,
        },
    },
}
STARRED = {("decoder_block", "which"), ("predict", "answers")}
CASES = [(name, parameter) for name, arguments in GOOD.items() for parameter in arguments]


def test_every_parameter_of_every_public_function_is_here() -> None:
    """A new function, and a new parameter, is entered above; `my_predictions` takes nothing."""
    signatures = {name: list(inspect.signature(getattr(widgets, name)).parameters) for name in widgets.__all__}
    assert {name: parameters for name, parameters in signatures.items() if parameters} == {
        name: list(arguments) for name, arguments in GOOD.items()
    }


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    """At most two steps of training on little text, short timings, no compiler, nobody's predictions."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(predictions, "_left", {})
    monkeypatch.setattr("widgets.explorers.product_fits.learn_product", lambda name: learn_product(name, 2, 2))
    monkeypatch.setattr(pairs, "text", lambda: "the cat sat on the mat. " * 100)
    monkeypatch.setattr(pairs, "in_turns", lambda *asked: itertools.islice(in_turns(*asked), 2))
    monkeypatch.setattr("widgets.explorers.norm_timings.compiled_norms", lambda *_: ({}, "None."))
    monkeypatch.setattr("widgets.explorers.norm_timings.timings", lambda *_: a_timing())


def call(name: str, parameter: str, value: object) -> object:
    """The function with one argument as given, and the others good."""
    arguments = GOOD[name] | {parameter: value}
    if name == "decoder_block":
        return widgets.decoder_block(arguments["which"])
    if name == "predict":
        question, answer = arguments.pop("question"), arguments.pop("answers")
        return widgets.predict(question, answer, "no", **arguments)
    return getattr(widgets, name)(**arguments)


def taken_or_refused(act: Callable[[], object], what: object) -> object:
    """The result, or None after a refusal that is one sentence of a reasonable length; either in time."""
    start, result = time.perf_counter(), None
    try:
        result = act()
    except (TypeError, ValueError) as refusal:
        assert type(refusal) in (TypeError, ValueError), f"{type(refusal).__name__} for {shortened(what)}"
        sentence = str(refusal)
        assert sentence.endswith("."), sentence
        assert "\n" not in sentence and len(sentence) < 320, sentence
        assert sentence.encode(), sentence
    assert time.perf_counter() - start < PATIENCE, shortened(what)
    return result


def closed(result: object) -> None:
    """Ends what was made, so that a thousand of them do not pile up."""
    if hasattr(result, "close"):
        result.close()


@pytest.mark.usefixtures("short_reels")
@pytest.mark.parametrize(("name", "parameter"), CASES, ids=map(".".join, CASES))
def test_strange_things_are_taken_or_refused(name: str, parameter: str) -> None:
    for value in STRANGE:
        closed(taken_or_refused(lambda value=value: call(name, parameter, value), value))


@pytest.mark.usefixtures("short_reels")
@pytest.mark.parametrize(("name", "parameter"), CASES, ids=map(".".join, CASES))
@FAST
@given(value=anything)
def test_anything_is_taken_or_refused(name: str, parameter: str, value: object) -> None:
    closed(taken_or_refused(lambda: call(name, parameter, value), value))


@pytest.fixture
def two_gigabytes() -> Iterator[None]:
    """Whoever asks for more than this on top of what there is gets a MemoryError, which is no refusal."""
    if sys.platform != "linux":
        yield
        return
    import resource

    taken = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmData"))
    before = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (1024 * int(taken.split()[1]) + 2 * 2**30, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_DATA, before)


@pytest.mark.full
@pytest.mark.usefixtures("two_gigabytes")
@pytest.mark.parametrize(("name", "parameter"), CASES, ids=map(".".join, CASES))
@FULL
@given(value=anything)
def test_very_many_things_are_taken_or_refused(name: str, parameter: str, value: object) -> None:
    closed(taken_or_refused(lambda: call(name, parameter, value), value))


@pytest.mark.parametrize("name", GOOD)
def test_good_arguments_are_taken(name: str) -> None:
    """Else every refusal above would prove nothing. What has sliders is in the list of those."""
    parameter, value = next(iter(GOOD[name].items()))
    result = call(name, parameter, value)
    assert isinstance(result, Explorer | list | predictions.Prediction)
    assert bool(getattr(result, "positions", {})) == (name in EXPLORERS)
    closed(result)


# What the lessons call from widgets.experiments, in the same way

RUNS = ablation.read_runs(DATA / "ablation.csv")
MODEL = decoder.CharModel(d_model=12, n_heads=2, context=8)
TOKENS = torch.arange(90)
LESSONS: dict[str, dict[str, object]] = {
    "ablation.differences": {"runs": RUNS},
    "ablation.main_effects": {"runs": RUNS},
    "ablation.read_runs": {"path": DATA / "ablation.csv"},
    "census.both_by_year": {"census": census.read_census(DATA / "census.csv")},
    "census.read_census": {"path": DATA / "census.csv"},
    "conversion.centre_writers": {"model": MODEL},
    "conversion.mean_shares": {"model": MODEL, "tokens": TOKENS[None, :8]},
    "conversion.swap_norms": {"model": MODEL},
    "decoder.Attention": {"d_model": 8, "n_heads": 2},
    "decoder.CharModel": {
        **{"norm": "RMSNorm", "feed_forward": "SwiGLU", "d_model": 12, "n_layers": 1, "n_heads": 2},
        **{"vocabulary": 96, "context": 8, "seed": 0},
    },
    "decoder.ReLUFeedForward": {"d_model": 8, "d_ff": 12},
    "decoder.SwiGLUFeedForward": {"d_model": 8, "d_ff": 12},
    "decoder.parameter_count": {"module": MODEL},
    "learn_product": {"network": "ReLU", "seeds": 1, "steps": 1, "biases": False},
    "timing.operations": {"name": "RMSNorm, by hand", "rows": 4, "d": 8},
    "training.decode": {"tokens": TOKENS},
    "training.held_out_loss": {"model": MODEL, "tokens": TOKENS, "context": 8},
}
ITS_OWN = ("decoder.CharModel.norm", "decoder.CharModel.feed_forward", "training.held_out_loss.model")
LESSON_CASES = [(name, parameter) for name, arguments in LESSONS.items() for parameter in arguments]


def called_in_lessons() -> set[str]:
    """What lessons take from widgets.experiments; a path such as data/census.csv is none of it."""
    code = "\n".join(cell.source for path in notebooks_in() for cell in read(path).cells if cell.cell_type == "code")
    modules = "|".join(re.findall(r"from widgets\.experiments import (.*)", code)).replace(", ", "|")
    functions = re.findall(r"from widgets\.experiments\.\w+ import (\w+)", code)
    return {*functions, *re.findall(rf"(?<![/\w])(?:{modules})\.\w+", code)}


def test_everything_that_lessons_call_is_here() -> None:
    assert called_in_lessons() == set(LESSONS)
    for name, arguments in LESSONS.items():
        assert set(inspect.signature(found(name)).parameters) == set(arguments), name
        found(name)(**arguments)


def found(name: str) -> Callable:
    module, _, function = name.rpartition(".")
    return getattr(import_module(f"widgets.experiments.{module or 'product_task'}"), function)


@pytest.mark.parametrize(("name", "parameter"), LESSON_CASES, ids=map(".".join, LESSON_CASES))
def test_strange_things_given_to_what_lessons_call_are_taken_or_refused(name: str, parameter: str) -> None:
    """A class or a model of the learner's own may raise what it likes: that is theirs to read."""
    for value in STRANGE:
        if f"{name}.{parameter}" not in ITS_OWN or not callable(value):
            taken_or_refused(lambda value=value: found(name)(**LESSONS[name] | {parameter: value}), value)


# Whatever is handed in as an exercise: a card that says why it does not pass

CHECKS = sorted(name for name in checks.__all__ if name.startswith("check_"))


def card(name: str, answer: object) -> checks.Verdict:
    """What a check says of an answer, in time."""
    start = time.perf_counter()
    verdict = checks.check_bug(1, answer) if name == "check_bug" else getattr(checks, name)(answer)
    assert time.perf_counter() - start < PATIENCE, shortened(answer)
    return verdict


def refused(verdict: checks.Verdict) -> bool:
    """Whether a card, as text and as a page, can be sent and says why something does not pass."""
    return bool(repr(verdict).encode() and verdict._repr_html_().encode() and verdict.message and not verdict.passed)


@pytest.mark.parametrize("name", CHECKS)
def test_strange_answers_get_a_card(name: str) -> None:
    assert [shortened(answer) for answer in STRANGE if not refused(card(name, answer))] == []


OF_A_KIND = (
    "check_rms",
    "check_rms_norm_backward",
    "check_llama_d_ff",
    "check_rmsnorm_test",
)  # a tensor, two, a number, a word


@pytest.mark.parametrize("name", [name if name in OF_A_KIND else full(name) for name in CHECKS])
def test_answers_that_return_something_strange_get_a_card(name: str) -> None:
    for result in STRANGE:
        assert refused(card(name, lambda *_, result=result, **__: result)), shortened(result)


@pytest.mark.parametrize("name", CHECKS)
@FAST
@given(result=anything)
def test_answers_that_return_anything_get_a_card(name: str, result: object) -> None:
    assert refused(card(name, lambda *_, **__: result))


# What is taken is taken whole


@FAST
@given(values=st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=12))
@pytest.mark.parametrize("kind", [list, tuple, np.array, lambda values: torch.tensor(values, dtype=torch.float64)])
def test_a_vector_keeps_its_numbers(kind: Callable, values: list[float]) -> None:
    assert as_vector(kind(values)).tolist() == values


@FAST
@given(
    values=st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=12), between=st.sampled_from([" ", ", ", "\t,", "  "])
)
def test_a_typed_vector_keeps_its_numbers(values: list[float], between: str) -> None:
    assert parse_vector(between.join(map(repr, values))).tolist() == values


@FAST
@given(text=st.one_of(st.text(max_size=40), st.text(st.sampled_from("0123456789.eE+-−, []()\t"), max_size=40)))
def test_any_typed_line_is_taken_or_refused(text: str) -> None:
    vector = taken_or_refused(lambda: parse_vector(text), text)
    assert vector is None or (2 <= len(vector) <= 12 and vector.isfinite().all())


def test_half_a_character_is_quoted_by_its_number() -> None:
    assert shortened(HalfACharacter()) == r"half \ud800"


@FAST
@given(value=anything)
def test_anything_fits_into_sixty_characters(value: object) -> None:
    assert len(shortened(value)) <= 60
    assert shortened(value).encode("utf-8")
    assert "\n" not in shortened(value)


@FAST
@given(value=anything, least=st.integers(-5, 5), span=st.integers(0, 10))
def test_numbers_lie_within_their_limits(value: object, least: int, span: int) -> None:
    for take in (whole_number, real_number):
        number = taken_or_refused(lambda take=take: take("it", value, least, least + span), value)
        assert number is None or (least <= number <= least + span and number == float(value))


@FAST
@given(value=anything)
def test_eps_and_ranges_are_what_they_say(value: object) -> None:
    eps = taken_or_refused(lambda: eps_values("eps", value), value)
    assert eps is None or all(0 < one <= 1 for one in eps)
    ends = taken_or_refused(lambda: number_range("shift", value), value)
    assert ends is None or (-1e6 <= ends[0] < ends[1] <= 1e6)


# A form gets only what its own script sends; a broken or hostile page must not break the kernel


@FAST
@given(
    st.lists(
        st.one_of(
            st.fixed_dictionaries({"choice": st.integers(-5, 9) | leaves}),
            st.fixed_dictionaries({"committed": st.booleans() | leaves}),
            st.fixed_dictionaries({"sure": st.booleans()}),
            st.fixed_dictionaries({"hands": st.lists(st.integers(-9, 2000), max_size=5)}),
            st.fixed_dictionaries({"ran": st.booleans()}),
        ),
        max_size=6,
    )
)
def test_a_form_survives_any_message(messages: list[dict[str, object]]) -> None:
    asked = widgets.predict("Which?", "yes", "no", right="A")
    for message in messages:
        try:
            asked.set_state(message)
        except Exception as refusal:  # traitlets' own
            assert "TraitError" in type(refusal).__name__ or isinstance(refusal, TypeError | ValueError)
    for kept in widgets.my_predictions().kept:
        assert kept.choice in "AB"
    asked.close()
