"""The case studies: platforms of 512 NPUs drawn to scale, two beside each other, with Themis and without."""

from __future__ import annotations

from typing import Any, ClassVar

from astra_edu.course.instruments.case_bars import rate_bars, time_bars, words
from astra_edu.course.instruments.case_job import (
    ALL_REDUCE,
    BASELINE,
    NEAR,
    THEMIS,
    called,
    code,
    dimensions,
    gain,
    group,
    rates,
    time,
)
from astra_edu.course.instruments.case_stage import platform_stage
from astra_edu.course.instruments.instrument import Instrument
from astra_edu.course.instruments.question import Answer, Question
from astra_edu.course.instruments.scene import Scene
from astra_edu.course.instruments.setting import Setting, Values
from astra_edu.course.studies.case_studies import SYSTEMS

JOB_NAMES = ("gpt3", "transformer-1t", "gpt2", "dlrm", ALL_REDUCE)
ALIKE = f"alike, within {NEAR} %"
NOWHERE = "nowhere by 1 % or more"
_JOBS = {"gpt3": "GPT-3", "transformer-1t": "Transformer-1T", "gpt2": "GPT-2", "dlrm": "DLRM", ALL_REDUCE: ALL_REDUCE}


def _job(value: Any) -> str:
    return _JOBS[value]


class CaseStudies(Instrument):
    """Two platforms of 512 NPUs side by side, conventional ones or wafers, and what they train.

    Shapes and bandwidths are recalled from ASTRA-sim 2.0's paper (ISPASS 2023), unverified; jobs are ours. Times are
    those of astra_edu.studies.case_studies; Themis is code of ASTRA-sim 2.x that no release switches on.

    >>> case = ae.CaseStudies("job=all-reduce other=W-2D")
    >>> case.text
    'one=W-1D-350 other=W-2D job=all-reduce themis=off'
    """

    settings: ClassVar[tuple[Setting, ...]] = (
        Setting("one", "left", tuple(SYSTEMS), menu=True),
        Setting("other", "right", tuple(SYSTEMS), menu=True),
        Setting("job", "what they do", JOB_NAMES, words=_job, menu=True),
        Setting("themis", "Themis", ("off", "on"), menu=True),
    )
    start: ClassVar[Values] = {"one": "W-1D-350", "other": "Conv-3D", "job": "gpt3", "themis": "off"}

    def check(self, values: Values) -> None:
        """Everything can be set."""

    def scene(self, values: Values) -> Scene:
        """See Instrument."""
        systems, name, scheduler = (values["one"], values["other"]), values["job"], _scheduler(values)
        one, other = (time(system, name, scheduler) for system in systems)
        title = f"{called(name)} on 512 NPUs: {systems[0]} and {systems[1]}, Themis {values['themis']}"
        return Scene(
            title=title,
            headline=f"{systems[0]} {words(one.total_ns)}, {systems[1]} {words(other.total_ns)}",
            sentences=self._sentences(values),
            numbers={
                "left": (one.total_ns, words(one.total_ns)),
                "right": (other.total_ns, words(other.total_ns)),
                "Themis, left": (gain(systems[0], name), f"{gain(systems[0], name):.1f} %"),
                "Themis, right": (gain(systems[1], name), f"{gain(systems[1], name):.1f} %"),
            },
            bars=(time_bars(systems, name), rate_bars(systems, name)),
            stage=platform_stage(title, systems, name),
            code=code(*systems, name, scheduler),
        )

    def _sentences(self, values: Values) -> tuple[str, ...]:
        name = values["job"]
        found = []
        for system in dict.fromkeys((values["one"], values["other"])):
            inner, outer = dimensions(system, name)
            has = f"{system}: an NPU can send {SYSTEMS[system].bandwidth:g} GB/s in all"
            if group(name) > 1:
                has += f", {rates(system, inner):g} within a tensor group, {rates(system, outer):g} between copies"
            short = gain(system, name)
            found.append(f"{has}. Themis makes it {abs(short):.1f} % {'shorter' if short >= 0 else 'longer'}.")
        found.append(
            "Shapes and bandwidths are recalled from the paper (ISPASS 2023), unverified; models, batches and the "
            "device are ours. No release of ASTRA-sim 2.x switches Themis on."
        )
        return tuple(found)

    def question(self, values: Values) -> Question:
        """Which of the two is faster, or where Themis helps most: in turn."""
        name = values["job"]
        if self._asks_for_themis(values):
            return Question(
                f"{called(name)}: on which of the six platforms does Themis shorten it most?",
                choices=(*SYSTEMS, NOWHERE),
            )
        one, other = values["one"], values["other"]
        each = f"{SYSTEMS[one].bandwidth:g} and {SYSTEMS[other].bandwidth:g} GB/s an NPU in all"
        places = {f"left, {one}, name": one, f"right, {other}, name": other}
        text = f"{called(name)}, Themis {values['themis']}; {each}. Which platform is faster?"
        return Question(text, choices=(one, other, ALIKE), places=places)

    def answer(self, values: Values) -> Answer:
        """See Instrument."""
        name = values["job"]
        if self._asks_for_themis(values):
            gains = {system: gain(system, name) for system in SYSTEMS}
            best = max(gains, key=lambda system: gains[system])
            why = ", ".join(f"{system} {share:.1f} %" for system, share in gains.items())
            return Answer(best if gains[best] >= 1 else NOWHERE, f"Shorter by: {why}.")
        times = {s: time(s, name, _scheduler(values)).total_ns for s in (values["one"], values["other"])}
        fast, slow = sorted(times.values())
        said = ", ".join(f"{system} {words(ns)}" for system, ns in times.items())
        best = min(times, key=lambda system: times[system])
        return Answer(best if 100 * (slow - fast) >= NEAR * slow else ALIKE, f"{said}.")

    def _asks_for_themis(self, values: Values) -> bool:
        """Where there is nothing to compare, and in every second setting, not at the start."""
        places = [s.values.index(values[s.name]) - s.values.index(self.start[s.name]) for s in self.settings]
        return values["one"] == values["other"] or sum(places) % 2 == 1


def _scheduler(values: Values) -> str:
    return THEMIS if values["themis"] == "on" else BASELINE
