"""Steps as one picture that plays without a script: at every moment it shows just what that step's picture shows."""

from __future__ import annotations

import re
from base64 import b64decode
from xml.etree import ElementTree as ET

import pytest

pytest.importorskip("anywidget")

import astra_edu as ae
from astra_edu.course.widgets.film import SVG, film
from astra_edu.course.widgets.view import FILM, MOST_OF_A_FILM

SILENT = {f"{{{SVG}}}{name}" for name in ("title", "desc", "animate")}


def leaves(element, frame=None):
    """What is drawn, in its order; of a film, what is there in a frame."""
    for child in element:
        animate = child.find(f"{{{SVG}}}animate")
        if frame is not None and animate is not None and animate.get("values").split(";")[frame] == "0":
            continue
        if child.tag in SILENT:
            continue
        if child.tag == f"{{{SVG}}}g":
            yield from leaves(child, frame)
        else:
            yield child.tag, tuple(sorted(child.attrib.items())), "".join(child.itertext())


FRAMES = {
    "player": lambda: ae.Player(ae.schedule("all-reduce", "ring", 5), topology="Ring").frames(),
    "tree": lambda: ae.Player(ae.schedule("all-reduce", "double-binary-tree", 4)).frames(),
    "explorer": lambda: ae.Explorer().frames(),
    "cut": lambda: ae.CutTheModel("model=22b tensor=4 data=1 pipeline=1").frames(),
}


@pytest.mark.parametrize("name", FRAMES)
def test_at_every_moment_it_shows_what_the_steps_picture_shows(name):
    frames = FRAMES[name]()
    played = ET.fromstring(film(frames))
    assert len(frames) >= 5
    for k, frame in enumerate(frames):
        assert sorted(leaves(played, k)) == sorted(leaves(ET.fromstring(frame)))


def test_what_stays_is_drawn_once_and_below_what_comes_after_it():
    frames = FRAMES["player"]()
    played = film(frames)
    assert len(played) < 0.75 * sum(map(len, frames))
    for k in range(len(frames)):
        texts = [text for *_, text in leaves(ET.fromstring(played), k) if text]
        assert texts[-1].startswith(f"Step {k} of 8" if k else "Before")


def test_steps_that_would_answer_a_question_are_no_film():
    for make in (ae.Stages, ae.BuildATrace, ae.TrainingIteration, ae.WhatIf):
        shown = make()
        assert shown.veiled
        assert shown.frames() == []
    shown = ae.Stages()
    shown.dismiss()
    frames = shown.frames()
    assert 1 < len(frames) <= 20
    last = shown.data["scene"]["stage"]["steps"][-1]
    assert last in re.search("<title>(.*?)</title>", frames[-1])[1].replace("&#x27;", "'")


def test_a_notebook_has_it_below_the_picture_closed_until_somebody_opens_it():
    html = ae.Player(ae.schedule("all-reduce", "ring", 4))._repr_mimebundle_()[0]["text/html"]
    details = html[html.index("<details>") :]
    assert details.startswith(f"<details><summary>{FILM}</summary><img alt=")
    picture = b64decode(re.search('base64,([^"]+)', details)[1]).decode()
    assert picture.count("<animate") > 5
    large = ae.Player(ae.schedule("all-reduce", "direct", 24))
    assert len(film(large.frames())) > MOST_OF_A_FILM
    assert "<details>" not in large._repr_mimebundle_()[0]["text/html"]
