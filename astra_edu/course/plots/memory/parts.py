"""Figure: where an iteration's time goes on a memory system."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from matplotlib.figure import Figure

from astra_edu.course.plots.figure import Picture, TimeUnit, text_table, time_axis, time_unit
from astra_edu.course.plots.memory.looks import LOOKS
from astra_edu.course.plots.stacked import by_name, stacked
from astra_edu.course.studies.memory_systems import TrainingTime


@dataclass(frozen=True)
class _Iterations:
    """What is shown: iterations by their names."""

    times: Mapping[str, TrainingTime]
    unit: TimeUnit

    @property
    def first(self) -> TrainingTime:
        """The one that all are compared with."""
        return next(iter(self.times.values()))

    def faster(self, time: TrainingTime) -> float:
        """How many times as fast as the first one."""
        return self.first.total_ns / time.total_ns

    @property
    def notes(self) -> list[str]:
        """What stands behind each bar."""
        first, *others = (self.unit.named(time.total_ns) for time in self.times.values())
        faster = [self.faster(time) for time in self.times.values()]
        return [first, *(f"{took}, {f:.2f} times as fast" for took, f in zip(others, faster[1:], strict=True))]


def training_parts(times: Mapping[str, TrainingTime]) -> Picture:
    """Draw a bar for each iteration: compute, and what is exposed of remote memory and fabrics.

    times: by names, the first on top; speed-ups are those over the first. Raises ConfigError if there is none.

    >>> from astra_edu.studies.memory_systems import case_study_3
    >>> print(ae.plots.training_parts(case_study_3()).table)
    ms                  compute  remote memory  out-node fabric  in-node fabric      total  times as fast
    ZeRO-Infinity       201.582      1,454.498            0.000          21.168  1,677.248           1.00
    HierMem, baseline   201.582      1,460.139            0.000          45.004  1,706.725           0.98
    HierMem, optimised  201.582        257.382            0.000          10.529    469.494           3.57
    """
    times = by_name(times, TrainingTime, '{"ZeRO-Infinity": zero_infinity(model, gpu, memory)}')
    shown = _Iterations(times, time_unit(max(time.total_ns for time in times.values())))
    return Picture(_drawn(shown), _alt(shown), _table(shown))


def _drawn(shown: _Iterations) -> Figure:
    every, unit = shown.times.values(), shown.unit
    kinds = [(look, [time.split[name] / unit.ns for time in every]) for name, look in LOOKS.items()]
    figure, axes = stacked(list(shown.times), kinds, shown.notes)
    axes.set_xlim(0, 1.4 * shown.first.total_ns / unit.ns if len(every) == 1 else axes.get_xlim()[1] * 1.05)
    time_axis(axes, unit, " of one iteration: all but compute is exposed")
    return figure


def _alt(shown: _Iterations) -> str:
    sentences = [
        f"{name}: {note}, of which {', '.join(f'{part} {shown.unit.named(time.split[part])}' for part in LOOKS)}."
        for (name, time), note in zip(shown.times.items(), shown.notes, strict=True)
    ]
    return f"A bar for each system, compute first and then what is exposed. {' '.join(sentences)}"


def _table(shown: _Iterations) -> str:
    rows: list[list[object]] = []
    for name, time in shown.times.items():
        parts = [shown.unit.text(ns) for ns in (*(time.split[part] for part in LOOKS), time.total_ns)]
        rows.append([name, *parts, f"{shown.faster(time):.2f}"])
    return text_table([shown.unit.name, *LOOKS, "total", "times as fast"], rows)
