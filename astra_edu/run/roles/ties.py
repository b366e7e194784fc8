"""Whether NPUs of a role could differ because of what happens in the same ns.

All that an NPU does follows from its nodes, the times at which messages come in and collectives end, and the order of
what happens to it in one ns. What was foreseen earlier comes first, so the order is known where two things were
foreseen at different times, or both by the NPU itself, or both by one other NPU. It isn't where one of them is a
message, and another NPU sent it in the ns in which the other thing was foreseen: then that order depends on which of
the two NPUs had its turn first, which is another one for each NPU of the role.

Mostly that order decides nothing. It does where two things each start something, or one of them sets a unit free that
the other has work for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby

from astra_edu.run.roles.hands import Key
from astra_edu.traces import Node, NodeType
from astra_edu.traces.npu import Ran, Unit

_OWN = (NodeType.METADATA_NODE, NodeType.INVALID_NODE)


def order_matters(
    ran: Sequence[Ran],
    takes: Mapping[int, tuple[Key, int]],
    journal: Mapping[Key, list[int]],
    message_ns: Callable[[int, int, int], int],
) -> bool:
    """Whether an order that isn't known decides what one NPU does.

    ran: all nodes of the NPU in the order in which they ended. takes, journal: see RoleHands. message_ns(source,
    destination, bytes).
    """
    if not takes:
        return False
    causes = _Causes(takes, journal, message_ns)
    tables: _Tables | None = None
    for together in _together(ran):
        if causes.unknown_order(together):
            tables = tables or _Tables(ran)
            if tables.decides(together):
                return True
    return False


def _together(ran: Sequence[Ran]) -> Iterator[list[Ran]]:
    """What ended in the same ns, where a receive is among it."""
    for _, ended in groupby(ran, key=lambda one: one.end_ns):
        together = list(ended)
        if len(together) > 1 and any(one.unit is Unit.RECEIVE for one in together):
            yield together


class _Causes:
    """When it was foreseen that a node ends, and by whom."""

    def __init__(
        self,
        takes: Mapping[int, tuple[Key, int]],
        journal: Mapping[Key, list[int]],
        message_ns: Callable[[int, int, int], int],
    ) -> None:
        self.takes = takes
        self.journal = journal
        self.message_ns = message_ns

    def unknown_order(self, together: Sequence[Ran]) -> bool:
        """Whether two of these have an order that isn't known."""
        found = [self._foreseen(one) for one in together if one.node.type not in _OWN]
        for place, (when, by) in enumerate(found):
            if by is not None and any(
                when is None or then is None or (then == when and other != by)
                for then, other in [*found[:place], *found[place + 1 :]]
            ):
                return True
        return False

    def _foreseen(self, ran: Ran) -> tuple[int | None, int | None]:
        """(when, by which other NPU; None for the NPU itself); None for a time that isn't known."""
        if ran.unit is not Unit.RECEIVE:
            return (None if ran.node.type is NodeType.COMM_COLL_NODE else ran.start_ns), None
        key, number = self.takes[ran.node.id]
        source, destination, (_, message_bytes) = key
        sent = self.journal[key][number]
        came = sent + self.message_ns(source, destination, message_bytes)
        if came < ran.start_ns:  # it was there when the NPU was ready for it
            return ran.end_ns, None
        return (None if came == ran.start_ns else sent), source


class _Tables:
    """Children and times of an NPU's nodes."""

    def __init__(self, ran: Sequence[Ran]) -> None:
        self.ends = {one.node.id: one.end_ns for one in ran}
        self.children: dict[int, list[Node]] = {}
        self.starts: dict[int, list[Ran]] = {}
        self.units = {one.node.id: one.unit for one in ran}
        for one in ran:
            self.starts.setdefault(one.start_ns, []).append(one)
            for parent in one.node.parents:
                self.children.setdefault(parent, []).append(one.node)

    def decides(self, together: Sequence[Ran]) -> bool:
        """Whether the order of what ended in one ns decides anything."""
        time = together[0].end_ns
        freed: dict[int, set[int]] = {}
        for one in together:
            for child in self.children.get(one.node.id, ()):
                if max(self.ends[parent] for parent in child.parents) == time:
                    freed.setdefault(child.id, set()).add(one.node.id)
        ended = {one.node.id for one in together}
        for one in self.starts.get(time, ()):
            if one.node.id not in freed and one.node.id not in ended:
                freed[one.node.id] = {-1}  # it had waited for a unit
        if len({frozenset(by) for by in freed.values()}) > 1:
            return True
        for one in together:
            busy = one.unit is not Unit.RECEIVE and one.node.type not in _OWN
            if busy and any(self.units[child] is one.unit and one.node.id not in by for child, by in freed.items()):
                return True
        return False
