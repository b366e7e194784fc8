"""What ae.estimate says is what the simulator says of the same job's execution trace, or of its 1.0 workload.

Where they differ by rule, they aren't compared: an NPU of ASTRA-sim 2.x has one communication at a time on its way, so
that a tensor group's collectives wait there for messages between stages and for gradients, which an estimate on a
TracePlatform knows (test_estimate_by_trace.py); ASTRA-sim 1.0's loops exchange whole gradients with ZeRO-1 and 2. The
optimiser's update is in the estimate alone. Further apart are copies of stages with several parts, whose gradients all
wait in the trace for the stage's last message.
"""

from __future__ import annotations

from random import Random
from statistics import median

import pytest
from halves import few, half

import astra_edu as ae

SWITCH = "halvingDoubling"
ORDERS = ("1f1b", "gpipe", "interleaved", "zb-h1", "zb-v", "v-half", "v-min")
VIRTUAL = {"interleaved": 2, "zb-v": 2, "v-half": 2, "v-min": 2}


def networks(*dims: tuple[int, float, float]) -> tuple[ae.Platform, ae.TracePlatform]:
    """The same switches for both versions. dims: NPUs, 2**30 bytes/s, ns; those of one NPU are left out."""
    there = [dim for dim in dims if dim[0] > 1]
    first = tuple(ae.Dimension.of("Switch", *dim) for dim in there)
    second = tuple(ae.Block("Switch", *dim) for dim in there)
    system = ae.SystemConfig.of("_".join([SWITCH] * len(there)), splits=1)
    return ae.Platform(first, system), ae.TracePlatform(second, ae.TraceSystem.of([SWITCH] * len(there)))


def model(rng: Random) -> ae.Model:
    """Large enough that a kernel takes more than the µs to which traces are rounded."""
    hidden, sequence = rng.choice([512, 1024, 2048, 4096]), rng.choice([512, 1024, 2048])
    return ae.transformer(
        "m",
        hidden=hidden,
        heads=16,
        blocks=rng.choice([4, 8]),
        sequence=sequence,
        vocabulary=rng.choice([1000, 32_768]),
    )


def copies_and_stages(seed: int) -> tuple[float, float, str]:
    """(how far off, how far it may be, the job) of copies and stages in any order, against the simulated trace."""
    rng = Random(seed)
    made, pipeline, data = model(rng), rng.choice([1, 2, 4]), rng.choice([1, 2, 4, 8])
    if data * pipeline == 1:
        data = 2
    order = rng.choice(ORDERS) if pipeline > 1 else "1f1b"
    micro, size = pipeline * rng.choice([1, 2, 4]), rng.choice([1, 2, 4])
    cut = ae.Strategy(
        data=data,
        pipeline=pipeline,
        batch=data * micro * size,
        micro_batch=size,
        pipeline_order=order,
        virtual=VIRTUAL.get(order, 1),
        stage_blocks="uneven" if order in VIRTUAL else rng.choice(["even", "uneven"]),
        zero=0 if data == 1 else rng.choice([0, 1] if pipeline > 1 else [0, 1, 2]),
        recompute=rng.choice(["none", "selective", "full"]),
    )
    if len(made.blocks) < pipeline * cut.virtual:
        made = ae.transformer("m", hidden=1024, heads=16, blocks=8, sequence=1024, vocabulary=1000)
    platform, other = networks((data, rng.choice([25, 50, 100]), 1000), (pipeline, 25, 1000))
    found = ae.estimate(made, cut, "a100", platform)
    most = 0.12 if cut.virtual > 1 and data > 1 else 0.02
    ran = ae.simulate(ae.traces.from_strategy(made, cut, "a100", other), other)
    return (found.total_ns - found.update_ns) / ran.total_ns - 1, most, f"{seed}: {found}"


def tensor_groups(seed: int) -> tuple[float, float, str]:
    """The same of tensor groups with copies or by themselves, against the simulated 1.0 workload."""
    rng = Random(seed)
    tensor, data, size = rng.choice([2, 4, 8]), rng.choice([1, 2, 4]), rng.choice([1, 2, 4])
    cut = ae.Strategy(
        data=data,
        tensor=tensor,
        batch=data * size,
        micro_batch=size,
        sequence_parallel=rng.random() < 0.5,
        recompute=rng.choice(["none", "selective"]),
    )
    made = model(rng)
    platform, _ = networks((tensor, 300, 500), (data, rng.choice([25, 50, 100]), 1000))
    found = ae.estimate(made, cut, "a100", platform)
    ran = ae.simulate(ae.generate_workload(made, cut, "a100"), platform, progress=False)
    return (found.total_ns - found.update_ns) / ran.total_ns - 1, 0.02, f"{seed}: {found}"


def loops_of_the_first_version(seed: int) -> tuple[float, float, str]:
    """The same of all that a 1.0 workload can say: copies, tensor groups, ZeRO-3, in either order, in any precision.

    The rules are the same in the loop of transformers, tensor-first. Others hide a tensor group's gradients behind the
    weights', gather and scatter in an order of their own (ZeRO-3), or exchange a layer's gradients before they compute
    its input's, which matters most where that computes a block again; they are up to 15 % apart.
    """
    rng = Random(seed)
    tensor, data = rng.choice([(1, 2), (1, 8), (2, 1), (8, 1), (2, 2), (2, 8), (4, 4), (8, 2)])
    zero, size = rng.choice([0, 0, 3]) if data > 1 else 0, rng.choice([1, 2, 4])
    first = tensor == 1 or zero == 3 or rng.random() < 0.7
    cut = ae.Strategy(
        data=data,
        tensor=tensor,
        zero=zero,
        batch=data * size,
        micro_batch=size,
        placement="tensor-first" if first else "data-first",
        sequence_parallel=first and tensor > 1 and rng.random() < 0.5,
        recompute=rng.choice(["none", "selective", "full"] if tensor == 1 or (first and not zero) else ["none"]),
        precision=rng.choice([None, "bf16", "fp8", "fp32"]),
    )
    made = ae.transformer(
        "m",
        hidden=rng.choice([1024, 2048, 4096]),
        heads=16,
        kv_heads=rng.choice([8, 16]),
        blocks=rng.choice([4, 8]),
        sequence=rng.choice([1024, 2048]),
        vocabulary=rng.choice([1024, 32_768]),
        attention=rng.choice(["flash", "scores"]),
        activation=rng.choice(["gelu", "swiglu"]),
    )
    dims = (tensor, 300, 500), (data, rng.choice([25, 50, 100]), 1000)
    platform, _ = networks(*(dims if first else dims[::-1]))
    found = ae.estimate(made, cut, "h100", platform)
    ran = ae.simulate(ae.generate_workload(made, cut, "h100", platform=platform), platform, progress=False)
    most = 0.02 if tensor > 1 and first and not zero and cut.recompute != "full" else 0.16
    return (found.total_ns - found.update_ns) / ran.total_ns - 1, most, f"{seed}: {found}"


def one_after_the_other(seed: int) -> tuple[float, float, str]:
    """Of any groups, each pair of which never sends at a time, against the estimate on a TracePlatform.

    One group, or several whose collectives are all waited for (overlap=()), copies on one dimension.
    """
    rng = Random(seed)
    kind = rng.choice(["copies", "tensor", "context", "experts", "stages", "tensor and copies", "ZeRO and tensor"])
    tensor = rng.choice([2, 4]) if "tensor" in kind else 1
    data = rng.choice([2, 4, 8]) if kind in ("copies", "experts", "tensor and copies", "ZeRO and tensor") else 1
    pipeline, context = rng.choice([2, 4]) if kind == "stages" else 1, rng.choice([2, 4]) if kind == "context" else 1
    order, alone = (
        rng.choice(["1f1b", "gpipe", "zb-h1"]) if kind == "stages" else "1f1b",
        kind in ("copies", "tensor", "stages"),
    )
    size, micro = rng.choice([1, 2]), pipeline * rng.choice([1, 2, 4])
    cut = ae.Strategy(
        data=data,
        tensor=tensor,
        pipeline=pipeline,
        context=context,
        expert=data if kind == "experts" else 1,
        batch=data * micro * size,
        micro_batch=size,
        pipeline_order=order,
        virtual=VIRTUAL.get(order, 1),
        zero=rng.choice([1, 2, 3])
        if kind == "ZeRO and tensor"
        else rng.choice([0, 1, 2, 3])
        if kind == "copies"
        else 0,
        sequence_parallel=tensor > 1 and rng.random() < 0.5,
        context_by=rng.choice(["ring", "all-gather"]) if context > 1 else "all-gather",
        recompute=rng.choice(["none", "selective", "full"]),
        overlap=("gradients",) if alone else (),
    )
    made = ae.transformer(
        "m",
        hidden=rng.choice([1024, 2048, 4096]),
        heads=16,
        kv_heads=rng.choice([4, 16]),
        blocks=8,
        sequence=rng.choice([1024, 2048, 4096]),
        vocabulary=rng.choice([1024, 32_768]),
        attention="flash",
        experts=8 if kind == "experts" else 1,
        top_k=2 if kind == "experts" else 1,
    )
    copies = rng.choice([25, 50, 100])
    platform, other = networks((tensor, 300, 500), (data * context, copies, 1000), (pipeline, 25, 1000))
    found, ran = (ae.estimate(made, cut, "h100", each) for each in (platform, other))
    return (found.total_ns - found.update_ns) / (ran.total_ns - ran.update_ns) - 1, 0.02, f"{seed}: {kind}: {found}"


def both_ways(seed: int) -> tuple[float, float, str]:
    """The same of DualPipe's: two messages of a pair set out together, and in the trace one after the other."""
    rng = Random(seed)
    made, pipeline, data, size = model(rng), rng.choice([2, 4]), rng.choice([1, 1, 2, 4]), rng.choice([1, 2])
    cut = ae.Strategy(
        data=data,
        pipeline=pipeline,
        batch=data * (2 * pipeline + rng.choice([0, 2, 8])) * size,
        micro_batch=size,
        pipeline_order="dualpipe",
        stage_blocks=rng.choice(["even", "uneven"]),
        recompute=rng.choice(["none", "selective", "full"]),
    )
    platform, other = networks((data, rng.choice([25, 50, 100]), 1000), (pipeline, 25, 1000))
    found = ae.estimate(made, cut, "a100", platform)
    ran = ae.simulate(ae.traces.from_strategy(made, cut, "a100", other), other)
    return (found.total_ns - found.update_ns) / ran.total_ns - 1, 0.03, f"{seed}: {found}"


def test_forty_random_jobs_of_both_ways_take_about_as_long():
    found = [both_ways(seed) for seed in range(40)]
    wrong = [f"{off:+.2%} {what}" for off, most, what in found if abs(off) > most]
    assert not wrong, "\n".join(wrong)
    assert median(abs(off) for off, _, _ in found) < 0.01


def test_a_hundred_random_workloads_take_as_long_where_the_loop_s_rules_are_the_same_and_about_as_long_elsewhere():
    found = [loops_of_the_first_version(seed) for seed in range(100)]
    wrong = [f"{off:+.2%} {what}" for off, most, what in found if abs(off) > most]
    assert not wrong, "\n".join(wrong)
    assert sum(most == 0.02 for _, most, _ in found) > len(found) / 5
    assert median(abs(off) for off, most, _ in found if most == 0.02) < 0.001


@pytest.mark.parametrize("job", [copies_and_stages, tensor_groups, one_after_the_other])
def test_a_hundred_random_jobs_take_as_long_as_far_as_the_rules_are_the_same(job):
    found = [job(seed) for seed in few(range(100), 40)]
    wrong = [f"{off:+.2%} {what}" for off, most, what in found if abs(off) > most]
    assert not wrong, "\n".join(wrong)
    assert median(abs(off) for off, _, _ in found) < 0.005


@pytest.mark.parametrize("seed", half(range(12)))
def test_zero_3_takes_as_long_as_its_estimate(seed: int):
    rng = Random(seed)
    data, batch = rng.choice([2, 4, 8]), rng.choice([1, 2, 4])
    cut = ae.Strategy(data=data, batch=data * batch, zero=3, recompute=rng.choice(["none", "selective", "full"]))
    made = model(rng)
    platform, other = networks((data, rng.choice([25, 50, 100]), 1000))
    found = ae.estimate(made, cut, "a100", platform)
    ran = ae.simulate(ae.traces.from_strategy(made, cut, "a100", other), other).total_ns
    assert 0.999 < ran / (found.total_ns - found.update_ns) < 1.001
