"""Files of NPUs that do the same up to names: of such, one is read, and the others are compared with it byte by byte.

What an NPU's file would have to hold is made of the nodes of the first one: peers as many NPUs further, the numbers and
tags of some nodes larger by a step for each NPU, groups named as they are in the file. By how much numbers grow is seen
in the second file, which is read, too. A file that holds those very bytes has those very nodes. All others are read.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence

from astra_edu.traces.et_bytes import Reader
from astra_edu.traces.et_file import MOST_AT_ONCE
from astra_edu.traces.file_role import FileRole
from astra_edu.traces.node import Metadata, Node
from astra_edu.traces.shared_nodes import SharedNodes

MOST_ROLES = 256
"""A file is compared with those of so many NPUs at most, the ones first that others were like."""
_GZIP = b"\x1f\x8b"


class FilesAlike:
    """The nodes of a trace's files so far, file by file, in the order of NPUs.

    >>> from astra_edu.traces.et_bytes import Reader
    >>> from astra_edu.traces.et_file import encode
    >>> from astra_edu.traces.node import Metadata
    >>> pipeline = ae.traces.from_strategy(
    ...     ae.transformer("tiny", hidden=8, heads=2, blocks=2, sequence=4, vocabulary=16),
    ...     ae.Strategy(data=4, pipeline=2, batch=8),
    ...     "a100",
    ... )
    >>> files, read = FilesAlike(pipeline.npus, Reader()), 0
    >>> for npu, nodes in enumerate(pipeline.nodes):
    ...     if not files.same(npu, encode(nodes)):
    ...         files.add(npu, encode(nodes), Metadata(), nodes)
    ...         read += 1
    >>> read, len(files.nodes.templates), files.nodes == pipeline.nodes
    (4, 2, True)
    """

    def __init__(self, npus: int, reader: Reader) -> None:
        """None yet. npus: how many files there are. reader: what reads their nodes."""
        self.metadata: list[Metadata] = []
        self.kept = 0
        self._npus = npus
        self._reader = reader
        self._roles: list[FileRole] = []
        self._tried: list[int] = []
        self._of: list[int] = []
        self._names: list[tuple[str, ...]] = []
        self._shared = False

    @property
    def longest(self) -> int:
        """How many nodes the longest file has that no other was like yet: the next one may be."""
        return max((len(role.nodes) for role in map(self._roles.__getitem__, self._tried) if role.alone), default=0)

    def again(self, npu: int, earlier: int) -> None:
        """This NPU's file has the same bytes as that of an earlier one."""
        role = self._roles[self._of[earlier]]
        if role.depends:
            nodes = role.nodes if role.first == earlier else self.nodes[earlier]
            self._keep(FileRole(npu, nodes), tried=False)
        else:
            role.is_fixed = True
            self._of.append(self._of[earlier])
            self._names.append(self._names[earlier])
        self.metadata.append(self.metadata[earlier])

    def same(self, npu: int, content: bytes) -> bool:
        """Whether a file holds what an earlier one does, up to names. If so, its nodes are known."""
        if all(self._roles[number].alone for number in self._tried):
            return False
        begun = self._begun(content)
        if begun is None:
            return False
        metadata, plain, at = begun
        for place, number in enumerate(self._tried):
            names = self._roles[number].names_in(plain, at, npu, self._reader)
            if names is not None:
                self._tried.insert(0, self._tried.pop(place))
                self._take(npu, number, names, metadata)
                return True
        return False

    def add(self, npu: int, content: bytes | None, metadata: Metadata, nodes: tuple[Node, ...]) -> None:
        """The nodes of a file that isn't the same as an earlier one. With it, it is seen how an earlier one grows.

        content: None for a file that is too large to be kept.
        """
        for number in self._tried if content else ():
            role = self._roles[number]
            if content and role.grows_to(npu, nodes, self._npus):
                begun = self._begun(content)
                names = role.names_in(*begun[1:], npu, self._reader) if begun else None
                if names is not None:
                    self._take(npu, number, names, metadata)
                    return
                role.forget()
        self._keep(FileRole(npu, nodes), tried=content is not None)
        self.kept += len(nodes)
        self.metadata.append(metadata)

    @property
    def nodes(self) -> Sequence[tuple[Node, ...]]:
        """The nodes of all NPUs; plain tuples where those that share them have the very same."""
        if not self._shared:
            return tuple(self._roles[number].nodes for number in self._of)
        return SharedNodes(
            tuple(role.nodes for role in self._roles),
            tuple(self._of),
            tuple(role.first for role in self._roles),
            True,
            tuple(self._names) if any(self._names) else (),
            tuple(role.steps for role in self._roles) if any(role.steps for role in self._roles) else (),
        )

    def _begun(self, content: bytes) -> tuple[Metadata, bytes, int] | None:
        """(metadata, the bytes, where nodes begin) of a file; None where that can't be like any other."""
        plain = _unpacked(content)
        begun = self._reader.begin(plain)
        return begun and (begun[0], plain, begun[1])

    def _take(self, npu: int, number: int, names: tuple[str, ...], metadata: Metadata) -> None:
        self._shared = True
        self._of.append(number)
        self._names.append(names)
        self.metadata.append(metadata)

    def _keep(self, role: FileRole, tried: bool) -> None:
        if tried and len(self._tried) < MOST_ROLES:
            self._tried.insert(0, len(self._roles))
        self._of.append(len(self._roles))
        self._names.append(role.groups)
        self._roles.append(role)


def _unpacked(content: bytes) -> bytes:
    """What is in a file; nothing for damaged data, and for those that are too large to be compared."""
    if not content.startswith(_GZIP):
        return content
    unpacking = zlib.decompressobj(16 + zlib.MAX_WBITS)
    try:
        plain = unpacking.decompress(content, MOST_AT_ONCE)
    except zlib.error:
        return b""
    return plain if unpacking.eof and not unpacking.unused_data else b""
