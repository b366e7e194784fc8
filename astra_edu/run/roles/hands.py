"""What carries out the operations of an NPU that is followed for its role."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from astra_edu.clock.events import Call, Event, happen
from astra_edu.collectives import Collective
from astra_edu.network.messages import Handler
from astra_edu.network.protocol import Network
from astra_edu.run.hands import Hands
from astra_edu.run.roles.parts import Channel
from astra_edu.run.roles.roles import Key, Roles
from astra_edu.system.endpoint import TAGS, Done, Endpoint, Group
from astra_edu.system.joined.clock import JoinedClock
from astra_edu.system.joined.messages import JoinedMessages, Told
from astra_edu.system.remote_memory import Accesses
from astra_edu.system.trace_config import TracePlatform
from astra_edu.traces import Node
from astra_edu.traces.backend import Message


class RoleMessages(JoinedMessages):
    """Messages between NPUs that are followed for their roles.

    comes: when those that were sent come, by what they have in common, in the order in which they were sent.
    """

    def __init__(self, network: Network, clock: JoinedClock) -> None:
        """Nothing is on the way."""
        super().__init__(network, clock)
        self.comes: defaultdict[Key, list[int]] = defaultdict(list)

    def take(self, npu: int, sender: int, key: Key, received: Handler, what: Any) -> None:
        """An NPU is ready for a message of `sender`; who is followed for that one sends it to another of its role."""
        source, destination, tag, message_bytes = key
        self._receive(destination, source, tag % TAGS, message_bytes, Told(self.clock, npu, sender, received, what))


class RoleHands(Hands):
    """Messages to an NPU are taken in by who is followed for it.

    What it receives from another NPU it takes from who is followed for that one, on the channel that is the same there.
    """

    def __init__(self, endpoint: Endpoint, accesses: Accesses, roles: Roles, messages: RoleMessages) -> None:
        """roles: of all NPUs."""
        super().__init__(endpoint, accesses)
        self.roles = roles
        self.messages = messages
        self.collective = self._collective
        self._channels: dict[int, dict[Channel, Key]] = {}
        self._taken: defaultdict[Key, int] = defaultdict(int)

    def _collective(
        self,
        asks: Any,
        collective: Collective,
        collective_bytes: int,
        involved: Sequence[bool] | None,
        group: Group | None,
        priority: int,
        done: Done,
    ) -> bool:
        """See Endpoint: a group has the number of the first of its class, so that members in others have the same."""
        if group is not None:
            group = self.roles.group_numbers.get(asks.group, group[0]), group[1]
        return self.endpoint.collective(asks, collective, collective_bytes, involved, group, priority, done)

    def send(self, message: Message, done: Event) -> None:
        """See Hands."""
        to, tag, message_bytes = message
        npu, messages = self.endpoint.npu, self.messages
        messages.comes[npu, to, tag, message_bytes].append(self.now + messages.clock.message_ns(npu, to, message_bytes))
        messages.send(npu, to, tag % TAGS, message_bytes, happen, done)

    def receive(self, message: Message, done: Event) -> None:
        """See Hands. A message that comes in this ns may come before or after the NPU is ready for it."""
        source, channel = message[0], message[1:]
        known = self._channels.get(source)
        if known is None:
            known = self._channels[source] = self.roles.sent_as(self.endpoint.npu, source)
        key = known[channel]
        number, comes = self._taken[key], self.messages.comes[key]
        self._taken[key] = number + 1
        if number < len(comes) and comes[number] == self.now:
            self.messages.clock.doubt(self.endpoint.npu)
        self.messages.take(self.endpoint.npu, source, key, happen, done)

    def access(self, node: Node, tensor_bytes: int, done: Event) -> None:
        """See Hands."""
        super().access(node, tensor_bytes, Call(self._accessed, done))

    def _accessed(self, done: Event) -> None:
        self.messages.clock.touch(self.endpoint.npu, self.endpoint.npu)
        done.happen()


class RoleHardware:
    """What Everyone makes messages and hands with."""

    def __init__(self, roles: Roles, clock: JoinedClock) -> None:
        """clock: by which all happens."""
        self.roles = roles
        self.clock = clock

    def messages(self, network: Network, platform: TracePlatform) -> RoleMessages:
        """See Hardware."""
        self._messages = RoleMessages(network, self.clock)
        return self._messages

    def hands(self, endpoint: Endpoint, accesses: Accesses) -> RoleHands:
        """See Hardware."""
        return RoleHands(endpoint, accesses, self.roles, self._messages)
