"""What a lesson's kernel costs: time until a picture can be dragged, start-up, and memory over the bare imports."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from collections.abc import Sequence

REPEATS = 5

BUILD = """\
import json, time, torch, widgets
made = []
for name in {names}:
    seconds = []
    for _ in range(6):
        start = time.perf_counter()
        explorer = getattr(widgets, name)()
        explorer._repr_mimebundle_()
        seconds.append(time.perf_counter() - start)
    asked = []
    for slider in explorer.positions:
        start = time.perf_counter()
        reel = explorer._record(slider, explorer.values)
        size = len(json.dumps(reel, ensure_ascii=False, separators=(",", ":")).encode())
        asked.append([slider, time.perf_counter() - start, size])
    made.append([name, seconds[1:], asked])
print(json.dumps(made))"""

COST = """\
import time
start = time.perf_counter()
import torch, matplotlib.figure, ipywidgets
{more}
seconds = time.perf_counter() - start
import json, psutil
print(json.dumps([seconds, psutil.Process().memory_info().rss / 2**20]))"""
LESSON = """\
from widgets import *
shown = [explorer._repr_mimebundle_() for explorer in (overall_shift(), eps_effect(), norm_geometry())]"""


def measure_building(names: Sequence[str]) -> None:
    """From running its cell to a picture that can be dragged, torch already imported; and what each reel costs."""
    print(f"In the kernel: from a cell to its picture (median of {REPEATS}), and the reel of each slider:")
    for name, seconds, reels in python(BUILD.format(names=tuple(names))):
        each = ", ".join(f"{slider} {asked:.2f} s {size / 1000:.0f} kB" for slider, asked, size in reels)
        print(f"  {name:<20}{statistics.median(seconds):5.2f} s   {each}")
    print()


def compare_kernels() -> None:
    """Lesson 02's explorers against the bare imports, in turns."""
    bare, lesson = [], []
    for _ in range(REPEATS):
        bare.append(python(COST.format(more="")))
        lesson.append(python(COST.format(more=LESSON)))
    for words, runs in (("torch, matplotlib, ipywidgets alone", bare), ("with the explorers of lesson 02", lesson)):
        seconds, memory = (statistics.median(column) for column in zip(*runs, strict=True))
        print(f"  {words:<44}{seconds:5.2f} s to start, {memory:4.0f} MB")
    more = statistics.median(b[1] - a[1] for a, b in zip(bare, lesson, strict=True))
    print(f"the lesson takes {more:.0f} MB more (medians of {REPEATS})")


def python(source: str) -> list:
    """What a fresh Python prints, as JSON. (psutil is there because ipykernel needs it.)"""
    done = subprocess.run([sys.executable, "-c", source], stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)
