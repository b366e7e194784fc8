"""A phase of a double binary tree at one NPU: see exchange, whose tokens go round instead."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from astra_edu.collectives.tree import Tree
from astra_edu.system.exchange import Over
from astra_edu.system.faithful.bus import Crossing

if TYPE_CHECKING:
    from astra_edu.system.endpoint import Endpoint


class TreeExchange:
    """One NPU in a phase of one of ASTRA-sim's two binary trees: up to the root and down again, all data at once."""

    __slots__ = ("added", "arrived", "children", "endpoint", "message_bytes", "over", "parent", "tag")

    def __init__(
        self, endpoint: Endpoint, tree: Tree, place: int, npus: Sequence[int], message_bytes: int, tag: int, over: Over
    ) -> None:
        """place: of this NPU in the tree; npus: who is at each place."""
        self.endpoint = endpoint
        parent = tree.parents[place]
        self.parent = None if parent is None else npus[parent]
        self.children = [npus[child] for child in tree.children[place]]
        self.message_bytes = message_bytes
        self.tag = tag
        self.over = over
        self.added = self.arrived = 0

    def start(self) -> None:
        """A leaf sends up; everybody else waits for the children."""
        if self.children:
            for child in self.children:
                self._receive(child, self._from_child)
        else:
            self._cross(Crossing(True, False, False), self._up)

    def _from_child(self, _: object) -> None:
        self.arrived += 1
        self._cross(Crossing(False, True, self.arrived == len(self.children)), self._add, self._child_added)

    def _child_added(self, _: object) -> None:
        self.added += 1
        if self.added == len(self.children):
            if self.parent is None:
                self._down()
            else:
                self._up()

    def _up(self, _: object = None) -> None:
        assert self.parent is not None
        self.endpoint.messages.send(self.endpoint.npu, self.parent, self.tag, self.message_bytes)
        self._receive(self.parent, self._from_parent)

    def _from_parent(self, _: object) -> None:
        if self.children:
            self._cross(Crossing(False, True, True), self._add, self._down)
        else:
            self._cross(Crossing(False, False, False), self._end)

    def _down(self, _: object = None) -> None:
        for child in self.children:
            self.endpoint.messages.send(self.endpoint.npu, child, self.tag, self.message_bytes)
        self.over()

    def _end(self, _: object) -> None:
        self.over()

    def _receive(self, source: int, arrived: Callable[[object], object]) -> None:
        self.endpoint.messages.receive(self.endpoint.npu, source, self.tag, self.message_bytes, arrived)

    def _cross(self, how: Crossing, action: Callable[..., object], what: object = None) -> None:
        endpoint = self.endpoint
        if endpoint.bus is None:
            endpoint.turns.after(endpoint.system.endpoint_delay, action, what)
        else:
            endpoint.bus.cross(how, self.message_bytes, action, what)

    def _add(self, then: Callable[[object], object]) -> None:
        self.endpoint.turns.after(self.endpoint.system.reduction_ns(self.message_bytes), then)
