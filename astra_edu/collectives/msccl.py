"""Algorithms of msccl-tools as schedules: an MSCCL file is carried out, and its messages are put in steps.

A schedule knows one copy of a shard at an NPU; scratch buffers, thread blocks and channels are means, not ends. A
message is a reduction if its receiver's own contribution isn't in it yet, and else a copy.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import groupby
from os import PathLike

from astra_edu.base.errors import ConfigError
from astra_edu.collectives.collective import REDUCING
from astra_edu.collectives.msccl_file import read_program
from astra_edu.collectives.msccl_replay import Replay, ShardMessage
from astra_edu.collectives.proof import ProofError, prove
from astra_edu.collectives.schedule import Op, Rounds, Schedule

Table = dict[int, list[tuple[int, int]]]
"""For each NPU that sends in a step: (destination, shard) of all it sends."""


def from_msccl(path_or_text: str | PathLike[str]) -> Schedule:
    """The schedule of an MSCCL algorithm file (XML), proven: all-reduce, all-gather, reduce-scatter or all-to-all.

    path_or_text: the file, or its text. A message comes as early as the data in it, its dependences and the order in
    which its thread block does one thing after the other allow; what adds up and what copies are different steps.
    Raises ConfigError naming GPU, thread block and step for what is no such file, doesn't work, or can't be said with
    one copy of each shard at an NPU.

    >>> gpu = '''<gpu id="{0}" i_chunks="1" o_chunks="2" s_chunks="0">
    ...   <tb id="0" send="{1}" recv="{1}" chan="0">
    ...     <step s="0" type="s" srcbuf="o" srcoff="{0}" dstbuf="o" dstoff="{0}" cnt="1" depid="-1" deps="-1"/>
    ...     <step s="1" type="r" srcbuf="o" srcoff="{1}" dstbuf="o" dstoff="{1}" cnt="1" depid="-1" deps="-1"/>
    ...   </tb></gpu>'''
    >>> text = f'<algo name="swap" ngpus="2" coll="allgather" inplace="1">{gpu.format(0, 1)}{gpu.format(1, 0)}</algo>'
    >>> from_msccl(text)
    <swap (MSCCL) all-gather on 2 NPUs: 1 steps, 2 shards>
    """
    program = read_program(path_or_text)
    replay = Replay(program)
    ops = [_op(message, replay) for message in replay.messages]
    steps = list(_steps(replay.messages, ops, *_order(replay, ops)))
    groups = tuple(
        _rounds(op, [tables for _, tables in group], replay.npus) for op, group in groupby(steps, lambda step: step[0])
    )
    schedule = Schedule(
        program.collective, f"{program.name} (MSCCL)", replay.npus, replay.blocks * replay.parts, groups
    )
    try:
        prove(schedule)
    except ProofError as error:
        raise ConfigError(f"{program.name} works with its buffers, but not as a schedule: {error}") from error
    return schedule


def _op(message: ShardMessage, replay: Replay) -> Op:
    if replay.program.collective not in REDUCING:
        return Op.COPY
    if not message.mask >> message.source & 1:
        raise ConfigError(
            f"{message.where} passes shard {message.shard} on without adding gpu {message.source}'s own to it; a "
            "schedule can't say that."
        )
    return Op.COPY if message.mask >> message.destination & 1 else Op.REDUCE


def _order(replay: Replay, ops: list[Op]) -> tuple[list[set[int]], list[set[int]]]:
    """For each message those that must be in an earlier step, and those that must not be in a later one."""
    messages = replay.messages
    earlier = [set(message.needs | message.after) for message in messages]
    not_later = [set(message.not_before) for message in messages]
    if replay.program.collective not in REDUCING:
        return earlier, not_later
    arrivals: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for number in sorted(range(len(messages)), key=lambda number: messages[number].arrived):
        arrivals[messages[number].destination, messages[number].shard].append(number)
    for came in arrivals.values():
        for k, number in enumerate(came):  # a copy takes the place of all that came before
            before = came[:k] if ops[number] is Op.COPY else [one for one in came[:k] if ops[one] is Op.COPY]
            earlier[number].update(before)
    for number, message in enumerate(messages):  # what isn't in a message must not have come yet
        came = arrivals.get((message.source, message.shard), [])
        copies = [came.index(one) for one in message.needs if ops[one] is Op.COPY]
        for one in came[max(copies, default=0) :]:
            if one not in message.needs:
                not_later[one].add(number)
    return earlier, not_later


def _steps(
    messages: list[ShardMessage], ops: list[Op], earlier: list[set[int]], not_later: list[set[int]]
) -> Iterator[tuple[Op, Table]]:
    """The messages in as few steps as their order allows, reductions first."""
    frees: defaultdict[int, list[int]] = defaultdict(list)
    for number, before in enumerate(earlier):
        for one in before:
            frees[one].append(number)
    waits_for = [len(before) for before in earlier]
    ready = {number for number, count in enumerate(waits_for) if not count}
    done: set[int] = set()
    while len(done) < len(messages):
        chosen = next((found for op in Op if (found := _together(ready, op, ops, not_later, done))), None)
        if not chosen:
            stuck = messages[min(ready, default=next(n for n in range(len(messages)) if n not in done))]
            raise ConfigError(
                f"{stuck.where} sends shard {stuck.shard} from gpu {stuck.source} to {stuck.destination}, which needs "
                "two versions of a shard at a time; a schedule has one copy at an NPU."
            )
        table: Table = {}
        for number in sorted(chosen):
            message = messages[number]
            table.setdefault(message.source, []).append((message.destination, message.shard))
        done |= chosen
        ready -= chosen
        for later in (later for number in chosen for later in frees[number]):
            waits_for[later] -= 1
            if not waits_for[later]:
                ready.add(later)
        yield ops[min(chosen)], table


def _together(ready: set[int], op: Op, ops: list[Op], not_later: list[set[int]], done: set[int]) -> set[int]:
    """Those of one kind that can be sent at once."""
    chosen = {number for number in ready if ops[number] is op}
    while late := {number for number in chosen if any(n not in done and n not in chosen for n in not_later[number])}:
        chosen -= late
    return chosen


def _rounds(op: Op, tables: list[Table], npus: int) -> Rounds:
    def rule(step: int, npu: int) -> list[tuple[int, int]]:
        return tables[step].get(npu, [])

    first = _far(tables[0], 0, npus)
    uniform = all(_far(table, npu, npus) == _far(tables[0], npu, npus) for table in tables for npu in range(npus))
    alike = all(_far(table, npu, npus) == _far(table, 0, npus) for table in tables for npu in range(npus))
    return Rounds("reduce" if op is Op.REDUCE else "copy", op, len(tables), rule, alike and bool(first), uniform)


def _far(table: Table, npu: int, npus: int) -> Counter[int]:
    """How many shards an NPU sends how far."""
    return Counter((destination - npu) % npus for destination, _ in table.get(npu, ()))
