"""explain(run): what bounds a run, and what one change would help most.

What is said of the run is taken from its critical path; what is said of a change, from simulating it.
"""

from __future__ import annotations

from collections.abc import Iterable

from astra_edu.base.errors import ConfigError
from astra_edu.base.run import VIEWS, Run
from astra_edu.explain.explanation import Explanation
from astra_edu.explain.facts import Change, Facts
from astra_edu.explain.of_layers import OF_LAYERS
from astra_edu.explain.of_pipeline import OF_PIPELINE
from astra_edu.explain.of_trace import OF_TRACE
from astra_edu.explain.path import critical_path
from astra_edu.explain.segment import Segment
from astra_edu.explain.shares import shares
from astra_edu.pipeline import PipelineRun
from astra_edu.run.result import Result
from astra_edu.run.trace_result import TraceResult

__all__ = ["Change", "Explanation", "Segment", "critical_path", "explain", "shares"]

FACTS: dict[type[Run], Facts] = {Result: OF_LAYERS, TraceResult: OF_TRACE, PipelineRun: OF_PIPELINE}
"""Where the facts about each kind of run come from."""


def explain(run: Run, changes: bool | Iterable[Change] = True) -> Explanation:
    """What bounds the run, in words, from its critical path and from simulating changes of one thing each.

    run: what ae.simulate or ae.run_pipeline returns. changes: True tries some of our own (fewer where a run is large);
    False tries none and takes milliseconds; or give your own. Raises ConfigError for what is no run, and for a change
    of yours that can't be simulated.

    >>> import astra_edu as ae
    >>> run = ae.simulate(ae.Workload.micro("all-reduce", 2**20), ae.preset("ring"))
    >>> explain(run, changes=False).sentences[0]
    "Dimension 0's latency bounds this run."
    """
    facts = FACTS.get(type(run))
    if facts is None:
        raise ConfigError(f"explain takes what ae.simulate or ae.run_pipeline returns, not {run!r:.60}.")
    path = critical_path(run)
    shares = facts.shares(run, path)
    tried = facts.changes(run, shares, changes)
    bound = facts.bound(run, shares, tried)
    said = tuple(facts.sentences(run, shares, bound, tried))
    totals = sorted(((change.description, total) for change, total in tried.totals), key=lambda item: item[1])
    return Explanation(bound, shares, said, tuple(totals), tried.before_ns, tried.passes, path, facts.tables)


VIEWS["explain"] = explain
