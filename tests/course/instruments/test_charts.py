"""Lanes, curves and lines in an instrument's words and in its still picture."""

import re
from dataclasses import asdict
from html import unescape

import pytest
from course.instruments.everything import Everything

import astra_edu as ae


def test_lanes_and_curves_stand_in_the_summary_once_the_question_is_answered():
    shown = Everything()
    assert "The run" not in shown.summary()
    shown.predict("the link")
    lines = [" ".join(line.split()) for line in shown.summary().splitlines()]
    assert lines[lines.index("The run") + 1 :][:3] == [
        "from to (µs) what", "NPU 0 10 NPU 0 computes", "dimension 0 10 30 an all-reduce",
    ]  # fmt: skip
    assert "size (MiB) compute: time (µs) all-reduce: time (µs)" in lines
    assert "4 24" in lines


def test_open_lanes_are_in_the_still_picture_before_the_answer_without_their_time():
    shown = Everything()
    before = shown.still()
    assert "The run<" in before
    assert "30 µs" not in before
    shown.predict("the NPU")
    after = shown.still()
    assert "The run, 30 µs<" in after
    assert "Time by size: time (µs) over size (MiB)<" in after


def test_a_drawn_curve_is_committed_to_in_python_too():
    shown = Everything(ask="curve")
    found = shown.predict((21, 24, 36, 84))
    assert found.right
    assert shown.reply["value"] == (21.0, 24.0, 36.0, 84.0)


def test_a_scene_is_given_to_the_view_as_asdict_would_have_it():
    scene = ae.TrainingIteration().scene(ae.TrainingIteration.start)
    assert scene.data() == asdict(scene)


@pytest.mark.parametrize("name", ["HeldAgainstRuns", "CutTheModel", "Stages"])
def test_the_still_picture_says_what_parts_of_its_bars_are(name):
    shown = getattr(ae, name)()
    shown.dismiss()
    picture, words = shown.still(), []
    for text in re.finditer(r"<text [^>]*font-size=.11.[^>]*>([^<]*)</text>", picture):
        words.append(unescape(text[1]))
    for bars in shown.scene(shown.values).bars:
        looks = dict.fromkeys(part.look for bar in bars.bars for part in bar.parts)
        assert len(looks) == 1 or [word for word in words if word in looks][: len(looks)] == list(looks)
        del words[: len(looks) if len(looks) > 1 else 0]
        if bars.limit:
            assert words.pop(0) == f"thick line: {bars.limit}"
    assert words == []
    boxes = [
        float(x) + float(wide) for x, wide in re.findall(r'<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)"', picture)
    ]
    assert max(boxes) < 720
