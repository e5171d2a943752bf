"""How people build the modules wrong: parameters that are not there, or are there under another name."""

from __future__ import annotations

from dataclasses import replace

from widgets.checks.mistakes.diagnosis import Mistake

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

# The gated layers

BIASES_LEFT_ON = Mistake(
    "biases left on",
    "The projections have biases: `nn.Linear` makes one unless told otherwise.",
    ("What does `module.state_dict().keys()` say?", "`nn.Linear(d_model, d_ff, bias=False)`, three times."),
)
NOT_REGISTERED = Mistake(
    "layers in a plain list",
    "The layers are made and not registered: `nn.Module` does not look into lists and dictionaries.",
    ("What does `list(module.parameters())` say?", "One attribute a layer, or `nn.ModuleList` and `nn.ModuleDict`."),
)
NO_LAYERS = Mistake(
    "no layers kept",
    "The module holds no parameter: what is made in `forward`, or kept as a plain tensor, is never trained.",
    ("What does `list(module.parameters())` say?", "Make the projections in `__init__`, as `self.gate_proj = ...`."),
)
PROJECTION_NAMES = Mistake(
    "projections have other names",
    "Your projections have other names than the specification gives them: an attribute's name becomes the name in the "
    "state_dict.",
    ("What does `module.state_dict().keys()` say?", "Which names does the exercise ask for?"),
)
DOWN_CONFUSED = Mistake(
    "down projection confused with another",
    "The down projection leads back from d_ff to d_model: its weight has the shape (d_model, d_ff). Yours has the "
    "shape of a projection that leads up.",
    (
        "Which of the three matrices writes the result?",
        "LLaMA numbers them w1 (gate), w3 (up), w2 (down): it is w2 that leads back.",
        "`self.down_proj = nn.Linear(d_ff, d_model, bias=False)`",
    ),
    source="karpathy/llama2.c#579",
)
REDUCED_AGAIN = Mistake(
    "d_ff reduced again",
    "The matrices are two thirds as wide as asked for: d_ff is the final width, and nothing is left to reduce.",
    ("Where do you multiply d_ff by 2/3?", "Use d_ff as it is handed over."),
)
SIZES_EXCHANGED = Mistake(
    "d_model and d_ff exchanged",
    "The two sizes are exchanged: what is handed over as d_model is taken for d_ff, or each "
    "`nn.Linear` is given its two sizes in the other order. Or a matrix of your own is stored as (numbers in, numbers "
    "out); torch stores (out, in).",
    (
        "In which order does the call hand over the sizes?",
        "`def __init__(self, d_model, d_ff)`, `nn.Linear(from, to)`.",
    ),
)
DOWN_MISSING = Mistake(
    "down projection missing",
    "There is no down projection: each token would leave with d_ff numbers instead of d_model.",
    ("What shape has x, and what shape has the product of the two branches?", "`nn.Linear(d_ff, d_model, bias=False)`"),
)
NOT_LOADED = Mistake(
    "the two-matrix form does not load",
    "A state_dict saved by SwiGLU, with `gate_proj.weight` and `up_proj.weight`, does not load.",
    (
        "The keys of the saved dictionary are not the keys of your module. Where could you translate them?",
        "`load_state_dict` calls `_load_from_state_dict(state_dict, prefix, ...)` of every module; override it.",
        "Take out the two matrices, put `torch.cat([gate, up])` in as `gate_up_proj.weight`, then call super's.",
    ),
)
NOT_TRANSLATED = replace(
    NOT_LOADED,
    sentence="When the names are compared, the dictionary still has the old ones, `gate_proj.weight` and "
    "`up_proj.weight`, and not yet the new one. Nothing translates them, or it looks for other names.",
    hints=(
        *NOT_LOADED.hints,
        'A name there is the prefix and what the parameter is called, no more: `prefix + "gate_proj.weight"`.',
    ),
)
JOINED_OTHERWISE = Mistake(
    "matrices joined along another axis",
    "The joint matrix is put together in another shape than its layer has. It has the rows of both matrices, one below "
    "the other, so its shape is (2 · d_ff, d_model).",
    (
        "Which shapes have the two matrices, and which has what you put together?",
        "`torch.cat` joins rows unless told otherwise; `dim=1` or `dim=-1` joins columns.",
    ),
)
NAME_CUT = Mistake(
    "name of the layer instead of its matrix",
    "The joint matrix is stored under the name of the layer, `gate_up_proj`. Its matrix is called `weight` there.",
    ("Print the keys of your own layer's state_dict.", '`prefix + "gate_up_proj.weight"`'),
)
OLD_NAMES_LEFT = Mistake(
    "old names left in the dictionary",
    "The joint matrix is there, and old names are still in the dictionary beside it. Your layer has nothing of those "
    "names, and `load_state_dict` objects to whatever it cannot place.",
    ("Print the keys before you call super's method.", "`pop` gives what is stored under a name and takes it out."),
)
NEW_NAME_MISSING = Mistake(
    "new name missing in the dictionary",
    "The layer looks for `gate_up_proj.weight` in the dictionary that your method was given, and nothing stands there "
    "under that name.",
    (
        "Print the keys of `state_dict` after your own lines. Is it still the one that was given, or a copy?",
        "Store what you put together in that one, under the prefix and the new name. A matrix that is only copied into "
        "the layer is not looked for there.",
    ),
)
PARAMETER_EXCHANGED = Mistake(
    "parameter exchanged",
    "Loading makes a new parameter: an optimiser that was made before goes on training the old one.",
    (
        "Loading fills the parameter that is there, as `torch.nn.Linear` does it.",
        "Leave filling to super's method: it copies what stands under the name in the dictionary.",
    ),
)
OWN_ALTERED = Mistake(
    "own state_dict altered",
    "A state_dict that your own layer saved has the right names already. While it is loaded, one of them is taken out, "
    "or given another.",
    (
        "Which names does the message show, and how did they come about?",
        "`gate_up_proj` ends like `up_proj`. Compare whole names, and leave a dictionary alone that has no old ones.",
    ),
)
LOADED_ALONE = Mistake(
    "loads only on its own",
    "Your class has a `load_state_dict` of its own, which is called on a whole model only: for its parts torch calls "
    "`_load_from_state_dict`, with the prefix of their names.",
    ("What is the name of the gate's matrix in the state_dict of a decoder?", "Move those lines to the other method."),
)
NOT_HANDED_ON = Mistake(
    "unknown names are swallowed",
    "Nobody refuses a name that is unknown. Torch's own method does, if it is called with all the names that are left.",
    (
        "Is `super()._load_from_state_dict(...)` called, and what have you taken out before?",
        "Take out the two old names and no other, then hand everything on.",
    ),
)
OWN_NOT_LOADED = Mistake(
    "only the old names load",
    "The two old names are taken for granted: a state_dict with `gate_up_proj.weight`, as your own layer saves it, "
    "does not load any more.",
    (
        "Which names are in the dictionary when your own layer was saved?",
        "Ask whether an old name is there, `in state_dict`, before you translate anything.",
    ),
)
