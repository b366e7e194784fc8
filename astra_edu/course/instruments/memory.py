"""Memory systems: a private memory behind each GPU beside a pool behind switches, packets, and what bounds them."""

from __future__ import annotations

from typing import Any, ClassVar

from astra_edu.course.instruments.instrument import Instrument
from astra_edu.course.instruments.memory_bars import iteration_bars, micro, short, stage_bars, way_bars, way_lanes
from astra_edu.course.instruments.memory_frames import GPU_SIDE, MEMORY_SIDE
from astra_edu.course.instruments.memory_job import (
    ALIKE,
    CASE_STUDY,
    COPY,
    LOAD_OWN,
    LOAD_SAME,
    PASS,
    POOL,
    PRIVATE,
    STORE_OWN,
    STORE_SUM,
    code,
    halved,
    iterations,
    slowest,
    ways,
)
from astra_edu.course.instruments.memory_stage import memory_stage
from astra_edu.course.instruments.question import Answer, Question
from astra_edu.course.instruments.scene import Scene
from astra_edu.course.instruments.setting import Setting, Values
from astra_edu.course.studies.memory_systems import Transfer
from astra_edu.course.studies.memory_systems.case_study import PUBLISHED_SPEED_UP
from astra_edu.course.studies.memory_systems.fabric import IN_NODE, REMOTE

MOVES = {
    LOAD_SAME: "loads the same",
    LOAD_OWN: "loads its own",
    STORE_SUM: "stores the sum",
    STORE_OWN: "stores its own",
}
TITLES = {
    LOAD_SAME: "All of {} load the same 256 MiB",
    LOAD_OWN: "Each of {} loads its own 256 MiB",
    STORE_SUM: "256 MiB of each of {} are added up, and the sum is stored",
    STORE_OWN: "Each of {} stores its own 256 MiB",
}
SWITCHES = {COPY: "copy and add", PASS: "only pass on"}
EQUAL = "two or more alike"
STAGES = (REMOTE, MEMORY_SIDE, GPU_SIDE, IN_NODE)


def _zero(value: Any) -> str:
    return "as HierMem" if value == ALIKE else "100 and 256"


def _packet(value: Any) -> str:
    return f"{value} KiB" if value < 1024 else f"{value // 1024} MiB"


class MemorySystems(Instrument):
    """Remote memory in two ways, on one clock: ZeRO-Infinity's private memories above, HierMem's pool below.

    Every GPU gets 256 MiB, or gives them away. Bandwidths are in bytes/ns, that is, 10**9 bytes/s. The transfers and
    iterations are those of astra_edu.studies.memory_systems, our reconstruction: the paper's parameters are unverified.

    >>> memory = ae.MemorySystems("move=load-own")
    >>> memory.text[:53]
    'move=load-own pool=compute zero=case-study remote=100'
    """

    settings: ClassVar[tuple[Setting, ...]] = (
        Setting("move", "each GPU", tuple(MOVES), words=lambda value: MOVES[value], menu=True),
        Setting("pool", "switches", (COPY, PASS), words=lambda value: SWITCHES[value], menu=True),
        Setting("zero", "ZeRO-Infinity", (CASE_STUDY, ALIKE), words=_zero, menu=True),
        Setting("remote", "remote memory", (50, 100, 200, 300, 500), "bytes/ns"),
        Setting("link", "in-node link", (128, 256, 512, 1024), "bytes/ns"),
        Setting("out", "out-node link", (64, 128, 256, 512), "bytes/ns"),
        Setting("groups", "memories of the pool", (64, 128, 256)),
        Setting("switches", "out-node switches", (4, 8, 16)),
        Setting("nodes", "nodes, of as many GPUs", (4, 8, 16)),
        Setting("packet", "packet", (64, 256, 1024, 4096), words=_packet),
    )
    start: ClassVar[Values] = {
        **{"move": LOAD_SAME, "pool": COPY, "zero": CASE_STUDY, "remote": 100, "link": 256, "out": 512},
        **{"groups": 256, "switches": 16, "nodes": 16, "packet": 64},
    }

    def check(self, values: Values) -> None:
        """Everything can be set."""

    def scene(self, values: Values) -> Scene:
        """See Instrument."""
        both, times = ways(values), iterations(values)
        one, other = both
        faster, step = one.ns / other.ns, times[0].total_ns / times[1].total_ns
        title = TITLES[values["move"]].format(f"{values['nodes']} × {values['nodes']} GPUs")
        return Scene(
            title=title,
            headline=f"ZeRO-Infinity {micro(one.ns)}, HierMem {micro(other.ns)}; HierMem’s slowest stage: "
            f"{' and '.join(map(short, slowest(other.transfers[0])))}",
            sentences=self._sentences(values),
            numbers={
                PRIVATE: (one.ns, micro(one.ns)),
                POOL: (other.ns, micro(other.ns)),
                "HierMem’s speed-up": (faster, f"{faster:.2f}"),
                "of an iteration": (step, f"{step:.2f}"),
            },
            bars=(way_bars(both), stage_bars(both), iteration_bars((PRIVATE, POOL), times)),
            stage=memory_stage(title, both, values),
            lanes=(way_lanes(both),),
            code=code(values),
        )

    def _sentences(self, values: Values) -> tuple[str, ...]:
        transfer = ways(values)[1].transfers[0]
        one, other = iterations(values)
        smaller = halved(values)
        sooner_by = 100 * (1 - smaller.ns / transfer.ns)
        return (
            f"HierMem sends {transfer.packets:,} packets one after the other: the first goes through all stages, and "
            f"each other one comes out {micro(max(transfer.packet_ns))} after the one before, the time of the "
            f"slowest stage. With packets half as large it would be done {sooner_by:.1f} % sooner.",
            f"An iteration of a mixture of experts of 10¹² parameters: HierMem is {one.total_ns / other.total_ns:.2f} "
            f"times as fast as ZeRO-Infinity. Published for the optimised HierMem: {PUBLISHED_SPEED_UP} times.",
            "This is our reconstruction of HierMem (ISPASS 2023): packets that go through stages are its idea, "
            "the sizes and most bandwidths are unverified or ours.",
        )

    def question(self, values: Values) -> Question:
        """Which stage bounds the pool, what packets bring, how much faster an iteration is: in turn."""
        about = f"Each GPU {MOVES[values['move']]} 256 MiB, the switches {SWITCHES[values['pool']]}"
        asked = self._asked(values)
        if asked == 0:
            choices = (*map(short, STAGES), EQUAL)
            return Question(f"{about}. Which stage of HierMem is the slowest?", choices=choices, places=_places())
        if asked == 1:
            packets = ways(values)[1].transfers[0].packets
            return Question(f"{about}. How many times as fast is HierMem in {packets:,} packets as in one?", "times")
        return Question(
            "An iteration of a mixture of experts with 10¹² parameters: how many times as fast as with ZeRO-Infinity "
            "is it with HierMem? (1: the same)",
            "times",
        )

    def answer(self, values: Values) -> Answer:
        """See Instrument."""
        transfer = ways(values)[1].transfers[0]
        asked = self._asked(values)
        if asked == 0:
            slow = slowest(transfer)
            each = ", ".join(f"{short(stage.name)} {micro(stage.ns)}" for stage in transfer.stages)
            return Answer(short(slow[0]) if len(slow) == 1 else EQUAL, f"For all packets: {each}.")
        if asked == 1:
            at_once = Transfer(transfer.stages).ns
            why = f"In one packet it takes the sum of all stages, {micro(at_once)}, in {transfer.packets:,} packets "
            why += f"{micro(transfer.ns)}: all stages work at once, and the slowest one never rests."
            return Answer(at_once / transfer.ns, why, near=1.15)
        one, other = iterations(values)
        parts = [
            f"{name} {time.total_ns / 1e6:,.0f} ms, of which {time.compute_ns / 1e6:,.0f} ms compute"
            for name, time in ((PRIVATE, one), (POOL, other))
        ]
        return Answer(one.total_ns / other.total_ns, f"{'; '.join(parts)}.", near=1.15)

    def _asked(self, values: Values) -> int:
        """0 for the start."""
        places = [s.values.index(values[s.name]) - s.values.index(self.start[s.name]) for s in self.settings]
        return sum(places) % 3


def _places() -> dict[str, str]:
    lines = {stage: 4 if stage == STAGES[2] else 2 for stage in STAGES}
    return {f"{POOL}, {stage}, line {number}": short(stage) for stage, n in lines.items() for number in range(n)}
