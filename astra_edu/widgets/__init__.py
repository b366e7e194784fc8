"""Things to look at and to move in a notebook; needs anywidget, which the core does without."""

from __future__ import annotations

from astra_edu.widgets.bandwidth_sliders import BandwidthSliders
from astra_edu.widgets.drawing import Timing
from astra_edu.widgets.explorer import Explorer
from astra_edu.widgets.folds import Folds
from astra_edu.widgets.link_player import LinkPlayer
from astra_edu.widgets.player import Player
from astra_edu.widgets.stages import Stages
from astra_edu.widgets.timeline import Timeline
from astra_edu.widgets.what_if import WhatIf

__all__ = ["BandwidthSliders", "Explorer", "Folds", "LinkPlayer", "Player", "Stages", "Timeline", "Timing", "WhatIf"]
