"""Random small jobs whose process groups don't lie along the dimensions of the network; else as tied_jobs has them.

A training job as from_strategy makes it, the steps of tied_jobs on a grid that the network divides otherwise, or
process groups of any kind: neighbours, every k-th NPU, diagonals of two dimensions, any partition at all.
"""

import random
from dataclasses import replace

import tied_jobs

import astra_edu as ae

NPUS = (4, 6, 8, 12, 16, 16, 18, 24, 24, 32)
MODEL = ae.transformer("tiny", hidden=64, heads=8, blocks=4, sequence=16, vocabulary=128)


def job(seed):
    """(trace, platform)."""
    rng = random.Random(seed)
    npus = rng.choice(NPUS)
    dims = divided(rng, npus)
    platform = tied_jobs._platform(rng, dims)
    if rng.random() < 0.25:  # with one implementation process groups run it, with several a ring
        only = ae.TraceSystem.of(
            [rng.choice(["direct", "direct2", "halvingDoubling" if npus & (npus - 1) == 0 else "ring"])]
        )
        platform = replace(platform, system=replace(platform.system, implementations=only.implementations))
    kind = rng.choice(["strategy", "grid", "groups", "groups"])
    if kind == "strategy":
        platform = replace(platform, system=replace(platform.system, roofline=False))
        trace = _strategy(rng, npus, platform)
    elif kind == "grid":
        trace = tied_jobs._trace(rng, divided(rng, npus))
    else:
        trace = _groups(rng, npus, dims)
    return (tied_jobs._scrambled(rng, trace) if rng.random() < 0.2 else trace), platform


def divided(rng, npus):
    """npus as a product of one to three factors, in any order."""
    found = [npus]
    for _ in range(rng.choice([0, 1, 1, 2, 2])):
        left = found.pop()
        found += rng.choice([(k, left // k) for k in range(1, left + 1) if left % k == 0])
    return tuple(rng.sample([n for n in found if n > 1], sum(n > 1 for n in found)))


def _strategy(rng, npus, platform):
    fits = [
        (tensor, pipeline, npus // tensor // pipeline)
        for tensor in (1, 2, 4, 8)
        for pipeline in (1, 2, 3, 4)
        if npus % (tensor * pipeline) == 0
    ]
    tensor, pipeline, data = rng.choice(fits)
    batch = data * rng.choice([2, 4])
    strategy = ae.Strategy(
        tensor=tensor,
        pipeline=pipeline,
        data=data,
        batch=batch,
        stage_blocks="uneven",
        zero=rng.choice([0, 0, 1, 1 if pipeline > 1 else 2]),
    )
    return ae.traces.from_strategy(MODEL, strategy, "a100", network=platform)


def _groups(rng, npus, dims):
    trace = ae.traces.Builder(npus)
    slow = rng.sample(range(npus), rng.choice([0, 0, 1, 2]))
    last = {npu: [trace.compute("begin", num_ops=1000 * (1 + 9 * (npu in slow)), tensor_size=1, on=npu)]
            for npu in range(npus)}  # fmt: skip
    for step in range(rng.randint(1, 5)):
        if rng.random() < 0.3:
            by, size = rng.randrange(1, npus), rng.choice([16, 100, 4096])
            before = {npu: own[-1:] for npu, own in last.items()}
            for npu in range(npus):
                sent, came = trace.message(f"m{step}", size, npu, (npu + by) % npus, after=before[npu])
                last[npu].append(sent)
                last[(npu + by) % npus].append(came)
            continue
        groups = [group for group in partition(rng, npus, dims) if len(group) > 1]
        if rng.random() < 0.3:
            groups = [group[k:] + group[:k] for group in groups for k in [rng.randrange(len(group))]]
        if rng.random() < 0.2:
            order = rng.sample(range(npus), npus)
            groups = [sorted(group, key=order.__getitem__) for group in groups]
        if not groups:
            continue
        after = list(dict.fromkeys(one for group in groups for npu in group for one in last[npu][-2:]))
        what = getattr(trace, rng.choice(tied_jobs.COLLECTIVES))
        done = what(f"x{step}", rng.choice([8, 64, 777, 4096]), group=groups, after=after)
        for group in groups:
            for npu in group:
                last[npu].append(done)
    for npu in range(npus):
        trace.compute("end", num_ops=1000, tensor_size=1, after=last[npu][-2:], on=npu)
    return trace.build()


def partition(rng, npus, dims):
    """Groups of NPUs, each NPU in one."""
    each = rng.choice([k for k in range(1, npus + 1) if npus % k == 0])
    kind = rng.choice(["neighbours", "every", "diagonal", "any"])
    if kind == "neighbours":
        return [list(range(k, k + each)) for k in range(0, npus, each)]
    if kind == "every":
        return [list(range(k, npus, npus // each)) for k in range(npus // each)]
    if kind == "diagonal":
        turn = rng.randrange(dims[0])
        found = {}
        for npu in range(npus):
            found.setdefault((npu + turn * (npu // dims[0])) % dims[0], []).append(npu)
        return list(found.values())
    mixed = rng.sample(range(npus), npus)
    return [mixed[k : k + each] for k in range(0, npus, each)]
