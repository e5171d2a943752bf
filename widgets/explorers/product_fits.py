"""The product task as a picture: what four networks make of y = x1 * x2."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from widgets.experiments.product_task import NETWORKS, ProductFit, learn_product
from widgets.explorers.explorer import Explorer
from widgets.explorers.still import still
from widgets.formats import two_digits
from widgets.inputs import as_list, shortened
from widgets.pictures.product_fits import COLOURS, product_figures


def product_fits(fits: Sequence[ProductFit] | None = None) -> Explorer:
    """Prediction against truth, inside and outside the training range, one column for each network.

    fits: one to four results of learn_product; without any, all four networks are trained, in a few seconds
    Raises TypeError or ValueError in a sentence when they are something else.
    """
    wanted = f"Expected one to {len(COLOURS)} results of learn_product in a list"
    fits = list(map(learn_product, NETWORKS)) if fits is None else as_list(wanted, fits, 1, len(COLOURS))
    for fit in fits:
        if not isinstance(fit, ProductFit):
            raise TypeError(f"{wanted}; got {shortened(fit)} among them.")
    errors = [
        (fit.network, *(two_digits(error.median().item()) for error in (fit.error_inside, fit.error_outside)))
        for fit in fits
    ]
    lines = [f"{'mean squared error':<20}{'inside':>10}{'outside':>10}"]
    lines += [f"{network:<20}{inside:>10}{outside:>10}" for network, inside, outside in errors]
    each = (f"{network} {inside} inside and {outside} outside" for network, inside, outside in errors)
    label = f"Mean squared error, the middle one of the seeds, or the lower of two: {'; '.join(each)}."
    return still(partial(product_figures, fits), label, "\n".join(lines))
