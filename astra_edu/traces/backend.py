"""What carries out the operations of an NPU that goes through a trace's nodes (npu.py)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from astra_edu.clock.events import Event
from astra_edu.collectives import Collective
from astra_edu.traces.node import Node


class Backend(Protocol):
    """What an NPU's operations are carried out by."""

    @property
    def now(self) -> int:
        """The time in ns."""

    def after(self, delay: int, node: Node, done: Event) -> None:
        """Let `done` happen in `delay` ns, in this NPU's turn; it is what a node's own time has passed by."""

    def collective(
        self,
        node: Node,
        collective: Collective,
        collective_bytes: int,
        involved: Sequence[bool] | None,
        group: tuple[int, tuple[int, ...]] | None,
        priority: int,
        done: Callable[[], object],
    ) -> bool:
        """Begin a collective; False where it has nothing to do and never ends."""

    def send(self, node: Node, done: Event) -> None:
        """Send a message; `done` happens when it has arrived."""

    def receive(self, node: Node, done: Event) -> None:
        """Be ready for a message; `done` happens when it is here."""

    def access(self, node: Node, tensor_bytes: int, done: Event) -> None:
        """Load from or store to remote memory; `done` happens when that is over."""
