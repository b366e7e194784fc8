"""The bytes of an .et file as nodes, without protobuf: what is written as usual, and None for all else.

Usual is what protobuf's own writers make: fields in the order of their numbers, each once. Anything else is left to
protobuf (et_file), which knows how to read it or what is wrong with it. Equal names, parents and attributes are read
once, and the nodes share them.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from struct import error
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar

from astra_edu.traces.attribute_bytes import attribute_of_bytes
from astra_edu.traces.node import Attribute, Metadata, Node, NodeType, Tensors
from astra_edu.traces.quick_node import Open
from astra_edu.traces.wire import END, UnusualError, number_at, numbers_in, piece_at, texts_at

if TYPE_CHECKING:
    from gzip import GzipFile

V = TypeVar("V")
Found = tuple[Metadata, tuple[Node, ...]]

MOST_KNOWN = 20_000
"""How many pieces of bytes are kept for others that are equal."""

_TYPES = dict(enumerate(NodeType))
_ID = attrgetter("id")
_ALONE: list[tuple[int, ...]] = [(number,) for number in range(128)]
"""The parents of a node that has one, by the only byte that says which."""
_LONGEST = 2**20
"""The most bytes of a node."""
_WINDOW = 2**16
"""How many bytes are read at a time."""
_LENGTH = 10
"""The most bytes that a message's length takes."""
_NOT_USUAL = UnusualError, IndexError, KeyError, UnicodeDecodeError, error


class Known(dict[bytes, V]):
    """What pieces of bytes are; each is read when it is asked for the first time."""

    def __init__(self, read: Callable[[bytes], V]) -> None:
        """read: makes of a piece what it is."""
        super().__init__()
        self.read = read

    def __missing__(self, piece: bytes) -> V:
        found = self.read(piece)
        if len(self) == MOST_KNOWN:
            self.clear()
        self[piece] = found
        return found


class Reader:
    """Reads the files of a trace, one after the other.

    >>> from astra_edu.traces.et_file import encode
    >>> node = ae.traces.collective("all_reduce", 4096, npus=2).nodes[0][0]
    >>> from io import BytesIO
    >>> reader = Reader()
    >>> reader.nodes(BytesIO(encode([node])))[1] == (node,), reader.nodes(BytesIO(b"no trace"))
    (True, None)
    """

    def __init__(self) -> None:
        """Nothing is known yet."""
        self._names = Known(bytes.decode)
        self._parents = Known(numbers_in)
        self._pairs = Known(attribute_of_bytes)
        self._attributes = Known(self._all_attributes)

    def nodes(self, file: BinaryIO | GzipFile, most_bytes: int = 2**27, most_nodes: int = 5_000_000) -> Found | None:
        """The metadata and the nodes in a file; None where there is anything unusual in it, or more than that."""
        try:
            return self._nodes(file, most_bytes, most_nodes)
        except _NOT_USUAL:
            return None

    def begin(self, content: bytes) -> tuple[Metadata, int] | None:
        """(the metadata, where the nodes begin) of what is in a file; None where there is anything unusual."""
        try:
            size, begin = number_at(content, 0)
            at = begin + size
            return (self._metadata(content[begin:at] + END), at) if at <= len(content) else None
        except _NOT_USUAL:
            return None

    def node_at(self, content: bytes, at: int) -> Node | None:
        """The node that begins there, with its length in front; None where there is anything unusual."""
        try:
            size, begin = number_at(content, at)
            return self._node(content[begin : begin + size] + END) if begin + size <= len(content) else None
        except _NOT_USUAL:
            return None

    def _nodes(self, file: BinaryIO | GzipFile, most_bytes: int, most_nodes: int) -> Found:
        metadata: Metadata | None = None
        nodes: list[Node] = []
        ids: set[int] = set()
        node, window, at = self._node, b"", 0
        more = END
        while more:
            more = file.read(_WINDOW)
            most_bytes -= len(more)
            window, at = window[at:] + more, 0
            end = len(window)
            begun = len(nodes)
            while at + _LENGTH <= end or (at < end and not more):
                size, begin = window[at], at + 1
                if size > 127:
                    size, begin = number_at(window, at)
                    if size > _LONGEST:
                        raise UnusualError
                if begin + size > end:
                    break
                at = begin + size
                if metadata is None:
                    metadata = self._metadata(window[begin:at] + END)
                else:
                    nodes.append(node(window[begin:at] + END))
            ids.update(map(_ID, nodes[begun:]))
            if len(self._parents) > MOST_KNOWN:
                self._parents.clear()
            if most_bytes < 0 or not len(nodes) == len(ids) <= most_nodes:
                raise UnusualError
        if metadata is None or at != len(window):
            raise UnusualError
        return metadata, tuple(nodes)

    def _metadata(self, data: bytes) -> Metadata:
        version, at = "", 0
        if data[0] == 0x0A:
            begin, at = piece_at(data, 1)
            version = data[begin:at].decode()
        return Metadata(version, self._all_attributes(data[at:], 0x12))

    def _node(self, data: bytes) -> Node:
        """The node in a message; all in one place, as a trace can have millions."""
        if data == END:
            raise UnusualError
        number, name, kind, start, duration, at = 0, "", 0, 0, 0, 0
        ctrl_deps: tuple[int, ...] = ()
        data_deps: tuple[int, ...] = ()
        inputs = outputs = None
        if data[0] == 0x08:
            number, at = data[1], 2
            if number > 127:
                number, at = number_at(data, 1)
                number = self._parents.setdefault(data[1:at], (number,))[0]
        if data[at] == 0x12:
            begin, at = at + 2, at + 2 + data[at + 1]
            if at - begin > 127:
                begin, at = piece_at(data, begin - 1)
            name = self._names[data[begin:at]]
        if data[at] == 0x18:
            kind = data[at + 1]
            at += 2
        if data[at] == 0x22:
            begin, at = piece_at(data, at + 1)
            ctrl_deps = self._parents[data[begin:at]]
        if data[at] == 0x2A:
            begin, at = at + 2, at + 2 + data[at + 1]
            if at - begin > 127:
                begin, at = piece_at(data, begin - 1)
            data_deps = _ALONE[data[begin]] if at == begin + 1 else self._parents[data[begin:at]]
        if data[at] == 0x30:
            start, at = number_at(data, at + 1)
        if data[at] == 0x38:
            duration, at = data[at + 1], at + 2
            if duration > 127:
                duration, at = number_at(data, at - 1)
        if data[at] == 0x42:
            begin, at = piece_at(data, at + 1)
            inputs = _tensors(data[begin:at] + END)
        if data[at] == 0x4A:
            begin, at = piece_at(data, at + 1)
            outputs = _tensors(data[begin:at] + END)
        node: Any = Open()
        node.id, node.name, node.type = number, name, _TYPES[kind]
        node.data_deps, node.ctrl_deps = data_deps, ctrl_deps
        node.duration_micros, node.start_time_micros = duration, start
        node.attributes, node.inputs, node.outputs = self._attributes[data[at:]], inputs, outputs
        node.__class__ = Node
        made: Node = node
        return made

    def _all_attributes(self, data: bytes, tag: int = 0x52) -> dict[str, Attribute]:
        found: dict[str, Attribute] = {}
        at = count = 0
        while data[at] == tag:
            begin, at = at + 2, at + 2 + data[at + 1]
            if at - begin > 127:
                begin, at = piece_at(data, begin - 1)
            name, attribute = self._pairs[data[begin:at]]
            found[name] = attribute
            count += 1
        if len(data) != at + 1 or len(found) < count:
            raise UnusualError
        return found


def _tensors(data: bytes) -> Tensors:
    texts, at = texts_at(data, (0x0A, 0x12, 0x1A))
    if len(data) != at + 1:
        raise UnusualError
    return Tensors(*texts)
