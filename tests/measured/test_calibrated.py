"""One compute model for predictions and estimates: calibrated devices and platforms, and what estimates are by them."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pandas as pd
import pytest

import astra_edu as ae
from astra_edu.measured.cells import records
from astra_edu.measured.clock import Clock, Group
from astra_edu.measured.jobs import job_of
from astra_edu.measured.stored import every, parameters_for
from astra_edu.workload.compute import machine


def products(seed: int) -> list[ae.Gemm]:
    """Hundreds of products, small and large, alone and side by side, as others', as experts' and as attention's."""
    draw = Random(seed)

    def size() -> int:
        return draw.choice((draw.randint(1, 300), 2 ** draw.randint(0, 15), draw.randint(1, 40_000)))

    return [
        ae.Gemm(size(), size(), size(), draw.choice((1, 1, 8, 64)), kernel=draw.choice(("", "experts", "attention")))
        for _ in range(60)
    ]


def seconds(gemm: ae.Gemm, name: str, given) -> float:
    """What measured runs were fitted with, written down once more: tiles, waves, shares of the peaks."""
    on, best = ae.device(name), 0.0
    for rows, columns, reaches in ((256, 128, 1), (128, 128, given.small_tile), (64, 64, given.small_tile**2)):
        for split in (1, 2, 4):
            tiles = -(-gemm.m // rows) * -(-gemm.n // columns) * gemm.count * split
            done = -(-tiles // on.units) * on.units * rows * columns * (-(-gemm.k // split) + 64)
            best = max(best, gemm.m * gemm.n * gemm.k * gemm.count / done * reaches)
    share = {"": given.matrix * best, "experts": given.matrix * best * given.experts, "attention": given.attention}
    computes = gemm.flops / (on.flops_per_s * share[gemm.kernel])
    return max(computes, gemm.elements * 2 / (on.memory_bytes_per_s * given.memory))


@pytest.mark.parametrize("fitted", every(), ids=lambda each: f"{each.stack} on {each.machines[0]}")
def test_a_product_takes_the_same_in_a_prediction_an_estimate_and_by_its_formula(fitted):
    name = fitted.machines[0]
    clock = Clock(machine(name), fitted.time, 16)
    device = ae.measured.device(name, fitted.stack)
    for gemm in products(seed=len(fitted.stack)):
        launches = gemm.count if gemm.kernel == "experts" else 1
        took = device.gemm_ns(gemm) - launches * fitted.time.launch_us * 1e3
        assert took == pytest.approx(clock.product(gemm, 16) * 1e9, rel=1e-9, abs=1e-3)
        assert took == pytest.approx(seconds(gemm, name, fitted.time) * 1e9, rel=1e-9, abs=1e-3)


def test_a_device_says_whose_runs_it_is_calibrated_to_and_takes_those_of_which_most_are_known():
    assert "495 runs of nanotron" in ae.measured.device("h100").source
    assert ae.measured.device("h100") == replace(
        ae.measured.device("h100", "nanotron"), source=ae.measured.device("h100").source
    )
    assert ae.measured.device("a100").calibration.stack == "Megatron-DeepSpeed"
    assert "runs of Megatron-Bridge on h100" in ae.measured.device("h100", "Megatron-LM").source


@pytest.mark.parametrize(
    ("machine", "system", "sentence"),
    [
        ("h100", "nanotorn", "system is 'nanotorn'; did you mean 'nanotron'"),
        ("h100", 3, "system is 3; give the name of a stack"),
        ("gaudi2", "", "a device like gaudi2 can't be calibrated, as none of the runs"),
        ("gaudi2", "nanotron", "a device like gaudi2 can't be calibrated"),
        ("nothing", "", "machine is 'nothing'"),
    ],
)
def test_what_can_t_be_calibrated_is_said(machine, system, sentence):
    for made in (lambda: ae.measured.device(machine, system), lambda: ae.measured.platform(machine, 8, system)):
        with pytest.raises(ae.ConfigError, match=sentence):
            made()


@pytest.mark.parametrize(("npus", "near"), [(8, 8), (64, 8), (4, 4)])
def test_collectives_of_a_node_take_what_the_clock_says_and_the_network_s_no_less(npus, near):
    clock = Clock(machine("h100"), parameters_for("h100", "nanotron"), 16)
    pods = ae.measured.platform("h100", npus, "nanotron")
    took = ae.simulate(ae.Workload.micro("all-gather", 2**30 // npus), pods, progress=False).total_ns
    begins = clock.given.collective_us * 1e3
    said = clock.ring(Group(npus, near), 2**30) * 1e9 - begins
    if npus <= 8:
        assert took == pytest.approx(said, rel=1e-3)
    assert took >= said * 0.99


TINY = ae.transformer("tiny", hidden=1024, heads=8, blocks=8, sequence=1024, vocabulary=32000)


def test_an_estimate_has_what_its_device_s_calibration_says():
    cut = ae.Strategy(data=2, tensor=2, pipeline=2, batch=16, recompute="none")
    pods, given = ae.measured.platform("h100", 8, "nanotron"), parameters_for("h100", "nanotron")
    device = ae.measured.device("h100", "nanotron")
    took = ae.estimate(TINY, cut, device, pods)
    assert took.overhead_ns == round(8 * given.micro_batch_us * 1e3 + given.step_ms * 1e6)
    assert took.total_ns == sum(took.split.values())
    without = replace(device, calibration=None)
    free = ae.estimate(TINY, cut, without, pods)
    assert free.overhead_ns == 0
    assert took.update_ns / free.update_ns == pytest.approx(given.optimiser_bytes / 30, rel=1e-3)
    ahead = {
        name: ae.estimate(TINY, cut, replace(device, calibration=replace(device.calibration, **changes)), pods)
        for name, changes in {"sums": {"sum_bytes": 0}, "sends": {"send_ns": 0}, "begins": {"collective_ns": 0}}.items()
    }
    assert ahead["sums"].compute_ns < took.compute_ns
    assert ahead["sends"].launching_ns < took.launching_ns
    assert ahead["begins"].tensor_ns < took.tensor_ns
    assert took.range_ns == (took.total_ns * device.calibration.low, took.total_ns * device.calibration.high)
    assert took.range_ns[0] < took.total_ns < took.range_ns[1]
    assert "those that runs of nanotron reach" in took.table


def test_tables_say_whose_rates_they_are_where_no_range_is_known_too():
    device, pods = ae.measured.device("h100", "nanotron"), ae.measured.platform("h100", 8, "nanotron")
    switch = ae.TracePlatform(ae.Block("Switch", 8, 419, 1278), ae.TraceSystem.of("ring"))
    for precision, platform in (("fp8", pods), ("bf16", switch)):
        took = ae.estimate(TINY, ae.Strategy(data=8, precision=precision), device, platform)
        assert took.range_ns is None
        assert "those that runs of nanotron reach" in took.table
        assert "times what is predicted" not in took.table


def test_the_host_takes_longer_only_where_stages_are_on_several_nodes():
    cut, device = ae.Strategy(data=4, pipeline=4, batch=16), ae.measured.device("h100", "nanotron")
    late = []
    for npus in (8, 16):
        pods = ae.measured.platform("h100", 16, "nanotron", per_node=npus) if npus == 8 else None
        pods = pods or replace(ae.measured.platform("h100", 8, "nanotron"), network=(replace(HALF, npus=16),))
        late.append(ae.estimate(TINY, cut, device, pods).launching_ns)
    assert late[0] > 3 * late[1]


HALF = ae.measured.platform("h100", 8, "nanotron").network[0]


def test_a_search_finds_what_estimates_of_all_say_and_traces_and_workloads_take_such_a_device():
    device, pods = ae.measured.device("h100"), ae.measured.platform("h100", 16)
    some = [
        ae.Strategy(data=16 // (tensor * pipeline), tensor=tensor, pipeline=pipeline, zero=zero, batch=32)
        for tensor in (1, 2, 4)
        for pipeline in (1, 2, 4)
        for zero in (0, 1)
    ]
    best = ae.fastest(TINY, some, device, pods)
    assert best.total_ns == min(ae.estimate(TINY, cut, device, pods).total_ns for cut in some)
    work = ae.generate_workload(TINY, ae.Strategy(data=16), device)
    bare = ae.generate_workload(TINY, ae.Strategy(data=16), "h100")
    assert sum(layer.forward.compute_ns for layer in work.layers) > sum(
        layer.forward.compute_ns for layer in bare.layers
    )
    switch = ae.TracePlatform(ae.Block("Switch", 16, bandwidth=50, latency=500), ae.TraceSystem.of("ring"))
    for overlap in ((), ("gradients",)):
        cut = ae.Strategy(data=8, tensor=2, batch=16, overlap=overlap)
        trace = ae.traces.from_strategy(TINY, cut, device, pods)
        computed = ae.simulate(trace, switch, progress=False).compute_ns[0]
        assert computed == pytest.approx(ae.estimate(TINY, cut, device, pods).compute_ns, rel=1e-3)


EACH = {"nanotron": 55, "mpt": 35, "megatron_bridge": 40, "vtrain_single": 50, "vtrain_multi": 30}
"""Of these sources so many runs, of the others all: enough of every kind in a few seconds."""
PASSES = 256
"""Of a pipeline's stages together; simulating more takes its time."""
BOUNDS = {
    "16 bits, no experts": (230, (0.46, 0.54), (0.99, 1.01), 0.025, 0.025, 0.05),
    "16 bits, experts": (20, (0.58, 0.69), (1.0, 1.08), 0.33, 0.3, 0.08),
    "8 or 4 bits": (48, (0.41, 0.49), (0.87, 0.92), 0.25, 0.42, 0.16),
}
"""(runs at least; median of the estimate at peak over what is predicted; of the calibrated one, its mean distance, the
share of runs that are more than 15 % off it, the median distance of what was measured)."""


def test_estimates_on_calibrated_devices_are_near_predictions_and_measured_runs():
    some = []
    for name, each in ae.measured.runs().groupby("source_id"):
        each = each[~each.status.isin(["crash_or_oom"]) & ~(each.mfu_pct < 5)]
        if name in EACH:
            passes = (each.gbs_seq / each.mbs / each.dp * each.pp).fillna(0)
            each = each[(each.pp.fillna(1) == 1) | (passes <= PASSES)]
        some.append(each.iloc[:: max(1, len(each) // EACH[str(name)] if name in EACH else 1)])
    rows = pd.concat(some)
    held = rows.join(ae.measured.compared(rows)).join(ae.measured.estimates(rows)[["estimated_ms", "peak_ms"]])
    held = held[held.time_error.notna() & held.estimated_ms.notna()]
    assert len(held) >= 300
    assert set(ae.measured.sources().index) - set(held.source_id) <= {"levanter"}  # whose runs have no step's time
    jobs = [job_of(row) for row in records(held)]
    narrow = pd.Series([job.bits < 16 for job in jobs], held.index)
    experts = pd.Series([job.cut.expert > 1 for job in jobs], held.index)
    kinds = {
        "16 bits, no experts": ~narrow & ~experts,
        "16 bits, experts": ~narrow & experts,
        "8 or 4 bits": narrow,
    }
    for kind, those in kinds.items():
        own = held[those]
        least, before, after, mean, beyond, off = BOUNDS[kind]
        near, at_peak = own.estimated_ms / own.predicted_ms, own.peak_ms / own.predicted_ms
        measured_off = (own.estimated_ms / (own.predicted_ms / (1 + own.time_error)) - 1).abs()
        assert len(own) >= least
        assert before[0] < at_peak.median() < before[1]
        assert after[0] < near.median() < after[1]
        assert (near - 1).abs().mean() < mean
        assert (near - 1).abs().gt(0.15).mean() < beyond
        assert measured_off.median() < off
