"""How people get Swish, the gated layers and their widths wrong."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from widgets.checks.mistakes.diagnosis import Mistake, named
from widgets.checks.mistakes.gate_formulas import FAMILY, Step, gelu_tanh


def _quotient(z: Tensor, steep: Tensor, beta: float) -> Tensor:
    return z / (1 + torch.exp(-steep))


def _other_quotient(z: Tensor, steep: Tensor, beta: float) -> Tensor:
    return z * torch.exp(steep) / (1 + torch.exp(steep))


def _both_quotients(z: Tensor, steep: Tensor, beta: float) -> Tensor:
    return torch.where(z >= 0, _quotient(z, steep, beta), _other_quotient(z, steep, beta))


def quick_gelu(z: Tensor) -> Tensor:
    return z * torch.sigmoid(1.702 * z)


def _sloped(value: Tensor, z: Tensor, slope: Tensor) -> Tensor:
    """A value whose slope autograd takes for this one."""
    return value.detach() + (z - z.detach()) * slope.detach()


def _slope(steep: Tensor, factor: Tensor | float) -> Tensor:
    return torch.sigmoid(steep) * (1 + factor * torch.sigmoid(-steep))


BOUNDS = (5, 6, 7, 8, 10, 12, 15, 20)

SWISH = (
    Mistake(
        "beta ignored",
        "beta changes nothing.",
        ("Try beta = 2 and beta = 0.", "z times the sigmoid of `beta * z`."),
        ({"slope": lambda z, beta: z},),
    ),
    Mistake(
        "beta hard-coded",
        "A fixed number stands where beta should, so that another beta changes nothing.",
        ("Try beta = 2 and beta = 0.", "The argument is called `beta`."),
        tuple({"slope": lambda z, beta, fixed=fixed: fixed * z} for fixed in (1.702, 1.5, 2)),
    ),
    Mistake(
        "beta outside the sigmoid",
        "beta multiplies the result; it belongs inside the sigmoid.",
        ("With beta = 0 Swish is z / 2. What is yours?", "z times the sigmoid of `beta * z`."),
        ({"form": lambda z, steep, beta: beta * z * torch.sigmoid(z)},),
    ),
    Mistake(
        "beta inside and outside",
        "beta multiplies z in both places: this is SiLU of beta · z.",
        ("With beta = 0 Swish is z / 2. What is yours?", "Only inside the sigmoid."),
        ({"form": lambda z, steep, beta: steep * torch.sigmoid(steep)},),
    ),
    Mistake(
        "divided by beta",
        "z is divided by beta inside the sigmoid; it should be multiplied.",
        ("A larger beta makes Swish more like ReLU.", "`beta * z`"),
        (
            {"form": lambda z, steep, beta: z * torch.sigmoid(z / beta) if beta else z / 2},
            {"form": lambda z, steep, beta: z * torch.sigmoid(z / beta)},
        ),
    ),
    Mistake(
        "beta added",
        "beta is added to z inside the sigmoid; it should be multiplied.",
        ("With beta = 0 Swish is z / 2. What is yours?", "`beta * z`"),
        ({"slope": torch.add},),
    ),
    Mistake(
        "another slope inside the sigmoid",
        "What goes into the sigmoid is beta · z times a number, twice as much or half: the curve is too steep or too "
        "flat.",
        (
            "Swish(1) with beta = 1 is the sigmoid of 1. What is yours?",
            "Written with tanh, the sigmoid of a is (1 + tanh(a / 2)) / 2.",
        ),
        ({"slope": lambda z, beta: 2 * beta * z}, {"slope": lambda z, beta: beta * z / 2}),
    ),
    Mistake(
        "zero divided by beta",
        "Right but for beta = 0, where it divides 0 by 0: the result is NaN there, and Swish is z / 2.",
        ("What is `silu(beta * z) / beta` for beta = 0?", "z times the sigmoid of `beta * z` divides by nothing."),
        ({"form": lambda z, steep, beta: F.silu(steep) / beta},),
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
        ({"form": lambda z, steep, beta: torch.sigmoid(steep)},),
    ),
    Mistake(
        "sign exchanged inside the sigmoid",
        "The sigmoid is taken of −beta · z: it lets negative numbers pass and stops positive ones.",
        ("Try z = 10. Swish is nearly 10.", "`torch.sigmoid(beta * z)`, without a minus."),
        ({"form": lambda z, steep, beta: z * torch.sigmoid(-steep)},),
    ),
    Mistake(
        "exp overflows",
        "exp becomes infinite for numbers as large as 1000. Infinity times zero, or divided by infinity, is no number: "
        "the result, or its gradient, contains NaN.",
        ("What is exp(1000)?", "`torch.sigmoid` is written so that exp never gets a large positive number."),
        ({"form": _quotient}, {"form": _other_quotient}, {"form": _both_quotients}),
        "skyzh/tiny-llm#161",
    ),
    Mistake(
        "tanh instead of sigmoid",
        "This is z times tanh; Swish uses the sigmoid.",
        ("The sigmoid lies between 0 and 1, tanh between −1 and 1.", "`torch.sigmoid`"),
        ({"form": lambda z, steep, beta: z * torch.tanh(steep)},),
    ),
    Mistake(
        "sum instead of product",
        "The sigmoid is added to z; Swish multiplies.",
        ("Swish(0) = 0. What is yours?", "z times the sigmoid."),
        ({"form": lambda z, steep, beta: z + torch.sigmoid(steep)},),
    ),
    Mistake(
        "z squared",
        "z is multiplied twice.",
        ("Try z = 10. Swish is nearly 10.", "z times the sigmoid, once."),
        ({"form": lambda z, steep, beta: z * z * torch.sigmoid(steep)},),
    ),
    Mistake(
        "derivative instead of Swish",
        "This is the slope of Swish.",
        ("Swish(0) = 0. What is yours?", "z times the sigmoid."),
        ({"form": lambda z, steep, beta: torch.sigmoid(steep) * (1 + steep * torch.sigmoid(-steep))},),
    ),
    Mistake(
        "clamped far out",
        "z, or the number that goes into the exponential, is clamped: right near zero, and wrong far out.",
        (
            "Compare z = −35 with what −35 times the sigmoid of −35 is, and z = 1000 with 1000.",
            "`torch.sigmoid` overflows nowhere; nothing has to be clamped.",
        ),
        tuple({"form": lambda z, steep, beta, at=at: z * torch.sigmoid(steep.clamp(-at, at))} for at in (*BOUNDS, 30)),
    ),
    Mistake(
        "tail cut off",
        "Below some z the result is zero. Swish comes close to zero there, and is not zero.",
        ("What is −35 times the sigmoid of −35, and what is yours?", "One formula holds for all z."),
        tuple({"form": lambda z, steep, beta, at=at: z * torch.sigmoid(steep) * (z >= -at)} for at in BOUNDS),
    ),
    Mistake(
        "one minus a number near one",
        "Far below zero the sigmoid is taken as 1 minus a number that is nearly 1, or as 1 plus one that is nearly −1: "
        "in half precision nothing is left of such a difference.",
        ("What is the sigmoid of 8 in bfloat16, and 1 minus that?", "`torch.sigmoid` keeps its digits on both sides."),
        (
            {"form": lambda z, steep, beta: z * torch.where(steep < 0, 1 - torch.sigmoid(-steep), steep.sigmoid())},
            {"form": lambda z, steep, beta: z * (1 - torch.sigmoid(-steep))},
            {"form": lambda z, steep, beta: z * (1 + torch.tanh(steep / 2)) / 2},
        ),
        "skyzh/tiny-llm#164",
    ),
    Mistake(
        "own backward for beta = 1",
        "The values are right, but your backward leaves beta out somewhere: it is right for beta = 1 only.",
        (
            "Differentiate z · σ(βz) by z: where does β come out of the sigmoid?",
            "The slope of σ(βz) is β · σ(βz) · σ(−βz).",
        ),
        (
            {"form": lambda z, steep, beta: _sloped(z * torch.sigmoid(steep), z, _slope(z, z))},
            {"form": lambda z, steep, beta: _sloped(z * torch.sigmoid(steep), z, _slope(steep, z))},
        ),
    ),
    Mistake(
        "gate detached",
        "The values are right, but one of the two factors is cut out of the gradient: both depend on z.",
        ("Look for `.detach()`, `.data` or `torch.no_grad()`.", "The derivative of a product has two terms."),
        (
            {"form": lambda z, steep, beta: z * torch.sigmoid(steep).detach()},
            {"form": lambda z, steep, beta: z.detach() * torch.sigmoid(steep)},
        ),
    ),
    *(
        Mistake(
            f"{name} instead of Swish",
            f"This is {name}; Swish is z times the sigmoid of beta · z.",
            ("Its least value is −0.2785, at z = −1.2785. What is yours there?", "A sigmoid, and z itself."),
            ({"form": lambda z, steep, beta, form=form: form(z)},),
        )
        for name, form in (
            ("ReLU", F.relu),
            ("GELU", F.gelu),
            ("softplus", F.softplus),
            ("Mish", F.mish),
            ("hard Swish", F.hardswish),
            ("ELU", F.elu),
        )
    ),
)

NO_ACTIVATION: dict[str, Step] = {"place": lambda opened, content, act, combine: combine(opened, content)}
"""No activation between the projections."""

PLACE = (
    Mistake(
        "activation on the product",
        "The activation comes after the product: act(gate · up). It belongs on the gate alone, before the product.",
        (
            "In which order do the activation and the product come?",
            "The content passes through no activation at all.",
            "act(gate) · up",
        ),
        ({"place": lambda opened, content, act, combine: act(combine(opened, content))},),
        "Nijikadesu/breakdown-minimind#3",
    ),
    Mistake(
        "activation on the content branch",
        "Gate and content are exchanged: the activation acts on the content (up) branch.",
        ("Which of the two branches decides how much passes?", "`act(gate) * up`, not `gate * act(up)`."),
        ({"place": lambda opened, content, act, combine: combine(opened, act(content))},),
        "ml-explore/mlx-lm#767",
    ),
    Mistake(
        "activation on both branches",
        "Both branches are activated; the content stays as it is.",
        ("One branch is a switch, the other is what it switches.", "Leave the up branch without activation."),
        ({"place": lambda opened, content, act, combine: combine(act(opened), act(content))},),
    ),
    Mistake(
        "activation before the projection",
        "The activation acts on x; it belongs on what the gate matrix makes of x.",
        ("What is bent here, and what should be?", "`act(gate_proj(x))`, not `gate_proj(act(x))`."),
        (
            {**NO_ACTIVATION, "seen": lambda x, act: (act(x), x)},
            {**NO_ACTIVATION, "seen": lambda x, act: (act(x), act(x))},
        ),
    ),
    Mistake(
        "activation after the down projection",
        "The activation acts on the output; it belongs on the gate.",
        ("What happens last in a feed-forward layer?", "The down projection is last, and nothing comes after it."),
        ({**NO_ACTIVATION, "output": lambda y, act: act(y)},),
    ),
    Mistake(
        "gate never used",
        "The gate matrix changes nothing: only the up branch reaches the output. It has no gate.",
        ("Put zeros into the gate matrix. The result should be zero.", "Multiply `act(gate)` and `up`."),
        (
            {"place": lambda opened, content, act, combine: act(content)},
            {"place": lambda opened, content, act, combine: content},
        ),
        "Rishit-dagli/GLU#2",
    ),
    Mistake(
        "content never used",
        "The up matrix changes nothing: only the gate branch reaches the output.",
        ("Put zeros into the up matrix. The result should be zero.", "Multiply `act(gate)` and `up`."),
        ({"place": lambda opened, content, act, combine: act(opened)},),
    ),
    Mistake(
        "gate used as its own content",
        "Both factors come from the gate matrix; the content comes from the up matrix.",
        ("Put zeros into the up matrix. The result should be zero.", "Look for a line that was copied."),
        ({"branches": lambda opened, content: (opened, opened)},),
    ),
    Mistake(
        "content used as its own gate",
        "Both factors come from the up matrix; the gate comes from the gate matrix.",
        ("Put zeros into the gate matrix. The result should be zero.", "Look for a line that was copied."),
        ({"branches": lambda opened, content: (content, content)},),
    ),
    Mistake(
        "branches added",
        "The branches are added or subtracted; gating multiplies.",
        ("Put zeros into the up matrix. The result should be zero.", "`act(gate) * up`"),
        ({"combine": torch.add}, {"combine": torch.sub}),
    ),
    Mistake(
        "weights not transposed",
        "The matrices are used as they are stored; torch stores (numbers out, numbers in), so x meets the transpose.",
        ("Which shapes do the matrices have, and which shape has x?", "`x @ gate_weight.T`, or `F.linear`."),
        ({"stored": lambda matrix: matrix.T},),
    ),
    Mistake(
        "down projection left out",
        "The product of the branches is returned as it is, d_ff numbers for each token; the down projection leads back "
        "to d_model.",
        (
            "How many numbers has a token of x, and how many has a token of your result?",
            "The down projection comes last.",
        ),
        ({"project": lambda hidden, down: hidden},),
    ),
    Mistake(
        "F.glu's order",
        "This is what F.glu computes: its first half times the sigmoid of its second. SwiGLU's gate comes first, and "
        "passes through Swish.",
        ("Which half does `torch.nn.functional.glu` put into the sigmoid?", "Write the product out, gate and content."),
        ({"place": lambda opened, content, act, combine: combine(opened, torch.sigmoid(content))},),
    ),
    Mistake(
        "clamped branches",
        "A branch is clamped: large numbers are cut off. Some models do that; this layer does not.",
        ("Try an x a hundred times larger.", "Leave `clamp` out."),
        (
            *({"activation": lambda z, bound=bound: F.silu(z.clamp(max=bound))} for bound in BOUNDS),
            *({"activation": lambda z, bound=bound: F.silu(z.clamp(-bound, bound))} for bound in BOUNDS),
            *({"activation": lambda z, bound=bound: z * torch.sigmoid(z.clamp(-bound, bound))} for bound in BOUNDS),
            *({"branches": lambda gate, up, bound=bound: (gate, up.clamp(-bound, bound))} for bound in BOUNDS),
        ),
    ),
    Mistake(
        "tail cut off",
        "Where the gate is far below zero it is set to zero. Swish comes close to zero there, and is not zero.",
        ("What is −35 times the sigmoid of −35, and what is yours?", "`torch.nn.functional.silu` holds for all z."),
        tuple({"activation": lambda z, bound=bound: F.silu(z) * (z >= -bound)} for bound in BOUNDS),
    ),
    Mistake(
        "input added to the result",
        "x is added to the result; the residual connection belongs to the block.",
        ("Put zeros into the down matrix. The result should be zero.", "Return the down projection alone."),
        ({"after": torch.add},),
    ),
    Mistake(
        "result normalised",
        "The result is normalised; the layer has no norm of its own.",
        ("Double the down matrix. The result should double.", "Return the down projection alone."),
        (
            {"after": lambda result, x: result / result.square().mean(-1, keepdim=True).sqrt()},
            {"after": lambda result, x: F.normalize(result, dim=-1)},
            {"after": lambda result, x: F.layer_norm(result, result.shape[-1:])},
        ),
    ),
)


def _other_activation(name: str, *used: Step) -> Mistake:
    return Mistake(
        f"{name.removeprefix('the ')} instead of Swish",
        f"The gate passes through {name}; SwiGLU's gate passes through Swish with beta = 1 (SiLU).",
        ("Which function gave SwiGLU the first half of its name?", "`torch.nn.functional.silu`"),
        tuple({"activation": one} for one in used),
    )


SWIGLU = (
    *PLACE,
    _other_activation("the sigmoid", torch.sigmoid),
    _other_activation("ReLU", F.relu),
    _other_activation("GELU", F.gelu, gelu_tanh),
    _other_activation("no activation", lambda z: z),
    _other_activation("tanh", torch.tanh),
    _other_activation("softmax", lambda z: z.softmax(dim=-1)),
    _other_activation("the square of ReLU", lambda z: F.relu(z).square()),
    _other_activation("hard Swish", F.hardswish),
    _other_activation("Mish", F.mish),
    _other_activation("Swish with beta = 1.702", quick_gelu),
    _other_activation("Swish, twice", lambda z: F.silu(F.silu(z))),
)

SWIGLU_SILENT = (  # the values are right, the gradient is not
    Mistake(
        "branch detached",
        "The values are right, but one branch is cut out of the gradient: its matrix would not be trained rightly.",
        ("Look for `.detach()`, `.data` or `torch.no_grad()`.", "Both branches belong into the graph."),
        (
            {"place": lambda opened, content, act, combine: combine(act(opened.detach()), content)},
            {"place": lambda opened, content, act, combine: combine(act(opened), content.detach())},
        ),
    ),
    Mistake(
        "exp overflows",
        "The values are right, but the gradient becomes NaN where exp becomes infinite, for a gate below −88 in "
        "float32: Swish is written with exp.",
        ("What is exp(100) in float32?", "`torch.nn.functional.silu`, or `z * torch.sigmoid(z)`."),
        ({"activation": lambda z: z / (1 + torch.exp(-z))},),
        "skyzh/tiny-llm#161",
    ),
)

EXCHANGED = Mistake(
    "halves exchanged",
    "The halves of the joint matrix are exchanged: its first d_ff rows are the gate, its last the content.",
    ("Which half goes through Swish?", "`gate, up = joint.chunk(2, dim=-1)`"),
    ({"halves": lambda gate, up: (up, gate)},),
    "vllm-project/vllm#29273, sgl-project/sglang#32430",
)
FUSED = (
    EXCHANGED,
    Mistake(
        "halves interleaved",
        "Gate and content are taken in turns, row by row; here the gate rows come first, then the content rows.",
        ("In which order do the rows of the joint matrix come?", "`gate, up = joint.chunk(2, dim=-1)`"),
        ({"halves": lambda gate, up: (torch.cat([gate, up])[0::2], torch.cat([gate, up])[1::2])},),
    ),
    *(one for one in SWIGLU if one.name != "activation on the content branch"),  # here: halves exchanged
)
LOADED = (
    Mistake(
        "halves exchanged when loading",
        "Loading the two-matrix form puts the content rows first; the gate rows come first.",
        ("In which order do you join the two matrices?", "`torch.cat([gate, up])`"),
        ({"loaded": lambda gate, up: (up, gate)},),
    ),
    Mistake(
        "halves interleaved when loading",
        "Loading the two-matrix form puts gate and content rows in turns; all gate rows come first.",
        ("In which order do the rows of the joint matrix come?", "`torch.cat`, not `torch.stack`."),
        ({"loaded": lambda gate, up: torch.stack([gate, up], dim=1).flatten(0, 1).chunk(2)},),
    ),
)


PROPER = {"glu": "the sigmoid", "bilinear": "none", "reglu": "ReLU", "geglu": "GELU", "swiglu": "Swish"}


SIMILAR: dict[str, dict[str, Step]] = {
    "glu": {"tanh": torch.tanh, "the hard sigmoid": F.hardsigmoid},
    "bilinear": {"tanh": torch.tanh},
    "reglu": {"leaky ReLU": F.leaky_relu, "ELU": F.elu, "the square of ReLU": lambda z: F.relu(z).square()},
    "geglu": {"Swish with beta = 1.702": quick_gelu},
    "swiglu": {"Swish with beta = 1.702": quick_gelu, "hard Swish": F.hardswish, "Mish": F.mish},
}


def _exchanged(kind: str) -> tuple[Mistake, ...]:
    """One kind's activation taken for that of another."""
    used_instead = {PROPER[other]: FAMILY[other] for other in FAMILY if other != kind} | SIMILAR[kind]
    return tuple(
        Mistake(
            f"{kind} with {name}",
            f'For the kind "{kind}" the activation is {PROPER[kind]}; yours is {name}.',
            ("Compare with the table in the specification.", "One line of the table is wrong."),
            ({kind: used},),
        )
        for name, used in used_instead.items()
    )


FAMILY_BANK = (
    *(one for one in PLACE if one.name not in ("F.glu's order", "clamped branches", "tail cut off")),
    Mistake(
        "kind ignored",
        "Every kind gives the same result.",
        ("Call it with two kinds and compare.", "Choose the activation by `kind`."),
        tuple({"always": used} for used in FAMILY.values()),
    ),
    *(mistake for kind in FAMILY for mistake in _exchanged(kind)),
    Mistake(
        "one kind without its product",
        "For one kind only a single branch reaches the output; all five multiply gate and content.",
        ("Which matrix does that kind never use?", "One line serves all kinds; only the activation differs."),
        tuple(
            {"place_of": {kind: place}}
            for kind in FAMILY
            for place in (
                lambda opened, content, act, combine: act(opened),
                lambda opened, content, act, combine: content,
            )
        ),
    ),
    Mistake(
        "F.glu's order",
        "F.glu puts the sigmoid on its second half: given gate and content, it opens the gate with the content.",
        ("Which half does `torch.nn.functional.glu` put into the sigmoid?", "Content first, gate second."),
        ({"place_of": {"glu": lambda opened, content, act, combine: combine(opened, act(content))}},),
    ),
)
FAMILY_SILENT = (
    *named(SWIGLU_SILENT, "branch detached"),
    *(
        Mistake(
            f"{kind} overflows",
            f'For the kind "{kind}" the values are right, but the gradient becomes NaN where exp becomes infinite.',
            ("What is exp(100) in float32?", "`torch.sigmoid` is written so that exp never gets a large number."),
            ({kind: with_exp},),
            "skyzh/tiny-llm#161",
        )
        for kind, with_exp in (
            ("glu", lambda z: 1 / (1 + torch.exp(-z))),
            ("swiglu", lambda z: z / (1 + torch.exp(-z))),
        )
    ),
)
