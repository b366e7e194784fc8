"""Right and wrong answers of exercise 12."""

from collections import Counter
from itertools import pairwise

import pytest

pytest.importorskip("networkx")


from astra_edu.course.check.ex12.cases import CASES, fastest

GIB = 2**30


def arrival(size, links, free_ns):
    time = 0
    for (bandwidth, latency), free in zip(links, free_ns, strict=True):
        time = int(max(time, free) + latency + size / (bandwidth * GIB / 1e9))
    return time


def idle(change):
    """arrival(), but with other times at which the links are free."""
    return lambda size, links, free_ns: arrival(size, links, change(free_ns))


def load(messages):
    work = Counter()
    for way, size in messages:
        for link in pairwise(way):
            work[link] += size
    return work


def slowest(messages, bandwidths):
    work = load(messages)
    return list(max(work, key=lambda link: work[link] / bandwidths[link]))


def undirected(messages, bandwidths):
    """The wire that needs longest, its ends in the order of the alphabet."""
    work = Counter()
    for link, size in load(messages).items():
        work[tuple(sorted(link))] += size / bandwidths[link]
    return max(work, key=work.get)


def crossing(npus):
    return sum(range(1, npus // 2 + 1))


def best(**others):
    return lambda: {letter: fastest(letter) for letter in CASES} | others


def more(*added, wider=0, **changes):
    """Add edges, and widen the link between the racks."""

    def answer(graph):
        for ends in added:
            graph.add_edge(*ends, **{"bandwidth": 50, "latency": 500, **changes})
        graph.edges["ToR 0", "ToR 1"]["bandwidth"] += wider
        return graph

    return answer


def without(node):
    def answer(graph):
        graph.remove_node(node)
        return graph

    return answer


# check: (right answers, [(a wrong one, words of what it is told)])
QUESTIONS = {
    "arrives_ns": (
        [arrival],
        [
            (idle(lambda free: [0] * len(free)), "never waits for a link"),
            (
                lambda size, links, free_ns: arrival(size, links, [0] * len(links)) + sum(free_ns),
                "before the message is there",
            ),
            (
                lambda size, links, free_ns: (
                    _latencies(links, free_ns) + size / (min(bandwidth for bandwidth, _ in links) * GIB / 1e9)
                ),
                "stored, then forwarded",
            ),
            (
                lambda size, links, free_ns: max(arrival(size, links, [0] * len(links)), *free_ns),
                "still has to carry the message",
            ),
            (idle(lambda free: free[:1] + [0] * (len(free) - 1)), "any of them may be busy"),
            (
                lambda size, links, free_ns: arrival(size, [(bandwidth, 0) for bandwidth, _ in links], free_ns),
                "latencies are missing",
            ),
            (lambda size, links, free_ns: arrival(size / 1e9, links, free_ns), "are seconds; ns are asked for"),
            (lambda **case: arrival(**case) / 1e9, "That is in seconds"),
            (
                lambda size, links, free_ns: arrival(
                    size, [(bandwidth * 1e9 / GIB, latency) for bandwidth, latency in links], free_ns
                ),
                "2³⁰ bytes a second",
            ),
            (lambda **case: arrival(**case) / 1000, "in µs; ns"),
            (lambda **case: 2 * arrival(**case), "too large"),
        ],
    ),
    "bottleneck": (
        [slowest, lambda messages, bandwidths: tuple(slowest(messages, bandwidths))],
        [
            (lambda messages, bandwidths: min(bandwidths, key=bandwidths.get), "How much has to cross it"),
            (lambda messages, bandwidths: max(load(messages), key=load(messages).get), "How fast is it"),
            (
                lambda messages, bandwidths: slowest([(way, 1) for way, _ in messages], bandwidths),
                "different sizes",
            ),
            (
                lambda messages, bandwidths: max(
                    ((size / bandwidths[link], link) for way, size in messages for link in pairwise(way)),
                    key=lambda found: found[0],
                )[1],
                "one message at a time",
            ),
            (
                lambda messages, bandwidths: max(
                    load(messages),
                    key=lambda link: (load(messages)[link] + load(messages)[link[::-1]]) / bandwidths[link],
                ),
                "two directions",
            ),
            (
                lambda messages, bandwidths: slowest([(way[:2], size) for way, size in messages], bandwidths),
                "crosses all of them",
            ),
            (lambda messages, bandwidths: next(iter(bandwidths)), "another link needs longer"),
            (lambda messages, bandwidths: slowest(messages, bandwidths)[::-1], "Links have a direction"),
            (undirected, "('r', 's') is no link here; ('s', 'r') is. Links have a direction."),
            (lambda messages, bandwidths: ("p", "p"), "should return a link such as"),
            (lambda messages, bandwidths: "p", "should return a link such as"),
            (lambda messages, bandwidths: [["p"], "q"], "should return a link such as"),
        ],
    ),
    "crossing": (
        [crossing],
        [
            (lambda npus: npus - 1, "others that pass"),
            (lambda npus: npus * (npus - 1) // 2, "the shorter way round"),
            (lambda npus: npus * (npus - 1), "crosses some links only"),
            (lambda npus: npus // 2, "NPUs before it"),
            (lambda npus: sum(range(1, (npus + 1) // 2)), "exactly opposite"),
            (lambda npus: npus**2 / 8, "a tie goes clockwise"),
            (lambda npus: npus * npus // 8, "a tie goes clockwise"),
            (lambda npus: npus * crossing(npus), "one is asked for"),
            (lambda npus: 2 * crossing(npus), "reduce-scatter and the all-gather"),
            (lambda npus: crossing(npus) + 1, "too large"),
        ],
    ),
    "best": (
        [best()],
        [
            (best(A="direct"), "if no message ever waited"),
            (best(B="ring", D="ring"), "Also not yet: D"),
            (best(C="ring"), "whose messages meet"),
            (best(D="ring"), "What else does a step cost"),
            (best(E="direct"), "the thin link"),
            (lambda: {"A": "ring"}, "Return a dict"),
            (lambda: best()() | {"A": "tree"}, "Return a dict"),
            (lambda: "ring", "Return a dict"),
        ],
    ),
    "cables": (
        [more(wider=150), more((0, 4), (1, 5), (2, 6)), more((0, "ToR 1"), (1, "ToR 1"), (2, "ToR 1"))],
        [
            (more(), "no cable was added"),
            (more(wider=50), "You have 2 cables left"),
            (more(wider=200), "there are 3"),
            (more((0, 1), wider=100), "as fast; 1.9 are wanted"),
            (more(("ToR 0", "new"), ("new", "ToR 1")), "another way is shorter"),
            (more((0, 4), latency=1), "a cable has 50 GB/s and 500 ns"),
            (more((0, 4), bandwidth=75), "a cable has 50 GB/s and 500 ns"),
            (more(wider=-25), "a cable has 50 GB/s and 500 ns"),
            (more((0, 4), latency=-1), "That is no network"),
            (more((0, 8)), "The eight NPUs"),
            (without(7), "The eight NPUs"),
            (lambda graph: graph.to_directed(), "goes both ways"),
            (lambda graph: None, "That is no network"),
            (
                lambda graph: graph.remove_edge(0, "ToR 0") or graph.add_edge(0, 4, bandwidth=50, latency=500) or graph,
                "is gone",
            ),
        ],
    ),
}


def _latencies(links, free_ns):
    time = 0
    for (_, latency), free in zip(links, free_ns, strict=True):
        time = max(time, free) + latency
    return time


GUESSES = ("predicted_factor",)
