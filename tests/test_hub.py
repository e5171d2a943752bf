"""A class on a hub, in the README's own words: the exchange of nbgrader, command by command, as its text has them.

Everybody is called jovyan, as in the images of a hub, and the hub says in JUPYTERHUB_USER who it is.
"""

from __future__ import annotations

import csv
import os
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from tests.notebooks import ROOT, SOLUTIONS
from tests.test_grading import RMSNORM, filled_in

README = (ROOT / "README.md").read_text(encoding="utf-8")
GRADING = README.partition("## Grading a class")[2].partition("\n## ")[0]
COMMANDS = re.findall(r"^nbgrader (.*?)\s+# (teacher|student)", GRADING, flags=re.M)
CONFIG = re.search(r"```python\n(.*?)```", GRADING, flags=re.S)[1]
JOVYAN = """
import os, pwd
find = pwd.getpwuid
pwd.getpwuid = lambda uid: pwd.struct_passwd(("jovyan", *find(uid)[1:])) if uid == os.getuid() else find(uid)
"""


class Hub:
    """Home folders, and a folder that all of them share."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "exchange").mkdir()
        (folder / "exchange").chmod(0o777)
        (folder / "start").mkdir()
        (folder / "start/sitecustomize.py").write_text(JOVYAN, encoding="utf-8")
        self.said = ""

    def home(self, person: str) -> Path:
        """Somebody's home, with the README's configuration in it."""
        home = self.folder / person
        home.mkdir(exist_ok=True)
        config = CONFIG.replace("/srv/nbgrader", str(self.folder / "exchange"))
        (home / "nbgrader_config.py").write_text(config, encoding="utf-8")
        return home

    def run(self, person: str, command: str) -> None:
        """One nbgrader command in somebody's server; fails if the command does."""
        home = self.home(person)
        env = os.environ | {"HOME": str(home), "JUPYTERHUB_USER": person, "OMP_NUM_THREADS": "1"}
        env |= {f"JUPYTER_{name}_DIR": str(home / name.lower()) for name in ("CONFIG", "DATA", "RUNTIME")}
        env |= {"PYTHONPATH": os.pathsep.join([str(self.folder / "start"), str(ROOT)]), "IPYTHONDIR": str(home)}
        env |= {"PATH": os.pathsep.join([str(Path(sys.executable).parent), env["PATH"]])}
        command_line = [sys.executable, "-m", "nbgrader", *command.split()]
        done = subprocess.run(command_line, cwd=home, env=env, capture_output=True, text=True, timeout=600)
        assert done.returncode == 0, f"{person}: nbgrader {command}\n{done.stderr[-3000:]}"
        self.said += done.stderr


def test_the_readme_names_the_whole_exchange() -> None:
    """In the only order that works; what carries files is marked."""
    assert [command.split()[0] for command, _ in COMMANDS] == [
        "generate_assignment",
        "release_assignment",
        "fetch_assignment",
        "submit",
        "collect",
        "autograde",
        "generate_feedback",
        "release_feedback",
        "fetch_feedback",
        "export",
    ]


@pytest.mark.full
@pytest.mark.skipif(os.name == "nt", reason="nbgrader's exchange needs POSIX")
def test_a_class_is_graded_by_the_commands_of_the_readme(tmp_path: Path) -> None:
    hub = Hub(tmp_path)
    source = hub.home("teacher") / "source" / RMSNORM
    source.mkdir(parents=True)
    (source / f"{RMSNORM}.ipynb").write_bytes((SOLUTIONS / f"{RMSNORM}.ipynb").read_bytes())
    for command, who in COMMANDS:
        if command.startswith("submit"):
            nbformat.write(filled_in(RMSNORM, {}), hub.home("ada") / RMSNORM / f"{RMSNORM}.ipynb")
        for person in {"teacher": ["teacher"], "student": ["ada", "bo"]}[who]:
            hub.run(person, command)
    with (hub.home("teacher") / "grades.csv").open(encoding="utf-8") as grades:
        scores = {row["student_id"]: float(row["score"]) for row in csv.DictReader(grades)}
    assert scores == {"ada": 12, "bo": 0}
    pages = {person: list((hub.home(person) / RMSNORM).glob("feedback/*/*.html")) for person in scores}
    assert [len(found) for found in pages.values()] == [1, 1]
    assert "(Score: 12.0 / 12.0)" in pages["ada"][0].read_text(encoding="utf-8")
    assert len(re.findall(r"Attribute 'checksum' for cell .* has changed", hub.said)) == 6 * len(scores)
