"""What a public project promises in its files: that they exist, agree with each other, and can be installed."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path

import pytest
import yaml

import course
from conftest import LONGEST, TOGETHER
from tests import newest
from tests.notebooks import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
OURS = {"course", "tests", "widgets", "conftest", "slow_module"}  # the last is made by a test
# What a package is called on the index, where it is not called as it is imported.
DISTRIBUTIONS = {
    "axe_playwright_python": "axe-playwright-python",
    "IPython": "ipython",
    "PIL": "pillow",
    "jupyter_client": "jupyter-client",
    "mpl_toolkits": "matplotlib",
    "yaml": "pyyaml",
}
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))


def imported(paths: Iterable[Path]) -> set[str]:
    """The packages, by their names on the index, that some files import from outside Python's own library."""
    found = set()
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                found.add(node.module.split(".")[0])
    return {DISTRIBUTIONS.get(name, name) for name in found - sys.stdlib_module_names - OURS}


def names(*extras: str) -> set[str]:
    """The packages that pyproject.toml names."""
    return {newest.name(each).lower() for each in newest.requirements(*extras)}


def test_what_the_package_imports_is_what_it_needs() -> None:
    site = ROOT / "widgets/site"
    assert imported(path for path in (ROOT / "widgets").rglob("*.py") if site not in path.parents) == names()
    assert imported(site.glob("*.py")) == names("site") - names() | {"ipython", "numpy", "torch"}


def test_what_the_tests_import_is_named() -> None:
    assert imported((ROOT / "tests").rglob("*.py")) - names("test") == set()


def test_the_files_that_are_named_exist() -> None:
    """A renamed one would silently lose its place in the row."""
    there = {path.stem for folder in ("tests", "lessons") for path in (ROOT / folder).iterdir()}
    assert {*LONGEST, *TOGETHER} - there - set(TOGETHER.values()) == set()


def test_all_that_needs_jupyterlab_runs_in_one_process(request: pytest.FixtureRequest) -> None:
    """Another file would start a JupyterLab of its own, as the monkey's does, or a Chromium."""
    for fixture, groups in (("lab", {"jupyterlab", "monkey"}), ("chromium", {"jupyterlab", "monkey", "pages"})):
        needs = {item.path.stem for item in request.session.items if fixture in getattr(item, "fixturenames", ())}
        assert {name for name in needs if TOGETHER.get(name) not in groups} == set()


def test_every_requirement_has_a_range() -> None:
    """A release that nobody has run does not come by itself."""
    ranges = {each: re.search(r"==|~=|<", each) for each in newest.requirements("site", "test")}
    assert [each for each, found in ranges.items() if not found] == []


def test_course_py_needs_python_alone() -> None:
    assert imported([ROOT / "course.py"]) == set()


def test_one_version_everywhere() -> None:
    version = PROJECT["version"]
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    changes = re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.M)
    assert changes[0] == version


def test_a_change_says_what_it_is_about() -> None:
    lines = re.findall(r"^- (.*)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.M)
    assert [line for line in lines if not re.match(r"(lesson|check|widget|course): ", line)] == []


def test_the_readme_is_for_students_and_teachers() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(readme.splitlines()) < 150
    for name in ("LICENSE", "CITATION.cff", "CHANGELOG.md", "CONTRIBUTING.md"):
        assert f"]({name})" in readme


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_runs_commands_that_exist(path: Path) -> None:
    """actionlint knows the rest; it is run by a workflow."""
    jobs = yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"].values()
    said = "\n".join(step.get("run", "") for job in jobs for step in job["steps"])
    assert set(re.findall(r"course\.py (\w+)", said)) <= set(course.COMMANDS)
    assert [name for name in re.findall(r"python (?:-m )?(tests[/.][\w./]+)", said) if not is_there(name)] == []


def is_there(name: str) -> bool:
    """Whether `tests/newest.py` or `tests.bench` can be run."""
    path = ROOT / (name if name.endswith(".py") else name.replace(".", "/"))
    return path.exists() or path.with_suffix(".py").exists()


def test_each_supported_python_is_tried() -> None:
    text = (ROOT / ".github/workflows/test.yml").read_text(encoding="utf-8")
    tried = yaml.safe_load(text)["jobs"]["test"]["strategy"]["matrix"]
    assert f">={tried['python'][0]}" == PROJECT["requires-python"]
    assert {each["system"].split("-")[0] for each in tried["include"]} == {"macos", "windows"}


def test_a_range_begins_where_it_was_run() -> None:
    """To the last number, since `>=3.9` allows 3.9.0 too; and the table of what was run names it."""
    floors = newest.floors()
    assert floors.keys() == names() - {"torch"}
    assert [floor for floor in floors.values() if floor.count(".") != 2] == []
    table = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## What was run")[2]
    assert [f"{name} {floor}" for name, floor in floors.items() if f"{name} {floor}" not in table] == []


def test_the_image_takes_the_hub_that_was_run() -> None:
    release = re.search(r'"jupyterhub~=(\d+\.\d+)"', (ROOT / "Dockerfile").read_text(encoding="utf-8"))[1]
    assert f"JupyterHub {release}." in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def test_the_image_is_made_of_the_same_versions() -> None:
    image = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    assert "-r requirements.txt" in image and course.CPU_BUILDS in image
    assert re.findall(r"nbgrader==\S+", image) == [each for each in newest.requirements("test") if "nbgrader" in each]
