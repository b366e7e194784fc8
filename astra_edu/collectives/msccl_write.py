"""Schedules as MSCCL algorithm files, for MSCCL's runtimes and whatever else reads them."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from astra_edu.base.errors import ConfigError, instance_of
from astra_edu.collectives.collective import Collective
from astra_edu.collectives.msccl_file import COLLECTIVES, BufferPlace
from astra_edu.collectives.schedule import A_SCHEDULE, Op, Schedule, Step

Done = tuple[int, int]
"""An instruction of a GPU: (thread block, step)."""
Attributes = dict[str, str | int]


def to_msccl(schedule: Schedule) -> str:
    """A schedule's MSCCL algorithm (XML): a thread block for each peer to send to, and one for each to receive from.

    An all-to-all has buffers of its own for input and output, all else works in place. Raises ConfigError for a
    collective that MSCCL's files don't know, and for switches that add up.

    >>> from astra_edu.collectives import schedule
    >>> from astra_edu.collectives.msccl import from_msccl
    >>> from_msccl(to_msccl(schedule("all-gather", "ring", 4)))
    <ring (MSCCL) all-gather on 4 NPUs: 3 steps, 4 shards>
    """
    instance_of("schedule", schedule, Schedule, A_SCHEDULE)
    names = {collective: name for name, collective in COLLECTIVES.items()}
    if schedule.collective not in names:
        raise ConfigError(f"MSCCL's files know {', '.join(names)}; this is a {schedule.collective}.")
    if any(group.carried for group in schedule.groups):
        raise ConfigError("MSCCL's files have GPUs add up and copy; what a switch does can't be written. Take a ring.")
    writer = _Writer(schedule)
    for step in schedule.steps():
        writer.add(step)
    per_loop = schedule.shards_per_buffer
    root = ET.Element(
        "algo",
        name=schedule.algorithm,
        proto="Simple",
        nchannels=str(1 + max((block.channel for gpu in writer.gpus for block in gpu.blocks.values()), default=0)),
        nchunksperloop=str(per_loop),
        ngpus=str(schedule.npus),
        coll=names[schedule.collective],
        inplace=str(int(schedule.collective is not Collective.ALL_TO_ALL)),
    )
    own = schedule.parts
    i_chunks = own if schedule.collective is Collective.ALL_GATHER else per_loop
    o_chunks = own if schedule.collective is Collective.REDUCE_SCATTER else per_loop
    for number, gpu in enumerate(writer.gpus):
        sizes = {"i_chunks": str(i_chunks), "o_chunks": str(o_chunks), "s_chunks": str(len(gpu.scratch))}
        gpu.write(ET.SubElement(root, "gpu", {"id": str(number), **sizes}))
    ET.indent(root)
    return ET.tostring(root, encoding="unicode") + "\n"


@dataclass
class _WrittenBlock:
    """A thread block. steps: the attributes of each instruction, and the one that it waits for."""

    send: int
    receive: int
    channel: int
    number: int
    steps: list[tuple[Attributes, Done | None]] = field(default_factory=list)


@dataclass
class _Gpu:
    """blocks: by (whom it sends to, whom it receives from, channel). written, read: who did so to a place last."""

    blocks: dict[tuple[int, int, int], _WrittenBlock] = field(default_factory=dict)
    scratch: dict[int, int] = field(default_factory=dict)
    written: dict[BufferPlace, Done] = field(default_factory=dict)
    read: defaultdict[BufferPlace, list[Done]] = field(default_factory=lambda: defaultdict(list))

    def do(
        self,
        peers: tuple[int, int, int],
        type_: str,
        source: BufferPlace,
        to: BufferPlace,
        count: int,
        after: set[Done],
    ) -> Done:
        """Add an instruction; `after`: those that must be over before."""
        block = self.blocks.setdefault(peers, _WrittenBlock(*peers, len(self.blocks)))
        others = sorted(done for done in after if done[0] != block.number)
        for done in others[1:]:  # an instruction waits for one other; for more there are some that do nothing
            block.steps.append((_attributes("nop", BufferPlace("i", -1), BufferPlace("o", -1), 0), done))
        block.steps.append((_attributes(type_, source, to, count), others[0] if others else None))
        return block.number, len(block.steps) - 1

    def write(self, element: ET.Element) -> None:
        """Fill in the element of this GPU."""
        waited_for = {done for block in self.blocks.values() for _, done in block.steps}
        for block in self.blocks.values():
            ends = {"send": str(block.send), "recv": str(block.receive), "chan": str(block.channel)}
            tb = ET.SubElement(element, "tb", {"id": str(block.number), **ends})
            for number, (attributes, done) in enumerate(block.steps):
                depid, deps = done or (-1, -1)
                hasdep = int((block.number, number) in waited_for)
                shown = {"s": number, **attributes, "depid": depid, "deps": deps, "hasdep": hasdep}
                ET.SubElement(tb, "step", {key: str(value) for key, value in shown.items()})


class _Writer:
    """Writes step by step what each GPU does."""

    def __init__(self, schedule: Schedule) -> None:
        self.schedule = schedule
        self.gpus = [_Gpu() for _ in range(schedule.npus)]
        if schedule.collective is Collective.ALL_TO_ALL:  # what an NPU keeps
            for npu, gpu in enumerate(self.gpus):
                own = BufferPlace("i", npu * schedule.parts)
                gpu.do((-1, -1, 0), "cpy", own, BufferPlace("o", own.offset), schedule.parts, set())

    def add(self, step: Step) -> None:
        """All transfers of a step start from what was there before it."""
        runs = list(self._runs(step))
        for source, destination, channel, shards in runs:
            gpu, places = self.gpus[source], [self._place(source, shard) for shard in shards]
            after = {gpu.written[place] for place in places if place in gpu.written}
            to = self._place(destination, shards[0])
            done = gpu.do((destination, -1, channel), "s", places[0], to, len(shards), after)
            for place in places:
                gpu.read[place].append(done)
        for source, destination, channel, shards in runs:
            gpu, places = self.gpus[destination], [self._place(destination, shard) for shard in shards]
            after = {gpu.written[place] for place in places if place in gpu.written}
            after |= {done for place in places for done in gpu.read.pop(place, [])}
            type_ = "rrc" if step.op is Op.REDUCE else "r"
            done = gpu.do((-1, source, channel), type_, places[0], places[0], len(shards), after)
            gpu.written |= dict.fromkeys(places, done)

    def _runs(self, step: Step) -> Iterator[tuple[int, int, int, list[int]]]:
        """(source, destination, channel, shards that follow each other at both); each run on a channel of its own."""
        pairs: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
        for source, destination, shard in step.transfers:
            pairs[source, destination].append(shard)
        for (source, destination), shards in pairs.items():
            shards.sort(key=lambda shard: self._place(source, shard))
            runs: list[list[int]] = []
            for shard in shards:
                if runs and all(
                    self._place(npu, shard) == self._place(npu, runs[-1][-1]).moved(1) for npu in (source, destination)
                ):
                    runs[-1].append(shard)
                else:
                    runs.append([shard])
            yield from ((source, destination, channel, run) for channel, run in enumerate(runs))

    def _place(self, npu: int, shard: int) -> BufferPlace:
        """Where a GPU has a shard."""
        schedule = self.schedule
        part, block = divmod(shard, schedule.blocks)
        match schedule.collective:
            case Collective.ALL_REDUCE:
                return BufferPlace("i", shard)
            case Collective.ALL_GATHER:
                return BufferPlace("o", block * schedule.parts + part)
            case Collective.ALL_TO_ALL:
                source, destination = divmod(block, schedule.npus)
                if npu == source:
                    return BufferPlace("i", destination * schedule.parts + part)
                if npu == destination:
                    return BufferPlace("o", source * schedule.parts + part)
                scratch = self.gpus[npu].scratch
                return BufferPlace("s", scratch.setdefault(shard, len(scratch)))
        return BufferPlace("i", block * schedule.parts + part)


def _attributes(type_: str, source: BufferPlace, to: BufferPlace, count: int) -> Attributes:
    ends: Attributes = {"srcbuf": source.buffer, "srcoff": source.offset, "dstbuf": to.buffer, "dstoff": to.offset}
    return {"type": type_, **ends, "cnt": count}
