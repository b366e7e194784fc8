"""What carries out the operations of one NPU."""

from __future__ import annotations

from astra_edu.base.native import mypyc_attr
from astra_edu.clock.events import Event, Ns, happen
from astra_edu.system.endpoint import TAGS, Endpoint
from astra_edu.system.remote_memory import Accesses
from astra_edu.traces import Node
from astra_edu.traces.backend import After, Message


@mypyc_attr(allow_interpreted_subclasses=True)
class Hands:
    """Its endpoint, the network, the memory. See traces.backend."""

    def __init__(self, endpoint: Endpoint, accesses: Accesses) -> None:
        """accesses: to the remote memories of the platform."""
        self.endpoint = endpoint
        self.accesses = accesses
        self.clock = endpoint.clock
        self.collective = endpoint.collective
        self.after: After = endpoint.turns.add

    @property
    def now(self) -> Ns:
        """The time in ns."""
        return self.clock.now

    def send(self, message: Message, done: Event) -> None:
        """Send a message; `done` happens when it has arrived."""
        to, tag, message_bytes = message
        self.endpoint.messages.send(self.endpoint.npu, to, tag % TAGS, message_bytes, happen, done)

    def receive(self, message: Message, done: Event) -> None:
        """Be ready for a message; `done` happens when it is here."""
        source, tag, message_bytes = message
        self.endpoint.messages.receive(self.endpoint.npu, source, tag % TAGS, message_bytes, happen, done)

    def access(self, node: Node, tensor_bytes: int, done: Event) -> None:
        """Load from or store to remote memory; `done` happens when that is over."""
        self.clock.schedule(self.accesses.end_ns(self.endpoint.npu, tensor_bytes, self.now), happen, done)
