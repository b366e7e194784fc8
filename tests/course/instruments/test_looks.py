"""Whatever an instrument draws has a look: a page stops where one is missing."""

from collections.abc import Iterator
from typing import Any

import pytest
from halves import half

import astra_edu as ae
from astra_edu.course import instruments
from astra_edu.course.instruments.looks import LOOKS
from astra_edu.course.studies.case_studies import Job, suited

NAMES = [name for name in instruments.__all__ if name[0].isupper() and name != "Instrument"]
TRAINED = (
    Job("VGG-16", ae.model("vgg16"), ae.Strategy(data=16)),
    suited((ae.Block("Ring", 8, 50, 500), ae.Block("Switch", 2, 25, 500))),
)
GIVEN = {"BandwidthSliders": TRAINED}


def looks(shown: Any) -> Iterator[str]:
    if isinstance(shown, dict):
        for key, value in shown.items():
            if key == "look":
                yield value
            elif key == "looks":
                yield from value
            else:
                yield from looks(value)
    elif isinstance(shown, (list, tuple)):
        for each in shown:
            yield from looks(each)


@pytest.mark.parametrize("name", half(NAMES))
def test_everything_drawn_has_a_look(name):
    shown = getattr(ae, name)(*GIVEN.get(name, ()))
    tried = 0
    for setting in shown.settings:
        for value in {setting.values[0], setting.values[-1]}:
            values = shown.values | {setting.name: value}
            try:
                shown.check(values)
                scene = shown.scene(values)
            except ae.ConfigError:
                continue
            assert set(looks(scene.data())) <= LOOKS.keys(), setting.name
            tried += 1
    assert tried > 3
