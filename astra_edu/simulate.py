"""simulate(workload, platform): run the three layers together and say what happened when."""

from __future__ import annotations

from dataclasses import dataclass

from astra_edu.errors import ConfigError, whole
from astra_edu.system import Platform
from astra_edu.system.phases import chunk_phases, chunk_sizes
from astra_edu.system.scheduler import Scheduler, Span
from astra_edu.units import MIB, format_ns
from astra_edu.workload import Workload


@dataclass(frozen=True)
class Result:
    """One simulated run. Times in ns; message_bytes is what NPU 0 sent.

    exposed_ns: the time without compute, when the NPU waits for communication. timeline: every phase of every
    chunk, in the order in which they ended.
    """

    total_ns: float
    compute_ns: float
    exposed_ns: float
    message_bytes: int
    timeline: tuple[Span, ...]

    def chunk_latency_ns(self, dimension: int = 0) -> float:
        """Mean time of a chunk's phase on one dimension, without its waiting."""
        times = [int(s.end_ns) - int(s.start_ns) for s in self.timeline if s.dimension == dimension]
        return sum(times) / len(times)

    def __repr__(self) -> str:
        return (
            f"<{format_ns(self.total_ns)} in all: compute {format_ns(self.compute_ns)}, exposed communication "
            f"{format_ns(self.exposed_ns)}; {self.message_bytes / MIB:,.6g} MiB sent per NPU>"
        )


def simulate(workload: Workload, platform: Platform, passes: int = 1) -> Result:
    """Run `passes` passes of the workload on the platform, to the nanosecond as ASTRA-sim 1.0 does.

    This version runs the MICRO loop, over several dimensions in the baseline order; it raises ConfigError for
    anything else, for numbers that make no sense, and for a workload that asks for no communication at all.
    """
    if not isinstance(workload, Workload) or not isinstance(platform, Platform):
        raise ConfigError(
            "simulate(workload, platform) takes what ae.load_workload(...) and ae.load_astra_sim(...) return, "
            f"in this order; it got {type(workload).__name__} and {type(platform).__name__}."
        )
    passes = whole("passes", passes, at_least=1)
    if workload.loop != "MICRO":
        raise ConfigError(f"the training loop {workload.loop} isn't simulated by this version; MICRO is.")
    layer = workload.layers[0]
    collective, size = layer.weight_gradient.collective, layer.weight_gradient.size
    if collective is None or size == 0:
        raise ConfigError(
            f"layer {layer.name} communicates nothing in its weight gradient (type {collective or 'NONE'}, "
            f"{size} bytes), and a MICRO workload does nothing else; give it a collective and a size."
        )
    import simpy  # here, because it is half of the time that importing the package would take

    env = simpy.Environment()
    scheduler = Scheduler(env, platform)
    issued = [scheduler.issue(layer.name, collective, size) for _ in range(passes)]
    env.run(env.all_of(issued))
    total = int(env.now) + layer.update_ns
    sizes = chunk_sizes(size, platform.system.splits)
    sent = sum(phase.time.sent_bytes for chunk in sizes for phase in chunk_phases(platform, collective, chunk))
    return Result(total, 0, total, sent * passes, tuple(scheduler.spans))
