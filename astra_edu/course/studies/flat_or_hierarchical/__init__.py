"""Flat or hierarchical: four designs against the buffers of their switches, by any network."""

from astra_edu.course.studies.flat_or_hierarchical.designs import DESIGNS, Design, Parameter, design, job
from astra_edu.course.studies.flat_or_hierarchical.play import BUFFERS, Row, play
from astra_edu.course.studies.flat_or_hierarchical.stored import NS3, rows

__all__ = ["BUFFERS", "DESIGNS", "NS3", "Design", "Parameter", "Row", "design", "job", "play", "rows"]
