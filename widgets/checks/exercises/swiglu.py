"""The checks of exercise notebook 06: from Swish to a SwiGLU with gate and up in one matrix."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import permutations
from typing import Any

import torch
from torch import Tensor, nn

from widgets.checks.exercises.exercise import Exercise
from widgets.checks.exercises.probes import EACH_TOKEN_ALONE, numbers, right_for
from widgets.checks.ladder.again import follows_its_weights, repeatable
from widgets.checks.ladder.calling import as_function, build, callable_as
from widgets.checks.ladder.gradients import compare_module_gradients
from widgets.checks.ladder.rungs import Rung
from widgets.checks.ladder.tensors import Formula, Probe, Property, compare
from widgets.checks.ladder.trial import Trial, judge
from widgets.checks.ladder.wording import first_words, raised
from widgets.checks.mistakes import gate_formulas, habits, modules
from widgets.checks.mistakes.diagnosis import Mistake, alike, answer, close, fresh, named
from widgets.checks.mistakes.errors import behind
from widgets.checks.mistakes.gates import FAMILY_BANK, FAMILY_SILENT, FUSED, LOADED, SWIGLU, SWIGLU_SILENT, SWISH
from widgets.checks.mistakes.widths import LLAMA, MATCHED
from widgets.checks.verdict import Verdict


def check_swish(swish: Callable[..., Tensor]) -> Verdict:
    """Is `swish(z, beta=1.0)` z times the sigmoid of beta z? z: (...) -> (...), finite with its gradient at ±1000."""
    call, by_name = "swish(z, beta=1.0)", {"beta": 2.0}
    return Exercise(call, SWISH_FORMULA, SWISH_HINTS, ("z",), SWISH_GRADIENT, by_name=by_name, digits=True).check(swish)


def check_swiglu_module(swiglu_class: type[nn.Module]) -> Verdict:
    """Is `SwiGLU(d_model, d_ff)` down_proj(silu(gate_proj(x)) * up_proj(x)), without biases?"""

    def climb(trial: Trial) -> None:
        _built(trial, swiglu_class, TWO_MATRICES)
        _compare_module(trial, SWIGLU_FORMULA, swiglu_class, TWO_MATRICES)
        compare_module_gradients(trial, SWIGLU_GRADIENT, _filler(swiglu_class, TWO_MATRICES), ["x", *TWO_MATRICES])

    return judge("SwiGLU(d_model, d_ff)", SWIGLU_HINTS, climb)


def check_matched_d_ff(matched_d_ff: Callable[[int, int], int]) -> Verdict:
    """Is `matched_d_ff(d_model, relu_d_ff)` the largest width of three matrices that cost no more than the two?"""
    call = "matched_d_ff(d_model, relu_d_ff)"
    return Exercise(call, MATCHED_FORMULA, MATCHED_HINTS, number=Rung.WHOLE).check(matched_d_ff)


def check_llama_d_ff(llama_d_ff: Callable[..., int]) -> Verdict:
    """Does `llama_d_ff(d_model, multiple_of=256, multiplier=1.0)` give the widths of the LLaMA models?"""
    call, by_name = "llama_d_ff(d_model, multiple_of=256, multiplier=1.0)", {"multiple_of": 1024, "multiplier": 1.3}
    return Exercise(call, LLAMA_FORMULA, LLAMA_HINTS, number=Rung.WHOLE, by_name=by_name).check(llama_d_ff)


def check_glu_family(glu: Callable[..., Tensor]) -> Verdict:
    """Is `glu(x, gate_weight, up_weight, down_weight, kind)` the gated layer of that kind, for all five of them?

    x: (..., d_model); gate and up: (d_ff, d_model); down: (d_model, d_ff) -> (..., d_model)
    """
    call, arguments = "glu(x, gate_weight, up_weight, down_weight, kind)", ("x", "gate", "up", "down")
    return Exercise(call, FAMILY_FORMULA, FAMILY_HINTS, arguments, FAMILY_GRADIENT).check(glu)


def check_fused_swiglu(fused_class: type[nn.Module]) -> Verdict:
    """Is `FusedSwiGLU(d_model, d_ff)` SwiGLU with one matrix for gate and up, gate rows first?

    It has gate_up_proj and down_proj, and also loads a state_dict that SwiGLU saved.
    """

    def climb(trial: Trial) -> None:
        module = _built(trial, fused_class, ONE_MATRIX)
        _check_loading_own(trial, module)
        _compare_module(trial, FUSED_FORMULA, fused_class, ONE_MATRIX)
        _check_loading(trial, module)
        compare(trial, LOADED_FORMULA, as_function(_filler(fused_class, TWO_MATRICES)))
        _check_loading_by_name(trial, module)
        _check_loading_inside(trial, fused_class, type(module))
        fill, formula = _filler(fused_class, ONE_MATRIX), in_one_matrix(SWIGLU_GRADIENT)
        compare_module_gradients(
            trial, formula, lambda x, joint, down: fill(x, *joint.chunk(2), down), ["x", *ONE_MATRIX]
        )

    return judge("FusedSwiGLU(d_model, d_ff)", FUSED_HINTS, climb)


# Modules as functions of their matrices

TWO_MATRICES = ("gate_proj.weight", "up_proj.weight", "down_proj.weight")
ONE_MATRIX = ("gate_up_proj.weight", "down_proj.weight")


def _state(names: Sequence[str], gate: Tensor, up: Tensor, down: Tensor) -> dict[str, Tensor]:
    matrices = (gate, up, down) if len(names) == 3 else (torch.cat([gate, up]), down)
    return dict(zip(names, matrices, strict=True))


def _filler(module_class: Callable[..., nn.Module], names: Sequence[str]) -> Callable[..., nn.Module]:
    def fill(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> nn.Module:
        module = module_class(x.shape[-1], gate.shape[0]).to(x.dtype)
        module.load_state_dict(_state(names, gate, up, down))
        return module

    return fill


def _built(trial: Trial, module_class: Any, names: Sequence[str]) -> nn.Module:
    """The rungs that lead to a module with these matrices."""
    callable_as(trial, module_class, 8, 20)
    module = build(trial, module_class, 8, 20)
    _check_matrices(trial, module, names)
    return module


def _compare_module(trial: Trial, formula: Formula, module_class: Any, names: Sequence[str]) -> None:
    """The rungs of the function that a module is of its matrices."""
    fill = _filler(module_class, names)
    compare(trial, formula, as_function(fill))
    repeatable(trial, formula, as_function(fill, used=True))
    follows_its_weights(trial, formula, fill)


def _check_matrices(trial: Trial, module: nn.Module, names: Sequence[str], d_model: int = 8, d_ff: int = 20) -> None:
    rung = f"has {', '.join(name.removesuffix('.weight') for name in names)}, and nothing else"
    stored = module.state_dict()
    if not stored:
        mistake = modules.NOT_REGISTERED if _keeps_layers_aside(module) else modules.NO_LAYERS
        trial.refuse(rung, "The module holds no matrix.", [mistake])
    _check_names(trial, rung, list(stored), names)
    wanted = {"gate_up_proj.weight": (2 * d_ff, d_model), "down_proj.weight": (d_model, d_ff)}
    if any(nn.parameter.is_lazy(one) for one in stored.values()):
        trial.refuse(rung, "A lazy layer has no shape before its first call; both sizes are known here.")
    for name in names:
        shape, right = tuple(stored[name].shape), wanted.get(name, (d_ff, d_model))
        if shape != right:
            sizes = f"For d_model = {d_model} and d_ff = {d_ff}"
            symptom = f"{sizes}, `{name}` should have the shape {right}; it has {shape}."
            trial.refuse(rung, symptom, _behind_shapes([tuple(stored[one].shape) for one in names], d_model, d_ff))
    if len(list(module.parameters())) != len(names):
        trial.refuse(rung, "Two of the projections are the same matrix, or one of them is not a parameter.")
    trial.passed(rung)
    _check_start(trial, [stored[name] for name in names])


def _keeps_layers_aside(module: nn.Module) -> bool:
    """Whether there are layers in a list or a dictionary of the module's, where `nn.Module` does not look."""
    known = vars(nn.Module()).keys()  # what is registered, among others
    kept = [one for name, one in vars(module).items() if name not in known]
    inside = [list(one.values()) if isinstance(one, dict) else one for one in kept]
    aside = [layer for one in inside for layer in (one if isinstance(one, list | tuple) else [one])]
    return any(isinstance(layer, nn.Module | nn.Parameter) for layer in aside)


def _behind_shapes(shapes: list[tuple[int, ...]], d_model: int, d_ff: int) -> list[Mistake]:
    """What matrices of other shapes than expected give away; the down projection is the last."""
    *up, down = shapes
    if down == (d_model, 2 * d_ff // 3):
        return [modules.REDUCED_AGAIN]
    if down != (d_ff, d_model):
        return []
    turned = {(d_model, d_ff), (2 * d_model, d_ff), (d_model, 2 * d_ff)}
    return [modules.SIZES_EXCHANGED if turned.issuperset(up) else modules.DOWN_CONFUSED]


def _check_names(trial: Trial, rung: str, stored: list[str], names: Sequence[str]) -> None:
    """The state_dict holds these names and no others."""
    missing, others = set(names) - set(stored), [name for name in stored if name not in names]
    if not missing and not others:
        return
    symptom = f"The state_dict should hold `{', '.join(names)}`; yours holds `{', '.join(stored) or 'nothing'}`."
    if {f"{one}.weight" for one in stored} == set(names):
        layers = "The names are right; each should be a layer with a `weight`: `nn.Linear(..., bias=False)`."
        trial.refuse(rung, f"{symptom} {layers}")
    biases = [modules.BIASES_LEFT_ON] if any(name.endswith("bias") for name in stored) else []
    of_projections = {name.replace(".weight", ".bias") for name in names}
    if not others and missing == {"down_proj.weight"}:
        trial.refuse(rung, symptom, [modules.DOWN_MISSING])
    if not missing and of_projections.issuperset(others):
        trial.refuse(rung, symptom, biases)
    if not missing:
        trial.refuse(rung, f"{symptom} Nothing but the projections is asked for, so `{', '.join(others)}` is too much.")
    trial.refuse(rung, symptom, [modules.PROJECTION_NAMES, *biases])


def _check_start(trial: Trial, matrices: Sequence[Tensor]) -> None:
    """At least one matrix tells the hidden units apart: a row of those that lead up, a column of the one that ends."""
    *up, down = matrices
    if all(not (one - one[:1]).any() for one in up) and not (down - down[:, :1]).any():
        trial.refuse(Rung.START, "All hidden units start with the same numbers; training would keep them equal.")


def _check_loading_own(trial: Trial, module: nn.Module) -> None:
    """The layer loads what it saved itself."""
    outcome = trial.run(module.load_state_dict, module.state_dict())
    if isinstance(outcome.error, KeyError) and str(outcome.error).strip("'") in TWO_MATRICES:
        trial.refuse(Rung.LOADS_OWN, raised(trial.name, outcome), [modules.OWN_NOT_LOADED])
    if outcome.error is not None:
        words = first_words(outcome.error)
        mistakes = [modules.OWN_ALTERED] if "key(s) in state_dict" in words else behind(words)
        trial.refuse(Rung.LOADS_OWN, raised(trial.name, outcome), mistakes, LOADING_HINTS)
    trial.passed(Rung.LOADS_OWN)


def _check_loading(trial: Trial, module: nn.Module) -> None:
    saved = _saved_by_swiglu()
    kept = {name: fresh(one) for name, one in saved.items()}
    parameters = dict(module.named_parameters())
    outcome = trial.run(module.load_state_dict, saved)
    if outcome.error is not None:
        mistakes = behind(first_words(outcome.error)) or [modules.NOT_LOADED]
        trial.refuse(Rung.LOADS, raised(trial.name, outcome), mistakes)
    if saved.keys() != kept.keys() or any(not torch.equal(saved[name], kept[name]) for name in kept):
        changed = "Loading changes the dictionary that was given; its owner may still need it."
        trial.refuse(Rung.LOADS, changed, hints=LOADING_HINTS)
    if module.state_dict().keys() != set(ONE_MATRIX):
        trial.refuse(Rung.LOADS, "After loading, the state_dict of the module has other names than before.")
    if any(module.get_parameter(name) is not one for name, one in parameters.items()):
        exchanged = "After loading, the module has another parameter in the place of one that it had."
        trial.refuse(Rung.LOADS, exchanged, [modules.PARAMETER_EXCHANGED])
    _check_halves(trial, module, *(saved[name] for name in TWO_MATRICES[:2]))
    trial.passed(Rung.LOADS)


def _saved_by_swiglu(*missing: str) -> dict[str, Tensor]:
    """What a layer with two matrices saves, in float32, without those that are missing."""
    saved = _state(TWO_MATRICES, *_layer(8, 20)[1:])
    return {name: one.float() for name, one in saved.items() if name not in missing}


def _check_loading_by_name(trial: Trial, module: nn.Module) -> None:
    """A dictionary in another order says the same; one that lacks a matrix is not taken."""
    stored = module.state_dict()[ONE_MATRIX[0]]
    joint = fresh(stored)
    stored.zero_()
    outcome = trial.run(module.load_state_dict, dict(reversed(_saved_by_swiglu().items())))
    if outcome.error is not None:
        words = raised(trial.name, outcome, "for the same names in another order")
        trial.refuse(Rung.LOADS_BY_NAME, words, hints=LOADING_HINTS[1:])
    if not torch.equal(module.state_dict()[ONE_MATRIX[0]], joint):
        order = "A dictionary that has the up matrix before the gate's is loaded otherwise; only names count there."
        trial.refuse(Rung.LOADS_BY_NAME, order, hints=LOADING_HINTS[1:])
    for name in TWO_MATRICES[:2]:
        if trial.run(module.load_state_dict, _saved_by_swiglu(name)).error is None:
            silent = f"A dictionary without `{name}` loads without an error; the joint matrix cannot be complete then."
            trial.refuse(Rung.LOADS_BY_NAME, silent, hints=LOADING_HINTS[1:])
    unknown = {**_saved_by_swiglu(), "gate_bias": torch.zeros(20)}
    if trial.run(module.load_state_dict, unknown).error is None:
        silent = "A name that the layer does not know, `gate_bias`, is loaded without an error."
        trial.refuse(Rung.LOADS_BY_NAME, silent, [modules.NOT_HANDED_ON])
    trial.passed(Rung.LOADS_BY_NAME)


def _check_halves(trial: Trial, module: nn.Module, gate: Tensor, up: Tensor) -> None:
    """The rows of both matrices are in the joint matrix, in whatever order."""
    joint = module.state_dict()[ONE_MATRIX[0]]
    there = {name: (joint[:, None] == one).all(-1).any(0).all() for name, one in (("gate", gate), ("up", up))}
    lost = [name for name, found in there.items() if not found]
    if lost:
        symptom = f"After loading, rows of the {' and the '.join(lost)} matrix are not in the joint matrix."
        trial.refuse(Rung.LOADS, symptom, [habits.HALF_LOADED] if len(lost) == 1 else [modules.NOT_LOADED])


def _check_loading_inside(trial: Trial, fused_class: Callable[..., nn.Module], kind: type[nn.Module]) -> None:
    """As one layer among others, whose names begin with a prefix. kind: of what `fused_class` makes"""
    x, *matrices = _layer(8, 20)
    saved = {f"layers.0.gated.{name}": one for name, one in _state(TWO_MATRICES, *matrices).items()}

    def loaded() -> Tensor:
        layer = fused_class(8, 20).double()
        nn.ModuleDict({"layers": nn.ModuleList([nn.ModuleDict({"gated": layer})])}).load_state_dict(saved)
        return layer(x)

    outcome = trial.run(loaded)
    if not close(outcome.value, gate_formulas.gated(x, *matrices)):
        message = "It loads alone, and not as a layer of a larger model, where each name begins with a prefix."
        alone = kind.load_state_dict is not nn.Module.load_state_dict
        trial.refuse(Rung.LOADS_INSIDE, message, [modules.LOADED_ALONE] if alone else [], LOADING_HINTS[1:])
    trial.passed(Rung.LOADS_INSIDE)


def in_one_matrix(formula: Formula) -> Formula:
    """The same layer, as a function of x, the joint matrix and the down projection."""

    def joined(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> tuple[Tensor, ...]:
        return x, torch.cat([gate, up]), down

    probes = tuple(Probe(one.words, joined(*one.args)) for one in formula.probes)
    properties = tuple(one.of(lambda f: lambda *layer: f(*joined(*layer))) for one in formula.properties)
    return replace(formula, right=gate_formulas.joint, probes=probes, properties=properties)


# Hints while nothing is recognised

SWIGLU_HINTS = (
    "Three `nn.Linear`, each with `bias=False`: two lead from d_model to d_ff, one leads back.",
    "One of the two branches passes through Swish, the other stays as it is; then they are multiplied.",
    "gate and up are two projections of the same x. Multiply silu(gate) by up; which projection leads back to d_model?",
)
SWISH_HINTS = (
    "z times something between 0 and 1.",
    "That something is the sigmoid. With beta = 0 the result is z / 2: where does beta stand?",
    "Prefer `torch.sigmoid` to a formula with `exp`: what is exp(1000)?",
)
MATCHED_HINTS = (
    "Count: two matrices of d_model · relu_d_ff numbers, and three of d_model · d_ff.",
    "d_model stands on both sides. What is left is a fraction of relu_d_ff.",
    "Two thirds; and for whole numbers `//` rounds down.",
)
LLAMA_HINTS = (
    "Begin with two thirds of 4 · d_model, cut to a whole number.",
    "Then the multiplier, cut to a whole number again, then the rounding up.",
    "How many multiples of m does n need? (n + m − 1) // m. Yours should give 11008 for 4096, and 14336 for 4096 with "
    "multiple_of 1024 and multiplier 1.3.",
)
FAMILY_HINTS = (
    "All five are the same line; only the activation on the gate differs.",
    'A dictionary from kind to function saves five branches; for "bilinear" the function returns its argument.',
    "torch stores (numbers out, numbers in): `F.linear(x, weight)` is `x @ weight.T`.",
)
LOADING_HINTS = (
    "For loading, override `_load_from_state_dict(self, state_dict, prefix, *rest)` and translate the names.",
    'The old names are `prefix + "gate_proj.weight"` and `prefix + "up_proj.weight"`: take both out, put one in '
    "under the new name (`torch.cat`, gate first), then call super's method.",
)
FUSED_HINTS = (
    "One `nn.Linear` from d_model to 2 · d_ff; its result is cut into two halves: `chunk(2, dim=-1)`.",
    *LOADING_HINTS,
)


# What is tried

_Z = torch.tensor([-5.0, -3, -1.2785, -0.5, -0.1, 0, 0.3, 1, 1.2785, 2, 4], dtype=torch.float64)
_TEN = torch.tensor(10.0, dtype=torch.float64)
_FAR = torch.tensor([-1000.0, -90, 90, 1000], dtype=torch.float64)
_TAIL = torch.tensor([-35.0, -28, -25, -20, -16, -13, -11, -9, -8], dtype=torch.float64)

_near_zero = right_for(gate_formulas.swish, (_Z,), (_Z, 0.5), (_Z, 2.0))
_far_out = right_for(gate_formulas.swish, (_TAIL,), (_FAR,))
SWISH_FORMULA = Formula(
    gate_formulas.swish,
    SWISH,
    (
        Probe("z from −5 to 4", (_Z,)),
        Probe("z = ±90 and ±1000 in float32", (_FAR.float(),)),
        Probe("z = ±90 and ±1000 and beta = 2", (_FAR, 2.0)),
        Probe("z = ±90 and ±1000 and beta = 0.01", (_FAR, 0.01)),
        *(Probe(f"z from −5 to 4 and beta = {beta}", (_Z, beta)) for beta in (2.0, 0.0, 0.5, 20.0)),
        Probe("z in float32", (_Z.float(),)),
        Probe("z of shape (2, 3, 4)", (numbers(2, 3, 4, seed=11, size=3), 0.7)),
        Probe("z from −35 to −8", (_TAIL,)),
        Probe("z from 8 to 14", (torch.linspace(8, 14, 7, dtype=torch.float64),)),
        Probe("z from −17 to −4 and beta = 2", (_TAIL / 2, 2.0)),
        Probe("z of shape (3, 4), transposed in memory", (numbers(4, 3, seed=13, size=2).T,)),
        Probe("a single number z", (torch.tensor(-0.8, dtype=torch.float64),)),
        Probe("z in bfloat16", (numbers(3, 5, seed=12, size=2, dtype=torch.bfloat16), 1.5)),
        Probe("z from −35 to −8 in bfloat16", (_TAIL.bfloat16(),)),
    ),
    (
        Property(lambda f: close(f(_Z), f(_Z, 1.0)), "Without beta the result should be that of beta = 1, and is not."),
        Property(lambda f: close(f(_Z * 0), _Z * 0), "Swish(0) is 0; yours is not."),
        Property(
            lambda f: abs(f(_TEN).item() - 10) < 0.01,
            "Swish lets positive numbers pass: Swish(10) is nearly 10; yours is not.",
        ),
        Property(
            lambda f: abs(f(-_TEN).item()) < 0.01, "Swish stops negative numbers: Swish(−10) is nearly 0; yours is not."
        ),
        Property(lambda f: close(f(_Z) - f(-_Z), _Z), "Swish(z) − Swish(−z) = z for beta = 1; yours breaks this."),
        Property(lambda f: not close(f(_Z, 2.0), f(_Z, 0.5)), "Two values of beta give the same result."),
        Property(lambda f: close(f(_Z, 0.0), _Z / 2), "With beta = 0 Swish is z / 2; yours is not."),
        Property(
            lambda f: close(2 * f(_Z, 2.0), f(2 * _Z)),
            "Swish(z) with beta = 2 is half of Swish(2z); yours breaks this.",
        ),
        Property(
            lambda f: close(f(_TEN / 10), torch.sigmoid(_TEN / 10)),
            "Swish(1) with beta = 1 is the sigmoid of 1, 0.731; yours is not. What goes into your sigmoid?",
        ),
        Property(
            lambda f: not (_near_zero(f) and (f(_TAIL) == 0).any()),
            "Far below zero the result is 0, and Swish is not.",
            named(SWISH, "tail cut off")[0],
        ),
        Property(
            lambda f: _far_out(f) or not _near_zero(f),
            "The result is right near zero, and wrong far out.",
            named(SWISH, "clamped far out")[0],
        ),
    ),
    last="Compare with z times the sigmoid of beta · z, number by number.",
)


_HALF_FAR = torch.tensor([-1000.0, -50, -20, -12, 12, 1000], dtype=torch.float16)
SWISH_GRADIENT = replace(
    SWISH_FORMULA, probes=(*SWISH_FORMULA.probes[:6], Probe("z from −1000 to 1000 in float16", (_HALF_FAR,)))
)


def _layer(
    d_model: int, d_ff: int, *shape: int, seed: int = 30, dtype: torch.dtype = torch.float64
) -> tuple[Tensor, ...]:
    """x, gate, up and down; large enough for the activations to bend."""
    x = numbers(*(shape or (2, 3)), d_model, seed=seed, shift=0.3, dtype=dtype)
    gate, up = (numbers(d_ff, d_model, seed=seed + one, size=0.6, shift=0.1, dtype=dtype) for one in (1, 2))
    return x, gate, up, numbers(d_model, d_ff, seed=seed + 3, size=0.6, dtype=dtype)


def _with(layer: tuple[Tensor, ...], change: Callable[[Tensor], Tensor]) -> tuple[Tensor, ...]:
    """The same layer with another x."""
    x, *matrices = layer
    return change(x), *matrices


# A layer whose gates are negative for all four tokens, for each further below zero
_TAIL_X = torch.tensor([[3.0], [6], [12], [24]], dtype=torch.float64).expand(4, 6).clone()
_TAIL_LAYER = (_TAIL_X, -(1 + numbers(5, 6, seed=121, size=0.01)) / 6, *_layer(6, 5, seed=120)[2:])
_LAYERS = (
    ("x of shape (2, 3, 8), d_ff 20", _layer(8, 20)),
    ("x of shape (5,), d_ff 7", _with(_layer(5, 7, 2, seed=40), lambda x: x[0])),
    ("x of shape (4, 6), d_ff 3", _layer(6, 3, 4, seed=50)),
    ("x of shape (2, 3, 4, 5), d_ff 5, as many as features", _layer(5, 5, 2, 3, 4, seed=60)),
    ("small numbers", tuple(0.1 * one for one in _layer(6, 9, 4, seed=70))),
    ("large numbers", _with(_layer(6, 9, 4, seed=80), lambda x: 30 * x)),
    ("x in float32", _layer(8, 20, 3, seed=90, dtype=torch.float32)),
    ("x of shape (3, 4, 6), transposed in memory", _with(_layer(6, 5, 4, 3, seed=110), lambda x: x.transpose(0, 1))),
    ("gates from −24 to −3", _TAIL_LAYER),
    ("130 tokens", _layer(4, 3, 130, seed=130)),
    ("a batch of one token", _layer(6, 5, 1, 1, seed=140)),
)
_HALF = ("x in bfloat16", _layer(8, 20, 3, seed=100, dtype=torch.bfloat16))


def _times(factor: float, at: int) -> Callable[[Callable[..., Tensor]], bool]:
    """One of the arguments times this factor gives the result times this factor."""

    def holds(f: Callable[..., Tensor]) -> bool:
        args = list(_LAYERS[0][1])
        before = f(*args)
        args[at] = args[at] * factor
        return close(f(*args), before * factor)

    return holds


GATE, UP, DOWN = 1, 2, 3  # places among the arguments
LAYER_PROPERTIES = (
    *(one.of(lambda f: lambda x: f(x, *_LAYERS[0][1][1:])) for one in EACH_TOKEN_ALONE),
    *(
        Property(_times(0, at), f"With zeros in the {name} matrix the result should be zero, and is not.")
        for name, at in (("gate", GATE), ("up", UP), ("down", DOWN))
    ),
    Property(
        _times(2, UP),
        "Twice the up matrix should give twice the result, and does not. Does an activation, a norm or a clamp act on "
        "the content, or on what comes after it?",
    ),
    Property(_times(2, DOWN), "Twice the down matrix should give twice the result, and does not."),
    Property(
        lambda f: not _times(2, GATE)(f),
        "Twice the gate matrix gives exactly twice the result; Swish is a curve, so it should not.",
    ),
)


_one_unit, _many_units = (right_for(gate_formulas.gated, layer) for layer in (_layer(8, 1), _LAYERS[0][1]))
_ordinary = right_for(gate_formulas.gated, _LAYERS[0][1], _LAYERS[4][1])  # and small
_large = right_for(gate_formulas.gated, _LAYERS[5][1])
FAR_OUT = (
    Property(
        lambda f: not (_ordinary(f) and (f(*_TAIL_LAYER)[-1] == 0).all()),
        "Where all gates are far below zero the result is 0, and should not be.",
        named(SWIGLU, "tail cut off")[0],
    ),
    Property(
        lambda f: _large(f) or not _ordinary(f),
        "The result is right for numbers of ordinary size, and wrong for large ones.",
        named(SWIGLU, "clamped branches")[0],
    ),
)

UNITS_APART = Property(
    lambda f: _many_units(f) or not _one_unit(f),
    "With a single hidden unit the result is right, with several it is not: what belongs to one unit meets what "
    "belongs to another.",
)


def _units_paired(f: Callable[..., Tensor]) -> bool:
    """All rows of up but one are zero: the rows of the gate that belong to those do not matter."""
    x, gate, up, down = _LAYERS[0][1]
    for unit in (0, len(up) - 1):
        alone, others = torch.zeros_like(up), -gate
        alone[unit], others[unit] = up[unit], gate[unit]
        if not close(f(x, gate, alone, down), f(x, others, alone, down)):
            return False
    return True


UNITS_PAIRED = Property(
    _units_paired,
    "A row of the gate matrix acts where only another row of up is left: does something mix the hidden units, or pair "
    "a gate with another unit's content?",
)


def _scaled(f: Callable[..., Tensor]) -> bool:
    x, gate, up, down = _LAYERS[0][1]
    return close(f(10 * x, gate / 10, up / 10, down), f(x, gate, up, down))


def _odd_one_counts(f: Callable[..., Tensor]) -> bool:
    """The last of seven hidden units reaches the result."""
    x, gate, up, down = _LAYERS[1][1]
    return not close(f(x, gate, up, down), f(x, gate, up, down * (torch.arange(7) < 6)))


SCALED = Property(
    _scaled,
    "Ten times x, with gate and up divided by ten, should give the same result, and does not. Is x itself normalised, "
    "clamped or bent?",
)
ODD_ONE_COUNTS = Property(_odd_one_counts, "Of seven hidden units, the last one never reaches the result.")
NOT_SWISH = "Each branch reaches the result, but the activation of the gate is not Swish."
SWIGLU_FORMULA = Formula(
    gate_formulas.gated,
    SWIGLU,
    tuple(Probe(words, args) for words, args in (*_LAYERS, _HALF)),
    (*FAR_OUT, *LAYER_PROPERTIES, UNITS_APART, UNITS_PAIRED, SCALED, ODD_ONE_COUNTS, Property(_many_units, NOT_SWISH)),
    hints={"the result": SWIGLU_HINTS[1:]},
)


def _right_for_kind(kind: str) -> Callable[[Callable[..., Tensor]], bool]:
    return right_for(gate_formulas.family, (*_LAYERS[0][1], kind))


_UNIT = torch.ones(1, 1, dtype=torch.float64)


def _let_through(kind: str, f: Callable[..., Tensor] = gate_formulas.family) -> float:
    """What a single unit gives whose gate and whose content are 1."""
    return f(_UNIT, _UNIT, _UNIT, _UNIT, kind).item()


def _through(kind: str) -> Callable[[Callable[..., Tensor]], Tensor | None]:
    """The same of another function, if it is something else."""

    def given(f: Callable[..., Tensor]) -> Tensor | None:
        one = f(_UNIT, _UNIT, _UNIT, _UNIT, kind)
        return None if abs(one.item() - _let_through(kind)) < 1e-4 else one

    return given


def _another_kind(kind: str, other: str) -> Property:
    """One kind does not give what another should give."""
    layer, wrong = _LAYERS[0][1], f'The kind "{kind}" gives what "{other}" should give.'
    return Property(lambda f: not alike((f(*layer, kind),), answer(gate_formulas.family, (*layer, other))), wrong)


FAMILY_FORMULA = Formula(
    gate_formulas.family,
    FAMILY_BANK,
    tuple(
        Probe(f'the kind "{kind}", {words}', (*args, kind))
        for words, args in (_LAYERS[0], _LAYERS[3], *_LAYERS[5:])
        for kind in gate_formulas.FAMILY
    ),
    (
        Property(
            lambda f: any(_right_for_kind(kind)(f) for kind in gate_formulas.FAMILY),
            'All five kinds are wrong, "bilinear" too, so the activation is not to blame, or not alone. Is a matrix '
            "read otherwise than `F.linear` reads it?",
        ),
        *(_another_kind(kind, other) for kind, other in permutations(gate_formulas.FAMILY, 2)),
        *(
            Property(
                right_for(gate_formulas.family, (*_LAYERS[0][1], kind)),
                f'The first kind that is wrong is "{kind}": a gate of 1 should let {_let_through(kind):.4g} '
                "through{and_gives}.",
                shown=_through(kind),
            )
            for kind in gate_formulas.FAMILY
        ),
    ),
    also=({"geglu": gate_formulas.gelu_tanh},),
    last="Each kind is right for the first layer tried, and not for this one.",
)


_LARGE = _with(_layer(6, 9, 4, seed=80, dtype=torch.float32), lambda x: 100 * x)
SWIGLU_GRADIENT = Formula(
    gate_formulas.gated, SWIGLU_SILENT, (SWIGLU_FORMULA.probes[0], Probe("large numbers in float32", _LARGE))
)
FAMILY_GRADIENT = replace(
    FAMILY_FORMULA,
    bank=FAMILY_SILENT,
    probes=(
        *FAMILY_FORMULA.probes[: len(gate_formulas.FAMILY)],
        *(Probe(f'the kind "{kind}", large numbers in float32', (*_LARGE, kind)) for kind in ("glu", "swiglu")),
    ),
)


FUSED_FORMULA = replace(SWIGLU_FORMULA, bank=FUSED)
LOADED_FORMULA = Formula(
    gate_formulas.gated,
    LOADED,
    SWIGLU_FORMULA.probes,
    last="With a joint matrix of its own the layer is right. After loading two matrices it is not: in which order do "
    "their rows come to stand?",
)


def _cost(given: int, d_model: int, relu_d_ff: int) -> str:
    """What is wrong with a width, counted in parameters."""
    gated, two = 3 * d_model * given, 2 * d_model * relu_d_ff
    more = f"Three matrices of that width hold {gated} numbers, {abs(gated - two)} {'more' if gated > two else 'fewer'}"
    return f"{more} than the two." + ("" if gated > two else " A larger width would still fit.")


def _rounding(given: int, d_model: int, multiple_of: int = 256, multiplier: float = 1.0) -> str:
    """What is wrong with a width that should be a multiple, rounded up."""
    if given % multiple_of:
        return f"It is no multiple of {multiple_of}."
    exact = int(multiplier * (8 * d_model // 3))
    if given < exact:
        return f"It is less than {exact}, which is to be rounded up."
    return f"It is a multiple of {multiple_of}, but not the smallest one that reaches {exact}."


_WIDTHS = ((512, 2048), (768, 3072), (64, 100), (64, 101), (7, 5), (4096, 16384), (10, 2), (300, 1000), (2, 3_000_000))
MATCHED_FORMULA = Formula(
    gate_formulas.matched_d_ff,
    MATCHED,
    tuple(Probe(f"d_model = {d_model} and relu_d_ff = {wide}", (d_model, wide)) for d_model, wide in _WIDTHS),
    telling=_cost,
)

_MODELS = ((4096,), (5120,), (6656,), (8192,), (4096, 1024, 1.3), (8192, 4096, 1.3), (16384, 4096, 1.2), (3072,))
_OTHERS = ((512, 64), (2048, 32, 0.5), (100, 2), (640, 160), (96, 4, 1.3), (100, 5, 1.3), (256, 64, 2.0), (50, 1))
LLAMA_FORMULA = Formula(
    gate_formulas.llama_d_ff,
    LLAMA,
    tuple(Probe(f"llama_d_ff({', '.join(map(str, args))})", args) for args in (*_MODELS, *_OTHERS)),
    telling=_rounding,
)
