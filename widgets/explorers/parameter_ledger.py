"""The parameter ledger: what a gated feed-forward layer costs, from the settings of real models."""

from __future__ import annotations

from ipywidgets import Dropdown, FloatLogSlider, FloatSlider

from widgets.explorers.explorer import Explorer
from widgets.flipbook import Flipbook
from widgets.maths.budget import MODELS, Ledger, Model, ledger, llama_width_steps
from widgets.maths.numbers import real_number, whole_number
from widgets.pictures.parameter_ledger import ParameterLedgerPicture, verdict
from widgets.style import number

STEP, LARGEST = 128, 18432  # of d_model; the largest is PaLM's
POSITIONS = {
    "d_model": [STEP * k for k in range(1, LARGEST // STEP + 1)],
    "multiple_of": [2**k for k in range(13)],
    "multiplier": [round(0.5 + 0.02 * k, 2) for k in range(126)],
}


def parameter_ledger(d_model: int = 4096, multiple_of: int = 256, multiplier: float = 1.0) -> Explorer:
    """d_ff by LLaMA's rule, and its parameters and activations beside a two-layer ReLU network's.

    d_model: a multiple of 128 up to 18432; multiple_of: a power of 2 up to 4096; multiplier: 0.5 to 3
    Raises TypeError or ValueError in a sentence when one of them is something else.
    """
    d_model = whole_number("d_model", d_model, most=LARGEST)
    if d_model % STEP:
        raise ValueError(f"Expected d_model to be a multiple of {STEP}, the slider's step; got {d_model}.")
    multiple_of = whole_number("multiple_of", multiple_of, most=4096)
    if multiple_of not in POSITIONS["multiple_of"]:
        raise ValueError(f"Expected multiple_of to be a power of 2 up to 4096; got {multiple_of}.")
    return ParameterLedger(d_model, multiple_of, real_number("multiplier", multiplier, 0.5, 3))


class ParameterLedger(Explorer):
    """The explorer that `parameter_ledger` returns; a list of models sets its sliders."""

    def __init__(self, d_model: int, multiple_of: int, multiplier: float) -> None:
        start = {"d_model": d_model, "multiple_of": multiple_of, "multiplier": multiplier}
        self.picture = ParameterLedgerPicture()
        flipbook = Flipbook(self.picture.figure, self._show, self.picture.moving, POSITIONS, start)
        whole = {"readout_format": ".0f"}
        sliders = {
            "d_model": FloatSlider(d_model, min=STEP, max=LARGEST, step=STEP, description="d_model", **whole),
            "multiple_of": FloatLogSlider(
                multiple_of, base=2, min=0, max=12, step=1, description="multiple of", **whole
            ),
            "multiplier": FloatSlider(multiplier, min=0.5, max=3, step=0.02, description="multiplier"),
        }
        choices = [("choose …", None), *((model.name, model) for model in MODELS)]
        self.models = Dropdown(options=choices, description="real model", layout={"width": "220px"})
        self.models.observe(self._choose, "value")
        super().__init__(flipbook, sliders, self._text, (self.models,))
        for name in ("multiple_of", "multiplier"):
            sliders[name].layout.width = "min(100%, 300px)"  # so that one row has room for them and the list

    def _choose(self, change: dict) -> None:
        model: Model | None = change["new"]
        if model:
            for name, slider in self.sliders.items():
                slider.value = getattr(model, name)

    def _ledger(self, d_model: float, multiple_of: float, multiplier: float) -> Ledger:
        return ledger(round(d_model), round(multiple_of), multiplier)

    def _show(self, **values: float) -> str:
        now = self._ledger(**values)
        multiple_of, multiplier = round(values["multiple_of"]), values["multiplier"]
        width = llama_width_steps(now.gated.d_model, multiple_of, multiplier)
        self.picture.show(now, width, multiplier, multiple_of)
        return f"{_settings(**values)} gives d_ff = {now.gated.d_ff}: {verdict(now)[2:]}.{_likeness(now)}"

    def _text(self, **values: float) -> str:
        now = self._ledger(**values)
        lines = [f"{'':<12}{'d_ff':>8}{'parameters':>16}{'activations':>13}"]
        for name, budget in (("ReLU", now.relu), ("gated", now.gated)):
            lines.append(f"{name:<12}{budget.d_ff:>8}{budget.parameters:>16,}{budget.activations:>13,}")
        activations = 100 * (now.gated.activations / now.relu.activations - 1)
        over = number(100 * now.excess, 1, sign=True), number(activations, 1, sign=True)
        return "\n".join([_settings(**values), *lines, f"{'gated, in %':<20}{over[0]:>16}{over[1]:>13}"])


def _settings(d_model: float, multiple_of: float, multiplier: float) -> str:
    return f"d_model {d_model:.0f}, multiple of {multiple_of:.0f}, multiplier {number(multiplier)}"


def _likeness(now: Ledger) -> str:
    """The real models that have this very layer, and whether they came to it by LLaMA's rule."""
    same = [m for m in MODELS if (m.d_model, m.d_ff) == (now.gated.d_model, now.gated.d_ff)]
    words = [m.name + ("" if m.own_rule else " (which does not use this rule)") for m in same]
    return f" The layer of {' and '.join(words)}." if words else ""
