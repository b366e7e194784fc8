"""A run of PyTorch as an execution trace: its operators with their times, and its collectives with their sizes.

What is kept: the operators that a program or autograd calls (not those that they call in turn; their time is counted),
and the collectives. An operator comes after the one before it in its thread, and after those that wrote its data; a
collective comes after what the thread did before and what wrote its data, and only what uses its data waits for it. So
what was asynchronous in PyTorch overlaps here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from os import PathLike

from astra_edu.base.errors import ConfigError, list_of, whole
from astra_edu.base.files import FileName
from astra_edu.traces.builder import Builder
from astra_edu.traces.operation import Operation
from astra_edu.traces.pytorch_collectives import RecordedCommunication, sent_by
from astra_edu.traces.pytorch_files import RecordedOperator, Recording, read_recording
from astra_edu.traces.rounding import Rounding
from astra_edu.traces.trace import Trace

_MOST_REDUCED = 10_000


def from_pytorch(
    host: FileName | Sequence[FileName],
    kineto: FileName | Sequence[FileName],
    npus: int | None = None,
    rounding: str = "carry",
) -> Trace:
    """The trace of a run whose processes wrote these files: the first process is NPU 0.

    host: the files of PyTorch's ExecutionTraceObserver; kineto: those of its profiler, of the same run; record_pytorch
    writes both. One for each process, or a single one. npus: for how many NPUs a single process stands.

    Times: of the kernels, where the run was on an accelerator, else of the calls; the time between operators isn't
    counted. rounding: how they become whole µs, as in from_workload; operators that become 0 µs are left out, and
    what depends on them depends on what they depend on. A barrier becomes an all-reduce of 1 byte.

    Raises ConfigError for files that can't be read or aren't of the same run, and for collectives that ASTRA-sim 2.x
    doesn't have or whose process group isn't recorded.

    >>> recorded = "exercises/inputs/pytorch/mlp"
    >>> host = [f"{recorded}.{npu}.host.json" for npu in range(2)]
    >>> kineto = [f"{recorded}.{npu}.kineto.json" for npu in range(2)]
    >>> ae.traces.from_pytorch(host, kineto)
    <trace of 2 NPUs, 65 to 66 nodes each>
    """
    hosts, timings = _files(host), _files(kineto)
    if len(hosts) != len(timings):
        raise ConfigError(f"there are {len(hosts)} host files and {len(timings)} of Kineto; each process has both.")
    if npus is not None and len(hosts) > 1:
        raise ConfigError(f"npus={npus} is for a single process, but there are files of {len(hosts)}.")
    trace = Builder(len(hosts) if npus is None else whole("npus", npus, at_least=1))
    for rank, files in enumerate(zip(hosts, timings, strict=True)):
        recording = read_recording(*files)
        calls = _reduced(_calls(recording, trace.npus, Rounding(rounding)))
        _add(trace, calls, range(trace.npus) if npus is not None else range(rank, rank + 1))
    return trace.build()


def _files(given: FileName | Sequence[FileName]) -> Sequence[FileName]:
    files = [given] if isinstance(given, (str, PathLike)) else list_of("files", given, "give those of each process")
    if not files:
        raise ConfigError("there are no files; give those of each process.")
    return files


@dataclass(eq=False)
class _Call:
    """An operator or a collective (sent) that is kept. micros: its time. after: what it waits for."""

    name: str
    micros: int
    sent: RecordedCommunication | None
    after: list[_Call] = field(default_factory=list)

    @property
    def kept(self) -> bool:
        return self.micros > 0 or self.sent is not None


def _calls(recording: Recording, npus: int, rounding: Rounding) -> list[_Call]:
    """The calls in their order, each with what it directly comes after."""
    calls: list[_Call] = []
    writer: dict[int, _Call] = {}
    before: dict[int, _Call] = {}
    for operator, sent, micros_of in _outermost(recording, npus):
        is_timed = sent is None or sent.kind == "broadcast"
        call = _Call(operator.name, rounding.micros(1000 * micros_of) if is_timed else 0, sent)
        written = {tensor.storage for tensor in (*operator.outputs, *(operator.inputs if sent else ()))}
        used = {tensor.storage for tensor in operator.inputs} | written
        previous = [before[operator.thread]] if operator.thread in before else []
        call.after = list(dict.fromkeys(previous + [writer[one] for one in sorted(used) if one in writer]))
        writer |= dict.fromkeys(written, call)
        if sent is None or sent.barrier:
            before[operator.thread] = call
        calls.append(call)
    return calls


def _outermost(recording: Recording, npus: int) -> list[tuple[RecordedOperator, RecordedCommunication | None, float]]:
    """The outermost operators and the collectives, each with its time in µs."""
    inside: dict[int, list[RecordedOperator]] = {}
    for operator in recording.operators:
        if operator.parent != operator.id:
            inside.setdefault(operator.parent, []).append(operator)
    sends = {one.id: sent_by(one, inside.get(one.id, ()), recording, npus) for one in recording.operators}
    times: dict[int, float] = {}
    communicates: set[int] = set()
    for operator in reversed(recording.operators):  # what is inside another has the larger number
        of_parts = sum(times[part.id] for part in inside.get(operator.id, ()))
        times[operator.id] = recording.kernels_us.get(operator.function, 0) + of_parts
        if sends[operator.id] or operator.id in communicates:
            communicates.add(operator.parent)
    if not recording.kernels_us:
        times = {operator.id: recording.own_us.get(operator.function, 0.0) for operator in recording.operators}
    found: list[tuple[RecordedOperator, RecordedCommunication | None, float]] = []
    closed: set[int] = set()
    for operator in recording.operators:
        if operator.parent in closed:
            closed.add(operator.id)
        elif sends[operator.id] or (operator.real and operator.id not in communicates):
            found.append((operator, sends[operator.id], times[operator.id]))
            closed.add(operator.id)
    return found


def _reduced(calls: list[_Call]) -> list[_Call]:
    """Without the calls that take no time, and without waiting for what another one waits for anyway."""
    stands_for: dict[_Call, list[_Call]] = {}
    for call in calls:
        call.after = list(dict.fromkeys(real for one in call.after for real in stands_for[one]))
        stands_for[call] = [call] if call.kept else call.after
    kept = [call for call in calls if call.kept]
    if len(kept) > _MOST_REDUCED:
        return kept
    own = {call: 1 << place for place, call in enumerate(kept)}
    ancestors: dict[_Call, int] = {}
    for call in kept:
        above = 0
        for one in call.after:
            above |= ancestors[one]
        call.after = [one for one in call.after if not own[one] & above]
        ancestors[call] = above
        for one in call.after:
            ancestors[call] |= own[one]
    return kept


def _add(trace: Builder, calls: Sequence[_Call], npus: range) -> None:
    done: dict[_Call, Operation] = {}
    for call in calls:
        after = [done[one] for one in call.after]
        if call.sent is None:
            done[call] = trace.compute(call.name, call.micros, after=after, on=npus)
        else:
            done[call] = call.sent.add(trace, call.name, call.micros, after, npus)
