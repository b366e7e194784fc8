"""What an MSCCL algorithm file says: for every GPU thread blocks, and what each of them does one after the other.

The format is that of github.com/microsoft/msccl-tools; what an instruction does is as MSCCL's interpreter does it.
MSCCL's chunk is our shard.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from os import PathLike
from typing import NamedTuple

from astra_edu.base.errors import ConfigError, choice
from astra_edu.base.files import read_text
from astra_edu.base.units import several
from astra_edu.collectives.collective import Collective

SENDS = frozenset({"s", "rcs", "rrs", "rrcs"})
RECEIVES = frozenset({"r", "rcs", "rrs", "rrc", "rrcs"})
REDUCES = frozenset({"rrs", "rrc", "rrcs"})
READS = REDUCES | {"s", "cpy", "re"}
KEEPS = RECEIVES - {"rrs"} | {"cpy", "re"}
"""Instructions that take something from their source buffer, and that put something into their destination."""

TYPES = ("s", "r", "rcs", "rrs", "rrc", "rrcs", "cpy", "re", "nop")
BUFFERS = ("i", "o", "s")
COLLECTIVES = {
    "allreduce": Collective.ALL_REDUCE,
    "allgather": Collective.ALL_GATHER,
    "reducescatter": Collective.REDUCE_SCATTER,
    "alltoall": Collective.ALL_TO_ALL,
}
_OF_BLOCK = ("id", "send", "recv", "chan")
_OF_STEP = ("srcbuf", "srcoff", "dstbuf", "dstoff", "cnt", "depid", "deps")
LARGEST = 32 * 2**20
MOST_GPUS = 1024
MOST_CHUNKS = 65_536


class BufferPlace(NamedTuple):
    """Chunks in a buffer of one GPU: the input "i", the output "o" or the scratch buffer "s"."""

    buffer: str
    offset: int

    def moved(self, by: int) -> BufferPlace:
        """The place so many chunks further on."""
        return BufferPlace(self.buffer, self.offset + by)


@dataclass(frozen=True)
class Instruction:
    """What a thread block does in one step, with `count` chunks that follow each other.

    after: (thread block, step) of the same GPU that must be over before. where: for messages.
    """

    type: str
    source: BufferPlace
    destination: BufferPlace
    count: int
    after: tuple[int, int] | None
    where: str


@dataclass(frozen=True)
class ThreadBlock:
    """A thread block: whom it sends to and receives from (-1: nobody) over which channel, and its instructions."""

    id: int
    send: int
    receive: int
    channel: int
    instructions: tuple[Instruction, ...]


@dataclass(frozen=True)
class Program:
    """An algorithm. chunks: in the larger one of a GPU's input and output. gpus: each one's thread blocks by number.

    in_place: whether input and output share memory; None where the file doesn't say.
    """

    name: str
    collective: Collective
    in_place: bool | None
    chunks: int
    gpus: tuple[dict[int, ThreadBlock], ...]


def read_program(path_or_text: str | PathLike[str]) -> Program:
    """The algorithm in an MSCCL file or its text. Raises ConfigError naming GPU, thread block and step."""
    if isinstance(path_or_text, str) and path_or_text.lstrip().startswith("<"):
        text, name = path_or_text, "the MSCCL text"
    else:
        text, name = read_text(path_or_text, "an MSCCL algorithm file"), str(path_or_text)
    if len(text) > LARGEST or "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise ConfigError(f"{name}: an MSCCL algorithm has no DOCTYPE or ENTITY and at most {LARGEST >> 20} MiB.")
    try:
        root = ET.fromstring(text)
    except ET.ParseError as error:
        raise ConfigError(f"{name} is no XML: {error}.") from None
    if root.tag != "algo":
        raise ConfigError(f"{name}: an MSCCL algorithm begins with <algo ...>, not <{root.tag[:40]}>.")
    return _program(root, name)


def _program(root: ET.Element, name: str) -> Program:
    word = root.get("coll", "").replace("_", "").replace("-", "").lower()
    if word not in COLLECTIVES:
        raise ConfigError(f"{name}: coll is {root.get('coll')!r:.60}; allowed: {', '.join(COLLECTIVES)}.")
    elements = sorted(root.findall("gpu"), key=lambda gpu: _number(gpu, "id", f"{name}: gpu"))
    ids = [_number(element, "id", name) for element in elements]
    count = _number(root, "ngpus", name) if root.get("ngpus") else len(ids)
    if ids != list(range(count)) or not 2 <= count <= MOST_GPUS:
        raise ConfigError(
            f"{name}: ngpus is {count}, and there are {len(ids)} gpus; they should be 0 to ngpus - 1, each once, 2 to "
            f"{MOST_GPUS:,} of them."
        )
    sizes = [_number(element, key, f"{name}: gpu", 0) for element in elements for key in ("i_chunks", "o_chunks")]
    chunks = _number(root, "nchunksperloop", name, max(sizes))
    if not 1 <= chunks <= MOST_CHUNKS:
        raise ConfigError(f"{name}: nchunksperloop is {chunks}; 1 to {MOST_CHUNKS:,} can be read.")
    gpus = tuple(_gpu(element, gpu, count, chunks) for gpu, element in enumerate(elements))
    in_place = None if root.get("inplace") is None else bool(_number(root, "inplace", name))
    title = " ".join(root.get("name", "").split())[:60] or "unnamed"
    return Program(title, COLLECTIVES[word], in_place, chunks, gpus)


def _gpu(element: ET.Element, gpu: int, gpus: int, chunks: int) -> dict[int, ThreadBlock]:
    scratch = _number(element, "s_chunks", f"gpu {gpu}", 0)
    blocks: dict[int, ThreadBlock] = {}
    for tb in element.findall("tb"):
        where = f"gpu {gpu}, tb {tb.get('id')!s:.20}"
        block = _number(tb, "id", where)
        if block in blocks:
            raise ConfigError(f"{where} is there twice.")
        _check_there(tb, _OF_BLOCK, where)
        ends = [_number(tb, key, where) for key in ("send", "recv")]
        for end in ends:
            if not -1 <= end < gpus or end == gpu:
                raise ConfigError(f"{where}: its peer is {end}; it should be another one of the {gpus} gpus, or -1.")
        room = {"i": chunks, "o": chunks, "s": scratch}
        steps = tuple(_steps(tb, where, room, ends))
        blocks[block] = ThreadBlock(block, ends[0], ends[1], _number(tb, "chan", where), steps)
    for one in blocks.values():
        for instruction in one.instructions:
            _check_after(instruction, blocks)
    for way in ("send", "receive"):
        wires = Counter((getattr(block, way), block.channel) for block in blocks.values())
        (peer, channel), times = max(wires.items(), key=lambda item: (item[0][0] >= 0) * item[1], default=((-1, 0), 0))
        if peer >= 0 and times > 1:
            raise ConfigError(f"gpu {gpu}: {times} tbs {way} over channel {channel} with gpu {peer}; one can.")
    return blocks


def _steps(tb: ET.Element, where: str, room: dict[str, int], ends: list[int]) -> Iterator[Instruction]:
    for number, step in enumerate([child for child in tb if child.tag in ("step", "op")]):
        here = f"{where}, step {step.get('s', step.get('step', number))!s:.20}"
        type_ = choice(f"{here}: type", step.get("type"), TYPES)
        for needed, end, word in ((SENDS, ends[0], "send"), (RECEIVES, ends[1], "recv")):
            if type_ in needed and end < 0:
                raise ConfigError(f"{here} is {type_!r}, but its tb has no peer to {word}: {word} is -1.")
        _check_there(step, _OF_STEP, here)
        block, after = (_number(step, key, here) for key in ("depid", "deps"))
        count = _number(step, "cnt", here)
        places = []
        for side, using in (("src", READS), ("dst", KEEPS)):
            buffer = choice(f"{here}: {side}buf", step.get(f"{side}buf"), BUFFERS)
            offset = _number(step, f"{side}off", here)
            if type_ in using and not (0 <= offset <= room[buffer] - count and count >= 1):
                raise ConfigError(
                    f"{here}: {several(count, 'shard')} from {buffer}[{offset}] on don't fit in the {room[buffer]} of "
                    "that buffer."
                )
            places.append(BufferPlace(buffer, offset))
        yield Instruction(type_, places[0], places[1], count, None if block < 0 or after < 0 else (block, after), here)


def _check_after(instruction: Instruction, blocks: dict[int, ThreadBlock]) -> None:
    if instruction.after is not None:
        block, step = instruction.after
        if block not in blocks or step >= len(blocks[block].instructions):
            raise ConfigError(f"{instruction.where} waits for tb {block}, step {step}, which doesn't exist.")


def _check_there(element: ET.Element, keys: tuple[str, ...], where: str) -> None:
    """MSCCL, too, refuses what lacks one of its attributes."""
    if missing := [key for key in keys if key not in element.attrib]:
        raise ConfigError(f"{where} has no {' and no '.join(missing)}; it needs {', '.join(keys)}.")


def _number(element: ET.Element, key: str, where: str, default: int | None = None) -> int:
    word = element.get(key)
    if word is None and default is not None:
        return default
    if word is None or not word.strip().removeprefix("-").isdecimal() or len(word) > 12:
        raise ConfigError(f"{where}: {key} is {word!r:.40}; it must be a whole number.")
    return int(word)
