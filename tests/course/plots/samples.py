"""Two pictures of other data by each public figure, as (first, second), made when they are asked for."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

from pandas import DataFrame
from recorded_runs import incast
from recorded_runs import run as recorded

import astra_edu as ae
from astra_edu import measured
from astra_edu.course.plots import Picture
from astra_edu.course.studies import endpoint, memory_systems, synchronisation
from astra_edu.course.studies.case_studies import Job, all_reduces, suited, train
from astra_edu.course.studies.synchronisation.sgd import Regression, descend
from astra_edu.explore.search import Search
from astra_edu.network.buffers import SwitchBuffers
from astra_edu.traces import Builder
from astra_edu.workload import Layer, Work

MIB = 2**20
INPUTS = Path(__file__).parents[3] / "exercises" / "inputs"


@cache
def loop(size: int = MIB, platform: str = "dgx2") -> ae.Result:
    """Two layers of a data-parallel loop."""
    works = [Work(20_000, None, 0), Work(30_000, None, 0), Work(30_000, "all-reduce", size)]
    return ae.simulate(ae.Workload("DATA", [Layer(f"fc{k}", *works) for k in range(2)]), ae.preset(platform))


@cache
def pipelined(order: str = "1f1b") -> ae.Iteration:
    """GPT-2 on four stages."""
    on = ae.Platform((ae.Dimension.of("Switch", 4, 220, 1000),), ae.SystemConfig.of("halvingDoubling", splits=1))
    return ae.estimate("gpt2", ae.Strategy(pipeline=4, batch=8, pipeline_order=order), "a100", on)


@cache
def step(size: int = MIB) -> ae.TraceResult:
    """A training step in which every NPU takes its own time, and waits for the last."""
    trace = Builder(4)
    last = trace.compute("forward", [30 + 40 * npu for npu in range(4)])
    last = trace.compute("backward", 60, after=last)
    reduced = trace.all_reduce("gradients", size, after=last)
    trace.compute("update", 20, after=reduced)
    ring = ae.TracePlatform(ae.Block("Ring", 4, 50, 500), ae.TraceSystem.of("ring", splits=4))
    return ae.simulate(trace.build(), ring, record=True)


@cache
def pipeline(order: str = "1f1b", micro_batches: int = 4) -> ae.PipelineRun:
    return ae.run_pipeline(order, 3, micro_batches, forward_ns=10_000, backward_ns=20_000)


@cache
def costs_and_times(total: int = 100) -> Search:
    """The cost of DGX-2s' networks and an all-reduce's time on them."""
    grid = {f"platform.network[{d}].bandwidth": [5, total // 4, total] for d in range(2)}
    given = {"workload": ae.Workload.micro("all-reduce", 2**24), "platform": ae.preset("dgx2")}
    return ae.search(grid, ["at_least_ns", "network_cost"], given=given, progress=False)


def some_runs(*sources: str) -> DataFrame:
    """Those of the runs that ship."""
    runs = measured.runs()
    return runs[runs.source_id.isin(sources)]


@cache
def links(npus: int = 4) -> ae.TraceResult:
    return recorded(ae.Block("Ring", npus, 50, 500))


@cache
def rows(size: int = 2**24) -> list:
    return list(all_reduces(["W-2D", "Conv-3D"], ["baseline", "Themis, SCF"], sizes=[size], splits=8))


@cache
def sizes(systems: tuple[str, ...] = ("W-2D", "Conv-3D")) -> list:
    return list(all_reduces(list(systems), ["baseline", "Themis, SCF"], sizes=[2**20, 2**24], splits=8))


@cache
def with_endpoints(model: str = "vgg16") -> dict:
    ways = (endpoint.COMM_OPT, endpoint.ACE)
    return {each.name: endpoint.iteration(model, each, dims=(4, 2, 2), passes=2) for each in ways}


@cache
def pool(groups: int = 4) -> memory_systems.HierarchicalPool:
    fabric = memory_systems.Fabric(nodes=3, gpus_per_node=4, in_bandwidth=256, out_switches=2, out_bandwidth=64)
    return memory_systems.HierarchicalPool(fabric, groups=groups, group_bandwidth=100)


@cache
def case_study() -> dict:
    return memory_systems.case_study_3()


@cache
def transfer(packets: int = 4) -> memory_systems.Transfer:
    stages = (memory_systems.Stage("memory", 400 * packets), memory_systems.Stage("link", 800 * packets))
    return memory_systems.Transfer(stages, packets)


@cache
def workers(slow: float = 3) -> dict[str, synchronisation.Run]:
    times = synchronisation.ComputeTimes("exponential", 1000, 0.5, slow=slow)
    cluster = synchronisation.Cluster(3, times, 100, 20, 200)
    return {
        "synchronous": synchronisation.bulk_synchronous(cluster, 50_000),
        "asynchronous": synchronisation.asynchronous(cluster, 50_000),
    }


@cache
def trainings(rate: float = 0.1) -> dict:
    return {f"{n} samples a step": descend(Regression(), (n, rate, 800 // n)) for n in (4, 16)}


@cache
def jobs(data: int = 8) -> dict:
    each = {"VGG-16": "vgg16", "GNMT": "gnmt"}
    networks = {name: suited((ae.Block(name, data, 50, 500),)) for name in ("Ring", "Switch")}
    made = [Job(name, ae.model(model), ae.Strategy(data=data)) for name, model in each.items()]
    return {job.name: {name: train(job, platform) for name, platform in networks.items()} for job in made}


@cache
def estimates(data: int = 8) -> dict:
    pods = ae.Platform((ae.Dimension.of("Switch", data, 220, 1000),), ae.SystemConfig.of("halvingDoubling"))
    strategies = {"copies": ae.Strategy(data=data), "tensor": ae.Strategy(tensor=data)}
    return {name: ae.estimate("bert-large", strategy, "a100", pods) for name, strategy in strategies.items()}


def kept(model: str = "gpt2") -> dict[str, ae.Memory]:
    return {f"ZeRO-{zero}": ae.memory(model, ae.Strategy(data=8, zero=zero)) for zero in (0, 3)}


GEMMS = {"large": ae.Gemm(4096, 4096, 4096), "one row": ae.Gemm(1, 4096, 4096)}
ARRAYS = ae.SystolicArray(128, 128), ae.SystolicArray(32, 32, count=16)
STRATEGIES = {"data": ae.Strategy(data=8), "tensor": ae.Strategy(tensor=8)}
BANDWIDTHS = [50, 100, 2000]
AT_THE_RECEIVER = ("switch 0.0", 0)


@cache
def small() -> ae.TraceResult:
    """Eight NPUs that send to one, through a buffer that is too small."""
    return incast(SwitchBuffers(128 * 1024))


def _ring(npus: int) -> ae.Schedule:
    return ae.schedule("all-reduce", "ring", npus)


SAMPLES: dict[str, tuple[Callable[[], Picture], Callable[[], Picture]]] = {
    "against_measured": tuple(
        lambda name=name: ae.plots.against_measured(
            measured.sweep(name), {"one line": measured.judged(measured.sweep(name)).model, "free": lambda size: 50.0}
        )
        for name in ("a100-8", "hgx-h100-2")
    ),
    "all_reduce_bars": (lambda: ae.plots.all_reduce_bars(rows()), lambda: ae.plots.all_reduce_bars(rows(2**26))),
    "all_reduce_costs": (
        lambda: ae.plots.all_reduce_costs((2, 4, 8, 16), ("ring", "halving-doubling", "naive")),
        lambda: ae.plots.all_reduce_costs((2, 8), ("ring", "double-binary-tree", "naive")),
    ),
    "bandwidth_sweep": tuple(
        lambda k=k: ae.plots.bandwidth_sweep(
            BANDWIDTHS, {"a": [8 * k, 4, 1], "b": [9, 6, 5]}, of="a group", what="time (ms)", marks={"here": (100, k)}
        )
        for k in (1, 3)
    ),
    "bandwidth_used": (
        lambda: ae.plots.bandwidth_used(sizes()),
        lambda: ae.plots.bandwidth_used(sizes(("W-2D", "Conv-4D"))),
    ),
    "bus_bandwidths": (
        lambda: ae.plots.bus_bandwidths([measured.sweep("h100-16"), measured.sweep("a100-8")], {"wire": 200}),
        lambda: ae.plots.bus_bandwidths([measured.sweep("a100-8"), measured.sweep("hgx-h100-2")]),
    ),
    "busiest_links": (
        lambda: ae.plots.busiest_links({"ring": links(), "tree": links(8)}, most=3),
        lambda: ae.plots.busiest_links(links(8), most=3),
    ),
    "chunks": (lambda: ae.plots.chunks(loop()), lambda: ae.plots.chunks(step())),
    "communication": (
        lambda: ae.plots.communication("vgg16", STRATEGIES),
        lambda: ae.plots.communication("bert-large", STRATEGIES),
    ),
    "compute_and_exposed": (
        lambda: ae.plots.compute_and_exposed({"loop": loop(), "pipeline": pipeline()}),
        lambda: ae.plots.compute_and_exposed({"loop": loop(2 * MIB), "pipeline": pipeline("gpipe")}),
    ),
    "curves": tuple(
        lambda k=k: ae.plots.curves(
            {"ACE": {1: 2.0, 10: 4.0 * k}, "software": {10: 1.0, 100: 0.5}},
            "samples",
            "speed",
            levels={"ACE": 3 * k, "another": 3.01},
            points={"here": (10, k)},
            logarithmic="xy",
        )
        for k in (1, 2)
    ),
    "endpoint_steps": (
        lambda: ae.plots.endpoint_steps(_ring(3)),
        lambda: ae.plots.endpoint_steps(ae.schedule("all-reduce", "single-master", 4), npu=2),
    ),
    "endpoint_times": (
        lambda: ae.plots.endpoint_times({"VGG-16": with_endpoints(), "GNMT": with_endpoints("gnmt")}),
        lambda: ae.plots.endpoint_times({"GNMT": with_endpoints("gnmt")}),
    ),
    "beside": tuple(
        lambda k=k: ae.plots.beside(
            {"mesh": {0.1: 30, 0.2: 34, 0.4: k}, "torus": {0.1: 26, 0.4: 33}},
            {"mesh": {0.1: 31, 0.3: 41}},
            "BookSim 2",
            "load",
            "latency (cycles)",
            log_y=k == 82,
        )
        for k in (80, 82)
    ),
    "goodput": tuple(
        lambda k=k: ae.plots.goodput([1, 2, 4], {"drop": [10, 5, k], "credit": [10, 11, 12]}, capacity=12.5)
        for k in (1, 2)
    ),
    "in_switch_gain": (ae.plots.in_switch_gain, ae.plots.in_switch_gain),
    "irregular_use": (
        lambda: ae.plots.irregular_use(ae.SystolicArray(128, 128)),
        lambda: ae.plots.irregular_use(ae.SystolicArray(64, 64)),
    ),
    "iteration_times": (
        lambda: ae.plots.iteration_times(estimates()),
        lambda: ae.plots.iteration_times(estimates(4)),
    ),
    "large_and_small": (
        lambda: ae.plots.large_and_small(GEMMS, ARRAYS),
        lambda: ae.plots.large_and_small({**GEMMS, "large": ae.Gemm(512, 512, 512)}, ARRAYS),
    ),
    "layers": (lambda: ae.plots.layers(loop()), lambda: ae.plots.layers(step())),
    "link_use": (lambda: ae.plots.link_use(links()), lambda: ae.plots.link_use(links(8), order="busy", most=3)),
    "loss_curves": (
        lambda: ae.plots.loss_curves(trainings(), over="samples", target=2),
        lambda: ae.plots.loss_curves(trainings(0.2), over="time"),
    ),
    "memory_bars": (
        lambda: ae.plots.memory_bars(kept(), device="v100"),
        lambda: ae.plots.memory_bars(kept("bert-large"), device="v100"),
    ),
    "memory_over_time": (
        lambda: ae.plots.memory_over_time(pipelined()),
        lambda: ae.plots.memory_over_time(pipelined("gpipe")),
    ),
    "memory_hierarchy": (
        lambda: ae.plots.memory_hierarchy(pool()),
        lambda: ae.plots.memory_hierarchy(pool(6)),
    ),
    "memory_traffic": (
        lambda: ae.plots.memory_traffic({"ring": _ring(8), "direct": ae.schedule("all-reduce", "direct", 4)}),
        lambda: ae.plots.memory_traffic({"ring": _ring(4)}),
    ),
    "model_growth": (lambda: ae.plots.model_growth("v100"), lambda: ae.plots.model_growth("a100")),
    "packet_stages": (
        lambda: ae.plots.packet_stages({"few": transfer(), "more": transfer(6)}),
        lambda: ae.plots.packet_stages(transfer(6)),
    ),
    "prediction_errors": (
        lambda: ae.plots.prediction_errors(some_runs("internevo", "megatron_llama", "simumax_b200")),
        lambda: ae.plots.prediction_errors(some_runs("torchtitan"), of="memory"),
    ),
    "queue_length": (
        lambda: ae.plots.queue_length({"endless": incast(SwitchBuffers(None)), "small": small()}, AT_THE_RECEIVER),
        lambda: ae.plots.queue_length(small(), AT_THE_RECEIVER),
    ),
    "ring_or_tree": (lambda: ae.plots.ring_or_tree((2, 16, 64)), lambda: ae.plots.ring_or_tree((2, 8), bandwidth=100)),
    "roofline": (
        lambda: ae.plots.roofline([ae.device("a100"), ae.device("v100")], GEMMS),
        lambda: ae.plots.roofline(ae.device("a100"), {"other": ae.Gemm(64, 64, 64)}),
    ),
    "frontier": tuple(lambda total=total: ae.plots.frontier(costs_and_times(total)) for total in (100, 150)),
    "roles": tuple(
        lambda n=n: ae.plots.roles(
            ae.traces.from_pipeline("1f1b", n, 4, forward_micros=10, backward_micros=20, bytes=4096),
            ae.TracePlatform(ae.Block("Ring", n, 50, 500), ae.TraceSystem.of("ring")),
        )
        for n in (4, 6)
    ),
    "scaling": tuple(
        lambda k=k: ae.plots.scaling({"data": {2: 100, 4: 195, 8: k}, "tensor": {2: 80, 4: 120, 8: 160}})
        for k in (370, 380)
    ),
    "size_sweep": tuple(
        lambda k=k: ae.plots.size_sweep(
            [MIB, 16 * MIB, 256 * MIB], {"ring": [45_000 + k, 302_000, 4_404_000], "tree": [40_000, 400_000, 6_000_000]}
        )
        for k in (0, 1000)
    ),
    "stages": (
        lambda: ae.plots.stages({"1F1B": pipeline(), "GPipe": pipeline("gpipe")}),
        lambda: ae.plots.stages({"1F1B": pipeline(micro_batches=5), "step": step()}),
    ),
    "staleness": (lambda: ae.plots.staleness(_stale()), lambda: ae.plots.staleness(_stale(20))),
    "timeline": (lambda: ae.plots.timeline(loop()), lambda: ae.plots.timeline(step(), npus=[0, 3])),
    "trace_graph": (lambda: ae.plots.trace_graph(step(), npu=0), lambda: ae.plots.trace_graph(step(2 * MIB), npu=3)),
    "trace_timeline": (
        lambda: ae.plots.trace_timeline(step()),
        lambda: ae.plots.trace_timeline(step(2 * MIB), npus=[1]),
    ),
    "training_bars": (
        lambda: ae.plots.training_bars(jobs(), "Ring"),
        lambda: ae.plots.training_bars(jobs(4), "Switch"),
    ),
    "training_parts": (
        lambda: ae.plots.training_parts(case_study()),
        lambda: ae.plots.training_parts(dict([*case_study().items()][1:])),
    ),
    "utilisation": (
        lambda: ae.plots.utilisation({"1 MiB": loop(), "4 MiB": loop(4 * MIB)}),
        lambda: ae.plots.utilisation({"trace": step()}),
    ),
    "validation": (
        lambda: ae.plots.validation(measured.megatron()[:2]),
        lambda: ae.plots.validation(measured.megatron()[1:3]),
    ),
    "worker_timeline": (
        lambda: ae.plots.worker_timeline(workers(), until_ns=12_000),
        lambda: ae.plots.worker_timeline(workers(20)),
    ),
}


def _stale(slow: float = 3) -> dict[str, synchronisation.Run]:
    times = synchronisation.ComputeTimes("exponential", 1000, 0.5, slow=slow)
    cluster = synchronisation.Cluster(3, times, 100, 20, 200)
    return {
        "asynchronous": synchronisation.asynchronous(cluster, 50_000),
        "bounded": synchronisation.bounded_staleness(cluster, 50_000, 1),
    }


@cache
def picture(name: str, which: int = 0) -> Picture:
    return SAMPLES[name][which]()
