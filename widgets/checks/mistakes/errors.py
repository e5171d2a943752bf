"""What an error's own words give away, said in plain ones."""

from __future__ import annotations

import re
from dataclasses import replace

from torch import nn

from widgets.checks.mistakes import modules
from widgets.checks.mistakes.diagnosis import Mistake

NOT_CALLED = Mistake(
    "layer not called",
    "A layer stands where a tensor should: it is an object, and gives a tensor only when it is called.",
    (
        "What do `nn.Linear(...)` and `nn.SiLU()` make, and what happens when that is called?",
        "`self.gate_proj(x)`, and `F.silu(z)` or `nn.SiLU()(z)`; the matrix alone is `self.gate_proj.weight`.",
    ),
)
CLASS_CALLED = Mistake(
    "class of layers used as a function",
    "`nn.{0}` is a class. Calling it makes a layer, and computes nothing; calling that layer does.",
    ("What does `nn.SiLU()` give, and what does `nn.SiLU()(z)`?", "`F.silu`, `F.gelu` and so on are functions."),
)
ONE_NUMBER = Mistake(
    "a whole tensor where one number was expected",
    "`math` and `float` work on one number, and `if` asks one question; a tensor holds many.",
    (
        "Which function in that line does not come from torch?",
        "`torch.exp`, `torch.sqrt` and so on take every component at once; `torch.where` chooses for each.",
    ),
)
NO_MATCH = Mistake(
    "shapes that do not line up",
    "Two tensors meet in that line, and an axis of {0} numbers lies over one of {1}. Axes are laid over one another "
    "from the right, and two lengths fit when they are equal or one of them is 1.",
    (
        "Print the shape of either side of that line.",
        "A sum or a mean takes its axis away, so that the others slide to the right; `keepdim=True` leaves it, with "
        "length 1.",
    ),
)
NO_PRODUCT = Mistake(
    "matrices that do not fit",
    "A matrix product sums over an axis that both have: the rows on its left have {1} numbers, and the columns on its "
    "right have {2}.",
    (
        "Print the shape of either side of that product. Which axis should they share?",
        "torch stores a matrix as (numbers out, numbers in), so x meets its transpose; `nn.Linear(a, b)` takes a "
        "numbers and gives b.",
    ),
)
NO_SUCH_AXIS = Mistake(
    "axis that is not there",
    "Axis {0} is asked for, and this tensor has no axis of that number.",
    (
        "x may have one axis, or four. Which of them holds the features, counted from the end?",
        "`dim=-1` is the last axis, whatever comes before it.",
    ),
)
NO_AXIS = Mistake(
    "single number used like a row",
    "A number without any axis is used as if it had one. A loop over x, or `x[0]`, takes the first axis apart: for a "
    "matrix that gives rows, for a single vector it gives numbers.",
    (
        "What does `for one in x` run over when x has the shape (5,)?",
        "No loop is needed: with `dim=-1` torch treats all vectors at once, whatever axes come before.",
    ),
)
TAKEN_APART = Mistake(
    "taken apart into too many or too few",
    "Something is taken apart into {0} names and has another number of parts: a shape has as many as x has axes, and "
    "`split` gives as many as fit.",
    (
        "Print what stands on the right of that `=`.",
        "`x.shape[-1]` is the number of features, whatever comes before it; `chunk(2, dim=-1)` gives two halves.",
    ),
)
CALLS_ITSELF = Mistake(
    "calls itself",
    "The function calls itself, and that call calls it again, without an end.",
    ("Which name in that line is the function's own?", "Did you mean torch's function, or one of another exercise?"),
)
NUMPY_ON_THE_WAY = Mistake(
    "numpy on the way",
    "A tensor is handed to numpy, which knows no bfloat16 and passes no gradient on.",
    (
        "Which function in that line does not come from torch?",
        "Every step has a torch function of nearly the same name.",
    ),
)
VIEWED = Mistake(
    "view of a transposed tensor",
    "`view` only reads the numbers as they lie in memory, and in a transposed tensor they lie in another order.",
    ("What does torch's own message recommend?", "`reshape` copies where `view` would fail; `dim=-1` needs neither."),
)
ROW_BY_ROW = Mistake(
    "matrix product where a product was meant",
    "`@` is a matrix product, which multiplies rows by columns and sums; these two tensors do not fit one another so.",
    ("What do `*` and `@` do with two tensors of the same shape?", "`*` multiplies component by component."),
)
DOES_NOT_HOLD = Mistake(
    "shape that does not hold the numbers",
    "The numbers are laid out in a shape whose lengths, multiplied, do not give as many as there are.",
    (
        "How many numbers has the tensor of that line, and how many has the shape?",
        "Which of the lengths did you write down for one particular x? Take them from `x.shape`, or do without.",
    ),
)
NO_POWER = Mistake(
    "^ where a power was meant",
    "`^` compares the bits of whole numbers in Python. A power is written `**`.",
    ("What is 5 ^ 2 in Python, and what is 5 ** 2?", "`x ** 2`, or `x.square()`."),
)
TWO_DTYPES = Mistake(
    "two dtypes in one product",
    "A matrix product takes two tensors of the same dtype, and converts neither of them. (A tensor that is a plain "
    "attribute of a module, neither parameter nor buffer, is not converted with it.)",
    (
        "Print the dtype of either side.",
        "Which line widens or narrows only one of the two? Or was one of them made in `__init__`?",
    ),
)

OVERWRITTEN = Mistake(
    "a tensor overwritten that the gradient needs",
    "A tensor was changed in place after a step of which the gradient still needs the old numbers.",
    (
        "Which line ends in an underscore, or has `+=`, `-=`, `*=`, `/=` or `[...] =`?",
        "`y = y / scale` makes a new one.",
    ),
)

# What the text of an error holds, and what that means; the groups found go into the sentence.
MEANINGS = (
    ("modified by an inplace operation", OVERWRITTEN),
    ("only one element tensors|more than one value|cannot be converted to Scalar", ONE_NUMBER),
    (r"size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\)", NO_MATCH),
    (r"shapes cannot be multiplied \((\d+)x(\d+) and (\d+)x", NO_PRODUCT),
    (r"size mismatch, got input \((\d+)\), mat \(\d+x(\d+)\), vec \((\d+)\)", NO_PRODUCT),
    ("batch2 tensor|inconsistent tensor size, expected tensor", ROW_BY_ROW),
    ("don't multiply up to the size|is invalid for input of size", DOES_NOT_HOLD),
    (r"bitwise_xor|for \^:", NO_POWER),
    (r"Dimension out of range .* but got (-?\d+)", NO_SUCH_AXIS),
    (r"0-d(?:im)? tensor", NO_AXIS),
    (r"values to unpack \(expected (\d+)", TAKEN_APART),
    ("maximum recursion depth", CALLS_ITSELF),
    (r"unsupported ScalarType|call numpy\(\)", NUMPY_ON_THE_WAY),
    ("view size is not compatible", VIEWED),
    ("to have the same dtype|expected scalar type", TWO_DTYPES),
    (r'Unexpected key.*"(?:\S*\.)?gate_up_proj"', modules.NAME_CUT),
    ("Missing key.* Unexpected key", modules.NOT_TRANSLATED),
    ("size mismatch for gate_up_proj", modules.JOINED_OTHERWISE),
    (r"Unexpected key.*(?:gate|up)_proj\.weight", modules.OLD_NAMES_LEFT),
    (r"Missing key.*gate_up_proj\.weight", modules.NEW_NAME_MISSING),
)


def behind(error: str, own: str = "") -> tuple[Mistake, ...]:
    """The mistake that an error gives away by its words, if any; own: the learner's name, maybe also a layer's."""
    for words, mistake in MEANINGS:
        if found := re.search(words, error):
            return (replace(mistake, sentence=mistake.sentence.format(*found.groups())),)
    if re.search("is not defined|^module '", error):  # a name that is nowhere is no layer
        return ()
    if (made := re.search(r"(\w+)\.__init__\(\)", error)) and made[1] != own and _is_layer(made[1]):
        return (replace(CLASS_CALLED, sentence=CLASS_CALLED.sentence.format(made[1])),)
    others = set(re.findall(r"(?:'|not )(\w+)", error)) - {own}
    return (NOT_CALLED,) if any(map(_is_layer, others)) else ()


def _is_layer(name: str) -> bool:
    """torch.nn has a layer of this name."""
    found = getattr(nn, name, None)
    return isinstance(found, type) and issubclass(found, nn.Module)
