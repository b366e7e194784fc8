"""Traces of strategies and by hand, drawn at random; and every NPU's nodes made one by one."""

import random

import astra_edu as ae
from astra_edu.traces import Node, Trace, attribute_of
from astra_edu.traces.builder import Builder


def slowly(trace):
    """What Builder.build() makes, NPU by NPU and node by node."""
    nodes = []
    for npu in range(trace.npus):
        own = [one for one in trace.operations if npu in tuple(one.npus)]
        nodes.append(tuple(_node(one, npu) for one in sorted(own, key=lambda one: one.number_on(npu))))
    return Trace(tuple(nodes), trace.groups)


def _node(one, npu):
    attributes = dict(one.attributes_on(npu))
    if npu in one.groups:
        attributes["pg_name"] = attribute_of("pg_name", one.groups[npu])
    return Node(one.number_on(npu), one.name, one.type, one.parents_on(npu), (), one.micros_on(npu), 0, attributes)


def message_by_message(self, name, bytes, sources, to, *, after=None):
    """Builder.messages as calls of message; what waits for the sends or receives has to wait for all of them."""
    made = [self.message(name, bytes, here, there, after=after) for here, there in zip(sources, to, strict=True)]
    return *(sent for sent, _ in made), *(received for _, received in made)


def strategies(count, seed):
    """(model, strategy, dimensions or None, other arguments) that from_strategy takes, most of them."""
    draw = random.Random(seed)
    for _ in range(count):
        data, tensor, pipeline = draw.choice([1, 2, 3, 4]), draw.choice([1, 2, 4]), draw.choice([1, 2, 3, 4])
        virtual = draw.choice([1, 1, 2]) if pipeline > 1 else 1
        blocks = pipeline * virtual * draw.choice([1, 2])
        strategy = ae.Strategy(
            data=data,
            tensor=tensor,
            pipeline=pipeline,
            placement=draw.choice(["tensor-first", "data-first"]),
            batch=data * pipeline * draw.choice([1, 2, 3]),
            pipeline_order="interleaved" if virtual > 1 else draw.choice(["1f1b", "gpipe"]),
            virtual=virtual,
            zero=draw.choice([0, 0, 1, 2, 3]) if pipeline == 1 else draw.choice([0, 1]),
            sequence_parallel=tensor > 1 and draw.random() < 0.4,
        )
        inner = [tensor, data] if strategy.placement == "tensor-first" else [data, tensor]
        physical = [
            None,
            [*inner, pipeline],
            [strategy.npus],
            [data * tensor, pipeline],
            [inner[0], inner[1] * pipeline],
        ]
        model = ae.transformer("small", hidden=64, heads=8, blocks=blocks, sequence=16, vocabulary=64)
        yield model, strategy, draw.choice(physical), {"rounding": draw.choice(["carry", "nearest", "up"])}


def by_hand(draw):
    """A Builder with operations of all kinds, between NPUs that are regular or not."""
    npus = draw.choice([2, 3, 4, 6, 8, 16])
    trace, made = Builder(npus), []
    for k in range(draw.choice([2, 5, 12])):
        after = draw.sample(made, min(len(made), draw.choice([0, 1, 2]))) or None
        try:
            made += _some(trace, draw, f"{k}", after)
        except ae.ConfigError:  # it would wait for what isn't on it
            continue
    return trace


def _some(trace, draw, name, after):
    npus, half = trace.npus, trace.npus // 2
    order = list(range(npus))
    if draw.random() < 0.4:
        draw.shuffle(order)
    match draw.choice(["compute", "uneven", "some", "each", "all", "dims", "groups", "pairs", "one", "ring", "row"]):
        case "compute":
            return [trace.compute(name, draw.randrange(9), after=after, on=draw.choice([None, range(half), half]))]
        case "uneven":
            return [trace.compute(name, [draw.choice([1, 2]) for _ in order], after=after)]
        case "some":
            return [trace.cpu(name, 3, on=draw.sample(order, draw.choice([1, 2])), after=after)]
        case "each":
            return [trace.compute(name, 5, on=npu, after=after) for npu in range(npus)]
        case "all":
            return [trace.all_reduce(name, 64 * npus, after=after)]
        case "dims":
            return [trace.all_gather(name, 64 * npus, after=after, involved_dim=[True, False])]
        case "groups":
            group = [order[:half], order[half:]] if npus > 3 else order
            return [trace.reduce_scatter(name, 64 * npus, after=after, group=group)]
        case "pairs":
            return [trace.all_to_all(name, 8, group=[npu, npu + 1]) for npu in range(0, npus - 1, 2)]
        case "one":
            return trace.message(name, draw.choice([0, 8]), *draw.sample(order, 2), after=after)
        case "ring":
            return [one for npu in order for one in trace.message(name, 8, npu, (npu + 1) % npus, after=after)]
        case _:
            return trace.messages(name, 8, range(half), range(half, 2 * half), after=after)
