"""Timing the norms on this machine: measured with a bar that moves, then drawn."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from widgets.experiments.timing import NORMS, Ratio, Timing, compiled_norms, ratios, timings
from widgets.explorers.explorer import Explorer
from widgets.explorers.progress import Progress
from widgets.explorers.still import still
from widgets.formats import duration, number
from widgets.inputs import as_list, shortened, whole_number
from widgets.pictures.norm_timings import timing_figures

SIZES = ((64, 512), (512, 512), (128, 2048))
MOST_SIZES, LARGEST = 6, 4096
COMPILING = 12  # times as long as one timing, more or less
KEPT = "Stopped early; what was measured is kept."


def time_norms(sizes: Sequence[tuple[int, int]] = SIZES, compile_at: int | None = None) -> list[Timing]:
    """Times LayerNorm and RMSNorm at several sizes (rows, d), forward and with backward, on one thread.

    sizes: up to six pairs, rows and d up to 4096; compile_at: the size that is compiled for too, counted from 0, by
    default the second. Both norms are built in, written by hand and, at that size, compiled, which comes last and
    takes longest: about half a minute of a minute. Interrupt the kernel and what was measured is returned.
    Raises TypeError or ValueError in a sentence when one of them is something else.
    """
    sizes = _sizes(sizes)
    last = len(sizes) - 1
    compile_at = min(1, last) if compile_at is None else whole_number("compile_at", compile_at, 0, last)
    found: dict[tuple[int, bool], list[Timing]] = {}
    with Progress("starting") as progress:
        try:
            words = _measure(sizes, compile_at, progress, found)
        except KeyboardInterrupt:
            words = KEPT
        progress(1.0, f"{sum(map(len, found.values()))} timings. {words}")
    return [timing for at in sorted(found) for timing in found[at]]


def _sizes(given: object) -> list[tuple[int, int]]:
    wanted = f"Expected one to {MOST_SIZES} sizes as pairs (rows, d) in a list, such as [(64, 512)]"
    pairs = [as_list(wanted, pair, 2, 2) for pair in as_list(wanted, given, 1, MOST_SIZES)]
    return [(whole_number("rows", rows, 1, LARGEST), whole_number("d", d, 2, LARGEST)) for rows, d in pairs]


def _measure(
    sizes: Sequence[tuple[int, int]],
    compile_at: int,
    progress: Progress,
    found: dict[tuple[int, bool], list[Timing]],
) -> str:
    """Puts the timings of every size into `found`, the one to compile for last; says how compiling went."""
    norms, reason, done = NORMS, "", 0
    whole = 2 * len(sizes) + COMPILING
    for at in sorted(range(len(sizes)), key=lambda at: at == compile_at):
        if at == compile_at:
            progress(done / whole, "compiling, if there is a C++ compiler")
            compiled, reason = compiled_norms(*sizes[at])
            norms, done = NORMS | compiled, done + COMPILING
        for backward in (False, True):
            rows, d = sizes[at]
            what = "forward and backward" if backward else "forward"
            progress(done / whole, f"timing {rows} rows of {d} numbers, {what}")
            found[at, backward] = timings(norms, rows, d, backward)
            done += 1
    return reason


def norm_timings(found: Sequence[Timing]) -> Explorer:
    """The timings as a picture: each median with the middle half of its rounds, and RMSNorm over LayerNorm.

    found: from time_norms, also when it was interrupted
    Raises TypeError or ValueError in a sentence when it is something else, or empty.
    """
    wanted = "Expected the timings that time_norms returns, at least one"
    found = as_list(wanted, found, 1, 1000)
    for each in found:
        if not isinstance(each, Timing):
            raise TypeError(f"{wanted}; got {shortened(each)} among them.")
    compared = ratios(found)
    lines = [
        *map(_timing, found),
        *(["", "RMSNorm's time over LayerNorm's"] if compared else []),
        *map(_ratio, compared),
    ]
    return still(partial(timing_figures, found, compared), _caption(found, compared), "\n".join(lines))


def _where(each: Timing | Ratio) -> str:
    return f"{each.rows:>4} x {each.d:<5} {'with backward' if each.backward else 'forward':<14}"


def _size(each: Timing) -> str:
    return " ".join(_where(each).split())


def _timing(each: Timing) -> str:
    return f"{each.name:<20} {_where(each)}{duration(each.median):>9}"


def _ratio(each: Ratio) -> str:
    scatter = f"half of the rounds {number(each.low)} to {number(each.high)}"
    return f"{each.how:<20} {_where(each)}{number(each.median):>9}   {scatter}: {each.verdict}"


def _caption(found: Sequence[Timing], compared: Sequence[Ratio]) -> str:
    """The comparisons of the size that has most of them, forward; without any, the medians of the last size."""
    forward = [each for each in compared if not each.backward]
    if not forward:
        return f"Medians: {'; '.join(f'{each.name}, {_size(each)}: {duration(each.median)}' for each in found[-7:])}."
    sizes = [(each.rows, each.d) for each in forward]
    rows, d = max(sizes, key=sizes.count)
    told = (
        f"{each.how} {number(each.median)} ({each.verdict})" for each in forward if (each.rows, each.d) == (rows, d)
    )
    return f"RMSNorm's time over LayerNorm's for {rows} rows of {d} numbers, forward: {', '.join(told)}."
