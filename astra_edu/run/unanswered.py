"""Runs of ASTRA-sim 1.0's flat collectives and trees to which the C++ program has no answer, or another one.

Found by trying: of 564 random runs, most with such collectives, it crashed or never ended in 84, and said another time
in 13; 92 of these 97 have one of the mixtures below. Where it ends, it mostly says what we say.
"""

from __future__ import annotations

from astra_edu.run.result import Result
from astra_edu.workload.npu import Task


def unanswered(result: Result) -> str:
    """Why ASTRA-sim may give no number for this run, in a sentence; "" where nothing is known against it."""
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
