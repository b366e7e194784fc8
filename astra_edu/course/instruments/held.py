"""Held against measurements: what NCCL was measured to take on real machines, and what the simulator says."""

from __future__ import annotations

from statistics import fmean
from typing import Any, ClassVar

from astra_edu.base.units import MIB
from astra_edu.course.instruments.held_job import (
    AS_FILE,
    BANDWIDTHS,
    COPIED,
    FITTED,
    LARGEST,
    LATENCIES,
    SYSTEMS,
    UNITS,
    Point,
    code,
    points,
    read,
    told,
)
from astra_edu.course.instruments.held_stage import error_stage, signed, time_curves
from astra_edu.course.instruments.instrument import Instrument
from astra_edu.course.instruments.question import Answer, Drawing, Question
from astra_edu.course.instruments.scene import Scene
from astra_edu.course.instruments.setting import Setting, Values
from astra_edu.measured import sweep

SMALLEST, BETWEEN, AT_LARGEST, ALIKE = "the smallest", "one in between", "the largest", "all alike, within 2 points"
ALIKE_POINTS = 2
SWITCHES_FROM = 10
"""By so many points the error in between is larger than at both ends where the library is said to switch."""
TOLD = "What the simulator is told"
NEAR = 1.03


def _system(name: Any) -> str:
    return SYSTEMS[name].called


def _has_levels(values: Values) -> bool:
    return len(SYSTEMS[values["system"]].dims) > 1


class HeldAgainst(Instrument):
    """Measured all-reduces of NCCL beside simulated rings: by how much the simulator is off, size by size.

    The measurements are published ones (astra_edu.measured), each with its source. The simulator is ASTRA-sim 2.x's
    congestion-unaware network; what it is told of a machine can be moved: the links' bandwidth, or what was measured,
    and in which unit it is read.

    >>> held = ae.HeldAgainst("system=hgx-h100-8 bandwidth=fitted latency=fitted unit=converted")
    >>> held.dismiss()
    >>> print(held.summary().splitlines()[1])
    off by 1.5 % in the mean, by 4.8 % at most
    """

    settings: ClassVar[tuple[Setting, ...]] = (
        Setting("system", "measured on", tuple(SYSTEMS), words=_system, menu=True),
        Setting("bandwidth", "bandwidth", tuple(BANDWIDTHS), words=BANDWIDTHS.__getitem__, menu=True, group=TOLD),
        Setting("unit", "10⁹ into 2³⁰ bytes/s", tuple(UNITS), words=UNITS.__getitem__, menu=True, group=TOLD),
        Setting("latency", "latency", tuple(LATENCIES), words=LATENCIES.__getitem__, menu=True, group=TOLD),
        Setting("chunks", "chunks", (1, 16), menu=True, group=TOLD, applies=_has_levels),
    )
    start: ClassVar[Values] = {
        **{"system": "hgx-h100-8", "bandwidth": LARGEST, "unit": COPIED, "latency": AS_FILE, "chunks": 1},
    }

    def check(self, values: Values) -> None:
        """Everything can be set."""

    def scene(self, values: Values) -> Scene:
        """See Instrument."""
        known, found = sweep(values["system"]), points(values)
        off = [abs(point.percent) for point in found]
        mean, worst = fmean(off), max(off)
        shown = {point.size for point in found}
        published = [(size, us) for size, us in known.simulated.items() if size in shown]
        title = f"{known.title}, beside {'rings' if _has_levels(values) else 'a ring'} in the simulator"
        return Scene(
            title=title,
            headline=f"off by {mean:.1f} % in the mean, by {worst:.1f} % at most",
            sentences=self._sentences(values),
            numbers={
                "mean error": (mean, f"{mean:.1f} %"),
                "worst error": (worst, f"{worst:.1f} %"),
            },
            stage=error_stage(title, found),
            curves=(time_curves(found, published),),
            code=code(values),
        )

    def _sentences(self, values: Values) -> tuple[str, ...]:
        known, (rates, latency) = sweep(values["system"]), told(values)
        given = " and ".join(f"{rate:.4g}" for rate in rates)
        meant = " and ".join(f"{rate:.4g}" for rate in read(values))
        levels = " inside a machine and between machines" if _has_levels(values) else ""
        return (
            f"Told: {given} × 10⁹ bytes/s{levels}, written as {meant}, which the simulator reads in 2³⁰ bytes/s; "
            f"{latency / 1000:.2f} µs a link, and a message crosses two.",
            f"Measured, source: {known.source}. {known.note}.",
        )

    def question(self, values: Values) -> Question:
        """How the error goes over the sizes, or where it is largest: in turn."""
        called, found = SYSTEMS[values["system"]].called, points(values)
        unit = "copied into" if values["unit"] == COPIED else "converted for"
        half = " of the sizes" * (FITTED in (values["bandwidth"], values["latency"]))
        given = (
            f"The simulator is told a bandwidth ({BANDWIDTHS[values['bandwidth']]}; in 10⁹ bytes/s, {unit} a file that "
            f"means 2³⁰) and a latency ({LATENCIES[values['latency']]}{half})"
        )
        if _has_levels(values):
            given += f", and to cut into {values['chunks']} chunk{'s' * (values['chunks'] > 1)}"
        if self._asks_where(values):
            return Question(
                f"All-reduces on {called}. {given}. At which size is its error largest, in percent?",
                choices=(SMALLEST, BETWEEN, AT_LARGEST, ALIKE),
            )
        sizes = tuple(point.size / MIB for point in found)
        return Question(
            f"All-reduces on {called}. {given}. Draw the simulated time in % of the measured one (100: just right).",
            drawing=Drawing("size (MiB)", sizes, "simulated (% of measured)", 0, 200),
        )

    def answer(self, values: Values) -> Answer:
        """See Instrument."""
        found = points(values)
        first, last = found[0], found[-1]
        why = (
            f"It is off by {signed(first.percent)} at {first.called} and by {signed(last.percent)} at {last.called}. "
            f"{_meaning(found, values)}"
        )
        if self._asks_where(values):
            return Answer(_where(found), why)
        return Answer(tuple(100 + point.percent for point in found), why, near=NEAR)

    def _asks_where(self, values: Values) -> bool:
        """In every second setting, not at the start."""
        places = [s.values.index(values[s.name]) - s.values.index(self.start[s.name]) for s in self.settings]
        return sum(places) % 2 == 1


def _where(found: tuple[Point, ...]) -> str:
    percents = [point.percent for point in found]
    if max(percents) - min(percents) <= ALIKE_POINTS:
        return ALIKE
    worst = max(range(len(found)), key=lambda i: abs(percents[i]))
    return SMALLEST if worst == 0 else AT_LARGEST if worst == len(found) - 1 else BETWEEN


def _meaning(found: tuple[Point, ...], values: Values) -> str:
    """What the error at the largest size, where bytes decide, at the smallest one and in between tells."""
    large, small = found[-1].percent, found[0].percent
    if _has_levels(values) and values["chunks"] > 1:
        return "With several chunks the simulator overlaps the phases inside and between machines; the library didn’t."
    worst = max(abs(point.percent) for point in found)
    if worst > max(abs(large), abs(small)) + SWITCHES_FROM:
        return (
            "Between them it is further off: the library changes its protocol or algorithm, which no one ring follows."
        )
    wrong = "too low" if large > 0 else "too high"
    at_large = "the bandwidth is right" if abs(large) < ALIKE_POINTS else f"the bandwidth is {wrong}"
    more = small - large
    at_small = "is as far off" if abs(more) <= ALIKE_POINTS else "lacks latency" if more < 0 else "has too much latency"
    return f"Large sizes tell of the bytes: {at_large}. Small ones tell of the latency: there it {at_small}."
