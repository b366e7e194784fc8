"""Things to look at and to move in a notebook; needs anywidget, which the core does without."""

from __future__ import annotations

from astra_edu.course.widgets.bandwidth_sliders import BandwidthSliders
from astra_edu.course.widgets.drawing import Timing
from astra_edu.course.widgets.explorer import Explorer
from astra_edu.course.widgets.folds import Folds
from astra_edu.course.widgets.link_player import LinkPlayer
from astra_edu.course.widgets.player import Player
from astra_edu.course.widgets.timeline import Timeline
from astra_edu.course.widgets.what_if import WhatIf


def __getattr__(name: str) -> object:
    """Stages, which is an instrument now."""
    if name != "Stages":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from astra_edu.course.instruments.stages import Stages

    return Stages


__all__ = ["BandwidthSliders", "Explorer", "Folds", "LinkPlayer", "Player", "Stages", "Timeline", "Timing", "WhatIf"]
