"""An MSCCL program carried out with sets of contributors: which messages there are, and what each of them needs."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from astra_edu.base.errors import ConfigError
from astra_edu.collectives.collective import Collective, block_count, held_after, held_before, npus_in
from astra_edu.collectives.msccl_file import (
    KEEPS,
    RECEIVES,
    REDUCES,
    SENDS,
    BufferPlace,
    Instruction,
    Program,
    ThreadBlock,
)

MOST_MESSAGES, MOST_HELD = 500_000, 2**22


class Value(NamedTuple):
    """A shard in a buffer: whose contributions are in it (a bit mask), and by which messages they came to this GPU."""

    shard: int
    mask: int
    came: frozenset[int]


@dataclass
class ShardMessage:
    """One shard on its way, sent by the instruction at `where`; mask: whose contributions are in it.

    needs: the messages whose contents are in it. after: those that its thread block has waited for or sent before.
    not_before: those that its receiver's thread block waits for first. arrived: the how-manieth it was to arrive.
    """

    source: int
    destination: int
    shard: int
    mask: int
    needs: frozenset[int]
    after: frozenset[int]
    where: str
    not_before: set[int] = field(default_factory=set)
    arrived: int = -1


@dataclass
class _Running:
    """A thread block and its next instruction. markers: after each one, the messages whose arrival it has waited for.

    Only the last ones: a message never arrives before those that its thread block has waited for. sent: what it sent
    last.
    """

    block: ThreadBlock
    at: int = 0
    markers: list[frozenset[int]] = field(default_factory=list)
    sent: frozenset[int] = frozenset()

    @property
    def step(self) -> Instruction | None:
        """The next instruction."""
        return self.block.instructions[self.at] if self.at < len(self.block.instructions) else None


class Replay:
    """The messages of a program, in an order in which they can be sent. parts: how many shards make one block.

    Raises ConfigError where the program waits for ever, moves what isn't there, adds twice, or ends with the wrong
    shard somewhere in its output; naming GPU, thread block and step.
    """

    def __init__(self, program: Program) -> None:
        """Carry it out, one instruction of every thread block in turn."""
        self.program = program
        self.npus = len(program.gpus)
        self.blocks = block_count(program.collective, self.npus)
        self.parts = self._parts()
        if self.npus * self.blocks * self.parts > MOST_HELD:
            raise ConfigError(f"{program.name}: {self.npus} gpus and {program.chunks} shards are too many to prove.")
        self.messages: list[ShardMessage] = []
        self._arrived = 0
        self._held: list[dict[BufferPlace, Value]] = [dict(self._initial(gpu)) for gpu in range(self.npus)]
        self._wires: defaultdict[tuple[int, int, int], deque[list[int]]] = defaultdict(deque)
        self._running = [{n: _Running(block) for n, block in blocks.items()} for blocks in program.gpus]
        while self._go_round():
            pass
        self._check_over()
        self._check_outputs()

    def _parts(self) -> int:
        each = 1 if self.program.collective is Collective.ALL_REDUCE else self.npus
        if self.program.chunks % each:
            raise ConfigError(f"{self.program.name}: {self.program.chunks} shards can't be dealt out to {each} gpus.")
        return self.program.chunks // each

    def _shard(self, sender: int, index: int) -> int:
        """The shard at a place of a whole buffer of `sender`'s: first all parts of block 0, then those of 1, ..."""
        if self.program.collective is Collective.ALL_REDUCE:
            return index
        block, part = divmod(index, self.parts)
        first = sender * self.npus if self.program.collective is Collective.ALL_TO_ALL else 0
        return part * self.blocks + first + block

    def _initial(self, gpu: int) -> Iterator[tuple[BufferPlace, Value]]:
        gathers = self.program.collective is Collective.ALL_GATHER
        for index in range(self.parts if gathers else self.program.chunks):
            shard = self._shard(gpu, index + gpu * self.parts if gathers else index)
            mask = held_before(self.program.collective, self.npus, gpu, shard % self.blocks, 0)
            yield self._place(gpu, BufferPlace("i", index)), Value(shard, mask, frozenset())

    def _wanted(self, gpu: int) -> Iterator[tuple[int, int]]:
        """(place in the output, shard) of what a GPU must have in the end."""
        match self.program.collective:
            case Collective.REDUCE_SCATTER:
                yield from ((k, self._shard(gpu, k + gpu * self.parts)) for k in range(self.parts))
            case Collective.ALL_TO_ALL:
                places = ((sender, part) for sender in range(self.npus) for part in range(self.parts))
                yield from ((s * self.parts + p, self._shard(s, gpu * self.parts + p)) for s, p in places)
            case _:
                yield from ((k, self._shard(gpu, k)) for k in range(self.program.chunks))

    def _place(self, gpu: int, place: BufferPlace, in_place: bool = False) -> BufferPlace:
        """Where it really is: input and output may share memory."""
        if not (self.program.in_place or in_place) or place.buffer == "s":
            return place
        match self.program.collective, place.buffer:
            case Collective.ALL_GATHER, "i":
                return BufferPlace("o", place.offset + gpu * self.parts)
            case Collective.REDUCE_SCATTER, "o":
                return BufferPlace("i", place.offset + gpu * self.parts)
            case ((Collective.ALL_REDUCE | Collective.ALL_TO_ALL), "o"):
                return BufferPlace("i", place.offset)
        return place

    def _go_round(self) -> bool:
        going = False
        for gpu, blocks in enumerate(self._running):
            for running in blocks.values():
                step = running.step
                if step is not None and not self._waits_for(gpu, running.block, step):
                    self._carry_out(gpu, running, step)
                    running.at += 1
                    going = True
        return going

    def _waits_for(self, gpu: int, block: ThreadBlock, step: Instruction) -> str:
        """In words; "" for nothing."""
        if step.after is not None and self._running[gpu][step.after[0]].at <= step.after[1]:
            return f"tb {step.after[0]}, step {step.after[1]}"
        if step.type in RECEIVES and not self._wires[block.receive, gpu, block.channel]:
            return f"a message from gpu {block.receive} over channel {block.channel}"
        return ""

    def _carry_out(self, gpu: int, running: _Running, step: Instruction) -> None:
        block, over = running.block, running.markers[-1] if running.markers else frozenset()
        if step.after is not None:
            over |= self._running[gpu][step.after[0]].markers[step.after[1]]
        if step.type != "nop":
            came = self._receive(gpu, block, step, over) if step.type in RECEIVES else []
            over = frozenset(came) or over
            values = [self._made(gpu, step, k, came) for k in range(step.count)]
            if step.type in KEEPS:
                for k, value in enumerate(values):
                    self._held[gpu][self._place(gpu, step.destination.moved(k))] = value
            if step.type in SENDS:
                running.sent = self._send(gpu, block, step, values, over | running.sent)
        running.markers.append(over)

    def _receive(self, gpu: int, block: ThreadBlock, step: Instruction, over: frozenset[int]) -> list[int]:
        came = self._wires[block.receive, gpu, block.channel].popleft()
        if len(came) != step.count:
            raise ConfigError(f"{step.where} takes {step.count} shards; gpu {block.receive} sends it {len(came)}.")
        for number in came:
            self.messages[number].not_before |= over
            self.messages[number].arrived = self._arrived
            self._arrived += 1
        return came

    def _send(
        self, gpu: int, block: ThreadBlock, step: Instruction, values: list[Value], over: frozenset[int]
    ) -> frozenset[int]:
        first = len(self.messages)
        for value in values:
            self.messages.append(ShardMessage(gpu, block.send, value.shard, value.mask, value.came, over, step.where))
        if len(self.messages) > MOST_MESSAGES:
            raise ConfigError(f"{self.program.name} sends more than {MOST_MESSAGES:,} shards; that can't be read.")
        sent = list(range(first, len(self.messages)))
        self._wires[gpu, block.send, block.channel].append(sent)
        return frozenset(sent)

    def _made(self, gpu: int, step: Instruction, k: int, came: list[int]) -> Value:
        """What an instruction has in hand of its k-th shard: what came, what is there, or the sum of two."""
        if not came:
            value = self._there(gpu, step, step.source.moved(k))
            if step.type == "re":
                return self._sum(self._there(gpu, step, step.destination.moved(k)), value, step)
            return value
        message = self.messages[came[k]]
        value = Value(message.shard, message.mask, frozenset({came[k]}))
        return self._sum(value, self._there(gpu, step, step.source.moved(k)), step) if step.type in REDUCES else value

    def _there(self, gpu: int, step: Instruction, place: BufferPlace) -> Value:
        value = self._held[gpu].get(self._place(gpu, place))
        if value is None:
            raise ConfigError(f"{step.where} ({step.type}) needs {place.buffer}[{place.offset}], which is empty then.")
        return value

    @staticmethod
    def _sum(a: Value, b: Value, step: Instruction) -> Value:
        if a.shard != b.shard:
            raise ConfigError(f"{step.where} ({step.type}) adds up shards {a.shard} and {b.shard}.")
        if twice := a.mask & b.mask:
            raise ConfigError(
                f"{step.where} ({step.type}) adds gpu {npus_in(twice)[0]}'s shard {a.shard} a second time."
            )
        return Value(a.shard, a.mask | b.mask, a.came | b.came)

    def _check_over(self) -> None:
        for gpu, blocks in enumerate(self._running):
            for running in blocks.values():
                if (step := running.step) is not None:
                    what = self._waits_for(gpu, running.block, step)
                    raise ConfigError(f"{step.where} ({step.type}) waits for ever for {what}.")
        for (_, destination, channel), wire in self._wires.items():
            if wire:
                where = self.messages[wire[0][0]].where
                raise ConfigError(f"{where} sends to gpu {destination} over channel {channel}; nobody takes it there.")

    def _check_outputs(self) -> None:
        for gpu in range(self.npus):
            for index, shard in self._wanted(gpu):
                place = BufferPlace("o", index)
                places = [self._place(gpu, place)]
                if self.program.in_place is None:  # an old file, which may mean either
                    places.append(self._place(gpu, place, in_place=True))
                mask = held_after(self.program.collective, self.npus, gpu, shard % self.blocks, 0)
                if not any((value := self._held[gpu].get(p)) and value[:2] == (shard, mask) for p in places):
                    raise ConfigError(
                        f"{self.program.name}: in the end gpu {gpu} doesn't have what an {self.program.collective} "
                        f"promises in o[{index}]: {self._described(self._held[gpu].get(places[0]))}."
                    )

    def _described(self, value: Value | None) -> str:
        if value is None:
            return "there is nothing"
        return f"there is shard {value.shard} of gpus {', '.join(map(str, npus_in(value.mask)[:8]))}"
