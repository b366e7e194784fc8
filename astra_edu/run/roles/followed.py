"""A run in which one NPU is followed for each role."""

from __future__ import annotations

from functools import cached_property

from astra_edu.base.errors import ConfigError
from astra_edu.base.progress import Bar
from astra_edu.run.everyone import Everyone
from astra_edu.run.roles.hands import RoleHardware
from astra_edu.run.roles.joins import RoleJoins
from astra_edu.run.roles.roles import Roles, may_fold, roles_of
from astra_edu.run.roles.ties import doubts_matter
from astra_edu.run.stopped import stoppable
from astra_edu.system.joined.clock import Moment
from astra_edu.system.joined.not_joined import NotJoinedError, RolesDifferError
from astra_edu.system.trace_config import TracePlatform
from astra_edu.traces import Trace
from astra_edu.traces.communication import check_communication
from astra_edu.traces.npu import TraceNpu

MOST_TRIES = 4
"""So often roles are refined by what differed; then no role is followed."""
MOST_NODES = 5_000_000
"""A minute or two; nodes count as often as they have chunks."""
WORTH_IT = 2
"""Roles are followed where there are at least so many times as many NPUs."""


class RolesRun(Everyone):
    """A run of the NPUs that are followed."""

    def __init__(self, trace: Trace, platform: TracePlatform, roles: Roles, record: bool = False) -> None:
        """Nothing has begun. record: keep every chunk's stay in a phase."""
        joins = RoleJoins(platform, roles)
        hardware = RoleHardware(roles, joins.clock)
        super().__init__(trace, platform, joins.clock, record, hardware, joins, roles.representatives)
        self.roles = roles
        self.clock = joins.clock
        self.joins = joins

    def start(self, npu: TraceNpu) -> None:
        """See Everyone: what NPUs do at the beginning has no order between them."""
        self.clock.moment = Moment(npu.npu, 0, None, False)
        npu.go_on()

    def run(self, expected: int = 0) -> None:
        """See Everyone. expected: how many nodes there are; from the second second on a bar shows how many ended."""
        with stoppable(self.npus, self.network, self.roles.stands_for, self.stays):
            for npu in self.npus:
                self.start(npu)
            if not expected:
                self.network.run()
                return
            with Bar("simulating", " nodes", expected) as bar:
                self.network.run(lambda: bar.show(self._ended))
                bar.show(self._ended)

    @property
    def _ended(self) -> int:
        return sum(npu.ended for npu in self.npus)

    @cached_property
    def in_doubt(self) -> bool:
        """Whether an order that isn't known decides anything."""
        return doubts_matter(self.npus, self.clock.doubts)


def run_by_roles(
    trace: Trace, platform: TracePlatform, record: bool = False, progress: bool = False
) -> RolesRun | None:
    """A run that is over; None where NPUs have to be followed one by one. See RolesRun.in_doubt.

    record: keep every chunk's stay in a phase. progress: show how far it is. The trace's communication must have been
    checked, but where nodes are only replayed.
    """
    if not may_fold(trace, platform) or (platform.system.replay_only and not _fits_together(trace, platform)):
        return None
    by_place: set[int] = set()
    for _ in range(MOST_TRIES):
        roles = roles_of(trace, platform, by_place, trace.npus // WORTH_IT)
        if roles is None or roles.meets_itself or _too_many(trace, platform, roles):
            return None
        run = RolesRun(trace, platform, roles, record)
        try:
            run.run(sum(len(npu.nodes) for npu in run.npus) if progress else 0)
        except RolesDifferError:
            more = roles.rings_of_class(run.joins.differ)
            if more <= by_place:
                return None
            by_place |= more
            continue
        except NotJoinedError:
            return None
        return run if all(npu.finished_ns is not None for npu in run.npus) else None
    return None


def _fits_together(trace: Trace, platform: TracePlatform) -> bool:
    """Whether every message has both its ends, and every collective its members."""
    try:
        check_communication(trace, platform.dims)
    except ConfigError:
        return False
    return True


def _too_many(trace: Trace, platform: TracePlatform, roles: Roles) -> bool:
    """Whether those who are followed do more than one wants to wait for."""
    nodes = sum(len(trace.templates.templates[trace.templates.of[npu]]) for npu in roles.representatives)
    return nodes * platform.system.splits > MOST_NODES
