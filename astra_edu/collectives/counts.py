"""What a schedule costs before any network is named: steps, bytes sent and received, fan-in, bytes a round."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import NamedTuple

from astra_edu.base.errors import ConfigError, instance_of, whole
from astra_edu.base.progress import Bar
from astra_edu.collectives.collective import Collective
from astra_edu.collectives.schedule import A_SCHEDULE, Rounds, Schedule

MOST_ASKED = 10_000_000
"""NPUs, over all steps, that are asked what they send: about ten seconds."""


class RoundCounts(NamedTuple):
    """`steps` steps in a row that move the same. Bytes are per step.

    total: over all NPUs. sent, received: the largest of any NPU. fan_in: the most NPUs that send to one NPU.
    """

    phase: str
    steps: int
    total: float
    sent: float
    received: float
    fan_in: int


@dataclass(frozen=True)
class Counts:
    """The costs of one collective in bytes (whole numbers are ints).

    sent, received: of the busiest NPU over all steps. total: over all NPUs. fan_in: the most NPUs that send to
    one NPU in a step. rounds: the steps in order, equal neighbours put together.

    >>> costs = ae.counts(ae.schedule("all-reduce", "direct", 4), 1000)
    >>> costs.steps, costs.sent, costs.fan_in
    (2, 1500, 3)
    """

    steps: int
    sent: float
    received: float
    total: float
    fan_in: int
    rounds: tuple[RoundCounts, ...]


def counts(schedule: Schedule, buffer_bytes: int) -> Counts:
    """Count `schedule` for a buffer of `buffer_bytes`.

    The buffer is the largest one NPU has: an all-reduce's or all-to-all's, the input of a reduce-scatter or
    scatter, the output of an all-gather or gather.

    >>> ring, naive = (ae.counts(ae.schedule("all-reduce", name, 8), 2**20) for name in ("ring", "naive"))
    >>> ring.steps, ring.sent, ring.total
    (14, 1835008, 14680064)
    >>> naive.steps, naive.sent, naive.total
    (1, 7340032, 58720256)
    """
    instance_of("schedule", schedule, Schedule, A_SCHEDULE)
    _check_effort(schedule)
    buffer = whole("buffer_bytes", buffer_bytes, at_least=0)

    def in_bytes(shards: int) -> float:
        whole_bytes, rest = divmod(shards * buffer, schedule.shards_per_buffer)
        return shards * buffer / schedule.shards_per_buffer if rest else whole_bytes

    rounds: list[RoundCounts] = []
    sent: Counter[int] = Counter()
    received: Counter[int] = Counter()
    total = 0
    with Bar("counting", " steps", schedule.step_count) as bar:
        for group in schedule.groups:
            distinct = 1 if group.uniform else group.count
            repeat = group.count if group.uniform else 1
            for step in range(distinct):
                bar.show(len(rounds) + 1)
                moved = _step(group, step, schedule.npus)
                for npu, shards in moved.sent.items():
                    sent[npu] += shards * repeat
                for npu, shards in moved.received.items():
                    received[npu] += shards * repeat
                total += moved.total * repeat
                rounds.append(
                    RoundCounts(
                        group.phase,
                        repeat,
                        in_bytes(moved.total),
                        in_bytes(max(moved.sent.values(), default=0)),
                        in_bytes(max(moved.received.values(), default=0)),
                        moved.fan_in,
                    )
                )
    return Counts(
        schedule.step_count,
        in_bytes(max(sent.values(), default=0)),
        in_bytes(max(received.values(), default=0)),
        in_bytes(total),
        max(r.fan_in for r in rounds),
        tuple(rounds),
    )


def _check_effort(schedule: Schedule) -> None:
    """Raise ConfigError for a schedule of more steps than can be gone through, NPU by NPU where these differ."""
    asked = sum(
        (1 if group.uniform else group.count) * (1 if group.symmetric else schedule.npus) for group in schedule.groups
    )
    if asked > MOST_ASKED:
        raise ConfigError(
            f"{schedule.algorithm}'s {schedule.collective} on {schedule.npus:,} NPUs has {schedule.step_count:,} "
            f"steps, in which the NPUs differ: that makes {asked:,} to go through, and {MOST_ASKED:,} is the most. "
            "Take fewer NPUs."
        )


def least_sent(collective: Collective, size: int, npus: int) -> float:
    """Bytes that some NPU has to send at least if each brings `size` bytes, by whatever algorithm NPUs carry out alone.

    >>> from astra_edu.collectives.counts import least_sent
    >>> least_sent(ae.Collective.ALL_REDUCE, 1000, 4), least_sent(ae.Collective.ALL_GATHER, 1000, 4)
    (1500.0, 3000)
    """
    if collective is Collective.ALL_GATHER:
        return size * (npus - 1)
    return (2 if collective is Collective.ALL_REDUCE else 1) * size * (npus - 1) / npus


class _Moved(NamedTuple):
    """Shards moved in one step, by NPU; in a symmetric step NPU 0 stands for all."""

    sent: Counter[int]
    received: Counter[int]
    total: int
    fan_in: int


def _step(group: Rounds, step: int, npus: int) -> _Moved:
    if group.carried is not None:
        up, down = group.carried
        return _Moved(Counter({0: up}), Counter({0: down}), up * npus, 1)
    if group.symmetric:
        sends = group.transfers(step, 0)
        mine = Counter({0: len(sends)})
        return _Moved(mine, mine, len(sends) * npus, len({t.destination for t in sends}))
    transfers = [t for npu in range(npus) for t in group.transfers(step, npu)]
    sources: defaultdict[int, set[int]] = defaultdict(set)
    for t in transfers:
        sources[t.destination].add(t.source)
    return _Moved(
        Counter(t.source for t in transfers),
        Counter(t.destination for t in transfers),
        len(transfers),
        max(map(len, sources.values()), default=0),
    )
