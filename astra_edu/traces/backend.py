"""What carries out the operations of an NPU that goes through a trace's nodes (npu.py)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from astra_edu.clock.events import Event, Schedules
from astra_edu.collectives import Collective
from astra_edu.traces.node import Node


class Begun(Event):
    """A node that has begun; as an event it is over."""

    __slots__ = ()

    @property
    def node(self) -> Node:
        """The node."""
        raise NotImplementedError


After = Callable[[int, Begun], object]


Message = tuple[int, int, int]
"""The NPU at its other end, its tag, and its bytes."""


class Backend(Protocol):
    """What an NPU's operations are carried out by."""

    @property
    def clock(self) -> Schedules:
        """What it happens by."""

    @property
    def after(self) -> After:
        """after(delay, done) lets `done` happen in `delay` ns, in this NPU's turn: a node's own time has passed."""

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

    def send(self, message: Message, done: Event) -> None:
        """Send a message; `done` happens when it has arrived."""

    def receive(self, message: Message, done: Event) -> None:
        """Be ready for a message; `done` happens when it is here."""

    def access(self, node: Node, tensor_bytes: int, done: Event) -> None:
        """Load from or store to remote memory; `done` happens when that is over."""
