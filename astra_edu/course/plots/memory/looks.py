"""How the parts of an iteration on a memory system look."""

from __future__ import annotations

from astra_edu.course.plots.looks import COMPUTE, Look
from astra_edu.course.studies.memory_systems.fabric import IN_NODE, OUT_NODE, REMOTE

LOOKS = {
    look.name: look
    for look in (
        COMPUTE,
        Look(REMOTE, "", "#f7b787", "#d55e00", "//"),
        Look(OUT_NODE, "", "#e2b6d2", "#9c3f78", "--"),
        Look(IN_NODE, "", "#93c8ee", "#0072b2", "\\\\"),
    )
}
STAGE = Look("stage", "", "#d9d9d9", "#595959")
"""Any other stage that a packet goes through."""
