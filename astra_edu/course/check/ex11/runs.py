"""What exercise 11 says about traces of messages and of process groups."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from astra_edu.base.errors import ConfigError
from astra_edu.base.units import format_bytes, several
from astra_edu.course.check.ex11.rules import Graph, on_the_host
from astra_edu.network import Block, Topology
from astra_edu.run.run_trace import run_trace
from astra_edu.run.trace_result import TraceResult
from astra_edu.system import TracePlatform, TraceSystem
from astra_edu.traces import NodeType, Trace
from astra_edu.traces.ran import Ran

SEND, RECEIVE, COMPUTE = NodeType.COMM_SEND_NODE, NodeType.COMM_RECV_NODE, NodeType.COMP_NODE


def relay(trace: Trace, stages: int, micro_batches: int, micros: int, bytes: int) -> str | None:
    """Of micro-batches that go through the stages of a pipeline, one stage an NPU."""
    if trace.npus != stages:
        return f"Your trace is for {trace.npus} NPUs; there is one for each of the {stages} stages."
    if wrong := next(filter(None, (_counts(trace, npu, micro_batches, micros, bytes) for npu in range(stages))), None):
        return wrong
    network = Block(Topology.FULLY_CONNECTED, stages, 1, 1000)
    try:
        run = run_trace(trace, TracePlatform((network,), TraceSystem.of("direct")))
    except ConfigError as error:
        return f"It never ends: {error}"
    return _flow(run, micro_batches) or _idle(run, micro_batches, 1000 * micros, network.message_ns(bytes, 1))


def _counts(trace: Trace, npu: int, micro_batches: int, micros: int, bytes: int) -> str | None:
    nodes = trace.nodes[npu]
    found = Counter(node.type for node in nodes)
    wanted = {
        COMPUTE: micro_batches,
        SEND: micro_batches if npu < trace.npus - 1 else 0,
        RECEIVE: micro_batches if npu else 0,
    }
    names = {COMPUTE: "computations", SEND: "sends", RECEIVE: "receives"}
    for kind, count in wanted.items():
        if found[kind] != count:
            return f"Stage {npu} has {found[kind]} {names[kind]}; {several(micro_batches, 'micro-batch')} take {count}."
    if other := next((node for node in nodes if node.type not in names), None):
        return f"{other.name} on stage {npu} is not needed: there are only computations, sends and receives."
    for node in nodes:
        if node.type is COMPUTE and (wrong := on_the_host(node)):
            return wrong
        if node.type is COMPUTE and node.duration_micros != micros:
            return f"{node.name} on stage {npu} computes for {node.duration_micros} µs, and it should take {micros} µs."
        if node.type is not COMPUTE and node.number("comm_size") != bytes:
            return (
                f"{node.name} on stage {npu} has {format_bytes(node.number('comm_size'))}, not {format_bytes(bytes)}."
            )
        if node.type is SEND and node.number("comm_dst") != npu + 1:
            return f"Stage {npu} sends to NPU {node.number('comm_dst')}; the next stage is {npu + 1}."
        if node.type is RECEIVE and node.number("comm_src") != npu - 1:
            return f"Stage {npu} receives from NPU {node.number('comm_src')}; the stage before it is {npu - 1}."
    return None


def _flow(run: TraceResult, micro_batches: int) -> str | None:
    """Whether anything is used before it is there, in the order of the micro-batches, or is there by chance only."""
    npus = range(run.trace.npus)
    too_early = (_too_early([one for one in run.ran if one.npu == npu], npu, micro_batches) for npu in npus)
    return next(filter(None, [*too_early, *(_by_chance(run.trace, npu) for npu in npus)]), None)


def _too_early(ones: Sequence[Ran], npu: int, micro_batches: int) -> str | None:
    computed = sorted((one for one in ones if one.node.type is COMPUTE), key=lambda one: one.start_ns)
    received = sorted(one.end_ns for one in ones if one.node.type is RECEIVE)
    sent = sorted(one.start_ns for one in ones if one.node.type is SEND)
    for k in range(micro_batches):
        if received and computed[k].start_ns < received[k]:
            return f"Stage {npu} computes micro-batch {k} before it has arrived."
        if sent and sent[k] < computed[k].end_ns:
            return f"Stage {npu} sends micro-batch {k} on before it has computed it."
    return None


def _by_chance(trace: Trace, npu: int) -> str | None:
    """A send that waits for no computation, or a computation, but on the first stage, that waits for no receive."""
    graph = Graph(trace, npu)
    waited_for = {SEND: (COMPUTE, "a computation")} | ({COMPUTE: (RECEIVE, "a receive")} if npu else {})
    for node in graph.nodes:
        before, what = waited_for.get(node.type, (None, ""))
        if before and not any(graph.waits(node, other) for other in graph.nodes if other.type is before):
            return f"{node.name} on stage {npu} doesn't wait for {what}; that it comes later is chance."
    return None


def _idle(run: TraceResult, micro_batches: int, compute_ns: int, message_ns: int) -> str | None:
    """Whether it takes longer than it has to."""
    shortest = shortest_ns(run.trace.npus, micro_batches, compute_ns, message_ns)
    if run.total_ns < shortest:
        return "It takes less time than that can: something is used before it is there."
    if run.total_ns == shortest:
        return None
    for npu in range(run.trace.npus):
        graph = Graph(run.trace, npu)
        for node in graph.nodes:
            later = [one for one in graph.nodes if one.type is SEND and node.type is COMPUTE and graph.waits(node, one)]
            if later:
                return (
                    f"It works, yet {node.name} on stage {npu} waits until {later[0].name} has arrived. It "
                    "could compute while that is on its way."
                )
    return (
        f"It works, yet it takes {run.total_ns / shortest - 1:.0%} longer than it has to. Draw it with trace_timeline: "
        "who waits for what it doesn't need?"
    )


def shortest_ns(stages: int, micro_batches: int, compute_ns: int, message_ns: int) -> int:
    """The time if every stage does everything as soon as it can, one computation and one send at a time."""
    slowest = max(compute_ns, message_ns) if stages > 1 else compute_ns
    return stages * compute_ns + (stages - 1) * message_ns + (micro_batches - 1) * slowest


def groups(
    trace: Trace, tensor: int, data: int, forward: int, backward: int, activations: int, gradients: int
) -> str | None:
    """Of a layer shared out among tensor × data NPUs."""
    if trace.npus != tensor * data:
        return f"Your trace is for {trace.npus} NPUs; tensor × data = {tensor * data}."
    for npu in range(trace.npus):
        if wrong := _of_npu(trace, npu, tensor, data, (forward, backward), (activations, gradients)):
            return wrong
    return None


def _of_npu(
    trace: Trace, npu: int, tensor: int, data: int, times: tuple[int, int], sizes: tuple[int, int]
) -> str | None:
    graph = Graph(trace, npu)
    if wrong := graph.other():
        return wrong
    computations, reduces = graph.computations(times), graph.of_sizes(sizes)
    if isinstance(computations, str) or isinstance(reduces, str):
        return next(wrong for wrong in (computations, reduces) if isinstance(wrong, str))
    first = npu // tensor * tensor
    right = (set(range(first, first + tensor)), set(range(npu % tensor, trace.npus, tensor)))
    names = ("activations", "gradients")
    given = [set(trace.groups[node.group]) if node.group else set(range(trace.npus)) for node in reduces]
    if given[0] == right[1] and given[1] == right[0]:
        return (
            "You have taken the groups, or the sizes, for each other: the activations are added up within a tensor "
            "group, the gradients among copies."
        )
    for name, node, members, wanted in zip(names, reduces, given, right, strict=True):
        if members == wanted:
            continue
        if not node.group:
            return f"The {name} of NPU {npu} are all-reduced among all NPUs; give `group`."
        return f"The {name} of NPU {npu} are all-reduced with NPUs {sorted(members)}. Which NPUs " + (
            "share a layer with it?" if name == "activations" else "have the same part of the layer as it has?"
        )
    (ahead, back), (summed, reduced) = computations, reduces
    rules = (
        (summed, ahead, "The activations are all-reduced before they are computed"),
        (back, summed, "The backward pass begins before the activations are added up"),
        (reduced, back, "The gradients are all-reduced before they are computed"),
    )
    early = next((words for node, before, words in rules if not graph.waits(node, before)), None)
    return early and f"{early}: forward is the computation of {times[0]} µs, backward that of {times[1]} µs."
