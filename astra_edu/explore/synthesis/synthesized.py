"""What a synthesis gives: a schedule that knows the graph it was made for, and how good it is there."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from astra_edu.base.errors import ConfigError, list_of
from astra_edu.base.units import format_ns
from astra_edu.base.warned import quiet
from astra_edu.collectives import Schedule, register_algorithm
from astra_edu.explore.synthesis.as_trace import as_trace
from astra_edu.explore.synthesis.lower_bound import lower_bound_ns
from astra_edu.explore.synthesis.matching import Planned
from astra_edu.network import GraphNetwork
from astra_edu.run.run_trace import run_trace
from astra_edu.system import TracePlatform, TraceSystem
from astra_edu.traces import Trace
from astra_edu.traces.make import collective

if TYPE_CHECKING:
    import pandas as pd

OTHERS = ("ring", "bidirectional-ring", "direct", "halving-doubling", "double-binary-tree")
"""What a synthesized schedule is compared with, where it can do the collective."""
SPELLINGS = {"halving-doubling": "halvingDoubling", "double-binary-tree": "doubleBinaryTree"}
NAME = "synthesized"


@dataclass(frozen=True, repr=False)
class Synthesized(Schedule):
    """A schedule made for a graph. Times in ns, without endpoint delay and reduction.

    network: the graph as one dimension, in which neighbours' messages take the ways that were planned.
    collective_bytes: what an NPU brings. matched: every transfer on the time-expanded network, where it begins
    as soon as it can. planned_ns: what it takes if NPUs go step by step, as schedules do.

    >>> ring = ae.synthesize("all-gather", ae.Block("Ring", 8, bandwidth=50, latency=500), "1 MiB")
    >>> ring.planned_ns, ring.bound_ns, ring.efficiency
    (80124, 80124, 1.0)
    """

    network: GraphNetwork = field(kw_only=True, repr=False)
    collective_bytes: int = field(kw_only=True)
    matched: tuple[Planned, ...] = field(kw_only=True, repr=False)
    planned_ns: int = field(kw_only=True)

    @property
    def matched_ns(self) -> int:
        """Until the last shard is there on the time-expanded network; without steps, it takes no longer."""
        return max(each.end_ns for each in self.matched)

    def __repr__(self) -> str:
        times = (self.planned_ns, self.matched_ns)
        steps, free = (f"{format_ns(ns)} (efficiency {self.bound_ns / ns:.2f})" for ns in times)
        return f"{super().__repr__()[:-1]}; {steps} in steps, {free} without>"

    @property
    def shard_bytes(self) -> int:
        """Bytes of one shard."""
        return self.buffer_bytes(self.collective_bytes) // self.shards_per_buffer

    @cached_property
    def bound_ns(self) -> int:
        """The least time in which the links allow the collective with shards of this size; see lower_bound."""
        parts = self.shards // self.npus
        return lower_bound_ns(self.network, self.collective, self.shard_bytes, parts)

    @property
    def efficiency(self) -> float:
        """The bound's share of the planned time; 1 where no algorithm with shards of this size can be faster."""
        return self.bound_ns / self.planned_ns

    @cached_property
    def trace(self) -> Trace:
        """The transfers as an execution trace of sends and receives, without steps: for TraceSystem(custom={...}).

        Each waits for its shard, and for what its NPU sent over one of its links before to arrive.
        """
        return as_trace(self.matched, self.npus, self.shard_bytes)

    def simulated_ns(self, congestion_aware: bool = True, steps: bool = True) -> int:
        """What the simulation of 2.x says, with endpoints that take no time.

        steps: as a schedule; else as a trace, whose messages don't wait for steps. Registers it as "synthesized".
        """
        if steps:
            register_algorithm(NAME, self)
            return self._simulated_ns(TraceSystem.of(NAME, splits=1, endpoint_delay=0), congestion_aware)
        system = TraceSystem.of("ring", splits=1, endpoint_delay=0, custom={self.collective: self.trace})
        return self._simulated_ns(system, congestion_aware)

    def compared(self, others: Sequence[str] | None = None, congestion_aware: bool = True) -> pd.DataFrame:
        """A row for this schedule, the same as a trace, and each other algorithm, simulated on the same graph.

        Columns: the total in µs, and the lower bound's share of it. others: names in ae.ALGORITHMS; by default ring,
        direct, trees and what else this package has, as far as they work for this number of NPUs; one with smaller
        shards, such as a double binary tree, may take less than the bound. Endpoints take no time. Registers this
        schedule as "synthesized". Raises ConfigError for names that can't be run.

        >>> mesh = ae.synthesize("all-reduce", ae.Block("Mesh", 9, bandwidth=50, latency=500), "1 MiB", parts=2)
        >>> list(mesh.compared(["ring", "direct"]).index)
        ['synthesized', 'synthesized, as a trace', 'direct', 'ring']
        """
        import pandas as pd

        totals = {
            NAME: self.simulated_ns(congestion_aware),
            f"{NAME}, as a trace": self.simulated_ns(congestion_aware, steps=False),
        }
        for name in OTHERS if others is None else list_of("others", others, 'give names such as ["ring", "direct"]'):
            try:
                system = TraceSystem.of(SPELLINGS.get(name, name), splits=1, endpoint_delay=0)
                totals[name] = self._simulated_ns(system, congestion_aware)
            except ConfigError:
                if others is not None:
                    raise
        rows = {name: (total / 1000, self.bound_ns / total) for name, total in totals.items()}
        table = pd.DataFrame.from_dict(rows, orient="index", columns=["total (µs)", "efficiency"])
        return table.rename_axis("algorithm").sort_values("total (µs)")

    def _simulated_ns(self, system: TraceSystem, congestion_aware: bool) -> int:
        platform = TracePlatform(self.network, system, congestion_aware=congestion_aware)
        asked = collective(self.collective.replace("-", "_"), self.collective_bytes, npus=self.npus)
        with quiet(), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what leaves an NPU in the same ns has other links
            return run_trace(asked, platform, progress=False).total_ns
