"""Faults in what the widgets show."""

from tools.mutants.widgets import link_player

FAULTS = [*link_player.FAULTS]
