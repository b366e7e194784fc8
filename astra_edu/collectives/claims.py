"""Whether what a group of rounds says of itself is so: that NPUs are alike, and that its steps are."""

from __future__ import annotations

from collections import Counter

from astra_edu.base.errors import ConfigError
from astra_edu.collectives.schedule import Rounds, Schedule

MOST_LOOKED_AT = 256
"""Claims are looked at for up to this many NPUs."""


def check_claims(schedule: Schedule) -> None:
    """Raise ConfigError for a group that is called symmetric or uniform and isn't: one NPU, or step, would be timed."""
    if schedule.npus > MOST_LOOKED_AT:
        return
    for number, group in enumerate(schedule.groups):
        where = f"{schedule.algorithm}, group {number} ({group.phase})"
        if group.symmetric:
            _check_symmetric(group, schedule.npus, where)
        if group.uniform:
            _check_uniform(group, schedule.npus, where)


def _check_symmetric(group: Rounds, npus: int, where: str) -> None:
    for step in range(group.count):
        first = _sends(group, step, 0, npus)
        for npu in range(1, npus):
            if _sends(group, step, npu, npus) != first:
                raise ConfigError(
                    f"{where}: in step {step} NPU {npu} doesn't send what NPU 0 sends as far; say symmetric=False."
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
    """How many chunks an NPU sends, by how far away round a ring their receiver is."""
    return Counter(min((to - npu) % npus, (npu - to) % npus) for to, _ in group.rule(step, npu))
