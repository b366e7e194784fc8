"""NPUs of one's own: how long they compute, and what becomes of a run when they are down, on paper."""

from math import inf

import pytest

import astra_edu as ae
from astra_edu.base.units import bytes_per_ns
from astra_edu.clock.downtime import Downtime
from astra_edu.run.stalled import StalledError

RING = ae.TracePlatform(ae.Block("Ring", 4, 50, 500), ae.TraceSystem.of("ring", splits=1))
MESSAGE_NS = int(500 + 2**20 / bytes_per_ns(50))


def computes(micros, number=1, after=()):
    return {"id": number, "type": "COMP_NODE", "duration_micros": micros, "data_deps": list(after)}


def sends(source, destination, number, after=(), kind="SEND"):
    attr = {"comm_src": source, "comm_dst": destination, "comm_size": 2**20, "comm_tag": 1}
    return {"id": number, "type": f"COMM_{kind}_NODE", "data_deps": list(after), "attr": attr}


def down(**spans):
    """down(n3=[...]) is a function of NPUs."""
    return lambda npu: spans.get(f"n{npu}", [])


def chain():
    """NPU 0 computes 10 µs and sends to 1, which computes 5 and sends to 2; NPU 3 only computes."""
    return ae.traces.from_nodes(
        [
            [computes(10), sends(0, 1, 2, [1])],
            [sends(0, 1, 1, kind="RECV"), computes(5, 2, [1]), sends(1, 2, 3, [2])],
            [sends(1, 2, 1, kind="RECV")],
            [computes(7)],
        ]
    )


def test_a_straggler_takes_longer_and_who_waits_for_it_ends_later():
    plain = ae.simulate(chain(), RING).finish_ns
    slow = ae.simulate(chain(), RING, compute=lambda npu, node, ns: 3 * ns if npu == 0 else ns).finish_ns
    end = 10_000 + MESSAGE_NS
    assert plain == (end, end + 5000 + MESSAGE_NS, end + 5000 + MESSAGE_NS, 7000)
    assert slow == (*(time + 20_000 for time in plain[:3]), 7000)


def test_compute_is_told_the_npu_the_node_and_its_ns_and_nothing_but_computations():
    seen = []
    ae.simulate(chain(), RING, compute=lambda npu, node, ns: seen.append((npu, node.id, ns)) or ns)
    assert sorted(seen) == [(0, 1, 10_000), (1, 2, 5_000), (3, 1, 7_000)]
    cpu = {**computes(3), "attr": {"is_cpu_op": True}}
    assert ae.simulate(ae.traces.from_nodes([[cpu]] * 4), RING, compute=lambda *_: 10**6).total_ns == 3000


def test_a_computation_of_a_fraction_of_a_ns_is_cut_to_whole_ones_and_jitter_is_bounded():
    assert ae.simulate(ae.traces.from_nodes([[computes(1)]] * 4), RING, compute=lambda *_: 1234.9).total_ns == 1234
    jittered = ae.simulate(ae.traces.from_nodes([[computes(10)]] * 4), RING, compute=ae.jitter(0.2, seed=1))
    assert all(8000 <= end <= 12_000 for end in jittered.finish_ns)
    assert len(set(jittered.finish_ns)) == 4
    again = ae.simulate(ae.traces.from_nodes([[computes(10)]] * 4), RING, compute=ae.jitter(0.2, seed=1))
    assert jittered.finish_ns == again.finish_ns


@pytest.mark.parametrize(
    ("gave", "says"), [(-1, "gave -1"), ("long", "gave 'long'"), (inf, "gave inf"), (True, "gave")]
)
def test_what_compute_says_wrongly_is_told(gave, says):
    with pytest.raises(ae.ConfigError, match=rf"{says}.*; give ns, 0 or more"):
        ae.simulate(chain(), RING, compute=lambda *_: gave)


def test_who_comes_back_goes_on_where_it_stopped():
    """NPU 0 is down for 4 µs in its computation; NPU 1 for 1 µs when its message comes, and so in nothing."""
    plain = ae.simulate(chain(), RING).finish_ns
    later = ae.simulate(chain(), RING, down=down(n0=[(3000, 7000)])).finish_ns
    assert later == (*(time + 4000 for time in plain[:3]), 7000)
    came = 10_000 + MESSAGE_NS
    held = ae.simulate(chain(), RING, down=down(n1=[(came - 500, came + 500)])).finish_ns
    assert held == (came, *(time + 500 for time in plain[1:3]), 7000)


def test_what_was_sent_arrives_and_a_sender_hears_of_it_when_it_is_back():
    plain = ae.simulate(chain(), RING).finish_ns
    sent = ae.simulate(chain(), RING, down=down(n0=[(10_001, 90_000)])).finish_ns
    assert sent == (90_000, *plain[1:])


def test_who_is_down_at_the_start_begins_when_it_is_back():
    begun = ae.simulate(chain(), RING, down=down(n3=[(0, 2000), (4000, 4500)])).finish_ns
    assert begun[3] == 2000 + 7000 + 500


def test_who_never_comes_back_is_named_with_who_waits_for_whom_since_when():
    with pytest.raises(StalledError) as stalled:
        ae.simulate(chain(), RING, down=down(n1=[(12_000, inf)]))
    assert stalled.value.down == {1: 12_000}
    assert [(wait.npu, wait.source, wait.since_ns) for wait in stalled.value.waits] == [(2, 1, 0)]
    said = str(stalled.value)
    assert said.startswith(
        "NPU 1 is down from 12.000 µs on and doesn't come back; NPU 2 has waited for NPU 1 since 0 ns"
    )


def test_in_a_ring_everyone_waits_for_the_one_before():
    trace = ae.traces.collective("all_reduce", "64 MiB", npus=4)
    with pytest.raises(StalledError) as stalled:
        ae.simulate(trace, RING, down=down(n2=[(1, inf)]))
    step = int(500 + 2**24 / bytes_per_ns(50))
    waits = {(wait.npu, wait.source) for wait in stalled.value.waits if wait.npu != 2}
    assert waits == {(3, 2), (0, 3), (1, 0)}
    since = {wait.npu: wait.since_ns for wait in stalled.value.waits}
    assert since[3] < step < since[0] < 2 * step < since[1]


def test_nobody_waits_for_who_only_computed():
    with pytest.raises(
        StalledError, match=r"NPU 3 is down from 1000 ns on and doesn't come back; nobody waits for it\."
    ):
        ae.simulate(chain(), RING, down=down(n3=[(1000, inf)]))


def test_who_had_finished_may_go():
    assert ae.simulate(chain(), RING, down=down(n3=[(8000, inf)])).finish_ns == ae.simulate(chain(), RING).finish_ns


def test_many_are_counted_not_named():
    ring = ae.TracePlatform(ae.Block("Ring", 32, 50, 500), ae.TraceSystem.of("ring", splits=1))
    trace = ae.traces.collective("all_reduce", "64 MiB", npus=32)
    with pytest.raises(StalledError, match="and 23 more NPUs that wait"):
        ae.simulate(trace, ring, down=lambda npu: [(1, inf)] if npu == 2 else ())


def test_memory_and_rendezvous_know_of_it_too():
    rendezvous = ae.TracePlatform(RING.network, ae.TraceSystem.of("ring", rendezvous=True))
    plain = ae.simulate(chain(), rendezvous).finish_ns
    later = ae.simulate(chain(), rendezvous, down=down(n0=[(3000, 7000)])).finish_ns
    assert later[:3] == tuple(time + 4000 for time in plain[:3])


def by_ticks(spans, now, delay):
    """After `delay` ns of being up, ns by ns."""
    while delay or any(start <= now < end for start, end in spans):
        if not any(start <= now < end for start, end in spans):
            delay -= 1
        now += 1
    return now


def test_downtimes_by_ticking():
    spans = [(5, 9), (12, 13), (20, 40)]
    downtime = Downtime(0, spans)
    for now in range(45):
        assert downtime.up(now) == by_ticks(spans, now, 0)
        if downtime.up(now) == now:
            for delay in range(50):
                assert downtime.after(now, delay) == by_ticks(spans, now, delay)


@pytest.mark.parametrize(
    ("spans", "says"),
    [
        (5, r"down\(0\) is 5; give \(from_ns, until_ns\)"),
        ([5], r"down\(0\) has 5; give"),
        ([(5, 5)], r"down\(0\) has \(5, 5\)"),
        ([(5, inf), (9, 10)], "give them in order"),
        ([(-1, 5)], "from_ns of down"),
    ],
)
def test_what_is_no_downtime_is_told(spans, says):
    with pytest.raises(ae.ConfigError, match=says):
        ae.simulate(chain(), RING, down=lambda npu: spans)


def test_what_is_no_function_is_told_and_1_0_has_none_of_it():
    with pytest.raises(ae.ConfigError, match="compute is 2; give a function"):
        ae.simulate(chain(), RING, compute=2)
    with pytest.raises(ae.ConfigError, match=r"down is \{\}; give a function"):
        ae.simulate(chain(), RING, down={})
    for name in ("compute", "down"):
        with pytest.raises(ae.ConfigError, match=f"{name}= is for a Trace on a TracePlatform"):
            ae.simulate(ae.Workload.micro("all-reduce", 2**20), ae.preset("ring"), **{name: lambda *_: ()})
