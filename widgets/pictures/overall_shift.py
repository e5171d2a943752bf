"""Two paths in columns, steps in rows: what LayerNorm and RMSNorm do to one vector with a common shift."""

from __future__ import annotations

from torch import Tensor

from widgets import formats, style
from widgets.maths.norms import NormSteps, ShiftSteps, mean_and_rms
from widgets.pictures.page import BarRow, box, page, write

WIDTH, HEIGHT = 720, 358
INPUT, CENTRED, RESULT = 270, 165, 60  # the heights of the three lines that bars stand on
REACH = 37  # of the longest bar, up or down
TITLE = REACH + 14  # from a line up to the row's title


class OverallShiftPicture:
    """Bars for x, for x − mean (LayerNorm only) and for the result; outlines keep the result at shift 0 in view.

    count: components of the vector; largest: the largest size an input bar must be able to show.
    """

    def __init__(self, count: int, largest: float, layernorm_only: bool = False) -> None:
        self.figure, axes = page(WIDTH, HEIGHT)
        self.unit = REACH / largest
        self.result_unit = REACH / count**0.5  # no component of a result is larger than the root of d
        half = WIDTH / 2
        paths = [_LayerNormPath(axes, count, 10, WIDTH - 10 if layernorm_only else half - 14)]
        if not layernorm_only:
            paths.append(_RMSNormPath(axes, count, half + 14, WIDTH - 10))
            box(axes, half - 0.4, 12, 0.8, HEIGHT - 24, facecolor=style.RULE)
        self.paths = paths
        self.moving = [artist for path in paths for artist in path.artists]

    def show(self, steps: ShiftSteps) -> None:
        """Moves the bars and texts to these steps."""
        both = (steps.layer_norm, steps.layer_norm_unshifted), (steps.rms_norm, steps.rms_norm_unshifted)
        for path, (now, unshifted) in zip(self.paths, both, strict=False):
            path.show(now, unshifted, self.unit, self.result_unit)


class _Path:
    """What both columns share: the input, the result, and the mean and RMS of each row at its right end."""

    name: str
    colour: str

    def __init__(self, axes, count: int, left: float, right: float) -> None:
        write(axes, left, HEIGHT - 15, self.name, fontsize=style.LARGE, weight="bold", color=self.colour)
        write(axes, left, INPUT + TITLE, "x = scale · x₀ + shift")
        self.x = BarRow(axes, count, left, right, INPUT, REACH, style.INPUT)
        self.result = BarRow(axes, count, left, right, RESULT, REACH, self.colour, outlined=True)
        self.divide = write(axes, left, RESULT + TITLE)
        write(axes, left, 4, "dashed: the result at shift 0", fontsize=style.SMALL, color=style.FAINT)
        at_the_end = {"ha": "right", "fontsize": style.SMALL}
        self.x_facts = write(axes, right, INPUT + TITLE, **at_the_end)
        self.result_facts = write(axes, right, RESULT + TITLE, weight="bold", **at_the_end)
        self.artists = [*self.x.artists, *self.result.artists, self.divide, self.x_facts, self.result_facts]

    def show(self, now: NormSteps, unshifted: Tensor, unit: float, result_unit: float) -> None:
        self.x.show(now.x.tolist(), unit)
        self.result.show(now.result.tolist(), result_unit, unshifted.tolist())
        self.x_facts.set_text(mean_and_rms(now.x))
        self.result_facts.set_text(mean_and_rms(now.result))


class _LayerNormPath(_Path):
    name, colour = "LayerNorm", style.LAYER_NORM

    def __init__(self, axes, count: int, left: float, right: float) -> None:
        super().__init__(axes, count, left, right)
        self.subtract = write(axes, left, CENTRED + TITLE)
        self.centred = BarRow(axes, count, left, right, CENTRED, REACH, self.colour)
        self.centred_facts = write(axes, right, CENTRED + TITLE, ha="right", fontsize=style.SMALL)
        self.mean = box(axes, left, INPUT, right - left, 1.4, facecolor=self.colour, alpha=0.55)
        self.artists += [*self.centred.artists, self.subtract, self.centred_facts, self.mean]

    def show(self, now: NormSteps, unshifted: Tensor, unit: float, result_unit: float) -> None:
        super().show(now, unshifted, unit, result_unit)
        self.centred.show(now.centred.tolist(), unit)
        self.centred_facts.set_text(mean_and_rms(now.centred))
        mean = INPUT + self.x.cut(now.mean.item() * unit)
        self.mean.set_y(mean - 0.7)
        self.x.keep_clear(mean)
        self.subtract.set_text(f"1  subtract the mean (thin line), {formats.number(now.mean.item())}")
        self.divide.set_text(f"2  divide by √(variance + ε) = {formats.number(now.scale.item())}")


class _RMSNormPath(_Path):
    name, colour = "RMSNorm", style.RMS_NORM

    def __init__(self, axes, count: int, left: float, right: float) -> None:
        super().__init__(axes, count, left, right)
        middle = (left + right) / 2
        write(axes, left, CENTRED + TITLE, "1  nothing is subtracted")
        write(
            axes,
            middle,
            CENTRED + 4,
            "x goes on as it is",
            ha="center",
            color=style.FAINT,
            fontsize=style.LARGE,
        )
        write(axes, middle, CENTRED - 18, "↓", ha="center", color=style.FAINT, fontsize=style.LARGE)

    def show(self, now: NormSteps, unshifted: Tensor, unit: float, result_unit: float) -> None:
        super().show(now, unshifted, unit, result_unit)
        self.divide.set_text(f"2  divide by √(mean square + ε) = {formats.number(now.scale.item())}")
