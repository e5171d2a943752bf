"""How people get Swish, the gated layers and their widths wrong."""

from __future__ import annotations

from . import Mistake
from .gate_formulas import FAMILY

SWISH = (
    Mistake(
        "beta ignored",
        "beta changes nothing.",
        ("Try beta = 2 and beta = 0.", "z times the sigmoid of `beta * z`."),
        ({"slope": "ignored"},),
    ),
    Mistake(
        "beta outside the sigmoid",
        "beta multiplies the result; it belongs inside the sigmoid.",
        ("With beta = 0 Swish is z / 2. What is yours?", "z times the sigmoid of `beta * z`."),
        ({"form": "beta outside"},),
    ),
    Mistake(
        "beta inside and outside",
        "beta multiplies z in both places: this is SiLU of beta · z.",
        ("With beta = 0 Swish is z / 2. What is yours?", "Only inside the sigmoid."),
        ({"form": "beta twice"},),
    ),
    Mistake(
        "divided by beta",
        "z is divided by beta inside the sigmoid; it should be multiplied.",
        ("A larger beta makes Swish more like ReLU.", "`beta * z`"),
        ({"form": "beta divides"},),
    ),
    Mistake(
        "another default beta",
        "Without beta this should be SiLU, beta = 1; 1.702 is the beta that imitates GELU.",
        ("Read the first line of the specification.", "`def swish(z, beta=1.0):`"),
        ({"default": 1.702},),
    ),
    Mistake(
        "sigmoid instead of Swish",
        "This is the sigmoid alone: never over 1 and never negative.",
        ("Try z = 10. Swish is nearly 10.", "Multiply the sigmoid by z."),
        ({"form": "sigmoid"},),
    ),
    Mistake(
        "sign exchanged inside the sigmoid",
        "The sigmoid is taken of −beta · z: it lets negative numbers pass and stops positive ones.",
        ("Try z = 10. Swish is nearly 10.", "`torch.sigmoid(beta * z)`, without a minus."),
        ({"form": "minus forgotten"},),
    ),
    Mistake(
        "exp overflows",
        "exp becomes infinite for numbers as large as 1000, and infinity times zero or by infinity is no number: the "
        "result, or its gradient, contains NaN.",
        (
            "What is exp(1000)?",
            "`torch.sigmoid` is written so that exp never gets a large positive number.",
            "`z * torch.sigmoid(beta * z)`",
        ),
        ({"form": "quotient"}, {"form": "other quotient"}, {"form": "both quotients"}),
        "skyzh/tiny-llm#161",
    ),
    Mistake(
        "tanh instead of sigmoid",
        "This is z times tanh; Swish uses the sigmoid.",
        ("The sigmoid lies between 0 and 1, tanh between −1 and 1.", "`torch.sigmoid`"),
        ({"form": "tanh"},),
    ),
    Mistake(
        "sum instead of product",
        "The sigmoid is added to z; Swish multiplies.",
        ("Swish(0) = 0. What is yours?", "z times the sigmoid."),
        ({"form": "sum"},),
    ),
    Mistake(
        "z squared",
        "z is multiplied twice.",
        ("Try z = 10. Swish is nearly 10.", "z times the sigmoid, once."),
        ({"form": "square"},),
    ),
    Mistake(
        "derivative instead of Swish",
        "This is the slope of Swish.",
        ("Swish(0) = 0. What is yours?", "z times the sigmoid."),
        ({"form": "derivative"},),
    ),
    *(
        Mistake(
            f"{name} instead of Swish",
            f"This is {name}; Swish is z times the sigmoid of beta · z.",
            ("Its least value is −0.2785, at z = −1.2785. What is yours there?", "`z * torch.sigmoid(beta * z)`"),
            ({"form": form},),
        )
        for name, form in (
            ("ReLU", "relu"),
            ("GELU", "gelu"),
            ("softplus", "softplus"),
            ("Mish", "mish"),
            ("hard Swish", "hardswish"),
        )
    ),
)

PLACE = (
    Mistake(
        "activation on the product",
        "The activation comes after the product: act(gate · up). It belongs on the gate alone, before the product.",
        (
            "In which order do the activation and the product come?",
            "The content passes through no activation at all.",
            "act(gate) · up",
        ),
        ({"on": "product"},),
        "Nijikadesu/breakdown-minimind#3",
    ),
    Mistake(
        "activation on the content branch",
        "Gate and content are exchanged: the activation acts on the content (up) branch.",
        ("Which of the two branches decides how much passes?", "`act(gate) * up`, not `gate * act(up)`."),
        ({"on": "up"},),
        "ml-explore/mlx-lm#767",
    ),
    Mistake(
        "activation on both branches",
        "Both branches are activated; the content stays as it is.",
        ("One branch is a switch, the other is what it switches.", "Leave the up branch without activation."),
        ({"on": "both"},),
    ),
    Mistake(
        "activation after the down projection",
        "The activation acts on the output; it belongs on the gate.",
        ("What happens last in a feed-forward layer?", "`down(act(gate) * up)`"),
        ({"on": "output"},),
    ),
    Mistake(
        "gate never used",
        "The gate matrix changes nothing: this is the activation of the up branch, projected down. It has no gate.",
        ("Put zeros into the gate matrix. The result should be zero.", "Multiply `act(gate)` and `up`."),
        ({"branches": "up only"}, {"branches": "content only"}),
        "Rishit-dagli/GLU#2",
    ),
    Mistake(
        "content never used",
        "The up matrix changes nothing: only the gate branch reaches the output.",
        ("Put zeros into the up matrix. The result should be zero.", "Multiply `act(gate)` and `up`."),
        ({"branches": "gate only"},),
    ),
    Mistake(
        "gate used as its own content",
        "Both factors come from the gate matrix; the content comes from the up matrix.",
        ("Put zeros into the up matrix. The result should be zero.", "Look for a line that was copied."),
        ({"branches": "gate twice"},),
    ),
    Mistake(
        "content used as its own gate",
        "Both factors come from the up matrix; the gate comes from the gate matrix.",
        ("Put zeros into the gate matrix. The result should be zero.", "Look for a line that was copied."),
        ({"branches": "up twice"},),
    ),
    Mistake(
        "branches added",
        "The branches are added or subtracted; gating multiplies.",
        ("Put zeros into the up matrix. The result should be zero.", "`act(gate) * up`"),
        ({"combine": "sum"}, {"combine": "difference"}),
    ),
    Mistake(
        "input added to the result",
        "x is added to the result; the residual connection belongs to the block.",
        ("Put zeros into the down matrix. The result should be zero.", "Return the down projection alone."),
        ({"after": "residual added"},),
    ),
    Mistake(
        "result normalised",
        "The result is normalised; the layer has no norm of its own.",
        ("Double the down matrix. The result should double.", "Return the down projection alone."),
        ({"after": "normalised"},),
    ),
)

_NAMES = {
    "sigmoid": "the sigmoid",
    "relu": "ReLU",
    "gelu": "GELU",
    "gelu tanh": "GELU",
    "none": "no activation",
    "tanh": "tanh",
    "softmax": "softmax",
    "relu squared": "the square of ReLU",
    "swish, beta 1.702": "Swish with beta = 1.702",
    "swish of swish": "Swish, twice,",
}


def _wrong_activation(used: str, *others: str) -> Mistake:
    name = _NAMES[used]
    return Mistake(
        f"{name.removeprefix('the ').rstrip(',')} instead of Swish",
        f"The gate passes through {name.rstrip(',')}; SwiGLU's gate passes through Swish with beta = 1 (SiLU).",
        ("Which function gave SwiGLU the first half of its name?", "`torch.nn.functional.silu`"),
        tuple({"activation": one} for one in (used, *others)),
    )


SWIGLU = (
    *PLACE,
    *(
        _wrong_activation(*used)
        for used in (
            ("sigmoid",),
            ("relu",),
            ("gelu", "gelu tanh"),
            ("none",),
            ("tanh",),
            ("softmax",),
            ("relu squared",),
            ("swish, beta 1.702",),
            ("swish of swish",),
        )
    ),
)

SWIGLU_OVERFLOW = (  # its values are right, its gradient is not
    Mistake(
        "exp overflows",
        "The values are right, but the gradient becomes NaN where exp becomes infinite, for a gate below −88 in "
        "float32: Swish is written with exp.",
        ("What is exp(100) in float32?", "`torch.nn.functional.silu`, or `z * torch.sigmoid(z)`."),
        ({"activation": "swish by exp"},),
        "skyzh/tiny-llm#161",
    ),
)

EXCHANGED = Mistake(
    "halves exchanged",
    "The halves of the joint matrix are exchanged: its first d_ff rows are the gate, its last the content.",
    ("Which half goes through Swish?", "`gate, up = joint.chunk(2, dim=-1)`"),
    ({"halves": "up first"},),
    "vllm-project/vllm#29273, sgl-project/sglang#32430",
)
FUSED = (
    EXCHANGED,
    Mistake(
        "halves interleaved",
        "Gate and content are taken in turns, row by row; here the gate rows come first, then the content rows.",
        ("In which order do the rows of the joint matrix come?", "`gate, up = joint.chunk(2, dim=-1)`"),
        ({"halves": "interleaved"},),
    ),
    *(one for one in SWIGLU if one.name != "activation on the content branch"),  # here: halves exchanged
)
LOADED = (
    Mistake(
        "halves exchanged when loading",
        "Loading the two-matrix form puts the content rows first; the gate rows come first.",
        ("In which order do you join the two matrices?", "`torch.cat([gate, up])`"),
        ({"loaded": "up first"},),
    ),
)


def _kind(kind: str) -> tuple[Mistake, ...]:
    right = FAMILY[kind]
    proper = {"sigmoid": "the sigmoid", "none": "none", "relu": "ReLU", "gelu": "GELU", "swish": "Swish"}
    used_instead = proper | ({"swish, beta 1.702": "Swish with beta = 1.702"} if kind == "geglu" else {})
    return tuple(
        Mistake(
            f"{kind} with {name}",
            f'For the kind "{kind}" the activation is {proper[right]}; yours is {name}.',
            ("Compare with the table in the specification.", "One line of the table is wrong."),
            ({kind: used},),
        )
        for used, name in used_instead.items()
        if used != right
    )


FAMILY_BANK = (
    *PLACE,
    *(
        Mistake(
            "kind ignored",
            "Every kind gives the same result.",
            ("Call it with two kinds and compare.", "Choose the activation by `kind`."),
            ({"always": used},),
        )
        for used in FAMILY.values()
    ),
    *(mistake for kind in FAMILY for mistake in _kind(kind)),
    Mistake(
        "weights not transposed",
        "The matrices are used as they are stored; torch stores (numbers out, numbers in), so x meets the transpose.",
        ("Which shapes do the matrices have, and which shape has x?", "`x @ gate_weight.T`, or `F.linear`."),
        ({"transposed": False},),
    ),
)
