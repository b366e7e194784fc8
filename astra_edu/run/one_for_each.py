"""Runs on the congestion-aware network in which one NPU of each role stands for all that do the same."""

from __future__ import annotations

from collections.abc import Mapping

from astra_edu.base.progress import Bar
from astra_edu.clock.events import Turns
from astra_edu.network.role_links import RoleLinks
from astra_edu.network.role_messages import RoleMessages
from astra_edu.run.folds import Folds
from astra_edu.run.hands import Hands
from astra_edu.run.stopped import stoppable
from astra_edu.system.endpoint import TAGS, Endpoint, Group
from astra_edu.system.plan_2 import Shared
from astra_edu.system.remote_memory import Accesses
from astra_edu.system.trace_config import TracePlatform
from astra_edu.traces import Trace
from astra_edu.traces.npu import TraceNpu


class OneForEach:
    """A run of the representatives of a folding's roles."""

    def __init__(self, trace: Trace, platform: TracePlatform, folds: Folds, strict: bool = True) -> None:
        """strict: see RoleLinks."""
        folding = folds.folding
        self.network = RoleLinks(platform.blocks, folding, strict)
        self.messages = RoleMessages(self.network, platform.system.rendezvous, TAGS, folds.tag)
        shared, accesses = Shared(platform), Accesses(platform.memory)
        self.stands_for = folding.stands_for
        self.npus: list[TraceNpu] = []
        for npu in folding.roles:
            endpoint = _RoleEndpoint(npu, self.network, platform, self.messages, shared, folds.kinds)
            hands = Hands(endpoint, accesses)
            self.npus.append(TraceNpu(npu, trace.nodes[npu], trace.groups, platform.system, hands, trace.where(npu)))

    def run(self, expected: int = 0) -> None:
        """Start every representative and go on until nothing happens any more. expected: see Everyone."""
        with stoppable(self.npus, self.network, self.stands_for):
            for npu in self.npus:
                self.network.starts(npu.npu)
                npu.go_on()
            if not expected:
                self.network.run()
                return
            with Bar("simulating", " messages", expected) as bar:
                self.network.run(lambda: bar.show(self.messages.sent))
                bar.show(self.messages.sent)


class _RoleTurns(Turns):
    """A representative's turns, each of which the network hears of."""

    def __init__(self, network: RoleLinks, npu: int) -> None:
        super().__init__(network)
        self._network = network
        self._npu = npu

    def _turn(self, time: int) -> None:
        self._network.touch(self._npu, None)
        super()._turn(time)


class _RoleEndpoint(Endpoint):
    """A representative's endpoint. Tags are those of the groups that stand for the NPU's."""

    def __init__(
        self,
        npu: int,
        network: RoleLinks,
        platform: TracePlatform,
        messages: RoleMessages,
        shared: Shared,
        kinds: Mapping[int, int],
    ) -> None:
        super().__init__(npu, network, platform, messages, shared)
        self.turns = _RoleTurns(network, npu)
        self._kinds = kinds

    def _next_stream(self, group: Group | None, chunks: int = 1) -> int:
        return super()._next_stream(None if group is None else (self._kinds[group[0]], group[1]), chunks)
