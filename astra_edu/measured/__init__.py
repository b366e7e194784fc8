"""What was measured on real systems, with its sources, and what this package says of the same.

Collectives as small tables; training runs as rows of a table, predicted by `predict` and held against what was measured
by `error_table`.
"""

from astra_edu.measured.fits import Errors, Judged, Pieces, errors, fit_line, fit_pieces, judged
from astra_edu.measured.link_lines import LinkClass
from astra_edu.measured.links import fit_links, link_classes
from astra_edu.measured.logged_steps import mlperf_steps, spread_of
from astra_edu.measured.megatron_lm import Measured, megatron
from astra_edu.measured.models import (
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
from astra_edu.measured.nccl_tests import nccl_tests
from astra_edu.measured.on_switches import simulated
from astra_edu.measured.predicted import predict
from astra_edu.measured.runs import runs, sources
from astra_edu.measured.sensitivity import sensitivity
from astra_edu.measured.spread import ranges, spread
from astra_edu.measured.table import compared, error_table, load, refusals
from astra_edu.measured.tables import SWEEPS, TABLES, Point, Sweep, Table, sweep, table

__all__ = [
    "SWEEPS",
    "TABLES",
    "Errors",
    "Judged",
    "Line",
    "LinkClass",
    "Measured",
    "Phases",
    "Pieces",
    "Point",
    "Sweep",
    "Table",
    "as_astra_sim_reads",
    "bus_bandwidth",
    "bus_factor",
    "compared",
    "error_table",
    "errors",
    "fit_line",
    "fit_links",
    "fit_pieces",
    "hierarchical",
    "in_switch",
    "judged",
    "link_classes",
    "load",
    "megatron",
    "mlperf_steps",
    "nccl_tests",
    "predict",
    "ranges",
    "refusals",
    "ring",
    "runs",
    "sensitivity",
    "simulated",
    "sources",
    "spread",
    "spread_of",
    "sweep",
    "table",
    "tree",
]
