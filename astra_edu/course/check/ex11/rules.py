"""What exercise 11 looks at in a trace: which nodes an NPU has, and what each of them waits for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from astra_edu.base.units import format_bytes
from astra_edu.course.check.asked import Answer, Case, call, hint, shown
from astra_edu.course.check.verdict import NoAnswerError, Verdict
from astra_edu.traces import CommType, Node, NodeType, Trace
from astra_edu.traces.builder import Builder

Fault = Callable[..., str | None]
"""fault(trace, **case): what is wrong with the trace that an answer gives for a case; None for nothing."""


def judge_traces(answer: Answer, fault: Fault, cases: Iterable[Case], praise: str) -> Verdict:
    """Right if no case has a fault; else what is wrong with the first one that has."""
    for case in cases:
        try:
            wrong = fault(_trace(answer, case), **case)
        except NoAnswerError as problem:
            return problem.verdict
        if wrong:
            return Verdict(False, f"{wrong} (Tried with {_shown(case)}.)")
    return Verdict(True, praise)


def _trace(answer: Answer, case: Case) -> Trace:
    """What the answer builds. Raises NoAnswerError where that is no trace for as many NPUs as there should be."""
    given = call(answer, case)
    if isinstance(given, Builder):
        raise NoAnswerError(False, "Your function returns the builder; it should return its trace, trace.build().")
    if not isinstance(given, Trace):
        called = " Call build, with ()." if callable(given) else ""
        raise NoAnswerError(
            False, f"Your function returns {shown(given)}; it should return trace.build().{called or hint(given)}"
        )
    return given


def npus_differ(trace: Trace, npus: int) -> str | None:
    """What is wrong where the number of NPUs isn't right, or not all of them do the same."""
    if trace.npus != npus:
        return f"Your trace is for {trace.npus} NPUs, and there are {npus}."
    if trace.alike:
        return None
    if any(node.group for nodes in trace.nodes for node in nodes):
        return "An all-reduce has a `group` here; these gradients are summed up among all NPUs."
    counts = [len(nodes) for nodes in trace.nodes]
    few = counts.index(min(counts))
    if min(counts) < max(counts):
        return f"All NPUs do the same here, but NPU {few} has {min(counts)} nodes, and others have {max(counts)}."
    return "All NPUs do the same here; in your trace they differ."


class Graph:
    """The nodes of one NPU."""

    def __init__(self, trace: Trace, npu: int) -> None:
        """Find out what each node waits for, directly or not."""
        self.npu = npu
        self.nodes = trace.nodes[npu]
        by_id = {node.id: node for node in self.nodes}
        self._above: dict[int, frozenset[int]] = {}
        for first in self.nodes:
            stack = [first.id]
            while stack:
                parents = {*by_id[stack[-1]].data_deps, *by_id[stack[-1]].ctrl_deps}
                missing = [parent for parent in parents if parent not in self._above]
                if missing:
                    stack += missing
                else:
                    known = (self._above[parent] for parent in parents)
                    self._above[stack.pop()] = frozenset(parents).union(*known)

    def waits(self, node: Node, other: Node) -> bool:
        """Whether `node` waits for `other`, directly or not."""
        return other.id in self._above[node.id]

    def computations(self, times: Sequence[int]) -> list[Node] | str:
        """The node that computes for each of these times (µs), or what is wrong if there isn't one each."""
        found = [node for node in self.nodes if node.type is NodeType.COMP_NODE]
        by_time = {node.duration_micros: node for node in found}
        missing = [time for time in times if time not in by_time]
        if missing:
            return f"NPU {self.npu} has no computation of {missing[0]} µs."
        if len(found) != len(times):
            return f"NPU {self.npu} has {len(found)} computations, and there should be {len(times)}."
        return [by_time[time] for time in times]

    def collectives(self, kind: CommType = CommType.ALL_REDUCE) -> list[Node]:
        """Its collectives of a kind, by their numbers."""
        found = [node for node in self.nodes if node.type is NodeType.COMM_COLL_NODE and node.comm_type is kind]
        return sorted(found, key=lambda node: node.id)

    def other(self) -> str | None:
        """What is wrong if it has nodes that are neither computations nor all-reduces."""
        for node in self.nodes:
            if node.type is NodeType.COMP_NODE and on_the_host(node):
                return on_the_host(node)
            if "involved_dim" in node.attributes:
                return f"{node.name} is told its dimensions (involved_dim); leave that out, and it runs over all."
            if node.type is NodeType.COMM_COLL_NODE and node.comm_type is not CommType.ALL_REDUCE:
                name = node.comm_type.name.lower().replace("_", "-")
                return f"{node.name} is no all-reduce, but of the kind {name}: does everybody get the whole sum?"
            if node.type not in (NodeType.COMM_COLL_NODE, NodeType.COMP_NODE):
                return f"{node.name} is neither a computation nor an all-reduce; none else is needed here."
        return None

    def of_sizes(self, sizes: Sequence[int]) -> list[Node] | str:
        """The all-reduce of each of these sizes, or what is wrong if there isn't one each."""
        found = self.collectives()
        by_size = {node.number("comm_size"): node for node in found}
        missing = [size for size in sizes if size not in by_size]
        if missing:
            have = ", ".join(format_bytes(size) for size in by_size) or "none"
            return (
                f"NPU {self.npu} has no all-reduce of {format_bytes(missing[0])} ({missing[0]:,} bytes), but: {have}."
            )
        if len(found) != len(sizes):
            return f"NPU {self.npu} has {len(found)} all-reduces, and there should be {len(sizes)}."
        return [by_size[size] for size in sizes]


def on_the_host(node: Node) -> str | None:
    """What is wrong with a computation that the NPU's host does."""
    if not node.is_cpu_op:
        return None
    return f"{node.name} runs on the CPU (trace.cpu), which takes no time of the NPU; trace.compute is the NPU's."


def _shown(case: Mapping[str, Any]) -> str:
    return ", ".join(f"{key} = {value}" for key, value in case.items())
