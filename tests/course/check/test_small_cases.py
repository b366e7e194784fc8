"""The small cases of exercise 3's to 17's hints: what stands in their pictures is what the right answers say."""

import re
from importlib import import_module

import pytest

import astra_edu as ae
from astra_edu.base.units import bytes_per_ns
from astra_edu.course.check.hints import hints_of
from astra_edu.pipeline import run_pipeline

GIB = 2**30


def right(number, name):
    """The right answer to a question, as it stands in tests/answers."""
    entries = import_module(f"answers.ex{number}").QUESTIONS[name]
    found = entries[1] if callable(entries[0]) and callable(entries[1]) else entries[0]
    return found[0] if isinstance(found, list) else found


def picture(number, name):
    return " ".join(hints_of(f"ex{number}", name).picture.split())


def sent(trace):
    """The collectives of NPU 0, in the order of their numbers."""
    return [node for node in sorted(trace.nodes[0], key=lambda node: node.id) if "comm_type" in node.attributes]


def claims():
    """(exercise, question, what its picture has to hold)."""
    yield 3, "conv_ns", f"{right(3, 'conv_ns')(pixels=4, inputs=3, filters=2, tera=1e9 / 2**40):.0f} operations"
    yield 3, "weight_bytes", f"{right(3, 'weight_bytes')(3, 2)} bytes"
    yield 3, "carry_us", f"{right(3, 'carry_us')(512, 2, 25):,.0f} µs"
    yield 4, "backward_order", f"new one {' '.join(right(4, 'backward_order')(2)).upper()}"
    lists = {"forward": [1, 2, 4], "input_gradient": [0, 16, 32], "weight_gradient": [64, 128, 256]}
    named = {1: "FWD0", 16: "IG1", 64: "WG0"}
    for first, start in ((True, ""), (False, "WG1 WG0 | FWD0 FWD1: ")):
        slack = right(4, "slack_ns")(layer=1, weight_first=first, **lists)
        parts = [name for value, name in sorted(named.items(), key=lambda one: "IWF".index(one[1][0])) if slack & value]
        assert slack == sum(value for value in named if slack & value)
        yield 4, "slack_ns", start + " + ".join(parts)
    volumes = [right(5, "volume_mib")(24, [2, 3], d) for d in (0, 1)]
    yield 5, "volume_mib", f"half of it: 12 MiB 12 MiB {volumes[0]:.0f} MiB"
    yield 5, "volume_mib", f"two thirds: 8 MiB 8 MiB {volumes[1]:.0f} MiB"
    yield 5, "baseline_us", f"{right(5, 'baseline_us')(volumes_mib=[1024, 512], bandwidths=[2, 0.5]):,.0f} µs"
    yield 5, "bound_us", f"{right(5, 'bound_us')(volumes_mib=[1024, 512], bandwidths=[2, 1]):,.0f} µs"
    first, second = right(5, "booked")([0, 0], [1, 0], 12, [2, 3], [1, 0.5])
    yield 5, "booked", f"8 / 0.5 = {second:.0f}"
    yield 5, "booked", f"2 / 1 = {first:.0f}"
    loads = [0, 0]
    for chunk, order in enumerate(([0, 1], [1, 0], [0, 1])):
        before = ", ".join(f"{load:.0f}" for load in loads)
        assert order == sorted(order, key=lambda d: loads[d]) or len(set(loads)) == 1
        loads = right(5, "booked")(list(loads), order, 16, [4, 4], [1, 1])
        yield 5, "first_orders", f"{chunk} {before} {order[0]}, {order[1]}"
    floor, slope = right(6, "fit")(2, 14, 5, 26)
    yield 6, "fit", f"slope {slope:.0f} µs a MiB; 14 - 2 × 4 = {floor:.0f} µs"
    yield 6, "crossover_mib", f"caught up: {right(6, 'crossover_mib')(5, 4, 14, 1):.0f} MiB"
    best = right(6, "best_splits")(2, 18)
    yield 6, "best_splits", f"together {' '.join(f'{2 * k + 18 / k:g}' for k in (1, 2, 3, 4, 6))}"
    assert best == 3
    yield 6, "used", f"half of 50: {right(6, 'used')(512, 20_000, 50):g}"
    yield 7, "data_bytes", f"in all {right(7, 'data_bytes')(6, 2, 3):.0f} bytes"
    one = right(7, "tensor_bytes")(1, 1, 8, 2, 1, 2)
    yield 7, "tensor_bytes", f"2 · 3 · 4 = {right(7, 'tensor_bytes')(1, 2, 8, 2, 3, 2) / (one / 4):.0f}"
    yield 7, "gradient_bytes", f"of 2 bytes: {right(7, 'gradient_bytes')(8, 2, 2):.0f} bytes"
    yield 8, "bubble", {0.25: "a quarter of the time"}[right(8, "bubble")(2, 3)]
    shares = [f"{100 * right(8, 'bubble')(3, m):.0f} %" for m in range(1, 8)]
    yield 8, "micro_batches", f"bubble {' '.join(shares)}"
    yield 8, "micro_batches", f"the least that will do is {right(8, 'micro_batches')(3, 0.25)}"
    for stage in (0, 1):
        passes = " ".join(f"{kind}{i}" for kind, i, *_ in map(tuple, right(8, "order")(stage, 2, 4)))
        yield 8, "order", f"stage {stage} {passes}"
    for stage in range(3):
        yield 8, "kept", f"B0 {right(8, 'kept')(stage, 3, 8)}"
    times = {v: run_pipeline("interleaved", 2, 4, 800, 1600, 100, virtual=v).total_ns for v in (1, 2, 4, 8)}
    yield 8, "best_virtual", f"ns of a run {' '.join(f'{ns:,}' for ns in times.values())}"
    yield 8, "best_virtual", f"the shortest is with {right(8, 'best_virtual')(stages=2, micro_batches=4, p2p_ns=100)}"
    yield 9, "state_bytes", f"no ZeRO 2,000 2,000 12,000 {right(9, 'state_bytes')(1000, 4, 0):,.0f}"
    yield 9, "state_bytes", f"ZeRO-1 2,000 2,000 3,000 {right(9, 'state_bytes')(1000, 4, 1):,.0f}"
    server = right(10, "server_us")(workers=3, size_mib=2, servers=1, bandwidth=1e6 / 1024, latency_ns=500)
    yield 10, "server_us", f"{server:.0f} µs in all"
    steps = right(10, "synchronous_us")(compute_us=[[5, 9, 4], [8, 3, 6]], exchange_us=2)
    yield 10, "synchronous_us", f"in all {steps} µs"
    yield 10, "slowest_in_means", f"= {right(10, 'slowest_in_means')(3):.3f} means"
    for workers in (1, 2):
        rate = right(10, "asynchronous_per_s")(compute_us=[6000] * workers, transfer_us=1000, latency_us=1000)
        yield 10, "asynchronous_per_s", f"{rate:.0f} updates a second"
    asks = right(10, "may_start")
    said = [f"{ahead} ahead: {'yes' if asks([3, 1, 5], worker, 2) else 'no'}" for worker, ahead in enumerate((2, 0, 4))]
    yield 10, "may_start", f"[3, 1, 5] {' '.join(said)}"
    sizes = [node.attributes["comm_size"].value for node in sent(right(11, "buckets")([1] * 5, [3] * 5, 5, 2))]
    yield 11, "buckets", "send {} send {} send {}, the rest".format(*sizes)
    groups = list(map(list, right(11, "groups")(2, 3, 1, 1, 8, 8).groups.values()))
    yield 11, "groups", f"rows: {', '.join(map(str, groups[:3]))}"
    yield 11, "groups", f"columns: {', '.join(map(str, groups[3:]))}"
    per_ns = bytes_per_ns(1)
    arrived = right(12, "arrives_ns")(size=100 * per_ns, links=[(1, 50), (1, 50)], free_ns=[0, 400])
    yield 12, "arrives_ns", f"has arrived at {arrived:.0f} ns"
    busy = right(12, "bottleneck")(
        [(("p", "q"), 2**21), (("p", "q", "r"), 0), (("q", "r"), 3 * 2**20)], {("p", "q"): 10, ("q", "r"): 40}
    )
    yield 12, "bottleneck", f"{' '.join(busy)} 2 MiB 2 / 10 = 0.2 <-- needs longest"
    yield 12, "crossing", f"so {right(12, 'crossing')(7)} messages"
    for algorithm, name in (("ring", "ring"), ("direct", "direct"), ("halving-doubling", "halvingDoubling")):
        yield 12, "best", f"{name} {ae.schedule('all-reduce', algorithm, 4).step_count}"
    yield 13, "sent_gb_s", f"1.5 s {right(13, 'sent_gb_s')(2 * GIB, 4, 1.5e9):.0f} GB/s"
    attributes = {"a": ae.traces.Attribute(7, "int32_val"), "comm_size": ae.traces.Attribute(7, "int32_val")}
    assert [one.member == "int32_val" for one in right(13, "readable")(attributes).values()] == [True, False]
    nodes = [[{"name": "a", "duration_micros": 14000000}, {"name": "b", "duration_micros": 2600}, {"name": "c"}]]
    for before, after in zip(nodes[0], right(13, "in_microseconds")(nodes)[0], strict=True):
        yield 13, "in_microseconds", f"{before} --> {after}"
    ends = {
        "SEND": [(0, 1, 0, 64), (0, 1, 1, 64), (1, 0, 5, 64)],
        "RECV": [(0, 1, 0, 64), (0, 1, 1, 32), (1, 0, 5, 64)],
    }
    names = ("comm_src", "comm_dst", "comm_tag", "comm_size")
    nodes = [
        {"type": f"COMM_{end}_NODE", "attr": dict(zip(names, one, strict=True))} for end in ends for one in ends[end]
    ]
    yield 13, "unmatched", f"unmatched: {' and '.join(map(str, right(13, 'unmatched')([nodes])))}"
    lists = [[(0, 4), (1, 2)], [(0, 4), (1, 2)], [(0, 4)], [(1, 2)]]
    calls = [
        [
            {"id": k, "attr": {"pg_name": "A", "comm_type": kind, "comm_size": size}}
            for k, (kind, size) in enumerate(own)
        ]
        for own in lists
    ]
    yield 13, "disagreeing", str(right(13, "disagreeing")(calls, {"A": [0, 1, 2]}))
    network, system = right(13, "corrected")(
        {"bandwidth": [107.4, 1, 1]}, {"all-reduce-implementation": ["ring"], "local-mem-bw": 107.4}
    )
    yield 13, "corrected", f"2³⁰ = {network['bandwidth'][0]:.2f} GB/s"
    yield 13, "corrected", f"--> {system['all-reduce-implementation']}"
    yield 13, "corrected", f"local-mem-bw: {system['local-mem-bw']}"
    seven = right(14, "dimension_cost")
    prices = {"link": 2, "switch": 10, "NIC": 5}
    costs = [f"{seven(topology, 4, 3, prices) / 8:.0f}" for topology in ("Ring", "FullyConnected", "Switch")]
    yield 14, "dimension_cost", f"2 groups: {costs[0]}, {costs[1]} and {costs[2]} $"
    cut = ae.Strategy(data=8, tensor=2, pipeline=4, batch=256, virtual=2, pipeline_order="interleaved")
    yield 15, "meta", f"64 = {cut.tensor} (tensor) × {cut.pipeline} (pipeline) × {cut.data} (data)"
    yield 15, "meta", f"4,096 = {cut.samples} samples: {cut.micro_batches} for each copy"
    for data, context in ((4, 1), (2, 2), (1, 4)):
        cut = ae.Strategy(data=data, context=context, tensor=2, pipeline=8, batch=16)
        yield 15, "faster", f"{data} {context} {cut.micro_batches} 7 / {cut.micro_batches}"
    yield 15, "least_context", f"{right(15, 'least_context')(64, 2, 4, 4)} 1 4 <-- as many as stages"
    peaks = {16: 100, 8: 200}
    for bits in peaks:
        rate = right(16, "most_tokens_per_s")(1e11, bits, peaks)
        yield 16, "most_tokens_per_s", f"in {bits} bits {peaks[bits]} · 10¹² / 10¹¹ = {rate:,.0f} tokens/s"
    yield 16, "least_exchange_ms", f"at least {right(16, 'least_exchange_ms')(1e9, 4, 80):.0f} ms"
    for zero in range(4):
        kept = f"{right(16, 'least_state_gb')(80e9, 4, 2, 4, zero):.0f}"
        row = picture(16, "least_state_gb").partition(f"ZeRO-{zero} ")[2].split()[:4]
        assert sum(map(float, row[:3])) == float(row[3])
        yield 16, "least_state_gb", f"{' '.join(row[:3])} {kept}"
    least = [right(16, "least_iteration_ms")(10, 3, virtual, 4) for virtual in (1, 2)]
    yield 16, "least_iteration_ms", " ".join(f"at least {ms:.0f} ms" for ms in least)
    points = [(60, 108), (90, 100), (60, 105), (40, 125)]
    table = " ".join(f"point {k} {dollars} {ns}" for k, (dollars, ns) in enumerate(points))
    words = re.sub(
        r" fast enough| the fastest: the limit is 110| <-- 60 is the least, and 105 < 108",
        "",
        picture(17, "cheapest_within"),
    )
    assert table in words
    yield 17, "cheapest_within", f"the answer is {right(17, 'cheapest_within')(points, 0.1)}"
    points = [(10, 90), (20, 50), (30, 60), (20, 70), (40, 50)]
    yield 17, "frontier", f"on the frontier: {', '.join(map(str, right(17, 'frontier')(points)))}"
    yield 17, "bound_ns", f"{right(17, 'bound_ns')(size=GIB, npus=[4, 2], gb_s=[3, 0.25]) / 1e9:g} s <-- nobody"
    least = right(17, "least_dollars")(limit_ns=2e9, size=GIB, npus=[4, 2], prices=[100, 800])
    yield 17, "least_dollars", f"in all at least {least:g} $"


@pytest.mark.parametrize(("number", "name", "words"), list(claims()))
def test_a_small_case_is_as_the_right_answer_has_it(number, name, words):
    assert words in picture(number, name)
