"""On the congestion-aware network, too, the answers by roles are ASTRA-sim 2.x's own, or the order in a ns isn't known.

That goes for the cases as well in which ties make NPUs differ that do the same.
"""

import pytest
from reference_2 import cases, inputs

from astra_edu.network.folded import AmbiguousError
from astra_edu.run.folds import folds
from astra_edu.run.one_for_each import OneForEach
from astra_edu.traces.communication import check_communication

KNOWN = [*cases(), *cases("astra_sim_2_random")]
TIES = cases("not_matched_2")
PARTS = 8


def by_roles(case, folder):
    """When each NPU finishes; "" where NPUs have to be followed one by one, "ambiguous" where the order isn't known."""
    folder.mkdir()
    trace, platform = inputs(case, folder)
    if not platform.congestion_aware or trace.npus > 256:
        return ""
    check_communication(trace, platform.dims)
    found = folds(trace, platform)
    if found is None:
        return ""
    run = OneForEach(trace, platform, found)
    try:
        run.run()
    except AmbiguousError:
        return "ambiguous"
    finished = {npu.npu: npu.finished_ns for npu in run.npus}
    return tuple(finished[npu] for npu in found.folding.stands_for)


@pytest.mark.parametrize("part", range(PARTS))
def test_by_roles_every_npu_finishes_when_it_does_in_astra_sim_2(part, tmp_path):
    same = ambiguous = 0
    for number, case in enumerate(KNOWN[part::PARTS]):
        ends = by_roles(case, tmp_path / str(number))
        if isinstance(ends, str):
            ambiguous += bool(ends)
            continue
        wanted = case.get("finish_ns", case.get("result"))
        wanted = (wanted,) * len(ends) if isinstance(wanted, int) else tuple(wanted)
        assert (ends if len(wanted) == len(ends) else (ends[0], max(ends), min(ends))) == wanted, case["name"]
        same += 1
    assert same > 20
    assert ambiguous < same / 4


def test_what_is_not_matched_by_one_npu_for_all_is_not_said_by_roles(tmp_path):
    for number, case in enumerate(TIES):
        ends = by_roles(case, tmp_path / str(number))
        assert isinstance(ends, str) or list(ends) == case["finish_ns"], case["name"]
