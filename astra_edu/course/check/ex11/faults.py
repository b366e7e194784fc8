"""What can be wrong with the traces of exercise 11's questions, the commonest first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from astra_edu.base.units import format_bytes
from astra_edu.course.check.ex11.rules import Graph, npus_differ
from astra_edu.traces import Node, Trace

NOTHING_OVERLAPS = (
    "The order is right, but nothing overlaps: the backward pass of layer {} waits for the all-reduce of layer {}. It "
    "doesn't need that sum; who does?"
)


def step(
    trace: Trace, forward: Sequence[int], backward: Sequence[int], gradients: Sequence[int], npus: int
) -> str | None:
    """Of a data-parallel step, with an all-reduce for each layer."""
    if wrong := npus_differ(trace, npus):
        return wrong
    graph = Graph(trace, 0)
    if wrong := graph.other():
        return wrong
    computations = graph.computations([*forward, *backward])
    reduces = graph.of_sizes(gradients)
    if isinstance(computations, str) or isinstance(reduces, str):
        return next(wrong for wrong in (computations, reduces) if isinstance(wrong, str))
    layers = len(forward)
    ahead, back = computations[:layers], computations[layers:]
    return (
        _in_turn(graph, ahead, "forward pass", range(layers))
        or _in_turn(graph, back, "backward pass", range(layers - 1, -1, -1))
        or _after_the_forward_pass(graph, ahead, back)
        or _ready(graph, back, reduces)
        or _free(graph, ahead, back, reduces, [[layer] for layer in range(layers)])
    )


def buckets(trace: Trace, backward: Sequence[int], gradients: Sequence[int], bucket: int, npus: int) -> str | None:
    """Of a backward pass whose gradients are all-reduced in buckets."""
    if wrong := npus_differ(trace, npus):
        return wrong
    graph = Graph(trace, 0)
    if wrong := graph.other():
        return wrong
    back = graph.computations(backward)
    if isinstance(back, str):
        return back
    layers = range(len(backward) - 1, -1, -1)
    if wrong := _in_turn(graph, back, "backward pass", layers):
        return wrong
    filled = list(fill(gradients, bucket))
    sizes = [node.number("comm_size") for node in graph.collectives()]
    wanted = [sum(gradients[layer] for layer in layers) for layers in filled]
    if sorted(sizes) != sorted(wanted):
        return _other_buckets(sorted(sizes), gradients, bucket) or (
            f"The all-reduces have {_sizes(sorted(sizes))}. Fill a bucket in the order in which gradients come, and "
            "send it as soon as it has enough."
        )
    by_size = {node.number("comm_size"): node for node in graph.collectives()}
    reduces = [by_size[size] for size in wanted]
    for layers_of, reduce in zip(filled, reduces, strict=True):
        for layer in layers_of:
            if not graph.waits(reduce, back[layer]):
                return (
                    f"The all-reduce of {format_bytes(reduce.number('comm_size'))} starts before the gradients of "
                    f"layer {layer}, which are in it, are there."
                )
    return _free(graph, [], back, reduces, filled)


def fill(gradients: Sequence[int], bucket: int) -> Iterator[list[int]]:
    """The layers in each bucket, in the order in which their gradients come."""
    layers: list[int] = []
    for layer in range(len(gradients) - 1, -1, -1):
        layers.append(layer)
        if sum(gradients[one] for one in layers) >= bucket:
            yield layers
            layers = []
    if layers:
        yield layers


def _other_buckets(sizes: list[int], gradients: Sequence[int], bucket: int) -> str | None:
    """The sentence for who has filled the buckets in another way that comes to mind."""
    count = len(gradients)

    def of(filled: Sequence[Sequence[int]]) -> list[int]:
        return sorted(sum(gradients[layer] for layer in layers) for layers in filled)

    right = list(fill(gradients, bucket))
    turned = [[count - 1 - layer for layer in layers] for layers in fill(gradients[::-1], bucket)]
    before: list[list[int]] = [[]]
    for layer in range(count - 1, -1, -1):
        if before[-1] and sum(gradients[one] for one in (*before[-1], layer)) > bucket:
            before.append([])
        before[-1].append(layer)
    if sizes == of([[layer] for layer in range(count)]):
        return "That is an all-reduce for each layer; collect gradients until a bucket has enough."
    if sizes == [sum(gradients)]:
        return "That is one all-reduce for everything. It can't begin before the last gradient is there."
    if sizes == of(right[:-1]):
        return "The last gradients are never sent: at the end a bucket may have less than it should."
    if sizes == of(turned):
        return "You fill the buckets from layer 0 on. Whose gradients are there first?"
    if sizes == of(before):
        return "You send a bucket before it has enough. Here it is sent once it has at least `bucket` bytes."
    return None


def _in_turn(graph: Graph, nodes: Sequence[Node], what: str, order: range) -> str | None:
    """Whether the passes come in the order of these layers."""
    for layer, following in pairwise(order):
        if graph.waits(nodes[layer], nodes[following]):
            return f"The {what} of layer {layer} waits for that of layer {following}; it is the other way round." + (
                " Backwards goes from the last layer to the first." if order.step < 0 else ""
            )
        if not graph.waits(nodes[following], nodes[layer]):
            return f"The {what} of layer {following} doesn't wait for that of layer {layer}, whose output it takes."
    return None


def _after_the_forward_pass(graph: Graph, ahead: Sequence[Node], back: Sequence[Node]) -> str | None:
    last = len(ahead) - 1
    if graph.waits(back[last], ahead[last]):
        return None
    return "The backward pass begins without waiting for the end of the forward pass."


def _ready(graph: Graph, back: Sequence[Node], reduces: Sequence[Node]) -> str | None:
    for layer, reduce in enumerate(reduces):
        if not graph.waits(reduce, back[layer]):
            size, micros = format_bytes(reduce.number("comm_size")), back[layer].duration_micros
            return (
                f"The all-reduce of layer {layer}, {size}, starts before its gradients are there: it doesn't wait for "
                f"the computation of {micros} µs, the backward pass in which they are made."
            )
    return None


def _free(
    graph: Graph, ahead: Sequence[Node], back: Sequence[Node], reduces: Sequence[Node], filled: Sequence[Sequence[int]]
) -> str | None:
    """Whether anything waits for more than it needs, so that less overlaps than could. filled: layers of a reduce."""
    for layer, node in enumerate(back):
        for layers, reduce in zip(filled, reduces, strict=True):
            if graph.waits(node, reduce):
                return NOTHING_OVERLAPS.format(layer, layers[0])
    if any(graph.waits(node, reduce) for node in ahead for reduce in reduces):
        return "A forward pass waits for an all-reduce. In this step gradients come later."
    for layers, reduce in zip(filled, reduces, strict=True):
        early = next((layer for layer in range(min(layers)) if graph.waits(reduce, back[layer])), None)
        if early is not None:
            return (
                f"The gradients of layer {min(layers)} are there after its own backward pass, but their all-reduce "
                f"waits for that of layer {early}, too."
            )
    for layers, reduce in zip(filled, reduces, strict=True):
        other = next((k for k, one in enumerate(reduces) if one is not reduce and graph.waits(reduce, one)), None)
        if other is not None:
            return (
                f"The all-reduce for layer {layers[0]} waits for the one for layer {filled[other][0]}, and needs "
                "nothing of it; a network that carries several chunks at once could overlap the two."
            )
    return None


def _sizes(sizes: Sequence[int]) -> str:
    return ", ".join(map(format_bytes, sizes)) or "nothing"
