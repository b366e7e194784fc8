"""Where one NPU is followed for each role, the answers are ASTRA-sim 2.x's own."""

import pytest
from reference_2 import cases, inputs

from astra_edu.run.roles import followed, may_fold
from astra_edu.run.roles.followed import run_by_roles
from astra_edu.traces.communication import check_communication

ALL = [*cases(), *cases("astra_sim_2_random")]
PARTS = 8


def expected(case, npus):
    """When each NPU finishes; of some cases NPU 0, the last and the first are known only."""
    found = case.get("finish_ns", case.get("result"))
    return (found,) * npus if isinstance(found, int) else tuple(found)


@pytest.mark.parametrize("part", range(PARTS))
def test_by_roles_every_npu_finishes_when_it_does_in_astra_sim_2(part, tmp_path, monkeypatch):
    monkeypatch.setattr(followed, "WORTH_IT", 1)  # roles of one NPU are roles, too
    ran = fewer = 0
    for number, case in enumerate(ALL[part::PARTS]):
        (folder := tmp_path / str(number)).mkdir()
        trace, platform = inputs(case, folder)
        if not may_fold(trace, platform) or trace.npus > 256:
            continue
        check_communication(trace, platform.dims)
        run = run_by_roles(trace, platform)
        if run is None or run.in_doubt:
            continue
        ran, fewer = ran + 1, fewer + (run.roles.count < trace.npus)
        finished = {npu.npu: npu.finished_ns for npu in run.npus}
        ends = tuple(finished[npu] for npu in run.roles.stands_for)
        wanted = expected(case, trace.npus)
        assert (ends if len(wanted) == trace.npus else (ends[0], max(ends), min(ends))) == wanted, case["name"]
    assert ran > 20
    assert fewer > 10
