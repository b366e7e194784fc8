"""Chunks over dimensions: in which order chunks walk a network's dimensions, by the baseline, by Themis, by hand."""

from __future__ import annotations

from itertools import permutations
from typing import Any, ClassVar

from astra_edu.base.units import format_ns, several
from astra_edu.course.instruments.chunks_bars import (
    ALIKE,
    busiest,
    busy_bars,
    gain,
    gain_words,
    load_bars,
    sentences,
    time_bars,
    words,
)
from astra_edu.course.instruments.chunks_job import THEMIS, check, code, decisions, network, runs
from astra_edu.course.instruments.chunks_stage import chunks_stage
from astra_edu.course.instruments.instrument import Instrument
from astra_edu.course.instruments.question import Answer, Question
from astra_edu.course.instruments.scene import Scene
from astra_edu.course.instruments.setting import Setting, Values

ORDERS = tuple("".join(map(str, order)) for dims in (2, 3) for order in permutations(range(dims)))


def _order(value: Any) -> str:
    return "Themis’s" if value == THEMIS else ", ".join(value)


class ChunksOverDimensions(Instrument):
    """Chunks of one collective walk the dimensions of a network: baseline above, Themis below, on one clock.

    Rings, the first of 100 GB/s, the others with their share of it; times are ae.simulate's. chunk_1: "themis", or the
    dimensions in another order, such as "10". Then what comes of it takes Themis's place below; Themis still decides
    for all other chunks.

    >>> chunks = ae.ChunksOverDimensions("chunks=8 size=16")
    >>> chunks.text
    'dimensions=2 npus=4 share=50 collective=all-reduce chunks=8 size=16 queue=SCF chunk_1=themis'
    """

    settings: ClassVar[tuple[Setting, ...]] = (
        Setting("dimensions", "dimensions", (2, 3), menu=True),
        Setting("npus", "NPUs in each dimension", (2, 4, 8, 16)),
        Setting("share", "bandwidth of the others", (100, 75, 50, 25, 10), "%"),
        Setting("collective", "collective", ("all-reduce", "reduce-scatter", "all-gather"), menu=True),
        Setting("chunks", "chunks (splits)", (1, 2, 4, 8, 16)),
        Setting("size", "size", (1, 4, 16, 64, 256, 1024), "MiB", stored=False),
        Setting("queue", "queue of a dimension", ("FIFO", "SCF"), menu=True),
        Setting("chunk_1", "chunk 1’s order", (THEMIS, *ORDERS), words=_order, menu=True),
    )
    start: ClassVar[Values] = {
        **{"dimensions": 2, "npus": 4, "share": 50, "collective": "all-reduce", "chunks": 4, "size": 64},
        **{"queue": "SCF", "chunk_1": THEMIS},
    }

    def check(self, values: Values) -> None:
        """See Instrument."""
        check(values)

    def scene(self, values: Values) -> Scene:
        """See Instrument."""
        done, decided, dims = runs(values), decisions(values), network(values)
        baseline, themis, *own = done
        title = (
            f"{values['collective']} of {values['size']} MiB over {' × '.join([str(values['npus'])] * len(dims))} NPUs"
            f" in {several(values['chunks'], 'chunk')}, {values['queue']}"
        )
        times = f"Baseline {words(baseline)}, Themis {words(themis)}: {gain_words(themis, baseline)}"
        return Scene(
            title=title,
            headline=times + "".join(f"; yours {words(run)}: {gain_words(run, baseline)}" for run in own),
            sentences=sentences(done, decided),
            numbers={run.name: (run.needed_ns, format_ns(run.needed_ns)) for run in done}
            | {"gain": (gain(themis, baseline), f"{gain(themis, baseline):.1f} %")},
            bars=(time_bars(done), busy_bars(done, len(dims)), load_bars(decided)),
            stage=chunks_stage(title, (baseline, done[-1]), dims),
            code=code(values),
        )

    def question(self, values: Values) -> Question:
        """Which dimension is busy longest, or how much Themis gains: in turn, the latter only where it gains."""
        about = f"{values['collective']}, {values['dimensions']} dimensions of {values['npus']} NPUs, the others with "
        about += f"{values['share']} % of the first one’s bandwidth, {several(values['chunks'], 'chunk')}"
        if self._asks_for_gain(values):
            return Question(f"{about}: by how much does Themis shorten it, in %?", "%")
        dims = tuple(f"dimension {d}" for d in range(values["dimensions"]))
        return Question(f"{about}: which dimension is busy longest by the baseline?", choices=(*dims, ALIKE))

    def answer(self, values: Values) -> Answer:
        """See Instrument."""
        baseline, themis, *_ = runs(values)
        if self._asks_for_gain(values):
            why = f"{words(baseline)} by the baseline, {words(themis)} with Themis."
            return Answer(round(gain(themis, baseline), 1), why, near=1.25)
        busy = [format_ns(round(baseline.busy_ns(d))) for d in range(values["dimensions"])]
        return Answer(busiest(baseline, len(busy)), f"Busy from dimension 0 on: {', '.join(busy)}.")

    def _asks_for_gain(self, values: Values) -> bool:
        places = [setting.values.index(values[setting.name]) for setting in self.settings]
        if sum(places) % 2:
            return False
        baseline, themis, *_ = runs(values)
        return gain(themis, baseline) >= 0
