"""The course in one command. It needs Python 3.11 or newer and nothing else.

python3 course.py lab                  open the course in JupyterLab (options for JupyterLab go after --)
python3 course.py test                 run everything that CI runs (options for pytest go after --)
python3 course.py refresh [--check]    run all notebooks and store what they give (or say what is old)
python3 course.py bench                measure how smoothly the pictures move, and what a lesson costs

The first start installs what is needed into the folder .venv beside this file; later starts only look whether
that is still complete. On Windows write `py` instead of `python3`.
"""

# An old Python must be able to read this file in order to say that it is too old: no syntax newer than 3.6.

import hashlib
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
NOTES = VENV / "course.json"  # for which folder .venv was made, and which requirements it has
LESSONS_NEED = "requirements.txt"
TESTS_NEED = "tests/requirements.txt"  # begins with `-r ../requirements.txt`
COMMANDS = ("lab", "test", "refresh", "bench")


class Trouble(Exception):
    """Something the person at the keyboard can mend; the message is a sentence that says how."""


def main(arguments: "list[str]") -> int:
    """Do what the command line asks; returns the exit code, 2 if it cannot be understood."""
    try:
        return obey(arguments)
    except Trouble as trouble:
        print(f"course.py: {trouble}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"course.py: the computer does not let this happen: {error}.", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\ncourse.py: stopped. The same command goes on from here.", file=sys.stderr)
        return 130


def obey(arguments: "list[str]") -> int:
    """Run one command; Trouble if something is in the way."""
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        print(__doc__.strip())
        return 0 if arguments else 2
    command, rest = arguments[0], arguments[1:]
    if command not in COMMANDS:
        print(f"course.py: the commands are {', '.join(COMMANDS)}, not {command}.", file=sys.stderr)
        return 2
    if command in ("lab", "test") and rest:
        if rest[0] != "--":
            print(f"course.py: options go after --, as in: course.py {command} -- {rest[0]}", file=sys.stderr)
            return 2
        rest = rest[1:]
    if sys.version_info < (3, 11):
        running = ".".join(map(str, sys.version_info[:3]))
        raise Trouble(f"this is Python {running}, the course needs 3.11 or newer: install it, then use it here.")
    prepare(LESSONS_NEED if command == "lab" else TESTS_NEED)
    return {"lab": lab, "test": test, "refresh": refresh, "bench": bench}[command](rest)


def lab(options: "list[str]") -> int:
    """JupyterLab at lesson 01: the course's folder as its root, on this machine only, with its token."""
    return run(
        "-m",
        "jupyterlab",
        f"--ServerApp.root_dir={ROOT}",
        "--ServerApp.ip=localhost",
        "--LabApp.default_url=/lab/tree/lessons/01_layernorm.ipynb",
        *options,
    )


def test(options: "list[str]") -> int:
    """All that CI runs. Every tool has its say, pytest last; 1 if one of them failed."""
    codes = [
        run("-m", "ruff", "format", "--check", "."),
        run("-m", "ruff", "check", "."),
        run("-m", "pytest", "--nbval", "--numprocesses=2", "--dist=loadfile", "--no-loadscope-reorder", *options),
    ]
    return 1 if any(codes) else 0


def refresh(options: "list[str]") -> int:
    """Run all notebooks and store them; what `--check` finds out of date is an exit code of 1."""
    return run("-m", "tests.notebooks", *options)


def bench(options: "list[str]") -> int:
    """Print measurements; nothing depends on them."""
    return run("-m", "tests.bench", *options)


def prepare(need: str) -> None:
    """Make .venv and install what a requirements file asks for, unless both are already there."""
    notes = read_notes()
    if notes.get("folder", str(ROOT)) != str(ROOT) or not environment_works():
        make_environment()
        notes = {}
    wanted = fingerprints(need)
    if all(notes.get(name) == mark for name, mark in wanted.items()):
        return
    print(f"Installing what {need} asks for into .venv: some minutes, and only this once.", flush=True)
    if sys.platform == "linux" and not notes:
        print("(No NVIDIA card? README.md, Questions: how to get PyTorch's small CPU build.)", flush=True)
    write_notes({"folder": str(ROOT)})  # no longer complete, until pip has ended well
    if run("-m", "pip", "install", "-r", need) != 0:
        raise Trouble(
            "the installation failed, for the reason that pip gives above; mostly it is the network or a "
            "full disk. When that is mended, run the same command again: it goes on from here."
        )
    write_notes({"folder": str(ROOT), **wanted})


def environment_works() -> bool:
    """Whether .venv is a virtual environment whose Python starts and has pip.

    After an upgrade of the system's Python, or an interruption, it no longer is.
    """
    if not (VENV / "pyvenv.cfg").is_file() or not PYTHON.is_file():
        return False
    return subprocess.run([str(PYTHON), "-m", "pip", "--version"], capture_output=True).returncode == 0


def make_environment() -> None:
    """Make .venv, in place of whatever is left of an older one."""
    missing = [name for name in ("venv", "ensurepip") if importlib.util.find_spec(name) is None]
    if missing:
        raise Trouble(
            f"this Python comes without its module {missing[0]}: on Debian or Ubuntu run "
            "`sudo apt install python3-venv`, elsewhere install Python from python.org; then try again."
        )
    import venv  # only here: see above

    print("Making a virtual environment in the folder .venv.", flush=True)
    try:
        venv.create(VENV, clear=True, symlinks=os.name != "nt", with_pip=True)
    except (OSError, ValueError, subprocess.CalledProcessError) as error:
        raise Trouble(
            f"the folder .venv could not be made ({error}): close programs that use it, see that "
            "the course's folder can be written to and that the disk is not full, and try again."
        ) from error


def fingerprints(need: str) -> "dict[str, str]":
    """For each requirements file that an installation satisfies, a mark that changes when it does."""
    texts = {LESSONS_NEED: (ROOT / LESSONS_NEED).read_bytes()}
    if need == TESTS_NEED:
        texts[TESTS_NEED] = texts[LESSONS_NEED] + (ROOT / TESTS_NEED).read_bytes()
    return {name: hashlib.sha256(text).hexdigest() for name, text in texts.items()}


def read_notes() -> "dict[str, str]":
    """What was noted after the last complete installation; nothing if there was none."""
    try:
        notes = json.loads(NOTES.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return notes if isinstance(notes, dict) else {}


def write_notes(notes: "dict[str, str]") -> None:
    """Note what is installed, so that the next start need not look."""
    NOTES.write_text(json.dumps(notes, indent=1), encoding="utf-8")


def run(*arguments: str) -> int:
    """Run the environment's Python in the course's folder and return its exit code.

    Ctrl-C reaches the program itself: JupyterLab asks whether it should stop. This waits until it has ended.
    """
    interrupted = False
    with subprocess.Popen([str(PYTHON), *arguments], cwd=str(ROOT)) as process:
        while process.returncode is None:
            try:
                process.wait()
            except KeyboardInterrupt:
                interrupted = True
    if interrupted:
        raise KeyboardInterrupt
    return process.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
