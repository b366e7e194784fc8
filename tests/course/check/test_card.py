"""What a notebook shows of a verdict: a sign, a word, what is compared, a nudge; and in print the same text as ever."""

import re
from html.parser import HTMLParser

import pytest
from course.check.test_every_exercise import ALL, JUDGED, numbers, told
from halves import half

from astra_edu.course.check import EXERCISES, ex1, ex2
from astra_edu.course.check.card import KINDS, STYLE, card
from astra_edu.course.check.verdict import NoAnswerError, Verdict, guessed
from astra_edu.course.widgets.palette import PALETTE


class Text(HTMLParser):
    """The words of a page, one line each, without its style."""

    def __init__(self, page):
        super().__init__()
        self.lines, self.open = [], []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.lines.append(data)


def words(thing):
    text = Text(thing._repr_html_())
    assert text.open == []
    return text.lines


def stub(*_, **__):
    raise NotImplementedError("How many of `npus`?")


@pytest.mark.parametrize(
    ("verdict", "plain", "shown"),
    [
        (Verdict(True, "Right: so it is."), "✓ Right: so it is.", ["✓", "Right", "So it is."]),
        (Verdict(True, "Proven for 2."), "✓ Proven for 2.", ["✓", "Right", "Proven for 2."]),
        (Verdict(False, "Too <small>."), "✗ Too <small>.", ["✗", "Not right yet", "Too <small>."]),
        (Verdict(None, "Not answered yet: How?"), "… Not answered yet: How?", ["…", "Not answered yet", "How?"]),
        (guessed("You said 1."), "→ You said 1.", ["→", "Noted", "You said 1."]),
        (Verdict(True, "Right. Why?", guess=True), "→ Right. Why?", ["→", "Noted", "Right. Why?"]),
    ],
)
def test_a_card_has_a_sign_and_a_word(verdict, plain, shown):
    assert repr(verdict) == plain
    assert words(verdict) == shown


def test_what_stands_between_backticks_is_code():
    assert "<code>npus</code>" in ex1.steps(stub)._repr_html_()
    assert "<code>&lt;b&gt;</code>" in Verdict(False, "`<b>`")._repr_html_()


def test_a_card_is_read_out_and_needs_neither_script_nor_ids():
    page = ex1.steps(lambda npus: npus)._repr_html_()
    assert 'role="status"' in page
    assert not re.search(r"<script|\bid=|\bon\w+=|http|@import|url\(", page)
    assert page == ex1.steps(lambda npus: npus)._repr_html_()


def test_expected_stands_beside_got():
    assert ex1.steps(lambda npus: 7).compared == (("for", "npus = 2"), ("you have", "7"), ("expected", "less"))
    assert words(ex1.steps(lambda npus: 7))[3:9] == ["for", "npus = 2", "you have", "7", "expected", "less"]
    assert dict(ex1.steps(lambda npus: npus).compared) == {"for": "npus = 3", "you have": "3", "expected": "more"}
    assert dict(ex1.steps(lambda npus: str(npus)).compared) == {"you return": "'2'", "expected": "a number"}
    assert dict(ex1.steps(lambda: 1).compared) == {"your function takes": "none", "it gets": "npus"}
    prediction = ex1.predicted_time(lambda: 40)
    assert dict(prediction.compared) == {"you said": "40 µs", "the simulator says": "79.481 µs"}
    assert ex1.steps(lambda npus: 2 * npus - 2).compared == ()


def test_an_error_of_an_answer_keeps_what_it_compares():
    assert NoAnswerError(False, "no", (("you return", "1"),)).verdict.compared == (("you return", "1"),)


@pytest.mark.parametrize("question", JUDGED, ids=repr)
def test_a_card_gives_no_right_value_away(question):
    """What is expected is a side or a form; all other numbers are the question's own or the student's."""
    for verdict in told(question):
        rows = dict(verdict.compared)
        if "simulator" not in str(rows):
            assert not numbers(rows.get("expected", "")) or rows["expected"] in verdict.message
            assert set(rows) <= {"for", "expected", "you return", "your function takes", "it gets"} | {
                label for label in rows if label.endswith("you have")
            }
        shown = words(verdict)
        assert shown[1] == verdict.kind.word
        assert "".join(shown).count(verdict.kind.word) >= 1


@pytest.mark.parametrize("question", half(ALL), ids=repr)
def test_a_verdict_knows_its_question(question):
    verdict = question.judge(stub)
    assert verdict.question.name == repr(question)
    assert verdict.question.exercise in EXERCISES
    assert verdict == Verdict(None, verdict.message)


def test_only_the_nudge_is_folded_into_a_card():
    page = ex2.crossover_mib(lambda **_: 1)._repr_html_()
    assert page.count("<details>") == 1
    assert "What does each MiB more take" in page
    assert "difference of two times" not in page
    assert "ex2.crossover_mib.hint()" in page
    assert "<details>" not in ex1.steps(lambda npus: 2 * npus - 2)._repr_html_()
    assert "<details>" not in ex1.predicted_time(stub)._repr_html_()


def test_the_colours_are_the_widgets_and_can_be_seen():
    shades = {kind.name: kind.colour for kind in KINDS}
    assert shades["wrong"] == PALETTE["reduce"]
    assert shades["noted"] == shades["hint"] == PALETTE["copy"]
    assert shades["open"] == PALETTE["soft"]
    assert shades["right"][0] == PALETTE["final"][0]
    for kind in KINDS:
        assert f".astra-is-{kind.name} {{ --astra-card: light-dark({kind.colour[0]}, {kind.colour[1]}); }}" in STYLE
        for colour, paper in zip(kind.colour, PALETTE["paper"], strict=True):
            assert contrast(colour, paper) > 3.5, kind


def contrast(one, other):
    """The ratio of two colours' luminances, as WCAG has it."""

    def luminance(colour):
        parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_what_is_in_a_card_can_make_no_tags():
    page = card(KINDS[1], "<b>", [("<i>", "<u>")], picture="<p>", word="<s>")
    assert not re.search(r"<[biu]>|<s>|<p><", page)
