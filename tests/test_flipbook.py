"""The flipbook: what the browser will set, at each position, is what matplotlib draws there."""

from __future__ import annotations

import inspect
import io
import json
import re
from xml.etree import ElementTree

import matplotlib
import numpy as np
import pytest
from matplotlib import _path, rc_context, rcParams
from matplotlib.backends.backend_svg import FigureCanvasSVG, RendererSVG
from matplotlib.figure import Figure
from matplotlib.path import Path

from widgets.flipbook.controls import Slider
from widgets.flipbook.flipbook import Flipbook
from widgets.flipbook.lanes import split
from widgets.flipbook.svg import PRIVATE

POSITIONS = [float(k) for k in range(7)]


class Drawing:
    """A picture: these figures, and the artists that move."""

    def __init__(self, figures, moving=(), covers=None):
        self.panels = [figures] if isinstance(figures, Figure) else figures
        self.moving, self.covers = list(moving), covers or {}


def book(figures, show=lambda: "words", moving=(), positions=None, start=None, **covers) -> Flipbook:
    """A flipbook of these figures; positions: slider -> its positions, start: slider -> where it begins."""
    sliders = {name: Slider(name, at, (start or {}).get(name, 0.0)) for name, at in (positions or {}).items()}
    return Flipbook(lambda: Drawing(figures, moving, covers), show, sliders)


def played(flipbook: Flipbook, position: int, panel: int = 0) -> ElementTree.Element:
    """One panel at one position of the slider k."""
    return assembled(flipbook.stages[panel], flipbook.k_reel, position)


def assembled(stage: str, reel: dict, position: int) -> ElementTree.Element:
    """One panel at one position of a reel, put together as player.js does it."""
    stage = re.sub(r'<g data-gap="(\d+)"></g>', lambda gap: reel["marks"][int(gap[1])], stage)
    root = ElementTree.fromstring(stage)
    elements = {e.attrib.pop("data-moves"): e for e in root.iter() if "data-moves" in e.attrib}
    for element, attribute, parts in reel["tracks"]:
        value = "".join(p if isinstance(p, str) else str(reel["columns"][p][position]) for p in parts)
        moved = elements.get(str(element))  # None: it is in another panel
        if moved is not None and attribute:
            moved.set(attribute, value)
        elif moved is not None:
            moved.text = value
    return root


def drawn(figure: Figure) -> ElementTree.Element:
    """The same figure, written by matplotlib itself."""
    file = io.StringIO()
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "salt"}):
        FigureCanvasSVG(figure).print_svg(file)
    return ElementTree.fromstring(file.getvalue())


def marks_of(root: ElementTree.Element, tags: tuple[str, ...] = ("path", "text", "use")) -> list[tuple]:
    """Visible marks: tag, numbers of the outline or place rounded to a twentieth of a point, text, colours."""
    found = []

    def walk(element: ElementTree.Element) -> None:
        tag = element.tag.split("}")[-1]
        if tag == "defs" or element.get("display") == "none":
            return
        if tag in tags:
            place = element.get("d") or f"{element.get('x')} {element.get('y')}"
            numbers = tuple(float(n) for n in re.findall(r"-?\d+\.?\d*(?:e-?\d+)?", place))
            if len(numbers) == 10 and numbers[-2:] == numbers[:2]:  # a rectangle that matplotlib clips goes back itself
                numbers = numbers[:-2]
            style = element.get("style") or ""
            looks = re.findall(r"(?:fill|stroke|stroke-dasharray|opacity|stroke-width|text-anchor): ([^;u]+)", style)
            found.append((tag, numbers, (element.text or "").strip(), tuple(looks)))
        for child in element:
            walk(child)

    walk(root)
    return found


def assert_same_marks(played_marks: list[tuple], drawn_marks: list[tuple]) -> None:
    """The same marks in the same order; places within the two decimals that travel."""
    assert [(m[0], m[2], m[3], len(m[1])) for m in played_marks] == [(m[0], m[2], m[3], len(m[1])) for m in drawn_marks]
    for mine, theirs in zip(played_marks, drawn_marks, strict=True):
        np.testing.assert_allclose(mine[1], theirs[1], atol=0.0051)


def blank() -> tuple[Figure, object]:
    figure = Figure(figsize=(4, 3), dpi=72)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set(xlim=(0, 8), ylim=(-3, 9))
    return figure, axes


def bars_and_texts(axes):
    bars = list(axes.bar([1, 2, 3], [1, 1, 1]))
    texts = [axes.text(k, 0, "", ha=ha) for k, ha in enumerate(("left", "center", "right"))]

    def show(k):
        for j, (bar, text) in enumerate(zip(bars, texts, strict=True)):
            bar.set_height((k - 3) * (j + 1) / 3)
            text.set_position((j + k / 7, k / 3))
            text.set_text(f"{k * j:.1f} <&> “x”")

    return [*bars, *texts], show


def lines_and_points(axes):
    line = axes.plot(range(9), np.zeros(9), "o--", color="#d9731a")[0]
    points = axes.scatter([1, 2], [3, 4], s=50)

    def show(k):
        line.set_ydata(np.sin(np.arange(9) + k))
        points.set_offsets([[1 + k / 9, 3], [2, 4 + k / 9]])

    return [line, points], show


def areas_and_arrows(axes):
    area = axes.fill_between(range(8), 0, 1, hatch="//", facecolor="#1f5fae")
    arrow = axes.annotate("here", (1, 1), (3, 3), arrowprops={"arrowstyle": "->"})

    def show(k):
        area.set_verts([[[0, 0], [8, 0], [8, k / 2 + 1], [0, 1]]])
        arrow.xy = (1 + k / 5, 1)

    return [area, arrow], show


def looks_that_change(axes):
    bar = axes.bar([1], [2])[0]
    line = axes.plot([0, 5], [0, 5])[0]
    text = axes.text(3, 3, "a")

    def show(k):
        bar.set_facecolor("#0e7c66" if k % 2 else "#8f4fa8")
        bar.set_hatch("//" if k > 3 else None)
        line.set_linestyle("--" if k > 2 else "-")
        line.set_color("#b5333f" if k > 4 else "#1f2a33")
        text.set_fontsize(9 + k)
        text.set_va("top" if k > 3 else "baseline")

    return [bar, line, text], show


def artists_that_come_and_go(axes):
    bar = axes.bar([1], [2])[0]
    text = axes.text(3, 3, "")
    points = axes.scatter([], [])

    def show(k):
        bar.set_visible(k % 3 != 0)
        bar.set_height(k + 1)
        text.set_text("" if k < 4 else f"now {k}")
        points.set_offsets(np.array([[j, j] for j in range(int(k))]).reshape(-1, 2))

    return [bar, text, points], show


def moving_limits(axes):
    bar = axes.bar([1], [2])[0]
    text = axes.text(1, 1, "fixed in the data")

    def show(k):
        axes.set_ylim(-3 - k, 9 + k)
        for artist in (bar, text):
            artist.stale = True

    return [bar, text], show


SCENES = [
    bars_and_texts,
    lines_and_points,
    areas_and_arrows,
    looks_that_change,
    artists_that_come_and_go,
    moving_limits,
]


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.__name__)
def test_plays_what_matplotlib_draws(scene):
    figure, axes = blank()
    moving, show = scene(axes)
    flipbook = book(figure, lambda k: show(k) or f"position {k:g}", moving, {"k": POSITIONS})
    for position, k in enumerate(POSITIONS):
        show(k)
        assert_same_marks(marks_of(played(flipbook, position)), marks_of(drawn(figure)))


def test_three_dimensional_axes_move():
    figure = Figure(figsize=(4, 3), dpi=72)
    axes = figure.add_axes((0, 0, 1, 1), projection="3d")
    line = axes.plot([0, 1], [0, 1], [0, 1])[0]

    def show(k):
        axes.view_init(20, 10 * k)
        line.set_data_3d([0, 1], [0, 1], [0, k])
        return "turned"

    flipbook = book(figure, show, [axes], {"k": POSITIONS})
    for position, k in enumerate(POSITIONS):
        show(k)
        assert_same_marks(marks_of(played(flipbook, position)), marks_of(drawn(figure)))


def test_the_stage_keeps_matplotlibs_order():
    """A fixed line above the bars stays above them: the gap for a bar is where the bar would have been drawn."""
    figure, axes = blank()
    bar = axes.bar([1], [2], zorder=1)[0]
    axes.axhline(1, color="#b5333f", zorder=5)
    flipbook = book(figure, lambda k: bar.set_height(k) or "bar", [bar], {"k": POSITIONS})
    (stage,) = flipbook.stages
    assert stage.index('data-gap="0"') < stage.index("#b5333f")


def test_the_words_follow_the_position():
    figure, axes = blank()
    flipbook = book(figure, lambda k: f"position {k:g} of {6}", [axes.text(0, 0, "")], {"k": POSITIONS})
    words = flipbook.k_reel["words"]
    said = [
        "".join(str(w) if isinstance(w, str) else str(flipbook.k_reel["columns"][w][k]) for w in words) for k in (0, 6)
    ]
    assert said == ["position 0 of 6", "position 6 of 6"]


def test_words_that_are_no_finite_number_travel_as_text():
    """JSON knows no NaN and no infinity; JavaScript would round the last one to ...000."""
    figure, axes = blank()
    said = ["0", "nan", "inf", "-inf", "12345678901234567168", "5", "6"]
    flipbook = book(figure, lambda k: said[int(k)], [axes.text(0, 0, "")], {"k": POSITIONS})
    reel = json.loads(json.dumps(flipbook.k_reel, allow_nan=False))
    assert reel["columns"][reel["words"][0]] == [0, *said[1:5], 5, 6]


def test_each_slider_has_a_reel_made_when_the_browser_asks():
    figure, axes = blank()
    bar = axes.bar([1], [2])[0]

    def show(height, width):
        bar.set_height(height)
        bar.set_width(width)
        return f"{height:g} by {width:g}"

    positions = {"height": [1.0, 2.0, 3.0], "width": [0.5, 1.0]}
    flipbook = book(figure, show, [bar], positions, {"height": 2.0, "width": 1.0})
    assert flipbook.height_reel["at"] == {"width": 1.0}
    assert flipbook.width_reel == {}
    flipbook._handle_custom_msg({"record": "width", "at": {"height": 3.01, "width": 0.5}}, [])
    assert flipbook.width_reel["at"] == {"height": 3.0}
    flipbook._handle_custom_msg({"record": "height", "at": {"height": 3.0, "width": 0.5}}, [])
    assert flipbook.height_reel["at"] == {"width": 0.5}


def test_the_same_answer_is_not_drawn_twice():
    figure, axes = blank()
    calls = []
    flipbook = book(figure, lambda k: calls.append(k) or "k", [axes.text(0, 0, "a")], {"k": POSITIONS})
    before = len(calls)
    flipbook._handle_custom_msg({"record": "k", "at": {"k": 2.0}}, [])
    assert len(calls) == before


def test_an_error_while_drawing_is_said_to_the_person():
    figure, axes = blank()

    def show(k, j):
        if j == 1.0:
            raise ValueError("no such place")
        return "fine"

    flipbook = book(figure, show, [axes.text(0, 0, "a")], {"k": POSITIONS, "j": [0.0, 1.0]})
    before = flipbook.k_reel
    flipbook._handle_custom_msg({"record": "j", "at": {"k": 2.0, "j": 0.0}}, [])
    assert "no such place" in flipbook.problem
    assert flipbook.k_reel == before


def test_an_artist_that_moves_without_being_listed_is_refused():
    figure, axes = blank()
    bar, forgotten = axes.bar([1], [2])[0], axes.text(0, 0, "forgotten")

    def show(k):
        bar.set_height(k)
        forgotten.set_text(f"{k}")
        return "words"

    with pytest.raises(ValueError, match="listed in `moving`"):
        book(figure, show, [bar], {"k": POSITIONS})


def test_an_artist_of_another_figure_is_refused():
    figure, _ = blank()
    _, elsewhere = blank()
    with pytest.raises(ValueError, match="drawn by the figure"):
        book(figure, lambda k: "words", [elsewhere.text(0, 0, "a")], {"k": POSITIONS})


@pytest.mark.parametrize("positions", [[], [1.0, 1.0], [2.0, 1.0], [0.0, float("nan")]])
def test_positions_that_do_not_rise_are_refused(positions):
    figure, axes = blank()
    with pytest.raises(ValueError, match="to rise"):
        book(figure, lambda k: "words", [axes.text(0, 0, "a")], {"k": positions})


def test_a_recording_too_large_to_send_is_refused():
    figure, axes = blank()
    line = axes.plot(np.linspace(0, 8, 4000), np.zeros(4000))[0]
    noise = np.random.default_rng(0)
    with pytest.raises(ValueError, match="fewer"):
        book(
            figure,
            lambda k: line.set_ydata(noise.normal(size=4000)) or "noise",
            [line],
            {"k": np.arange(201.0)},
        )


def test_a_figure_that_stands_still_needs_only_words():
    figure, axes = blank()
    axes.plot([0, 1], [0, 1])
    flipbook = book(figure, lambda: "a line that rises")
    assert "<path" in flipbook.stages[0]
    assert flipbook.said == "a line that rises"
    assert flipbook.presets == []
    assert flipbook.values == {}


def test_two_flipbooks_of_one_picture_share_nothing():
    books = []
    for _ in range(2):
        figure, axes = blank()
        moving, show = lines_and_points(axes)
        books.append(book(figure, lambda k, show=show: show(k) or "k", moving, {"k": POSITIONS}))
    assert books[0].stages == books[1].stages  # no id depends on chance: each view gives its own
    assert books[0].k_reel["marks"] == books[1].k_reel["marks"]


def test_another_picture_is_painted_with_the_sliders_where_they_are():
    scenes = iter((lines_and_points, bars_and_texts))
    now = {}

    def paint():
        figure, axes = blank()
        moving, now["show"] = next(scenes)(axes)
        return Drawing(figure, moving)

    flipbook = Flipbook(paint, lambda k: now["show"](k) or f"position {k:g}", {"k": Slider("k", POSITIONS, 2.0)})
    before = flipbook.stages
    flipbook.redraw()
    assert flipbook.stages != before
    assert (flipbook.said, flipbook.k) == ("position 2", 2.0)
    with pytest.raises(StopIteration):
        flipbook.redraw(k=3.0)
    assert (flipbook.said, flipbook.k) == ("position 2", 2.0)
    assert flipbook.png().startswith(b"\x89PNG")


def test_the_panels_of_a_picture_share_its_reel():
    figures, moving, shows = [], [], []
    for scene in (bars_and_texts, lines_and_points):
        figure, axes = blank()
        artists, show = scene(axes)
        figures, moving, shows = [*figures, figure], [*moving, *artists], [*shows, show]

    def show_both(k):
        return [show(k) for show in shows] and f"{k:g}"

    flipbook = book(figures, show_both, moving, {"k": POSITIONS})
    for position, k in enumerate(POSITIONS):
        show_both(k)
        for panel, figure in enumerate(figures):
            assert_same_marks(marks_of(played(flipbook, position, panel)), marks_of(drawn(figure)))
    ids = re.findall(r' id="([^"]+)"', "".join((*flipbook.stages, *flipbook.k_reel["defs"], *flipbook.k_reel["marks"])))
    assert len(ids) == len(set(ids)) > 1


def test_covers_are_told_in_per_cent_of_their_panel():
    figure, axes = blank()  # 288 by 216 points
    flipbook = book(
        [figure], lambda k: "k", [axes.text(0, 0, "a")], {"k": POSITIONS}, **{"the result": [(0, 72, 54, 144, 27)]}
    )
    assert flipbook.covers == [{"name": "the result", "boxes": [[0, 25.0, 62.5, 50.0, 12.5]]}]


def test_a_notebooks_style_does_not_reach_a_picture_and_survives_it():
    loud = {"path.sketch": (1, 100, 2), "text.usetex": True, "font.size": 30.0, "lines.linewidth": 9.0}
    assert _styled(loud) == _styled({})


def _styled(settings):
    with rc_context(settings):
        before = dict(rcParams)
        now = {}

        def paint():
            figure, axes = blank()
            axes.plot([0, 1], [0, 1])
            moving, now["show"] = bars_and_texts(axes)
            return Drawing(figure, moving)

        flipbook = Flipbook(paint, lambda k: now["show"](k) or "k", {"k": Slider("k", POSITIONS, 0.0)})
        assert dict(rcParams) == before
        return flipbook.stages, flipbook.k_reel, flipbook.png()


@pytest.mark.parametrize(
    ("values", "parts"),
    [
        (["a 1 b", "a 2 b"], ["a ", ["1", "2"], " b"]),
        (["1", "2"], [["1", "2"]]),
        (["x  1", "x  2"], ["x  ", ["1", "2"]]),
        (["one two", "three"], [["one two", "three"]]),
        (["1 a", "2 a"], [["1", "2"], " a"]),
        (["at 0. Move on.", "at 1. Since 0: 2."], ["at ", ["0", "1"], ". ", ["Move on.", "Since 0: 2."]]),
        (["a. b", "c"], [["a. b", "c"]]),
        (["same", "same"], ["same"]),
    ],
)
def test_split_puts_what_differs_in_columns(values, parts):
    assert split(values) == parts
    assert ["".join(p if isinstance(p, str) else p[k] for p in parts) for k in range(2)] == values


@pytest.mark.parametrize("name", PRIVATE)
def test_matplotlib_still_has_what_the_renderer_builds_on(name):
    missing = (
        f"matplotlib {matplotlib.__version__} has changed RendererSVG.{name}, on which widgets/flipbook/svg.py builds"
    )
    method = getattr(RendererSVG, name, None)
    assert method is not None, missing
    assert list(inspect.signature(method).parameters)[1:] == PRIVATE[name], missing


def test_matplotlib_still_writes_paths_as_the_renderer_asks():
    """_path.convert_to_string(path, transform, clip, simplify, sketch, precision, codes, postfix) is not public."""
    path, codes = Path([(0, 1), (2.126, 3)]), [b"M", b"L", b"Q", b"C", b"z"]
    text = _path.convert_to_string(path, None, None, False, None, 2, codes, False)
    assert text.replace(b"\n", b"").strip() in (b"M0 1L2.13 3", b"M 0 1 L 2.13 3")


def test_a_stop_stands_where_its_position_is():
    slider = Slider("k", [0.0, 1.0, 2.0, 5.0], 0.0, stops={"first": 0.0, "one": 1.1, "last": 9.0})
    assert slider.described()["stops"] == [["first", 0, 0.0], ["one", 1, 33.33], ["last", 3, 100.0]]


def test_a_slider_with_one_position_has_its_stop_at_the_start():
    assert Slider("k", [2.0], 2.0, stops={"all": 2.0}).described()["stops"] == [["all", 0, 0.0]]


def test_the_shape_of_several_panels_is_told_in_points():
    """Side by side, and one below the other."""
    flipbook = book([Figure(figsize=(3, 2)), Figure(figsize=(4, 2.5))])
    assert flipbook.shape == {"across": 504, "tallest": 180, "widest": 288, "down": 324}


def test_a_reel_brings_no_definition_that_its_stage_has():
    figure, axes = blank()
    axes.plot([0, 1], [0, 1], "o")
    (line,) = axes.plot([], [], "s-")
    flipbook = book(figure, lambda k: line.set_data([0, k], [0, 1]) or "k", [line], {"k": POSITIONS})
    at_home, brought = (
        set(re.findall(r'id="([^"]+)"', str(at))) for at in (flipbook.stages[0], flipbook.k_reel["defs"])
    )
    assert at_home and brought and not at_home & brought


def test_the_colour_of_a_text_is_a_style():
    """An attribute `fill` would give way to any rule of the page's."""
    figure, axes = blank()
    axes.text(1, 1, "red", color="#ff0000")
    text = next(e for e in ElementTree.fromstring(book(figure).stages[0]).iter() if (e.text or "") == "red")
    assert "fill: #ff0000" in text.get("style", "") and text.get("fill") is None
