"""An iteration as a graph of computations and collectives, the same for all NPUs, from a workload's lines.

Unlike traces.from_workload, which writes down what a training loop does line by line: lines between two collectives
are one computation, weights' gradients are computed while those of activations are on their way, and they are exchanged
in buckets, one for each block (or part) of the model, as frameworks do.

An NPU has one collective in flight, and starts the one with the lowest number first. The buckets have the highest
numbers, so that none gets in front of what the next block waits for (one that has started isn't interrupted).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from astra_edu.base.errors import ConfigError
from astra_edu.traces import Trace
from astra_edu.traces.builder import Builder
from astra_edu.traces.operation import Operation
from astra_edu.traces.rounding import Rounding
from astra_edu.workload import Layer, Work, Workload
from astra_edu.workload.compute import Device
from astra_edu.workload.models import Model
from astra_edu.workload.strategies import Strategy, generate_workload

Before = tuple[Operation, ...]
"""What an operation waits for."""


@lru_cache(maxsize=64)
def iteration(model: Model, strategy: Strategy, device: str | Device, inner: int, dimensions: int) -> Trace:
    """One micro-batch, forward and backward, on each of strategy.npus NPUs.

    The first `inner` of the network's `dimensions` connect the NPUs of a tensor group, the others the copies of the
    model. Raises ConfigError for strategies that are neither data and tensor parallel nor exchange embeddings.
    """
    workload = generate_workload(model, strategy, device)
    graph = _Graph(strategy.npus, [d < inner for d in range(dimensions)])
    match workload.loop:
        case "HYBRID_DLRM":
            _recommendation(graph, workload)
        case "DATA" | "HYBRID_TRANSFORMER":
            _blocks(graph, workload.layers)
        case loop:
            raise ConfigError(f"{model.name} as {loop} has no graph here; use data and tensor parallelism.")
    return graph.build()


class _Bucket(NamedTuple):
    name: str
    size: int
    after: Before


class _Graph:
    """The operations so far, and the buckets of gradients that come after them. group: a tensor group's dimensions."""

    def __init__(self, npus: int, group: Sequence[bool]) -> None:
        self.trace, self.rounding = Builder(npus), Rounding("carry")
        self.group, self.copies = group, [not own for own in group]
        self.buckets: list[_Bucket] = []

    def compute(self, name: str, ns: int, after: Before) -> Before:
        return (self.trace.compute(name, self.rounding.micros(ns), after=after),) if ns else after

    def activations(self, name: str, work: Work, after: Before) -> Before:
        """The collective of a tensor group, if there is one; what comes next waits for it."""
        if not work.size or not any(self.group):
            return after
        return (self.trace.all_reduce(name, work.size, after=after, involved_dim=self.group),)

    def keep(self, bucket: str, size: int, after: Before) -> None:
        """Put gradients into the last bucket, if it is this one, or else into a new one."""
        if self.buckets and self.buckets[-1].name == bucket:
            size += self.buckets.pop().size
        self.buckets.append(_Bucket(bucket, size, after))

    def build(self) -> Trace:
        for name, size, after in self.buckets:
            if size and any(self.copies):
                self.trace.all_reduce(f"gradients of {name}", size, after=after, involved_dim=self.copies)
        return self.trace.build()


def _blocks(graph: _Graph, layers: Sequence[Layer]) -> None:
    """Forward and backward through a transformer, or any model of one line after the other."""
    before: Before = ()
    for part in _parts(layers, "forward"):
        last = part[-1]
        before = graph.compute(f"{last.name} forward", sum(line.forward.compute_ns for line in part), before)
        before = graph.activations(f"{last.name} activations", last.forward, before)
    for part in _parts(layers[::-1], "input_gradient"):
        last, weights = part[-1], sum(line.weight_gradient.compute_ns for line in part)
        here = graph.compute(
            f"{last.name} input gradient", sum(line.input_gradient.compute_ns for line in part), before
        )
        before = graph.activations(f"{last.name} activations' gradients", last.input_gradient, here)
        done = graph.compute(f"{last.name} weight gradient", weights, here)
        for line in part:
            graph.keep(line.name.partition("_")[0], line.weight_gradient.size, done)


def _recommendation(graph: _Graph, workload: Workload) -> None:
    """Embeddings are exchanged while the bottom layers compute, and so are their gradients; by all NPUs.

    The gradients of all top layers are one bucket, those of the bottom layers another.
    """
    tables, *others = workload.layers
    bottom = int(workload.options[0])  # so many lines don't need the embeddings
    before = graph.compute("tables forward", tables.forward.compute_ns, ())
    exchanged = graph.trace.all_to_all("embeddings", tables.forward.size, after=before)
    for number, line in enumerate(others):
        needed = (*before, exchanged) if number == bottom else before
        before = graph.compute(f"{line.name} forward", line.forward.compute_ns, needed)
    for number, line in reversed(list(enumerate(others))):
        done = graph.compute(f"{line.name} weight gradient", line.weight_gradient.compute_ns, before)
        before = graph.compute(f"{line.name} input gradient", line.input_gradient.compute_ns, before)
        graph.keep(line.name.rstrip("0123456789"), line.weight_gradient.size, done)
        if number == bottom:
            exchanged = graph.trace.all_to_all("embeddings' gradients", tables.input_gradient.size, after=before)
    graph.compute("tables weight gradient", tables.weight_gradient.compute_ns, (*before, exchanged))


def _parts(layers: Sequence[Layer], phase: str) -> Iterator[Sequence[Layer]]:
    """The lines in pieces, each up to one that communicates in this phase."""
    start = 0
    for end, layer in enumerate(layers, start=1):
        if getattr(layer, phase).collective or end == len(layers):
            yield layers[start:end]
            start = end
