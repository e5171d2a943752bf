"""`course.py` where something is missing, breaks off or has changed: a sentence, never a traceback.

Each test copies course.py into a folder with a space and an accent in its name and runs it as a person would.
What it would install is replaced by stand-ins that write down how they were called: no network is needed.
"""

from __future__ import annotations

import ast
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import venv
from collections.abc import Callable
from pathlib import Path

import pytest

import course
from tests.notebooks import ROOT
from tests.tiers import full

COURSE = ROOT / "course.py"

# Run by every Python that is started: it hides modules, pretends to be an old Python, and replaces ensurepip.
SITECUSTOMIZE = """
import importlib.machinery, os, pathlib, shutil, sys, time

if "PRETEND" in os.environ:
    sys.version_info = tuple(map(int, os.environ["PRETEND"].split("."))) + ("final", 0)

def answer(address, timeout):  # PyTorch's index, as the test wants it; by itself there is no network
    pathlib.Path(os.environ["CALLS"] + " asked").write_text(address)
    time.sleep(float(os.environ.get("SLOW_INDEX", 0)))
    if "INDEX" not in os.environ:
        raise OSError("no network")
    return type("Answer", (), {"status": 200, "__enter__": lambda it: it, "__exit__": lambda *error: None})()

sys.modules["urllib.request"] = type(sys)("urllib.request")
sys.modules["urllib.request"].urlopen = answer

if "HIDDEN" in os.environ:
    find = importlib.machinery.PathFinder.find_spec
    importlib.machinery.PathFinder.find_spec = (
        lambda name, *more: None if name == os.environ["HIDDEN"] else find(name, *more)
    )
else:
    import venv

    def put_stand_ins(self, context):
        print("making")
        time.sleep(float(os.environ.get("SLOW_VENV", 0)))
        where = next(pathlib.Path(context.env_dir).glob("[Ll]ib/**/site-packages"))
        shutil.copytree(os.environ["STAND_INS"], where, dirs_exist_ok=True)

    venv.EnvBuilder._setup_pip = put_stand_ins
"""

# What `python -m pip`, `-m jupyterlab` and so on do instead: note how they were called, obey the test.
STAND_IN = """
import json, os, sys, time

if sys.argv[1:] != ["--version"]:
    try:
        with open(os.environ["CALLS"], "a", encoding="utf-8") as calls:
            calls.write(json.dumps([NAME, *sys.argv[1:]]) + "\\n")
        print(NAME, "speaks", flush=True)
        time.sleep(float(os.environ.get("SLOW_" + NAME, 0)))
    except KeyboardInterrupt:
        sys.exit(1)
sys.exit(NAME in os.environ.get("FAILING", "").split())
"""


def hear_ctrl_c() -> None:
    """A shell that puts the suite into the background has it ignore Ctrl-C, and what it starts would do the same."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Machine:
    """A folder with the course in it, on a machine that the test describes through environment variables."""

    def __init__(self, folder: Path, stand_ins: Path) -> None:
        self.folder = folder
        self.calls_file = folder.parent / "calls"
        self.env = {name: value for name, value in os.environ.items() if not name.startswith("PIP_")}
        self.env |= {"PYTHONPATH": str(stand_ins / "start"), "STAND_INS": str(stand_ins / "site")}
        self.env |= {"CALLS": str(self.calls_file), "PYTHONDONTWRITEBYTECODE": "1"}

    def start(self, *arguments: str, **env: str) -> subprocess.Popen[str]:
        """Start `course.py` with some arguments, from another folder, as the leader of its own group."""
        return subprocess.Popen(
            [sys.executable, str(self.folder / "course.py"), *arguments],
            cwd=self.folder.parent,
            env=self.env | env,
            text=True,
            encoding="utf-8",
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            preexec_fn=None if os.name == "nt" else hear_ctrl_c,
        )

    def run(self, *arguments: str, **env: str) -> Outcome:
        """Run `course.py` to its end."""
        return Outcome(self.start(*arguments, **env))

    def was_called(self) -> bool:
        """Whether a stand-in has noted its call, and so is at work."""
        return self.calls_file.exists() and self.calls_file.stat().st_size > 0

    def calls(self) -> list[list[str]]:
        """How the stand-ins were called since the last time this was asked."""
        if not self.calls_file.exists():
            return []
        calls = [json.loads(line) for line in self.calls_file.read_text(encoding="utf-8").splitlines()]
        self.calls_file.unlink()
        return calls


class Outcome:
    """How a run ended: its exit code, what it printed, and its sentence if something was wrong."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.printed, errors = process.communicate(timeout=60)
        self.code = process.returncode
        assert "Traceback" not in self.printed + errors, errors
        self.sentence = errors.strip()


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    folder = tmp_path / "a folder é" / "course"
    (folder / "tests").mkdir(parents=True)
    shutil.copy(COURSE, folder)
    (folder / "requirements.txt").write_text("torch==0\n", encoding="utf-8")
    (folder / "pyproject.toml").write_text('dependencies = ["torch"]\n[tool.ruff]\n', encoding="utf-8")
    (folder / "tests/requirements.txt").write_text("-r ../requirements.txt\nruff\n", encoding="utf-8")
    (tmp_path / "start").mkdir()
    (tmp_path / "start/sitecustomize.py").write_text(SITECUSTOMIZE, encoding="utf-8")
    for name in ("pip", "jupyterlab", "ruff", "mypy", "pytest"):
        write_stand_in(tmp_path / "site" / name / "__main__.py", name)
    write_stand_in(folder / "tests/notebooks.py", "notebooks")
    write_stand_in(folder / "tests/bench/__main__.py", "bench")
    write_stand_in(folder / "widgets/site/__main__.py", "site")
    (folder / "lessons").mkdir()
    (folder / "lessons/01_layernorm.ipynb").write_text('{"cells": []}', encoding="utf-8")
    return Machine(folder, tmp_path)


def write_stand_in(path: Path, name: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"NAME = {name!r}\n{STAND_IN}", encoding="utf-8")


def programs(calls: list[list[str]]) -> list[str]:
    return [call[0] for call in calls]


INSTALL_LESSONS = ["pip", "install", "-r", "requirements.txt"]
INSTALL_TESTS = ["pip", "install", "-r", "tests/requirements.txt"]
TWO_AT_A_TIME = ["--numprocesses=2", "--dist=loadfile", "--no-loadscope-reorder"]


# The command line


def test_an_old_python_can_read_it() -> None:
    """It is only told to be too old if it can parse the file, and evaluate its annotations."""
    tree = ast.parse(COURSE.read_text(encoding="utf-8"), feature_version=(3, 6))
    annotations = [
        annotation
        for node in ast.walk(tree)
        for annotation in (getattr(node, "annotation", None), getattr(node, "returns", None))
        if annotation is not None
    ]
    assert len(annotations) > 10
    assert [ast.unparse(each) for each in annotations if not isinstance(each, ast.Name | ast.Constant)] == []
    imported = [ast.unparse(node) for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    assert not [line for line in imported if "__future__" in line or "venv" in line]


@pytest.mark.parametrize("version", ["3.6.15", "3.10.13"])
def test_an_old_python_is_refused(machine: Machine, version: str) -> None:
    outcome = machine.run("lab", PRETEND=version)
    assert outcome.code == 1
    assert outcome.sentence == (
        f"course.py: this is Python {version}, the course needs 3.11 or newer: install it, then use it here."
    )
    assert not (machine.folder / ".venv").exists()


@pytest.mark.parametrize("command", ["start", "Lab", "--check", "", "labör"])
def test_an_unknown_command(machine: Machine, command: str) -> None:
    outcome = machine.run(command)
    assert outcome.code == 2
    assert outcome.sentence.startswith("course.py: the commands are lab, again, site, test, refresh, bench, not ")
    assert machine.calls() == []


def test_no_command_shows_them_all(machine: Machine) -> None:
    outcome = machine.run()
    assert outcome.code == 2
    assert all(f"python3 course.py {command}" in outcome.printed for command in course.COMMANDS)
    assert machine.run("--help").code == 0


def test_options_of_the_lab_need_the_dashes(machine: Machine) -> None:
    outcome = machine.run("lab", "--no-browser")
    assert outcome.code == 2
    assert outcome.sentence == "course.py: options go after --, as in: course.py lab -- --no-browser"
    assert machine.calls() == []


# The environment


def test_the_first_start_installs_and_opens_lesson_01(machine: Machine) -> None:
    outcome = machine.run("lab", "--", "--no-browser", "--port=9999")
    assert outcome.code == 0
    assert machine.calls() == [
        INSTALL_LESSONS,
        [
            "jupyterlab",
            f"--ServerApp.root_dir={machine.folder}",
            "--ServerApp.ip=localhost",
            "--LabApp.default_url=/lab/tree/work/01_layernorm.ipynb",
            "--no-browser",
            "--port=9999",
        ],
    ]


def test_the_second_start_installs_nothing(machine: Machine) -> None:
    machine.run("lab")
    machine.calls()
    outcome = machine.run("lab")
    assert outcome.printed == "jupyterlab speaks\n"
    assert programs(machine.calls()) == ["jupyterlab"]


def test_tests_install_more_and_lessons_then_need_nothing(machine: Machine) -> None:
    machine.run("lab")
    machine.run("test")
    machine.run("test")
    machine.run("lab")
    installs = [call for call in machine.calls() if call[0] == "pip"]
    assert installs == [INSTALL_LESSONS, INSTALL_TESTS]


@pytest.mark.parametrize(
    ("changed", "installs"),
    [
        full("requirements.txt", [INSTALL_LESSONS, INSTALL_TESTS]),
        ("pyproject.toml", [INSTALL_LESSONS, INSTALL_TESTS]),
        ("tests/requirements.txt", [INSTALL_TESTS]),
    ],
)
def test_changed_requirements_are_installed(machine: Machine, changed: str, installs: list[list[str]]) -> None:
    machine.run("test")
    machine.calls()
    (machine.folder / changed).write_text("something new\n", encoding="utf-8")
    machine.run("lab")
    machine.run("test")
    assert [call for call in machine.calls() if call[0] == "pip"] == installs


def test_settings_of_tools_are_no_reason_to_install(machine: Machine) -> None:
    machine.run("lab")
    machine.calls()
    with (machine.folder / "pyproject.toml").open("a", encoding="utf-8") as project:
        project.write("line-length = 120\n")
    machine.run("lab")
    assert programs(machine.calls()) == ["jupyterlab"]


@pytest.mark.parametrize("module", ["venv", "ensurepip"])
def test_a_python_without_venv(machine: Machine, module: str) -> None:
    outcome = machine.run("lab", HIDDEN=module)
    assert outcome.code == 1
    assert outcome.sentence == (
        f"course.py: this Python comes without its module {module}: on Debian or Ubuntu run "
        "`sudo apt install python3-venv`, elsewhere install Python from python.org; then try again."
    )
    assert not (machine.folder / ".venv").exists()


def test_a_failed_installation_is_tried_again(machine: Machine) -> None:
    outcome = machine.run("lab", FAILING="pip")
    assert outcome.code == 1
    assert outcome.sentence.startswith("course.py: the installation failed, for the reason that pip gives above")
    assert programs(machine.calls()) == ["pip"]
    outcome = machine.run("lab")
    assert "making" not in outcome.printed
    assert programs(machine.calls()) == ["pip", "jupyterlab"]


def test_a_failed_renewal_is_tried_again_even_if_the_change_is_undone(machine: Machine) -> None:
    """After half an installation nobody knows what is there."""
    needs = machine.folder / "requirements.txt"
    before = needs.read_text(encoding="utf-8")
    machine.run("lab")
    needs.write_text("torch==1\n", encoding="utf-8")
    machine.run("lab", FAILING="pip")
    needs.write_text(before, encoding="utf-8")
    machine.calls()
    machine.run("lab")
    assert programs(machine.calls()) == ["pip", "jupyterlab"]


@pytest.mark.full
def test_without_a_network_the_real_pip_ends_in_a_sentence(machine: Machine) -> None:
    """No stand-ins: a real environment is made, and the real pip finds nothing."""
    outcome = machine.run("lab", PYTHONPATH="", PIP_NO_INDEX="1")
    assert outcome.code == 1
    assert outcome.sentence.splitlines()[-1].startswith("course.py: the installation failed")
    begin = time.time()
    machine.run("lab", PYTHONPATH="", PIP_NO_INDEX="1")
    assert (machine.folder / ".venv/pyvenv.cfg").stat().st_mtime < begin, "it goes on with the environment it has"


def interrupt(process: subprocess.Popen[str], when: Callable[[], bool]) -> Outcome:
    """Press Ctrl-C, which a terminal sends to the whole group, as soon as something is so."""
    end = time.monotonic() + 30
    while not when() and time.monotonic() < end:
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)
    return Outcome(process)


ctrl_c = pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is sent to a process group, which Windows has not")
STOPPED = "course.py: stopped. The same command goes on from here."


@ctrl_c
def test_an_interrupted_installation_is_finished_next_time(machine: Machine) -> None:
    outcome = interrupt(machine.start("lab", SLOW_pip="30"), machine.was_called)
    assert (outcome.code, outcome.sentence) == (130, STOPPED)
    assert programs(machine.calls()) == ["pip"]
    assert machine.run("lab").code == 0
    assert programs(machine.calls()) == ["pip", "jupyterlab"]


@ctrl_c
def test_an_interrupted_environment_is_made_anew(machine: Machine) -> None:
    half_made = machine.folder / ".venv/pyvenv.cfg"
    outcome = interrupt(machine.start("lab", SLOW_VENV="30"), half_made.exists)
    assert (outcome.code, outcome.sentence) == (130, STOPPED)
    assert machine.run("lab").code == 0
    assert programs(machine.calls()) == ["pip", "jupyterlab"]


@ctrl_c
def test_ctrl_c_leaves_jupyterlab_to_end_by_itself(machine: Machine) -> None:
    machine.run("test")
    machine.calls()
    outcome = interrupt(machine.start("lab", SLOW_jupyterlab="30"), machine.was_called)
    assert (outcome.code, outcome.sentence) == (130, STOPPED)


def kill_python(folder: Path) -> None:
    """The system's Python was replaced: the link in .venv leads nowhere."""
    python = next(path for path in folder.glob(".venv/*/python*") if path.stem == "python")
    python.unlink()
    python.symlink_to(folder / "gone")


def lose_pip(folder: Path) -> None:
    """The system's Python was replaced by a newer one, which looks for pip where there is none."""
    shutil.rmtree(next(folder.glob(".venv/[Ll]ib/**/pip")))


def lose_settings(folder: Path) -> None:
    (folder / ".venv/pyvenv.cfg").unlink()


def forbid_python(folder: Path) -> None:
    """A copy from a disk that knows no permissions: Python is there and may not be started."""
    kill_python(folder)
    python = next(path for path in folder.glob(".venv/*/python*") if path.stem == "python")
    python.unlink()
    python.write_bytes(b"")


@pytest.mark.parametrize("break_it", [kill_python, lose_pip, *map(full, (forbid_python, lose_settings))])
def test_a_dead_environment_is_made_anew(machine: Machine, break_it: Callable[[Path], None]) -> None:
    machine.run("lab")
    machine.calls()
    break_it(machine.folder)
    outcome = machine.run("lab")
    assert "Making a virtual environment" in outcome.printed
    assert programs(machine.calls()) == ["pip", "jupyterlab"]


def test_a_moved_folder_is_given_a_new_environment(machine: Machine) -> None:
    machine.run("lab")
    machine.calls()
    machine.folder = machine.folder.rename(machine.folder.with_name("moved"))
    outcome = machine.run("lab")
    assert "Making a virtual environment" in outcome.printed
    assert programs(machine.calls()) == ["pip", "jupyterlab"]


def test_somebodys_own_environment_is_used_as_it_is(machine: Machine) -> None:
    """A .venv with a pip in it that course.py has not made is filled, not wiped."""
    machine.run("lab")
    machine.calls()
    (machine.folder / ".venv/course.json").unlink()
    outcome = machine.run("lab")
    assert "Making" not in outcome.printed
    assert programs(machine.calls()) == ["pip", "jupyterlab"]


@pytest.mark.parametrize("notes", ["{", "[1, 2]", '{"folder": 3}', *map(full, ("", "null", '{"made": 1}'))])
def test_damaged_notes_only_cost_time(machine: Machine, notes: str) -> None:
    machine.run("lab")
    machine.calls()
    (machine.folder / ".venv/course.json").write_text(notes, encoding="utf-8")
    assert machine.run("lab").code == 0
    assert programs(machine.calls()) == ["pip", "jupyterlab"]


# What is not ours stays as it is


def everything_in(folder: Path) -> dict[str, bytes | str]:
    """Each file below a folder with its content, each link with its target."""
    found = {str(path.relative_to(folder)): path for path in sorted(folder.rglob("*"))}
    return {
        name: os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else "a folder"
        for name, path in found.items()
    }


def without_pip(folder: Path) -> None:
    """What `python3 -m venv --without-pip` and `uv venv` make, with something in it."""
    venv.create(folder, with_pip=False, symlinks=os.name != "nt")
    (folder / "mine.txt").write_text("keep", encoding="utf-8")


def of_something_else(folder: Path) -> None:
    (folder / "thesis").mkdir(parents=True)
    (folder / "thesis/chapter.txt").write_text("keep", encoding="utf-8")


def of_somebody_who_noted_the_same_name(folder: Path) -> None:
    of_something_else(folder)
    (folder / "course.json").write_text('{"course": "mathematics"}', encoding="utf-8")


@pytest.mark.parametrize("fill", [without_pip, of_something_else, of_somebody_who_noted_the_same_name])
def test_a_folder_it_has_not_made_is_refused_and_left_alone(machine: Machine, fill: Callable[[Path], None]) -> None:
    fill(machine.folder / ".venv")
    before = everything_in(machine.folder)
    outcome = machine.run("lab")
    assert outcome.code == 1
    assert outcome.sentence == (
        "course.py: the folder .venv is not one that course.py has made, and no environment with pip that works here. "
        "Nothing in it was changed: rename it, or delete it if you do not need it, and try again."
    )
    assert everything_in(machine.folder) == before


@pytest.mark.parametrize("fill", [without_pip, of_something_else, lambda folder: folder.mkdir()])
def test_a_link_is_refused_and_what_it_leads_to_is_left_alone(
    machine: Machine, tmp_path: Path, fill: Callable[[Path], None]
) -> None:
    fill(elsewhere := tmp_path / "elsewhere")
    before = everything_in(elsewhere)
    (machine.folder / ".venv").symlink_to(elsewhere, target_is_directory=True)
    outcome = machine.run("lab")
    assert outcome.code == 1
    assert outcome.sentence.startswith(f"course.py: the folder .venv is a link to {elsewhere}, and what a link leads")
    assert everything_in(elsewhere) == before


def test_a_link_to_a_working_environment_is_not_filled(machine: Machine, tmp_path: Path) -> None:
    machine.run("lab")
    machine.calls()
    (machine.folder / ".venv").rename(tmp_path / "elsewhere")
    (machine.folder / ".venv").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    before = everything_in(tmp_path / "elsewhere")
    assert "is a link to" in machine.run("lab").sentence
    assert everything_in(tmp_path / "elsewhere") == before
    assert machine.calls() == []


def test_somebodys_own_environment_is_not_replaced_when_it_breaks(machine: Machine) -> None:
    """It was filled, which does not make it ours."""
    machine.run("lab")
    (machine.folder / ".venv/course.json").unlink()
    machine.run("lab")
    lose_pip(machine.folder)
    before = everything_in(machine.folder)
    assert "is not one that course.py has made" in machine.run("lab").sentence
    assert everything_in(machine.folder) == before


def test_a_link_inside_the_environment_is_removed_and_not_followed(machine: Machine, tmp_path: Path) -> None:
    machine.run("lab")
    of_something_else(elsewhere := tmp_path / "elsewhere")
    before = everything_in(elsewhere)
    for name in ("lib64", "mine"):
        (machine.folder / ".venv" / name).unlink(missing_ok=True)
        (machine.folder / ".venv" / name).symlink_to(elsewhere, target_is_directory=True)
    lose_pip(machine.folder)
    assert machine.run("lab").code == 0
    assert everything_in(elsewhere) == before
    assert not (machine.folder / ".venv/mine").exists()


def test_a_file_is_called_venv(machine: Machine) -> None:
    (machine.folder / ".venv").write_text("a file", encoding="utf-8")
    outcome = machine.run("lab")
    assert outcome.code == 1
    assert outcome.sentence == (
        "course.py: the environment goes into a folder called .venv, and here is a file of that name: rename it."
    )
    assert (machine.folder / ".venv").read_text(encoding="utf-8") == "a file"


def test_an_empty_folder_is_used(machine: Machine) -> None:
    (machine.folder / ".venv").mkdir()
    assert machine.run("lab").code == 0


@pytest.mark.skipif(os.name == "nt", reason="a name on Windows has no colon, and no bytes that are no letters")
@pytest.mark.parametrize(
    ("name", "said"),
    [("a:b", "no environment can be made in a folder with : in its path"), (os.fsdecode(b"caf\xe9"), "UTF-8")],
)
def test_a_path_that_no_environment_can_have(machine: Machine, name: str, said: str) -> None:
    machine.folder = machine.folder.rename(machine.folder.with_name(name))
    outcome = machine.run("lab")
    assert outcome.code == 1
    assert said in outcome.sentence and "disk" not in outcome.sentence
    assert "rename that folder, or move the course." in outcome.sentence
    assert not (machine.folder / ".venv").exists()


# PyTorch's small build

on_linux = pytest.mark.skipif(
    sys.platform != "linux" or course.has_nvidia_card(), reason="only a Linux without an NVIDIA card has the choice"
)
SMALL = ["--extra-index-url", course.CPU_BUILDS]


@on_linux
def test_linux_without_a_card_takes_the_small_build_and_says_so(machine: Machine) -> None:
    outcome = machine.run("lab", INDEX="answers")
    assert machine.calls()[0] == ["pip", "install", *SMALL, "-r", "requirements.txt"]
    assert "There is no NVIDIA card here: PyTorch comes as the small CPU build" in outcome.printed
    assert asked(machine) == f"{course.CPU_BUILDS}/torch/"


@on_linux
@pytest.mark.parametrize("index", [{}, {"INDEX": "answers", "SLOW_INDEX": "30"}])
def test_an_index_that_does_not_answer_in_two_seconds_is_done_without(machine: Machine, index: dict[str, str]) -> None:
    outcome = machine.run("lab", **index)
    assert machine.calls()[0] == INSTALL_LESSONS
    assert "PyTorch's own index does not answer" in outcome.printed


@on_linux
@pytest.mark.parametrize("told", [{"PIP_EXTRA_INDEX_URL": "https://example.org"}, {"PIP_NO_INDEX": "1"}])
def test_whoever_told_pip_where_to_look_is_left_alone(machine: Machine, told: dict[str, str]) -> None:
    outcome = machine.run("lab", INDEX="answers", **told)
    assert machine.calls()[0] == INSTALL_LESSONS
    assert "PyTorch" not in outcome.printed
    assert asked(machine) == ""


@on_linux
def test_with_a_card_pip_chooses(machine: Machine, tmp_path: Path) -> None:
    (tmp_path / "nvidia-smi").write_text("#!/bin/sh\n", encoding="utf-8")
    (tmp_path / "nvidia-smi").chmod(0o755)
    machine.run("lab", INDEX="answers", PATH=f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert machine.calls()[0] == INSTALL_LESSONS


def asked(machine: Machine) -> str:
    """The address that course.py asked for an answer, if any."""
    note = machine.calls_file.with_name(machine.calls_file.name + " asked")
    return note.read_text(encoding="utf-8") if note.exists() else ""


def test_a_missing_requirements_file(machine: Machine) -> None:
    (machine.folder / "requirements.txt").unlink()
    outcome = machine.run("lab")
    assert outcome.code == 1
    assert "requirements.txt" in outcome.sentence


# What the commands run


def test_test_runs_every_tool_pytest_last(machine: Machine) -> None:
    outcome = machine.run("test")
    assert outcome.code == 0
    assert machine.calls()[1:] == [
        ["ruff", "format", "--check", "."],
        ["ruff", "check", "."],
        ["mypy"],
        ["pytest", "--nbval", *TWO_AT_A_TIME],
    ]
    assert outcome.printed.splitlines()[-1] == "pytest speaks"


@pytest.mark.parametrize("failing", ["ruff", "pytest", *map(full, ("mypy", "ruff pytest"))])
def test_test_fails_if_any_tool_fails_and_still_runs_the_rest(machine: Machine, failing: str) -> None:
    machine.run("test")
    machine.calls()
    outcome = machine.run("test", FAILING=failing)
    assert outcome.code == 1
    assert programs(machine.calls()) == ["ruff", "ruff", "mypy", "pytest"]
    assert outcome.printed.splitlines()[-1] == "pytest speaks"


def test_full_means_that_no_test_is_left_out(machine: Machine) -> None:
    machine.run("test", "--full", "--", "-x")
    assert machine.calls()[-1] == ["pytest", "--nbval", *TWO_AT_A_TIME, "-m", "full or not full", "-x"]


def test_options_after_the_dashes_reach_pytest(machine: Machine) -> None:
    machine.run("test", "--", "-k", "maths")
    assert machine.calls()[-1] == ["pytest", "--nbval", *TWO_AT_A_TIME, "-k", "maths"]


@pytest.mark.parametrize(
    ("arguments", "call"),
    [
        (["refresh"], ["notebooks"]),
        (["refresh", "--check"], ["notebooks", "--check"]),
        (["bench"], ["bench"]),
    ],
)
def test_refresh_and_bench(machine: Machine, arguments: list[str], call: list[str]) -> None:
    assert machine.run(*arguments).code == 0
    assert machine.calls() == [INSTALL_TESTS, call]


def test_originals_are_opened_for_authors(machine: Machine) -> None:
    machine.run("lab", "--originals", "--", "--no-browser")
    [call] = [call for call in machine.calls() if call[0] == "jupyterlab"]
    assert call[-2:] == ["--LabApp.default_url=/lab/tree/lessons/01_layernorm.ipynb", "--no-browser"]
    assert not (machine.folder / "work").exists()


def test_jupyterlab_is_told_to_save_explorers_with_a_notebook(machine: Machine) -> None:
    """A default of the environment: JupyterLab's own settings, which are the person's, go before it."""
    machine.run("lab")
    [settings] = (machine.folder / ".venv/share/jupyter/lab/settings").rglob("*.json")
    assert settings.parent.name == "overrides.d"
    assert json.loads(settings.read_text()) == {"@jupyter-widgets/jupyterlab-manager:plugin": {"saveState": True}}


@pytest.mark.parametrize(
    ("said", "meant", "others"),
    [
        ([], "course/site", []),
        (["pages"], "pages", []),
        (["../x y", "--only", "02"], "../x y", ["--only", "02"]),
        (["--coarse"], "course/site", ["--coarse"]),
    ],
)
def test_site_writes_where_the_person_means(machine: Machine, said: list[str], meant: str, others: list[str]) -> None:
    assert machine.run("site", *said).code == 0
    folder = os.path.normpath(machine.folder.parent / meant)  # the tests start course.py from the folder above
    assert machine.calls() == [INSTALL_LESSONS, ["site", folder, *others]]


def test_what_refresh_finds_is_an_exit_code(machine: Machine) -> None:
    assert machine.run("refresh", "--check", FAILING="notebooks").code == 1
