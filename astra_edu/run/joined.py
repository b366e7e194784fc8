"""Runs of all NPUs in which phases are timed at once: on congestion-unaware networks, where nothing disturbs them."""

from __future__ import annotations

from collections.abc import Callable

from astra_edu.base.errors import ConfigError
from astra_edu.base.warned import warn
from astra_edu.network import unaware
from astra_edu.network.graph import GraphNetwork
from astra_edu.run.effort import MOST_MESSAGES, messages_of, steps_of
from astra_edu.run.everyone import Everyone
from astra_edu.run.roles.ties import doubts_matter
from astra_edu.system.inter_dimension import kind_of
from astra_edu.system.joined.joins import Joins
from astra_edu.system.joined.not_joined import NotJoinedError, OrderUnknownError
from astra_edu.system.trace_config import TracePlatform
from astra_edu.traces import NodeType, Trace

_NOT_SURE = (
    "here it matters in which order an NPU ends two phases in one ns, and that isn't known, as there are too many "
    "messages to follow; so the time may be another, or the NPUs may never finish."
)
_MEMORY = (NodeType.MEM_LOAD_NODE, NodeType.MEM_STORE_NODE)


def can_join(trace: Trace, platform: TracePlatform) -> bool:
    """Whether nothing can disturb a phase, and the order of what happens in a ns can be told."""
    system = platform.system
    if platform.congestion_aware or platform.buffers is not None or system.bus or system.rendezvous:
        return False
    if system.custom or system.custom_nodes or not system.endpoint_delay or system.replay_only:
        return False
    if kind_of(system.inter_dimension).together:  # then who asks first decides for all
        return False
    if any(how.traits.tree for hows in system.implementations.values() for how in hows):
        return False
    types = {node.type for nodes in trace.templates.templates for node in nodes}
    return NodeType.COMM_COLL_NODE in types and types.isdisjoint(_MEMORY)


def run_joined(trace: Trace, platform: TracePlatform, record: bool, expected: int = 0) -> Everyone | None:
    """A run that is over; None where every message has to be followed after all.

    expected: about how many messages there will be, as in Everyone.run. Where the order in a ns makes a difference that
    can't be told, and there are too many messages to follow, the run goes on in some order, and a warning says so.
    """
    if steps_of(trace, platform) > MOST_MESSAGES:
        return None
    try:
        return _run(trace, platform, record, expected, strict=True)
    except OrderUnknownError:
        if messages_of(trace, platform) <= MOST_MESSAGES:
            return None
    except (NotJoinedError, ConfigError):  # following every message says what is wrong, and where
        return None
    try:
        run = _run(trace, platform, record, expected, strict=False)
    except (NotJoinedError, ConfigError):
        return None
    if run is not None:
        warn(_NOT_SURE, stacklevel=4)
    return run


def _run(trace: Trace, platform: TracePlatform, record: bool, expected: int, strict: bool) -> Everyone | None:
    joins = Joins(platform, message_times(platform), strict=strict)
    run = Everyone(trace, platform, joins.clock, record, joins=joins)
    run.run(expected)
    if any(npu.finished_ns is None for npu in run.npus):
        return None
    if doubts_matter(run.npus, joins.clock.doubts):
        raise OrderUnknownError
    return run


def message_times(platform: TracePlatform) -> Callable[[int, int, int], int]:
    """What gives the ns of a message on the congestion-unaware network, by its source, destination and bytes."""
    network = platform.network
    return network.message_ns if isinstance(network, GraphNetwork) else unaware.message_times(platform.blocks)
