"""Two paths side by side, their steps in rows: what LayerNorm and RMSNorm do to one vector with a common shift."""

from __future__ import annotations

from torch import Tensor

from widgets import formats, style
from widgets.maths.norms import NormSteps, ShiftSteps, in_words
from widgets.pictures.page import PANEL, BarRow, Page, Rect, box, faint, line, write

HEIGHT = 366
LEFT, ACROSS = 7, PANEL - 16  # the rows
X = Rect(LEFT, 250, ACROSS, 64)  # the places of the bars, up and down
CENTRED = Rect(LEFT, 155, ACROSS, 52)
RESULT = Rect(LEFT, 14, ACROSS, 78)
BAND = Rect(0, 0, PANEL - 3, 138)  # behind the result, which is what the picture is about
TITLE = 17  # from the top of the bars to the row's title


class OverallShiftPicture:
    """Bars for x, for x − mean (LayerNorm only) and for the result; outlines keep the result at shift 0 in view.

    count: components of the vector; largest: the largest size an input bar must be able to show; largest_result: the
    same for a bar of the result, by default the most that any vector's can have
    """

    def __init__(
        self, count: int, largest: float, layernorm_only: bool = False, largest_result: float | None = None
    ) -> None:
        self.unit = X.height / 2 / largest
        self.result_unit = RESULT.height / 2 / (largest_result or count**0.5)
        kinds = (_LayerNormPath,) if layernorm_only else (_LayerNormPath, _RMSNormPath)
        self.panels = [Page(PANEL, HEIGHT) for _ in kinds]
        self.paths = [kind(page, count) for kind, page in zip(kinds, self.panels, strict=True)]
        self.moving = [artist for path in self.paths for artist in path.artists]
        self.covers = {f"{path.name}’s result": [BAND.on(panel)] for panel, path in enumerate(self.paths)}

    def show(self, steps: ShiftSteps) -> None:
        """Moves the bars and texts to these steps."""
        x, centred, *results = (in_words(*row) for row in steps.facts.tolist())
        both = (steps.layer_norm, steps.layer_norm_unshifted), (steps.rms_norm, steps.rms_norm_unshifted)
        for path, (now, unshifted), result in zip(self.paths, both, results, strict=False):
            path.show(now, self.unit, x, centred)
            path.show_result(now, unshifted, self.result_unit, result)


class _Path:
    """What both panels share: the input, the result, and the mean and RMS of each row."""

    name: str
    colour: str
    divisor: str

    def __init__(self, page: Page, count: int) -> None:
        box(page, BAND.left, BAND.bottom, BAND.width, BAND.height, facecolor=self.colour, alpha=0.08)
        box(page, BAND.left, BAND.bottom, 2.5, BAND.height, facecolor=self.colour)
        write(page, LEFT, HEIGHT - 15, self.name, fontsize=style.LARGE, weight="bold", color=self.colour)
        write(page, LEFT, X.top + TITLE, "x = scale · x₀ + shift")
        self.x = BarRow(page, X, count, style.INPUT)
        self.x_facts = write(page, X.right, X.top + TITLE, ha="right", fontsize=style.SMALL)
        self.divide = write(page, LEFT + 2, RESULT.top + 2 * TITLE)
        self.result_facts = write(page, LEFT + 2, RESULT.top + TITLE - 1, weight="bold")
        faint(page, RESULT.right, RESULT.top + TITLE - 1, "dashed: at shift 0", ha="right")
        self.result = BarRow(page, RESULT, count, self.colour, outlined=True)
        self.artists = [*self.x.artists, *self.result.artists, self.divide, self.x_facts, self.result_facts]

    def show(self, now: NormSteps, unit: float, x: str, centred: str) -> None:
        """Moves the input; unit: points for the number 1; x, centred: their mean and RMS in words."""
        self.x.show(now.x.tolist(), unit)
        self.x_facts.set_text(x)

    def show_result(self, now: NormSteps, unshifted: Tensor, unit: float, facts: str) -> None:
        """Moves the result, and the outlines of the result at shift 0; facts: its mean and RMS in words."""
        self.result.show(now.result.tolist(), unit, unshifted.tolist())
        scale = now.scale.item()
        written = formats.number(scale) if scale >= 0.1 else formats.scientific(scale)
        self.divide.set_text(f"2  divide by {self.divisor} = {written}")
        self.result_facts.set_text(facts)


class _LayerNormPath(_Path):
    name, colour, divisor = "LayerNorm", style.LAYER_NORM, "√(variance + ε)"

    def __init__(self, page: Page, count: int) -> None:
        super().__init__(page, count)
        write(page, LEFT, CENTRED.top + TITLE, "1  subtract the mean")
        line(page, (X.right - 78, X.right - 62), (HEIGHT - 11, HEIGHT - 11), color=self.colour, linewidth=1.4)
        write(page, X.right, HEIGHT - 15, "the mean", ha="right", fontsize=style.SMALL, color=self.colour)
        self.centred = BarRow(page, CENTRED, count, self.colour)
        self.centred_facts = write(page, CENTRED.right, CENTRED.top + TITLE, ha="right", fontsize=style.SMALL)
        self.mean = box(page, X.left, X.middle, X.width, 1.4, facecolor=self.colour, alpha=0.7)
        self.artists += [*self.centred.artists, self.centred_facts, self.mean]

    def show(self, now: NormSteps, unit: float, x: str, centred: str) -> None:
        super().show(now, unit, x, centred)
        self.centred.show(now.centred.tolist(), unit)
        self.centred_facts.set_text(centred)
        assert now.mean is not None, "LayerNorm has a mean"
        mean = X.middle + self.x.cut(now.mean.item() * unit)
        self.mean.set_y(mean - 0.7)
        self.mean.set_visible(abs(now.mean.item() * unit) <= self.x.reach + 1e-6)  # not where it is not
        self.x.keep_clear(mean)


class _RMSNormPath(_Path):
    name, colour, divisor = "RMSNorm", style.RMS_NORM, "√(mean square + ε)"

    def __init__(self, page: Page, count: int) -> None:
        super().__init__(page, count)
        write(page, LEFT, CENTRED.top + TITLE, "1  nothing is subtracted")
        goes_on = {"ha": "center", "color": style.FAINT, "fontsize": style.LARGE}
        write(page, PANEL / 2, CENTRED.middle + 6, "x goes on as it is", **goes_on)
        write(page, PANEL / 2, CENTRED.middle - 16, "↓", **goes_on)
