"""Whether every send of a trace has its receive, and the other way round, template by template.

The messages of a template's NPUs lie on a line: each goes as many NPUs further, and tags grow evenly. Lines are added
up by where they begin and end, single messages one by one. What is left over has no counterpart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from astra_edu.base.errors import ConfigError
from astra_edu.traces.node import Node, NodeType
from astra_edu.traces.shared_nodes import SharedNodes, Step
from astra_edu.traces.trace import Trace


class Envelope(NamedTuple):
    """What a send and its receive must have in common."""

    source: int
    destination: int
    tag: int
    size: int


class _Line(NamedTuple):
    """Messages of consecutive NPUs to those `further` NPUs on; tag: of NPU 0's, if it had one. step: to the next."""

    further: int
    tag: int
    step: int
    size: int


class Unmatched:
    """Messages that were sent and not received yet, or the other way round (counted below 0)."""

    def __init__(self, shared: SharedNodes) -> None:
        """None so far. shared: whose messages they are."""
        self._shared = shared
        self._npus = len(shared)
        self._runs: dict[int, list[tuple[int, int]]] = {}
        self._single: dict[tuple[int, int, int, int], int] = {}
        self._lines: dict[_Line, Counter[int]] = {}

    def add(self, node: Node, npu: int, template: int) -> None:
        """A send or receive of an NPU, or of all that have its template where that shifts."""
        envelope = _usual(node, npu, self._npus) or envelope_of(node, npu, self._npus)
        sign = 1 if node.type is NodeType.COMM_SEND_NODE else -1
        shared = self._shared
        if not shared.shifts or shared.counts[template] == 1:
            self._single[envelope] = self._single.get(envelope, 0) + sign
            return
        source, destination, tag, size = envelope
        step = shared.steps[template].get(node.id, _NO_STEP).tag if shared.steps else 0
        key = _Line(destination - source, tag - step * source, step, size)
        line = self._lines.get(key)
        if line is None:
            line = self._lines[key] = Counter()
        runs = self._runs.get(template)
        if runs is None:
            runs = self._runs[template] = list(_runs(shared, template))
        for start, stop in runs:
            line[start + source - npu] += sign
            line[stop + source - npu] -= sign

    def check(self, trace: Trace) -> None:
        """Raise ConfigError for the first message without its counterpart."""
        for line, ends in self._lines.items():
            for envelope, count in _along(line, ends):
                self._single[envelope] = self._single.get(envelope, 0) + count
        if not any(self._single.values()):
            return
        sent = {Envelope(*envelope): count for envelope, count in self._single.items() if count > 0}
        received = {Envelope(*envelope): -count for envelope, count in self._single.items() if count < 0}
        sending = bool(sent)
        lonely, others = (sent, received) if sending else (received, sent)
        npu = min(_owner(envelope, sending) for envelope in lonely)
        ours, theirs = _messages(trace, npu, sending), Counter[Envelope]()
        message, node = next((message, node) for message, node in ours if message in lonely)
        other = _owner(message, not sending)
        theirs.update(envelope for envelope, _ in _messages(trace, other, not sending))
        what = f"{'sends' if sending else 'receives'} {message.size} bytes with tag {message.tag}"
        reply = f"NPU {other} {'receives' if sending else 'sends'}"
        nearest = _nearest(trace, message, others, not sending)
        if theirs[message]:
            count = sum(envelope == message for envelope, _ in ours)
            why = f"There are {count} of these, but {reply} only {theirs[message]}."
        elif nearest is None:
            why = f"{reply} nothing of the kind."
        elif nearest[:2] == message[:2]:
            why = f"What {reply} is {nearest.size} bytes with tag {nearest.tag}."
        else:
            why = f"There is one from NPU {nearest.source} to NPU {nearest.destination}, though."
        more = sum(lonely.values()) - lonely[message]
        raise ConfigError(
            f"{trace.where(npu)}: {node.label} {what} {'to' if sending else 'from'} NPU {other}, and has no "
            f"counterpart there: NPUs, tag and size must be the same. {why}"
            + (f" {more} more have none." if more else "")
        )


_NO_STEP = Step()


def _usual(node: Node, npu: int, npus: int) -> tuple[int, int, int, int] | None:
    """The envelope of a node that has all attributes, as whole numbers; None where there is more to look at."""
    attributes = node.attributes
    if "comm_src" not in attributes or "comm_dst" not in attributes or "comm_size" not in attributes:
        return None
    source, destination = attributes["comm_src"].value, attributes["comm_dst"].value
    size, tag = attributes["comm_size"].value, attributes["comm_tag"].value if "comm_tag" in attributes else 0
    if not type(source) is type(destination) is type(size) is type(tag) is int:
        return None
    own, other = (source, destination) if node.type is NodeType.COMM_SEND_NODE else (destination, source)
    fine = own == npu != other and 0 <= other < npus and 0 <= size < 2**64 and 0 <= tag < 2**64
    return (source, destination, tag, size) if fine else None


def envelope_of(node: Node, npu: int, npus: int) -> Envelope:
    """The envelope of an NPU's send or receive. Raises ConfigError for one that belongs to no message."""
    sending = node.type is NodeType.COMM_SEND_NODE
    own, other = ("comm_src", "comm_dst") if sending else ("comm_dst", "comm_src")
    verb = "sends" if sending else "receives"
    if node.number(own, npu) != npu:
        raise ConfigError(f"{node.label} {verb}, but its {own} is NPU {node.number(own)}, not NPU {npu} itself.")
    to = node.number(other)
    if to >= npus:
        raise ConfigError(f"{node.label}: its {other} is NPU {to}; there are only 0 to {npus - 1}.")
    if to == npu:
        raise ConfigError(f"{node.label}: its {other} is NPU {npu} itself; a message needs two NPUs.")
    ends = (npu, to) if sending else (to, npu)
    return Envelope(*ends, node.number("comm_tag", 0), node.number("comm_size"))


def _runs(shared: SharedNodes, template: int) -> list[tuple[int, int]]:
    """The NPUs of a template as ranges: (start, stop) of each."""
    npus = shared.members[template]
    if isinstance(npus, range):
        return [(npus.start, npus.stop)]
    cuts = [place for place, (one, following) in enumerate(pairwise(npus), 1) if following != one + 1]
    return [(npus[start], npus[stop - 1] + 1) for start, stop in pairwise([0, *cuts, len(npus)])]


def _along(line: _Line, ends: Counter[int]) -> Iterator[tuple[Envelope, int]]:
    """The messages of a line that are left over, each with how many."""
    count = 0
    for source, following in pairwise(sorted(source for source, change in ends.items() if change)):
        count += ends[source]
        for one in range(source, following) if count else ():
            yield Envelope(one, one + line.further, line.tag + line.step * one, line.size), count


def _owner(envelope: Envelope, sending: bool) -> int:
    return envelope.source if sending else envelope.destination


def _messages(trace: Trace, npu: int, sending: bool) -> list[tuple[Envelope, Node]]:
    """The sends, or receives, of an NPU in the order of its nodes."""
    kind = NodeType.COMM_SEND_NODE if sending else NodeType.COMM_RECV_NODE
    return [(envelope_of(node, npu, trace.npus), node) for node in trace.nodes[npu] if node.type is kind]


def _nearest(trace: Trace, message: Envelope, left: dict[Envelope, int], sending: bool) -> Envelope | None:
    """Of the messages that are left over on the other side the one that was probably meant."""
    near = [other for other in left if other[:2] == message[:2] or other[2:] == message[2:]]
    if not near:
        return None
    best = max((other[:2] == message[:2], other.tag == message.tag) for other in near)
    tied = {other for other in near if (other[:2] == message[:2], other.tag == message.tag) == best}
    npu = min(_owner(other, sending) for other in tied)
    return next(other for other, _ in _messages(trace, npu, sending) if other in tied)
