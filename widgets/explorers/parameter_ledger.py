"""The parameter ledger: what a gated feed-forward layer costs, from the settings of real models."""

from __future__ import annotations

from ipywidgets import Dropdown, FloatSlider

from widgets.explorers.explorer import Explorer
from widgets.flipbook.flipbook import Flipbook
from widgets.formats import number
from widgets.inputs import real_number, whole_number
from widgets.maths.budget import MODELS, Ledger, LedgerSteps, Model, ledger_steps
from widgets.pictures.parameter_ledger import ParameterLedgerPicture

STEP, LARGEST = 64, 18432  # of d_model; the largest is PaLM's
POSITIONS = {
    "d_model": [STEP * k for k in range(1, LARGEST // STEP + 1)],
    "multiplier": [round(0.5 + 0.01 * k, 2) for k in range(251)],
}
ROUNDINGS = (1, 64, 128, 256, 512, 1024, 2048, 4096)


def parameter_ledger(d_model: int = 4096, multiple_of: int = 256, multiplier: float = 1.0) -> Explorer:
    """d_ff by LLaMA's rule, and its parameters and activations beside a two-layer ReLU network's.

    d_model: a multiple of 64 up to 18432; multiple_of: 1 to 65536; multiplier: 0.5 to 3
    Raises TypeError or ValueError in a sentence when one of them is something else.
    """
    d_model = whole_number("d_model", d_model, most=LARGEST)
    if d_model % STEP:
        raise ValueError(f"Expected d_model to be a multiple of {STEP}, the slider's step; got {d_model}.")
    multiple_of = whole_number("multiple_of", multiple_of, most=65536)
    return ParameterLedger(d_model, multiple_of, real_number("multiplier", multiplier, 0.5, 3))


class ParameterLedger(Explorer):
    """The explorer that `parameter_ledger` returns; a list of models sets its controls."""

    def __init__(self, d_model: int, multiple_of: int, multiplier: float) -> None:
        self.picture = ParameterLedgerPicture()
        options = [(str(k), k) for k in sorted({*ROUNDINGS, multiple_of})]
        self.rounding = Dropdown(options=options, value=multiple_of, description="round up to a multiple of")
        choices = [("choose …", None), *((model.name, model) for model in MODELS)]
        self.models = Dropdown(options=choices, description="real model")
        self.rounding.observe(self._round, "value")
        self.models.observe(self._choose, "value")
        sliders = {
            "d_model": FloatSlider(
                d_model, min=STEP, max=LARGEST, step=STEP, description="d_model", readout_format=".0f"
            ),
            "multiplier": FloatSlider(multiplier, min=0.5, max=3, step=0.01, description="multiplier"),
        }
        start = {"d_model": d_model, "multiplier": multiplier}
        flipbook = Flipbook(self.picture.figure, self._show, self.picture.moving, POSITIONS, start)
        super().__init__(flipbook, sliders, self._text, (self.rounding, self.models))
        for control, width in ((sliders["multiplier"], 300), (self.rounding, 240), (self.models, 220)):
            control.layout.width = f"min(100%, {width}px)"  # so that one row has room for all three

    def _round(self, _: object = None, **values: float) -> None:
        self.draw(self.picture.figure, self._show, self.picture.moving, **values)

    def _choose(self, change: dict) -> None:
        model: Model | None = change["new"]
        if model:  # all three at once: a picture of the new width with the old rounding would be of no model
            self.rounding.unobserve(self._round, "value")
            self.rounding.value = model.multiple_of
            self.rounding.observe(self._round, "value")
            self._round(d_model=model.d_model, multiplier=model.multiplier)

    def _steps(self, d_model: float, multiplier: float) -> LedgerSteps:
        return ledger_steps(round(d_model), self.rounding.value, multiplier)

    def _show(self, d_model: float, multiplier: float) -> str:
        steps = self._steps(d_model, multiplier)
        self.picture.show(steps)
        now = steps.ledger
        settings = self._settings(d_model, multiplier)
        return f"{settings} gives d_ff = {now.gated.d_ff}: {now.verdict[1]}.{_likeness(now)}"

    def _text(self, d_model: float, multiplier: float) -> str:
        now = self._steps(d_model, multiplier).ledger
        lines = [f"{'':<12}{'d_ff':>8}{'parameters':>16}{'activations':>13}"]
        for name, budget in (("ReLU", now.relu), ("gated", now.gated)):
            lines.append(f"{name:<12}{budget.d_ff:>8}{budget.parameters:>16,}{budget.activations:>13,}")
        activations = 100 * (now.gated.activations / now.relu.activations - 1)
        over = number(100 * now.excess, 1, sign=True), number(activations, 1, sign=True)
        settings = self._settings(d_model, multiplier)
        return "\n".join([settings, *lines, f"{'gated, in %':<20}{over[0]:>16}{over[1]:>13}"])

    def _settings(self, d_model: float, multiplier: float) -> str:
        return f"d_model {d_model:.0f}, multiple of {self.rounding.value}, multiplier {number(multiplier)}"


def _likeness(now: Ledger) -> str:
    """The real models that have this very layer, and whether they came to it by LLaMA's rule."""
    same = [m for m in MODELS if (m.d_model, m.d_ff) == (now.gated.d_model, now.gated.d_ff)]
    words = [m.name + ("" if m.own_rule else " (which does not use this rule)") for m in same]
    return f" The layer of {' and '.join(words)}." if words else ""
