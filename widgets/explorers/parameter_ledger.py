"""The parameter ledger: what a gated feed-forward layer costs, from the settings of real models."""

from __future__ import annotations

from widgets.explorers.explorer import Explorer
from widgets.flipbook.controls import Choice, Control, Slider
from widgets.formats import number
from widgets.inputs import real_number, whole_number
from widgets.maths.budget import MODELS, Ledger, LedgerSteps, Model, ledger_steps
from widgets.pictures.parameter_ledger import ParameterLedgerPicture

STEP, LARGEST = 64, 18432  # of d_model; the largest is PaLM's
WIDTHS = [STEP * k for k in range(1, LARGEST // STEP + 1)]
MULTIPLIERS = [round(0.5 + 0.01 * k, 2) for k in range(251)]
ROUNDINGS = (1, 64, 128, 256, 512, 1024, 2048, 4096)
STOPS = {"1": 1.0, "1.3": 1.3}  # LLaMA-1's and Llama-3's multipliers
OWN = "choose …"  # in the list of models, while the settings are nobody's
PRESETS = ("LLaMA-1 7B", "Llama-3 8B", "Gemma 7B")


def parameter_ledger(d_model: int = 4096, multiple_of: int = 256, multiplier: float = 1.0) -> Explorer:
    """d_ff by LLaMA's rule, and its parameters and activations beside a two-layer ReLU network's.

    d_model: a multiple of 64 up to 18432; multiple_of: 1 to 65536; multiplier: 0.5 to 3, to the nearest 0.01
    Raises TypeError or ValueError in a sentence when one of them is something else.
    """
    d_model = whole_number("d_model", d_model, most=LARGEST)
    if d_model % STEP:
        raise ValueError(f"Expected d_model to be a multiple of {STEP}, the slider's step; got {d_model}.")
    multiple_of = whole_number("multiple_of", multiple_of, most=65536)
    return ParameterLedger(d_model, multiple_of, real_number("multiplier", multiplier, 0.5, 3))


class ParameterLedger(Explorer):
    """The explorer that `parameter_ledger` returns; a list of models sets its controls, and follows them."""

    follows = ("model",)

    def __init__(self, d_model: int, multiple_of: int, multiplier: float) -> None:
        roundings = [str(k) for k in sorted({*ROUNDINGS, multiple_of})]
        controls: dict[str, Control] = {
            "d_model": Slider("d_model", WIDTHS, d_model, "{:.0f}".format),
            "multiplier": Slider("multiplier", MULTIPLIERS, multiplier, stops=STOPS),
            "multiple_of": Choice("round up to a multiple of", roundings, str(multiple_of)),
            "model": Choice("real model", [OWN, *(model.name for model in MODELS)], OWN),
        }
        super().__init__(controls, {name: {"model": name} for name in PRESETS})
        self._follow()
        self.observe(self._follow, ["d_model", "multiplier"])

    def take(self, name: str) -> dict[str, float] | None:
        model = self._chosen()
        if name == "multiple_of":
            self._name_the_settings()
        elif model is None:
            self._name_the_settings()
            return None
        else:
            self.multiple_of = str(model.multiple_of)
            return {"d_model": model.d_model, "multiplier": model.multiplier}
        return {}

    def _chosen(self) -> Model | None:
        return next((model for model in MODELS if model.name == self.model), None)

    def _follow(self, _: object = None) -> None:
        """After a slider has come to rest; not while a model is being set, part by part."""
        with self.lock:
            if not self._taking:
                self._taking = True
                try:
                    self._name_the_settings()
                finally:
                    self._taking = False

    def _name_the_settings(self) -> None:
        """The list shows the chosen model as long as its settings stand, else another one's, or nobody's."""
        fitting = [model.name for model in MODELS if self._is_set_to(model)]
        if self.model not in fitting:  # type: ignore[has-type]
            self.model = fitting[0] if fitting else OWN

    def _is_set_to(self, model: Model) -> bool:
        settings = (self.d_model, self.multiplier, self.multiple_of)
        return settings == (model.d_model, model.multiplier, str(model.multiple_of))

    def paint(self) -> ParameterLedgerPicture:
        return ParameterLedgerPicture()

    def steps(self, d_model: float, multiplier: float) -> LedgerSteps:
        return ledger_steps(round(d_model), int(self.multiple_of), multiplier)

    def words(self, steps: LedgerSteps) -> str:
        now = steps.ledger
        return f"{_settings(steps)} gives d_ff = {now.gated.d_ff}: {now.verdict[1]}.{_likeness(now)}"

    def lines(self, steps: LedgerSteps) -> str:
        now = steps.ledger
        lines = [f"{'':<12}{'d_ff':>8}{'parameters':>16}{'activations':>13}"]
        for name, budget in (("ReLU", now.relu), ("gated", now.gated)):
            lines.append(f"{name:<12}{budget.d_ff:>8}{budget.parameters:>16,}{budget.activations:>13,}")
        activations = 100 * (now.gated.activations / now.relu.activations - 1)
        over = number(100 * now.excess, 1, sign=True), number(activations, 1, sign=True)
        return "\n".join([_settings(steps), *lines, f"{'gated, in %':<20}{over[0]:>16}{over[1]:>13}"])


def _settings(steps: LedgerSteps) -> str:
    width = steps.width
    d_model = steps.ledger.gated.d_model
    return f"d_model {d_model}, multiple of {width.multiple_of}, multiplier {number(width.multiplier)}"


def _likeness(now: Ledger) -> str:
    """The real models that have this very layer, and whether they came to it by LLaMA's rule."""
    same = [m for m in MODELS if (m.d_model, m.d_ff) == (now.gated.d_model, now.gated.d_ff)]
    words = [m.name + ("" if m.own_rule else " (which does not use this rule)") for m in same]
    return f" The layer of {' and '.join(words)}." if words else ""
