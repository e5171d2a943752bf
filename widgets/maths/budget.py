"""What a feed-forward layer costs: its width, parameters, multiply-adds and activations, counted exactly.

All counts are whole numbers of Python, so nothing overflows; layers without biases.
"""

from __future__ import annotations

from dataclasses import dataclass

from widgets.formats import percent
from widgets.inputs import LARGEST, real_number, whole_number


@dataclass(frozen=True)
class Budget:
    """One layer's cost.

    matrices: how many, each of d_model times d_ff numbers (3 with a gate, 2 without).
    parameters: numbers learned. multiply_adds: per token; each weight is used once, so it is the same number.
    activations: per token, the numbers leaving the first matrices: gate input and content, or hidden layer.
    """

    d_model: int
    d_ff: int
    matrices: int

    @property
    def parameters(self) -> int:
        return self.matrices * self.d_model * self.d_ff

    @property
    def multiply_adds(self) -> int:
        return self.parameters

    @property
    def activations(self) -> int:
        return (self.matrices - 1) * self.d_ff


def relu_budget(d_model: int, d_ff: int | None = None) -> Budget:
    """The two-layer network: up and down, four times as wide inside as outside unless d_ff says otherwise.

    Raises TypeError or ValueError, as whole_number does, and ValueError past 2^63 parameters.
    """
    d_model = whole_number("d_model", d_model)
    return _counted(Budget(d_model, 4 * d_model if d_ff is None else whole_number("d_ff", d_ff), 2))


def gated_budget(d_model: int, d_ff: int) -> Budget:
    """The gated layer: gate, up and down.

    Raises TypeError or ValueError, as whole_number does, and ValueError past 2^63 parameters.
    """
    return _counted(Budget(whole_number("d_model", d_model), whole_number("d_ff", d_ff), 3))


def matched_d_ff(relu_d_ff: int) -> int:
    """Two thirds of a two-layer network's width, rounded down: three matrices for the price of two.

    relu_d_ff: at least 2
    """
    return 2 * whole_number("relu_d_ff", relu_d_ff, least=2) // 3


@dataclass(frozen=True)
class WidthSteps:
    """LLaMA's rule on its way to d_ff: two thirds of 4 d_model, times the multiplier, rounded up."""

    multiple_of: int
    multiplier: float
    two_thirds: int
    multiplied: int
    d_ff: int


def llama_width_steps(d_model: int, multiple_of: int = 256, multiplier: float = 1.0) -> WidthSteps:
    """Two thirds of 4 d_model, times the multiplier, rounded up to a multiple of multiple_of.

    Raises TypeError or ValueError, as whole_number does, for a multiplier outside 0.01 to 100, and past
    2^63 parameters.
    Source: meta-llama/llama, llama/model.py, FeedForward, which cuts to a whole number before and after the
    multiplier.
    """
    two_thirds = 2 * 4 * whole_number("d_model", d_model) // 3
    multiple_of = whole_number("multiple_of", multiple_of)
    multiplier = real_number("multiplier", multiplier, 0.01, 100)
    multiplied = int(multiplier * two_thirds)
    d_ff = max(1, -(-multiplied // multiple_of)) * multiple_of
    return WidthSteps(multiple_of, multiplier, two_thirds, multiplied, _counted(Budget(d_model, d_ff, 3)).d_ff)


def llama_d_ff(d_model: int, multiple_of: int = 256, multiplier: float = 1.0) -> int:
    """The width that LLaMA's rule gives: the last of llama_width_steps, which says what is raised."""
    return llama_width_steps(d_model, multiple_of, multiplier).d_ff


@dataclass(frozen=True)
class Ledger:
    """A gated layer beside the two-layer network it replaces, whose parameters are the budget.

    These are 8 d_model^2 where its d_ff is 4 d_model.
    """

    relu: Budget
    gated: Budget

    @property
    def ratio(self) -> float:
        """d_ff / d_model of the gated layer: 8/3 spends the budget exactly."""
        return self.gated.d_ff / self.gated.d_model

    @property
    def excess(self) -> float:
        """The share by which the gated layer is over the budget; below 0 it is under."""
        return self.gated.parameters / self.relu.parameters - 1

    @property
    def keeps_budget(self) -> bool:
        """Whether the two have equal parameters to within 2 in 100, more than LLaMA's rounding ever costs it."""
        return abs(self.excess) <= 0.02

    @property
    def verdict(self) -> tuple[str, str]:
        """Whether it keeps the budget: a sign that differs in shape, and words."""
        if self.keeps_budget:
            return "✓", f"keeps the budget ({percent(self.excess, sign=True)})"
        sign, where = ("▲", "over") if self.excess > 0 else ("▼", "under")
        return sign, f"{percent(abs(self.excess))} {where} the budget"


@dataclass(frozen=True)
class LedgerSteps:
    """A width by LLaMA's rule, and what a layer of that width costs."""

    width: WidthSteps
    ledger: Ledger


def ledger_steps(d_model: int, multiple_of: int = 256, multiplier: float = 1.0) -> LedgerSteps:
    """How LLaMA's rule comes to its width, and the ledger of the layer.

    Raises what llama_d_ff raises.
    """
    width = llama_width_steps(d_model, multiple_of, multiplier)
    return LedgerSteps(width, Ledger(relu_budget(d_model), gated_budget(d_model, width.d_ff)))


@dataclass(frozen=True)
class Model:
    """A published model's feed-forward layer, and the setting of LLaMA's rule that gives its width.

    own_rule: whether its authors used that rule; for the others it only reproduces the number they chose.
    """

    name: str
    d_model: int
    d_ff: int
    multiple_of: int
    multiplier: float
    own_rule: bool

    @property
    def ledger(self) -> Ledger:
        """Its layer beside the two-layer network."""
        return Ledger(relu_budget(self.d_model), gated_budget(self.d_model, self.d_ff))


MODELS = (
    Model("LLaMA-1 7B", 4096, 11008, 256, 1.0, True),
    Model("LLaMA-1 13B", 5120, 13824, 256, 1.0, True),
    Model("LLaMA-1 33B", 6656, 17920, 256, 1.0, True),
    Model("LLaMA-1 65B", 8192, 22016, 256, 1.0, True),
    Model("Llama-2 70B", 8192, 28672, 4096, 1.3, True),
    Model("Llama-3 8B", 4096, 14336, 1024, 1.3, True),
    Model("Llama-3 70B", 8192, 28672, 4096, 1.3, True),
    Model("Llama-3.1 405B", 16384, 53248, 4096, 1.2, True),
    Model("Mistral 7B", 4096, 14336, 1024, 1.3, False),
    Model("PaLM-style 4d", 4096, 16384, 256, 1.5, False),
    Model("Qwen2 7B", 3584, 18944, 256, 1.98, False),
    Model("Gemma 7B", 3072, 24576, 256, 3.0, False),
)
"""Widths of real models.

Sources: the Llama lines, meta-llama/llama and meta-llama/llama3, llama/model.py with the models' params.json;
Mistral and Gemma, the defaults of transformers' MistralConfig and GemmaConfig; Qwen2, the config.json of
Qwen/Qwen2-7B; PaLM's 4 d_model, the LLaMA paper, section 2.2, here at LLaMA's 4096. Gemma's gate is GELU, the
others' is Swish.
"""


def _counted(budget: Budget) -> Budget:
    if budget.parameters > LARGEST:
        raise ValueError(
            f"Expected a layer of fewer than 2^63 parameters; got {budget.matrices} matrices of"
            f" {budget.d_model:.3g} by {budget.d_ff:.3g}. Take smaller numbers."
        )
    return budget
