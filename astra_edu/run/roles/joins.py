"""Phases that are timed at once, where one NPU begins them for all of its role."""

from __future__ import annotations

from collections.abc import Sequence

from astra_edu.run.joined import message_times
from astra_edu.run.roles.roles import Roles
from astra_edu.system.endpoint import Endpoint
from astra_edu.system.joined.clock import JoinedClock
from astra_edu.system.joined.ends import End
from astra_edu.system.joined.joins import At, Joins, MessageNs, Phase, Ring, RolesDifferError, _later
from astra_edu.system.plan_2 import PhasePlan
from astra_edu.system.trace_config import TracePlatform


class RoleClock(JoinedClock):
    """A clock that goes on where an order isn't known. doubts: (NPU, ns) of each."""

    def __init__(self, message_ns: MessageNs) -> None:
        """Nothing has happened."""
        super().__init__(message_ns)
        self.doubts: set[tuple[int, int]] = set()

    def doubt(self, npu: int) -> None:
        """See JoinedClock."""
        self.doubts.add((npu, self.now))


class RoleRing(Ring):
    """A ring that stands for all of its class. places: of each NPU that is followed for members."""

    __slots__ = ("key", "places")

    def __init__(
        self, npus: Sequence[int], message_ns: MessageNs, stands_for: Sequence[int], key: tuple[bool, int]
    ) -> None:
        """key: of its class."""
        super().__init__(npus, message_ns)
        self.key = key
        self.places: dict[int, list[int]] = {}
        for place, npu in enumerate(npus):
            self.places.setdefault(stands_for[npu], []).append(place)


class RoleJoins(Joins):
    """Phases of which one NPU enters for all of its role, and one ring for all of its class.

    differ: the class of rings in which members of one role end at different times.
    """

    def __init__(self, platform: TracePlatform, roles: Roles, record: bool) -> None:
        """Nothing has begun. record: stays are recorded."""
        message_ns = message_times(platform)
        super().__init__(platform, message_ns, roles.stands_for, record)
        self.clock: RoleClock = RoleClock(message_ns)
        self.roles = roles
        self.differ = (False, -1)
        self._of_class: dict[tuple[bool, int], RoleRing] = {}
        self._same: dict[tuple[RoleRing, object], dict[int, End]] = {}

    def _ring(self, plan: PhasePlan, npu: int) -> RoleRing:
        logical = plan.logical
        key = self.roles.ring_class(logical, npu)
        found = self._of_class.get(key)
        if found is None:
            npus = logical.ring_of(npu)
            found = self._of_class[key] = RoleRing(npus, self.message_ns, self.roles.stands_for, key)
        return found

    def _enter_for_all(self, phase: Phase, at: At, now: int) -> None:
        """Only the first place of a role is filled."""
        assert isinstance(phase.ring, RoleRing)
        places = phase.ring.places[at.endpoint.npu]
        phase.at[places[0]], phase.starts[places[0]] = at, now
        phase.left -= len(places)

    def _time(self, phase: Phase, endpoint: Endpoint) -> None:
        ring = phase.ring
        assert isinstance(ring, RoleRing)
        starts = {npu: phase.starts[places[0]] for npu, places in ring.places.items()}
        if len(set(starts.values())) == 1:
            first = next(iter(starts.values()))
            known = self._same.get((ring, phase.kind))
            if known is None:
                ends = self._ends(phase.plan, ring, [0] * len(ring.npus), endpoint)
                known = self._same[ring, phase.kind] = self._by_role(ring, ends)
            found = {npu: _later(end, first) for npu, end in known.items()}
        else:
            every = [0] * len(ring.npus)
            for npu, places in ring.places.items():
                for place in places:
                    every[place] = starts[npu]
            found = self._by_role(ring, self._ends(phase.plan, ring, every, endpoint))
        for npu, places in ring.places.items():
            at = phase.at[places[0]]
            assert at is not None
            at.turns.over(found[npu], self._over, at)

    def _by_role(self, ring: RoleRing, ends: list[End]) -> dict[int, End]:
        """The end of each role. Raises RolesDifferError where members end at different times."""
        found = {}
        for npu, places in ring.places.items():
            end = ends[places[0]]
            for place in places:
                if ends[place] != end:
                    if ends[place].ns != end.ns:
                        self.differ = ring.key
                        raise RolesDifferError(())
                    end = end._replace(sure=False)
            found[npu] = end
        return found
