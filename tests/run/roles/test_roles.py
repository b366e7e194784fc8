"""Who behaves like whom, and that following one of them says what following everyone says."""

from collections import Counter

import pytest
from halves import quarter
from random_jobs import job

import astra_edu as ae
from astra_edu.base.errors import ConfigError
from astra_edu.run import run_trace
from astra_edu.run.roles import may_fold, roles_of
from astra_edu.run.roles.answers import RanOfAll
from astra_edu.run.roles.followed import RolesRun, run_by_roles
from astra_edu.run.roles.refine import Coloured, Ring, refined
from astra_edu.run.roles.rings import turned
from astra_edu.system.joined.not_joined import RolesDifferError

ALL_RINGS = range(10_000)


def everyone(seed):
    """(trace, platform, result of following everyone); None for the result where NPUs wait for ever."""
    trace, platform = job(seed)
    try:
        return trace, platform, ae.simulate(trace, platform, everyone=True, progress=False)
    except ConfigError:
        return trace, platform, None


def times(rans):
    """What an NPU ran when, without the order within a ns."""
    return sorted((ran.end_ns, ran.start_ns, ran.unit) for ran in rans)


def what(ran):
    return ran.npu, ran.node.id, ran.node, ran.unit, ran.start_ns, ran.end_ns


@pytest.mark.parametrize("first", quarter(range(0, 300, 50)))
def test_npus_of_a_role_have_the_same_times_where_everyone_is_followed(first):
    merged = 0
    for seed in range(first, first + 50):
        trace, platform, result = everyone(seed)
        if result is None:
            continue
        roles = roles_of(trace, platform, by_place=ALL_RINGS)
        merged += roles.count < trace.npus
        for npu, other in enumerate(roles.stands_for):
            assert times(result.ran_by(npu)) == times(result.ran_by(other)), seed
    assert merged > 10


@pytest.mark.parametrize("first", quarter(range(1000, 1400, 50)))
def test_following_one_npu_for_each_role_says_what_following_everyone_says(first):
    folded = 0
    for seed in range(first, first + 50):
        trace, platform, result = everyone(seed)
        run = None if result is None else run_by_roles(trace, platform)
        if run is None or run.in_doubt:
            continue
        folded += 1
        finished = {npu.npu: npu.finished_ns for npu in run.npus}
        assert tuple(finished[npu] for npu in run.roles.stands_for) == result.finish_ns, seed
        of_all = RanOfAll(trace, run.roles.stands_for, {npu.npu: npu.ran for npu in run.npus})
        assert len(of_all) == len(result.ran)
        assert sorted(map(what, of_all), key=lambda one: one[:2]) == sorted(map(what, result.ran), key=lambda o: o[:2])
    assert folded > 5


def jobs_of(tensor, pipeline, data, slow=None, how="ring", micro_batches=3):
    """A pipeline of stages of tensor x data NPUs, with a slow NPU if wanted, on a dimension for each."""
    npus, width = tensor * pipeline * data, tensor * data
    trace = ae.traces.Builder(npus)
    stages = [range(stage * width, (stage + 1) * width) for stage in range(pipeline)]
    last, came = [None] * pipeline, {}
    for k in range(micro_batches):
        for s, stage in enumerate(stages):
            after = [one for one in [last[s], *came.get((k, s), [])] if one is not None]
            micros = [100 + s + 50 * (npu == slow) for npu in stage]
            done = trace.compute(f"forward {k}", micros, after=after, on=stage)
            groups = [list(range(npu, npu + tensor)) for npu in stage[::tensor]]
            last[s] = trace.all_reduce(f"activations {k}", 2**20, after=done, group=groups) if tensor > 1 else done
            if s + 1 < pipeline:
                pairs = [(npu, npu + width) for npu in stage]
                came[k, s + 1] = [trace.message("on", 2**18, *pair, after=last[s])[1] for pair in pairs]
    for s, stage in enumerate(stages):
        groups = [list(range(npu, npu + width, tensor)) for npu in stage[:tensor]]
        trace.all_reduce("gradients", 2**22, after=last[s], group=groups if data > 1 else None)
    blocks = [("Switch", tensor, 400, 500), ("Switch", data, 50, 700), ("Ring", pipeline, 25, 900)]
    network = tuple(ae.Block(*block) for block in blocks if block[1] > 1)
    return trace.build(), ae.TracePlatform(network, ae.TraceSystem.of(how))


def test_a_pipeline_of_tensor_and_data_parallel_stages_has_a_role_for_each_stage():
    trace, platform = jobs_of(tensor=4, pipeline=5, data=8)
    roles = roles_of(trace, platform)
    assert roles.sizes == (32,) * 5
    assert roles.representatives == (0, 32, 64, 96, 128)
    assert len(run_by_roles(trace, platform).npus) == 5


def test_a_slow_npu_makes_four_roles_of_a_stage():
    """It, those in its tensor group, those in its data group, and the others of its stage and of the stages after."""
    roles = roles_of(*jobs_of(tensor=4, pipeline=2, data=8, slow=5))
    assert Counter(roles.sizes) == Counter({1: 2, 3: 2, 7: 2, 21: 2})
    alone = roles_of(*jobs_of(tensor=1, pipeline=1, data=256, slow=77))
    assert alone.sizes == (255, 1)


def test_a_slow_npu_among_many_costs_two_where_all_wait_for_all_at_once_and_all_in_a_ring():
    """In a ring everybody really ends at another time: the delay goes round."""
    trace, platform = jobs_of(tensor=1, pipeline=1, data=256, slow=77, how="direct")
    run = run_by_roles(trace, platform)
    assert [npu.npu for npu in run.npus] == [0, 77]
    ring = jobs_of(tensor=1, pipeline=1, data=16, slow=7, how="ring")
    assert len(set(ae.simulate(*ring, everyone=True).finish_ns)) == 16
    with pytest.raises(RolesDifferError):
        RolesRun(*ring, roles_of(*ring)).run()
    assert run_by_roles(*ring) is None


def test_an_order_in_a_ns_that_decides_is_noticed():
    """NPU 0 gets messages from 7 and 1, and NPU 4 from 3 and 5: of 3 and 5 the one behind is first, of 7 and 1 not."""
    trace = ae.traces.Builder(8)
    behind, ahead = {0: 7, 4: 3}, {0: 1, 4: 5}
    for to, source in [*behind.items(), *ahead.items()]:
        trace.send("s", 4096, to, on=source, tag=1)
    one, other = ({to: trace.receive("r", 4096, by[to], on=to, tag=1) for to in by} for by in (behind, ahead))
    long = {npu: trace.compute("5", 5, after=one[npu], on=npu) for npu in one}
    for npu in one:
        trace.compute("9", 9, after=other[npu], on=npu)
    for npu in one:
        trace.cpu("then", 20, after=long[npu], on=npu)
    for npu in (2, 6):
        trace.compute("1", 1, on=npu)
    made, platform = trace.build(), ae.TracePlatform(ae.Block("Ring", 8, 50, 500), ae.TraceSystem.of("ring"))
    result = ae.simulate(made, platform, everyone=True)
    assert result.finish_ns[0] != result.finish_ns[4]
    roles = roles_of(made, platform)
    assert roles.of == (0, 1, 2, 3, 0, 1, 2, 3)
    run = RolesRun(made, platform, roles)
    run.run()
    assert run.in_doubt


@pytest.fixture
def always_roles(monkeypatch):
    monkeypatch.setattr(run_trace, "FEWEST_FOR_ROLES", 0)


@pytest.mark.usefixtures("always_roles")
def test_a_result_answers_for_every_npu_as_if_everyone_had_been_followed():
    trace, platform = jobs_of(tensor=2, pipeline=3, data=4)
    result, all_of_them = ae.simulate(trace, platform), ae.simulate(trace, platform, everyone=True)
    assert list(result.of_all.followed) == [0, 8, 16]
    assert all_of_them.of_all is None
    assert result.finish_ns == all_of_them.finish_ns
    assert result.compute_ns == all_of_them.compute_ns
    assert result.communication_ns == all_of_them.communication_ns
    assert [list(map(what, result.ran_by(npu))) for npu in range(24)] == [
        list(map(what, all_of_them.ran_by(npu))) for npu in range(24)
    ]
    assert result.nodes.equals(all_of_them.nodes)
    assert result.timeline == all_of_them.timeline
    assert result.npu_names == all_of_them.npu_names
    assert result.idle == all_of_them.idle
    assert (repr(result), result.bound_ns) == (repr(all_of_them), all_of_them.bound_ns)
    assert str(result.explain(False)) == str(all_of_them.explain(False))
    assert result.critical_path() == all_of_them.critical_path()


@pytest.mark.usefixtures("always_roles")
def test_of_very_many_nodes_those_of_the_npus_that_were_followed_are_shown(monkeypatch):
    monkeypatch.setattr(run_trace, "MOST_SHOWN", 0)
    trace, platform = jobs_of(tensor=2, pipeline=3, data=4)
    result, all_of_them = ae.simulate(trace, platform), ae.simulate(trace, platform, everyone=True)
    assert result.npu_names == {npu: f"NPU {npu} (8 NPUs do the same)" for npu in (0, 8, 16)}
    assert {span.npu for span in result.timeline} == {0, 8, 16}
    assert list(map(what, result.ran_by(13))) == list(map(what, all_of_them.ran_by(13)))
    assert result.critical_path() == all_of_them.critical_path()
    assert result.finish_ns == all_of_them.finish_ns


@pytest.mark.parametrize(
    ("change", "folds"),
    [({}, True), ({"rendezvous": True}, False), ({"inter_dimension": "themis"}, False)],
)
def test_what_npus_share_or_decide_for_each_other_is_not_folded(change, folds):
    trace, platform = jobs_of(tensor=2, pipeline=2, data=2)
    changed = ae.TracePlatform(platform.network, ae.TraceSystem.of("ring", **change))
    assert may_fold(trace, changed) is folds
    assert not may_fold(trace, ae.TracePlatform(platform.network, platform.system, congestion_aware=True))


def test_rings_are_turned_to_where_they_are_least():
    for ring in ([1], [2, 1], [1, 1, 2, 1, 1, 3], [3, 1, 2, 3, 1, 2], [5, 5, 5, 4]):
        ways = [ring[k:] + ring[:k] for k in range(len(ring))]
        found = turned(ring)
        assert list(found.colours) == min(ways) == ways[found.start]
        assert found.period == next(k for k, way in enumerate([*ways[1:], ring], start=1) if way == ring)


def test_members_of_a_ring_are_told_apart_by_place_only_where_that_is_asked_for():
    seats = [[(0, place) for place in range(6)]]
    ring = Ring(tuple(range(6)), (0,) * 6, fixed=False)
    start = Coloured([0, 1, 1, 0, 1, 1], rings=[ring], seats=seats)
    assert refined(start).colours == [0, 1, 1, 0, 1, 1]
    assert refined(start, by_place=[0]).colours == [0, 1, 2, 0, 1, 2]
    assert refined(start, by_place=[0], most=2) is None
