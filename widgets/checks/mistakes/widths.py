"""How people get the width of a gated layer wrong."""

from __future__ import annotations

import math

from widgets.checks.mistakes.diagnosis import Mistake
from widgets.checks.mistakes.gate_formulas import to_multiple

MATCHED = (
    Mistake(
        "rounded up",
        "The width is rounded up, so that the gated network has more parameters than the other one.",
        ("Count the parameters of both.", "The largest width that does not exceed: round down, `//`."),
        ({"rule": lambda d, wide: -(-2 * wide // 3)},),
    ),
    Mistake(
        "rounded to the nearest",
        "The width is rounded to the nearest number, which is sometimes one too many.",
        ("Try relu_d_ff = 100, and then 101.", "The largest width that does not exceed: round down, `//`."),
        ({"rule": lambda d, wide: round(2 * wide / 3)},),
    ),
    Mistake(
        "width not reduced",
        "The width is the same as the ReLU network's: three matrices for two, half as many parameters again.",
        ("How many matrices has each network?", "Two thirds of the width for three matrices instead of two."),
        ({"rule": lambda d, wide: wide},),
        "Modalities/modalities#289",
    ),
    Mistake(
        "one too small",
        "Where it fits exactly, the width is one too small: equal parameters do not exceed.",
        ("Try 768 and 3072.", "Nothing is subtracted: `//` rounds down by itself."),
        ({"rule": lambda d, wide: (2 * wide - 1) // 3},),
    ),
    Mistake(
        "another fraction",
        "The fraction is not two thirds.",
        ("Two matrices with relu_d_ff, three with yours. When are they equal?", "3 · d_ff = 2 · relu_d_ff"),
        tuple(
            {"rule": lambda d, wide, of=of: of[0] * wide // of[1]} for of in ((1, 2), (1, 3), (3, 2), (4, 3), (3, 4))
        ),
    ),
    Mistake(
        "two thirds taken twice",
        "Two thirds are taken of two thirds: 4/9 of relu_d_ff.",
        ("2048 should give 1365, not 910.", "Two matrices for three, once."),
        ({"rule": lambda d, wide: 4 * wide // 9}, {"rule": lambda d, wide: 2 * (2 * wide // 3) // 3}),
    ),
    Mistake(
        "one too many",
        "The width is always one too many, also where two thirds are a whole number.",
        ("Try 768 and 3072.", "The largest width that does not exceed: nothing is added."),
        ({"rule": lambda d, wide: 2 * wide // 3 + 1},),
    ),
    Mistake(
        "two thirds as a short decimal",
        "Two thirds is written with too few digits.",
        ("Try relu_d_ff = 3000000: it should give 2000000.", "Whole numbers stay exact: `//`, and no decimal."),
        tuple({"rule": lambda d, wide, short=short: int(short * wide)} for short in (0.66, 0.667, 0.67, 0.6667)),
    ),
    Mistake(
        "relu_d_ff ignored",
        "The width is computed from d_model; the ReLU network may have any width.",
        ("Try relu_d_ff = 100 and d_model = 64.", "d_model cancels: it stands on both sides."),
        tuple({"rule": lambda d, wide, of=of: of * d // 3} for of in (2, 6, 8, 12, 24)),
    ),
    Mistake(
        "biases counted",
        "Biases are counted; there are none on either side.",
        (
            "Count the parameters of `nn.Linear(8, 20, bias=False)`.",
            "2 · d_model · relu_d_ff against 3 · d_model · d_ff",
        ),
        (
            {"rule": lambda d, wide: (2 * d * wide + wide + d) // (3 * d)},
            {"rule": lambda d, wide: (2 * d * wide + wide) // (3 * d + 2)},
        ),
    ),
    Mistake(
        "rounded to a multiple",
        "The width is rounded to a multiple; LLaMA does that, in the next exercise.",
        ("2048 should give 1365, which is odd.", "Leave the rounding out."),
        tuple(
            {"multiple": lambda width, size=size: to_multiple(width, size)}
            for size in (2, *(sign * 2**power for power in range(2, 9) for sign in (1, -1)))
        ),
    ),
    Mistake(
        "divided before multiplied",
        "The division by 3 comes first, and what it cuts off is then lost twice.",
        ("2048 should give 1365.", "First multiply by 2, then divide by 3."),
        ({"rule": lambda d, wide: wide // 3 * 2},),
    ),
    Mistake(
        "parameters instead of a width",
        "This is a number of parameters; wanted is the width.",
        ("768 and 3072 should give 2048.", "Divide by 3 · d_model."),
        ({"rule": lambda d, wide: 3 * d * (2 * wide // 3)},),
    ),
)

LLAMA = (
    Mistake(
        "rounded down",
        "The width is rounded down to the multiple: 10752 for LLaMA's 11008. It is rounded up.",
        ("4096 should give 11008.", "Add multiple_of − 1 before you divide."),
        ({"rounded": lambda width, multiple: to_multiple(width, -multiple)},),
    ),
    Mistake(
        "rounded to the nearest multiple",
        "The width is rounded to the nearest multiple; it is rounded up.",
        ("5120 should give 13824.", "Add multiple_of − 1 before you divide."),
        ({"rounded": lambda width, multiple: round(width / multiple) * multiple},),
    ),
    Mistake(
        "not rounded",
        "The width is not rounded: 10922 for LLaMA's 11008.",
        ("4096 should give 11008.", "Round up to the next multiple of `multiple_of`."),
        ({"rounded": lambda width, multiple: int(width)},),
        "CS336 (Stanford), assignment 1, handout page 43",
    ),
    Mistake(
        "always one multiple more",
        "A width that is a multiple already gets another one.",
        ("3072 should give 8192.", "Add multiple_of − 1 before you divide, not multiple_of."),
        (
            {"rounded": lambda width, multiple: (width // multiple + 1) * multiple},
            {"rounded": lambda width, multiple: width + multiple},
        ),
    ),
    Mistake(
        "rounded before the multiplier",
        "The rounding comes before the multiplier, so that the result is no multiple.",
        (
            "4096 with multiple_of = 1024 and multiplier = 1.3 should give 14336.",
            "First the multiplier, then the rounding.",
        ),
        ({"order": lambda width, factor, cut, rounded: cut(factor * rounded(width))},),
    ),
    Mistake(
        "multiplier ignored",
        "The multiplier changes nothing.",
        ("4096 with multiple_of = 1024 and multiplier = 1.3 should give 14336.", "Multiply before you round."),
        ({"factor": lambda multiplier: 1},),
    ),
    Mistake(
        "multiplier below 1 ignored",
        "A multiplier above 1 is applied, and one below 1 is not.",
        ("2048 with multiple_of = 32 and multiplier = 0.5 should give 2752.", "Multiply by it, whatever it is."),
        ({"factor": lambda multiplier: max(multiplier, 1)},),
    ),
    Mistake(
        "multiplier applied twice",
        "The multiplier is applied twice.",
        ("4096 with multiple_of = 1024 and multiplier = 1.3 should give 14336.", "Multiply once, before you round."),
        ({"factor": lambda multiplier: multiplier**2},),
    ),
    Mistake(
        "multiple hard-coded",
        "A fixed multiple is used whatever `multiple_of` says.",
        ("100 with multiple_of = 2 should give 266.", "Use the argument."),
        tuple({"multiple": lambda _, size=size: size} for size in (256, 128, 64, 1024)),
    ),
    Mistake(
        "two thirds forgotten",
        "The width starts from 4 · d_model: the reduction to two thirds is missing.",
        ("4096 should give 11008, not 16384.", "Begin with `int(2 * 4 * d_model / 3)`."),
        ({"start": lambda d: 4 * d},),
        "Modalities/modalities#289",
    ),
    Mistake(
        "another starting width",
        "Before it is rounded, the width is another fraction of d_model than 8/3.",
        ("3072 should give 8192.", "Two thirds of four times d_model."),
        tuple(
            {"start": lambda d, of=of: int(of * d)} for of in (2 / 3, 4 / 3, 2, 2.5, 2.67, 2.7, 3, math.pi, 10 / 3, 8)
        ),
    ),
    Mistake(
        "two thirds taken twice",
        "Two thirds are taken of two thirds: 16/9 of d_model.",
        ("4096 should give 11008.", "Two thirds of 4 · d_model, once: 8/3."),
        ({"start": lambda d: 2 * (8 * d // 3) // 3},),
    ),
    Mistake(
        "divided by the multiplier",
        "The multiplier divides; it should multiply.",
        (
            "4096 with multiple_of = 1024 and multiplier = 1.3 should give 14336.",
            "A multiplier above 1 makes the layer wider.",
        ),
        ({"factor": lambda multiplier: 1 / multiplier},),
    ),
    Mistake(
        "number of multiples",
        "This is how many multiples there are; wanted is the width that they make together.",
        ("4096 should give 11008, not 43.", "Multiply by `multiple_of` at the end."),
        ({"rounded": lambda width, multiple: -(-width // multiple)},),
    ),
    Mistake(
        "rounded with bits",
        "`&` with the bits of multiple_of − 1 rounds right only when multiple_of is a power of two.",
        ("4096 with multiple_of = 96 should give 10944.", "Divide by `multiple_of` and multiply again."),
        ({"rounded": lambda width, multiple: width + multiple - 1 & -multiple},),
    ),
    Mistake(
        "rounded to a power of two",
        "The width is rounded up to a power of two, whatever `multiple_of` says.",
        ("4096 should give 11008, which is 43 times 256.", "Round up to the next multiple of `multiple_of`."),
        ({"rounded": lambda width, multiple: 1 << (width - 1).bit_length()},),
    ),
    Mistake(
        "not cut to a whole number",
        "The width is rounded up from a number with a fraction; the specification cuts it to a whole number before, "
        "which can save a multiple.",
        (
            "100 with multiple_of = 5 and multiplier = 1.3 should give 345.",
            "Two cuts: `int(8 * d_model / 3)`, and `int(multiplier * ...)`.",
        ),
        ({"start": lambda d: 8 * d / 3, "cut": float}, {"cut": float}),
    ),
    Mistake(
        "cut to a third before it is doubled",
        "A third is taken first and cut, and then doubled: what is cut off is lost twice.",
        ("50 with multiple_of = 1 should give 133.", "First 2 · 4 · d_model, then divide by 3."),
        ({"start": lambda d: 4 * d // 3 * 2},),
    ),
    Mistake(
        "cut only once",
        "The number is cut to a whole one after the multiplier only; the specification also cuts before it.",
        (
            "100 with multiple_of = 5 and multiplier = 1.3 should give 345.",
            "`int(8 * d_model / 3)`, then the multiplier.",
        ),
        ({"start": lambda d: 8 * d / 3},),
    ),
)
