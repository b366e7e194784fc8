"""What carries out the operations of one NPU."""

from __future__ import annotations

from astra_edu.base.native import mypyc_attr
from astra_edu.clock.events import Event, Ns, happen
from astra_edu.system.endpoint import TAGS, Endpoint
from astra_edu.system.remote_memory import Accesses
from astra_edu.traces import Node


@mypyc_attr(allow_interpreted_subclasses=True)
class Hands:
    """Its endpoint, the network, the memory. See traces.backend."""

    def __init__(self, endpoint: Endpoint, accesses: Accesses) -> None:
        """accesses: to the remote memories of the platform."""
        self.endpoint = endpoint
        self.accesses = accesses
        self.clock = endpoint.clock
        self.collective = endpoint.collective

    @property
    def now(self) -> Ns:
        """The time in ns."""
        return self.clock.now

    def after(self, delay: int, node: Node, done: Event) -> None:
        """Let `done` happen in `delay` ns, in the NPU's turn."""
        self.endpoint.turns.add(delay, done)

    def send(self, node: Node, done: Event) -> None:
        """Send a message; `done` happens when it has arrived."""
        tag, message_bytes = node.number("comm_tag", 0) % TAGS, node.number("comm_size")
        self.endpoint.messages.send(self.endpoint.npu, node.number("comm_dst"), tag, message_bytes, happen, done)

    def receive(self, node: Node, done: Event) -> None:
        """Be ready for a message; `done` happens when it is here."""
        tag, message_bytes = node.number("comm_tag", 0) % TAGS, node.number("comm_size")
        self.endpoint.messages.receive(self.endpoint.npu, node.number("comm_src"), tag, message_bytes, happen, done)

    def access(self, node: Node, tensor_bytes: int, done: Event) -> None:
        """Load from or store to remote memory; `done` happens when that is over."""
        self.clock.schedule(self.accesses.end_ns(self.endpoint.npu, tensor_bytes, self.now), happen, done)
