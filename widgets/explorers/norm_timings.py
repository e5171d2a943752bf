"""Timing the norms on this machine: measured with a bar that moves, then drawn."""

from __future__ import annotations

from collections.abc import Sequence

from widgets.experiments.timing import NORMS, Timing, compiled_norms, timings
from widgets.explorers.explorer import Explorer
from widgets.explorers.progress import Progress
from widgets.explorers.still import still
from widgets.formats import duration
from widgets.pictures.norm_timings import NormTimingsPicture

SIZES = ((64, 512), (512, 512), (128, 2048))


def time_norms(sizes: Sequence[tuple[int, int]] = SIZES, compile_at: int = 1) -> list[Timing]:
    """Times LayerNorm and RMSNorm at several sizes (rows, d), forward and with backward, on one thread.

    Both are built in, written by hand and, at sizes[compile_at], compiled; about half a minute, most of it compiling.
    """
    with Progress("starting") as progress:
        progress(0.0, "compiling, where there is a C++ compiler")
        compiled, reason = compiled_norms(*sizes[compile_at])
        found: list[Timing] = []
        jobs = [(at, rows, d, backward) for at, (rows, d) in enumerate(sizes) for backward in (False, True)]
        for done, (at, rows, d, backward) in enumerate(jobs):
            kind = "forward and backward" if backward else "forward"
            progress((done + 1) / (len(jobs) + 1), f"timing {rows} rows of {d} numbers, {kind}")
            norms = NORMS | compiled if at == compile_at else NORMS
            found += timings(norms, rows, d, backward)
        progress(1.0, f"{len(found)} timings. {reason}")
    return found


def norm_timings(found: Sequence[Timing]) -> Explorer:
    """The timings as a picture: a mark at each median, a line from the lower to the upper quartile."""
    lines = [
        f"{each.name:<20} {each.rows:>4} x {each.d:<5} {'with backward' if each.backward else 'forward':<14}"
        f"{duration(each.median):>9}"
        for each in found
    ]
    rows, d = found[-1].rows, found[-1].d
    medians = ", ".join(
        f"{each.name} {duration(each.median)}"
        for each in found
        if (each.rows, each.d) == (rows, d) and not each.backward
    )
    caption = f"Medians for {rows} rows of {d} numbers, forward: {medians}."
    return still(NormTimingsPicture(found).figure, caption, "\n".join(lines))
