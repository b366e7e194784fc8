"""Where much happens in the same ns, every way to run a trace says what following everyone says, or isn't taken."""

from collections import Counter

import pytest
from halves import quarter
from tied_jobs import followed, job, shortcuts

import astra_edu as ae
from astra_edu.base.errors import ConfigError
from astra_edu.run import run_trace
from astra_edu.run.roles import roles_of
from astra_edu.run.roles.followed import RolesRun, run_by_roles


@pytest.mark.parametrize("first", quarter(range(0, 300, 50)))
def test_random_jobs_full_of_ties_take_no_wrong_short_way(first):
    taken = Counter()
    for seed in range(first, first + 50):
        trace, platform = job(seed)
        said = followed(trace, platform)
        if said is None:
            continue
        for way, found in shortcuts(trace, platform).items():
            taken[way] += 1
            assert found == said, (seed, way)
    assert min(taken["roles"], taken["joined"], taken["one for all"]) > 2


@pytest.mark.parametrize("seed", [800726, 800802, 5000355, 5013550])
def test_jobs_in_which_an_order_that_is_not_known_decides_take_no_wrong_short_way(seed):
    trace, platform = job(seed)
    said = followed(trace, platform)
    assert said is not None
    assert all(found == said for found in shortcuts(trace, platform).values())


@pytest.mark.parametrize("seed", [3303, 5764])
def test_a_chunk_that_is_just_ending_keeps_its_place_from_the_next_collective(seed):
    """So where the last comes first of those that wait, NPUs that come from a collective begin with other chunks."""
    trace, platform = job(seed)
    assert platform.system.intra_dimension != "FIFO"
    said = followed(trace, platform)
    assert len(set(said[0])) > 1
    assert shortcuts(trace, platform)["joined"] == said


def test_a_message_to_an_npu_and_one_of_its_own_may_come_in_either_order():
    """Both leave in one ns. At NPU 0 its own has come first, as it had its turn first, and at NPU 1 that of NPU 0."""
    trace = ae.traces.Builder(2)
    both = trace.all_reduce("sum", 4096)
    sent = [trace.send("s", 4096, 1 - npu, on=npu, after=both) for npu in (0, 1)]
    came = [trace.receive("r", 4096, 1 - npu, on=npu, after=both) for npu in (0, 1)]
    for npu in (0, 1):
        long = trace.compute("5", 5, after=sent[npu], on=npu)
        trace.compute("9", 9, after=came[npu], on=npu)
        trace.cpu("then", 20, after=long, on=npu)
    made, platform = trace.build(), ae.TracePlatform(ae.Block("Ring", 2, 50, 500), ae.TraceSystem.of("ring"))
    finish = ae.simulate(made, platform, everyone=True).finish_ns
    assert finish[0] != finish[1]
    roles = roles_of(made, platform)
    assert roles.count == 1
    run = RolesRun(made, platform, roles)
    run.run()
    assert run.in_doubt


def test_groups_that_overlap_round_a_ring_never_finish(monkeypatch):
    """Each NPU begins with the group that it shares with the next; all of these groups look alike."""
    monkeypatch.setattr(run_trace, "FEWEST_FOR_ROLES", 0)
    groups = [(npu, (npu + 1) % 4) for npu in range(4)]
    node = {"type": "COMM_COLL_NODE", "attr": {"comm_type": 0, "comm_size": 4096}}
    nodes = [
        [node | {"id": k, "name": "sum", "data_deps": deps, "attr": node["attr"] | {"pg_name": str(1 + number % 4)}}
         for k, deps, number in ((1, [], npu), (2, [1], npu - 1))]
        for npu in range(4)
    ]  # fmt: skip
    made = ae.traces.from_nodes(nodes, groups={str(1 + k): group for k, group in enumerate(groups)})
    platform = ae.TracePlatform(ae.Block("Ring", 4, 50, 500), ae.TraceSystem.of("ring"))
    assert roles_of(made, platform).meets_itself
    assert run_by_roles(made, platform) is None
    for everyone in (False, True):
        with pytest.raises(ConfigError, match="4 of 4 NPUs never finish"):
            ae.simulate(made, platform, everyone=everyone)


def test_a_send_without_receive_is_replayed_all_the_same(monkeypatch):
    monkeypatch.setattr(run_trace, "FEWEST_FOR_ROLES", 0)
    trace = ae.traces.Builder(4)
    begun = trace.compute("begin", [1, 1, 2, 2])
    for npu in (0, 2):
        trace.send("s", 4096, npu + 1, on=npu, after=begun)
    system = ae.TraceSystem.of("ring", replay_only=True)
    platform = ae.TracePlatform(ae.Block("Ring", 4, 50, 500), system)
    assert ae.simulate(trace.build(), platform).finish_ns == (1001, 1000, 2001, 2000)
