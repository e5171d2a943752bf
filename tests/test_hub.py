"""A class on a hub, in the README's own words: the exchange of nbgrader, command by command, as its text has them.

Everybody is called jovyan, as in the images of a hub, and the hub says in JUPYTERHUB_USER who it is.
"""

from __future__ import annotations

import csv
import os
import random
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from html import unescape
from pathlib import Path
from urllib.request import urlopen

import nbformat
import pytest

from tests import browser as browsers
from tests.notebooks import LESSONS, ROOT, SOLUTIONS
from tests.test_grading import POINTS, RMSNORM, filled_in

README = (ROOT / "README.md").read_text(encoding="utf-8")
GRADING = README.partition("## Grading a class")[2].partition("\n## ")[0]
COMMANDS = re.findall(r"^nbgrader (.*?)\s+# (teacher|student)", GRADING, flags=re.M)
CONFIG = re.search(r"```python\n(.*?)```", GRADING, flags=re.S)[1]
EXERCISES = ("rms", "rms_norm", "RMSNorm", "works", "layer_norm_from_rms_norm", "rms_norm_backward")  # what 05 checks
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
    full = sum(POINTS[RMSNORM].values())
    assert scores == {"ada": full, "bo": 0}
    assert "`autograde` warns six times in 05" in README
    assert len(re.findall(r"Attribute 'checksum' for cell .* has changed", hub.said)) == 6 * len(scores)
    said = {person: feedback(hub.home(person)) for person in scores}
    assert f"(Score: {full}.0 / {full}.0)" in said["ada"] and f"(Score: 0.0 / {full}.0)" in said["bo"]
    for exercise in EXERCISES:
        assert f"✓ {exercise}: passed" in said["ada"]
        assert f"{exercise}: The cell above is still to be filled in. What you write will be called" in said["bo"]


def feedback(home: Path) -> str:
    """The words of the one page that somebody has got back."""
    (page,) = (home / RMSNORM).glob("feedback/*/*.html")
    return " ".join(unescape(re.sub(r"<[^>]+>", "", page.read_text(encoding="utf-8"))).split())


# The hub itself, for two people at once

JUPYTERHUB, PROXY = "jupyterhub==6.1.1", "configurable-http-proxy@5.3.0"
HUB = """
c.JupyterHub.bind_url = "http://127.0.0.1:{public}"
c.JupyterHub.hub_port = {hub}
c.JupyterHub.authenticator_class = "dummy"
c.JupyterHub.spawner_class = "simple"
c.Authenticator.allow_all = True
c.Spawner.cmd = [{python!r}, "-m", "jupyterhub.singleuser"]
c.Spawner.args = ["--allow-root", "--LabApp.expose_app_in_browser=True"]
c.Spawner.environment = {{"PYTHONPATH": {path!r}, "OMP_NUM_THREADS": "1"}}
c.SimpleLocalProcessSpawner.home_dir_template = {homes!r}
c.ConfigurableHTTPProxy.command = {proxy!r}
c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:{api}"
"""


AWAY = "from versions: none|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT"  # what pip and npm say then


def installed(folder: Path) -> list[str]:
    """Puts JupyterHub and its proxy into a folder; gives the proxy's command. Skips where no registry answers."""
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(folder / "python"), JUPYTERHUB]
    npm = ["npm", "install", "--loglevel=error", "--no-save", "--prefix", str(folder), PROXY]
    if shutil.which("node") is None or shutil.which("npm") is None:
        pytest.skip("there is no node here")
    for command in (pip, npm):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode and re.search(AWAY, done.stderr):
            pytest.skip("no registry answers here")
        assert done.returncode == 0, done.stderr[-2000:]
    return ["node", str(folder / "node_modules/configurable-http-proxy/bin/configurable-http-proxy")]


def free_ports(count: int) -> list[int]:
    """Ports that nobody listens on."""
    found: list[int] = []
    for port in random.sample(range(20_000, 30_000), 200):  # below those that are given to whoever asks for any
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            found.append(port)
        if len(found) == count:
            break
    return found


@contextmanager
def a_hub(folder: Path, people: list[str]) -> Iterator[str]:
    """A JupyterHub whose people have the lessons in their homes; gives its address."""
    proxy, (public, hub, api) = installed(folder), free_ports(3)
    for person in people:
        shutil.copytree(LESSONS, folder / "homes" / person, ignore=shutil.ignore_patterns(".ipynb_checkpoints"))
    path = os.pathsep.join([str(folder / "python"), str(ROOT)])
    settings = {"public": public, "hub": hub, "api": api, "proxy": proxy, "path": path, "python": sys.executable}
    config = folder / "jupyterhub_config.py"
    config.write_text(HUB.format(homes=str(folder / "homes/{username}"), **settings), encoding="utf-8")
    command = [sys.executable, "-m", "jupyterhub", "--config", str(config)]
    with (folder / "log.txt").open("w", encoding="utf-8") as log:
        env = os.environ | {"PYTHONPATH": path}
        server = subprocess.Popen(command, cwd=folder, env=env, stdout=log, stderr=subprocess.STDOUT)
        try:
            yield f"http://127.0.0.1:{public}"
        finally:
            server.terminate()
            server.wait(timeout=browsers.START)


def signed_in(browser: browsers.Browser, address: str, person: str) -> browsers.Lesson:
    """Somebody's page, once their own server runs."""
    page = browser.new_context(viewport=browsers.LAPTOP).new_page()
    lesson = browsers.Lesson(page)
    page.goto(f"{address}/hub/login")
    page.locator("input[name=username]").fill(person)
    page.locator("input[name=password]").fill("any")
    page.locator("#login_submit").click()
    page.wait_for_url(f"**/user/{person}/lab**", timeout=browsers.START * 1e3)
    page.wait_for_function(browsers.READY, timeout=browsers.START * 1e3)
    return lesson


@pytest.mark.full
@pytest.mark.skipif(os.name == "nt", reason="JupyterHub needs POSIX")
def test_two_people_on_a_hub_do_not_meet(chromium: browsers.Browser, tmp_path: Path) -> None:
    """Each has a server of their own: lesson 02 runs for both at once, and a slider moves one picture alone."""
    with a_hub(tmp_path, ["ada", "bo"]) as address:
        wait_until_it_answers(address)
        lessons = [signed_in(chromium, address, person) for person in ("ada", "bo")]
        for lesson in lessons:
            lesson.open("02_rmsnorm.ipynb")
            lesson.start_all()
        for lesson, to, words in zip(lessons, (0.25, 0.75), ("Shift −2.50", "Shift +2.50"), strict=True):
            lesson.settle()
            place = lesson.show("explore-run")
            lesson.drag(lesson.slider(place, "overall shift"), to)
            place.locator(".words").get_by_text(re.compile(f"^{re.escape(words)},")).wait_for()
            assert lesson.errors() == []
        for lesson in lessons:
            lesson.close()


def wait_until_it_answers(address: str) -> None:
    """Asks again until there is a page to sign in at: the proxy listens before the hub does."""
    end = time.monotonic() + browsers.START
    while time.monotonic() < end:
        with suppress(OSError), urlopen(f"{address}/hub/login", timeout=browsers.START):
            return
        time.sleep(0.2)
    raise RuntimeError("JupyterHub did not start")
