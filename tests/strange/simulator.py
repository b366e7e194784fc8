"""Valid calls of what simulates: collectives, networks, systems, runs and pipelines."""

import networkx as nx
from strange.calls import call

import astra_edu as ae
from astra_edu import collectives, explain, network, pipeline, run, system
from astra_edu.collectives import Collective, Op, Rounds
from astra_edu.pipeline import Pass
from astra_edu.workload import Layer, Work

JOB = ae.TrainingJob(64, 10, 1000, 60, 10**12, 20)
RING, SWITCH = ae.Dimension.of("Ring", 4, 50, 500), ae.Dimension.of("Switch", 2, 25, 500)
BLOCK = ae.Block("Ring", 4, 50, 500)
SYSTEM = ae.SystemConfig.of("ring")
PLATFORM = ae.Platform(RING, SYSTEM)
TRACE_SYSTEM = ae.TraceSystem.of("ring")
TRACE_PLATFORM = ae.TracePlatform(BLOCK, TRACE_SYSTEM)
WORKLOAD = ae.Workload.micro("all-reduce", 65536)
TRACE = ae.traces.collective("all_reduce", 65536, 4)
RESULT, TRACE_RESULT = ae.simulate(WORKLOAD, PLATFORM), ae.simulate(TRACE, TRACE_PLATFORM)
SCHEDULE = ae.schedule("all-reduce", "ring", 4)
HOW = system.Implementation.parse("ring")
GRAPH = ae.as_graph(BLOCK)
CARDS = (ae.Block("Switch", 2, 400, 500), ae.Block("Switch", 4, 50, 1000))
ROUNDS = SCHEDULE.groups[0]
PIPELINE = {"order": "1f1b", "stages": 2, "micro_batches": 4, "virtual": 1}


def gathers(npus):
    """An all-gather on a ring, by hand."""
    return (Rounds("all-gather", Op.COPY, npus - 1, lambda step, npu: [((npu + 1) % npus, (npu - step) % npus)]),)


def registered(name, does, shards, in_switch=False):
    """Register an algorithm, use it, and take it out again."""
    before = set(ae.ALGORITHMS)
    try:
        ae.register_algorithm(name, does, shards, in_switch)
        ae.prove(ae.schedule("all-gather", name, 4))
    finally:
        for new in set(ae.ALGORITHMS) - before:  # there is no way out for an algorithm but this
            collectives.registry._ALGORITHMS.pop(new)


def simulated(**settings):
    """A run with these settings of 1.0."""
    return ae.simulate(WORKLOAD, ae.Platform(RING, ae.SystemConfig.of("ring", **settings)), progress=False)


def simulated_2(**settings):
    """A run with these settings of 2.x."""
    return ae.simulate(TRACE, ae.TracePlatform(BLOCK, ae.TraceSystem.of("ring", **settings)), progress=False)


def varied(**settings):
    """A run with jitter."""
    return ae.simulate(TRACE, TRACE_PLATFORM, compute=ae.jitter(**settings), progress=False)


def varying(**settings):
    """A run over links that vary."""
    aware = ae.TracePlatform(BLOCK, TRACE_SYSTEM, congestion_aware=True)
    return ae.simulate(TRACE, aware, network=ae.Varying(**settings), progress=False)


def fails(**settings):
    """A day of a job."""
    try:
        return ae.goodput(ae.TrainingJob(**settings), days=1)
    except ae.ConfigError:
        return ae.TrainingJob(**settings)


def built(kind, **given):
    """A system made field by field, and run."""
    made = kind(**given)
    return made if kind is ae.TraceSystem else ae.simulate(WORKLOAD, ae.Platform(RING, made), progress=False)


SETTINGS = {
    "scheduling": "LIFO",
    "endpoint_delay": 10,
    "splits": 2,
    "active_chunks": 1,
    "queues": 1,
    "optimization": "localBWAware",
    "intra_dimension": "FIFO",
    "inter_dimension": "baseline",
    "rendezvous": False,
    "bus": None,
}
HOWS = dict.fromkeys(("all_reduce", "all_gather", "reduce_scatter", "all_to_all"), (HOW,))
SETTINGS_2 = SETTINGS | {
    "local_memory_bandwidth": 100,
    "peak_performance": 100,
    "roofline": False,
    "replay_only": False,
    "custom": {},
    "custom_nodes": {},
}
LAYER = {
    "name": "fc",
    "forward": Work(10, None, 0),
    "input_gradient": Work(10, None, 0),
    "weight_gradient": Work(10, "all-reduce", 4096),
    "update_ns": 1,
    "parallelism": "",
}


def one_layer(**given):
    """A workload of one such layer, run and written."""
    made = ae.Workload("DATA", (Layer(**given),))
    ae.save_workload(made, "workload.txt")
    return ae.simulate(made, PLATFORM, progress=False)


def one_dimension(**given):
    """A dimension, and a run on it."""
    return ae.simulate(WORKLOAD, ae.Platform(ae.Dimension(**given), SYSTEM), progress=False)


def buffered(**given):
    """A run with such buffers."""
    made = ae.TracePlatform(
        ae.Block("Switch", 4, 50, 500), TRACE_SYSTEM, congestion_aware=True, buffers=given["buffers"]
    )
    return ae.simulate(TRACE, made, progress=False)


CALLS = [
    call("jitter", varied, spread=0.1, seed=1, kind="uniform"),
    call("Varying", varying, bandwidth=lambda link, ns: 1, changes=[1000], latency=lambda link, number, ns: ns),
    call(
        "TrainingJob",
        fails,
        npus=64,
        iteration_s=10,
        npu_mtbf_h=1000,
        checkpoint_every=60,
        checkpoint_bytes=10**12,
        storage_gb_s=20,
        snapshot_s=None,
        detect_s=60,
        restart_s=60,
        node_npus=8,
        spares=None,
        repair_h=24,
        shrink=False,
    ),
    call("goodput", ae.goodput, job=JOB, days=2, seed=1),
    call("Block", ae.Block, topology="Ring", npus=4, bandwidth=50, latency=500),
    call("Change", ae.Change, description="faster", workload=None, platform=PLATFORM, cause=""),
    call(
        "Dimension",
        one_dimension,
        topology="Ring",
        npus=4,
        links=2,
        bandwidth=50,
        latency=500,
        nic=0,
        router=0,
        hbm_latency=0,
        hbm_bandwidth=1,
        hbm_scale=0,
        kind="Node",
    ),
    call("Dimension .of", ae.Dimension.of, topology="Ring", npus=4, bandwidth=50, latency=500, links=2),
    call(
        "GraphNetwork",
        ae.GraphNetwork,
        graph=GRAPH,
        dims=(4,),
        npus=4,
        shortest="latency",
        ties="next",
        routes={(0, 2): [0, 1, 2]},
    ),
    call("GraphNetwork .route", ae.GraphNetwork(GRAPH).route, source=0, destination=1),
    call("GraphNetwork .way", ae.GraphNetwork(GRAPH).way, source=0, destination=1),
    call("GraphNetwork .message_ns", ae.GraphNetwork(GRAPH).message_ns, source=0, destination=1, message_bytes=4096),
    call(
        "GraphNetwork of strange links",
        lambda bandwidth, latency: ae.GraphNetwork(nx.Graph([(0, 1, {"bandwidth": bandwidth, "latency": latency})])),
        bandwidth=50,
        latency=500,
    ),
    call("Platform", ae.Platform, network=RING, system=SYSTEM, congestion_aware=False),
    call(
        "RemoteMemory",
        ae.RemoteMemory,
        kind="PER_NODE_MEMORY_EXPANSION",
        latency=100,
        bandwidth=50,
        npus_per_node=2,
    ),
    call("RemoteMemory .access_ns", ae.RemoteMemory("PER_NPU_MEMORY_EXPANSION", 100, 50).access_ns, tensor_bytes=4096),
    call("Result .explain", RESULT.explain, changes=True),
    call("Result .chunk_latency_ns", RESULT.chunk_latency_ns, dimension=0),
    call("Result .utilisation", RESULT.utilisation, period_ns=10_000),
    call("Result .save_chrome_trace", RESULT.save_chrome_trace, path="run.json"),
    call("Schedule .buffer_bytes", SCHEDULE.buffer_bytes, size=4096),
    call(
        "SwitchBuffers",
        ae.SwitchBuffers,
        size="256 KiB",
        packet=4096,
        flow_control="drop",
        timeout=100_000,
        only=("switch",),
    ),
    call("SwitchBuffers .packets", ae.SwitchBuffers().packets, message_bytes=4096),
    call("SwitchBuffers .room", ae.SwitchBuffers().room, node="switch 0.0"),
    call(
        "SystemConfig",
        lambda **given: built(ae.SystemConfig, **given),
        **HOWS,
        **SETTINGS,
        gap_denominator=16,
        boost=True,
    ),
    call("SystemConfig .of", ae.SystemConfig.of, implementation="ring"),
    call("SystemConfig .of with settings", simulated, **SETTINGS, gap_denominator=16, boost=True),
    call("SystemConfig .with_injection_scale", SYSTEM.with_injection_scale, scale=2),
    call("SystemConfig .implementations", SYSTEM.implementations, collective=Collective.ALL_REDUCE),
    call(
        "TracePlatform",
        ae.TracePlatform,
        network=BLOCK,
        system=TRACE_SYSTEM,
        memory=ae.RemoteMemory(),
        congestion_aware=False,
        buffers=None,
    ),
    call("TracePlatform with buffers", buffered, buffers=ae.SwitchBuffers()),
    call("TracePlatform .implementations", TRACE_PLATFORM.implementations, collective=Collective.ALL_REDUCE),
    call("TraceResult .ran_by", TRACE_RESULT.ran_by, npu=0),
    call("TraceResult .explain", TRACE_RESULT.explain, changes=True),
    call("TraceResult .utilisation", TRACE_RESULT.utilisation, period_ns=10_000),
    call(
        "TraceSystem",
        lambda **given: built(ae.TraceSystem, **given),
        implementations={Collective.ALL_REDUCE: (HOW,)},
        **SETTINGS_2,
        everywhere=True,
    ),
    call("TraceSystem .of", ae.TraceSystem.of, implementations=["ring"]),
    call("TraceSystem .of with settings", simulated_2, **SETTINGS_2),
    call(
        "Workload",
        lambda **given: ae.simulate(ae.Workload(**given), PLATFORM, progress=False),
        loop="DATA",
        layers=(Layer(**LAYER),),
        options=(),
    ),
    call("Workload .micro", ae.Workload.micro, collective="all-reduce", size=4096, update_ns=1),
    call("workload.Layer", one_layer, **LAYER),
    call(
        "workload.Work",
        lambda **given: one_layer(**(LAYER | {"weight_gradient": Work(**given)})),
        compute_ns=10,
        collective="all-reduce",
        size=4096,
    ),
    call("as_graph", ae.as_graph, network=BLOCK),
    call("bisection_bandwidth", ae.bisection_bandwidth, network=ae.GraphNetwork(GRAPH)),
    call(
        "fat_tree",
        ae.fat_tree,
        network=CARDS,
        per_leaf=2,
        spines=2,
        per_pod=1,
        cores=2,
        oversubscription=(2, 1),
    ),
    call(
        "rail_optimised",
        ae.rail_optimised,
        network=CARDS,
        per_leaf=2,
        spines=2,
        oversubscription=2,
        pxn=False,
    ),
    call("counts", ae.counts, schedule=SCHEDULE, buffer_bytes=4096),
    call("hierarchical", ae.hierarchical, collective="all-reduce", algorithms=["ring", "ring"], dims=(4, 2)),
    call("preset", ae.preset, name="dgx2"),
    call("prove", ae.prove, schedule=SCHEDULE),
    call(
        "register_algorithm",
        registered,
        name="mine",
        does={"all-gather": gathers},
        shards=lambda npus: npus,
        in_switch=False,
    ),
    call(
        "run_pipeline",
        ae.run_pipeline,
        **PIPELINE,
        forward_ns=1000,
        backward_ns=2000,
        p2p_ns=10,
        blocking=False,
        weight_ns=None,
        hidden_ns=0,
    ),
    call("pipeline.passes", pipeline.passes, **PIPELINE),
    call(
        "pipeline.Pass",
        lambda **given: pipeline.passes([[Pass(**given), Pass("B", 0)]], 1, 1),
        kind="F",
        micro_batch=0,
        virtual_stage=0,
    ),
    call("schedule", ae.schedule, collective="broadcast", algorithm="direct", npus=4, root=0),
    call("roles", ae.roles, trace=TRACE, platform=TRACE_PLATFORM),
    call(
        "simulate",
        ae.simulate,
        workload=WORKLOAD,
        platform=PLATFORM,
        passes=1,
        progress=False,
        record=False,
        everyone=False,
        network=None,
        compute=None,
        down=None,
    ),
    call(
        "simulate a trace",
        ae.simulate,
        workload=TRACE,
        platform=TRACE_PLATFORM,
        passes=1,
        progress=False,
        record=False,
        everyone=False,
        network=None,
        compute=lambda npu, node, ns: ns,
        down=lambda npu: (),
    ),
    call(
        "time_schedule",
        ae.time_schedule,
        schedule=SCHEDULE,
        network=RING,
        collective_bytes=4096,
        endpoint_delay=10,
        window=None,
    ),
    call("to_msccl", ae.to_msccl, schedule=SCHEDULE),
    call("from_msccl", ae.from_msccl, path_or_text=ae.to_msccl(SCHEDULE)),
    call("collectives.algorithms_for", collectives.algorithms_for, collective="all-reduce"),
    call("network.Part", network.Part, dimension=RING, npus=2, spacing=2),
    call("network.Row", network.Row, network=(RING, SWITCH), npus=8, stride=1),
    call("network.dimensions", network.dimensions, network=(RING, SWITCH)),
    call(
        "system.Bus",
        lambda **given: simulated(bus=system.Bus(**given)),
        L=1,
        o=1,
        g=1,
        G=0.1,
        reduction_delay=1,
    ),
    call("system.Implementation", system.Implementation, spelling="ring", algorithm="ring", window=None),
    call("system.Implementation .parse", system.Implementation.parse, spelling="ring", where="implementation"),
    call(
        "system.Implementation .parse_all", system.Implementation.parse_all, joined="ring_ring", where="implementation"
    ),
    call("explain.critical_path", explain.critical_path, run=RESULT),
    call("explain.explain", explain.explain, run=RESULT, changes=[]),
    call("run.save_chrome_trace", run.save_chrome_trace, run=RESULT, path="run.json"),
]
