"""Random jobs on a grid of NPUs: groups and messages along its axes, stragglers, shuffled groups, and many ties."""

import random
from itertools import product
from math import prod

import astra_edu as ae

BLOCKS = ("Ring", "Switch", "FullyConnected")


def job(seed):
    """(trace, platform): an axis of the grid is a parallelism, a dimension of the network may be another division."""
    rng = random.Random(seed)
    axes = rng.choice([(4,), (8,), (2, 4), (4, 2), (2, 2, 2), (3, 4), (2, 3, 2), (4, 4), (2, 2, 4), (6, 2), (16,)])
    return _trace(rng, axes), _platform(rng, prod(axes), axes)


def _platform(rng, npus, axes):
    ways = [tuple(axes), (npus,)]
    if npus % 4 == 0:
        ways += [(4, npus // 4), (2, npus // 2)]
    sizes = [n for n in rng.choice(ways) if n > 1]
    latency = rng.choice([1000, 500, 10])
    blocks = [ae.Block(rng.choice(BLOCKS), n, rng.choice([50, 1000]), rng.choice([latency, 500])) for n in sizes]
    power = all(n & (n - 1) == 0 for n in [*sizes, *axes])
    how = rng.choice(["ring", "ring", "ring", "direct", "direct2", *(["halvingDoubling"] if power else [])])
    settings = {
        "splits": rng.choice([1, 1, 2, 4]),
        "active_chunks": rng.choice([1, 1, 2]),
        "endpoint_delay": rng.choice([10, 10, 0, 1000]),
        "local_memory_bandwidth": rng.choice([None, 50]),
        "intra_dimension": rng.choice(["FIFO", "FIFO", "SCF"]),
        "inter_dimension": rng.choice(["baseline", "baseline", "roundRobin"]),
    }
    memory = ae.RemoteMemory("PER_NPU_MEMORY_EXPANSION", latency=rng.choice([0, 1000]), bandwidth=50)
    return ae.TracePlatform(tuple(blocks), ae.TraceSystem.of(how, **settings), memory)


def _trace(rng, axes):
    npus, places = prod(axes), list(product(*(range(n) for n in axes[::-1])))
    places = [place[::-1] for place in places]
    if rng.random() < 0.15:
        rng.shuffle(places)
    number = {place: npu for npu, place in enumerate(places)}
    builder = ae.traces.Builder(npus)
    last = [[] for _ in range(npus)]
    axis = rng.randrange(len(axes))
    slower = [rng.choice([0, 0, 1, 2]) for _ in range(max(axes))]
    straggler = rng.randrange(npus) if rng.random() < 0.5 else None
    side = [[] for _ in range(npus)]
    for step in range(rng.randint(2, 8)):
        kind = rng.choice(["compute", "side", "group", "group", "message", "all", "pair", "memory"])
        if kind in ("compute", "side"):
            base = rng.choice([1, 2, 3])
            micros = [base + slower[places[npu][axis]] + (npu == straggler) * rng.choice([1, 7]) for npu in range(npus)]
            for npu in range(npus):
                done = builder.compute(
                    f"c{step}", micros[npu], after=[*last[npu], *(side[npu] if step % 2 else [])], on=npu
                )
                if kind == "compute":
                    last[npu] = [done]
                else:
                    side[npu].append(done)
        elif kind == "memory":
            size = rng.choice([1000, 50_000])
            for npu in range(npus):
                last[npu] = [builder.load(f"l{step}", size, after=last[npu] or None, on=npu)]
        elif kind == "group":
            along = rng.randrange(len(axes))
            groups = _groups(number, axes, along)
            if rng.random() < 0.2:
                groups = [rng.sample(group, len(group)) for group in groups]
            if len(groups) > 1 and rng.random() < 0.1:
                groups = groups[1:]
            _all(builder, rng, f"g{step}", groups, last)
        elif kind == "all":
            if rng.random() < 0.5:
                _all(builder, rng, f"a{step}", None, last)
        elif kind == "message":
            along, by = rng.randrange(len(axes)), rng.choice([1, 1, -1])
            wraps = rng.random() < 0.4
            _messages(
                builder,
                rng,
                step,
                [
                    (npu, number[_moved(place, along, by, axes)])
                    for npu, place in enumerate(places)
                    if axes[along] > 1 and (wraps or 0 <= place[along] + by < axes[along])
                ],
                last,
            )
        else:
            one, other = rng.sample(range(npus), 2)
            if rng.random() < 0.3:
                _messages(builder, rng, step, [(one, other)], last)
    for npu in range(npus):
        builder.compute("end", 1, after=[*last[npu], *side[npu]], on=npu)
    return builder.build()


def _groups(number, axes, along):
    found = {}
    for place, npu in number.items():
        found.setdefault((*place[:along], *place[along + 1 :]), []).append((place[along], npu))
    return [[npu for _, npu in sorted(group)] for group in found.values() if len(group) > 1]


def _all(builder, rng, name, groups, last):
    what = rng.choice(["all_reduce", "all_gather", "reduce_scatter", "all_to_all"])
    size = rng.choice([1 << 20, 4096, 100_000])
    members = range(builder.npus) if groups is None else sorted(npu for group in groups for npu in group)
    if not members:
        return
    after = [one for npu in members for one in last[npu]]
    missing = [npu for npu in members if not last[npu]]
    if missing:
        for npu in missing:
            last[npu] = [builder.compute("begin", 1, on=npu)]
        after = [one for npu in members for one in last[npu]]
    done = getattr(builder, what)(name, size, after=list(dict.fromkeys(after)), group=groups)
    for npu in members:
        last[npu] = [done]


def _messages(builder, rng, step, pairs, last):
    """What follows on an NPU waits for what it has sent and for what it receives."""
    size = rng.choice([0, 4096, 1 << 20])
    made = [
        (one, other, *builder.message(f"m{step}", size, one, other, after=last[one] or None)) for one, other in pairs
    ]
    for one, _, sent, _ in made:
        last[one] = [sent]
    for _, other, _, came in made:
        last[other] = [*last[other], came]


def _moved(place, along, by, axes):
    return tuple((p + by) % axes[along] if d == along else p for d, p in enumerate(place))
