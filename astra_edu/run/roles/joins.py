"""Phases that are timed at once, where one NPU begins them for all of its role."""

from __future__ import annotations

from collections.abc import Sequence

from astra_edu.run.effort import MOST_MESSAGES
from astra_edu.run.joined import message_times
from astra_edu.run.roles.roles import Roles
from astra_edu.system.endpoint import Endpoint
from astra_edu.system.joined.ends import End
from astra_edu.system.joined.joins import At, Joins, Phase
from astra_edu.system.joined.not_joined import NotJoinedError, RolesDifferError
from astra_edu.system.joined.rings import MessageNs, Ring
from astra_edu.system.joined.times import Times
from astra_edu.system.joined.wholes import Planned
from astra_edu.system.plan_2 import PhasePlan
from astra_edu.system.trace_config import TracePlatform


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

    def __init__(self, platform: TracePlatform, roles: Roles) -> None:
        """Nothing has begun."""
        super().__init__(platform, message_times(platform))
        self.roles = roles
        self.differ = (False, -1)
        self._steps = 0.0
        self._of_class: dict[tuple[bool, int], RoleRing] = {}
        self._same: dict[tuple[RoleRing, object], Times] = {}

    def whole(self, endpoint: Endpoint, planned: Planned) -> None:
        """See Joins: chunks are followed, as members of a role may be late by different times."""

    def _ring(self, plan: PhasePlan, npu: int) -> RoleRing:
        logical = plan.logical
        key = self.roles.ring_class(logical, npu)
        found = self._of_class.get(key)
        if found is None:
            npus = logical.ring_of(npu)
            found = self._of_class[key] = RoleRing(npus, self.message_ns, self.roles.stands_for, key)
        return found

    def _enter(self, phase: Phase, at: At, npu: int) -> None:
        """Only the first place of a role is filled."""
        assert isinstance(phase.ring, RoleRing)
        places = phase.ring.places[npu]
        phase.at[places[0]], phase.starts[places[0]] = at, self.clock.now
        phase.left -= len(places)

    def _time(self, phase: Phase, endpoint: Endpoint) -> None:
        ring = phase.ring
        assert isinstance(ring, RoleRing)
        starts = [phase.starts[places[0]] for places in ring.places.values()]
        first = starts[0]
        if starts.count(first) == len(starts):
            known = self._same.get((ring, phase.kind))
            if known is None:
                times = self._counted(phase.plan, ring, [0] * len(ring.npus), endpoint)
                known = self._same[ring, phase.kind] = self._by_role(ring, times)
            found = known.later(first)
        else:
            every = [0] * len(ring.npus)
            for start, places in zip(starts, ring.places.values(), strict=True):
                for place in places:
                    every[place] = start
            found = self._by_role(ring, self._counted(phase.plan, ring, every, endpoint))
        ats = [at for at in (phase.at[places[0]] for places in ring.places.values()) if at is not None]
        for role, ns, foreseen_ns in found.expects:
            ats[role].turns.expect(ns, foreseen_ns)
        for at, end in zip(ats, found.ends, strict=True):
            at.turns.over(end, self._over, at)

    def _counted(self, plan: PhasePlan, ring: RoleRing, starts: list[int], endpoint: Endpoint) -> Times:
        """The times by place. Raises NotJoinedError where finding them has taken too long in all."""
        each = 1 if plan.logical.how.algorithm == "ring" else self._messages(plan, endpoint) / (4 * len(ring.npus))
        self._steps += each * len(ring.npus)
        if self._steps > MOST_MESSAGES:
            raise NotJoinedError
        return self._times(plan, ring, starts, endpoint)

    def _by_role(self, ring: RoleRing, times: Times) -> Times:
        """The same by the role's number in its ring. Raises RolesDifferError where members end at different times."""
        ends: list[End] = []
        role_of: dict[int, int] = {}
        for role, places in enumerate(ring.places.values()):
            end = times.ends[places[0]]
            for place in places:
                role_of[place] = role
                if times.ends[place] != end:
                    if times.ends[place].ns != end.ns:
                        self.differ = ring.key
                        raise RolesDifferError
                    end = end._replace(sure=False)
            ends.append(end)
        expects = {(role_of[place], ns, foreseen_ns) for place, ns, foreseen_ns in times.expects}
        return Times(ends, sorted(expects))
