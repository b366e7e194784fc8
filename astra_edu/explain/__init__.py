"""explain(result): what bounds a run, and what one change would help most.

What is said of the run is taken from its critical path; what is said of a change, from simulating it.
"""

from __future__ import annotations

from collections.abc import Iterable

from astra_edu.explain.changes import Change, try_candidates, try_changes
from astra_edu.explain.explanation import Explanation
from astra_edu.explain.path import Segment, critical_path
from astra_edu.explain.shares import shares
from astra_edu.explain.trace import explain_trace
from astra_edu.explain.words import find_bound, sentences
from astra_edu.run import views
from astra_edu.run.result import Result
from astra_edu.run.trace_result import TraceResult

__all__ = ["Change", "Explanation", "Segment", "critical_path", "explain", "shares"]


def explain(result: Result, changes: bool | Iterable[Change] = True) -> Explanation:
    """What bounds the run, in words, from its critical path and from simulating changes of one thing each.

    changes: True tries about 15 of our own (fewer where a run has more than 100,000 phases); False tries none and
    takes milliseconds; or give your own. Raises ConfigError for one of yours that can't be simulated.

    >>> from astra_edu.explain import explain
    >>> result = ae.simulate(ae.Workload.micro("all-reduce", 2**20), ae.preset("ring"))
    >>> explain(result, changes=False).bound
    "dimension 0's latency"
    """
    path = critical_path(result)
    found = shares(result, path)
    tried = try_candidates(result, found) if changes is True else try_changes(result, changes or ())
    bound = find_bound(result, found, tried)
    totals = sorted(((change.description, total) for change, total in tried.totals), key=lambda item: item[1])
    said = tuple(sentences(result, found, bound, tried))
    return Explanation(bound, found, said, tuple(totals), tried.before_ns, tried.passes, path)


views.EXPLAINERS[Result] = explain
views.EXPLAINERS[TraceResult] = explain_trace
