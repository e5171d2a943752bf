"""The learner's own copies: made without results, renewed while nobody has written in them, and never overwritten."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

import course

LESSON = "02_rmsnorm.ipynb"
EXERCISE = "05_exercise_rmsnorm.ipynb"


def notebook(*sources: str, result: str = "7") -> str:
    """A notebook as the course stores it: a title, and code cells that were run."""
    title = {"cell_type": "markdown", "id": "title", "metadata": {}, "source": ["# A title\n", "\n", "µ"]}
    output = {"output_type": "stream", "name": "stdout", "text": [result]}
    cells = [
        {"cell_type": "code", "id": f"c{n}", "metadata": {"jupyter": {"source_hidden": True}}}
        | {"execution_count": n, "outputs": [output], "source": [source]}
        for n, source in enumerate(sources, start=1)
    ]
    return json.dumps({"cells": [title, *cells], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A course with two notebooks and a table that they read."""
    (tmp_path / "lessons/data").mkdir(parents=True)
    for name in (LESSON, EXERCISE):
        (tmp_path / "lessons" / name).write_text(notebook("1 + 6", "2 + 5"), encoding="utf-8")
    (tmp_path / "lessons/data/runs.csv").write_bytes(b"arm,loss\r\n")
    (tmp_path / "lessons/teaching.md").write_text("for teachers", encoding="utf-8")
    for name, path in {"LESSONS": "lessons", "WORK": "work", "COPIED": "work/.course.json"}.items():
        monkeypatch.setattr(course, name, tmp_path / path)
    return tmp_path


def cells(path: Path) -> list[dict]:
    return json.loads(path.read_text(encoding="utf-8"))["cells"]


def publish(folder: Path, name: str = LESSON, code: str = "3 + 4") -> None:
    """A new version of a lesson."""
    (folder / "lessons" / name).write_text(notebook(code), encoding="utf-8")


def write(path: Path, code: str = "mine") -> None:
    """The learner writes into a cell and saves."""
    stored = json.loads(path.read_text(encoding="utf-8"))
    stored["cells"][1]["source"] = [code]
    path.write_text(json.dumps(stored), encoding="utf-8")


def run(path: Path) -> None:
    """The learner runs a cell and saves."""
    stored = json.loads(path.read_text(encoding="utf-8"))
    stored["cells"][1] |= {"execution_count": 1, "outputs": [{"output_type": "stream", "name": "stdout", "text": "7"}]}
    path.write_text(json.dumps(stored), encoding="utf-8")


def just_open(path: Path) -> None:
    """What JupyterLab writes into a notebook that was opened and saved, and nothing more."""
    stored = json.loads(path.read_text(encoding="utf-8"))
    stored["metadata"] = {"kernelspec": {"name": "python3"}, "widgets": {"state": {"1f": {}}}}
    stored["cells"][1]["metadata"] = {"scrolled": True}
    stored["cells"][1]["source"] = "".join(stored["cells"][1]["source"])
    path.write_text(json.dumps(stored, indent=4), encoding="utf-8")


# What is copied


def test_copies_are_the_lessons_without_results_and_the_data_they_read(folder: Path) -> None:
    course.bring_copies()
    names = {path.relative_to(folder / "work").as_posix() for path in (folder / "work").rglob("*") if path.is_file()}
    assert names == {LESSON, EXERCISE, "data/runs.csv", ".course.json"}
    for original, copy in zip(cells(folder / "lessons" / LESSON), cells(folder / "work" / LESSON), strict=True):
        without_result = {"outputs": [], "execution_count": None} if original["cell_type"] == "code" else {}
        assert copy == original | without_result
    assert (folder / "work/data/runs.csv").read_bytes() == b"arm,loss\r\n"


def test_the_lessons_themselves_are_left_alone(folder: Path) -> None:
    before = {path: path.read_bytes() for path in (folder / "lessons").rglob("*") if path.is_file()}
    course.bring_copies()
    course.again(["05"])
    assert {path: path.read_bytes() for path in (folder / "lessons").rglob("*") if path.is_file()} == before


# A new version of the course


@pytest.mark.parametrize("touch", [lambda path: None, just_open, Path.unlink])
def test_a_new_version_replaces_what_nobody_has_written_in(folder: Path, touch, capsys) -> None:
    course.bring_copies()
    touch(folder / "work" / LESSON)
    publish(folder)
    course.bring_copies()
    assert cells(folder / "work" / LESSON)[1]["source"] == ["3 + 4"]
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("touch", [write, run])
def test_a_new_version_never_overwrites_what_somebody_has_done(folder: Path, touch, capsys) -> None:
    course.bring_copies()
    touch(folder / "work" / LESSON)
    theirs = (folder / "work" / LESSON).read_bytes()
    course.bring_copies()
    assert capsys.readouterr().out == "", "nothing is newer yet"
    publish(folder)
    for _ in range(2):  # it is said at each start, until it is fetched
        course.bring_copies()
        assert (folder / "work" / LESSON).read_bytes() == theirs
        said = capsys.readouterr().out
        assert "There is a newer version of 02. Yours is left as it is; course.py again 02" in said


def test_new_results_of_an_unchanged_lesson_are_no_new_version(folder: Path, capsys) -> None:
    course.bring_copies()
    write(folder / "work" / LESSON)
    (folder / "lessons" / LESSON).write_text(notebook("1 + 6", "2 + 5", result="8"), encoding="utf-8")
    course.bring_copies()
    assert capsys.readouterr().out == ""


def test_a_changed_table_follows_the_same_rule(folder: Path, capsys) -> None:
    course.bring_copies()
    (folder / "lessons/data/runs.csv").write_bytes(b"arm,loss,steps\n")
    course.bring_copies()
    assert (folder / "work/data/runs.csv").read_bytes() == b"arm,loss,steps\n"
    (folder / "work/data/runs.csv").write_bytes(b"theirs")
    (folder / "lessons/data/runs.csv").write_bytes(b"arm,loss\n")
    course.bring_copies()
    assert (folder / "work/data/runs.csv").read_bytes() == b"theirs"
    assert "data/runs.csv" in capsys.readouterr().out


# A folder that course.py has not made


@pytest.mark.parametrize("content", ["", "theirs", "{", "[]", '{"cells": 3}', '{"cells": [{}]}', notebook("theirs")])
def test_a_file_that_was_there_before_is_not_overwritten(folder: Path, content: str, capsys) -> None:
    (folder / "work").mkdir()
    (folder / "work" / LESSON).write_text(content, encoding="utf-8")
    for _ in range(2):
        course.bring_copies()
        assert (folder / "work" / LESSON).read_text(encoding="utf-8") == content
        assert "a newer version of 02" in capsys.readouterr().out
    assert (folder / "work" / EXERCISE).exists()


def test_without_its_notes_it_takes_everything_for_the_learners(folder: Path) -> None:
    course.bring_copies()
    write(folder / "work" / LESSON)
    theirs = (folder / "work" / LESSON).read_bytes()
    (folder / "work/.course.json").unlink()
    publish(folder)
    course.bring_copies()
    assert (folder / "work" / LESSON).read_bytes() == theirs


def everything_in(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


NO_NOTES = (
    *("", "theirs", "[]", "[" * 100_000, '{"title": "my own course"}', '{"02_rmsnorm.ipynb": 3}'),
    '{"02_rmsnorm.ipynb": {"mark": []}}',
)


@pytest.mark.parametrize("notes", NO_NOTES, ids=lambda notes: notes[:20])
@pytest.mark.parametrize("act", [course.bring_copies, lambda: course.again(["02"])], ids=["lab", "again"])
def test_notes_of_somebody_elses_are_refused_and_left_as_they_are(folder: Path, notes: str, act) -> None:
    course.bring_copies()
    write(folder / "work" / LESSON)
    (folder / "work/.course.json").write_text(notes, encoding="utf-8")
    before = everything_in(folder)
    publish(folder, EXERCISE)
    before[folder / "lessons" / EXERCISE] = (folder / "lessons" / EXERCISE).read_bytes()
    with pytest.raises(course.Trouble, match=r"work/\.course\.json is not the one"):
        act()
    assert everything_in(folder) == before


def test_notes_that_are_a_link_are_refused(folder: Path) -> None:
    course.bring_copies()
    (folder / "work/.course.json").rename(folder / "theirs.json")
    (folder / "work/.course.json").symlink_to(folder / "theirs.json")
    with pytest.raises(course.Trouble, match=r"work/\.course\.json"):
        course.bring_copies()
    assert (folder / "work/.course.json").is_symlink()


@pytest.mark.parametrize("name", ["work", "work/data"])
@pytest.mark.parametrize("act", [course.bring_copies, lambda: course.again(["02"])], ids=["lab", "again"])
def test_a_link_where_a_folder_is_expected_is_refused(folder: Path, name: str, act) -> None:
    course.bring_copies()
    (folder / name).rename(folder / "theirs")
    (folder / "theirs/.course.json").unlink(missing_ok=True)
    (folder / name).symlink_to(folder / "theirs")
    before = everything_in(folder)
    with pytest.raises(course.Trouble, match=f"the folder {name}, .* is a link to .*theirs"):
        act()
    assert everything_in(folder) == before


def test_a_course_below_a_link_is_none_of_its_own(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody's home may be a link; only what lies in the course's folder is asked about."""
    (folder / "home").symlink_to(folder)
    for name, path in {"LESSONS": "lessons", "WORK": "work", "COPIED": "work/.course.json"}.items():
        monkeypatch.setattr(course, name, folder / "home" / path)
    course.bring_copies()
    assert (folder / "work" / LESSON).is_file()


def test_a_link_is_never_written_through(folder: Path) -> None:
    """Not by a new version, and not by `again`, even if it leads to what a copy would hold."""
    course.bring_copies()
    elsewhere = folder / "elsewhere.ipynb"
    (folder / "work" / LESSON).rename(elsewhere)
    (folder / "work" / LESSON).symlink_to(elsewhere)
    before = elsewhere.read_bytes()
    publish(folder)
    course.bring_copies()
    course.again(["02"])
    assert elsewhere.read_bytes() == before
    assert not (folder / "work" / LESSON).is_symlink()
    [kept] = (folder / "work").glob("02_rmsnorm_*.ipynb")
    assert kept.is_symlink()


def test_a_folder_with_a_lessons_name_is_kept(folder: Path) -> None:
    (folder / "work" / LESSON).mkdir(parents=True)
    (folder / "work" / LESSON / "thesis.txt").write_text("keep", encoding="utf-8")
    course.bring_copies()
    assert (folder / "work" / LESSON / "thesis.txt").exists()
    course.again(["02"])
    assert [path.read_text() for path in (folder / "work").rglob("thesis.txt")] == ["keep"]
    assert (folder / "work" / LESSON).is_file()


def test_a_file_called_work_is_named(folder: Path) -> None:
    (folder / "work").write_text("a file", encoding="utf-8")
    with pytest.raises(course.Trouble, match="a file of that name"):
        course.bring_copies()
    assert (folder / "work").read_text() == "a file"


def test_other_files_in_the_folder_are_left_alone(folder: Path) -> None:
    course.bring_copies()
    for name in ("own.ipynb", "predictions.json", "02_rmsnorm_2026-11-29.ipynb"):
        (folder / "work" / name).write_text("theirs", encoding="utf-8")
    publish(folder)
    course.bring_copies()
    course.again(["02", "05"])
    for name in ("own.ipynb", "predictions.json", "02_rmsnorm_2026-11-29.ipynb"):
        assert (folder / "work" / name).read_text(encoding="utf-8") == "theirs"


def test_half_a_copy_of_an_interruption_is_in_nobodys_way(folder: Path) -> None:
    (folder / "work").mkdir()
    for name in (f".{LESSON}.0.new", f".{LESSON}.new"):
        (folder / "work" / name).write_text("half", encoding="utf-8")
    course.bring_copies()
    assert len(cells(folder / "work" / LESSON)) == 3
    left = sorted((folder / "work").glob(".*.new"))
    assert [(path.name, path.read_text(encoding="utf-8")) for path in left] == [
        (f".{LESSON}.0.new", "half"),
        (f".{LESSON}.new", "half"),
    ]


# Again


@pytest.mark.parametrize(
    "said", ["05", "5", "05_exercise_rmsnorm", EXERCISE, f"work/{EXERCISE}", f"lessons/{EXERCISE}"]
)
def test_again_makes_a_fresh_copy_and_keeps_the_old_one(folder: Path, said: str, capsys) -> None:
    course.bring_copies()
    write(folder / "work" / EXERCISE)
    theirs = (folder / "work" / EXERCISE).read_bytes()
    assert course.again([said]) == 0
    kept = folder / "work" / f"05_exercise_rmsnorm_{time.strftime('%Y-%m-%d')}.ipynb"
    assert kept.read_bytes() == theirs
    assert cells(folder / "work" / EXERCISE)[1]["source"] == ["1 + 6"]
    assert f"Yours is kept as work/{kept.name}." in capsys.readouterr().out


def test_again_on_one_day_keeps_each_of_them(folder: Path) -> None:
    for code in ("one", "two", "three"):
        course.bring_copies()
        write(folder / "work" / EXERCISE, code)
        course.again(["05"])
    kept = [cells(path)[1]["source"] for path in (folder / "work").glob("05_exercise_rmsnorm_*.ipynb")]
    assert sorted(kept) == [["one"], ["three"], ["two"]]


def test_again_fetches_the_new_version_and_then_nothing_is_newer(folder: Path, capsys) -> None:
    course.bring_copies()
    write(folder / "work" / LESSON)
    publish(folder)
    course.again(["02"])
    assert cells(folder / "work" / LESSON)[1]["source"] == ["3 + 4"]
    capsys.readouterr()
    course.bring_copies()
    assert capsys.readouterr().out == ""
    publish(folder, code="5 + 2")
    course.bring_copies()
    assert cells(folder / "work" / LESSON)[1]["source"] == ["5 + 2"]


def test_again_keeps_nothing_if_nothing_was_written(folder: Path) -> None:
    course.bring_copies()
    just_open(folder / "work" / LESSON)
    course.again(["02"])
    assert list((folder / "work").glob("02*")) == [folder / "work" / LESSON]


@pytest.mark.parametrize("said", ["", "0", "99", "work", "x.ipynb", ".."])
def test_again_names_the_lessons_it_knows(folder: Path, said: str) -> None:
    with pytest.raises(course.Misunderstood, match="the lessons are 02, 05; "):
        course.again([said])
    assert not (folder / "work").exists()


def test_again_asks_which(folder: Path) -> None:
    with pytest.raises(course.Misunderstood, match="say which lesson"):
        course.again([])


@pytest.mark.parametrize("content", ["<<<<<<< HEAD", "[]", '{"cells": 3}', '{"cells": [{}]}'])
def test_a_lesson_that_was_spoiled_is_named(folder: Path, content: str) -> None:
    (folder / "lessons" / LESSON).write_text(content, encoding="utf-8")
    with pytest.raises(course.Trouble, match="git restore lessons/02_rmsnorm"):
        course.bring_copies()


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="nothing is read-only for this user")
def test_a_folder_that_cannot_be_written_to(folder: Path) -> None:
    folder.chmod(0o500)
    try:
        with pytest.raises(PermissionError):
            course.bring_copies()
    finally:
        folder.chmod(0o700)
