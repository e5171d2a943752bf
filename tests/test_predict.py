"""The question before an experiment: what it says, what it keeps, what it refuses."""

import gc
import json
import weakref
from types import SimpleNamespace

import nbformat
import pytest
from IPython.core.interactiveshell import InteractiveShell
from ipywidgets.widgets.widget import _instances

from widgets import my_predictions, predict
from widgets.explorers import explorer, predictions
from widgets.explorers import predict as module

QUESTION = "You add 10 to every component. What does LayerNorm return?"
ANSWERS = ("10 more everywhere", "the same as before", "something else")


@pytest.fixture(autouse=True)
def a_folder_of_its_own(tmp_path, monkeypatch):
    """Nobody's predictions are read or written here."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    monkeypatch.setattr(module, "_left", {})
    return tmp_path


def commit(asked, choice, sure=False):
    """What the browser sends, in its order."""
    asked.set_state({"choice": choice})
    asked.set_state({"sure": sure})
    asked.set_state({"committed": True, "ran": False})


def restart(monkeypatch):
    """A new kernel remembers nothing but what is on disk."""
    monkeypatch.setattr(module, "_left", {})


def words_in_sight(asked):
    """Everything the form shows before a run."""
    answers = (words for pair in asked.answers for words in pair)
    return "\n".join([asked.question, *answers, *asked.said, *asked.buttons, asked.asking, asked.confidence])


def test_text_is_the_question_and_its_lettered_answers():
    assert repr(predict(QUESTION, *ANSWERS)) == (
        "You add 10 to every component. What does LayerNorm return?\n"
        "  A  10 more everywhere\n"
        "  B  the same as before\n"
        "  C  something else"
    )


def test_bundle_is_a_view_and_the_whole_text():
    asked = predict("Which of these two? " + "A long question. " * 20, "yes", "no")
    bundle, _ = asked._repr_mimebundle_()
    assert set(bundle) == {"application/vnd.jupyter.widget-view+json", "text/plain"}
    assert bundle["text/plain"] == repr(asked)
    assert asked.model_id not in bundle["text/plain"]


def test_nothing_is_chosen_before_the_learner_chooses():
    asked = predict("A fresh question?", "yes", "no")
    assert asked.choice == -1
    assert not asked.committed


def test_every_answer_has_its_sentence_and_none_is_marked_right():
    marked, unmarked = predict(QUESTION, *ANSWERS, right="B"), predict(QUESTION, *ANSWERS)
    assert marked.said == [
        'You committed to A: "10 more everywhere". Now run the next cell and see.',
        'You committed to B: "the same as before". Now run the next cell and see.',
        'You committed to C: "something else". Now run the next cell and see.',
    ]
    assert words_in_sight(marked) == words_in_sight(unmarked)
    assert repr(marked) == repr(unmarked)


@pytest.mark.parametrize(
    ("right", "choice", "sure", "words"),
    [
        ("B", 1, True, "Yes, B. You were sure"),
        ("B", 1, False, "Yes, B. You were guessing"),
        ("B", 0, True, "It came out as B. You were sure of A"),
        ("B", 2, False, "It came out as B, not C."),
        ("BC", 2, True, "Yes, C."),
        ("BC", 0, False, "It came out as B or C, not A."),
        (None, 0, True, 'You said A: "10 more everywhere". Is that what you saw?'),
    ],
)
def test_what_is_said_after_the_run(right, choice, sure, words):
    verdict = predict(QUESTION, *ANSWERS, right=right).verdicts[choice][0 if sure else 1]
    assert verdict.startswith(words)


@pytest.fixture
def shell(monkeypatch):
    """A real IPython without a front end, whose cells know our names."""
    shell = InteractiveShell()
    monkeypatch.setattr(module, "get_ipython", lambda: shell)
    monkeypatch.setattr(explorer, "get_ipython", lambda: None)
    shell.user_ns["predict"] = predict
    yield shell
    shell.history_manager.end_session()


def test_the_word_comes_after_the_next_cell_that_runs_well(shell):
    ask = "asked = predict('Which?', 'yes', 'no', right='A')"
    shell.run_cell(ask)
    asked = shell.user_ns["asked"]
    shell.run_cell("1 + 1")
    assert not asked.ran  # nobody has committed
    commit(asked, 1)
    assert not asked.ran
    shell.run_cell("1 / 0")
    assert not asked.ran  # it did not run well
    shell.run_cell(ask)
    asked = shell.user_ns["asked"]
    assert asked.committed and not asked.ran  # the question itself does not count
    shell.run_cell("1 + 1")
    assert asked.ran
    asked.set_state({"committed": False, "ran": False})
    shell.run_cell("1 + 1")
    assert not asked.ran


def test_a_form_that_is_closed_is_freed(shell):
    asked = predict("Which?", "yes", "no", right="A")
    commit(asked, 0)
    gone = weakref.ref(asked)
    asked.close()
    del asked
    gc.collect()
    assert gone() is None


def test_the_kernel_hears_of_runs_once(shell):
    for _ in range(3):
        predict("Which?", "yes", "no")
    assert shell.events.callbacks["post_run_cell"].count(module._after_run) == 1


def test_it_is_kept_when_somebody_commits(a_folder_of_its_own):
    asked = predict(QUESTION, *ANSWERS, right="B", topic="layernorm")
    asked.set_state({"choice": 2})
    assert list(a_folder_of_its_own.iterdir()) == []
    commit(asked, 2, sure=True)
    (entry,) = json.loads((a_folder_of_its_own / "predictions.json").read_text(encoding="utf-8"))
    assert entry.pop("date")[:2] == "20"
    assert len(entry.pop("answers")) == 16
    assert entry == {"question": QUESTION, "choice": "C", "sure": True, "right": False, "topic": "layernorm"}
    assert [path.name for path in a_folder_of_its_own.iterdir()] == ["predictions.json"]


def test_the_last_commitment_counts(monkeypatch):
    asked = predict(QUESTION, *ANSWERS, right="B", topic="layernorm")
    commit(asked, 2, sure=True)
    asked.set_state({"committed": False})
    commit(asked, 1)
    commit(predict(QUESTION, "yes", "no"), 0)
    assert [(each.choice, each.sure, each.right) for each in predictions.read()[0]] == [
        ("B", False, True),
        ("A", False, None),
    ]
    restart(monkeypatch)
    again = predict(QUESTION, *ANSWERS, right="B")
    assert (again.choice, again.sure, again.committed, again.ran) == (1, False, True, False)
    assert predict(QUESTION, *reversed(ANSWERS)).choice == -1


@pytest.mark.parametrize(
    "damage",
    [b"", b"{", b"\xff\xfe", b"7", b"null", b"[" * 100_000, b'[{"question": "cut of'],
    ids=lambda damage: repr(damage[:8]),
)
def test_a_damaged_file_breaks_nothing_and_is_put_aside(a_folder_of_its_own, damage):
    (a_folder_of_its_own / "predictions.json").write_bytes(damage)
    asked = predict(QUESTION, *ANSWERS, right="A")
    assert asked.choice == -1
    assert "cannot be read" in asked.problem
    assert "cannot be read" in repr(my_predictions())
    commit(asked, 0)
    assert asked.problem == "What was in predictions.json before is kept in predictions.damaged.json."
    assert (a_folder_of_its_own / "predictions.damaged.json").read_bytes() == damage
    assert [each.choice for each in predictions.read()[0]] == ["A"]


def test_entries_that_are_not_ours_are_passed_over(a_folder_of_its_own):
    commit(predict(QUESTION, *ANSWERS, right="A"), 0)
    file = a_folder_of_its_own / "predictions.json"
    ours = json.loads(file.read_text(encoding="utf-8"))[0]
    others = [3, {}, {**ours, "sure": 1}, {**ours, "question": None}, {**ours, "more": 1}, {**ours, "right": "A"}]
    file.write_text(json.dumps([*others, ours]), encoding="utf-8")
    assert predictions.read() == ([predictions.Kept(**ours)], "predictions.json holds something that is no prediction.")


THEIRS = [{"image": "cat.png", "prediction": "cat"}]


@pytest.mark.parametrize("content", [THEIRS, {"image": "cat.png"}, {}, "text", [[]]], ids=repr)
def test_a_file_of_somebodys_own_is_put_aside(a_folder_of_its_own, content):
    theirs = json.dumps(content, indent=3)
    (a_folder_of_its_own / "predictions.json").write_text(theirs, encoding="utf-8")
    asked = predict(QUESTION, *ANSWERS, right="A")
    assert "predictions.json holds something" in asked.problem
    commit(asked, 0)
    assert asked.problem == "What was in predictions.json before is kept in predictions.damaged.json."
    assert (a_folder_of_its_own / "predictions.damaged.json").read_text(encoding="utf-8") == theirs
    assert [each.choice for each in predictions.read()[0]] == ["A"]
    asked.set_state({"committed": False})
    commit(asked, 1)
    assert asked.problem == ""
    assert len(list(a_folder_of_its_own.iterdir())) == 2


def test_what_is_ours_among_something_else_is_kept_in_both(a_folder_of_its_own):
    commit(predict("An earlier question?", "yes", "no", right="B"), 1)
    file = a_folder_of_its_own / "predictions.json"
    both = json.dumps([*json.loads(file.read_text(encoding="utf-8")), *THEIRS])
    file.write_text(both, encoding="utf-8")
    assert len(my_predictions().kept) == 1
    commit(predict(QUESTION, *ANSWERS), 0)
    assert (a_folder_of_its_own / "predictions.damaged.json").read_text(encoding="utf-8") == both
    assert [(each.choice, each.right) for each in predictions.read()[0]] == [("B", True), ("A", None)]


def test_what_was_put_aside_before_stays(a_folder_of_its_own):
    for damage in ("one", "two", "three"):
        (a_folder_of_its_own / "predictions.json").write_text(damage, encoding="utf-8")
        commit(predict(f"After {damage}?", *ANSWERS), 0)
    aside = {path.name: path.read_text() for path in a_folder_of_its_own.glob("predictions.damaged*")}
    assert aside == {
        "predictions.damaged.json": "one",
        "predictions.damaged.2.json": "two",
        "predictions.damaged.3.json": "three",
    }


def test_a_choice_that_no_answer_has_is_forgotten(a_folder_of_its_own, monkeypatch):
    commit(predict(QUESTION, *ANSWERS), 0)
    file = a_folder_of_its_own / "predictions.json"
    for choice in ("D", "", "AB", "x"):
        restart(monkeypatch)
        file.write_text(file.read_text(encoding="utf-8").replace('"choice": "A"', f'"choice": "{choice}"'))
        assert predict(QUESTION, *ANSWERS).choice == -1
        file.write_text(file.read_text(encoding="utf-8").replace(f'"choice": "{choice}"', '"choice": "A"'))


def test_where_nothing_can_be_written_it_says_so(monkeypatch):
    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(predictions.os, "replace", refuse)
    asked = predict(QUESTION, *ANSWERS, right="A")
    commit(asked, 0)
    assert asked.committed
    assert asked.problem == "Your prediction counts, but it could not be kept in predictions.json: Permission denied."
    assert predict(QUESTION, *ANSWERS).choice == 0  # this kernel remembers


def test_the_tally(monkeypatch):
    assert repr(my_predictions()) == "No predictions yet."
    assert my_predictions()._repr_html_() == "<p>No predictions yet.</p>"
    for number, (choice, sure, right, topic) in enumerate(
        [(0, True, "A", "gating"), (1, True, "A", "gating"), (1, False, "AB", "gating"), (0, False, None, "<b>")]
    ):
        commit(predict(f"Question {number}?", "yes & no", "no", right=right, topic=topic), choice, sure)
    assert repr(my_predictions()).splitlines() == [
        "topic          answered    right   right when sure   right when guessing",
        "gating                3   2 of 3            1 of 2                1 of 1",
        "<b>                   1   0 of 0            0 of 0                0 of 0",
        "all together          4   2 of 3            1 of 2                1 of 1",
        "",
        "Worth another look:",
        "- Question 1?",
    ]
    html = my_predictions()._repr_html_()
    assert html.count("<tr>") == 4
    assert "&lt;b&gt;" in html and "<b>" not in html


def test_the_topic_is_the_notebooks_name(monkeypatch):
    for path, topic in (("a/02_rmsnorm.ipynb", "rmsnorm"), ("05_exercise_rmsnorm.ipynb", "exercise rmsnorm"), ("", "")):
        monkeypatch.setenv("JPY_SESSION_NAME", path)
        commit(predict(f"In {path}?", "yes", "no"), 0)
        assert predictions.read()[0][-1].topic == (topic or "general")


def test_hands_are_counted_out_of_a_students_way():
    asked = predict(QUESTION, *ANSWERS)
    assert not asked.counting
    assert predict(QUESTION, *ANSWERS, hands=True).counting
    asked.set_state({"hands": [3, 12, 0]})
    assert predict(QUESTION, *ANSWERS).hands == [3, 12, 0]
    assert my_predictions().kept == []


def test_a_cell_run_again_leaves_no_models_behind(monkeypatch):
    shell = SimpleNamespace(execution_count=1, user_ns={"In": ["", "predict(...)"]})
    monkeypatch.setattr(explorer, "get_ipython", lambda: shell)
    others = set(_instances)
    for _ in range(4):
        shell.execution_count += 1
        asked = predict("Asked four times?", "yes", "no")
    assert set(_instances) - others == {asked.model_id, asked.layout.model_id}


def test_asked_again_it_remembers_what_was_chosen():
    predict(QUESTION, *ANSWERS).set_state({"choice": 1, "committed": True})
    again = predict(QUESTION, *ANSWERS)
    assert (again.choice, again.committed) == (1, True)
    again.set_state({"committed": False})
    assert not predict(QUESTION, *ANSWERS).committed
    other_answers = predict(QUESTION, *reversed(ANSWERS))
    assert (other_answers.choice, other_answers.committed) == (-1, False)


def test_two_questions_are_independent():
    one, two = predict("The first?", "yes", "no"), predict("The second?", "yes", "no")
    one.set_state({"choice": 0, "committed": True})
    assert two.choice == -1
    assert one.comm is not None


@pytest.mark.parametrize(
    ("arguments", "kind", "sentence"),
    [
        ((QUESTION,), ValueError, "two to four answers.*got 0"),
        ((QUESTION, "only one"), ValueError, "two to four answers.*got 1"),
        ((QUESTION, *"abcde"), ValueError, "two to four answers.*got 5"),
        ((QUESTION, "yes", "no", "yes"), ValueError, "there once; got 'yes' twice"),
        ((QUESTION, "yes", "  "), ValueError, "got an empty text"),
        ((QUESTION, "yes", "\ud800"), ValueError, "each of them whole"),
        ((QUESTION, "yes", "x" * 2001), ValueError, "got 2001"),
        (("", "yes", "no"), ValueError, "got an empty text"),
        ((QUESTION, "yes", 3), TypeError, "got 3"),
        ((QUESTION, ["yes", "no"]), TypeError, r"got \['yes', 'no'\]"),
        ((None, "yes", "no"), TypeError, "got None"),
    ],
)
def test_what_it_refuses(arguments, kind, sentence):
    before = set(_instances)
    with pytest.raises(kind, match=sentence):
        predict(*arguments)
    assert set(_instances) == before


@pytest.mark.parametrize(
    ("arguments", "kind", "sentence"),
    [
        ({"right": "C"}, ValueError, "letters AB, each once; got 'C'"),
        ({"right": "AA"}, ValueError, "each once; got 'AA'"),
        ({"right": "b"}, ValueError, "got 'b'"),
        ({"right": ""}, ValueError, "got ''"),
        ({"right": 1}, TypeError, "got 1"),
        ({"right": ["A"]}, TypeError, r"got \['A'\]"),
        ({"topic": 3}, TypeError, "got 3"),
        ({"topic": " "}, ValueError, "got an empty text"),
        ({"topic": "x" * 41}, ValueError, "got 41"),
        ({"hands": 12}, TypeError, "True or False; got 12"),
    ],
)
def test_what_else_it_refuses(arguments, kind, sentence):
    with pytest.raises(kind, match=sentence):
        predict(QUESTION, "yes", "no", **arguments)


CELLS = {
    "imports": "from widgets import predict",
    "ask": "predict('What is 6 x 7?', 'less than 42', '42', 'more than 42', right='B')",
    "run": "6 * 7",
    "next": "'the next'",
}
COUNT = "id => window.lesson.content.widgets.find(cell => cell.model.id === id).model.executionCount"


@pytest.fixture
def folder(served):
    """A folder that JupyterLab serves: one notebook with one question."""
    folder = served / "questions"
    folder.mkdir()
    cells = [nbformat.v4.new_code_cell(source, id=name) for name, source in CELLS.items()]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}}
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=kernel), folder / "03_hard_questions.ipynb")
    return folder


@pytest.mark.full  # the ordinary run answers questions on web pages only (test_site_browser.py)
def test_in_jupyterlab_by_keyboard_and_by_mouse(open_lesson, folder):
    """JupyterLab takes arrows and Enter for its cells; here they must reach the answers and the buttons."""
    lesson = open_lesson("questions/03_hard_questions.ipynb")
    lesson.run("imports")
    lesson.run("ask")
    before = lesson.ask(COUNT, "ask")
    place, keys = lesson.page.locator(".prediction"), lesson.page.keyboard
    form = place.get_by_role("group", name="What is 6 x 7?")
    form.wait_for()  # the view comes after the run; all() would not wait for it
    said, answers = place.get_by_role("status"), form.get_by_role("radio").all()

    answers[0].focus()
    for key in ("Space", "ArrowDown", "ArrowDown"):
        keys.press(key)
    assert [answer.is_checked() for answer in answers] == [False, False, True]
    for key in ("Tab", "Space", "Tab", "Enter"):  # sure of it, and committed
        keys.press(key)
    assert said.inner_text() == 'You committed to C: "more than 42". Now run the next cell and see.'
    assert all(answer.is_disabled() for answer in answers)
    assert form.get_by_role("checkbox").is_checked()

    # A commitment goes another way than cells do, and the next cell could end before it is heard.
    lesson.until((folder / "predictions.json").exists, "the prediction is written down")  # put there whole
    keys.press("Shift+Enter")  # the next cell is the active one, so this runs the experiment and not the question again
    place.get_by_text("It came out as B. You were sure of C, so this is the one to remember.").wait_for()
    assert lesson.ask(COUNT, "ask") == before
    lesson.page.wait_for_function(f"count => ({COUNT})('run') === count", arg=before + 1)  # set after the reply
    (entry,) = json.loads((folder / "predictions.json").read_text(encoding="utf-8"))
    assert (entry["choice"], entry["sure"], entry["right"], entry["topic"]) == ("C", True, False, "hard questions")

    form.get_by_role("button", name="Change my mind").focus()
    keys.press("Enter")
    assert said.inner_text() == "Choose an answer and commit to it. Then run the next cell."
    form.get_by_role("radio", name="less than 42").click()
    form.get_by_role("button", name="Commit").click()
    assert said.inner_text() == 'You committed to A: "less than 42". Now run the next cell and see.'
    form.get_by_role("button", name="I have run it").click()
    place.get_by_text("It came out as B. You were sure of A").wait_for()

    form.get_by_role("button", name="Show of hands").click()
    form.get_by_label("hands for A").fill("10")
    form.get_by_label("hands for B").fill("30")
    keys.press("Tab")
    form.get_by_text("75 %").wait_for()
    assert lesson.complaints == []
