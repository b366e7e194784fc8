"""The bytes of many files whose nodes differ in a few numbers: what is equal is encoded once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby

from astra_edu.traces.et_file import node_bytes
from astra_edu.traces.node import Attribute, Node, NodeType, Tensors
from astra_edu.traces.wire import number_bytes

_ID, _CTRL_DEPS, _DATA_DEPS = b"\x08", b"\x22", b"\x2a"
"""What stands in front of these fields of a node."""


class TemplateBytes:
    """Nodes as a file has them, one after the other; of some of them numbers, peers, tags and groups are filled in.

    >>> from astra_edu.traces.template_bytes import TemplateBytes
    >>> from astra_edu.traces.et_file import node_bytes
    >>> small = ae.transformer("tiny", hidden=8, heads=2, blocks=2, sequence=4, vocabulary=16)
    >>> trace = ae.traces.from_strategy(small, ae.Strategy(data=4, pipeline=2, batch=8), "a100")
    >>> template = TemplateBytes(trace.nodes[0], trace.templates.moving(0))
    >>> len(trace.templates.moving(0)), trace.nodes[0] == trace.nodes[1]
    (14, False)
    >>> b"".join(template.filled(trace.nodes[1])) == b"".join(map(node_bytes, trace.nodes[1]))
    True
    """

    def __init__(self, nodes: Sequence[Node], moving: Iterable[int]) -> None:
        """moving: where nodes are that other NPUs have otherwise. runs: what is equal, and nodes that are filled in."""
        self._nodes = nodes
        some = frozenset(moving)
        self.runs: list[bytes | list[tuple[int, Pieces]]] = []
        for moves, places in groupby(range(len(nodes)), some.__contains__):
            run = list(places)
            self.runs.append(
                [(place, Pieces(nodes[place])) for place in run]
                if moves
                else b"".join(node_bytes(nodes[place]) for place in run)
            )

    def filled(self, own: Sequence[Node]) -> Iterator[bytes]:
        """The bytes of an NPU's own nodes. Raises ConfigError for what the schema has no place for."""
        for run in self.runs:
            if isinstance(run, bytes):
                yield run
            else:
                for place, pieces in run:
                    yield pieces.with_what_differs(own[place])


class Pieces:
    """A node's fields as bytes. between: name and type; behind: all from the times to the tensors."""

    __slots__ = ("_around", "_attributes", "_behind", "_between", "_node")

    def __init__(self, node: Node) -> None:
        """Of a node as one NPU has it."""
        self._node = node
        self._between = _fields(Node(0, node.name, node.type))
        times = node.duration_micros, node.start_time_micros
        tensors = node.inputs, node.outputs
        self._behind = _behind(*times, *tensors) if any(tensors) else _times(*times)
        self._attributes = [(name, one, _known(name, one)) for name, one in node.attributes.items()]
        self._around: tuple[bytes, bytes] | None = None

    def with_what_differs(self, node: Node) -> bytes:
        """The node with its length in front; of this one it has all but numbers and attributes."""
        attributes, own = [], node.attributes
        for name, attribute, known in self._attributes:
            mine = own[name]
            attributes.append(known if mine is attribute else _attribute(name, mine))
        try:
            number = _ID + number_bytes(node.id) if node.id else b""
            control, data = _numbers(_CTRL_DEPS, node.ctrl_deps), _numbers(_DATA_DEPS, node.data_deps)
        except ValueError:  # says what is wrong
            return node_bytes(node)
        body = b"".join((number, self._between, control, data, self._behind, *attributes))
        return number_bytes(len(body)) + body if body else node_bytes(node)

    def in_group(self, name: str) -> bytes:
        """The node with its length in front, in a process group of this name; it names one."""
        if self._around is None:
            own, each = self._node, [known for _, _, known in self._attributes]
            number = _ID + number_bytes(own.id) if own.id else b""
            waits = _numbers(_CTRL_DEPS, own.ctrl_deps) + _numbers(_DATA_DEPS, own.data_deps)
            place = list(own.attributes).index("pg_name")
            front = b"".join((number, self._between, waits, self._behind, *each[:place]))
            self._around = front, b"".join(each[place + 1 :])
        front, back = self._around
        named = _attribute("pg_name", self._node.attributes["pg_name"]._replace(value=name))
        return b"".join((number_bytes(len(front) + len(named) + len(back)), front, named, back))


def _numbers(field: bytes, numbers: Sequence[int]) -> bytes:
    if not numbers:
        return b""
    packed = b"".join(map(number_bytes, numbers))
    return field + number_bytes(len(packed)) + packed


@lru_cache(maxsize=1000)
def _times(duration_micros: int, start_micros: int) -> bytes:
    """Many nodes take as long."""
    return _behind(duration_micros, start_micros, None, None)


def _behind(duration_micros: int, start_micros: int, inputs: Tensors | None, outputs: Tensors | None) -> bytes:
    return _fields(
        Node(
            0,
            "",
            NodeType.INVALID_NODE,
            start_time_micros=start_micros,
            duration_micros=duration_micros,
            inputs=inputs,
            outputs=outputs,
        )
    )


def _known(name: str, attribute: Attribute) -> bytes:
    """What many nodes have alike is encoded once; of numbers that are equal and no whole ones the bytes may differ."""
    encode = _attribute if type(attribute.value) in (int, str) else _attribute.__wrapped__
    return encode(name, attribute)


@lru_cache(maxsize=100_000)
def _attribute(name: str, attribute: Attribute) -> bytes:
    """Many NPUs have the same peers and tags."""
    return _fields(Node(0, "", NodeType.INVALID_NODE, attributes={name: attribute}))


def _fields(node: Node) -> bytes:
    """Those of its fields that aren't empty."""
    from astra_edu.traces.messages import node_message

    data: bytes = node_message(node).SerializeToString()
    return data
