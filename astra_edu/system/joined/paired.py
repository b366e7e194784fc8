"""A phase of one token in which an NPU's partner is another in every step, at once: halving-doubling, for example."""

from __future__ import annotations

from collections.abc import Sequence

from astra_edu.system.joined.ends import End, end, foreseen


def paired_ends(
    starts: Sequence[int],
    sources: Sequence[Sequence[int]],
    edges: Sequence[Sequence[int]],
    endpoint_ns: int,
    reductions: Sequence[int | None],
) -> list[End]:
    """The ends by place, step by step: T_{s+1}(i) = max(T_s(source) + message, T_s(i)) + endpoint + reduction.

    sources, edges: of each step, for each place, from which place its message comes and how many ns that takes.

    >>> [one.ns for one in paired_ends([0, 100], [[1, 0]], [[50, 50]], 10, [None])]
    [170, 120]
    """
    own = [start + endpoint_ns for start in starts]
    ready = list(starts)
    for comes, ns, reduction in zip(sources[:-1], edges[:-1], reductions[:-1], strict=True):
        waits = endpoint_ns + (reduction or 0)
        arrives = [own[source] + takes for source, takes in zip(comes, ns, strict=True)]
        own = [(a if a > o else o) + waits for a, o in zip(arrives, own, strict=True)]
        ready = [foreseen(o, endpoint_ns, reduction) for o in own]
    comes, ns = sources[-1], edges[-1]
    return [end(own[comes[i]], ns[i], own[i], ready[i], endpoint_ns, reductions[-1]) for i in range(len(starts))]
