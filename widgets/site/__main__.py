"""Write the course as static pages: `python3 course.py site [FOLDER] [--only 02_rmsnorm ...] [--coarse]`."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

from widgets.site.folder import NotOurs, claim, write
from widgets.site.pages import contents_page, heading, lesson_pages
from widgets.site.run import run

LESSONS = Path(__file__).resolve().parents[2] / "lessons"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run every lesson and write its page; returns 1 with a sentence when something is in the way."""
    parser = argparse.ArgumentParser("course.py site", description="Write the course as static pages.")
    parser.add_argument("folder", nargs="?", type=Path, default=Path("site"), help="where to (default: site)")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="only these, such as 02_rmsnorm")
    parser.add_argument("--coarse", action="store_true", help="fewer positions of second sliders, for a quick trial")
    options = parser.parse_args(arguments)
    paths = [path for path in sorted(LESSONS.glob("*.ipynb")) if not options.only or path.stem in options.only]
    unknown = sorted(set(options.only) - {path.stem for path in paths})
    try:
        if unknown:
            raise NotOurs(f"There is no lesson {unknown[0]}.")
        claim(options.folder)
        build(paths, options.folder, options.coarse)
    except (NotOurs, OSError, CellExecutionError, CellTimeoutError, DeadKernelError) as trouble:
        print(f"course.py site: {trouble}", file=sys.stderr)
        return 1
    print(f"Open {(options.folder / 'index.html').resolve()} in a browser.")
    return 0


def build(paths: Sequence[Path], folder: Path, coarse: bool) -> None:
    """One page a lesson, one for each explorer that moves, and a page of contents."""
    titles = {path.stem: heading(path) for path in paths}
    for number, path in enumerate(paths, start=1):
        print(f"[{number}/{len(paths)}] {path.stem} ... ", end="", flush=True)
        start = time.perf_counter()
        pages = lesson_pages(path.stem, titles, *run(path, coarse))
        write(folder, pages)
        size = len(pages[f"{path.stem}.html"].encode()) / 1e6
        print(f"{size:.1f} MB, {len(pages) - 1} explorers ({time.perf_counter() - start:.0f} s)")
    write(folder, {"index.html": contents_page(titles)})


if __name__ == "__main__":
    sys.exit(main())
