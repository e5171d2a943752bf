"""How people build the modules wrong: parameters that are not there, or are there under another name."""

from __future__ import annotations

from . import Mistake

WEIGHT_NOT_TRAINED = Mistake(
    "weight is not a parameter",
    "The module has no parameter: an optimiser would find nothing to train.",
    (
        "What does `list(module.parameters())` say?",
        "A plain tensor is not noticed by `nn.Module`; nor is what `.float()` or `.to(...)` returns for a parameter.",
        "`self.weight = nn.Parameter(torch.ones(d_model))`, with nothing after it.",
    ),
    source="rasbt/LLMs-from-scratch",
)
WEIGHT_NAME = Mistake(
    "parameter has another name",
    "The parameter is not called `weight`, so a state_dict saved by torch.nn.RMSNorm does not load.",
    ("What does `module.state_dict().keys()` say?", "`self.weight = nn.Parameter(...)`"),
    source="stanford-cs336/assignment1-basics#93",
)
WEIGHT_STARTS_AT_ZERO = Mistake(
    "weight starts at zero",
    "The weight starts at zero, so that an untrained norm gives nothing but zeros.",
    ("What is the result before any training?", "A gain starts at one: `torch.ones(d_model)`."),
    source="google-research/timesfm#481",
)
BIAS_LEFT_IN = Mistake(
    "bias left in",
    "There is a bias; RMSNorm has a weight only, and torch.nn.RMSNorm would not load the state_dict.",
    ("Which parameters does torch.nn.RMSNorm have?", "Leave the bias out."),
)
DEFAULT_EPS = Mistake(
    "another default eps",
    "When eps is not given, it should be 1e-6; another number is used.",
    ("Read the first line of the specification.", "`def __init__(self, d_model, eps=1e-6):`"),
    tuple({"default": eps} for eps in (1e-5, 1e-8, 1e-12, 1.1920929e-07, 2.220446049250313e-16)),
    "ggml-org/llama.cpp#2374",
)
