"""How a verdict speaks: as text that nbval can compare, and as a card that works by keyboard and in any theme."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from widgets.checks.verdict import Step, Verdict

REFUSED = Verdict(
    exercise="rms_norm",
    passed=False,
    message="eps stands outside; see `x < y & z`.",
    symptom="Write `x < y & z`; see below.",
    printed="<b>3</b>",
    progress="1 of 6 done: 1. Next: 2.",
    mistake="eps outside the root",
    hints=("Look <here>.", "Then there.", "At last `here`."),
    steps=(Step("runs", True), Step("has the right values", False)),
    source="allenai/OLMo#281",
)
PASSED = Verdict("rms", True, "Everything that was tried holds.", steps=(Step("runs", True, "it also prints"),))
WAITING = Verdict("rms", False, "The cell is empty.", hints=("Begin.",), written=False)


class Tags(HTMLParser):
    """Every tag with the tags it lies in."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, ...]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        self.seen.append(tuple(self.open))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_text_says_what_was_tried() -> None:
    assert repr(REFUSED) == (
        "✗ rms_norm: not yet\n"
        "Write `x < y & z`; see below.\n"
        "  ✓ runs\n"
        "  ✗ has the right values\n"
        "  looks like: eps outside the root\n"
        "  hints: 3\n"
        "1 of 6 done: 1. Next: 2."
    )
    assert repr(PASSED) == "✓ rms: passed\nEverything that was tried holds.\n  ✓ runs: it also prints"
    assert repr(WAITING) == "○ rms: not written yet\nThe cell is empty.\n  hints: 1"


def test_the_text_is_no_number() -> None:
    """nbgrader takes an output that is a number for points."""
    for verdict in (REFUSED, PASSED, WAITING):
        with pytest.raises(ValueError):
            float(repr(verdict))


def test_require_raises_unless_passed() -> None:
    assert PASSED.require() is PASSED
    with pytest.raises(AssertionError, match=re.escape("rms_norm: eps stands outside; see `x < y & z`.")):
        REFUSED.require()


@pytest.mark.parametrize("verdict", [REFUSED, PASSED, WAITING], ids=["refused", "passed", "waiting"])
def test_the_card_is_plain_html(verdict: Verdict) -> None:
    card = verdict._repr_html_()
    tags = Tags(card)
    assert tags.open == []
    assert "script" not in card and " id=" not in card and " on" not in re.sub(r">[^<]*<", "><", card)
    assert card == verdict._repr_html_()
    styles = " ".join(re.findall(r'style="([^"]*)"', card))
    assert styles.count("var(--jp-") >= 4
    assert "#" not in re.sub(r"var\(--jp-[a-z0-9-]+, #[0-9a-f]{6}\)", "", styles), "a theme's colour, with a fallback"


def test_hints_open_one_at_a_time() -> None:
    """Every hint lies in the one before it, and nothing is open at first."""
    card = REFUSED._repr_html_()
    depths = [len([tag for tag in path if tag == "details"]) for path in Tags(card).seen if path[-1] == "details"]
    assert depths == [
        1,
        1,
        1,
        2,
        3,
        4,
    ]  # tried; printed; the mistake, in it hint 1, in that hint 2, ...
    assert "<details open" not in card
    assert [card.index(words) for words in ("Look", "Then", "At last")] == sorted(
        card.index(words) for words in ("Look", "Then", "At last")
    )
    assert "Hint" not in PASSED._repr_html_()


def test_the_symptom_is_open_and_the_mistake_one_click_away() -> None:
    card = REFUSED._repr_html_()
    open_part = card[: card.index("<details")]
    assert "see below" in open_part
    assert "eps" not in open_part and "eps outside the root" in card
    assert card.index("eps stands outside") < card.index("Seen in public code") < card.index("Hint 1 of 3")


def test_what_was_printed_is_shown_as_text() -> None:
    assert "<pre>&lt;b&gt;3&lt;/b&gt;</pre>" in REFUSED._repr_html_()


def test_half_a_character_does_not_lose_the_card() -> None:
    verdict = Verdict("rms", False, "It said \udcff.", printed="\ud800", hints=("\udfff",))
    for text in (repr(verdict), verdict._repr_html_()):
        assert text.encode() and "It said " in text
    with pytest.raises(AssertionError, match="It said"):
        verdict.require()


def test_the_card_escapes_and_links() -> None:
    card = REFUSED._repr_html_()
    assert "<code>x &lt; y &amp; z</code>" in card
    assert "Look &lt;here&gt;." in card
    assert 'href="https://github.com/allenai/OLMo/issues/281">allenai/OLMo#281</a>' in card


def test_a_mark_stands_beside_every_colour() -> None:
    assert [verdict.heading[0] for verdict in (PASSED, REFUSED, WAITING)] == ["✓", "✗", "○"]
    assert "✗ has the right values (<strong>broke here</strong>)" in REFUSED._repr_html_()
