"""What carries out the operations of an NPU that is followed for its role."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence

from astra_edu.collectives import Collective
from astra_edu.run.hands import Hands
from astra_edu.run.roles.parts import Channel
from astra_edu.run.roles.roles import Roles
from astra_edu.system.endpoint import TAGS, Done, Endpoint, Group
from astra_edu.system.remote_memory import Accesses
from astra_edu.traces import Node

Key = tuple[int, int, Channel]
"""Sender, receiver and channel of messages, as the followed sender has them."""




class RoleHands(Hands):
    """Messages to an NPU are taken in by who is followed for it.

    What it receives from another NPU it takes from who is followed for that one, on the channel that is the same there.
    journal: of all NPUs, when what was sent; takes: for each receive of this NPU its channel and its number on it.
    """

    def __init__(
        self, endpoint: Endpoint, accesses: Accesses, roles: Roles, journal: defaultdict[Key, list[int]]
    ) -> None:
        """journal: shared by all NPUs."""
        super().__init__(endpoint, accesses)
        self.roles = roles
        self.journal = journal
        self.takes: dict[int, tuple[Key, int]] = {}
        self.collective = self._collective
        self._channels: dict[int, dict[Channel, tuple[int, int, Channel]]] = {}
        self._taken: defaultdict[Key, int] = defaultdict(int)

    def _collective(
        self,
        node: Node,
        collective: Collective,
        collective_bytes: int,
        involved: Sequence[bool] | None,
        group: Group | None,
        priority: int,
        done: Done,
    ) -> bool:
        """See Endpoint: a group has the number of the first of its class, so that members in others have the same."""
        if group is not None:
            group = self.roles.group_numbers.get(node.group, group[0]), group[1]
        return self.endpoint.collective(node, collective, collective_bytes, involved, group, priority, done)

    def send(self, node: Node, done: Callable[[Node], object]) -> None:
        """See Hands."""
        npu, to = self.endpoint.npu, node.number("comm_dst")
        tag, message_bytes = node.number("comm_tag", 0), node.number("comm_size")
        self.journal[npu, to, (tag, message_bytes)].append(self.now)
        self.endpoint.messages.send(npu, to, tag % TAGS, message_bytes, done, node)

    def receive(self, node: Node, done: Callable[[Node], object]) -> None:
        """See Hands."""
        source, channel = node.number("comm_src"), (node.number("comm_tag", 0), node.number("comm_size"))
        known = self._channels.get(source)
        if known is None:
            known = self._channels[source] = self.roles.sent_as(self.endpoint.npu, source)
        key = sender, receiver, (tag, message_bytes) = known[channel]
        self.takes[node.id] = key, self._taken[key]
        self._taken[key] += 1
        self.endpoint.messages.receive(receiver, sender, tag % TAGS, message_bytes, done, node)
