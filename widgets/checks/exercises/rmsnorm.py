"""The checks of exercise notebook 05: from the root mean square to the gradient of RMSNorm by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor, nn

from widgets.checks.exercises.exercise import Exercise
from widgets.checks.exercises.probes import EACH_TOKEN_ALONE, X, gains, norm_probe, numbers, right_for
from widgets.checks.ladder.again import follows_its_weights, repeatable
from widgets.checks.ladder.calling import as_function, build, callable_as
from widgets.checks.ladder.gradients import compare_module_gradients
from widgets.checks.ladder.rungs import Rung
from widgets.checks.ladder.tensors import Formula, Probe, Property, compare, keeps_digits
from widgets.checks.ladder.trial import Trial, judge
from widgets.checks.ladder.wording import kind, short
from widgets.checks.mistakes import habits, modules, norm_formulas
from widgets.checks.mistakes.backward import BACKWARD
from widgets.checks.mistakes.diagnosis import close, fresh, named
from widgets.checks.mistakes.norms import CUT, DIFFERENCE, GAIN, HALF, LAYER_NORM, LAYER_NORM_CUT, RMS_NORM
from widgets.checks.mistakes.statistic import RMS
from widgets.checks.verdict import Verdict

TINY = 1e-12  # an eps that changes nothing visible at size 1


def check_rms(rms: Callable[[Tensor], Tensor]) -> Verdict:
    """Is `rms(x)` the root mean square over the last axis? x: (..., d) -> (..., 1)."""
    half = tuple(Probe(one.words, one.args[:1]) for one in (*_HALF_PROBES, _ONE_FEATURE))
    return Exercise("rms(x)", RMS_FORMULA, RMS_HINTS, ("x",), afterwards=half).check(rms)


def check_rms_norm(rms_norm: Callable[[Tensor, Tensor, float], Tensor]) -> Verdict:
    """Is `rms_norm(x, weight, eps)` RMSNorm? x: (..., d), weight: (d,) -> (..., d), in the dtype of x."""
    ahead = _LARGE_PROBE, "300 in float16 is too large for it yet; exercise 05.3 asks for that"
    call, arguments = "rms_norm(x, weight, eps)", ("x", "weight")
    exercise = Exercise(call, RMS_NORM_FORMULA, RMS_NORM_HINTS, arguments, RMS_NORM_CUT, ahead=ahead)
    return replace(exercise, afterwards=(_ONE_FEATURE,)).check(rms_norm)


def check_rmsnorm_module(norm_class: type[nn.Module]) -> Verdict:
    """Is `RMSNorm(d_model, eps=1e-6)` a drop-in for torch.nn.RMSNorm?

    The same state_dict, safe in float16 and bfloat16, its input left alone, and trained like any other module.
    """

    def climb(trial: Trial) -> None:
        callable_as(trial, norm_class, 8, eps=0.1)
        module = build(trial, norm_class, 8)
        _check_weight(trial, module)
        fill = _filler(norm_class)
        for formula in (MODULE, MODULE_MIXED, MODULE_EMPTY):
            compare(trial, formula, as_function(fill))
        _check_rounding(trial, as_function(fill))
        repeatable(trial, MODULE, as_function(fill, used=True))
        follows_its_weights(trial, MODULE, fill, other=torch.float16)
        exact = (X, _ONES, 0.125)  # a weight and an eps that float32 holds
        keeps_digits(trial, MODULE, as_function(fill, used=True, other=torch.float16), exact)
        compare_module_gradients(trial, MODULE_CUT, fill, ["x", "weight"])

    return judge("RMSNorm(d_model, eps=1e-6)", MODULE_HINTS, climb)


def check_layernorm_from_rmsnorm(layer_norm_from_rms_norm: Callable[..., Tensor]) -> Verdict:
    """Is `layer_norm_from_rms_norm(x, weight, bias, eps)` LayerNorm? x: (..., d), weight and bias: (d,) -> (..., d)."""
    call, arguments = "layer_norm_from_rms_norm(x, weight, bias, eps)", ("x", "weight", "bias")
    exercise = Exercise(call, LAYER_NORM_FORMULA, LAYER_NORM_HINTS, arguments, LAYER_NORM_WITHOUT)
    return replace(exercise, afterwards=(_layer_norm_probe(_ONE_FEATURE),)).check(layer_norm_from_rms_norm)


def check_rms_norm_backward(rms_norm_backward: Callable[..., tuple[Tensor, Tensor]]) -> Verdict:
    """Is `rms_norm_backward(grad_output, x, weight, eps)` the pair (grad_x, grad_weight)?

    grad_output and x: (..., d), weight: (d,) -> (..., d) and (d,)
    """
    call = "rms_norm_backward(grad_output, x, weight, eps)"
    return Exercise(call, BACKWARD_FORMULA, BACKWARD_HINTS, by_hand=True).check(rms_norm_backward)


# Hints while nothing is recognised

BACKWARD_HINTS = (
    "Work on one token first. With z = x / scale the result is weight · z: what is its gradient for the weight?",
    "grad_weight is grad_output · z, summed over all tokens, however many axes they stand in.",
    "For grad_x, begin with g = grad_output · weight. x acts twice: directly, and through the scale.",
    "The second way takes off z · mean(g · z), with a mean over the features. Both ways are divided by the scale.",
)
RMS_NORM_HINTS = (
    "Three things happen to x: its scale is measured, x is divided by it, the weight multiplies the result.",
    "Write the mean square again and add eps to it, before the root. (`rms(x) ** 2` takes a root only to undo it, and "
    "has no gradient at zeros.)",
    "`torch.rsqrt(m)` is 1 / √m: multiply x by it, then by the weight.",
)
RMS_HINTS = (
    "Read the name backwards: square, mean, root.",
    "The mean runs over the last axis only, and that axis stays, with length 1: `dim=-1, keepdim=True`.",
    "`x.square().mean(dim=-1, keepdim=True)` is the mean square. One step is missing.",
)
MODULE_HINTS = (
    "`__init__` calls `super().__init__()`, keeps eps, and makes one parameter: `nn.Parameter(torch.ones(d_model))`, "
    "with nothing called on it afterwards.",
    "Which dtype should the squares have, and which the result? `torch.promote_types(x.dtype, torch.float32)` is "
    "float32 for half precision, and float64 for float64.",
    "A fresh module has a float32 weight, and bfloat16 times float32 is float32: so the cast back to x's dtype comes "
    "after the product, or the weight is cast too.",
    "`x.float()` of a float32 tensor is that tensor: nothing may be written into it.",
)
LAYER_NORM_HINTS = (
    "When is a mean square the same thing as a variance?",
    "Give RMSNorm a vector whose mean is 0.",
    "Subtract the mean of each vector, then normalise. One thing is left that LayerNorm has and RMSNorm lacks.",
)


# What is tried

_LARGE = torch.tensor([[300.0, -280, 290, 310, -300, 260, 270, 305], [3.0, 1, -2, 0, 1, 2, -1, 1]], dtype=torch.float16)
_LARGE_PROBE = norm_probe("300 in float16", _LARGE, 1e-6)
_SMALL = numbers(4, 6, seed=8, size=1e-3, shift=4e-4)
_ZEROS = torch.zeros(2, 6, dtype=torch.float64)
_LONG = numbers(2, 24, seed=18)
_LONGER = torch.cat([_LONG[:, :-1], 9 * _LONG[:, -1:]], dim=-1)

# Tried once all else is right: with one feature, many a mistake divides by zero.
_ONE_FEATURE = norm_probe("a single feature", torch.tensor([[0.5], [-2.0], [0.0], [0.01]], dtype=torch.float64))
_WITH_ZEROS = norm_probe("a row of zeros", _ZEROS, 1e-6)
NORM_PROBES = (
    norm_probe("x of shape (2, 3, 8)", X),
    norm_probe("x of shape (5,)", numbers(5, seed=2, shift=-0.4)),
    norm_probe("x of shape (4, 4)", numbers(4, 4, seed=3, shift=0.5)),
    norm_probe("x of shape (2, 3, 4, 5)", numbers(2, 3, 4, 5, seed=4, shift=0.6)),
    norm_probe("x of shape (6, 4, 3), transposed in memory", numbers(4, 6, 3, seed=5, shift=0.6).transpose(0, 1), 0.01),
    norm_probe("numbers of about a million", numbers(3, 11, seed=6, size=1e6, shift=4e5)),
    norm_probe("x in float32", numbers(3, 7, seed=7, shift=0.3, dtype=torch.float32)),
    norm_probe("numbers of about 0.001", _SMALL, 1e-6),
    norm_probe("numbers of about 0.05", numbers(3, 5, seed=10, size=0.04, shift=0.03)),
    norm_probe("numbers of about 0.000001", numbers(2, 5, seed=15, size=1e-6, shift=4e-7), 1e-6),
    _WITH_ZEROS,
    Probe("a weight of about 20000", (numbers(2, 4, seed=16, shift=0.3), 2e4 * gains(4), 0.1)),
    norm_probe("300 tokens", numbers(300, 3, seed=26, shift=0.3)),
    norm_probe("a batch of one token", numbers(1, 1, 6, seed=28, shift=0.3)),
    norm_probe("zeros among the features", X * (X > 0)),
    norm_probe("eps = 0 in float32", numbers(3, 6, seed=31, size=1e-3, shift=4e-4, dtype=torch.float32), 0.0),
    norm_probe("1100 features", numbers(2, 1100, seed=27, shift=0.2)),
)

_HALF_PROBES = tuple(
    norm_probe(f"x in {short(dtype)}", numbers(2, 3, 8, seed=9, shift=0.5, dtype=dtype))
    for dtype in (torch.bfloat16, torch.float16)
)
# Not in float16: its squares of such numbers have lost their digits before anybody adds eps.
_SMALL_HALF = norm_probe(
    "numbers of about 0.01 in bfloat16", numbers(3, 8, seed=25, size=0.01, shift=0.004, dtype=torch.bfloat16), 1e-6
)

_SIGNS = torch.tensor([1.0, -1, 1, 1, -1, 1, -1, 1], dtype=torch.float64)
RMS_FORMULA = Formula(
    norm_formulas.rms,
    RMS,
    tuple(Probe(one.words, one.args[:1]) for one in NORM_PROBES),
    (
        Property(right_for(norm_formulas.rms, (_ZEROS,)), "Zeros should give 0, and do not."),
        *EACH_TOKEN_ALONE,
        Property(lambda f: not close(f(_LONG), f(_LONGER)), "In a vector of 24 components, the last does not count."),
        Property(lambda f: close(f(-X), f(X)), "x and −x give different results; the signs should not matter."),
        Property(
            lambda f: close(f(X * _SIGNS), f(X)),
            "The signs of some components matter; none should. Are products of different ones in it?",
        ),
        Property(lambda f: close(f(X.flip(-1)), f(X)), "The order of the features matters; it should not."),
        Property(lambda f: close(f(10 * X), 10 * f(X)), "Ten times x should give ten times the result, and does not."),
        Property(
            lambda f: close(f(1e4 * X), 1e4 * f(X)), "10000 times x should give 10000 times the result. Is it clamped?"
        ),
        Property(
            lambda f: close(f(torch.full((1, 4), 3.0)), torch.full((1, 1), 3.0)),
            "x = [3, 3, 3, 3] should give 3{and_gives}.",
            shown=lambda f: f(torch.full((1, 4), 3.0)),
        ),
        Property(
            lambda f: close(f(torch.tensor([[0.0, 0, 0, 2]])), torch.ones(1, 1)),
            "x = [0, 0, 0, 2] should give 1{and_gives}.",
            shown=lambda f: f(torch.tensor([[0.0, 0, 0, 2]])),
        ),
    ),
)

_W, _ONES = gains(8), torch.ones(8, dtype=torch.float64)
_WITH_A_ZERO = _W * (_W[3] != _W)

# Of every norm f(x, weight, eps)
DEPENDS = (
    Property(lambda f: not close(f(X, _W, 0.1), f(X, _W, TINY)), "Another eps gives the same result."),
    Property(
        lambda f: not close(f(_SMALL, gains(6), 1e-5), f(_SMALL, gains(6), 1e-7)),
        "For small numbers eps = 1e-5 and eps = 1e-7 give the same result; they should not.",
    ),
    *(one.of(lambda f: lambda x: f(x, _W, 0.1)) for one in EACH_TOKEN_ALONE),
)
SCALES = (
    Property(
        lambda f: close(f(X, 2 * _W, 0.1), 2 * f(X, _W, 0.1)),
        "Twice the weight should give twice the result, and does not.",
    ),
    Property(
        lambda f: close(f(X, 1e4 * _W, 0.1), 1e4 * f(X, _W, 0.1)),
        "10000 times the weight should give 10000 times the result, and does not. Is something clamped?",
    ),
    Property(
        lambda f: close(f(10 * X, _W, TINY), f(X, _W, TINY)),
        "With a tiny eps, ten times x should give the same result, and does not.",
    ),
    Property(
        lambda f: close(f(-X, _W, 0.1), -f(X, _W, 0.1)), "−x should give the negative of the result, and does not."
    ),
    Property(
        lambda f: close(f(X.roll(1, -1), _W.roll(1), 0.1), f(X, _W, 0.1).roll(1, -1)),
        "The order of the features matters; each of them should be treated alike.",
    ),
    Property(
        lambda f: close(f(X * 1e4, _W, TINY), f(X, _W, TINY)),
        "Numbers of about 10000 give another result than numbers of about 1. Is something clamped?",
    ),
)
RMS_OF_ONE = Property(
    lambda f: close(norm_formulas.rms(f(X, _ONES, TINY)), torch.ones(2, 3, 1, dtype=torch.float64)),
    "With a weight of ones, nothing added and a tiny eps the result should have a root mean square of 1, and has not.",
)


def _eps_in_its_place(right: Callable[..., Tensor]) -> Property:
    """What is right with a tiny eps is right with a large one, too."""
    tiny, large = (right_for(right, (X, _W, eps)) for eps in (TINY, 0.1))
    wrong = "With a tiny eps the result is right; with a larger one it is not. Where is eps added? Is x divided twice?"
    return Property(lambda f: large(f) or not tiny(f), wrong)


def _points_where_x_points(f: Callable[..., Tensor]) -> bool:
    factors = f(X, _ONES, TINY) / X
    return close(factors[..., :1].expand_as(X), factors) and bool((factors > 0).all())


def _any_number_of_features(right: Callable[..., Tensor]) -> Property:
    """What is right for eight of them is right for five, too."""
    eight, five = (right_for(right, (x, gains(x.shape[-1]), 0.1)) for x in (X, X[..., :5].contiguous()))
    wrong = "For 8 features it is right, for 5 it is not. Is something padded, taken in blocks, or written down?"
    return Property(lambda f: five(f) or not eight(f), wrong)


def _spread(y: Tensor) -> Tensor:
    return (y - y[..., :1]).abs().max()


_LAST_ALONE, _PLAIN = torch.tensor([[0.0, 0, 0, 2]], dtype=torch.float64), (_ONES[:4], TINY)
NORM_PROPERTIES = (
    *DEPENDS,
    _any_number_of_features(norm_formulas.rms_norm),
    Property(
        lambda f: not close(f(X + 10, _W, 0.1), f(X, _W, 0.1)),
        "Adding 10 to every component changes nothing, and should: RMSNorm takes nothing off.",
    ),
    Property(
        lambda f: bool(_spread(f(X, _ONES, 0.1)) > 1e-9),
        "With a weight of ones all components of a result are equal. Were they summed before the weight met them?",
    ),
    *SCALES,
    Property(
        _points_where_x_points,
        "With a weight of ones the result should be x times one positive number a token, and is not.",
    ),
    Property(
        lambda f: close(f(_LAST_ALONE, *_PLAIN), _LAST_ALONE),
        "x = [0, 0, 0, 2] with weights of 1 should give x again{and_gives} at its end.",
        shown=lambda f: f(_LAST_ALONE, *_PLAIN)[..., -1],
    ),
    RMS_OF_ONE,
    _eps_in_its_place(norm_formulas.rms_norm),
)


MIXED_PROBES = tuple(
    Probe(f"x in {short(x.dtype)} and a weight in float32", (x, gains(x.shape[-1], torch.float32), 0.1))
    for x, *_ in (one.args for one in _HALF_PROBES)
)

RMS_NORM_FORMULA = Formula(
    norm_formulas.rms_norm, RMS_NORM, (*NORM_PROBES, *_HALF_PROBES, _SMALL_HALF), NORM_PROPERTIES
)
# Where the gradient is looked at: also for a vector of zeros. Its mistakes, among them those of an own backward.
GRADIENT_PROBES = (NORM_PROBES[0], _WITH_ZEROS, Probe("a weight with a zero in it", (X, _WITH_A_ZERO, 0.1)))
OWN_BACKWARD = tuple(
    replace(one, sentence=f"Your own backward: {one.sentence}", variants=tuple({"derived": at} for at in one.variants))
    for one in named(
        BACKWARD,
        "sum instead of mean in the second term",
        "second term added",
        "second term of x instead of the normalised x",
        "weight forgotten in grad_x",
        "weight applied at the end",
        "weight forgotten in the second term",
        "scale forgotten",
        "LayerNorm's gradient",
        "grad_weight averaged",
        "grad_weight without the norm",
    )
)
RMS_NORM_CUT = Formula(norm_formulas.rms_norm, (*CUT, *OWN_BACKWARD), GRADIENT_PROBES)


def _layer_norm_probe(probe: Probe) -> Probe:
    x, weight, eps = probe.args
    return Probe(probe.words, (x, weight, weight.flip(0) - 0.3, eps))


def _with_bias(bias: Tensor) -> Callable[[Callable[..., Tensor]], Callable[..., Tensor]]:
    """A norm with a bias as one without."""
    return lambda f: lambda x, weight, eps: f(x, weight, bias, eps)


_FAR_OUT = _layer_norm_probe(norm_probe("numbers that differ little from a million", numbers(3, 6, seed=19, shift=1e6)))
_ordinary, _far_out = (
    right_for(norm_formulas.layer_norm_from_rms_norm, *(one.args for one in some))
    for some in (tuple(map(_layer_norm_probe, NORM_PROBES)), (_FAR_OUT,))
)
LAYER_NORM_FORMULA = Formula(
    norm_formulas.layer_norm_from_rms_norm,
    LAYER_NORM,
    (*(_layer_norm_probe(probe) for probe in (*NORM_PROBES, *_HALF_PROBES)), _FAR_OUT),
    (
        Property(
            lambda f: _far_out(f) or not _ordinary(f),
            "Numbers of ordinary size are right, and numbers of about a million are not.",
            DIFFERENCE,
        ),
        *(one.of(_with_bias(_ONES)) for one in DEPENDS),
        _any_number_of_features(
            lambda x, weight, eps: norm_formulas.layer_norm_from_rms_norm(x, weight, x[0, 0] * 0, eps)
        ).of(lambda f: lambda x, weight, eps: f(x, weight, x[0, 0] * 0, eps)),
        Property(
            lambda f: close(f(X + 10, _W, _ONES, 0.1), f(X, _W, _ONES, 0.1)),
            "Adding 10 to every component should change nothing, and does.",
        ),
        Property(
            lambda f: close(f(X, 0 * _W, _W, 0.1), _W.expand_as(X)),
            "With a weight of zeros the result should be the bias, and is not.",
        ),
        Property(
            lambda f: bool((f(X, _ONES, 0 * _W, 0.1).mean(dim=-1).abs() < 1e-9).all()),
            "With a weight of ones and a bias of zeros the result should have mean 0, and has not.",
        ),
        *(one.of(_with_bias(0 * _ONES)) for one in (*SCALES, RMS_OF_ONE)),
        _eps_in_its_place(_with_bias(_ONES)(norm_formulas.layer_norm_from_rms_norm)).of(_with_bias(_ONES)),
    ),
)
LAYER_NORM_WITHOUT = Formula(
    norm_formulas.layer_norm_from_rms_norm, LAYER_NORM_CUT, tuple(_layer_norm_probe(one) for one in GRADIENT_PROBES)
)


def _backward_probe(probe: Probe, seed: int) -> Probe:
    x, weight, eps = probe.args
    return Probe(probe.words, (numbers(*x.shape, seed=seed, shift=0.2, dtype=x.dtype), x, weight, eps))


def _grad_weight_too(f: Callable[..., tuple[Tensor, Tensor]]) -> bool:
    grad_x, grad_weight = f(X.sin(), X, _W, 0.1)
    right_x, right_weight = norm_formulas.rms_norm_backward(X.sin(), X, _W, 0.1)
    return close(grad_weight, right_weight) or not close(grad_x, right_x)


def _grad_x(f: Callable[..., tuple[Tensor, Tensor]]) -> Callable[[Tensor], Tensor]:
    """What is handed back to x."""
    return lambda x: f(x.cos(), x, gains(x.shape[-1]), 0.1)[0]


def _grad_weight(f: Callable[..., tuple[Tensor, Tensor]]) -> Callable[[Tensor], Tensor]:
    """What is handed back to the weight."""
    return lambda x: f(x.cos(), x, gains(x.shape[-1]), 0.1)[1]


_right_weight = _grad_weight(norm_formulas.rms_norm_backward)
_weight_of_many, _weight_of_one = (right_for(_right_weight, (x,)) for x in (X, X[:1, :1]))
_eps_tiny, _eps_large = (
    right_for(lambda *args: norm_formulas.rms_norm_backward(*args)[0], (X.sin(), X, _W, eps)) for eps in (TINY, 0.1)
)
_eight, _six = (right_for(_grad_x(norm_formulas.rms_norm_backward), (x,)) for x in (X, X[..., :6]))
BACKWARD_FORMULA = Formula(
    norm_formulas.rms_norm_backward,
    BACKWARD,
    (
        *(_backward_probe(one, seed) for seed, one in enumerate(NORM_PROBES, start=20) if one.args[0].dim() > 1),
        Probe("a weight with a zero in it", (X.cos(), X, _WITH_A_ZERO, 0.1)),
        Probe("a single vector, without further axes", (X[0, 0].cos(), X[0, 0], _W, 0.1)),
        Probe("grad_output transposed in memory", (X.mT.cos().contiguous().mT, X, _W, 0.1)),
    ),
    (
        *(one.of(_grad_x) for one in EACH_TOKEN_ALONE),
        Property(
            lambda f: close(f(X.sin(), X, 2 * _W, 0.1)[0], 2 * f(X.sin(), X, _W, 0.1)[0]),
            "Twice the weight should give twice grad_x, and does not.",
        ),
        Property(
            lambda f: _weight_of_many(_grad_weight(f)) or not (_weight_of_one(_grad_weight(f)) and _eight(_grad_x(f))),
            "For one token grad_weight is right, for several it is not. Has each of them its share in the sum?",
        ),
        Property(
            lambda f: close(f(2 * X.sin(), X, _W, 0.1)[0], 2 * f(X.sin(), X, _W, 0.1)[0]),
            "Twice the gradient of the output should give twice grad_x, and does not.",
        ),
        Property(_grad_weight_too, "grad_x is right, but grad_weight is not."),
        Property(
            lambda f: close(10 * f(X.sin(), 10 * X, _W, TINY)[0], f(X.sin(), X, _W, TINY)[0]),
            "With a tiny eps, ten times x should give a tenth of grad_x, and does not.",
        ),
        Property(
            lambda f: bool(((f(X.sin(), X, _W, TINY)[0] * X).sum(dim=-1).abs() < 1e-6).all()),
            "grad_x should be orthogonal to x when eps is tiny, because a longer x gives the same result; it is not.",
        ),
        Property(
            lambda f: _eps_large(f) or not _eps_tiny(f),
            "With a tiny eps grad_x is right; with a larger one it is not. Where does eps enter?",
        ).of(lambda f: lambda *args: f(*args)[0]),
        Property(
            lambda f: _six(f) or not _eight(f),
            "For 8 features grad_x is right, for 6 it is not. Is their number written down somewhere?",
        ).of(_grad_x),
    ),
    ("grad_x", "grad_weight"),
    {"grad_x": BACKWARD_HINTS[2:], "grad_weight": BACKWARD_HINTS[:2]},
    last="With a tiny eps grad_x is at right angles to x, as it should be, but it is not right. Look at its sign, its "
    "size, and eps.",
)


# The module


def _check_weight(trial: Trial, module: nn.Module) -> None:
    trained = {name: one for name, one in module.named_parameters() if one.requires_grad}
    stored = module.state_dict()
    if not trained and list(module.parameters()):
        frozen = "The weight is a parameter with `requires_grad=False`: training would leave it as it is."
        trial.refuse(Rung.WEIGHT, frozen)
    if not trained:
        trial.refuse(Rung.WEIGHT, "The module has no parameter to train.", [modules.WEIGHT_NOT_TRAINED])
    _check_names(trial, list(stored))
    shape, size = tuple(stored["weight"].shape), sum(one.numel() for one in trained.values())
    if shape != (8,) or size != 8:
        wanted = "For d_model = 8 the weight should hold 8 numbers, one per feature"
        trial.refuse(Rung.WEIGHT, f"{wanted}; its shape is {shape}.")
    if not isinstance(weight := getattr(module, "weight", None), Tensor):
        trial.refuse(Rung.WEIGHT, f"`weight` is {kind(weight)}; expected the parameter.")
    _check_start(trial, module, stored["weight"])
    trial.passed(Rung.WEIGHT)


def _check_start(trial: Trial, module: nn.Module, weight: Tensor) -> None:
    if not weight.any():
        gained = trial.run(module, X.float()).value
        offset = isinstance(gained, Tensor) and bool(gained.any())  # adds 1 to what is stored
        mistakes = named(GAIN, "weight as an offset from one") if offset else [modules.WEIGHT_STARTS_AT_ZERO]
        trial.refuse(Rung.WEIGHT, "Every number of the weight starts at 0.", mistakes)
    if not close(weight.float(), torch.ones(8)):
        ones = "The weight should start as ones, so that an untrained norm changes no component's size."
        trial.refuse(Rung.WEIGHT, ones)


def _check_names(trial: Trial, stored: list[str]) -> None:
    others = sorted(set(stored) - {"weight"})
    found = f"The state_dict holds {', '.join(stored) or 'nothing'}; that of torch.nn.RMSNorm holds weight."
    if "weight" not in stored:
        trial.refuse(Rung.WEIGHT, found, [modules.WEIGHT_NAME])
    if "bias" in others:
        trial.refuse(Rung.WEIGHT, found, [modules.BIAS_LEFT_IN])
    if others:
        also = f"The state_dict holds {', '.join(others)} besides `weight`; torch.nn.RMSNorm's does not."
        trial.refuse(Rung.WEIGHT, also)


_SIXTEENTHS = ((16 * gains(64)).round() / 16).bfloat16()  # which bfloat16 holds exactly, with 1 taken off as well
_COARSE = (numbers(64, 64, seed=17, shift=0.3, dtype=torch.bfloat16), _SIXTEENTHS, 1e-6)
_ORDERS: tuple[dict[str, Any], ...] = ({}, {"cast": lambda result, x: result})  # LLaMA's, torch's


def _check_rounding(trial: Trial, function: Callable[..., Any]) -> None:
    """In bfloat16, nearly every element is what one of the two orders of casting gives, to the last digit."""
    given = trial.run(function, *(fresh(arg) for arg in _COARSE)).value
    rightly = [norm_formulas.rms_norm(*_COARSE, **steps) for steps in _ORDERS]
    share = max((given == one).double().mean().item() for one in rightly)
    if share < 0.95:
        few = f"In bfloat16 {100 * share:.0f} % of the results have the right last digit."
        trial.refuse(Rung.ROUNDING, few, [habits.ROUNDED_TWICE])
    trial.passed(Rung.ROUNDING)


def _filler(norm_class: Callable[..., nn.Module]) -> Callable[..., nn.Module]:
    def fill(x: Tensor, weight: Tensor, eps: float | None) -> nn.Module:
        module = norm_class(x.shape[-1]) if eps is None else norm_class(x.shape[-1], eps=eps)
        module = module.to(weight.dtype)
        module.load_state_dict({"weight": weight})
        return module

    return fill


def _module_formula(x: Tensor, weight: Tensor, eps: float | None, default: float = 1e-6, **steps: Any) -> Tensor:
    return norm_formulas.rms_norm(x, weight, default if eps is None else eps, **steps)


ONLY_MODULE = (
    norm_probe("1100 features in float16", numbers(1, 1100, seed=32, size=9, dtype=torch.float16), 1e-6),
    norm_probe("numbers of about 0.01 in float16", _SMALL_HALF.args[0].half(), 1e-6),
)
MODULE = Formula(
    _module_formula,
    (*(one for one in RMS_NORM if one.name != "arguments in another order"), modules.DEFAULT_EPS, *HALF),
    (
        *NORM_PROBES,
        Probe("the default eps", (_SMALL, gains(6), None)),
        *_HALF_PROBES,
        _SMALL_HALF,
        _LARGE_PROBE,
        *ONLY_MODULE,
    ),
    (
        *NORM_PROPERTIES,
        Property(
            lambda f: close(f(_SMALL, gains(6), None), f(_SMALL, gains(6), 1e-6)),
            "Without eps the result should be that of eps = 1e-6.",
            modules.DEFAULT_EPS,
        ),
        Property(
            right_for(norm_formulas.rms_norm, _LARGE_PROBE.args),
            "In float16 small numbers are right, and 300 is not. Is something clamped, or too large for the dtype?",
        ),
    ),
    hints={"the result": RMS_NORM_HINTS},
)
MODULE_MIXED = replace(
    MODULE,
    probes=(
        *MIXED_PROBES,
        Probe("x in float64 and a weight in float32", (X, gains(8, torch.float32), 0.1)),
        Probe("300 in float16 and a weight in float32", (_LARGE, gains(8, torch.float32), 1e-6)),
    ),
)
_NO_TOKEN = norm_probe("no token at all", torch.zeros(0, 6, dtype=torch.float64))
MODULE_EMPTY = replace(MODULE, bank=(), probes=(_ONE_FEATURE, _NO_TOKEN))
MODULE_CUT = Formula(_module_formula, RMS_NORM_CUT.bank, GRADIENT_PROBES)
