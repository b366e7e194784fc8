"""How a run of ASTRA-sim 1.0's kind is explained, a training loop over layers: shares, changes and words together."""

from __future__ import annotations

from collections.abc import Iterable

from astra_edu.explain.changes import try_candidates, try_changes
from astra_edu.explain.facts import Change, Facts, Shares, Tried
from astra_edu.explain.shares import shares
from astra_edu.explain.words import find_bound, sentences
from astra_edu.run.result import Result


def _tried(result: Result, shares: Shares, wanted: bool | Iterable[Change]) -> Tried:
    return try_candidates(result, shares) if wanted is True else try_changes(result, wanted or ())


OF_LAYERS = Facts(shares, _tried, find_bound, sentences, tables=True)
