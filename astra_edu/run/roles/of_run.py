"""ae.roles(trace, platform): which NPUs of a job behave alike."""

from __future__ import annotations

from astra_edu.base.errors import ConfigError, instance_of
from astra_edu.run.roles.roles import Roles, may_fold, roles_of
from astra_edu.system.trace_config import TracePlatform
from astra_edu.traces import Trace
from astra_edu.traces.communication import check_communication


def roles(trace: Trace, platform: TracePlatform) -> Roles:
    """Who behaves like whom, from what the NPUs do, whom they talk to, and how far that one is.

    simulate follows one NPU of each role, where that is quicker than following all. It may have to split a role on the
    way: behind a straggler on a ring, NPUs wait for a different time each.

    Raises ConfigError where sizes don't fit, for faulty communication, and where every NPU has to be followed whatever
    it does: where the first NPU to ask decides for all, or NPUs share a bus or a memory.

    >>> switch = ae.TracePlatform(ae.Block("Switch", 8, 50, 500), ae.TraceSystem.of("direct"))
    >>> trace = ae.traces.Builder(8)
    >>> slow = trace.compute("slow", [10, 10, 10, 90, 10, 10, 10, 10])
    >>> sums = trace.all_reduce("sum", "1 MiB", after=slow)
    >>> ae.roles(trace.build(), switch).of
    (0, 0, 0, 1, 0, 0, 0, 0)
    """
    instance_of("trace", trace, Trace, "give what ae.traces.Builder, from_strategy or load make")
    instance_of("platform", platform, TracePlatform, "give an ae.TracePlatform")
    if trace.npus != platform.npus:
        raise ConfigError(f"the trace is for {trace.npus} NPUs, the network has {platform.npus}.")
    check_communication(trace, platform.dims)
    if not may_fold(trace, platform):
        raise ConfigError(
            "every NPU has a role of its own here: the network lets messages wait for one another or doesn't look "
            "alike from every NPU, NPUs share a bus or a memory, or the first to ask decides for all."
        )
    found = roles_of(trace, platform)
    assert found is not None
    return found
