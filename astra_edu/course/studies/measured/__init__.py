"""What was measured on real systems, as small tables with their sources, and what this package says of the same."""

from astra_edu.course.studies.measured.fits import Errors, Judged, Pieces, errors, fit_line, fit_pieces, judged
from astra_edu.course.studies.measured.megatron_lm import Measured, megatron
from astra_edu.course.studies.measured.models import (
    Line,
    Phases,
    as_astra_sim_reads,
    bus_bandwidth,
    bus_factor,
    hierarchical,
    in_switch,
    ring,
    tree,
)
from astra_edu.course.studies.measured.on_switches import simulated
from astra_edu.course.studies.measured.tables import SWEEPS, TABLES, Point, Sweep, Table, sweep, table

__all__ = [
    "SWEEPS",
    "TABLES",
    "Errors",
    "Judged",
    "Line",
    "Measured",
    "Phases",
    "Pieces",
    "Point",
    "Sweep",
    "Table",
    "as_astra_sim_reads",
    "bus_bandwidth",
    "bus_factor",
    "errors",
    "fit_line",
    "fit_pieces",
    "hierarchical",
    "in_switch",
    "judged",
    "megatron",
    "ring",
    "simulated",
    "sweep",
    "table",
    "tree",
]
