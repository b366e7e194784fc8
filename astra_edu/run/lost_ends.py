"""Messages that never found their other end in a run by roles, as they are called where all NPUs are followed."""

from __future__ import annotations

from collections.abc import Iterable

from astra_edu.network.lanes import Key
from astra_edu.network.messages import REQUESTS
from astra_edu.run.folds import STREAMS, Folds
from astra_edu.system.endpoint import GROUP_STREAMS, TAGS
from astra_edu.traces import Trace


def lost_ends(trace: Trace, folds: Folds, unmatched: Iterable[tuple[Key, bool]]) -> list[tuple[Key, bool]]:
    """Of each the one with which the lowest NPU waits for ever among those that it stands for.

    unmatched: (tag, source, destination, bytes) as representatives see it, and whether it was sent.
    """
    folding, found = folds.folding, []
    for (tag, source, destination, size), sent in unmatched:
        by = folding.movement(source if sent else destination)
        ends = folding.back(source, by), folding.back(destination, by)
        found.append(((_tag(trace, folds, tag, *ends), *ends, size), sent))
    return found


def _tag(trace: Trace, folds: Folds, tag: int, source: int, destination: int) -> int:
    """The tag that a pair of NPUs has for what a representative calls by another."""
    request, tag = divmod(tag, REQUESTS)
    if tag < TAGS:
        ends = (destination, source) if request else (source, destination)
        tag = folds.own_tag(*ends, tag)
    else:
        kind, stream = divmod(tag - TAGS, GROUP_STREAMS)
        own = (int(name) for name, members in trace.groups.items() if source in members)
        number = next((name for name in own if kind and folds.kinds[name] % STREAMS == kind), kind)
        tag = TAGS + (number * GROUP_STREAMS + stream) % TAGS
    return request * REQUESTS + tag
