"""A cell that is run two hundred times costs no more memory than one that is run fifty times.

Each case has a kernel of its own, with its Out, its messages and its pictures, as a learner has it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from jupyter_client import BlockingKernelClient
from jupyter_client.manager import start_new_kernel

from tests.data import DATA
from tests.explorers import EXPLORERS
from tests.notebooks import LESSONS, SOLUTIONS, read

WARM, RUNS, EACH = 50, 200, 25
FLAT = 20  # MB
SECONDS = 120  # for one cell

IMPORTS = f"""
import ctypes, gc, psutil, sys, torch
from ipywidgets.widgets.widget import _instances
from matplotlib.figure import Figure
from widgets import *
from widgets import checks
from widgets.experiments import ablation, census
from widgets.experiments.product_task import learn_product
from widgets.experiments.timing import timings
sys.modules["widgets.explorers.train_pair"].text = lambda: "the cat sat on the mat. " * 100
runs = ablation.read_runs({str(DATA / "ablation.csv")!r})
families = census.read_census({str(DATA / "census.csv")!r})
fits = [learn_product("bilinear", seeds=2, steps=2)]
found = timings({{}}, 2, 4, rounds=3, seconds=0)
def alive():
    gc.collect()
    return len(_instances), sum(issubclass(type(one), Figure) for one in gc.get_objects())
def megabytes():
    gc.collect()
    if sys.platform == "linux":  # what the C library keeps for later is held by nobody
        getattr(ctypes.CDLL(None), "malloc_trim", abs)(0)
    return psutil.Process().memory_info().rss / 2**20
"""
MOVING = {name: f"{name}()" for name in EXPLORERS}
STILL = {
    "ablation_results": "ablation_results(runs)",
    "decoder_block": "decoder_block('old', 'modern')",
    "decoder_census": "decoder_census(families)",
    "norm_timings": "norm_timings(found)",
    "product_fits": "product_fits(fits)",
    "residual_growth": "residual_growth(depth=4)",
    "skeleton": "skeleton()",
}
OTHERS = {
    "predict": "predict('Which?', 'one', 'two')",
    "my_predictions": "my_predictions()",
    "train_pair": "train_pair(steps=2)",
    "assigned and shown": "kept = overall_shift()\nkept",
    "displayed": "display(swish_beta())",
}
CELLS = MOVING | STILL | OTHERS
LAYER_NORM = """
def layer_norm(x, weight, bias, eps):
    return torch.nn.functional.layer_norm(x, x.shape[-1:], weight, bias, eps)
"""
MOVES, AT_ONCE = 10_000, 400
MOVE = """
for k in range({first}, {last}):
    for name, positions in made.positions.items():
        made.set_state({{name: positions[k % len(positions)]}})
for name in made.positions:
    made._handle_custom_msg({{"id": "{last}", "record": name, "at": made.values, "now": True}}, [])
"""


@contextmanager
def kernel() -> Iterator[BlockingKernelClient]:
    """A Python kernel in a process of its own."""
    manager, client = start_new_kernel(kernel_name="python3", cwd=str(LESSONS), extra_arguments=["--log-level=ERROR"])
    try:
        run(client, IMPORTS)
        yield client
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def run(client: BlockingKernelClient, cell: str, times: int = 1) -> None:
    """Runs a cell as a front end does; its outputs go nowhere."""
    for _ in range(times):
        said = client.execute_interactive(cell, timeout=SECONDS, output_hook=lambda _: None)["content"]
        assert said["status"] == "ok", f"{said.get('ename')}: {said.get('evalue')}"


def value(client: BlockingKernelClient, expression: str) -> object:
    """What an expression is, in the kernel, without an entry in its history."""
    asked = {"it": expression}
    quiet = {"silent": True, "timeout": SECONDS, "output_hook": lambda _: None}
    said = client.execute_interactive("", user_expressions=asked, **quiet)
    return eval(said["content"]["user_expressions"]["it"]["data"]["text/plain"])


def growth(client: BlockingKernelClient, cell: str) -> float:
    """How many MB more there are after two hundred runs than after the first fifty; what is free is given back."""
    run(client, cell, WARM)
    taken = [value(client, "megabytes()")]
    for _ in range(WARM, RUNS, EACH):
        run(client, cell, EACH)
        taken.append(value(client, "megabytes()"))
    print("MB:", *map(round, taken))
    return taken[-1] - taken[0]


@pytest.mark.full  # test_explorers.py runs cells again too, under a shell of two attributes that keeps no Out
def test_a_cell_that_is_run_again_leaves_nothing() -> None:
    """No widget and no figure more after the sixth run than after the fourth: `_`, `__` and `___` keep three."""
    with kernel() as client:
        for name in ("swish_beta", "skeleton", "predict", "assigned and shown"):  # one of a kind
            run(client, CELLS[name], 4)
            before = value(client, "alive()")
            run(client, CELLS[name], 2)
            assert (name, value(client, "alive()")) == (name, before)


@pytest.mark.full
@pytest.mark.parametrize("cell", CELLS.values(), ids=CELLS)
def test_two_hundred_runs_of_a_cell(cell: str) -> None:
    with kernel() as client:
        assert growth(client, cell) < FLAT


@pytest.mark.full
@pytest.mark.parametrize("cell", MOVING.values(), ids=MOVING)
def test_ten_thousand_moves(cell: str) -> None:
    with kernel() as client:
        run(client, f"made = {cell}")
        run(client, MOVE.format(first=0, last=AT_ONCE))
        before = value(client, "megabytes()")
        for first in range(0, MOVES, AT_ONCE):  # a cell each, since a slow machine may need minutes for all of them
            run(client, MOVE.format(first=first, last=first + AT_ONCE))
        assert value(client, "megabytes()") - before < FLAT


def the_checks() -> dict[str, tuple[list[str], str]]:
    """id -> the cells before a check, solved, and the check."""
    found = {"layer-norm-alone": ([LAYER_NORM], "checks.check_layer_norm(layer_norm)")}
    for path in sorted(SOLUTIONS.glob("*.ipynb")):
        before: list[str] = []
        for cell in (cell for cell in read(path).cells if cell.cell_type == "code"):
            if cell.id.endswith("-check"):
                found[cell.id] = (list(before), cell.source)
            before.append(cell.source)
    return found


CHECKS = the_checks()


@pytest.mark.full
@pytest.mark.parametrize(("before", "check"), CHECKS.values(), ids=CHECKS)
def test_two_hundred_checks(before: list[str], check: str) -> None:
    with kernel() as client:
        for cell in before:
            run(client, cell)
        assert growth(client, check) < FLAT
