"""A page of the site in Chromium, from disk: explorers play, questions keep back what follows, axe finds nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.notebooks import LESSONS
from tests.tiers import full
from widgets import activation_curves, gate_flow, overall_shift, parameter_ledger
from widgets.site.__main__ import main
from widgets.site.folder import write
from widgets.site.pages import lesson_pages
from widgets.site.run import run

CELLS = {
    "imports": "from widgets import checks, norm_geometry, overall_shift, parameter_ledger, predict",
    "few": "from widgets.site import shipping\nshipping.MOST_PLACES = 600",  # three positions of a second slider
    "size-ask": "predict('Larger?', 'yes', 'no', right='B', topic='test')",
    "size-run": "6 * 7",
    "two-sliders": "overall_shift([1, -2, 0.5])",
    "closed": "overall_shift([1, 2]).close()",
    "lists": "parameter_ledger()",
    "three-sliders": "norm_geometry()",
    "written": "def rms(x):\n    raise NotImplementedError",
    "card": "checks.check_rms(rms)",
    "wide": "print('a line that no window holds ' * 20)",
}
TITLES = {"00_page": ("A page", "Does it play?")}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages of a small lesson with every kind of explorer."""
    text = "# A page\n\n**Does it play?** The norm is $x/\\sqrt{\\mathrm{mean}(x^2)}$.\n\n| | a |\n|---|---|\n| b | 1 |"
    return pages_of(tmp_path_factory.mktemp("site ü"), text, CELLS, coarse=True)


def with_settings(folder: Path, name: str) -> Path:
    """A page with an explorer that brings every setting of its lists and checkboxes, at a few positions."""
    few = "shipping.MOST_PLACES, shipping._finest = 400, lambda *asked: asked[-1]"
    imports = f"from widgets import *\nfrom widgets.site import shipping\n{few}"
    cells = {"imports": imports, name: f"{name}()"}
    return pages_of(folder, "# A page\n\n**Does it play?**", cells, coarse=False)


def pages_of(folder: Path, text: str, cells: dict[str, str], coarse: bool) -> Path:
    """The pages of a lesson that begins with this text and has these cells of code, by their ids."""
    code = [nbformat.v4.new_code_cell(source, id=name) for name, source in cells.items()]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(text, id="title"), *code])
    path = folder / "00_page.ipynb"
    nbformat.write(notebook, path)
    write(folder, lesson_pages("00_page", TITLES, *run(path, coarse=coarse)))
    return folder


@pytest.fixture
def page(request: pytest.FixtureRequest, chromium: Browser, tmp_path: Path) -> Iterator[Page]:
    """That of `site`, or of an explorer that a test names; it asks nobody for anything and complains of nothing."""
    name = getattr(request, "param", None)
    site = with_settings(tmp_path, name) if name else request.getfixturevalue("site")
    page = chromium.new_context(viewport={"width": 1000, "height": 900}).new_page()
    asked, complaints = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    address = (site / "00_page.html").as_uri()
    page.goto(address)
    yield page
    assert [url for url in asked if url != address and not url.startswith(("data:", "blob:"))] == []
    assert complaints == []
    page.context.close()


def explorer(page: Page, cell: str):
    """The explorer of a cell, awake."""
    figure = page.locator(f'.explorer[data-cell="{cell}"]')
    figure.scroll_into_view_if_needed()
    figure.locator(".flipbook").wait_for()
    return figure


def press(figure, slider: int, key: str, times: int = 1) -> None:
    control = figure.locator("input[type=range]").nth(slider)
    for _ in range(times):
        control.press(key)


def words_of(figure, expected: str) -> None:
    """Waits until the words under the picture are these."""
    figure.locator(".words").get_by_text(expected, exact=True).wait_for(timeout=5000)


def test_two_sliders_move_together(page: Page) -> None:
    figure = explorer(page, "two-sliders")
    fresh = overall_shift([1, -2, 0.5])
    press(figure, 0, "ArrowRight", 7)
    words_of(figure, fresh.words(fresh.steps(**fresh.values | {"shift": fresh.positions["shift"][107]})))
    press(figure, 1, "End")
    places = {"shift": fresh.positions["shift"][107], "scale": fresh.positions["scale"][-1]}
    words_of(figure, fresh.words(fresh.steps(**places)))
    assert figure.locator(".state").inner_text() == ""


def test_a_list_brings_another_picture(page: Page) -> None:
    """Of the settings only the first was taken along here; another is refused in a sentence, and the list goes back."""
    figure = explorer(page, "lists")
    choice = figure.locator("select")
    before = choice.input_value()
    other = next(text for text in choice.locator("option").all_inner_texts() if text != before)
    choice.select_option(other)
    figure.get_by_text("This combination is not on the page").wait_for()
    assert choice.input_value() == before


@pytest.mark.full
@pytest.mark.parametrize("page", ["activation_curves"], indirect=True)
def test_a_slider_that_a_checkbox_brings_moves_and_goes_back_with_it(page: Page) -> None:
    figure, fresh = explorer(page, "activation_curves"), activation_curves()
    figure.get_by_role("checkbox", name="bend").check()
    fresh.bend = True
    slider = figure.get_by_role("slider", name="β")
    for key in ("End", "ArrowLeft"):
        slider.press(key)
        beta = float(figure.locator("output").nth(1).inner_text())
        assert beta != 1
        words_of(figure, fresh.words(fresh.steps(z=2.0, beta=beta)))
    figure.get_by_role("checkbox", name="bend").uncheck()
    fresh.bend = False
    words_of(figure, fresh.words(fresh.steps(z=2.0, beta=1.0)))
    expect(figure.locator(".panels.waiting")).to_have_count(0)


@pytest.mark.full
@pytest.mark.parametrize("page", ["parameter_ledger"], indirect=True)
def test_the_ledger_shows_what_its_list_and_its_buttons_say(page: Page) -> None:
    figure = explorer(page, "parameter_ledger")
    figure.locator("select").select_option("512")
    said = parameter_ledger(4096, 512)
    words_of(figure, said.words(said.steps(**said.values)))
    for name, settings in (("Gemma 7B", (3072, 256, 3.0)), ("Llama-3 8B", (4096, 1024, 1.3))):
        figure.get_by_role("button", name=name).click()
        said = parameter_ledger(*settings)
        words_of(figure, said.words(said.steps(**said.values)))
        assert figure.locator("select").input_value() == str(settings[1])
    figure.get_by_role("button", name="multiplier 1", exact=True).click()
    said = parameter_ledger(4096, 1024)
    words_of(figure, said.words(said.steps(**said.values)))


@pytest.mark.parametrize("page", ["gate_flow"], indirect=True)
def test_another_gate_stands_where_it_was(page: Page) -> None:
    figure, fresh = explorer(page, "gate_flow"), gate_flow()
    begun = fresh.words(fresh.steps(**fresh.values))
    words_of(figure, begun)
    press(figure, 0, "End")
    figure.locator("select").select_option("5")
    turned = gate_flow(position=5)
    words_of(figure, turned.words(turned.steps(**turned.values)))
    figure.locator("select").select_option("3")
    words_of(figure, begun)


def test_of_three_sliders_one_moves_and_the_others_go_back(page: Page) -> None:
    figure = explorer(page, "three-sliders")
    readouts = figure.locator("output")
    start = readouts.all_inner_texts()
    press(figure, 0, "ArrowRight", 3)
    press(figure, 1, "ArrowRight")
    figure.locator(".state").get_by_text("went back").wait_for()
    expect(readouts.nth(1)).not_to_have_text(start[1])
    expect(readouts.nth(0)).to_have_text(start[0])


def test_what_follows_a_question_comes_after_a_commitment(page: Page) -> None:
    result = page.locator('[data-after="size"]')
    page.locator(".ask form").wait_for()
    assert not result.is_visible()
    page.get_by_role("radio", name="B no").check()
    page.get_by_role("button", name="Commit").click()
    result.wait_for()
    assert "42" in result.inner_text()
    assert "cell" not in page.locator(".ask").inner_text()  # there is none to run
    page.get_by_role("button", name="I have seen it").click()
    page.get_by_text("It came out as B").or_(page.get_by_text("Yes, B.")).wait_for()


@pytest.mark.parametrize(
    ("name", "scheme"),
    [
        ("00_page", "dark"),
        full("00_page", "light"),
        full("explorers/00_page-two-sliders", "dark"),
        full("explorers/00_page-two-sliders", "light"),
    ],
)
def test_axe_finds_no_violation(chromium: Browser, site: Path, name: str, scheme: str) -> None:
    context = chromium.new_context(viewport={"width": 1000, "height": 900}, color_scheme=scheme)
    page = context.new_page()
    page.goto((site / f"{name}.html").as_uri())
    assert violations(page) == []
    context.close()


def violations(page: Page) -> list[tuple[str, str]]:
    """What axe finds, by rule and first place, once every explorer is awake."""
    for figure in page.locator(".explorer").all():
        explorer(page, figure.get_attribute("data-cell"))
    found = Axe().run(page).response["violations"]
    return [(each["id"], each["nodes"][0]["html"][:200]) for each in found]


@pytest.mark.full
@pytest.mark.parametrize("name", [path.stem for path in sorted(LESSONS.glob("*.ipynb"))])
def test_every_page_of_the_course_is_light_and_axe_finds_nothing(chromium: Browser, tmp_path: Path, name: str) -> None:
    """With every position of every explorer, all questions answered, in both themes."""
    assert main([str(tmp_path / "site"), "--only", name]) == 0
    written = [*tmp_path.glob("site/*.html"), *tmp_path.glob("site/explorers/*.html")]
    assert max(path.stat().st_size for path in written) < 3e6
    for path in written:
        for scheme in ("light", "dark"):
            page = chromium.new_context(viewport={"width": 1000, "height": 900}, color_scheme=scheme).new_page()
            page.goto(path.as_uri())
            for ask in page.locator(".ask").all():  # in the page from the start; its form comes with the script
                ask.get_by_role("radio").first.check()
                ask.get_by_role("button", name="Commit").click()
            assert (path.name, violations(page)) == (path.name, [])
            page.context.close()


@pytest.mark.parametrize("scheme", [full("light"), "dark"])
def test_the_card_of_a_check_is_on_the_paper_of_its_page(chromium: Browser, site: Path, scheme: str) -> None:
    context = chromium.new_context(color_scheme=scheme)
    page = context.new_page()
    page.goto((site / "00_page.html").as_uri())
    code = page.locator(".output code").first
    colours = "e => [e.parentElement.parentElement, document.body].map(e => getComputedStyle(e)"
    for name in ("backgroundColor", "color"):
        card, whole = code.evaluate(f"{colours}.{name})")
        assert card == whole
    context.close()
