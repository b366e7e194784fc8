"""Whether what a group of rounds says of itself is so: that NPUs are alike, and that its steps are."""

from __future__ import annotations

from collections import Counter

from astra_edu.base.errors import ConfigError
from astra_edu.collectives.schedule import Rounds, Schedule

MOST_LOOKED_AT = 256
"""Claims are looked at for up to this many NPUs."""
MOST_RULES = 100_000
"""Of more rules, those of three NPUs are looked at."""


def check_claims(schedule: Schedule) -> None:
    """Raise ConfigError for a group that is called symmetric or uniform and isn't: one NPU, or step, would be timed.

    And for rules that send what, or to whom, can't be.
    """
    for number, group in enumerate(schedule.groups):
        where = f"{schedule.algorithm}, group {number} ({group.phase})"
        _check_possible(group, schedule, where)
        if schedule.npus > MOST_LOOKED_AT:
            continue
        if group.symmetric:
            _check_symmetric(group, schedule.npus, where)
        if group.carried is not None:
            _check_carried(group, schedule.npus, where)
        if group.uniform:
            _check_uniform(group, schedule.npus, where)


def check_groups(algorithm: str, groups: object) -> tuple[Rounds, ...]:
    """The groups that a function of one's own has made. Raises ConfigError for what are none."""
    if not isinstance(groups, tuple) or not groups or not all(isinstance(group, Rounds) for group in groups):
        raise ConfigError(f"{algorithm} gives {groups!r:.60}; it has to give a tuple of Rounds, one at least.")
    return groups


def _check_possible(group: Rounds, schedule: Schedule, where: str) -> None:
    npus, shards = range(schedule.npus), range(schedule.shards)
    steps = range(1 if group.uniform else group.count)
    looked_at = npus if schedule.npus * len(steps) <= MOST_RULES else (0, 1, schedule.npus - 1)
    for step in steps:
        for npu in looked_at:
            try:
                pairs = [(to, shard) for to, shard in group.rule(step, npu)]
            except (TypeError, ValueError) as error:
                raise ConfigError(
                    f"{where}: the rule of step {step}, NPU {npu} fails ({error}); it has to give pairs of a "
                    "destination and a shard."
                ) from error
            for to, shard in pairs:
                if type(to) is not int or type(shard) is not int or to not in npus or shard not in shards or to == npu:
                    raise ConfigError(
                        f"{where}: in step {step} NPU {npu} sends shard {shard!r} to {to!r}; shards are 0 to "
                        f"{schedule.shards - 1}, and the others are 0 to {schedule.npus - 1}."
                    )


def _check_symmetric(group: Rounds, npus: int, where: str) -> None:
    for step in range(group.count):
        first = _sends(group, step, 0, npus)
        if not first:
            raise ConfigError(
                f"{where}: in step {step} NPU 0 sends nothing; leave the step out, or say symmetric=False."
            )
        for npu in range(1, npus):
            if _sends(group, step, npu, npus) != first:
                raise ConfigError(
                    f"{where}: in step {step} NPU {npu} doesn't send what NPU 0 sends as far; say symmetric=False."
                )


def _check_carried(group: Rounds, npus: int, where: str) -> None:
    if not group.symmetric:
        raise ConfigError(f"{where}: where a switch adds up and copies, NPUs do the same; say symmetric=True.")
    for step in range(group.count):
        sent = {shard for _, shard in group.rule(step, 0)}
        came = {shard for npu in range(npus) for to, shard in group.rule(step, npu) if to == 0}
        for way, needed, carried in zip(("up", "down"), (sent, came), group.carried or (), strict=True):
            if carried < len(needed):
                raise ConfigError(
                    f"{where}: in step {step} NPU 0's link carries {carried} shards {way}, and {len(needed)} go there."
                )


def _check_uniform(group: Rounds, npus: int, where: str) -> None:
    for npu in range(npus):
        first = _sends(group, 0, npu, npus)
        for step in range(1, group.count):
            if _sends(group, step, npu, npus) != first:
                raise ConfigError(
                    f"{where}: in step {step} NPU {npu} doesn't send what it sends in step 0; say uniform=False."
                )


def _sends(group: Rounds, step: int, npu: int, npus: int) -> Counter[int]:
    """How many shards an NPU sends, by how far away round a ring their receiver is."""
    return Counter(min((to - npu) % npus, (npu - to) % npus) for to, _ in group.rule(step, npu))
