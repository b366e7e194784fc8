"""Faults in what the widgets show."""

from tools.mutants.widgets import (
    folds,
    link_player,
    player,
    player_table,
    readings,
    stills,
    timeline,
    timeline_bars,
)

FAULTS = [
    *player.FAULTS,
    *player_table.FAULTS,
    *link_player.FAULTS,
    *timeline.FAULTS,
    *timeline_bars.FAULTS,
    *folds.FAULTS,
    *stills.FAULTS,
    *readings.FAULTS,
]
