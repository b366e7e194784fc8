"""Things to look at and to move in a notebook; needs anywidget, which the core does without."""

from __future__ import annotations

from astra_edu.course.widgets.bandwidth_sliders import BandwidthSliders
from astra_edu.course.widgets.drawing import Timing
from astra_edu.course.widgets.explorer import Explorer
from astra_edu.course.widgets.folds import Folds
from astra_edu.course.widgets.link_player import LinkPlayer
from astra_edu.course.widgets.player import Player
from astra_edu.course.widgets.stages import Stages
from astra_edu.course.widgets.timeline import Timeline
from astra_edu.course.widgets.what_if import WhatIf

__all__ = ["BandwidthSliders", "Explorer", "Folds", "LinkPlayer", "Player", "Stages", "Timeline", "Timing", "WhatIf"]
