"""Wrong answers as people hand them in (tests/wrong_answers.py): all are refused, and told what a learner can use."""

from __future__ import annotations

import math
from functools import partial

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from tests import wrong_answers
from tests.submissions import Fused, Linears
from widgets import checks

ACTIVATIONS = {"glu": torch.sigmoid, "bilinear": lambda z: z, "reglu": F.relu, "geglu": F.gelu, "swiglu": F.silu}


def acts(**others):
    return ACTIVATIONS | others


def glu(x, g, u, d, kind):
    return F.linear(ACTIVATIONS[kind](F.linear(x, g)) * F.linear(x, u), d)


def norm(x, weight, eps):
    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + eps) * weight


KNOWN = {"F": F, "math": math, "nn": nn, "torch": torch, "acts": acts, "norm": norm, "right": glu, "lin": F.linear}
KNOWN["quick"] = lambda z: F.silu(1.702 * z) / 1.702


def function(arguments, code, before=""):
    """A function of these arguments that evaluates a line of code, after some lines that make names."""
    space = dict(KNOWN)
    exec(f"def learner({arguments}):\n    {before}\n    return {code}", space)
    return space["learner"]


def backward(code):
    scale = "d = x.shape[-1]; r = (x.square().mean(-1, keepdim=True) + eps).sqrt(); z = x / r"
    return function("g, x, w, eps", code, f"{scale}; gz = (g * z).reshape(-1, d).sum(0)")


def family(code):
    return function("x, g, u, d, kind", code, "act = acts()[kind]")


def swiglu(code):
    forward = function("self, x", code, "gate, up, down = self.gate_proj, self.up_proj, self.down_proj")
    return type("SwiGLU", (Linears,), {"forward": forward})


def fused(code):
    def load(self, state_dict, prefix, *rest):
        if f"{prefix}gate_proj.weight" in state_dict:
            two = [state_dict.pop(f"{prefix}{name}_proj.weight") for name in ("gate", "up")]
            state_dict[f"{prefix}gate_up_proj.weight"] = torch.cat(two)
        Fused._load_from_state_dict(self, state_dict, prefix, *rest)

    forward = function("self, x", code, "j, down = self.gate_up_proj, self.down_proj; f = down.weight.shape[1]")
    return type("FusedSwiGLU", (Fused,), {"forward": forward, "_load_from_state_dict": load})


def module(code):
    weight, _, code = code.rpartition(" ; ")
    forward = function(
        "self, x",
        code,
        "wide, w, eps = x.to(torch.promote_types(x.dtype, torch.float32)), self.weight, self.eps",
    )
    make = function("d", weight or "nn.Parameter(torch.ones(d))")

    def __init__(self, d_model, eps=1e-6):
        nn.Module.__init__(self)
        self.weight, self.eps = make(d_model), eps

    return type("RMSNorm", (nn.Module,), {"__init__": __init__, "forward": forward})


TABLES = {
    "RMS": (checks.check_rms, partial(function, "x")),
    "RMS_NORM": (checks.check_rms_norm, partial(function, "x, w, eps")),
    "MODULE": (checks.check_rmsnorm_module, module),
    "LAYER_NORM": (checks.check_layernorm_from_rmsnorm, partial(function, "x, w, b, eps")),
    "BACKWARD": (checks.check_rms_norm_backward, backward),
    "SWISH": (checks.check_swish, partial(function, "z, beta=1.0")),
    "SWIGLU": (checks.check_swiglu_module, swiglu),
    "MATCHED": (checks.check_matched_d_ff, partial(function, "d, r")),
    "LLAMA": (checks.check_llama_d_ff, partial(function, "d, multiple_of=256, multiplier=1.0")),
    "GLU": (checks.check_glu_family, family),
    "FUSED": (checks.check_fused_swiglu, fused),
}
BUG_ARGUMENTS = {1: "x, w, eps", 2: "x, w, eps", 3: "x, w, eps", 4: "x, w, eps, sub", 5: "x, w, eps", 6: "x, w"}


def rows():
    """(table, what has to be said, code)"""
    for table in (*TABLES, "BUGS"):
        for line in getattr(wrong_answers, table).strip().splitlines():
            words, _, code = line.partition("| ")
            yield table, words.strip(), code.strip()


def verdict_on(table, words, code):
    if table == "BUGS":
        number = int(words.split()[0])
        return checks.check_bug(number, function(BUG_ARGUMENTS[number], code))
    check, make = TABLES[table]
    return check(make(code))


@pytest.mark.parametrize(("table", "words", "code"), list(rows()), ids=lambda part: part[:40])
def test_it_is_refused_and_told_what_helps(table, words, code) -> None:
    verdict = verdict_on(table, words, code)
    assert not verdict.passed
    name = words.partition(" ")[2] if table == "BUGS" else words
    assert verdict.mistake == (name or None), verdict
    last = verdict.steps[-1].what if verdict.steps else ""
    only_numbers = last == "has the right values" and verdict.symptom.count(". ") == 0
    assert name or not only_numbers, verdict
    assert "could not handle" not in verdict.symptom


def test_there_are_many() -> None:
    assert len(list(rows())) >= 200
