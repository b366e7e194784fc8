"""Where ASTRA-sim 1.0 is odd, gathered in one place: we match it to the nanosecond, and say so here (2.x: __init__).

Each function below states the rule that one would expect and what the simulator does instead (source: ASTRA-sim and
its analytical backend at tag tutorial-asplos2023). Where an oddity is a mechanism of its own, it lives there:

- "GB/s" is 2**30 bytes per second (units.bytes_per_ns), and the network truncates to whole ns after every term of a
  message's time (network.Dimension.message_ns).
- What happens in the same ns happens in the order in which it was foreseen (clock.lookback), NPU by NPU; who is first
  among the NPUs decides when a phase ends (system.faithful.npu_order; on a shared bus all_npus) and when Themis forgets
  its loads (system.faithful.forgetting, npu_turns).
- Themis books an all-gather on the dimensions in the wrong order while the loads are equal (system.themis).
- With hbm-scale > 0 messages arrive between two ns, but an NPU counts whole ones: what it foresees for 10.2 ns and for
  10.7 ns is one turn, at the time of what was foreseen first, and its shared bus doesn't see the fraction. What is
  rounded up to the next ns is lost, and all may wait for ever (2 of 1,500 random cases; clock.loop_turns).
- A piece of 0 bytes crosses a shared bus in G ns less than no time. With G of o + 1 and more its end is foreseen for
  the past. Compiled with assertions ASTRA-sim stops there (and wherever something is foreseen for now: L = o = 0);
  compiled without, the earliest of the past is lost, time goes back for the rest, and the bus goes on, or all wait for
  ever (clock.loop_turns).
- The training loops take 1 ns from state to state (workload.loops), and an update time even where nothing is updated.
- A model-parallel group that doesn't fit the dimensions is rounded down, and NPUs are left out (system.logical).
- The two parts of a dimension that a group breaks each have its full bandwidth, and "active chunks" more than 1 give
  a dimension more than its bandwidth: messages never wait for each other (network.dimension).
- "doubleBinaryTree" sends whole chunks down one of two trees in turn, all-reduces also when asked for a reduce-scatter
  or an all-gather, and is queued like an all-reduce (system.plan_1).
- Exposed time counts for the first layer at the end of a run only until its own collective is done, so a layer's
  columns may add up to less than the run's exposed time (workload.npu).

Not matched, because there it is simply broken: chunks of 2 GiB and more, whose size it keeps in 32 bits (a 4 GiB
collective in one chunk moves 0 bytes). Not matched in rare cases (7 of about 2,000 random configurations, most of them
by less than 1 %): ties in the same ns that three waits back don't decide, above all on networks whose dimensions
are all alike and with an update time of 0; on a shared bus without boost mode, more than 256 NPUs in several
dimensions; Themis where several dimensions end a phase in one ns, or after trees, and a warning says so; the bytes per
dimension of a group that doesn't fit, with several queues; and, with hbm-scale > 0 and no shared bus, chunk latencies
by fractions of a ns.
"""

from __future__ import annotations

from collections.abc import Sequence

from astra_edu.collectives.collective import Collective
from astra_edu.collectives.schedule import Op, Rounds, Schedule

MEMORY_BYTES_PER_NS = 500_000
"""The endpoint memory's bandwidth in the analytical main program: 500 TB/s, so it hardly ever counts."""


def message_bytes(schedule: Schedule, group: Rounds, shards: int, chunk_bytes: int) -> int:
    """Bytes of a message of `shards` shards when an NPU brings `chunk_bytes`.

    Expected and done: the exact share, rounded down. Except the all-gather half of a halving-doubling
    all-reduce: it doubles the halved and rounded message again, so what was rounded off stays off.
    """
    if (
        schedule.traits.halves
        and len(schedule.dims) == 1
        and schedule.collective is Collective.ALL_REDUCE
        and group.op is Op.COPY
    ):
        return chunk_bytes // (2 * schedule.shards) * 2 * shards
    return schedule.buffer_bytes(chunk_bytes) * shards // schedule.shards_per_buffer


def is_charged(schedule: Schedule, group: Rounds, step: int) -> bool:
    """Whether step `step` of its group costs memory time at the endpoint that receives.

    Expected and done: every step that reduces. Except the last one of halving-doubling, which is free, and the
    trees of "doubleBinaryTree", where inner NPUs pay again for what comes down (all steps down but the last).
    """
    if group.carried is not None:  # not ASTRA-sim's: the switch adds up
        return False
    if group.op is Op.REDUCE:
        return not schedule.traits.halves or step < group.count - 1
    return schedule.traits.tree and step < group.count - 1


def reduction_ns(schedule: Schedule, group: Rounds, step: int, message_bytes: int) -> int:
    """Memory time of adding up a received message of `message_bytes` in step `step` of its group.

    Expected and done: three accesses, each rounded down to whole ns. Except halving-doubling, which is charged for
    the message it sends next, half as large.
    """
    if not is_charged(schedule, group, step):
        return 0
    if schedule.traits.halves:
        message_bytes //= 2
    return memory_ns(message_bytes)


def memory_ns(message_bytes: int) -> int:
    """Three accesses to the endpoint's memory, each rounded down to whole ns."""
    return 3 * (message_bytes // MEMORY_BYTES_PER_NS)


def crossing_bytes(schedule: Schedule, sizes: Sequence[int]) -> list[int]:
    """The bytes that cross the shared bus before each message and after the last one. sizes: of the messages.

    Expected and done: a message's own bytes. Except halving-doubling, which has gone one step further by then: what
    arrives crosses with the size of the next message, and there is one more than there are messages.
    """
    if not schedule.traits.halves:
        return [*sizes, sizes[-1]]
    following = sizes[-1] // 2 if schedule.collective is Collective.REDUCE_SCATTER else sizes[-1] * 2
    return [*sizes, following]
