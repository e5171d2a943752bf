"""The question before an experiment: what it says, what it keeps, what it refuses."""

from types import SimpleNamespace

import pytest
from ipywidgets.widgets.widget import _instances

from widgets import predict
from widgets.explorers import explorer

QUESTION = "You add 10 to every component. What does LayerNorm return?"
ANSWERS = ("10 more everywhere", "the same as before", "something else")


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
    said = predict(QUESTION, *ANSWERS).said
    assert said == [
        "You committed to A: “10 more everywhere”. Now run the next cell and see.",
        "You committed to B: “the same as before”. Now run the next cell and see.",
        "You committed to C: “something else”. Now run the next cell and see.",
    ]


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
        (("", "yes", "no"), ValueError, "got an empty text"),
        ((QUESTION, "yes", 3), TypeError, "got 3 of type int"),
        ((QUESTION, ["yes", "no"]), TypeError, "of type list"),
        ((None, "yes", "no"), TypeError, "got None of type NoneType"),
    ],
)
def test_what_it_refuses(arguments, kind, sentence):
    before = set(_instances)
    with pytest.raises(kind, match=sentence):
        predict(*arguments)
    assert set(_instances) == before


def test_in_jupyterlab_by_keyboard_and_by_mouse(open_lesson):
    """JupyterLab takes arrows and Enter for its cells; here they must reach the answers and the buttons."""
    lesson = open_lesson("01_layernorm.ipynb")
    lesson.run("imports")
    lesson.run("divisor-ask")
    place, keys = lesson.show("divisor-ask"), lesson.page.keyboard
    question = "We found the variance 17/9 = 1.8889. What does x.var() say, called without arguments?"
    form = place.get_by_role("group", name=question)
    said, answers = place.get_by_role("status"), form.get_by_role("radio").all()

    answers[0].focus()
    for key in ("Space", "ArrowDown", "ArrowDown"):
        keys.press(key)
    assert [answer.is_checked() for answer in answers] == [False, False, True]
    keys.press("Tab")
    keys.press("Enter")
    assert said.inner_text() == "You committed to C: “a little more”. Now run the next cell and see."
    assert all(answer.is_disabled() for answer in answers)

    keys.press("Shift+Enter")  # runs the cell again, as everywhere in JupyterLab, and moves on to the next
    lesson.page.wait_for_function("lesson.content.activeCell.model.id === 'divisor-run'")
    lesson.show("divisor-ask").get_by_text("You committed to C").wait_for()
    form.get_by_role("button", name="Change my mind").focus()
    keys.press("Enter")
    assert said.inner_text() == "Choose an answer and commit to it. Then run the next cell."

    form.get_by_role("radio", name="also 1.8889").click()
    form.get_by_role("button", name="Commit").click()
    assert said.inner_text() == "You committed to B: “also 1.8889”. Now run the next cell and see."
    assert lesson.complaints == []
