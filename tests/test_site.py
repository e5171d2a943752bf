"""The static pages: whose folder they go to, how formulas are set, and what is on a page."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import nbformat
import numpy as np
import pytest

from tests.notebooks import notebooks_in, read, short
from tests.tiers import full
from widgets import activation_curves, gate_flow, overall_shift, parameter_ledger
from widgets.explorers.explorer import Explorer
from widgets.site import shipping
from widgets.site.__main__ import main
from widgets.site.folder import MARK, NotOurs, claim, write
from widgets.site.formulas import with_mathml
from widgets.site.notebook import page_of
from widgets.site.reels import packed

# The folder


def test_a_new_folder_is_made_and_can_be_written_again(tmp_path: Path) -> None:
    folder = tmp_path / "my pages ü"
    claim(folder)
    write(folder, {"index.html": "one", "explorers/a.html": "two"})
    claim(folder)
    assert [path.name for path in folder.rglob("*") if path.is_file()] == [MARK]
    write(folder, {"index.html": "three"})
    assert (folder / "index.html").read_text() == "three"


@pytest.mark.parametrize("before", [["thesis.txt"], ["index.html"], ["sub/notes.md"]])
def test_a_folder_with_other_files_is_refused_and_left_as_it_was(tmp_path: Path, before: list[str]) -> None:
    for name in before:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("mine")
    with pytest.raises(NotOurs, match=re.escape(before[0])):
        claim(tmp_path)
    assert [(tmp_path / name).read_text() for name in before] == ["mine"]


def test_a_file_added_to_the_pages_later_is_never_removed(tmp_path: Path) -> None:
    claim(tmp_path / "site")
    write(tmp_path / "site", {"index.html": "ours"})
    (tmp_path / "site" / "CNAME").write_text("mine")
    with pytest.raises(NotOurs, match="CNAME"):
        claim(tmp_path / "site")
    assert (tmp_path / "site" / "index.html").exists()


def test_a_link_to_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with pytest.raises(NotOurs):
        claim(tmp_path / "link")


@pytest.mark.parametrize("name", ["explorers", "index.html", MARK])
def test_a_link_inside_is_refused_and_nothing_is_written_where_it_leads(tmp_path: Path, name: str) -> None:
    """Also where the list of an earlier run names what would lie behind it."""
    site, theirs = tmp_path / "site", tmp_path / "theirs"
    claim(site)
    write(site, {"index.html": "ours", "explorers/a.html": "ours"})
    (site / name).rename(theirs)
    (site / name).symlink_to(theirs)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    with pytest.raises(NotOurs, match=re.escape(name)):
        claim(site)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_a_list_that_points_outside_removes_nothing(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / MARK).write_text(json.dumps(["../thesis.txt", 7]))
    claim(folder)
    assert (tmp_path / "thesis.txt").read_text() == "mine"


def test_a_place_where_no_folder_can_be_made_is_refused_in_a_sentence(tmp_path: Path, capsys) -> None:
    (tmp_path / "a file").write_text("mine")
    assert main([str(tmp_path / "a file" / "site")]) == 1
    assert capsys.readouterr().err.startswith("course.py site: ")


# What a page takes along


@pytest.fixture
def few_places(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shipping, "MOST_PLACES", 400)
    monkeypatch.setattr(shipping, "_finest", lambda grid, explorer, second, step: step)


def test_what_follows_other_controls_stays_at_home_and_its_buttons_set_what_it_would(few_places: None) -> None:
    """The list of models needs a kernel. By hand: Gemma 7B has d_model 3072 and three times LLaMA's width."""
    shipped = shipping.ship(parameter_ledger(), coarse=True)
    controls = {control["name"]: control for control in shipped["state"]["controls"]}
    assert shipped["switches"] == ["multiple_of"] and "model" not in controls
    buttons = {preset["label"]: preset["set"] for preset in shipped["state"]["presets"]}
    assert buttons["Gemma 7B"] == {"d_model": 3072.0, "multiplier": 3.0, "multiple_of": "256"}
    assert buttons["Llama-3 8B"] == {"d_model": 4096.0, "multiplier": 1.3, "multiple_of": "1024"}
    assert {1.0, 1.3, 3.0} <= set(controls["multiplier"]["positions"])
    assert [stop[0] for stop in controls["multiplier"]["stops"]] == ["1", "1.3"]


@pytest.mark.full
def test_each_setting_is_recorded_under_its_own_name(few_places: None) -> None:
    shipped = shipping.ship(parameter_ledger())
    for setting, variant in shipped["variants"].items():
        said = {text for column in variant["recordings"][0]["tables"] for text in column or [] if isinstance(text, str)}
        shared = json.dumps(variant["recordings"][0]["shared"]["words"], ensure_ascii=False)
        [multiple_of] = json.loads(setting)
        assert variant["changes"].get("multiple_of", "256") == multiple_of
        assert f"multiple of {multiple_of}" in shared or any(f"multiple of {multiple_of}" in text for text in said)
    assert len(shipped["variants"]) == 8


@pytest.mark.parametrize("make", [gate_flow, full(activation_curves), full(parameter_ledger)])
def test_what_one_setting_changes_every_setting_says(few_places: None, make: Callable[[], Explorer]) -> None:
    """A page comes to a setting from any other, not from the first alone."""
    made = make()
    said = [variant["changes"].keys() - made.positions.keys() for variant in shipping.ship(made)["variants"].values()]
    assert "controls" in said[0] and all(names == said[0] for names in said)


@pytest.mark.full
def test_a_hidden_slider_goes_back(few_places: None) -> None:
    curves = shipping.ship(activation_curves())["variants"]
    assert {variant["changes"].get("beta") for name, variant in curves.items() if name.endswith("false]")} == {1.0}
    assert {"beta" in variant["changes"] for name, variant in curves.items() if name.endswith("true]")} == {False}


def test_a_moved_slider_goes_along() -> None:
    flow = shipping.ship(gate_flow(gate_input=[1, 2, 3], content=[1, 1, 1]))["variants"]
    assert {name: variant["changes"]["z"] for name, variant in flow.items()} == {'["1"]': 1, '["2"]': 2, '["3"]': 3}


# Formulas


def test_a_word_is_one_name_and_code_stays() -> None:
    text = with_mathml(r"Cost: `$x$` and $\mathrm{mean}(x^2)$" + "\n```\n$y$\n```\n")
    assert "`$x$`" in text and "$y$" in text
    assert "<mi>mean</mi>" in text and "<msup><mi>x</mi><mn>2</mn></msup>" in text


@pytest.mark.parametrize("path", notebooks_in(), ids=short)
def test_every_formula_of_the_course_is_set(path: Path) -> None:
    """No dollar sign and no backslash command is left in the prose, and nothing that the library did not know."""
    for cell in read(path).cells:
        if cell.cell_type == "markdown":
            prose = re.sub(r"```.*?```|`[^`]*`", "", with_mathml(cell.source), flags=re.S)
            assert "$" not in prose, cell.id
            assert re.findall(r">\\[a-zA-Z]+|<mi>\\", prose) == [], cell.id


# A page


def lesson(*cells: nbformat.NotebookNode) -> nbformat.NotebookNode:
    return nbformat.v4.new_notebook(cells=list(cells))


def code(name: str, source: str, *outputs: nbformat.NotebookNode) -> nbformat.NotebookNode:
    return nbformat.v4.new_code_cell(source, id=name, outputs=list(outputs))


def result(**data: object) -> nbformat.NotebookNode:
    return nbformat.v4.new_output(
        "execute_result", data={kind.replace("_", "/"): value for kind, value in data.items()}
    )


def test_what_follows_a_question_waits_for_it_and_nothing_else_does() -> None:
    cells = [
        code("size-ask", "predict('Larger?', 'yes', 'no')", result(text_plain="Larger?")),
        code("size-run", "1 + 1", result(text_plain="2")),
        nbformat.v4.new_markdown_cell("Because.", id="size-say"),
        code("other", "3 + 3", result(text_plain="6")),
    ]
    body = "".join(page_of(lesson(*cells), {}).parts)
    assert body.count('data-after="size"') == 2
    assert "predict(" not in body  # the code of a question is no help to its reader
    assert body.index("6</pre>") > body.index("Because.")


def test_text_of_a_cell_is_never_markup() -> None:
    body = "".join(page_of(lesson(code("a", "1", result(text_plain="<img src=x onerror=alert(1)>"))), {}).parts)
    assert "<img" not in body


@pytest.mark.parametrize(
    ("alt", "said"), [({}, "z = 1 ReLU 2"), ({"image/png": {"alt": "At 1 it is 2."}}, "At 1 it is 2.")]
)
def test_a_picture_is_said_in_words(alt: dict, said: str) -> None:
    """In its own where it has some, as explorers do; else in its numbers."""
    picture = result(image_png="iVBO", text_plain="z = 1\n ReLU 2") | {"metadata": alt}
    body = "".join(page_of(lesson(code("a", "1", nbformat.from_dict(picture))), {}).parts)
    assert f'alt="{said}"' in body


# Recordings


@pytest.mark.parametrize(("each", "kept"), [(700, 251), (2_000, 126), (10_000, 26)])
def test_a_second_slider_keeps_as_many_positions_as_a_page_can_carry(
    monkeypatch: pytest.MonkeyPatch, each: int, kept: int
) -> None:
    """300,000 bytes, of which 40,000 are for no position: by hand, room for all 251, for 130 and for 26."""
    places = {"first": range(100), "second": range(251)}
    controls = [{"kind": "range", "shown": True, "name": name, "stops": []} for name in places]
    monkeypatch.setattr(shipping, "_grid", lambda *asked: {"grid": {"second": places["second"][:: asked[-1]]}})
    monkeypatch.setattr(shipping, "compressed", lambda made: bytes(40_000 + each * len(made["grid"]["second"])))
    (made,) = shipping.recordings(SimpleNamespace(controls=controls, positions=places), None)
    assert len(made["grid"]["second"]) == kept


@pytest.mark.full
def test_overall_shift_goes_along_whole() -> None:
    """Every position of both sliders, in less than 300 kB."""
    explorer = overall_shift()
    (made,) = shipping.recordings(explorer, None)
    assert made["grid"] == explorer.positions
    assert len(shipping.compressed(made)) < 300_000


def test_a_recording_comes_out_as_it_went_in() -> None:
    """Steps summed along both axes of the grid are the numbers again; page.js does the same, see test_site_browser."""
    grid = {"scale": [1.0, 2.0], "shift": [-1.0, 0.0, 1.0]}
    columns = [[0.25, -3.0, 7.5, 1.0, 1.0, -0.01], ["−1.00", "0.00", "5.00 ↑", "0.00", "none", "−1.00"]]
    reel = {"marks": ["m"], "defs": [""], "tracks": [], "words": [1], "columns": columns, "at": {}, "along": []}
    made = packed(reel, grid)
    assert made["shared"] == {"marks": ["m"], "defs": [""], "tracks": [], "words": [1]}
    for column, table, steps in zip(columns, made["tables"], made["steps"], strict=True):
        whole = np.array(steps).reshape(2, 3).cumsum(axis=0).cumsum(axis=1).ravel().tolist()
        assert [table[number] if table else number / 100 for number in whole] == column


def test_numbers_finer_than_a_hundredth_are_kept_letter_for_letter() -> None:
    made = packed({"marks": [], "defs": [], "tracks": [], "words": [], "columns": [[0.125, 1.0]]}, {"z": [0.0, 1.0]})
    assert made["tables"] == [[0.125, 1.0]]
