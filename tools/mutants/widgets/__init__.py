"""Faults in what the widgets show."""

from tools.mutants.widgets import folds, link_player, player, readings, stages, stills, timeline

FAULTS = [
    *player.FAULTS,
    *link_player.FAULTS,
    *stages.FAULTS,
    *timeline.FAULTS,
    *folds.FAULTS,
    *stills.FAULTS,
    *readings.FAULTS,
]
