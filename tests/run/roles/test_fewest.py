"""Roles are given up where there are too many of them at first sight, and only there."""

from tied_jobs import job

import astra_edu as ae
from astra_edu.run.folds import folds
from astra_edu.run.roles import may_fold, roles_of
from astra_edu.run.roles.fewest import too_many
from astra_edu.traces.communication import check_communication

RING = ae.Block("Ring", 64, 50, 500)


def test_first_sight_never_sees_more_roles_than_there_are():
    seen = 0
    for seed in range(40):
        trace, platform = job(seed)
        try:
            check_communication(trace, platform.dims)
        except ae.ConfigError:
            continue
        if not may_fold(trace, platform) or platform.system.replay_only:
            continue
        count = roles_of(trace, platform).count
        assert not too_many(trace, count)
        seen += count > 1 and too_many(trace, 1)
    assert seen > 5


def test_a_pipeline_is_given_up_whose_ends_are_far_from_its_middle():
    trace = ae.traces.from_pipeline("1f1b", 64, 8, forward_micros=100, backward_micros=200, bytes=4096)
    platform = ae.TracePlatform(RING, ae.TraceSystem.of("ring"))
    assert [most for most in (1, 16, 32, 63, 64) if too_many(trace, most)] == [1, 16, 32, 63]
    assert roles_of(trace, platform).count == 64
    assert roles_of(trace, platform, most=32) is None


def test_messages_round_a_ring_are_one_role():
    trace = ae.traces.Builder(64)
    for npu in range(64):
        trace.message("on", 4096, npu, (npu + 1) % 64)
    assert not too_many(trace.build(), 1)


def test_what_folds_in_a_dimension_isnt_given_up_at_first_sight():
    trace = ae.traces.Builder(64)
    trace.all_reduce("sum", 4096, after=trace.compute("odd", [1, 2] * 32))
    made = trace.build()
    platform = ae.TracePlatform(RING, ae.TraceSystem.of("ring"), congestion_aware=True)
    assert folds(made, platform).folding.strides == (2,)
    slow = ae.traces.Builder(64)
    slow.all_reduce("sum", 4096, after=slow.compute("slow", [1] * 63 + [2]))
    assert folds(slow.build(), platform) is None
