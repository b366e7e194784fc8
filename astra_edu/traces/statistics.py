"""What is in a trace, counted: nodes, bytes, messages, computations, the critical path, and what is missing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from astra_edu.base.errors import choice
from astra_edu.base.table import html_table, text_table
from astra_edu.base.units import format_bytes, format_ns, several

if TYPE_CHECKING:
    import pandas as pd

MOST_ROWS = 12
"""Rows of a table that are shown; `table` has them all."""


class KindRow(NamedTuple):
    """Nodes of a kind: on all NPUs together, on how many NPUs, and the fewest and the most on one NPU."""

    kind: str
    nodes: int
    npus: int
    fewest: int
    most: int


class CollectiveRow(NamedTuple):
    """Collectives of a kind that the same NPUs start.

    who: "all NPUs", "group 3" or "dimensions 0, 2". npus: how many NPUs start them. nodes: how often, on all NPUs
    together; most: on one NPU. bytes: the sum of comm_size on all NPUs; most_bytes: on one NPU.
    """

    collective: str
    who: str
    npus: int
    nodes: int
    most: int
    bytes: int
    most_bytes: int


class MessageRow(NamedTuple):
    """Messages from one NPU to another: how many are sent, how many received, and the bytes that are sent."""

    source: int
    destination: int
    sends: int
    receives: int
    bytes: int


class ComputeRow(NamedTuple):
    """What NPUs `first_npu`, ... (`npus` of them, alike) compute, each.

    compute_us, cpu_us: the sum of the durations noted, of its NPU's computations and of its CPU's. num_ops,
    tensor_bytes: the sums of what a roofline takes, operations and bytes. depth: nodes of its longest chain.
    width: nodes at the same distance from the start, at most.
    """

    first_npu: int
    npus: int
    nodes: int
    computations: int
    compute_us: int
    cpu_us: int
    num_ops: int
    tensor_bytes: int
    depth: int
    width: int


class PathRow(NamedTuple):
    """A computation on the critical path. end_us: when it ends if the network takes no time."""

    npu: int
    node: int
    name: str
    duration_us: int
    end_us: int


TABLES = {
    "kinds": (KindRow._fields, "Nodes"),
    "collectives": (CollectiveRow._fields, "Collectives"),
    "messages": (MessageRow._fields, "Messages"),
    "computing": (ComputeRow._fields, "Computing"),
    "critical_path": (PathRow._fields, "Critical path without network"),
}
"""For each table its columns and its title."""


@dataclass(frozen=True)
class TraceStatistics:
    """What Trace.describe() counts. Shows itself as text, and in a notebook as tables.

    npus, nodes: how many, on all NPUs together. critical_path_us: the longest chain of computations, in µs, through all
    NPUs; see Trace.describe. parallelism: computing of all NPUs over that. missing: sentences about what isn't there
    or looks wrong. Each of the tables is a tuple of rows; table(name) makes it a DataFrame.

    >>> statistics = ae.traces.collective("all_reduce", "1 MiB", npus=4).describe()
    >>> statistics.collectives[0].who, statistics.collectives[0].bytes
    ('all NPUs', 4194304)
    """

    npus: int
    nodes: int
    kinds: tuple[KindRow, ...] = field(repr=False)
    collectives: tuple[CollectiveRow, ...] = field(repr=False)
    messages: tuple[MessageRow, ...] = field(repr=False)
    computing: tuple[ComputeRow, ...] = field(repr=False)
    critical_path: tuple[PathRow, ...] = field(repr=False)
    missing: tuple[str, ...] = field(repr=False)

    @property
    def critical_path_us(self) -> int:
        """How long the computations of the critical path take, in µs."""
        return sum(row.duration_us for row in self.critical_path)

    @property
    def compute_us(self) -> int:
        """How long all NPUs and CPUs together compute, in µs."""
        return sum((row.compute_us + row.cpu_us) * row.npus for row in self.computing)

    @property
    def parallelism(self) -> float:
        """How many NPUs and CPUs compute on average if the network takes no time; 0 where nothing computes."""
        return self.compute_us / self.critical_path_us if self.critical_path_us else 0.0

    @property
    def width(self) -> int:
        """How many nodes of one NPU have the same distance from its start, at most."""
        return max(row.width for row in self.computing)

    def table(self, name: str) -> pd.DataFrame:
        """The rows of "kinds", "collectives", "messages", "computing" or "critical_path", with units in the names.

        >>> ae.traces.collective("all_reduce", "1 MiB", npus=4).describe().table("kinds")
                 kind  nodes  npus  fewest  most
        0  all-reduce      4     4       1     1
        """
        import pandas as pd

        columns, _ = TABLES[choice("table", name, TABLES)]
        return pd.DataFrame(getattr(self, name), columns=list(columns))

    @property
    def _summary(self) -> list[str]:
        sent = sum(row.bytes for row in self.messages)
        into = sum(row.bytes for row in self.collectives)
        lines = [
            f"{several(self.npus, 'NPU')}, {several(self.nodes, 'node')} on all of them together",
            f"into collectives {format_bytes(into)}, in messages {format_bytes(sent)} (sums over all NPUs)",
            f"critical path without network {format_ns(1000 * self.critical_path_us)}, computing of all NPUs "
            f"{format_ns(1000 * self.compute_us)}: {self.parallelism:.2f} of them compute on average",
            f"up to {several(self.width, 'node')} of an NPU at the same distance from its start",
        ]
        return lines

    def _shown(self) -> Iterable[tuple[str, list[str], list[list[object]], list[int]]]:
        for name, (columns, title) in TABLES.items():
            rows = getattr(self, name)
            if not rows:
                continue
            left = [place for place, value in enumerate(rows[0]) if isinstance(value, str)]
            cells = [[f"{v:,}" if isinstance(v, int) else v for v in one] for one in rows[:MOST_ROWS]]
            more = f" (the first {MOST_ROWS} of {len(rows):,})" if len(rows) > MOST_ROWS else ""
            yield f"{title}{more}", list(columns), cells, left

    def __repr__(self) -> str:
        parts = ["\n".join(self._summary)]
        parts += [f"{title}\n{text_table(header, rows, left)}" for title, header, rows, left in self._shown()]
        if self.missing:
            parts.append("Missing\n" + "\n".join(f"- {one}" for one in self.missing))
        return "\n\n".join(parts)

    def _repr_html_(self) -> str:
        from html import escape

        lines = "".join(f"<li>{escape(line)}</li>" for line in self._summary)
        tables = "".join(html_table(title, header, rows, left) for title, header, rows, left in self._shown())
        missing = "".join(f"<li>{escape(one)}</li>" for one in self.missing)
        return f"<ul>{lines}</ul>{tables}" + (f"<p>Missing</p><ul>{missing}</ul>" if missing else "")
