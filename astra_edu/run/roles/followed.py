"""A run in which one NPU is followed for each role."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from astra_edu.run.everyone import Everyone
from astra_edu.run.joined import message_times
from astra_edu.run.roles.hands import RoleHardware
from astra_edu.run.roles.roles import Roles, may_fold, roles_of
from astra_edu.run.roles.ties import order_matters
from astra_edu.system.joined.clock import JoinedClock, Moment, NotJoinedError
from astra_edu.system.joined.ends import End
from astra_edu.system.joined.joins import Joins, MessageNs, Phase, Ring, RolesDifferError
from astra_edu.system.plan_2 import PhasePlan
from astra_edu.system.trace_config import TracePlatform
from astra_edu.traces import Trace
from astra_edu.traces.npu import TraceNpu

MOST_TRIES = 4
"""So often roles are refined by what differed; then no role is followed."""
WORTH_IT = 2
"""Roles are followed where there are at least so many times as many NPUs."""


class RoleClock(JoinedClock):
    """A clock that goes on where an order isn't known. doubts: (NPU, ns) of each."""

    def __init__(self, message_ns: MessageNs) -> None:
        """Nothing has happened."""
        super().__init__(message_ns)
        self.doubts: set[tuple[int, int]] = set()

    def doubt(self, npu: int) -> None:
        """See JoinedClock."""
        self.doubts.add((npu, self.now))


class RoleJoins(Joins):
    """Phases of which one NPU enters for all of its role, and one ring for all of its class."""

    def __init__(self, platform: TracePlatform, roles: Roles, record: bool) -> None:
        """Nothing has begun. differ: the class of rings in which members of one role end at different times."""
        message_ns = message_times(platform)
        super().__init__(platform, message_ns, roles.stands_for, record)
        self.clock: RoleClock = RoleClock(message_ns)
        self.roles = roles
        self._of_class: dict[tuple[bool, int], Ring] = {}
        self.differ = (False, -1)

    def _ring(self, plan: PhasePlan, npu: int) -> Ring:
        logical = plan.logical
        key = self.roles.ring_class(logical, npu)
        found = self._of_class.get(key)
        if found is None:
            found = self._of_class[key] = Ring(logical.ring_of(npu), self.message_ns)
        return found

    def _of_roles(self, phase: Phase, ends: list[End]) -> list[End]:
        try:
            return super()._of_roles(phase, ends)
        except RolesDifferError:
            self.differ = next(key for key, ring in self._of_class.items() if ring is phase.ring)
            raise


class RolesRun(Everyone):
    """A run of the NPUs that are followed."""

    def __init__(self, trace: Trace, platform: TracePlatform, roles: Roles, record: bool = False) -> None:
        """Nothing has begun. record: keep every chunk's stay in a phase."""
        joins = RoleJoins(platform, roles, record)
        hardware = RoleHardware(roles, joins.clock)
        super().__init__(trace, platform, joins.clock, record, hardware, joins, roles.representatives)
        self.clock = joins.clock
        self.joins = joins

    def start(self, npu: TraceNpu) -> None:
        """See Everyone: what NPUs do at the beginning has no order between them."""
        self.clock.moment = Moment(npu.npu, 0, None, False)
        npu.go_on()

    def in_doubt(self) -> bool:
        """Whether an order that isn't known decides anything."""
        times: defaultdict[int, list[int]] = defaultdict(list)
        for npu, ns in self.clock.doubts:
            times[npu].append(ns)
        return any(npu.npu in times and order_matters(npu.ran, times[npu.npu]) for npu in self.npus)


def run_by_roles(trace: Trace, platform: TracePlatform, record: bool = False) -> tuple[Roles, RolesRun] | None:
    """The roles and a run that is over; None where NPUs have to be followed one by one.

    The trace's communication must have been checked.
    """
    if not may_fold(trace, platform):
        return None
    by_place: set[int] = set()
    for _ in range(MOST_TRIES):
        roles = roles_of(trace, platform, by_place, trace.npus // WORTH_IT)
        if roles is None:
            return None
        run = RolesRun(trace, platform, roles, record)
        try:
            run.run()
        except RolesDifferError:
            more = roles.rings_of_class(run.joins.differ)
            if more <= by_place:
                return None
            by_place |= more
            continue
        except NotJoinedError:
            return None
        if any(npu.finished_ns is None for npu in run.npus) or run.in_doubt():
            return None
        return roles, run
    return None
