"""ae.roles(trace, platform): which NPUs of a job behave alike."""

from __future__ import annotations

from astra_edu.base.errors import ConfigError, instance_of
from astra_edu.base.so_far import leaves_nothing
from astra_edu.run.roles.followed import run_by_roles
from astra_edu.run.roles.roles import Roles, may_fold, roles_of
from astra_edu.system.trace_config import TracePlatform
from astra_edu.traces import Trace
from astra_edu.traces.communication import check_communication


@leaves_nothing()
def roles(trace: Trace, platform: TracePlatform) -> Roles:
    """Who behaves like whom: NPUs that do the same, and whose peers play the same roles as far away.

    simulate follows one NPU of each role, where that is quicker than following all, and so does this, as only a run
    tells where one has to look closer: behind a straggler on a ring each NPU waits for another time.

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
    run = run_by_roles(trace, platform)
    if run is not None:
        return run.roles
    coarse = roles_of(trace, platform)
    assert coarse is not None
    found = roles_of(trace, platform, by_place=range(len(coarse.classes)))
    assert found is not None
    return found
