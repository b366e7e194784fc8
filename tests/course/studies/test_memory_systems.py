"""Memory systems: formulas against simulations and counts made another way, limits, published figures, pictures."""

from __future__ import annotations

import heapq
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import astra_edu as ae
from astra_edu.base.errors import ConfigError
from astra_edu.course.studies.memory_systems import (
    Fabric,
    HierarchicalPool,
    LocalMemory,
    MixtureOfExperts,
    PrivateMemory,
    Stage,
    Transfer,
    activation_intensity,
    case_study_3,
    efficiency,
    hiermem,
    in_switch_bytes,
    in_switch_ns,
    needed_bandwidth,
    optimiser_intensity,
    packet_spans,
    parameter_intensity,
    pipelined_ns,
    ring_ns,
    together_ns,
    zero_infinity,
)
from astra_edu.course.studies.memory_systems.case_study import GPU, MOE_1T, SYSTEMS, parameters
from astra_edu.course.studies.memory_systems.fabric import IN_NODE, OUT_NODE, REMOTE
from astra_edu.course.studies.memory_systems.lanes import Lanes
from astra_edu.system import RemoteMemory

SMALL = MixtureOfExperts(hidden=256, heads=4, blocks=4, experts=8, sequence=128)
FABRIC = Fabric(nodes=2, gpus_per_node=4, in_bandwidth=256, out_switches=2, out_bandwidth=512)
POOL = HierarchicalPool(FABRIC, groups=4, group_bandwidth=100)


# Local and remote memory


def test_local_memory_is_a_latency_and_the_bytes_at_a_bandwidth():
    assert LocalMemory(bandwidth=4096, latency_ns=100).access_ns(8192) == 102
    assert LocalMemory(bandwidth=4096).access_ns(0) == 0


@pytest.mark.parametrize(
    ("kind", "turns"), [("PER_NPU_MEMORY_EXPANSION", 1), ("PER_NODE_MEMORY_EXPANSION", 4), ("MEMORY_POOL", 8)]
)
def test_memories_that_are_shared_serve_in_turn_as_the_simulator_has_it(kind, turns):
    """1 MiB at 100 bytes/ns after 1,000 ns: 11,485 ns once, and 91,880 ns eight times, as ASTRA-sim 2.x reports."""
    memory = RemoteMemory(kind, 1000, 100, npus_per_node=4)
    assert together_ns(memory, 2**20, 8) == turns * 11_485
    load = {"id": 1, "name": "load", "type": "MEM_LOAD_NODE", "attr": {"tensor_size": 2**20}}
    platform = ae.TracePlatform(_block(8), memory=memory)
    assert ae.simulate(ae.traces.from_nodes([[load]] * 8), platform).total_ns == turns * 11_485


def _block(npus):
    from astra_edu.network import Block

    return Block("Ring", npus, 50, 500)


def test_a_node_that_is_not_full_has_fewer_to_wait_for():
    node = RemoteMemory("PER_NODE_MEMORY_EXPANSION", 0, 1, npus_per_node=8)
    assert [together_ns(node, 10, npus) for npus in (1, 3, 8, 16)] == [10, 30, 80, 80]


def test_no_memory_is_told():
    with pytest.raises(ConfigError, match=r"NO_MEMORY_EXPANSION: there is none.*MEMORY_POOL"):
        together_ns(RemoteMemory(), 1, 1)


# Packets through stages

TIMES = st.lists(st.integers(0, 50), min_size=1, max_size=6)


def simulated(packet_ns, packets):
    """Events on a heap, stages that are free or not, and queues before them: when the last packet is out."""
    queues = [list(range(packets)), *([] for _ in packet_ns[1:])]
    busy, events, now = [False] * len(packet_ns), [], 0
    while True:
        for stage, queue in enumerate(queues):
            if queue and not busy[stage]:
                busy[stage] = True
                heapq.heappush(events, (now + packet_ns[stage], queue.pop(0), stage))
        if not events:
            return now
        now, packet, stage = heapq.heappop(events)
        busy[stage] = False
        if stage + 1 < len(packet_ns):
            queues[stage + 1].append(packet)


@given(TIMES, st.integers(1, 12))
def test_the_formula_is_what_a_simulation_of_the_packets_says(packet_ns, packets):
    assert pipelined_ns(packet_ns, packets) == simulated(packet_ns, packets)


@given(TIMES, st.integers(1, 12))
def test_the_spans_that_are_drawn_end_when_the_formula_says(packet_ns, packets):
    spans = packet_spans(packet_ns, packets)
    assert spans[-1][-1][1] == pipelined_ns(packet_ns, packets)
    for row in spans:
        assert [end - start for start, end in row] == packet_ns
        assert all(b[0] >= a[1] for a, b in pairwise(row))  # a packet is in one stage at a time
    for stage in zip(*spans, strict=True):
        assert all(b[0] >= a[1] for a, b in pairwise(stage))  # and a stage has one packet


def test_more_packets_come_nearer_to_the_slowest_stage_alone():
    stages = Stage("a", 100), Stage("b", 400), Stage("c", 100)
    times = [Transfer(stages, packets).ns for packets in (1, 2, 10, 1000)]
    assert times == [600, 500, 420, pytest.approx(400.2)]
    assert Transfer(stages).slowest == "b"
    assert Transfer(stages, 7).reversed().ns == Transfer(stages, 7).ns


# Fabrics and pools: bytes on every link, counted link by link


def links_of_load(pool, own):
    """Every group sends every GPU an equal part of its own bytes over its out-node switch: bytes on each link."""
    fabric, bytes_on = pool.fabric, Counter()
    each = Fraction(own, pool.groups)
    for group in range(pool.groups):
        out = group * fabric.out_switches // pool.groups
        for gpu in range(fabric.gpus):
            node = gpu // fabric.gpus_per_node
            for link in (("memory", group), ("up", group, out), ("across", out, node), ("down", node, gpu)):
                bytes_on[link] += each
    return bytes_on


def links_of_broadcast(pool, shared):
    """Every group sends its part once; every switch copies it to all below."""
    fabric, bytes_on = pool.fabric, Counter()
    each = Fraction(shared, pool.groups)
    for group in range(pool.groups):
        out = group * fabric.out_switches // pool.groups
        bytes_on["memory", group] += each
        bytes_on["up", group, out] += each
        for node in range(fabric.nodes):
            bytes_on["across", out, node] += each
            for gpu in range(fabric.gpus_per_node):
                bytes_on["down", node, gpu] += each
    return bytes_on


@pytest.mark.parametrize("shape", [(2, 4, 2, 4), (3, 2, 4, 8), (4, 4, 1, 2), (1, 8, 2, 2)])
def test_a_stage_takes_as_long_as_the_busiest_of_its_links(shape):
    nodes, gpus, switches, groups = shape
    pool = HierarchicalPool(Fabric(nodes, gpus, 7, switches, 5), groups, 3, link_bandwidth=2)
    bandwidths = {"memory": 3, "up": 2, "across": 5, "down": 7}
    for transfer, counted in (
        (pool.transfer(0, 960), links_of_load(pool, 960)),
        (pool.transfer(960, 0), links_of_broadcast(pool, 960)),
        (pool.transfer(480, 960), links_of_load(pool, 960) + links_of_broadcast(pool, 480)),
        (replace(pool, in_switch=False).transfer(480, 960), links_of_load(pool, 1440)),
    ):
        busiest = [max(b for link, b in counted.items() if link[0] == kind) / bandwidths[kind] for kind in bandwidths]
        assert [stage.ns for stage in transfer.stages] == pytest.approx([float(each) for each in busiest])


@pytest.mark.parametrize("shape", [(2, 4, 2), (3, 2, 4), (1, 8, 1)])
def test_an_all_to_all_takes_what_the_busiest_links_carry(shape):
    nodes, gpus, switches = shape
    fabric = Fabric(nodes, gpus, 7, switches, 5)
    bytes_on = Counter()
    for source in range(fabric.gpus):
        for to in set(range(fabric.gpus)) - {source}:
            bytes_on["in", source] += Fraction(960, fabric.gpus)
            if source // gpus != to // gpus:
                for out in range(switches):
                    bytes_on["out", source // gpus, out] += Fraction(960, fabric.gpus * switches)
    busiest = [max((b for link, b in bytes_on.items() if link[0] == kind), default=0) for kind in ("in", "out")]
    inside, between, again, last = (stage.ns for stage in fabric.all_to_all(960).stages)
    assert (inside, between) == pytest.approx((float(busiest[0] / 7), float(busiest[1] / 5)))
    assert (again, last) == (between, inside)


def test_an_all_gather_brings_every_gpu_what_it_lacks():
    out, inside = FABRIC.all_gather(1024).stages
    assert inside == (IN_NODE, 1024 * 7 / 8 / 256)
    assert out == (OUT_NODE, 1024 * 1 / 2 / 2 / 512)


def test_private_memories_fetch_parts_and_gather_them():
    (fetch, gather), (own,) = PrivateMemory(FABRIC, 100).load(800, 300)
    assert (fetch.transfer.stages, own.transfer.stages) == ((Stage(REMOTE, 1),), (Stage(REMOTE, 3),))
    assert gather.transfer == FABRIC.all_gather(800)
    assert [[move.lane for move in chain] for chain in PrivateMemory(FABRIC, 100).store(800, 300)] == [
        ["remote"],
        ["fabric", "remote"],
    ]


def test_without_copying_switches_shared_bytes_are_everyones_own():
    plain = replace(POOL, in_switch=False)
    assert plain.transfer(960, 0) == POOL.transfer(0, 960)
    assert plain.transfer(960, 0).stages[0].ns == FABRIC.gpus * POOL.transfer(960, 0).stages[0].ns


# Collectives in the switch


def test_what_goes_up_and_down_is_what_astra_sim_sends():
    assert [in_switch_bytes(each, 800, 8) for each in ("all-reduce", "reduce-scatter", "all-gather", "all-to-all")] == [
        (800, 800),
        (800, 100),
        (800, 5600),
        (700, 700),
    ]


def test_whole_messages_by_hand():
    assert in_switch_ns("all-reduce", 8000, 8, 10, 500) == 500 + 800 + 100 + 500 + 800
    assert in_switch_ns("reduce-scatter", 8000, 8, 10, 500) == 500 + 800 + 100 + 500 + 100
    assert in_switch_ns("all-gather", 8000, 8, 10, 500) == 500 + 800 + 500 + 5600
    assert in_switch_ns("all-to-all", 8000, 8, 10, 500) == 500 + 700 + 500 + 700


def test_the_ring_by_hand():
    assert ring_ns("all-reduce", 8000, 8, 10, 500) == 14 * (1000 + 100)
    assert ring_ns("reduce-scatter", 8000, 8, 10, 500) == ring_ns("all-to-all", 8000, 8, 10, 500) == 7 * 1100
    assert ring_ns("all-gather", 8000, 8, 10, 500) == 7 * (1000 + 800)


@pytest.mark.parametrize("npus", [2, 8, 64])
def test_the_switch_gains_nothing_by_bandwidth_unless_it_sends_on_while_it_receives(npus):
    size = 2**40
    ring = ring_ns("all-reduce", size, npus, 100)
    assert ring / in_switch_ns("all-reduce", size, npus, 100) == pytest.approx((npus - 1) / npus)
    assert ring / in_switch_ns("all-reduce", size, npus, 100, packets=2**20) == pytest.approx(
        2 * (npus - 1) / npus, rel=1e-4
    )


def test_load_and_broadcast_is_an_all_gather_in_the_switch():
    """The memory has what the NPUs would send up; both bring (nearly) every byte down every NPU's link once."""
    one = Fabric(nodes=1, gpus_per_node=8, in_bandwidth=100, out_switches=1, out_bandwidth=10_000)
    pool = HierarchicalPool(one, groups=8, group_bandwidth=1000)
    down = pool.transfer(8 * 2**30, 0).ns
    assert down == pytest.approx(in_switch_ns("all-gather", 2**30, 8, 100, packets=2**14) * 8 / 7, rel=1e-3)


# ZeRO-Infinity's intensities


def test_the_efficiencies_that_zero_infinity_states():
    """arXiv 2104.07857, section 4; 70 × 10¹² operations/s and 1,024 tokens a sample are recalled from there."""
    reached = 70e12 / 1e9
    assert efficiency(parameter_intensity(1024, 1), 70, reached) > 0.5
    assert needed_bandwidth(0.9, optimiser_intensity(1024, 2), reached) == pytest.approx(1500, rel=0.2)
    assert efficiency(activation_intensity(2048), 2, reached) > 0.5
    assert efficiency(activation_intensity(8192), 1, reached) > 0.5


@given(st.integers(1, 4096), st.integers(1, 64), st.integers(1, 128))
def test_intensities_are_operations_over_bytes_of_a_transformer(sequence, batch, hidden):
    matrices = 12 * hidden**2  # of one block
    operations = 4 * 2 * sequence * batch * matrices
    assert parameter_intensity(sequence, batch) == operations / (2 * matrices * 4)
    assert optimiser_intensity(sequence, batch) == operations / (16 * matrices * 2)
    assert activation_intensity(hidden) == operations / (2 * sequence * batch * hidden * 2)


@given(st.floats(0.01, 0.99), st.floats(1, 1e6), st.floats(1, 1e6))
def test_the_needed_bandwidth_reaches_the_efficiency(share, intensity, peak):
    assert efficiency(intensity, needed_bandwidth(share, intensity, peak), peak) == pytest.approx(share)


# The mixture of experts


@pytest.mark.parametrize(("blocks", "every", "experts"), [(4, 2, 8), (5, 2, 16), (3, 1, 8), (2, 3, 8)])
def test_parameters_are_those_of_a_transformer_with_more_feed_forward_networks(blocks, every, experts):
    dense = ae.transformer("dense", hidden=256, heads=4, blocks=1, sequence=128, vocabulary=1)
    block = sum(dense.operators[i].parameters for i in dense.blocks[0])
    expert = 2 * 4 * 256**2 + 5 * 256
    model = MixtureOfExperts(hidden=256, heads=4, blocks=blocks, experts=experts, every=every, sequence=128)
    assert model.parameters == blocks * block + blocks // every * (experts - 1) * expert
    assert model.expert_parameters == blocks // every * experts * expert


def test_a_block_computes_what_the_transformers_operators_do():
    model = MixtureOfExperts(hidden=256, heads=4, blocks=2, experts=8, every=2, top=1, sequence=128)
    dense, mixed = model.work(GPU, gpus=8, samples=3)
    block = ae.transformer("dense", hidden=256, heads=4, blocks=1, sequence=128, vocabulary=1)
    operators = [block.operators[i] for i in block.blocks[0]]
    assert dense.shared_ns[0] == pytest.approx(sum(GPU.compute_ns(operator.forward(3)) for operator in operators))
    assert dense.expert_bytes == 0
    assert dense.shared_bytes == mixed.shared_bytes + mixed.expert_bytes  # one of 8 experts, on one of 8 GPUs
    assert sum(mixed.shared_ns) + sum(mixed.expert_ns) == pytest.approx(sum(dense.shared_ns))  # top 1: as many tokens
    assert mixed.exchanged_bytes == 3 * 128 * 256 * 2


def test_several_experts_of_a_gpu_share_its_tokens_out_among_them():
    model = MixtureOfExperts(hidden=256, heads=4, blocks=1, experts=16, every=1, top=2, sequence=128)
    (block,) = model.work(GPU, gpus=8, samples=3)
    of_384 = ae.transformer("384 tokens", hidden=256, heads=4, blocks=1, sequence=384, vocabulary=1)
    expert = [operator for operator in of_384.operators if operator.name.endswith(("mlp1", "gelu", "mlp2"))]
    assert block.expert_ns[0] == pytest.approx(2 * sum(GPU.compute_ns(operator.forward(1)) for operator in expert))
    assert block.expert_bytes == 2 * 2 * sum(operator.parameters for operator in expert)


def test_experts_that_cannot_be_shared_out_are_told():
    with pytest.raises(ConfigError, match="8 experts can't be shared out equally among 3 GPUs; 6 or 9 experts can"):
        SMALL.work(GPU, 3, 1)
    with pytest.raises(ConfigError, match="can't go to 9 experts of 8"):
        replace(SMALL, top=9)


# Lanes


@given(st.data())
def test_what_a_lane_does_and_waits_for_adds_up_to_the_whole_time(data):
    lanes, count = Lanes(), data.draw(st.integers(1, 25))
    for _ in range(count):
        after = data.draw(st.lists(st.sampled_from(lanes.spans), max_size=3)) if lanes.spans else []
        lane = data.draw(st.sampled_from("abc"))
        lanes.add(lane, f"of {lane}", data.draw(st.integers(0, 9)), after)
        span = lanes.spans[-1]
        before = [other.end_ns for other in [*after, *(s for s in lanes.spans[:-1] if s.lane == lane)]]
        assert span.start_ns == max(before, default=0)
    for lane in "abc":
        parts = Counter()
        for kind, ns in [*lanes.works(lane), *lanes.waits(lane)]:
            parts[kind] += ns
        assert sum(parts.values()) == max(span.end_ns for span in lanes.spans)
        assert parts[f"of {lane}"] == sum(span.end_ns - span.start_ns for span in lanes.spans if span.lane == lane)


def test_a_wait_is_blamed_on_what_was_waited_for_in_turn():
    lanes = Lanes()
    fetch = lanes.add("remote", "memory", 5)
    gather = lanes.add("fabric", "links", 3, [fetch])
    lanes.add("gpu", "compute", 4, [gather])
    lanes.add("remote", "memory", 20)
    assert list(lanes.waits("gpu")) == [("links", 3), ("memory", 5), ("memory", 13)]


# Whole iterations


def both(model=SMALL, samples=1, optimiser_bytes=16, private=100.0, **pool):
    other = replace(POOL, **pool)
    memory = PrivateMemory(other.fabric, private)
    return (
        zero_infinity(model, GPU, memory, samples, optimiser_bytes),
        hiermem(model, GPU, other, samples, optimiser_bytes),
    )


@settings(max_examples=25)
@given(st.integers(1, 4), st.sampled_from([0, 16]), st.sampled_from([1.0, 100.0, 1e6]), st.integers(1, 3))
def test_parts_add_up_to_when_everything_is_done(samples, optimiser_bytes, bandwidth, every):
    model = replace(SMALL, every=every)
    times = both(model, samples, optimiser_bytes, private=bandwidth, group_bandwidth=bandwidth)
    for time in times:
        assert time.total_ns == pytest.approx(max(span.end_ns for span in time.spans))
        assert sum(time.split.values()) == pytest.approx(time.total_ns)
        for lane in {span.lane for span in time.spans}:
            ran = [span for span in time.spans if span.lane == lane]
            assert sum(span.end_ns - span.start_ns for span in ran) <= time.total_ns * (1 + 1e-9)
            assert all(b.start_ns >= a.end_ns for a, b in pairwise(ran))
    assert times[0].compute_ns == pytest.approx(times[1].compute_ns)


def test_a_memory_without_bounds_leaves_compute_and_all_to_alls():
    fast = replace(FABRIC, in_bandwidth=1e15, out_bandwidth=1e15)
    for time in both(fabric=fast, private=1e15, group_bandwidth=1e15):
        assert time.exposed_ns < time.total_ns * 1e-4
    limited = both(private=1e15, group_bandwidth=1e15, optimiser_bytes=0)[0]
    exchanges = 2 * 2 * 2 * FABRIC.all_to_all(128 * 2 * 256 * 2).ns  # to and fro, two blocks, both passes
    assert limited.in_node_ns + limited.out_node_ns >= exchanges


def test_a_slow_memory_moves_every_byte_in_turn():
    """Parameters in twice, gradients out once, and 16 bytes of state a parameter in and out."""
    private, _ = both(private=1e-3)
    moved = (SMALL.shared_parameters / 8 + SMALL.expert_parameters / 8) * (3 * 2 + 2 * 16)
    assert private.total_ns == pytest.approx(moved / 1e-3, rel=1e-3)
    assert private.remote_ns / private.total_ns > 0.99


def test_loading_goes_on_while_the_gpu_computes():
    time = both(samples=4)[1]
    loads = sum(span.end_ns - span.start_ns for span in time.spans if span.lane == "pool")
    assert time.total_ns < loads + time.compute_ns + time.in_node_ns
    assert time.exposed_ns < loads


def test_no_block_is_loaded_before_there_is_room_for_it():
    """One block is computed with, one comes in: the load of the third begins when the first one is done."""
    time = both(samples=16, private=1e6, group_bandwidth=1e6, optimiser_bytes=0)[1]
    loads = [span for span in time.spans if span.lane == "pool"]
    computes = [span for span in time.spans if span.lane == "compute"]
    assert loads[1].start_ns < computes[0].end_ns
    assert loads[2].start_ns == computes[0].end_ns  # block 1 is dense: a single step


def test_copying_switches_help_what_everybody_needs():
    dense = replace(SMALL, every=5)  # no block has experts
    plain, copying = (both(dense, optimiser_bytes=0, in_switch=how)[1].total_ns for how in (False, True))
    assert plain > 1.5 * copying


def test_more_bandwidth_never_costs_time():
    for pair in pairwise(both(group_bandwidth=bandwidth)[1].total_ns for bandwidth in (10, 50, 100, 500, 5000)):
        assert pair[0] >= pair[1]


def test_the_wrong_memory_is_told():
    with pytest.raises(ConfigError, match=r"zero_infinity needs a PrivateMemory.*hiermem"):
        zero_infinity(SMALL, GPU, POOL)
    with pytest.raises(ConfigError, match=r"hiermem needs a HierarchicalPool.*zero_infinity"):
        hiermem(SMALL, GPU, PrivateMemory(FABRIC, 100))


# Case study 3


@pytest.mark.parametrize("optimiser_bytes", [0, 16])
def test_case_study_3_has_the_papers_order(optimiser_bytes):
    private, baseline, optimised = (time.total_ns for time in case_study_3(optimiser_bytes=optimiser_bytes).values())
    assert baseline == pytest.approx(private, rel=0.1)  # near-identical
    assert 1.9 < private / optimised < 5  # 500 / 100 is the most that faster memory can bring


def test_the_optimum_is_where_the_in_node_links_are_as_fast_as_the_memory():
    optimised = SYSTEMS["HierMem, optimised"]

    def total_ns(inside, group):
        fabric = replace(optimised.fabric, in_bandwidth=inside)
        return hiermem(MOE_1T, GPU, replace(optimised, fabric=fabric, group_bandwidth=group)).total_ns

    assert total_ns(256, 500) > 1.5 * total_ns(512, 500)  # slower links hold the memory up
    assert total_ns(2048, 500) > 0.97 * total_ns(512, 500)  # faster ones bring nothing


def test_the_table_of_parameters_says_what_is_computed_with():
    table = {row.name: row for row in parameters()}
    assert table["remote memory, each"].values == (100, 100, 500)
    assert table["GPU: in-node link"].values == (256, 256, 512)
    assert table["remote memories"].values == (256, 256, 256)
    assert table["model: 10⁹ parameters"].values[0] == pytest.approx(1039, rel=1e-3)
    assert all(row.known for row in table.values())


# Pictures


@pytest.mark.parametrize(
    "make",
    [
        lambda: LocalMemory(0),
        lambda: LocalMemory(1, -1),
        lambda: LocalMemory(1).access_ns(-1),
        lambda: Transfer(()),
        lambda: Transfer((Stage("a", -1),)),
        lambda: Transfer((Stage("a", 1),), 0),
        lambda: packet_spans([1], 10**6),
        lambda: Fabric(0, 1, 1, 1, 1),
        lambda: Fabric(1, 1, 0, 1, 1),
        lambda: PrivateMemory(FABRIC, 0),
        lambda: HierarchicalPool(FABRIC, 0, 1),
        lambda: HierarchicalPool(FABRIC, 1, 1, link_bandwidth=-1),
        lambda: POOL.transfer(-1, 0),
        lambda: in_switch_ns("all-reduce", 1, 1, 1),
        lambda: in_switch_ns("broadcast", 1, 2, 1),
        lambda: ring_ns("all-reduce", 1, 2, 0),
        lambda: efficiency(0, 1, 1),
        lambda: needed_bandwidth(1, 1, 1),
        lambda: hiermem(SMALL, GPU, POOL, samples=0),
        lambda: hiermem(SMALL, GPU, POOL, optimiser_bytes=-1),
    ],
)
def test_numbers_that_make_no_sense_are_told(make):
    with pytest.raises(ConfigError):
        make()
