"""Faults in the still figures, by what they draw."""

from tools.mutants.plots import collectives, frames, parts, systems, timelines

FAULTS = [fault for module in (frames, collectives, systems, timelines, parts) for fault in module.FAULTS]
