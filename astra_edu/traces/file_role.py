"""A file's nodes as those that other NPUs' files hold, too: with other peers, groups, numbers and tags."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from astra_edu.base.errors import ConfigError
from astra_edu.traces.et_bytes import Reader
from astra_edu.traces.node import Node
from astra_edu.traces.renamed import ENDS, MESSAGES, Step, moved, renamed
from astra_edu.traces.template_bytes import TemplateBytes

_NO_STEP = Step()
_ANY = 2**64
"""More than any NPU's number."""


class FileRole:
    """first: the NPU whose file has been read. groups: what it calls them, in the order of its nodes. steps: how
    numbers and tags grow; see SharedNodes. is_fixed: whether they don't, as another file has the very same bytes.

    >>> from astra_edu.traces.et_bytes import Reader
    >>> from astra_edu.traces.et_file import encode
    >>> trace = ae.traces.Builder(8)
    >>> _ = trace.messages("row", 64, range(4), range(4, 8))
    >>> nodes = trace.build().nodes
    >>> role = FileRole(0, nodes[0])
    >>> role.names_in(encode(nodes[2]), 8, 2, Reader()), role.grows_to(1, nodes[1], 8), role.steps
    (None, True, {1: Step(number=2, tag=1)})
    >>> [role.names_in(encode(nodes[npu]), 8, npu, Reader()) for npu in (2, 3, 4)]
    [(), (), None]
    """

    def __init__(self, first: int, nodes: tuple[Node, ...]) -> None:
        """No other NPU is like it yet."""
        self.first, self.nodes = first, nodes
        self.groups = tuple(dict.fromkeys(filter(None, [node.group for node in nodes])))
        self.steps: Mapping[int, Step] = {}
        self.is_fixed = False
        self._bytes: TemplateBytes | None = None
        self._moving: frozenset[int] = frozenset()
        self._named: Mapping[int, str] = {}
        self._furthest = -1

    @property
    def alone(self) -> bool:
        """Whether no other is known to be like it."""
        return self._bytes is None

    @property
    def depends(self) -> bool:
        """Whether its nodes depend on the NPU in more than the names of groups: on others' messages, or numbers."""
        return bool(self.steps) or any(node.type in MESSAGES for node in self.nodes)

    def grows_to(self, npu: int, nodes: Sequence[Node], npus: int) -> bool:
        """Whether a second NPU's nodes can be these so many NPUs further; if so, it is known from now on how.

        npus: how many there are.
        """
        if not self.alone or len(nodes) != len(self.nodes):
            return False
        steps = {}
        for mine, theirs in zip(self.nodes, nodes, strict=True):
            if mine.type is not theirs.type or mine.name != theirs.name or _differ(mine, theirs):
                return False
            step = _step(mine, theirs, npu - self.first)
            if step is None:
                return False
            if step != _NO_STEP:
                steps[mine.id] = step
        if steps and self.is_fixed:
            return False
        furthest = min(_furthest(self.nodes, steps), npus - 1 - _last_end(self.nodes))
        moving = [place for place, node in enumerate(self.nodes) if _moves(node, steps)]
        named = {place: node.group for place, node in enumerate(self.nodes) if node.group}
        texts = all(self.nodes[place].attributes["pg_name"].member == "string_val" for place in named)
        if furthest < npu - self.first or not texts:
            return False
        try:
            self._bytes = TemplateBytes(self.nodes, {*moving, *named})
        except ConfigError:  # nothing that can be written
            return False
        self.steps, self._furthest, self._moving, self._named = steps, furthest, frozenset(moving), named
        return True

    def forget(self) -> None:
        """What seemed to be like it isn't."""
        self.steps, self._bytes = {}, None

    def names_in(self, content: bytes, at: int, npu: int, reader: Reader) -> tuple[str, ...] | None:
        """How the groups are called in a file that holds these nodes for another NPU; None where it doesn't.

        content: of the file; at: where its nodes begin.
        """
        by = npu - self.first
        if self._bytes is None or by > self._furthest:
            return None
        names: dict[str, str] = {}
        numbers = {number: number + by * step.number for number, step in self.steps.items() if step.number}
        try:
            for run in self._bytes.runs:
                if isinstance(run, bytes):
                    if not content.startswith(run, at):
                        return None
                    at += len(run)
                    continue
                for place, pieces in run:
                    group = self._named.get(place)
                    if group is not None and group not in names:
                        there = reader.node_at(content, at)
                        if there is None or not there.group or there.group in names.values():
                            return None
                        names[group] = there.group
                    if place not in self._moving:
                        part = pieces.in_group(names[self._named[place]])
                    else:
                        node = self.nodes[place]
                        node = renamed(node, names) if group is not None else node
                        part = pieces.with_what_differs(moved(node, by, by, self.steps, numbers))
                    if not content.startswith(part, at):
                        return None
                    at += len(part)
        except ConfigError:  # numbers that no file can hold
            return None
        return tuple([names[group] for group in self.groups]) if at == len(content) else None


def _differ(mine: Node, theirs: Node) -> bool:
    """Whether something else than numbers, peers, tags and groups differs: then no bytes have to be compared."""
    if mine.duration_micros != theirs.duration_micros or mine.start_time_micros != theirs.start_time_micros:
        return True
    one, other = mine.attributes, theirs.attributes
    if mine.group or mine.type in MESSAGES:
        return one.keys() != other.keys() or one.get("comm_size") != other.get("comm_size")
    return one != other


def _step(mine: Node, theirs: Node, by: int) -> Step | None:
    """By how much number and tag are larger for each NPU; None where by no whole numbers."""
    number, left = divmod(theirs.id - mine.id, by)
    tag = 0
    if mine.type in MESSAGES and "comm_tag" in mine.attributes and "comm_tag" in theirs.attributes:
        own, other = mine.attributes["comm_tag"].value, theirs.attributes["comm_tag"].value
        if not type(own) is type(other) is int:
            return None
        tag, rest = divmod(other - own, by)
        left |= rest
    return None if left else Step(number, tag)


def _moves(node: Node, steps: Mapping[int, Step]) -> bool:
    return node.type in MESSAGES or node.id in steps or (bool(steps) and not steps.keys().isdisjoint(node.parents))


def _furthest(nodes: Sequence[Node], steps: Mapping[int, Step]) -> int:
    """How many NPUs further the nodes' numbers are still in the order they are in, and none is below 0."""
    found = _ANY
    ordered = sorted([(node.id, steps.get(node.id, _NO_STEP).number) for node in nodes])
    for (low, its_step), (high, step) in pairwise(ordered):
        if its_step > step:
            found = min(found, (high - low - 1) // (its_step - step))
    if ordered and ordered[0][1] < 0:
        found = min(found, ordered[0][0] // -ordered[0][1])
    return found


def _last_end(nodes: Sequence[Node]) -> int:
    """The highest NPU that messages go to or come from; beyond all where that is no NPU's number."""
    messages = [node.attributes for node in nodes if node.type in MESSAGES]
    ends = [attributes[end].value for attributes in messages for end in ENDS if end in attributes]
    return max(ends, default=0) if all(type(end) is int and end >= 0 for end in ends) else _ANY
