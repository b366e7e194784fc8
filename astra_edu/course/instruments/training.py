"""One training iteration: what an NPU computes, what it sends meanwhile, and what it has to wait for."""

from __future__ import annotations

from typing import ClassVar

from astra_edu.base.units import format_ns, several
from astra_edu.course.instruments.instrument import Instrument
from astra_edu.course.instruments.question import Answer, Question
from astra_edu.course.instruments.scene import Scene
from astra_edu.course.instruments.setting import Setting, Values
from astra_edu.course.instruments.training_bars import layer_bars, longest, sentences, time_bars, why
from astra_edu.course.instruments.training_job import FIVE, GPT, OWN, VGG, code, run, workload
from astra_edu.course.instruments.training_lanes import training_lanes
from astra_edu.course.instruments.training_stage import layer_frame, training_stage

WORKLOADS = {FIVE: "five layers", VGG: "VGG-16", GPT: "GPT-3, 3 blocks"}
LOOP_WORDS = {
    OWN: "the workload’s own",
    "DATA": "data parallel",
    "DATA_REORDER": "data parallel, input gradient first",
    "MODEL": "model parallel",
    "HYBRID_DATA_MODEL": "hybrid: model inside, data between machines",
    "HYBRID_TRANSFORMER": "transformer",
    "HYBRID_TRANSFORMER_FWD_IN_BCKWD": "transformer that computes again",
}
ORDERS = {"FIFO": "FIFO: first issued", "LIFO": "LIFO: last issued"}
FASTER, ALIKE = {"FIFO": "FIFO finishes sooner", "LIFO": "LIFO finishes sooner"}, "the same, within 1 %"
LAYER, SHARE, ORDER = "layer", "share", "order"


class TrainingIteration(Instrument):
    """An NPU goes through its layers, forward and backward; its collectives queue for the dimensions of 16 DGX-2.

    Times are ae.simulate's, of VGG-16 and GPT-3 as the tutorials' files have them, on 256 NPUs: 16 in a DGX-2, 150 GB/s
    per NPU, and 16 machines, 6.25 GB/s (GB: 2**30 bytes). scheduling: which collective goes first where several wait,
    the last one issued (LIFO) or the first (FIFO). overlap: whether the NPU computes while collectives are on the way.

    >>> training = ae.TrainingIteration("scheduling=LIFO", iterations=1)
    >>> training.text
    'workload=five-layers loop=own scheduling=LIFO overlap=True bandwidth=1 splits=4 active=1 iterations=1'
    """

    settings: ClassVar[tuple[Setting, ...]] = (
        Setting("workload", "workload", tuple(WORKLOADS), words=lambda name: WORKLOADS[name], menu=True),
        Setting("loop", "training loop", tuple(list(LOOP_WORDS)[:-1]), words=lambda name: LOOP_WORDS[name], menu=True),
        Setting("scheduling", "who is next", ("FIFO", "LIFO"), words=lambda name: ORDERS[name], menu=True),
        Setting("overlap", "compute meanwhile", (True, False), words=lambda on: "yes" if on else "no", menu=True),
        Setting("bandwidth", "bandwidth", (0.5, 1, 2, 4, 8), words=lambda times: f"{times:g} × DGX-2’s"),
        Setting("splits", "chunks of a collective", (1, 2, 4, 8), stored=False),
        Setting("active", "chunks at once", (1, 2, 4), stored=False),
        Setting("iterations", "iterations", (1, 2)),
    )
    start: ClassVar[Values] = {
        **{"workload": FIVE, "loop": OWN, "scheduling": "FIFO", "overlap": True, "bandwidth": 1},
        **{"splits": 4, "active": 1, "iterations": 2},
    }

    def check(self, values: Values) -> None:
        """See Instrument."""
        workload(values)

    def scene(self, values: Values) -> Scene:
        """See Instrument."""
        done, about = run(values), _about(values)
        result, longest_for = done.result, longest(done)
        waited = f"; longest for {longest_for}" if longest_for else ""
        return Scene(
            title=about,
            headline=f"{format_ns(result.total_ns)}; the NPU waits for {done.share:.1f} % of it{waited}",
            sentences=sentences(done),
            numbers={
                "total": (result.total_ns, format_ns(result.total_ns)),
                "compute": (result.compute_ns, format_ns(result.compute_ns)),
                "exposed": (result.exposed_ns, format_ns(result.exposed_ns)),
            },
            bars=(time_bars(done), layer_bars(done)),
            stage=training_stage(about, done),
            lanes=(training_lanes(done),),
            code=code(values),
        )

    def question(self, values: Values) -> Question:
        """The layer that is waited for longest, the share that is exposed, or which order is sooner: in turn."""
        about, asked = _about(values), self._asked(values)
        if asked == LAYER:
            names = tuple(layer.name for layer in run(values).result.running)
            return Question(
                f"{about}: for which layer’s collectives does the NPU wait longest? Click the layer.",
                choices=names,
                places={layer_frame(name): name for name in names},
            )
        if asked == ORDER:
            return Question(
                f"{_about(values, order='')}: what finishes sooner, FIFO (the collective issued first is next) or LIFO "
                "(the one issued last is)?",
                choices=(*FASTER.values(), ALIKE),
            )
        return Question(f"{about}: for which share of the time does the NPU compute nothing, as it waits?", "%")

    def answer(self, values: Values) -> Answer:
        """See Instrument."""
        asked, done = self._asked(values), run(values)
        if asked == LAYER:
            return Answer(longest(done), why(done, longest(done)))
        if asked == ORDER:
            runs = {order: run(values | {"scheduling": order}).result.total_ns for order in FASTER}
            times = ", ".join(f"{order} {format_ns(total)}" for order, total in runs.items())
            first = min(runs, key=lambda order: runs[order])
            return Answer(ALIKE if max(runs.values()) <= 1.01 * min(runs.values()) else FASTER[first], f"{times}.")
        times = f"{format_ns(done.result.exposed_ns)} of {format_ns(done.result.total_ns)}"
        return Answer(round(done.share, 1), f"{times} are exposed communication.", near=1.15)

    def _asked(self, values: Values) -> str:
        places = sum(setting.values.index(values[setting.name]) for setting in self.settings)
        asked = (SHARE, ORDER, LAYER)[(places + START) % 3]
        if asked == LAYER and not longest(run(values)):
            return SHARE
        return asked


START = 2 - sum(s.values.index(TrainingIteration.start[s.name]) for s in TrainingIteration.settings)


def _about(values: Values, order: str | None = None) -> str:
    loop = LOOP_WORDS[workload(values).loop]
    overlap = "" if values["overlap"] else ", no compute meanwhile"
    order = f", {values['scheduling']}" if order is None else order
    chunks = several(values["splits"], "chunk")
    count = several(values["iterations"], "iteration")
    return f"{count} of {WORKLOADS[values['workload']]}, {loop}{order}, {chunks}{overlap}"
