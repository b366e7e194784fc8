"""Every NPU and every message, followed one by one."""

from __future__ import annotations

from collections.abc import Sequence

from astra_edu.base.native import mypyc_attr
from astra_edu.base.progress import Bar
from astra_edu.network.links import Use
from astra_edu.network.messages import Messages
from astra_edu.network.packets import Lost
from astra_edu.network.protocol import Network, Records
from astra_edu.run.hardware import Equips, Hardware, WatchedMessages
from astra_edu.run.stopped import stoppable
from astra_edu.system.endpoint import Endpoint
from astra_edu.system.joined.joins import Joins
from astra_edu.system.joined.messages import JoinedMessages
from astra_edu.system.plan_2 import Shared
from astra_edu.system.queues import Stay
from astra_edu.system.remote_memory import Accesses
from astra_edu.system.rounds import Rounds
from astra_edu.system.trace_config import TracePlatform
from astra_edu.traces import Trace
from astra_edu.traces.nodes_of import nodes_of
from astra_edu.traces.npu import Asked, TraceNpu
from astra_edu.traces.outline import outline_of


@mypyc_attr(allow_interpreted_subclasses=True)
class Everyone:
    """A run of all NPUs. record: keep every chunk's stay in a phase and every message's on a link."""

    def __init__(
        self,
        trace: Trace,
        platform: TracePlatform,
        network: Network,
        record: bool = False,
        hardware: Equips | None = None,
        joins: Joins | None = None,
        npus: Sequence[int] | None = None,
        skips: bool = False,
        given: bool = False,
    ) -> None:
        """Everything is set up; nothing has begun.

        joins: what times phases at once; the network is its clock then. npus: who is followed; by default all. skips:
        whether rounds that repeat are skipped, where no message's way is kept (system/rounds.py). given: whether the
        network is another than the platform's own.
        """
        self.network = network
        if joins is not None and hardware is None:
            self.messages: Messages = JoinedMessages(network, joins.clock)
        else:
            self.messages = (hardware or Hardware()).messages(network, platform)
        hardware = hardware or Hardware()
        if record and isinstance(network, Records):
            network.uses = []
        shared, accesses = Shared(platform, given), Accesses(platform.memory)
        endpoints = [
            Endpoint(npu, network, platform, self.messages, shared, joins=joins)
            for npu in (range(platform.npus) if npus is None else npus)
        ]
        self.stays: list[Stay] = []
        self.rounds = Rounds.of(self.messages) if skips and not record else None
        for endpoint in endpoints:
            endpoint.rounds = self.rounds
            if record:
                endpoint.queues.stays = self.stays
        templates = trace.templates
        outlines = {
            which: outline_of(templates.templates[which], platform.system)
            for which in {templates.of[endpoint.npu] for endpoint in endpoints}
        }
        asked: dict[int, Asked] = {}
        self.npus = [
            TraceNpu(
                endpoint.npu,
                nodes_of(templates, endpoint.npu),
                trace.groups,
                platform.system,
                hardware.hands(endpoint, accesses),
                trace.where(endpoint.npu),
                outlines[templates.of[endpoint.npu]],
                asked,
            )
            for endpoint in endpoints
        ]

    @property
    def uses(self) -> Sequence[Use]:
        """What was on which link when; empty where that wasn't recorded or links aren't modelled."""
        return getattr(self.network, "uses", None) or ()

    @property
    def lost(self) -> Sequence[Lost]:
        """Packets that found no room."""
        return getattr(self.network, "lost", ())

    def run(self, expected: int = 0) -> None:
        """Start every NPU and go on until nothing happens any more.

        expected: about how many messages there will be; from the second second on a bar shows how many were sent.
        """
        with stoppable(self.npus, self.network, stays=self.stays):
            for npu in self.npus:
                self.start(npu)
            if not expected:
                self.network.run()
                return
            with Bar("simulating", " messages", expected) as bar:
                self.network.run(lambda: bar.show(self.messages.sent))
                bar.show(self.messages.sent)

    def start(self, npu: TraceNpu) -> None:
        """Let an NPU begin, as soon as it is up."""
        if isinstance(self.messages, WatchedMessages):
            self.messages.when_up(npu.npu, lambda started: started.go_on(), npu)
        else:
            npu.go_on()
