"""simulate(workload, platform): run the three layers together and say what happened when."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast, overload

from astra_edu.base.errors import ConfigError, flag
from astra_edu.base.few_collections import few_collections
from astra_edu.base.late import is_a
from astra_edu.run.interrupted import leaves_so_far

if TYPE_CHECKING:
    from astra_edu.base.run import Run
    from astra_edu.run.hardware import Compute, Down
    from astra_edu.run.networks import MakesNetwork
    from astra_edu.run.result import Result
    from astra_edu.run.trace_result import TraceResult
    from astra_edu.system import Platform, TracePlatform
    from astra_edu.traces import Trace
    from astra_edu.workload import Workload

KINDS = (
    *("astra_edu.workload.layer.Workload", "astra_edu.system.config.Platform"),
    *("astra_edu.traces.trace.Trace", "astra_edu.system.trace_config.TracePlatform"),
)
"""What there is to run, of ASTRA-sim 1.0 and of 2.x. Only what is asked for is loaded."""


@overload
def simulate(workload: Workload, platform: Platform, passes: int = 1, progress: bool = True) -> Result: ...


@overload
def simulate(
    workload: Trace,
    platform: TracePlatform,
    *,
    progress: bool = True,
    record: bool = False,
    everyone: bool = False,
    network: MakesNetwork | None = None,
    compute: Compute | None = None,
    down: Down | None = None,
) -> TraceResult: ...


def simulate(
    workload: Workload | Trace,
    platform: Platform | TracePlatform,
    passes: int = 1,
    progress: bool = True,
    record: bool = False,
    everyone: bool = False,
    network: MakesNetwork | None = None,
    compute: Compute | None = None,
    down: Down | None = None,
) -> Result | TraceResult:
    """Run a workload on a platform, to the nanosecond as ASTRA-sim does.

    progress: show a progress bar when it takes more than a second. A Workload runs on a Platform as in 1.0, `passes`
    times. A Trace runs on a TracePlatform as in 2.x; see astra_edu.run.run_trace for record and everyone, which changes
    nothing of a Workload, whose NPUs all do the same. Both give a Run: a timeline of
    spans, total_ns, tables, explain() and so on.

    network: what carries a Trace's messages instead of the network that the platform says: "ns-3", or what is called
    with the platform and gives a network; see CONTRIBUTING, "A network", for one of your own.
    What it has to say is in result.statistics. compute: a function of an NPU, a node and its ns that gives the ns of a
    Trace's computations (a straggler, jitter). down: a function of an NPU that gives [(from_ns, until_ns), ...], when
    it is down: it goes on afterwards where it stopped, and what it has sent still arrives.

    Raises ConfigError for numbers that make no sense, for a workload that does nothing at all, and for a training
    loop that waits for what never comes; where NPUs are down for good, it says who waits for whom since when
    (StalledError). Ctrl-C and a notebook's stop button raise Interrupted, which has what happened until then, nothing
    while the run is prepared.
    Warns of collectives of 0 bytes.

    >>> ae.simulate(ae.Workload.micro("all-reduce", 2**20), ae.preset("ring"))
    <45.681 µs in all: compute 0 ns, exposed communication 45.681 µs; 1.75 MiB sent per NPU>
    >>> switch = ae.TracePlatform(ae.Block("Switch", 8, bandwidth=50, latency=500), ae.TraceSystem.of("direct"))
    >>> ae.simulate(ae.traces.collective("all_reduce", "1 MiB", npus=8), switch).finish_ns[0]
    6912
    >>> nodes = [{"id": 1, "type": "COMP_NODE", "duration_micros": 10}]
    >>> slow = lambda npu, node, ns: 3 * ns if npu == 2 else ns
    >>> ae.simulate(ae.traces.from_nodes([nodes] * 8), switch, compute=slow).finish_ns
    (10000, 10000, 30000, 10000, 10000, 10000, 10000, 10000)
    """
    loop, trace = ("Workload", "Platform"), ("Trace", "TracePlatform")
    with leaves_so_far(lambda followed: _left((workload, platform, passes), followed)), few_collections():
        for name, value in (("progress", progress), ("record", record), ("everyone", everyone)):
            flag(name, value)
        if _kinds(workload, platform) == trace:
            from astra_edu.run.hardware import Hardware
            from astra_edu.run.run_trace import run_trace

            hardware = Hardware(compute, down)
            traced = cast("Trace", workload), cast("TracePlatform", platform)
            return run_trace(*traced, record, everyone, progress, network, hardware)
        if _kinds(workload, platform) == loop:
            from astra_edu.run.run_loop import run_loop

            if network is not None or compute is not None or down is not None:
                name = "network=" if network is not None else "compute=" if compute is not None else "down="
                raise ConfigError(
                    f"{name} is for a Trace on a TracePlatform (ASTRA-sim 2.x), where all NPUs are followed."
                )
            return run_loop(cast("Workload", workload), cast("Platform", platform), passes, progress)
    mixed = set(_kinds(workload, platform)) in ({loop[0], trace[1]}, {loop[1], trace[0]})
    raise ConfigError(
        "simulate(workload, platform) takes what ae.load_workload(...) and ae.load_astra_sim(...) return, "
        f"in this order; it got {type(workload).__name__} and {type(platform).__name__}."
        + (" A Workload and a Platform are of ASTRA-sim 1.0, a Trace and a TracePlatform of 2.x." if mixed else "")
    )


def _kinds(*given: object) -> tuple[str, ...]:
    """What each of them is, of the KINDS; "" for anything else. What none is made of isn't loaded for it."""
    found = [[kind.rpartition(".")[2] for kind in KINDS if is_a(one, kind)] for one in given]
    return tuple(names[0] if names else "" for names in found)


def _left(job: tuple[Any, Any, int], followed: Any) -> tuple[Run, str]:
    """What has happened, for leaves_so_far."""
    if _kinds(job[0]) == ("Trace",):
        from astra_edu.run.stopped import left_of_trace

        return left_of_trace(*job[:2], followed)
    from astra_edu.run.run_loop import left_of_loop

    return left_of_loop(*job, followed)
