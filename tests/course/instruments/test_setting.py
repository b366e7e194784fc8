"""Settings: their values, their line of text, and what is said of those there aren't."""

import pytest

import astra_edu as ae
from astra_edu.course.instruments.setting import Setting, as_text, checked, from_text, only

SETTINGS = (
    Setting("model", "model", ("gpt2", "gpt3"), menu=True),
    Setting("tensor", "tensor group", (1, 2, 4, 8), "NPUs"),
    Setting("fast", "fast", (False, True), words=lambda on: "on" if on else "off"),
)
START = {"model": "gpt2", "tensor": 2, "fast": False}


def test_a_line_of_text_leads_back_to_its_values():
    for tensor in (1, 8):
        for fast in (False, True):
            values = START | {"tensor": tensor, "fast": fast}
            assert from_text(SETTINGS, as_text(values)) == values


def test_what_is_left_out_is_as_at_the_start():
    assert checked(SETTINGS, from_text(SETTINGS, "tensor=8"), START) == START | {"tensor": 8}


def test_a_value_is_called_as_it_stands_beside_its_control():
    assert [SETTINGS[1].called(4), SETTINGS[2].called(True), SETTINGS[0].called("gpt3")] == ["4 NPUs", "on", "gpt3"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("tensor", "'tensor' is no setting; one is written as in 'model=gpt2'"),
        ("tensro=2", "did you mean 'tensor'"),
        ("tensor=3", "tensor is '3'; Allowed: 1, 2, 4, 8"),
        ("model=gtp3", "did you mean 'gpt3'"),
    ],
)
def test_what_is_no_setting_is_refused(text, words):
    with pytest.raises(ae.ConfigError) as said:
        from_text(SETTINGS, text)
    assert words in str(said.value)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"tensor": 5}, "tensor is 5; there are 1, 2, 4, 8; the nearest is 4."),
        ({"model": "gpt4"}, "did you mean"),
        ({"tensor": None}, "tensor is None; there are 1, 2, 4, 8."),
        ({"size": 1}, "setting is 'size'"),
    ],
)
def test_what_is_no_value_is_refused_with_the_nearest(given, words):
    with pytest.raises(ae.ConfigError) as said:
        checked(SETTINGS, given, START)
    assert words in str(said.value)


@pytest.mark.parametrize("value", ["one at a time", "a=b", "50%", "two\nlines", "µs"])
def test_whatever_a_value_is_called_its_line_of_text_leads_back_to_it(value):
    setting = Setting("order", "order", ("gpipe", value))
    text = as_text({"order": value, "tensor": 2})
    assert len(text.split()) == 2
    assert from_text((setting, SETTINGS[1]), text) == {"order": value, "tensor": 2}


def test_only_those_named_can_be_moved_and_what_is_none_is_refused():
    fixed = only(SETTINGS, ("tensor",))
    assert [setting.name for setting in fixed if setting.shown(START)] == ["tensor"]
    assert only(SETTINGS, ()) == SETTINGS
    with pytest.raises(ae.ConfigError, match="did you mean 'tensor'"):
        only(SETTINGS, ("tensro",))


def test_what_can_stand_in_a_line_of_text_stands_there_as_it_is():
    assert as_text({"size": 0.5, "placement": "0,1/2+3"}) == "size=0.5 placement=0,1/2+3"


@pytest.mark.parametrize(("value", "unit", "said"), [(1, "ns", "1 ns"), (1, "NPUs", "1 NPU"), (2, "NPUs", "2 NPUs")])
def test_one_of_a_thing_is_said_in_the_singular_and_units_stay(value, unit, said):
    assert Setting("x", "x", (value,), unit).called(value) == said
