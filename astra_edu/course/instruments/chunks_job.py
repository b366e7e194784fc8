"""What is simulated of chunks over dimensions: one collective by the baseline and by Themis, and what Themis books."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any

from astra_edu.base.errors import ConfigError
from astra_edu.base.intervals import covered
from astra_edu.base.span import Span
from astra_edu.base.units import MIB
from astra_edu.collectives import Collective
from astra_edu.course.instruments.setting import Values
from astra_edu.network import Dimension
from astra_edu.run.result import Result
from astra_edu.run.simulate import simulate
from astra_edu.system import Platform, SystemConfig
from astra_edu.system.inter_dimension import Dimensions, Ordered
from astra_edu.system.themis import Themis
from astra_edu.workload import Workload

GB_S, LATENCY_NS = 100, 500
"""Of the first dimension's links; the other dimensions' have the same latency."""
THEMIS = "themis"
"""That chunk 1 goes as Themis has it; else the setting names the dimensions, as in "102"."""


def by_hand(order: Sequence[int]) -> type[Themis]:
    """Themis, but for chunk 1, which walks the dimensions in this order and is booked there.

    >>> by_hand((2, 0, 1)).__name__
    'Themis with chunk 1 over 2, 0, 1'
    """

    class ByHand(Themis):
        turn = -1

        def order(self, collective: Collective, chunk_bytes: int, left_bytes: int, involved: Sequence[bool]) -> Ordered:
            self.turn += 1
            before = deepcopy(self.loads)
            answer = super().order(collective, chunk_bytes, left_bytes, involved)
            if self.turn != 1 or tuple(answer[0]) == tuple(order):
                return answer
            self.loads = before
            loads = {load.dimension: load for load in self.loads}
            used = [d for d in order if involved[d] and self.npus[d] > 1]
            self._walk([loads[d] for d in used], used, collective is Collective.ALL_GATHER, chunk_bytes)
            return list(order), min(chunk_bytes, left_bytes)

    ByHand.__name__ = f"Themis with chunk 1 over {', '.join(map(str, order))}"
    return ByHand


@dataclass(frozen=True)
class ChunksRun:
    """A collective that was simulated. name: of the policy."""

    name: str
    result: Result

    @cached_property
    def spans(self) -> tuple[tuple[Span, ...], ...]:
        """For every chunk its phases, in turn."""
        found: dict[int, list[Span]] = {}
        for span in self.result.timeline:
            if span.chunk is not None:
                found.setdefault(span.chunk, []).append(span)
        return tuple(tuple(sorted(found[chunk], key=lambda span: span.start_ns)) for chunk in sorted(found))

    @property
    def end_ns(self) -> float:
        """When the last phase ends."""
        return max(chunk[-1].end_ns for chunk in self.spans)

    @property
    def needed_ns(self) -> float:
        """What ASTRA-sim says, or the bound where messages share links."""
        return max(self.result.total_ns, self.result.bound_ns or 0)

    def busy_ns(self, d: int) -> float:
        """How long a chunk was on dimension d."""
        return covered([(span.start_ns, span.end_ns) for span in self.on(d)])

    def on(self, d: int) -> list[Span]:
        """What went on on dimension d."""
        return [span for chunk in self.spans for span in chunk if span.dimension == d]


@dataclass(frozen=True)
class Decision:
    """Where a chunk was sent. loads: of every dimension afterwards, in MiB at dimension 0's bandwidth."""

    order: tuple[int, ...]
    loads: tuple[float, ...]


def check(values: Values) -> None:
    """Raise ConfigError for an order of chunk 1 that the chunks or the dimensions don't allow."""
    order = values["chunk_1"]
    if order == THEMIS:
        return
    if values["chunks"] < 2:
        raise ConfigError("There is no chunk 1, as chunk 0 is all there is; take 2 chunks, or Themis’s order.")
    if len(order) != values["dimensions"]:
        raise ConfigError(f"Chunk 1 is to walk {len(order)} dimensions; the network has {values['dimensions']}.")


def network(values: Values) -> tuple[Dimension, ...]:
    """Rings, the first of 100 GB/s, the others with their share of it."""
    slower = GB_S * values["share"] / 100
    rates = [GB_S, *([slower] * (values["dimensions"] - 1))]
    return tuple(Dimension.of("Ring", values["npus"], rate, LATENCY_NS) for rate in rates)


def runs(values: Values) -> tuple[ChunksRun, ...]:
    """By the baseline and by Themis, and, where chunk 1 goes by hand, as the learner has it."""
    check(values)
    return _runs(tuple(values.items()))


@lru_cache(maxsize=256)
def _runs(values: tuple[tuple[str, Any], ...]) -> tuple[ChunksRun, ...]:
    named = dict(values)
    dims = network(named)
    work = Workload.micro(named["collective"], named["size"] * MIB)
    policies: list[tuple[str, Any]] = [("Baseline", "baseline"), ("Themis", THEMIS)]
    if named["chunk_1"] != THEMIS:
        policies.append(("Yours", by_hand(tuple(map(int, named["chunk_1"])))))
    found = []
    for name, policy in policies:
        system = SystemConfig.of(
            "_".join(["ring"] * len(dims)), splits=named["chunks"], inter_dimension=policy,
            intra_dimension=named["queue"],
        )  # fmt: skip
        found.append(ChunksRun(name, simulate(work, Platform(dims, system), progress=False)))
    return tuple(found)


def decisions(values: Values) -> list[Decision]:
    """What Themis, or the learner with it, decides for each chunk, in turn."""
    dims, chunks = network(values), values["chunks"]
    maker = Themis if values["chunk_1"] == THEMIS else by_hand(tuple(map(int, values["chunk_1"])))
    policy = maker(Dimensions(tuple(d.npus for d in dims), tuple(d.bandwidth for d in dims)))
    size, found = values["size"] * MIB, []
    for chunk in range(chunks):
        left = size - chunk * (size // chunks)
        order, _ = policy.order(Collective(values["collective"]), size // chunks, left, [True] * len(dims))
        loads = sorted((load.dimension, load.amount) for load in policy.loads)
        found.append(Decision(tuple(order), tuple(amount for _, amount in loads)))
    return found


def booked(decided: Sequence[Decision], d: int) -> list[float]:
    """What each decision adds to the load of dimension d."""
    return [after - before for before, after in pairwise([0.0, *(each.loads[d] for each in decided)])]


def code(values: Values) -> str:
    """The same in Python."""
    slower = f"{GB_S * values['share'] / 100:g}"
    rates = ", ".join([str(GB_S), *([slower] * (values["dimensions"] - 1))])
    policies, head = '"baseline", "themis"', ""
    if values["chunk_1"] != THEMIS:
        head = "from astra_edu.course.instruments.chunks_job import by_hand\n"
        policies += f", by_hand(({', '.join(values['chunk_1'])}))"
    return f"""{head}dims = [ae.Dimension.of("Ring", {values["npus"]}, rate, {LATENCY_NS}) for rate in ({rates})]
work = ae.Workload.micro("{values["collective"]}", {values["size"]} * 2**20)
for policy in ({policies}):
    system = ae.SystemConfig.of("{"_".join(["ring"] * values["dimensions"])}", splits={values["chunks"]},
        inter_dimension=policy, intra_dimension="{values["queue"]}")
    print(ae.simulate(work, ae.Platform(dims, system)))"""
