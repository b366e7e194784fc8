"""Things to look at and to move in a notebook; needs anywidget, which the core does without."""

from __future__ import annotations

import sys
import warnings

from astra_edu.course.widgets.bandwidth_sliders import BandwidthSliders
from astra_edu.course.widgets.drawing import Timing
from astra_edu.course.widgets.link_player import LinkPlayer
from astra_edu.course.widgets.player import Player
from astra_edu.course.widgets.timeline import Timeline
from astra_edu.course.widgets.what_if import WhatIf


def __getattr__(name: str) -> object:
    """The Explorer, Folds and Stages, which are instruments now; by this name until release 0.3."""
    if name in ("Explorer", "Folds", "Stages"):
        warnings.warn(f"widgets.{name} is an instrument now: astra_edu.{name}.", DeprecationWarning, stacklevel=2)
        return getattr(sys.modules["astra_edu"], name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = ["BandwidthSliders", "LinkPlayer", "Player", "Timeline", "Timing", "WhatIf"]
