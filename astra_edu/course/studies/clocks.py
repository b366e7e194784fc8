"""Which clock to trust for what: the same training iteration by each of the four, beside what each sees and doesn't."""

from __future__ import annotations

from typing import NamedTuple

from astra_edu.base.bound import total_words
from astra_edu.base.errors import ConfigError
from astra_edu.base.run import Run
from astra_edu.base.table import Table
from astra_edu.explore.iteration import Iteration, estimate
from astra_edu.network import Block, Dimension
from astra_edu.run.simulate import simulate
from astra_edu.system import Platform, SystemConfig, TracePlatform, TraceSystem
from astra_edu.traces.make_from_strategy import from_strategy
from astra_edu.workload.compute import Device
from astra_edu.workload.models import Model
from astra_edu.workload.strategies import Strategy, generate_workload

UNAWARE_1, UNAWARE_2 = "1.0, unaware", "2.x, unaware"
AWARE, ESTIMATE = "2.x, aware", "estimate"

TRUST = {
    UNAWARE_1: (
        "tutorials of ASTRA-sim 1.0; which algorithm, order or number of chunks is better, where no links are shared",
        "messages that share links: then it says at least how long",
    ),
    UNAWARE_2: (
        "traces: who waits for whom, what overlaps; the same networks as 1.0",
        "messages that share links, process groups and neighbours' messages too",
    ),
    AWARE: (
        "messages that share links: which link is the bottleneck, how long the queues are",
        "absolute times over switches and several hops: each forwards a message only when it has all of it",
    ),
    ESTIMATE: (
        "which strategy for a model: pipeline, tensor group, copies and optimiser together, in milliseconds",
        "contention between groups; overlap within an operator; a nanosecond",
    ),
}
"""{clock: (what to trust it for, what not)}."""


class Clock(NamedTuple):
    """What one of the clocks says of an iteration, in ns. bound_ns: what leads where its messages share links.

    trust, not_for: what it is good for and what it doesn't see.
    """

    total_ns: float
    bound_ns: float | None
    trust: str
    not_for: str


def clocks(
    algorithm: str = "halvingDoubling",
    topology: str = "Switch",
    npus: int = 8,
    bandwidth: float = 25,
    latency: float = 1000,
    model: Model | str = "bert-large",
    device: Device | str = "a100",
) -> Table[Clock]:
    """One iteration of a model on `npus` copies, which all-reduce their gradients, by each of the four clocks.

    algorithm: as in a system file. topology, npus, bandwidth (GB/s of 2**30 bytes/s a link), latency (ns a link): of
    one dimension; a ring's message has both directions in 1.0 and in estimate, and one in 2.x. Collectives go in one
    chunk. Only estimate has the optimiser's update. Raises ConfigError where simulate does, so for "in-switch".

    >>> free, shared = ae.clocks("halvingDoubling"), ae.clocks("direct")
    >>> for name in free:
    ...     print(f"{name:13} {free[name].total_ns / 1e6:7.3f} {shared[name].total_ns / 1e6:7.3f} ms")
    1.0, unaware   47.365   8.712 ms
    2.x, unaware   47.368   8.720 ms
    2.x, aware     91.065  52.412 ms
    estimate       52.300  13.651 ms
    >>> [round(clock.bound_ns / 1e6, 1) for clock in shared.values() if clock.bound_ns]
    [43.7, 43.7, 50.7]
    """
    strategy = Strategy(data=npus)
    dimension = Dimension.of(topology, npus, bandwidth, latency)
    platform = Platform((dimension,), SystemConfig.of(algorithm, splits=1))
    if any(how.traits.in_switch for how in platform.system.all_reduce):
        raise ConfigError(
            f"algorithm is {algorithm!r}: the congestion-aware clock knows no switch that adds up, so that there are "
            "no four to compare; take ring, direct or halvingDoubling."
        )
    block = Block(dimension.topology, npus, bandwidth, latency)
    unaware, aware = (
        TracePlatform((block,), TraceSystem.of(algorithm), congestion_aware=congestion) for congestion in (False, True)
    )
    trace = from_strategy(model, strategy, device, unaware)
    runs: dict[str, Run | Iteration] = {
        UNAWARE_1: simulate(generate_workload(model, strategy, device), platform, progress=False),
        UNAWARE_2: simulate(trace, unaware, progress=False),
        AWARE: simulate(trace, aware, progress=False),
        ESTIMATE: estimate(model, strategy, device, platform),
    }
    found = {name: Clock(run.total_ns, run.bound_ns, *TRUST[name]) for name, run in runs.items()}
    return Table("clocks", ["says", "trust it for", "not for"], _cells, found)


def _cells(clock: Clock) -> list[str]:
    said = total_words(clock.total_ns, clock.bound_ns)
    model = f" (model: {total_words(clock.total_ns, None)})" if clock.bound_ns is not None else ""
    return [f"{said}{model}", clock.trust, clock.not_for]
