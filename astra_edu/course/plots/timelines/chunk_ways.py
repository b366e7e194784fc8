"""Collectives of a run of either version, each with its chunks' ways through the dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, cast

from astra_edu.base.errors import ConfigError, whole
from astra_edu.base.run import Run
from astra_edu.course.plots.kinds_of_run import Instead, no_figure_of
from astra_edu.course.plots.timelines.lanes import lane_name
from astra_edu.pipeline import PipelineRun
from astra_edu.run.result import Result
from astra_edu.run.trace_result import TraceResult
from astra_edu.traces import COLLECTIVES, Node
from astra_edu.workload.npu import Task


class Way(NamedTuple):
    """A chunk in one phase: the how-manieth of its phases (step), on which dimension, what is done there, when."""

    chunk: int
    step: int
    dimension: int
    phase: str
    start_ns: float
    end_ns: float


class Asked(NamedTuple):
    """A collective: what it is, of how many bytes, whose, since when, and its chunks in the order in which they ended.

    whose: in words, "weight gradient of layer fc1"; layer, work: what it can be asked for by.
    """

    collective: str
    size: int
    whose: str
    layer: str
    work: str
    begin_ns: float
    ways: list[Way]

    @property
    def end_ns(self) -> float:
        """When its last chunk has ended."""
        return max(way.end_ns for way in self.ways)


def collectives(run: Run, npu: int = 0) -> list[Asked]:
    """Those of an NPU by the time of their call. Raises ConfigError where chunks were not recorded."""
    if isinstance(run, Result):
        found = _of_layers(run)
    elif isinstance(run, TraceResult) and run.stays:
        found = _of_trace(run, npu)
    else:
        raise no_figure_of(run, "chunks", "the chunks of a collective", _INSTEAD)
    return sorted(found, key=lambda asked: asked.begin_ns)


_INSTEAD: Instead = {
    TraceResult: (
        "this run has no record of them: use ae.simulate(trace, platform, record=True), or draw its collectives as a "
        "whole with ae.plots.trace_timeline"
    ),
    PipelineRun: "a pipeline has no collectives: ae.plots.stages draws when its passes run",
}


def _of_layers(result: Result) -> Sequence[Asked]:
    found: dict[int, Asked] = {}
    for stay in result.stays:
        task = cast(Task, stay.issued.what)
        whose = f"{task.kind} of layer {task.layer}"
        begin = stay.issued.created_ns
        new = Asked(str(task.work.collective), task.work.size, whose, task.layer, task.kind, begin, [])
        way = Way(stay.chunk, stay.step, stay.phase.dimension, stay.phase.collective.value, stay.start_ns, stay.end_ns)
        found.setdefault(id(stay.issued), new).ways.append(way)
    return list(found.values())


def _of_trace(result: TraceResult, npu: int) -> Sequence[Asked]:
    npu = 0 if result.one_for_all else whole("npu", npu, at_least=0)
    begins = {ran.node.id: ran.start_ns for ran in result.ran if ran.npu == npu}
    found: dict[int, Asked] = {}
    for stay in result.stays:
        node = cast(Node, stay.what)
        if stay.npu != npu:
            continue
        collective = COLLECTIVES[node.comm_type].value
        whose = f"node {node.name or node.id}" + ("" if result.one_for_all else f" of NPU {npu}")
        new = Asked(collective, node.number("comm_size"), whose, node.name, collective, begins[node.id], [])
        way = Way(stay.chunk, stay.step, stay.phase.dimension, stay.phase.collective.value, stay.start_ns, stay.end_ns)
        found.setdefault(node.id, new).ways.append(way)
    return list(found.values())


def choose(found: Sequence[Asked], layer: str | None, work: str | None, which: int) -> Asked:
    """The largest collective that fits, the how-manieth of several of that size. Raises ConfigError for none."""
    fitting = [asked for asked in found if layer in (None, asked.layer) and work in (None, asked.work)]
    largest = [asked for asked in fitting if asked.size == max(each.size for each in fitting)]
    if not largest:
        names = dict.fromkeys(f"{asked.work} of {asked.layer}" for asked in found)
        raise ConfigError(
            f"this run has no collective with layer {layer!r} and work {work!r}; it has {', '.join(names) or 'none'}."
        )
    if whole("which", which, at_least=0) >= len(largest):
        raise ConfigError(f"which is {which}; the run has {len(largest)} such collectives, counted from 0.")
    return largest[which]


def dimension_names(run: Run) -> list[str]:
    """What each dimension's lane is called, with what it connects in a second line."""
    if isinstance(run, Result):
        return [lane_name(run, d) for d in range(len(run.logical))]
    assert isinstance(run, TraceResult)
    names = [f"dimension {d}" for d in range(len(run.platform.dims))]
    lanes = {stay.phase.dimension: stay.phase.logical for stay in run.stays}
    for d, block in enumerate(run.platform.blocks):
        lane = lanes.get(d)
        whole_dimension = lane is None or (lane.npus == block.npus and lane.stride)
        names[d] += f"\n{block.topology} of {block.npus}" if whole_dimension else f"\n{lane and lane.npus} NPUs"
    return names
