"""Things to look at and to move in a notebook; needs anywidget, which the core does without."""

from __future__ import annotations

from importlib import import_module

from astra_edu.course.widgets.bandwidth_sliders import BandwidthSliders
from astra_edu.course.widgets.drawing import Timing
from astra_edu.course.widgets.folds import Folds
from astra_edu.course.widgets.link_player import LinkPlayer
from astra_edu.course.widgets.player import Player
from astra_edu.course.widgets.timeline import Timeline
from astra_edu.course.widgets.what_if import WhatIf


def __getattr__(name: str) -> object:
    """The Explorer and Stages are instruments, which are built of widgets and can't be imported before them."""
    if name in ("Explorer", "Stages"):
        return getattr(import_module("astra_edu.course.instruments"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = ["BandwidthSliders", "Folds", "LinkPlayer", "Player", "Timeline", "Timing", "WhatIf"]
