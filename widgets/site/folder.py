"""The folder that a site is written into: made here, or made here before, and nobody else's."""

from __future__ import annotations

import json
from pathlib import Path

MARK = "made-by-course.json"  # lists what was written, so that the next run removes that and nothing else


class NotOurs(Exception):
    """A folder that holds somebody else's files; the message says so in a sentence."""


def claim(folder: Path) -> None:
    """Make the folder ready: new, or emptied of what an earlier run wrote. Raises NotOurs when it holds other files."""
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise NotOurs(f"{folder} is no folder of its own; name another place for the pages.")
    folder.mkdir(parents=True, exist_ok=True)
    written = _written_before(folder)
    foreign = sorted(
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_symlink()  # which is never written here, and could lead to anybody's files
        or (not path.is_dir() and path.relative_to(folder).as_posix() not in {MARK, *written})
    )
    if foreign:
        raise NotOurs(f"{folder} holds files that this course did not write, such as {foreign[0]}; name another place.")
    for name in written:
        (folder / name).unlink(missing_ok=True)


def write(folder: Path, pages: dict[str, str]) -> None:
    """Write each page under its name, and note that it is ours."""
    for name, text in pages.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    names = sorted({*_written_before(folder), *pages})
    (folder / MARK).write_text(json.dumps(names, indent=1), encoding="utf-8", newline="\n")


def _written_before(folder: Path) -> list[str]:
    try:
        names = json.loads((folder / MARK).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return []
    inside = [name for name in names if isinstance(name, str)] if isinstance(names, list) else []
    return [name for name in inside if (folder / name).resolve().is_relative_to(folder.resolve())]
