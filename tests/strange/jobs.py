"""Valid calls of what makes jobs: traces, files, models, strategies, devices."""

from pathlib import Path

from strange.calls import call
from strange.simulator import BLOCK, PLATFORM, SYSTEM, TRACE, TRACE_PLATFORM, TRACE_SYSTEM, WORKLOAD

import astra_edu as ae
from astra_edu import formats, traces
from astra_edu.traces import Node, NodeType
from astra_edu.workload import compute, models, strategies

GEMM, ARRAY = ae.Gemm(64, 48, 40), ae.SystolicArray(16, 16)
A100 = ae.device("a100")
SPLIT = ae.Strategy(data=2, batch=8)
OPERATOR = {"name": "fc", "after": (), "split": compute.Split.GATHERED, "shares_input": False}
SHAPE = compute.Linear(name="fc", inputs=8, outputs=8)
MODEL = ae.transformer("small", hidden=64, heads=4, blocks=2, sequence=16, vocabulary=100)
MIXTURE = ae.with_experts(MODEL, 4)
RECORDED = Path(__file__).parents[2] / "exercises/inputs/pytorch"


def build(method, **given):
    """An operation of a trace in the making."""
    builder = traces.Builder(4)
    first = builder.compute("first", 5)
    if given.get("after") == "first":
        given["after"] = first
    getattr(builder, method)(**given)
    return builder.build()


def steps_of(npus):
    """What a sweep runs."""
    return ae.schedule("all-reduce", "ring", npus).step_count


def written(save, text):
    """A file for the reading functions, made anew, as the tests run in an empty folder."""
    with open(save, "w", encoding="utf-8") as file:
        file.write(text)
    return save


def loaded_workload(**given):
    """Read a workload that is there."""
    written("workload.txt", formats.format_workload(WORKLOAD))
    return ae.load_workload(**given)


def loaded_platform(**given):
    """Read a platform that is there."""
    written("network.json", formats.format_network(PLATFORM.network))
    written("system.txt", formats.format_system(SYSTEM))
    return ae.load_astra_sim(**given)


def loaded_trace(**given):
    """Read a trace that is there."""
    traces.save_trace(TRACE, "trace")
    return traces.load_trace(**given)


def timed(model):
    """A model made by hand, on a device."""
    return ae.generate_workload(model, SPLIT, A100)


def latent(attention):
    """A model whose attention is latent."""
    shape = {"hidden": 64, "heads": 4, "blocks": 1, "sequence": 16, "vocabulary": 100}
    return timed(models.llama("mine", **shape, latent=attention))


KINDS = {
    "feedforward": 32,
    "kv_heads": 2,
    "head_dim": 8,
    "activation": "swiglu",
    "norm": "rms",
    "positions": "rope",
    "attention": "flash",
    "causal": True,
    "window": 4,
    "full_every": 2,
    "qk_norm": True,
    "sinks": True,
    "bias": True,
    "attention_bias": False,
    "dropout": True,
    "tied": True,
    "vocabulary_multiple": 8,
    "experts": 4,
    "top_k": 2,
    "expert_feedforward": 16,
    "shared_experts": 1,
    "dense_blocks": 1,
    "router_bias": True,
    "capacity": 1.5,
    "next_tokens": 1,
}
COLLECTIVE = {"name": "sums", "bytes": 4096, "after": "first", "on": None, "group": None, "involved_dim": None}
NODE = {
    "id": 1,
    "name": "sums",
    "type": NodeType.COMP_NODE,
    "data_deps": (),
    "ctrl_deps": (),
    "duration_micros": 5,
    "start_time_micros": 0,
    "attributes": {},
    "inputs": None,
    "outputs": None,
}
PLAIN = {"id": 1, "name": "n", "type": "COMP_NODE", "duration_micros": 5, "data_deps": [], "ctrl_deps": [], "attr": {}}

CALLS = [
    call(
        "Device",
        lambda **given: ae.Device(**given).gemm_ns(GEMM),
        name="mine",
        flops_per_s=1e14,
        memory_bytes_per_s=1e12,
        memory_bytes=10**10,
        source="",
        matrix_efficiency=0.5,
        memory_efficiency=0.5,
        array=ARRAY,
        clock_hz=1e9,
    ),
    call(
        "Device, its peaks",
        lambda **given: ae.Device(**given).peak(8),
        name="mine",
        flops_per_s=1,
        peaks={8: 2},
        units=4,
    ),
    call("compute.Tile", lambda **given: compute.Tile(**given).count(GEMM), rows=8, columns=4, share=0.5),
    call(
        "compute.Kernels",
        lambda **given: compute.Kernels(**given).share(GEMM),
        units=4,
        tiles=(compute.Tile(8, 8),),
        splits=(1, 2),
        ramp=8,
        launch_ns=1,
        host_ns=1,
    ),
    call(
        "compute.Calibration",
        lambda **given: compute.Calibration(**given).overhead_ns(8) + compute.Calibration(**given).sends_ns(4, 2),
        stack="mine",
        low=0.9,
        high=1.1,
        update_bytes=30,
        sum_bytes=4,
        micro_batch_ns=1,
        step_ns=1,
        collective_ns=1,
        send_ns=1,
        grows=0.5,
        apart=2,
    ),
    call("Device .peak", A100.peak, bits=32),
    call(
        "Machine",
        lambda **given: ae.Machine(**given).platform(32),
        device=A100,
        node=16,
        link_bytes_per_s=1e11,
        nic_bytes_per_s=1e10,
        source="",
        wiring="Torus",
        sides=(4, 4),
        tray=8,
        link_ns=500,
        nic_ns=1000,
    ),
    call("Machine .network", ae.machine("gb200").network, npus=128, per_node=64),
    call("Machine .platform", ae.machine("tpu-v4").platform, npus=128, per_node=64, splits=4),
    call("Machine .peak", ae.machine("h100").peak, bits=8),
    call("machine", ae.machine, name="h100"),
    call("Device .gemm_ns", A100.gemm_ns, gemm=GEMM, element_bytes=2, bits=16),
    call("Device .compute_ns", A100.compute_ns, compute=SHAPE.forward(1), element_bytes=2, bits=16),
    call("Device .bound", A100.bound, compute=SHAPE.forward(1), element_bytes=2),
    call("Device .folds_ns", A100.folds_ns, gemm=GEMM),
    call("Device .memory_ns", A100.memory_ns, moved_bytes=4096),
    call("Device .operations_ns", A100.operations_ns, flops=4096),
    call("Folding", lambda **given: ae.Folding(**given).cycles, gemm=GEMM, array=ARRAY, dataflow="weight"),
    call("Folding .fold", ae.Folding(GEMM, ARRAY).fold, number=0),
    call(
        "Gemm",
        lambda **given: A100.gemm_ns(ae.Gemm(**given)),
        m=64,
        n=48,
        k=40,
        count=1,
        moved=None,
        of_activations=False,
    ),
    call(
        "Model",
        lambda **given: timed(ae.Model(**given)),
        name="mine",
        operators=(compute.Linear(name="a", inputs=8, outputs=8), compute.Linear(name="b", inputs=8, outputs=8)),
        blocks=(range(1), range(1, 2)),
        published=None,
        exact=False,
        source="",
    ),
    call("Model .flops", MODEL.flops, batch=1),
    call(
        "Precision",
        lambda **given: ae.memory(MODEL, ae.Strategy(precision=ae.Precision(**given))),
        products=8,
        activations=16,
        parameters=16,
        gradients=32,
        optimiser=64,
    ),
    call(
        "Strategy",
        lambda **given: ae.generate_workload(MODEL, ae.Strategy(**given), A100),
        data=2,
        tensor=1,
        pipeline=1,
        placement="tensor-first",
        micro_batch=1,
        batch=4,
        pipeline_order="1f1b",
        virtual=1,
        zero=0,
        sequence_parallel=False,
        recompute="none",
        exchange_embeddings=False,
        element_bytes=2,
        context=1,
        expert=1,
        precision=None,
    ),
    call(
        "Strategy of experts",
        lambda **given: (ae.communications(MIXTURE, ae.Strategy(**given)), ae.memory(MIXTURE, ae.Strategy(**given))),
        data=2,
        context=2,
        expert=4,
        tensor=2,
    ),
    call("Strategy .own_tokens", SPLIT.own_tokens, operator=SHAPE),
    call("Strategy .sharing", SPLIT.sharing, operator=SHAPE),
    call("Strategy .check", SPLIT.check, model=MODEL),
    call("Strategy .divides", SPLIT.divides, model=MODEL),
    call("Strategy .part", SPLIT.part, operator=SHAPE),
    call("Strategy .stage", SPLIT.stage, number=0),
    call("SystolicArray", ae.SystolicArray, rows=16, columns=16, count=1),
    call(
        "Trace",
        lambda **given: ae.simulate(ae.Trace(**given), TRACE_PLATFORM, progress=False),
        nodes=TRACE.nodes,
        groups={"1": (0, 1)},
        files=(),
        metadata=(),
    ),
    call("Trace .where", TRACE.where, npu=0),
    call("Trace .custom_steps", traces.from_nodes([[PLAIN]]).custom_steps, rank=0),
    call("candidates", ae.candidates, model=MODEL, npus=4, batch=4, whole_space=False, also=()),
    call(
        "clocks",
        ae.clocks,
        algorithm="ring",
        topology="Ring",
        npus=4,
        bandwidth=25,
        latency=1000,
        model=MODEL,
        device="a100",
    ),
    call("communications", ae.communications, model=MODEL, strategy=SPLIT, stage=None),
    call("device", ae.device, name="a100"),
    call(
        "step_times",
        ae.step_times,
        iteration=2e9,
        steps=20,
        seed=1,
        npus=64,
        spread=0.01,
        pauses_per_h=1,
        pause_ms=50,
        stop_every=5,
        stop_ms=100,
    ),
    call("estimate", ae.estimate, model=MODEL, strategy=ae.Strategy(data=4), device="a100", platform=PLATFORM),
    call(
        "estimate by the trace",
        ae.estimate,
        model=MODEL,
        strategy=ae.Strategy(data=4),
        device="a100",
        platform=TRACE_PLATFORM,
    ),
    call(
        "fastest",
        ae.fastest,
        model=MODEL,
        strategies=[ae.Strategy(data=4)],
        device="a100",
        platform=PLATFORM,
        fits=False,
    ),
    call("fewest_npus", ae.fewest_npus, model=MODEL, device="a100", batch=4),
    call("fitting", ae.fitting, model=MODEL, strategies=[SPLIT], device="a100"),
    call(
        "sweep",
        ae.sweep,
        run=steps_of,
        grid_or_points={"npus": [4, 8]},
        executor=None,
        store="runs.parquet",
        given={},
        seed=0,
        progress=True,
    ),
    call(
        "search",
        ae.search,
        space={"npus": [4, 8]},
        objective="value",
        constraints=None,
        budget=10,
        run=steps_of,
        given={},
        bound=None,
        seconds=None,
        method="auto",
        executor=None,
        store=None,
        seed=0,
        progress=True,
    ),
    call("Range", lambda **given: list(ae.Range(**given)), low=4, high=8, step=2, log=False),
    call("bandwidths", ae.bandwidths, platforms=PLATFORM, total=100, cost=None, steps=4),
    call(
        "shapes",
        ae.shapes,
        npus=4,
        blocks=[ae.Dimension.of("Ring", 2, 50, 500)],
        system=SYSTEM,
        dimensions=2,
        algorithms={},
    ),
    call("algorithms", ae.algorithms, platforms=PLATFORM, names=["ring"]),
    call("placements", ae.placements, platforms=PLATFORM),
    call("plans", ae.plans, model=MODEL, npus=2, batch=4, groups=1, strategies=None),
    call(
        "generate_workload", ae.generate_workload, model=MODEL, strategy=SPLIT, device="a100", stage=None, platform=None
    ),
    call("load_workload", loaded_workload, path="workload.txt", comm_scale=1, compute_scale=1, groups=None),
    call(
        "load_astra_sim",
        loaded_platform,
        network="network.json",
        system="system.txt",
        injection_scale=1,
        num_queues_per_dim=1,
        rendezvous_protocol=False,
        memory=None,
        congestion_aware=False,
    ),
    call(
        "memory",
        ae.memory,
        model=MODEL,
        strategy=SPLIT,
        stage=None,
        gradient_bytes=2,
        optimiser_bytes=12,
        fragmentation=0.03,
    ),
    call("model", lambda **given: timed(ae.model(**given)), name="gpt2", sequence=16, blocks=2, hidden=64, heads=4),
    call(
        "models.LatentAttention",
        lambda **given: latent(models.LatentAttention(**given)),
        kv_rank=8,
        q_rank=8,
        nope=8,
        rope=4,
        value=8,
    ),
    call(
        "models.llama",
        lambda **given: timed(models.llama(**given)),
        name="mine",
        hidden=64,
        heads=4,
        blocks=2,
        sequence=16,
        vocabulary=100,
        **{what: value for what, value in KINDS.items() if what not in ("experts", "top_k")},
    ),
    call("npus_needed", ae.npus_needed, model=MODEL, device="a100", strategy=ae.Strategy(), grow="data"),
    call("save_astra_sim", ae.save_astra_sim, platform=PLATFORM, network="n.json", system="s.txt", memory=None),
    call(
        "save_astra_sim of 2.x",
        ae.save_astra_sim,
        platform=TRACE_PLATFORM,
        network="n.yml",
        system="s.json",
        memory="m.json",
    ),
    call("save_workload", ae.save_workload, workload=WORKLOAD, path="w.txt"),
    call(
        "transformer",
        lambda **given: timed(ae.transformer(**given)),
        name="mine",
        hidden=64,
        heads=4,
        blocks=2,
        sequence=16,
        vocabulary=100,
        **KINDS,
        latent=None,
        published=None,
        exact=False,
        source="",
    ),
    call("with_experts", lambda **given: timed(ae.with_experts(**given)), model=MODEL, experts=4, top_k=2),
    call("traces.Builder", traces.Builder, npus=4),
    call(
        "traces.Builder .compute",
        lambda **given: build("compute", **given),
        name="work",
        micros=5,
        num_ops=100,
        tensor_size=100,
        after="first",
        on=None,
    ),
    call("traces.Builder .cpu", lambda **given: build("cpu", **given), name="work", micros=5, after="first", on=[0, 1]),
    call(
        "traces.Builder .load", lambda **given: build("load", **given), name="work", bytes=4096, after="first", on=None
    ),
    call(
        "traces.Builder .store",
        lambda **given: build("store", **given),
        name="work",
        bytes=4096,
        after="first",
        on=None,
    ),
    *(
        call(f"traces.Builder .{kind}", lambda kind=kind, **given: build(kind, **given), **COLLECTIVE)
        for kind in ("all_reduce", "all_gather", "reduce_scatter", "all_to_all")
    ),
    call(
        "traces.Builder .broadcast",
        lambda **given: build("broadcast", **given),
        name="weights",
        bytes=4096,
        micros=5,
        after="first",
        on=None,
        group=[0, 1],
    ),
    call(
        "traces.Builder .message",
        lambda **given: build("message", **given),
        name="m",
        bytes=4096,
        source=0,
        to=1,
        after="first",
    ),
    call(
        "traces.Builder .send",
        lambda **given: build("send", **given),
        name="m",
        bytes=4096,
        to=1,
        on=0,
        after="first",
        tag=0,
    ),
    call(
        "traces.Builder .receive",
        lambda **given: build("receive", **given),
        name="m",
        bytes=4096,
        source=1,
        on=0,
        after="first",
        tag=0,
    ),
    call(
        "traces.Node",
        lambda **given: ae.simulate(ae.Trace(((Node(**given),),) * 4), TRACE_PLATFORM, progress=False),
        **NODE,
    ),
    call("traces.attribute_of", traces.attribute_of, name="comm_size", value=5, member=None),
    call("traces.collective", traces.collective, name="all_reduce", bytes=4096, npus=4, involved_dim=[True]),
    call("traces.from_nodes", traces.from_nodes, nodes=[[PLAIN]], groups=None),
    call("traces.from_nodes of strange nodes", lambda **given: traces.from_nodes([[given]]), **PLAIN),
    call(
        "traces.from_pipeline",
        traces.from_pipeline,
        order="1f1b",
        stages=2,
        micro_batches=4,
        forward_micros=5,
        backward_micros=5,
        bytes=4096,
        virtual=1,
    ),
    call(
        "traces.from_pytorch",
        traces.from_pytorch,
        host=RECORDED / "mlp.0.host.json",
        kineto=RECORDED / "mlp.0.kineto.json",
        npus=2,
        rounding="carry",
    ),
    call(
        "traces.from_strategy",
        traces.from_strategy,
        model=MODEL,
        strategy=SPLIT,
        device="a100",
        network=None,
        rounding="carry",
        peak_performance=None,
    ),
    call(
        "traces.from_workload",
        traces.from_workload,
        workload=WORKLOAD,
        network=BLOCK,
        passes=1,
        rounding="carry",
        peak_performance=None,
    ),
    call("traces.load_trace", loaded_trace, path="trace", groups=None, check=True),
    call("traces.save_trace", traces.save_trace, trace=TRACE, path="saved", compressed=False),
    call(
        "compute.Compute",
        lambda **given: A100.compute_ns(compute.Compute(**given)),
        gemms=(GEMM,),
        operations=1,
        elements=1,
    ),
    call(
        "compute.Linear",
        lambda **given: compute.Linear(**given).forward(1),
        **OPERATOR,
        inputs=8,
        outputs=8,
        tokens=1,
        bias=True,
        tied=False,
        gathers_back=False,
    ),
    call("compute.irregular_foldings", compute.irregular_foldings, array=ARRAY),
    call("compute.two_of_four", compute.two_of_four, gemm=GEMM),
    call("strategies.stages", strategies.stages, model=MODEL, count=2, blocks="even"),
    call("formats.format_graph", formats.format_graph, network=ae.GraphNetwork(ae.as_graph(BLOCK))),
    call("formats.format_memory", formats.format_memory, memory=ae.RemoteMemory(), npus=4),
    call("formats.format_network", formats.format_network, network=PLATFORM.network),
    call("formats.format_congested_network", formats.format_congested_network, network=PLATFORM.network),
    call(
        "formats.parse_congested_network",
        formats.parse_congested_network,
        text=formats.format_congested_network(PLATFORM.network),
        name="network",
    ),
    call("formats.format_network_2", formats.format_network_2, network=(BLOCK,)),
    call("formats.format_system", formats.format_system, system=SYSTEM),
    call("formats.format_system_2", formats.format_system_2, system=TRACE_SYSTEM),
    call("formats.format_workload", formats.format_workload, workload=WORKLOAD),
    call(
        "formats.parse_graph",
        formats.parse_graph,
        text=formats.format_graph(ae.GraphNetwork(ae.as_graph(BLOCK))),
        name="graph",
    ),
    call(
        "formats.parse_memory",
        formats.parse_memory,
        text=formats.format_memory(ae.RemoteMemory(), 4),
        name="memory",
        npus=4,
    ),
    call("formats.parse_network", formats.parse_network, text=formats.format_network(PLATFORM.network), name="network"),
    call("formats.parse_network_2", formats.parse_network_2, text=formats.format_network_2((BLOCK,)), name="network"),
    call("formats.parse_system", formats.parse_system, text=formats.format_system(SYSTEM), name="system"),
    call(
        "formats.parse_workload",
        formats.parse_workload,
        text=formats.format_workload(WORKLOAD),
        comm_scale=1,
        compute_scale=1,
        name="workload",
    ),
]
