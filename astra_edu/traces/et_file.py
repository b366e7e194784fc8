"""Chakra's .et files: metadata, then one node after the other, each with its length in front; plain or gzip.

Reading is strict: a field that Chakra's schema doesn't have is an error, not passed over, so that no damaged file and
none of an older schema is taken for something else, and what was read can be written again byte for byte.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import zlib
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, cast

from astra_edu.base.errors import ConfigError
from astra_edu.base.files import FileName, existing, path_of
from astra_edu.traces.et_bytes import Reader
from astra_edu.traces.messages import metadata_and_nodes, metadata_message, node_message, strange_field
from astra_edu.traces.node import Metadata, Node
from astra_edu.traces.schema import messages
from astra_edu.traces.wire import number_bytes

MOST_BYTES = 128 * 2**20
"""The most that a file may have, unpacked: as Python objects these can be 3 GiB."""

MOST_AT_ONCE = 4 * 2**20
"""A file of so many bytes is read once, and kept while that is done; larger ones are read twice, piece by piece."""

MOST_IN_A_MESSAGE = 16 * 2**20
MOST_NODES = 5_000_000

_WHAT = "an execution trace (.et)"
_GZIP = b"\x1f\x8b"
_START = 1000
_OLDER = " Chakra's schemas before 0.0.4, those of ASTRA-sim 2.0 to 2.2, are other formats."

_Stream = gzip.GzipFile | io.BufferedReader


class _Position(NamedTuple):
    """Where in a file something is, for error sentences."""

    where: str
    message: int
    byte: int

    def __str__(self) -> str:
        what = f"node number {self.message}" if self.message else "its metadata"
        return f"{self.where}, {what} (byte {self.byte})"


def read_et(
    path: FileName,
    npu: int | None = None,
    most_nodes: int = MOST_NODES,
    reader: Reader | None = None,
    content: bytes | None = None,
) -> tuple[Metadata, tuple[Node, ...]]:
    """The metadata and the nodes of a file, in its order. npu: whose file it is, for error sentences.

    reader: what reads files that are written as usual; one for all files of a trace lets their nodes share what is
    equal. content: what is in the file, where it has been read already (see fingerprint).

    Raises ConfigError naming file, NPU, node and byte for what is no trace: files that end too early, lengths and
    packed data beyond all measure (over 128 MiB or 5 million nodes), bytes that aren't Chakra's schema.
    """
    file = existing(path, _WHAT) if content is None else path_of(path)
    where = str(file) if npu is None else f"{file} (NPU {npu})"
    try:
        with file.open("rb") if content is None else io.BytesIO(content) as raw:
            packed = raw.read(2) == _GZIP
            raw.seek(0)
            found = (reader or Reader()).nodes(gzip.GzipFile(fileobj=raw) if packed else raw, MOST_BYTES, most_nodes)
            if found is not None:
                return found
            raw.seek(0)
            plain = raw if isinstance(raw, io.BufferedReader) else io.BufferedReader(cast(Any, raw))
            return _read(gzip.GzipFile(fileobj=raw) if packed else plain, where, most_nodes)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ConfigError(f"{where}: its gzip data are damaged ({error}).") from error
    except OSError as error:
        raise ConfigError(f"{where} can't be read: {error.strerror}.") from error


def _read(content: _Stream, where: str, most_nodes: int) -> tuple[Metadata, tuple[Node, ...]]:
    start = content.peek(_START)
    if not start:
        raise ConfigError(f"{where} is empty; {_WHAT} is expected.")
    hint = _looks_like(start)

    def parsed() -> Iterator[tuple[_Position, Any]]:
        for place, data in _cut(content, where, hint):
            if place.message > most_nodes:
                raise ConfigError(too_many(where, most_nodes))
            yield place, _parse(messages().node if place.message else messages().metadata, data, place, hint)

    return metadata_and_nodes(parsed())


def too_many(where: str, most_nodes: int) -> str:
    """What is said of a trace with more nodes than are read."""
    return f"{where}: the trace has over {most_nodes:,} nodes; that many don't fit into memory."


def _cut(content: _Stream, where: str, hint: str) -> Iterator[tuple[_Position, bytes]]:
    """The messages of a file, cut at the lengths in front of them."""
    place = _Position(where, 0, 0)
    while (length := _length(content, place, hint)) is not None:
        size, width = length
        if not size and place.message:
            raise ConfigError(f"{place}: there are zero bytes where a node should be.{hint}")
        if size > MOST_IN_A_MESSAGE:
            raise ConfigError(
                f"{place}: its length is given as {size:,} bytes; more than {MOST_IN_A_MESSAGE:,} is no node.{hint}"
            )
        data = content.read(size)
        if len(data) < size:
            raise ConfigError(f"{place}: it should have {size:,} bytes, but the file ends after {len(data):,}.{hint}")
        yield place, data
        place = _Position(where, place.message + 1, place.byte + width + size)
        if place.byte > MOST_BYTES:
            raise ConfigError(f"{where} has over {MOST_BYTES:,} bytes (unpacked); that is more than can be read.")


def _length(content: _Stream, place: _Position, hint: str) -> tuple[int, int] | None:
    """The next varint and how many bytes it takes; None at the file's end."""
    size = 0
    for position in range(10):
        byte = content.read(1)
        if not byte:
            if position:
                raise ConfigError(f"{place}: the file ends within the length in front of it.{hint}")
            return None
        size |= (byte[0] & 0x7F) << 7 * position
        if byte[0] < 0x80:
            return size, position + 1
    raise ConfigError(f"{place}: the length in front of it has over 10 bytes.{hint}")


def _parse(kind: Any, data: bytes, place: _Position, hint: str) -> Any:
    from google.protobuf.message import DecodeError

    message = kind()
    try:
        message.ParseFromString(data)
        message.DiscardUnknownFields()
        if message.SerializeToString() == data:
            return message
        strange = strange_field(kind.FromString(data))
    except (DecodeError, ValueError, RecursionError) as error:
        raise ConfigError(f"{place}: these {len(data):,} bytes are no message of Chakra's.{hint or _OLDER}") from error
    if strange:
        raise ConfigError(f"{place} has {strange}.{hint or _OLDER}")
    return message


def _looks_like(start: bytes) -> str:
    """The end of an error sentence for a file that is something else; empty if nobody knows."""
    text = start[:_START].decode("utf-8", "ignore")
    if start[:2] in (b"\x80\x03", b"\x80\x04", b"\x80\x05"):
        return " It looks like a Python pickle, which is never opened."
    if start[:2] == b"PK":
        return " It looks like a zip archive."
    if text and not any(character < " " and character not in "\t\r\n" for character in text):
        if text.lstrip()[:1] in ("{", "["):
            return " It looks like JSON; a trace in JSON has a name that ends in .json."
        return " It looks like a text file; ASTRA-sim 1.0's workloads are such."
    return ""


def encode(nodes: Iterable[Node], metadata: Metadata | None = None, compressed: bool = False) -> bytes:
    """The bytes of a file of ASTRA-sim 2.x; compressed: with gzip, which its newest reader doesn't unpack.

    What read_et gave comes out as it was, but for gzip's own bytes.
    Raises ConfigError naming the node for what the schema has no place for.
    """
    content = b"".join([metadata_bytes(metadata), *map(node_bytes, nodes)])
    return gzip.compress(content, mtime=0) if compressed else content


def metadata_bytes(metadata: Metadata | None = None) -> bytes:
    """What a file begins with. Raises ConfigError for what the schema has no place for."""
    return _delimited(metadata_message(metadata if metadata is not None else Metadata()))


def node_bytes(node: Node) -> bytes:
    """A node with its length in front. Raises ConfigError naming it for what the schema has no place for."""
    part = _delimited(node_message(node))
    if part == b"\0":
        raise ConfigError("node 0 has no name and no type: readers take it for the end of the file.")
    return part


def _delimited(message: Any) -> bytes:
    data: bytes = message.SerializeToString()
    return number_bytes(len(data)) + data


def fingerprint(path: FileName, known: dict[tuple[int, int], bytes] | None = None) -> tuple[bytes, bytes | None]:
    """(what files with the same bytes have in common, those bytes). Raises ConfigError for what is no file.

    The bytes are None where the file is large, or needn't be read. known: the fingerprints found so far by device and
    inode, so that a file with several names is read once.
    """
    file = existing(path, _WHAT)
    content = None
    try:
        with open(file, "rb", buffering=0) as raw:
            about = os.fstat(raw.fileno())
            place = about.st_dev, about.st_ino
            linked = known is not None and about.st_ino and about.st_nlink > 1
            if known is not None and linked and place in known:
                return known[place], None
            if about.st_size > MOST_AT_ONCE:
                found = hashlib.file_digest(raw, "sha256").digest()
            else:
                content = raw.read()
                found = hashlib.sha256(content).digest()
            if known is not None and linked:
                known[place] = found
            return found, content
    except OSError as error:
        raise ConfigError(f"{file} can't be read: {error.strerror}.") from error
