"""Figure: bytes of memory traffic for each byte that is sent, through memory and with ACE."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from matplotlib.figure import Figure

from astra_edu.collectives import Schedule
from astra_edu.course.plots.endpoints.looks import ENDPOINTS, READS, WRITES
from astra_edu.course.plots.figure import Picture, text_table
from astra_edu.course.plots.stacked import by_name, stacked
from astra_edu.course.studies.endpoint import Traffic, traffic


class _Both(NamedTuple):
    """A schedule's traffic through memory and with ACE."""

    memory: Traffic
    ace: Traffic

    @property
    def less_read(self) -> float:
        """How many times the reads of ACE are those through memory."""
        return self.memory.reads / self.ace.reads

    @property
    def less_in_all(self) -> float:
        """How many times all accesses of ACE are those through memory."""
        return (self.memory.reads + self.memory.writes) / (self.ace.reads + self.ace.writes)


def memory_traffic(schedules: Mapping[str, Schedule]) -> Picture:
    """Draw for each schedule the bytes read from HBM and written to it for each byte sent, through memory and with ACE.

    Raises ConfigError if there is none.

    >>> ring = ae.schedule("all-reduce", "ring", 8)
    >>> print(ae.plots.memory_traffic({"ring": ring}).table)
    bytes for each byte sent   read  written  ACE: read  written  less read  less in all
    ring                      1.500    1.071      0.571    0.571       2.62         2.25
    """
    schedules = by_name(schedules, Schedule, '{"ring": ae.schedule("all-reduce", "ring", 8)}')
    found = {name: _Both(*(traffic(each, on) for on in ENDPOINTS.values())) for name, each in schedules.items()}
    bars = {f"{name}, {how}": each for name, both in found.items() for how, each in zip(ENDPOINTS, both, strict=True)}
    note = "Less: how many times as much without ACE as with it."
    return Picture(_drawn(bars), _alt(bars), _table(found), note)


def _drawn(bars: Mapping[str, Traffic]) -> Figure:
    kinds = [
        (READS, [each.reads_per_byte for each in bars.values()]),
        (WRITES, [each.writes_per_byte for each in bars.values()]),
    ]
    notes = [f"{each.reads_per_byte:.3f} + {each.writes_per_byte:.3f}" for each in bars.values()]
    figure, axes = stacked(list(bars), kinds, notes)
    axes.set_xlabel("bytes of HBM traffic for each byte sent")
    return figure


def _alt(bars: Mapping[str, Traffic]) -> str:
    return "Two bars for each schedule, through memory and with ACE, of bytes read and written for each byte sent. " + (
        " ".join(
            f"{name}: {each.reads_per_byte:.3f} read and {each.writes_per_byte:.3f} written."
            for name, each in bars.items()
        )
    )


def _table(found: Mapping[str, _Both]) -> str:
    header = ["bytes for each byte sent", "read", "written", "ACE: read", "written", "less read", "less in all"]
    rows: list[list[object]] = []
    for name, both in found.items():
        rates = [f"{rate:.3f}" for each in both for rate in (each.reads_per_byte, each.writes_per_byte)]
        rows.append([name, *rates, f"{both.less_read:.2f}", f"{both.less_in_all:.2f}"])
    return text_table(header, rows)
