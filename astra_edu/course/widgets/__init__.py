"""Things to look at and to move in a notebook; needs anywidget, which the core does without."""

from __future__ import annotations

import sys
import warnings

from astra_edu.course.widgets.design_space import DesignSpace
from astra_edu.course.widgets.drawing import Timing
from astra_edu.course.widgets.link_player import LinkPlayer
from astra_edu.course.widgets.player import Player
from astra_edu.course.widgets.timeline import Timeline


def __getattr__(name: str) -> object:
    """What is an instrument now, built of widgets; by this name until release 0.3."""
    if name in ("BandwidthSliders", "Explorer", "Folds", "Stages", "WhatIf"):
        warnings.warn(f"widgets.{name} is an instrument now: astra_edu.{name}.", DeprecationWarning, stacklevel=2)
        return getattr(sys.modules["astra_edu"], name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = ["DesignSpace", "LinkPlayer", "Player", "Timeline", "Timing"]
