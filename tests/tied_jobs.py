"""Random small jobs in which much happens in the same ns, on the congestion-unaware network, and every way to run them.

Short messages on fast links, so that whole phases take a few ns, and computations of a few ns beside them; groups that
overlap, in odd orders and under two names; messages that cross with equal tags; nodes that take no time; node numbers
in any order.
"""

import random
from contextlib import suppress
from dataclasses import replace
from itertools import product
from math import prod

import astra_edu as ae
from astra_edu.network.folded import AmbiguousError
from astra_edu.run import run_trace
from astra_edu.run.joined import can_join, run_joined
from astra_edu.run.one_for_all import fits
from astra_edu.run.roles.followed import run_by_roles
from astra_edu.run.trace_result import TraceResult
from astra_edu.traces import Node, NodeType, Trace, attribute_of
from astra_edu.traces.communication import check_communication

BLOCKS = ("Ring", "Switch", "FullyConnected")
HOWS = ("ring", "ring", "direct", "direct2", "direct3", "halvingDoubling", "bidirectional-ring")
COLLECTIVES = ("all_reduce", "all_reduce", "all_gather", "reduce_scatter", "all_to_all")
AXES = ((2,), (3,), (4,), (8,), (2, 2), (2, 4), (4, 2), (2, 2, 2), (3, 4), (2, 3), (4, 4), (6,), (16,))


def job(seed):
    """(trace, platform)."""
    rng = random.Random(seed)
    axes = rng.choice(AXES)
    return _scrambled(rng, _trace(rng, axes)), _platform(rng, axes)


def _platform(rng, axes):
    npus = prod(axes)
    sizes = list(rng.choice([axes, axes, (npus,), (npus // axes[0], axes[0])]))
    sizes = [n for n in sizes if n > 1]
    kinds = [(rng.choice(BLOCKS), rng.choice([1, 1, 4, 50]), rng.choice([0, 1, 1, 5, 20])) for _ in sizes]
    if rng.random() < 0.6:
        kinds = kinds[:1] * len(sizes)
    blocks = tuple(
        ae.Block(kind, n, bandwidth, latency) for n, (kind, bandwidth, latency) in zip(sizes, kinds, strict=False)
    )
    hows = []
    for n in sizes:
        how = rng.choice(HOWS)
        hows.append("ring" if how == "halvingDoubling" and n & (n - 1) else how)
    if rng.random() < 0.5:
        hows = hows[:1] * len(sizes) if hows[0] != "halvingDoubling" else hows
    if rng.random() < 0.08:
        hows = [rng.choice(["oneRing", "oneDirect"])]
    system = ae.TraceSystem.of(
        hows,
        endpoint_delay=rng.choice([1, 1, 1, 2, 3, 10]),
        splits=rng.choice([1, 1, 2, 4, 8, 16]),
        active_chunks=rng.choice([1, 1, 2, 3, 4, 8, 16]),
        queues=rng.choice([1, 1, 2, 3]),
        scheduling=rng.choice(["LIFO", "FIFO", "EXPLICIT"]),
        optimization=rng.choice(["baseline", "localBWAware"]),
        intra_dimension=rng.choice(["FIFO", "FIFO", "SCF", "RG", "lessRemainingPhaseFirst"]),
        inter_dimension=rng.choice(["baseline", "baseline", "roundRobin"]),
        local_memory_bandwidth=rng.choice([1, 10, 50, 1000]),
        peak_performance=1,
        roofline=True,
        replay_only=rng.random() < 0.03,
    )
    memory = ae.RemoteMemory("PER_NPU_MEMORY_EXPANSION", latency=rng.choice([1, 5, 20]), bandwidth=1)
    network = blocks
    if rng.random() < 0.1:
        network = ae.GraphNetwork(ae.as_graph(blocks), dims=tuple(sizes))
    return ae.TracePlatform(network, system, memory)


def _trace(rng, axes):
    npus = prod(axes)
    places = [place[::-1] for place in product(*(range(n) for n in axes[::-1]))]
    if rng.random() < 0.15:
        rng.shuffle(places)
    number = {place: npu for npu, place in enumerate(places)}
    builder = ae.traces.Builder(npus)
    last = [[] for _ in range(npus)]
    axis = rng.randrange(len(axes))
    slower = [rng.choice([0, 0, 1, 3]) for _ in range(max(axes))]
    alike = rng.random() < 0.3
    straggler = rng.randrange(npus) if not alike and rng.random() < 0.3 else None
    memory = rng.random() < 0.2
    kinds = ["compute", "compute", "cpu", "group", "group", "all", "all", "broadcast", *["message"] * 2, "some"]
    if memory:
        kinds += ["memory", "memory"]
    if alike:
        kinds = ["compute", "cpu", "all", "all", "all"] + ["memory"] * memory
    unit = rng.choice([1, 1, 2, 5, 10])

    def waits(members):
        """What an operation waits for; nothing where some NPU would wait for none of it."""
        if rng.random() < 0.3:
            return None
        depth = rng.choice([1, 1, 2])
        after = list(dict.fromkeys(one for npu in members for one in last[npu][-depth:]))
        return after if all(any(npu in one.npus for one in after) for npu in members) else None

    def note(members, done):
        for npu in members:
            last[npu].append(done)

    for step in range(rng.randint(2, 9)):
        kind = rng.choice(kinds)
        if kind in ("compute", "cpu", "memory"):
            rows = {}
            base = rng.choice([0, 1, 2, 3, 7, 20]) * unit
            for npu in range(npus):
                ns = base if alike else base + unit * slower[places[npu][axis]] + unit * 7 * (npu == straggler)
                rows.setdefault(ns, []).append(npu)
            for ns, on in rows.items():
                if kind == "compute":
                    note(on, builder.compute(f"c{step}", num_ops=ns * 1000, tensor_size=1, after=waits(on), on=on))
                elif kind == "memory":
                    note(on, builder.load(f"l{step}", 1 + ns, after=waits(on), on=on))
                else:
                    note(on, builder.cpu(f"p{step}", 0, after=waits(on), on=on))
        elif kind == "broadcast":
            note(range(npus), builder.broadcast(f"b{step}", 16, 0, after=waits(range(npus))))
        elif kind in ("group", "all", "some"):
            groups = None
            if kind == "group":
                groups = _groups(number, axes, rng.randrange(len(axes)))
                if rng.random() < 0.3:
                    groups = [rng.sample(group, len(group)) for group in groups]
                if rng.random() < 0.2:
                    groups = [group[1:] + group[:1] for group in groups]
            elif kind == "some":
                groups = [rng.sample(range(npus), rng.randint(2, npus))]
            on = range(npus) if not groups else sorted(npu for group in groups for npu in group)
            begin, size = getattr(builder, rng.choice(COLLECTIVES)), rng.choice([8, 16, 64, 100, 777, 4096])
            note(on, begin(f"x{step}", size, after=waits(on), group=groups))
        elif kind == "message":
            along, by = rng.randrange(len(axes)), rng.choice([1, 1, -1])
            wraps, both = rng.random() < 0.6, rng.random() < 0.5
            size, tag = rng.choice([0, 16, 16, 100]), rng.choice([0, 0, step])
            pairs = [
                (npu, number[_moved(place, along, by, axes)])
                for npu, place in enumerate(places)
                if axes[along] > 1 and (wraps or 0 <= place[along] + by < axes[along])
            ]
            if rng.random() < 0.15:
                pairs = [tuple(rng.sample(range(npus), 2))]
            if both:
                pairs += [(other, one) for one, other in pairs]
            before = [own[-1:] for own in last]
            first = rng.random() < 0.7
            then = rng.random() < 0.5
            for one, other in pairs:
                done = builder.send(f"s{step}", size, other, on=one, after=before[one] if first else None, tag=tag)
                last[one].append(done)
            for one, other in pairs:
                done = builder.receive(f"r{step}", size, one, on=other, after=before[other] if then else None, tag=tag)
                last[other].append(done)
    if rng.random() < 0.5:
        for npu in range(npus):
            if last[npu]:
                builder.compute("end", num_ops=1000, tensor_size=1, after=last[npu], on=npu)
    return builder.build()


def _groups(number, axes, along):
    found = {}
    for place, npu in number.items():
        found.setdefault((*place[:along], *place[along + 1 :]), []).append((place[along], npu))
    return [[npu for _, npu in sorted(group)] for group in found.values() if len(group) > 1]


def _moved(place, along, by, axes):
    return tuple((p + by) % axes[along] if d == along else p for d, p in enumerate(place))


def _scrambled(rng, trace):
    """Node numbers in another order, priorities, a second name for a group, and nodes that take no time."""
    ids = sorted({node.id for nodes in trace.nodes for node in nodes})
    new = dict(zip(ids, [2 * k + 1 for k in range(len(ids))], strict=True))
    how = rng.random()
    if how < 0.3:
        shuffled = [2 * k + 1 for k in range(len(ids))]
        rng.shuffle(shuffled)
        new = dict(zip(ids, shuffled, strict=True))
    elif how < 0.4:
        new = dict(zip(ids, [2 * (len(ids) - k) + 1 for k in range(len(ids))], strict=True))
    nothing = {one: rng.choice([NodeType.METADATA_NODE, NodeType.INVALID_NODE]) for one in ids if rng.random() < 0.06}
    names = sorted({node.name for nodes in trace.nodes for node in nodes})  # a set has another order in each process
    priority = {name: rng.randint(0, 3) for name in names}
    again = {name: str(int(name) + 1000) for name in trace.groups}
    second = {name for name in names if rng.random() < 0.2}
    groups = dict(trace.groups)
    by_id = {}
    found = []
    every = list(trace.nodes)  # what is made when asked for is kept, so that no number is another's later
    for nodes in every:
        if id(nodes) in by_id:
            found.append(by_id[id(nodes)])
            continue
        own = []
        for node in nodes:
            deps = tuple(new[dep] for dep in node.data_deps)
            if node.id in nothing and deps:
                own.append(Node(new[node.id] - 1, "nothing", nothing[node.id], data_deps=deps))
                deps = (new[node.id] - 1, *(deps if new[node.id] % 3 else ()))
            attributes = dict(node.attributes)
            if node.type is NodeType.COMM_COLL_NODE:
                attributes["comm_priority"] = attribute_of("comm_priority", priority[node.name])
                if node.group and node.name in second:
                    other = again[node.group]
                    groups[other] = trace.groups[node.group]
                    attributes["pg_name"] = attribute_of("pg_name", other)
            ctrl = tuple(new[dep] for dep in node.ctrl_deps)
            own.append(replace(node, id=new[node.id], data_deps=deps, ctrl_deps=ctrl, attributes=attributes))
        if rng.random() < 0.2:
            own.sort(key=lambda node: node.id)
        made = by_id[id(nodes)] = tuple(own)
        found.append(made)
    return Trace(tuple(found), groups)


def followed(trace, platform):
    """What following everyone says; None where it can't be run."""
    try:
        return said(ae.simulate(trace, platform, everyone=True, progress=False))
    except ae.ConfigError:
        return None


def said(result):
    """Of each NPU its finish, and when its nodes started and ended, in the order of their numbers."""
    npus = range(result.trace.npus)
    ran = [sorted(result.ran_by(npu), key=lambda one: one.node.id) for npu in npus]
    return result.finish_ns, [[(one.start_ns, one.end_ns) for one in own] for own in ran]


def shortcuts(trace, platform):
    """What each way of running it says that can be taken, by its name."""
    found = {}
    if fits(trace, platform):
        with suppress(AmbiguousError, ae.ConfigError):
            found["one for all"] = said(run_trace._one_for_all(trace, platform, record=False, strict=True))
    if not platform.system.replay_only:
        check_communication(trace, platform.dims)
    run = run_by_roles(trace, platform)
    if run is not None and not run.in_doubt:
        found["roles"] = said(run_trace._of_roles(trace, platform, run.npus, run.roles.stands_for))
    if can_join(trace, platform):
        joined = run_joined(trace, platform, record=False)
        if joined is not None:
            finish = tuple(npu.finished_ns for npu in joined.npus)
            found["joined"] = said(
                TraceResult(trace, platform, finish, [ran for npu in joined.npus for ran in npu.ran])
            )
    return found
