"""Faults in what the widgets show."""

from tools.mutants.widgets import (
    design_space,
    frame,
    glossary,
    link_player,
    phone,
    player,
    player_table,
    readings,
    stills,
    timeline,
    timeline_bars,
    trees,
)

FAULTS = [
    *player.FAULTS,
    *player_table.FAULTS,
    *link_player.FAULTS,
    *phone.FAULTS,
    *design_space.FAULTS,
    *timeline.FAULTS,
    *timeline_bars.FAULTS,
    *trees.FAULTS,
    *glossary.FAULTS,
    *frame.FAULTS,
    *stills.FAULTS,
    *readings.FAULTS,
]
