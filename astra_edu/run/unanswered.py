"""Runs of ASTRA-sim 1.0 to which the C++ program has no answer, or may have another one.

Found by trying: of 564 random runs, most with flat collectives or trees, it crashed or never ended in 84, and said
another time in 13; 92 of these 97 have one of the mixtures below. Where it ends, it mostly says what we say.
"""

from __future__ import annotations

from astra_edu.run.result import Result
from astra_edu.workload.npu import Task

_IN_DOUBT = (
    "Themis: collectives wait for one another here, and ASTRA-sim's number depends on which NPU it serves first in a "
    "nanosecond, which isn't followed to the end in a run like this."
)


def unanswered(result: Result, in_doubt: bool) -> str:
    """Why ASTRA-sim may give no number for this run, or another; "" where nothing is known against it.

    in_doubt: whether the order of the NPUs within a ns mattered and isn't known (see faithful.npu_turns).
    """
    return _mixed(result) or (_IN_DOUBT if in_doubt else "")


def _mixed(result: Result) -> str:
    system = result.platform.system
    all_of_them = (system.all_reduce, system.all_gather, system.reduce_scatter, system.all_to_all)
    if not any(how.flat or how.traits.tree for implementation in all_of_them for how in implementation):
        return ""
    hows = {
        (s.issued.what.work.collective, s.phase.logical.how) for s in result.stays if isinstance(s.issued.what, Task)
    }
    flat = {collective for collective, how in hows if how.flat and len(result.logical) > 1}
    trees = {collective for collective, how in hows if how.traits.tree}
    mixed = [
        f"{system.inter_dimension} as inter-dimension-scheduling" if system.inter_dimension != "baseline" else "",
        f"{system.queues} queues to a dimension" if system.queues > 1 else "",
        "other collectives beside it" if len({collective for collective, _ in hows}) > 1 else "",
    ]
    what = "a collective over all NPUs at once ('one...')" if flat else "a double binary tree"
    if not (flat or trees) or not any(mixed):
        return ""
    return (
        f"{what} with {' and '.join(filter(None, mixed))}: ASTRA-sim 1.0 crashes or never ends in part of such runs, "
        "and in a few says something else, so its own answer to this one is not known."
    )
