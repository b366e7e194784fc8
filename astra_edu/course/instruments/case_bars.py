"""The bars of the case studies: times by the baseline and by Themis, and the bandwidth that each collective has."""

from __future__ import annotations

from collections.abc import Sequence

from astra_edu.course.instruments.case_job import BASELINE, THEMIS, Time, called, dimensions, group, rates, time
from astra_edu.course.instruments.scene import Bar, Bars, Part
from astra_edu.course.studies.case_studies import SYSTEMS


def words(ns: float) -> str:
    """A time in ms."""
    return f"{ns / 1e6:,.3f} ms"


def time_bars(systems: Sequence[str], name: str) -> Bars:
    """How long it takes on each platform, by the baseline and by Themis."""
    bars = tuple(
        _bar(f"{system}{', Themis' if scheduler == THEMIS else ''}", time(system, name, scheduler))
        for system in dict.fromkeys(systems)
        for scheduler in (BASELINE, THEMIS)
    )
    return Bars(f"{called(name)}: compute, and communication that isn’t hidden", bars, "ms")


def _bar(label: str, run: Time) -> Bar:
    parts = (("compute", run.compute_ns), ("exposed communication", run.exposed_ns))
    return Bar(label, tuple(Part(look, ns / 1e6) for look, ns in parts if ns > 0), words(run.total_ns))


def rate_bars(systems: Sequence[str], name: str) -> Bars:
    """What an NPU can send in all, and what of it a tensor group's and the copies' collectives have."""
    bars = []
    for system in dict.fromkeys(systems):
        inner, outer = dimensions(system, name)
        of = [("link", "in all", SYSTEMS[system].bandwidth)]
        of += [("tensor group", "tensor", rates(system, inner))] if group(name) > 1 else []
        of += [("data group", "copies" if group(name) > 1 else "all NPUs", rates(system, outer))]
        bars += [Bar(f"{system}: {what}", (Part(look, rate),), f"{rate:g} GB/s") for look, what, rate in of]
    return Bars("What an NPU can send: in all, and for each kind of collective", tuple(bars), "GB/s of 2³⁰ bytes/s")
