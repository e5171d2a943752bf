"""The course in one command. It needs Python 3.11 or newer and nothing else.

python3 course.py lab                  open your copies of the lessons in JupyterLab (its own options go after --)
python3 course.py lab --originals      open the lessons themselves, as their authors do
python3 course.py again 05             make a fresh copy of a lesson; the one you have is kept under another name
python3 course.py site [FOLDER]        write the course as web pages that need neither Python nor a network
python3 course.py test [--full]        run what CI runs at each change, or all there is (options for pytest go after --)
python3 course.py refresh [--check]    run all notebooks and store what they give (or say what is old)
python3 course.py bench                measure how smoothly the pictures move, and what a lesson costs

The first start installs what is needed into the folder .venv beside this file; later starts only look whether
that is still complete. Your copies of the lessons are in the folder work. On Windows write `py` instead of `python3`.
"""

# An old Python must be able to read this file in order to say that it is too old: no syntax newer than 3.6.

import hashlib
import importlib.util
import itertools
import json
import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent
LESSONS = ROOT / "lessons"
WORK = ROOT / "work"
COPIED = WORK / ".course.json"  # from which version each working copy was made
VENV = ROOT / ".venv"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
NOTES = VENV / "course.json"  # for which folder .venv was made, by whom, and which requirements it has
LESSONS_NEED = "requirements.txt"
TESTS_NEED = "tests/requirements.txt"  # begins with `-r ../requirements.txt`
PROJECT = "pyproject.toml"  # names the packages behind `-e .` in both
CPU_BUILDS = "https://download.pytorch.org/whl/cpu"  # PyTorch's own index of builds without CUDA
COMMANDS = ("lab", "again", "site", "test", "refresh", "bench")
SWITCHES = {"lab": "--originals", "test": "--full"}


class Trouble(Exception):
    """Something the person at the keyboard can mend; the message is a sentence that says how."""

    code = 1


class Misunderstood(Trouble):
    """A command line that says nothing this program knows."""

    code = 2


def main(arguments: "list[str]") -> int:
    """Do what the command line asks; returns the exit code, 2 if it cannot be understood."""
    try:
        return obey(arguments)
    except Trouble as trouble:
        print(f"course.py: {trouble}", file=sys.stderr)
        return trouble.code
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
        raise Misunderstood(f"the commands are {', '.join(COMMANDS)}, not {command}.")
    switched = rest[:1] == [SWITCHES.get(command)]
    if command in SWITCHES:
        rest = options_after_dashes(command, rest[switched:])
    if sys.version_info < (3, 11):
        running = ".".join(map(str, sys.version_info[:3]))
        raise Trouble(f"this is Python {running}, the course needs 3.11 or newer: install it, then use it here.")
    if command == "again":
        return again(rest)
    prepare(LESSONS_NEED if command in ("lab", "site") else TESTS_NEED)
    if command in SWITCHES:
        return {"lab": lab, "test": test}[command](rest, switched)
    return {"site": site, "refresh": refresh, "bench": bench}[command](rest)


def options_after_dashes(command: str, rest: "list[str]") -> "list[str]":
    """What is meant for another program; Misunderstood if it does not stand after two dashes."""
    if rest and rest[0] != "--":
        raise Misunderstood(f"options go after --, as in: course.py {command} -- {rest[0]}")
    return rest[1:]


def lab(options: "list[str]", originals: bool) -> int:
    """JupyterLab at lesson 01: the course's folder as its root, on this machine only, with its token.

    What is opened are the learner's copies, or the lessons themselves for their authors.
    """
    if not originals:
        bring_copies()
    keep_widgets()
    folder = LESSONS if originals else WORK
    return run(
        "-m",
        "jupyterlab",
        f"--ServerApp.root_dir={ROOT}",
        "--ServerApp.ip=localhost",
        f"--LabApp.default_url=/lab/tree/{folder.name}/01_layernorm.ipynb",
        *options,
    )


def keep_widgets() -> None:
    """Let JupyterLab save explorers with a notebook, so that they are there tomorrow, before anything has run.

    A default of this environment alone: what somebody has set in JupyterLab's own settings goes before it.
    """
    folder = VENV / "share/jupyter/lab/settings/overrides.d"
    folder.mkdir(parents=True, exist_ok=True)
    wanted = {"@jupyter-widgets/jupyterlab-manager:plugin": {"saveState": True}}
    (folder / "norms-and-gates.json").write_text(json.dumps(wanted), encoding="utf-8")


def site(options: "list[str]") -> int:
    """Write the course as web pages into a folder; a relative one is meant from where the person stands."""
    named = bool(options) and not options[0].startswith("-")
    folder, others = (options[0], options[1:]) if named else (str(ROOT / "site"), options)
    return run("-m", "widgets.site", os.path.abspath(folder), *others)


def test(options: "list[str]", full: bool) -> int:
    """What CI runs at each change; if full, all there is. Every tool has its say, pytest last; 1 if one failed."""
    pytest = ["--nbval", "--numprocesses=2", "--dist=loadfile", "--no-loadscope-reorder"]
    if full:
        pytest += ["-m", "full or not full"]
    codes = [
        run("-m", "ruff", "format", "--check", "."),
        run("-m", "ruff", "check", "."),
        run("-m", "mypy"),
        run("-m", "pytest", *pytest, *options),
    ]
    return 1 if any(codes) else 0


def refresh(options: "list[str]") -> int:
    """Run all notebooks and store them; what `--check` finds out of date is an exit code of 1."""
    return run("-m", "tests.notebooks", *options)


def bench(options: "list[str]") -> int:
    """Print measurements; nothing depends on them."""
    return run("-m", "tests.bench", *options)


# The learner's copies


def bring_copies() -> None:
    """Fill the folder work: a copy of what is missing, a newer one of what nobody has touched, and nothing else."""
    refuse_a_foreign_work()
    notes, newer = notes_on_copies(), []
    for name, original in originals().items():
        copy, fresh = WORK / name, without_outputs(original)
        version = hashlib.sha256(fresh).hexdigest()
        noted = notes[name] if isinstance(notes.get(name), dict) else {}
        if not os.path.lexists(str(copy)) or written_mark(copy) in (noted.get("mark"), mark(name, fresh)):
            if noted.get("version") != version or not copy.exists():
                write_whole(copy, fresh)
            notes[name] = {"version": version, "mark": mark(name, fresh)}
        elif noted.get("version") != version:
            newer.append(short(name))
    write_whole(COPIED, json.dumps(notes, indent=1).encode("utf-8"))
    if newer:
        print(f"There is a newer version of {', '.join(newer)}. Yours is left as it is; course.py again {newer[0]}")
        print("fetches the new one and keeps yours beside it.", flush=True)


def again(names: "list[str]") -> int:
    """Make fresh copies of some lessons; what was there is kept under a name with today's date."""
    available = originals()
    if not names:
        raise Misunderstood("say which lesson, as in: course.py again 05")
    wanted = [chosen(each, available) for each in names]
    refuse_a_foreign_work()
    notes = notes_on_copies()
    for name in wanted:
        copy, fresh = WORK / name, without_outputs(available[name])
        if os.path.lexists(str(copy)) and written_mark(copy) != mark(name, fresh):
            kept = dated(copy)
            os.rename(str(copy), str(kept))
            print(f"Yours is kept as work/{kept.relative_to(WORK).as_posix()}.")
        write_whole(copy, fresh)
        notes[name] = {"version": hashlib.sha256(fresh).hexdigest(), "mark": mark(name, fresh)}
        print(f"work/{name} is fresh. If it is open in JupyterLab: File > Reload Notebook from Disk.")
    write_whole(COPIED, json.dumps(notes, indent=1).encode("utf-8"))
    return 0


def refuse_a_foreign_work() -> None:
    """Trouble if a folder that copies go into leads somewhere else, where everything belongs to somebody."""
    if os.path.lexists(str(WORK)) and not WORK.is_dir():
        raise Trouble("your copies of the lessons go into a folder called work, and here is a file of that name.")
    for folder in sorted({(WORK / name).parent for name in originals()}):
        expected = os.path.join(os.path.realpath(str(WORK.parent)), str(folder.relative_to(WORK.parent)))
        real = os.path.realpath(str(folder))
        if os.path.normcase(real) != os.path.normcase(expected):
            raise Trouble(
                f"the folder {folder.relative_to(WORK.parent).as_posix()}, for copies of the lessons, is a link to "
                f"{readable(real)}, and nothing is written to where a link leads: rename the link, and try again."
            )


def notes_on_copies() -> "dict[str, Any]":
    """From which version each copy was made; Trouble if the file of that name holds anything else."""
    if not os.path.lexists(str(COPIED)):
        return {}
    notes = {} if COPIED.is_symlink() else read_notes(COPIED)
    if not notes or any(not isinstance(note, dict) or set(note) != {"version", "mark"} for note in notes.values()):
        raise Trouble(
            "the file work/.course.json is not the one in which course.py notes what it has copied. Nothing was "
            "changed: rename it, or delete it if you do not need it, and try again. What you wrote stays as it is."
        )
    return notes


def originals() -> "dict[str, Path]":
    """What is copied: the notebooks, the glossary, and the data that they read; each by its name in the folder work."""
    data = [path for path in (LESSONS / "data").glob("*") if path.is_file()]
    paths = [*sorted(LESSONS.glob("*.ipynb")), *LESSONS.glob("glossary.md"), *sorted(data)]
    return {path.relative_to(LESSONS).as_posix(): path for path in paths}


def chosen(said: str, available: "dict[str, Path]") -> str:
    """The one file that somebody means by `05`, `05_exercise_rmsnorm` or `work/05_exercise_rmsnorm.ipynb`."""
    wanted = said.zfill(2) if said.isdigit() else Path(said).name
    found = [name for name in available if Path(name).name.startswith(wanted)]
    if len(found) != 1:
        lessons = ", ".join(short(name) for name in available if name.endswith(".ipynb"))
        raise Misunderstood(f"the lessons are {lessons}; {said} is not one of them.")
    return found[0]


def short(name: str) -> str:
    """A lesson's number, or the name of another file."""
    return name.split("_")[0] if name.endswith(".ipynb") else name


def without_outputs(original: Path) -> bytes:
    """A file as the learner gets it: of a notebook, no result is given away."""
    if original.suffix != ".ipynb":
        return original.read_bytes()
    try:
        notebook = json.loads(original.read_text(encoding="utf-8"))
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                cell["outputs"], cell["execution_count"] = [], None
    except (ValueError, TypeError, KeyError) as error:
        raise Trouble(
            f"lessons/{original.name} is no notebook any more, so no copy of it can be made: "
            f"git restore lessons/{original.name} brings it back."
        ) from error
    return (json.dumps(notebook, indent=1, ensure_ascii=False) + "\n").encode("utf-8")


def mark(name: str, content: bytes) -> str:
    """What changes as soon as something is written or run. Opening a notebook writes other things into it."""
    try:
        if name.endswith(".ipynb"):
            cells = json.loads(content.decode("utf-8"))["cells"]
            kept = [["".join(cell["source"]), cell["cell_type"], cell.get("outputs", [])] for cell in cells]
            content = json.dumps(kept).encode("utf-8")
    except (ValueError, TypeError, KeyError, AttributeError):
        pass  # no longer a notebook: every byte of it counts
    return hashlib.sha256(content).hexdigest()


def written_mark(copy: Path) -> str:
    """The mark of a file in the folder work; a link or a folder is nobody's copy, whatever it holds."""
    if copy.is_symlink() or not copy.is_file():
        return "not a copy"
    return mark(copy.name, copy.read_bytes())


def dated(copy: Path) -> Path:
    """A free name for an old copy, as 05_exercise_rmsnorm_2026-11-29.ipynb."""
    stem = f"{copy.stem}_{time.strftime('%Y-%m-%d')}"
    names = [f"{stem}{more}{copy.suffix}" for more in ["", *[f"_{number}" for number in range(2, 1000)]]]
    free = [name for name in names if not os.path.lexists(str(copy.with_name(name)))]
    if not free:
        raise Trouble(f"there are a thousand old copies of {copy.name} from today: delete some of them.")
    return copy.with_name(free[0])


def write_whole(path: Path, content: bytes) -> None:
    """Write a file completely or not at all; a link is replaced, not followed, and nothing else is touched."""
    path.parent.mkdir(parents=True, exist_ok=True)
    drafts = (path.with_name(f".{path.name}.{number}.new") for number in itertools.count())
    draft = next(each for each in drafts if not os.path.lexists(str(each)))
    try:
        with open(str(draft), "xb") as file:
            file.write(content)
        os.replace(str(draft), str(path))
    finally:
        if os.path.lexists(str(draft)):
            draft.unlink()


# The environment


def prepare(need: str) -> None:
    """Make .venv and install what a requirements file asks for, unless both are already there."""
    refuse_links()
    notes = read_notes(NOTES)
    if notes.get("folder") not in (None, str(ROOT)) or not environment_works():
        make_environment(notes)
        notes = read_notes(NOTES)
    wanted = fingerprints(need)
    if all(notes.get(name) == mark for name, mark in wanted.items()):
        return
    print(f"Installing what {need} asks for into .venv: some minutes, and only this once.", flush=True)
    whose = {"folder": str(ROOT), "made": notes.get("made") is True}
    write_notes(whose)  # no longer complete, until pip has ended well
    if run("-m", "pip", "install", *small_torch(), "-r", need) != 0:
        raise Trouble(
            "the installation failed, for the reason that pip gives above; mostly it is the network or a "
            "full disk. When that is mended, run the same command again: it goes on from here."
        )
    write_notes({**whose, **wanted})


def refuse_links() -> None:
    """Trouble if .venv leads somewhere else: what is there belongs to somebody."""
    real = os.path.normcase(os.path.realpath(str(VENV)))
    if real != os.path.normcase(str(ROOT / ".venv")):
        raise Trouble(
            f"the folder .venv is a link to {readable(real)}, and what a link leads to is not touched: remove "
            "the link, or install by hand (README.md, Two commands)."
        )


def environment_works() -> bool:
    """Whether .venv is a virtual environment whose Python starts and has pip.

    After an upgrade of the system's Python, or an interruption, it no longer is.
    """
    if not (VENV / "pyvenv.cfg").is_file() or not PYTHON.is_file():
        return False
    try:
        return subprocess.run([str(PYTHON), "-m", "pip", "--version"], capture_output=True).returncode == 0
    except OSError:  # a copy that may not be executed, or half of one
        return False


def make_environment(notes: "dict[str, Any]") -> None:
    """Make .venv, in place of whatever is left of an older one that this program has made."""
    refuse_what_is_not_ours(notes)
    refuse_odd_paths()
    missing = [name for name in ("venv", "ensurepip") if importlib.util.find_spec(name) is None]
    if missing:
        raise Trouble(
            f"this Python comes without its module {missing[0]}: on Debian or Ubuntu run "
            "`sudo apt install python3-venv`, elsewhere install Python from python.org; then try again."
        )
    import venv  # only here: see above

    print("Making a virtual environment in the folder .venv.", flush=True)
    try:
        empty_environment()
        venv.create(VENV, symlinks=os.name != "nt", with_pip=True)
    except (OSError, ValueError, subprocess.CalledProcessError) as error:
        raise Trouble(
            f"the folder .venv could not be made ({error}): close programs that use it, see that "
            "the course's folder can be written to and that the disk is not full, and try again."
        ) from error


def refuse_what_is_not_ours(notes: "dict[str, Any]") -> None:
    """Trouble if .venv holds something that this program has not made."""
    if VENV.exists() and not VENV.is_dir():
        raise Trouble("the environment goes into a folder called .venv, and here is a file of that name: rename it.")
    if VENV.is_dir() and any(VENV.iterdir()) and notes.get("made") is not True:
        raise Trouble(
            "the folder .venv is not one that course.py has made, and no environment with pip that works here. "
            "Nothing in it was changed: rename it, or delete it if you do not need it, and try again."
        )


def refuse_odd_paths() -> None:
    """Trouble if the course lies where no environment can be."""
    if os.pathsep in str(ROOT):
        raise Trouble(
            f"no environment can be made in a folder with {os.pathsep} in its path, as {readable(str(ROOT))} "
            "has it: rename that folder, or move the course."
        )
    if readable(str(ROOT)) != str(ROOT):
        raise Trouble(
            f"the path of the course's folder, {readable(str(ROOT))}, has bytes in it that are no letters in "
            "UTF-8, and Python makes no environment there: rename that folder, or move the course."
        )


def readable(path: str) -> str:
    """A path that can be printed, whatever bytes are in it."""
    return path.encode("utf-8", "backslashreplace").decode("utf-8")


def empty_environment() -> None:
    """Take out everything but the note that says whose .venv is, so that an interruption leaves it ours."""
    VENV.mkdir(exist_ok=True)
    write_notes({"folder": str(ROOT), "made": True})
    for path in VENV.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(str(path))
        elif path != NOTES:
            path.unlink()


def small_torch() -> "list[str]":
    """pip's options for PyTorch's CPU build: on Linux without an NVIDIA card, where PyTorch's index answers.

    Whoever has told pip where to look is left alone; on macOS and Windows pip takes the CPU build anyway.
    """
    told = ("PIP_EXTRA_INDEX_URL", "PIP_NO_INDEX")
    if sys.platform != "linux" or has_nvidia_card() or any(os.environ.get(name) for name in told):
        return []
    if not answers(f"{CPU_BUILDS}/torch/", 2):
        print("PyTorch's own index does not answer, so pip takes what it finds, mostly the large build with CUDA.")
        print("README.md, Questions, says how to get the small one.", flush=True)
        return []
    print("There is no NVIDIA card here: PyTorch comes as the small CPU build, from its own index.", flush=True)
    return ["--extra-index-url", CPU_BUILDS]


def has_nvidia_card() -> bool:
    """Whether this Linux shows signs of an NVIDIA card with its driver."""
    return Path("/proc/driver/nvidia").exists() or shutil.which("nvidia-smi") is not None


def answers(address: str, seconds: float) -> bool:
    """Whether an address on the web answers in time, looking up its name included."""
    from urllib.request import urlopen  # only here: an installation is rare

    heard = []

    def ask() -> None:
        try:
            with urlopen(address, timeout=seconds) as answer:
                heard.append(answer.status == 200)
        except (OSError, ValueError):
            pass  # no network, no such name, or a page that is not there

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    thread.join(seconds)
    return heard == [True]


def fingerprints(need: str) -> "dict[str, str]":
    """For each requirements file that an installation satisfies, a mark that changes when it does."""
    project = (ROOT / PROJECT).read_bytes().split(b"[tool.")[0]  # what follows are settings of tools
    texts = {LESSONS_NEED: (ROOT / LESSONS_NEED).read_bytes() + project}
    if need == TESTS_NEED:
        texts[TESTS_NEED] = texts[LESSONS_NEED] + (ROOT / TESTS_NEED).read_bytes()
    return {name: hashlib.sha256(text).hexdigest() for name, text in texts.items()}


def read_notes(path: Path) -> "dict[str, Any]":
    """What this program has noted in a file; nothing if there is no such file, or no sense in it."""
    try:
        notes = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return notes if isinstance(notes, dict) and isinstance(notes.get("folder", ""), str) else {}


def write_notes(notes: "dict[str, Any]") -> None:
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
