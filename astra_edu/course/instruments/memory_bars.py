"""The bars and the lanes of memory systems: how long a transfer, a packet, a training iteration takes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from astra_edu.course.instruments.charts import Block, Lanes
from astra_edu.course.instruments.memory_frames import GPU_SIDE, MEMORY_SIDE
from astra_edu.course.instruments.memory_job import POOL, Way, slowest
from astra_edu.course.instruments.scene import Bar, Bars, Part
from astra_edu.course.studies.memory_systems import TrainingTime
from astra_edu.course.studies.memory_systems.fabric import IN_NODE, OUT_NODE, REMOTE

_WORDS = {
    REMOTE: "remote memory",
    MEMORY_SIDE: "memory links",
    GPU_SIDE: "out-node links",
    OUT_NODE: "out-node links",
    IN_NODE: "in-node links",
}


def kind(stage: str) -> str:
    """The look of a stage."""
    return stage.partition(",")[0]


def way_bars(ways: Sequence[Way]) -> Bars:
    """How long the load or store takes in both systems; of several transfers one after the other, each."""
    bars = tuple(
        Bar(
            way.name,
            tuple(Part(kind(transfer.slowest), transfer.ns / 1e3) for transfer in way.transfers),
            micro(way.ns),
        )
        for way in ways
    )
    return Bars("The whole transfer, by the slowest stage of each part", bars, "µs")


def stage_bars(ways: Sequence[Way]) -> Bars:
    """How long each stage takes for all packets: the slowest decides."""
    bars = []
    for way in ways:
        for transfer in way.transfers:
            slow = slowest(transfer)
            for stage in transfer.stages:
                mark = ", slowest" if stage.name in slow and len(transfer.stages) > 1 else ""
                bars.append(
                    Bar(_lane(way, stage.name), (Part(kind(stage.name), stage.ns / 1e3),),
                        f"{micro(stage.ns)}{mark}")
                )  # fmt: skip
    return Bars("Each stage, all its packets", tuple(bars), "µs")


def iteration_bars(names: Sequence[str], times: Sequence[TrainingTime]) -> Bars:
    """A training iteration: compute, and what of the rest is not hidden behind it."""
    bars = tuple(
        Bar(
            name,
            tuple(Part(part, ns / 1e6) for part, ns in time.split.items() if ns),
            f"{time.total_ns / 1e6:,.0f} ms",
        )
        for name, time in zip(names, times, strict=True)
    )
    return Bars("An iteration of a mixture of experts (10¹² parameters): compute, and waiting", bars, "ms")


def way_lanes(ways: Sequence[Way]) -> Lanes:
    """When each piece is in each stage, on one clock."""
    return Lanes(
        "Which piece is in which stage",
        "µs",
        tuple(_lane(way, stage) for way in ways for stage in way.stages),
        tuple(block for way in ways for block in _blocks(way)),
        max(way.ns for way in ways) / 1e3,
    )


def _lane(way: Way, stage: str) -> str:
    return f"{'pool' if way.name == POOL else 'ZeRO'}: {short(stage)}"


def _blocks(way: Way) -> Iterator[Block]:
    for number, turns in enumerate(way.turns):
        for turn, stage in zip(turns, way.stages, strict=True):
            because = [_name(way, number, turn.lane - 1)] if turn.lane else []
            if number and abs(way.turns[number - 1][turn.lane].end_ns - turn.begin_ns) < 1e-3:
                because = [_name(way, number - 1, turn.lane)]
            took = micro(turn.end_ns - turn.begin_ns)
            yield Block(
                _name(way, number, turn.lane),
                _lane(way, stage),
                turn.begin_ns / 1e3,
                turn.end_ns / 1e3,
                kind(stage),
                str(number),
                f"{way.name}: piece {number} in {short(stage)} for {took}",
                tuple(because),
            )


def _name(way: Way, piece: int, lane: int) -> str:
    return f"{way.name}, {piece}, stage {lane}"


def short(stage: str) -> str:
    """What a stage is called where there is little room."""
    return _WORDS[stage]


def micro(ns: float) -> str:
    """A time in µs."""
    return f"{ns / 1e3:,.1f} µs"
