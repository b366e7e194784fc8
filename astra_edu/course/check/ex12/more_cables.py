"""Exercise 12's question 5: where more cables help."""

from __future__ import annotations

from collections import Counter
from typing import Any

from astra_edu.base.errors import ConfigError
from astra_edu.course.check.asked import Answer, call
from astra_edu.course.check.ex12.cases import BANDWIDTH, LATENCY, all_reduce, racks
from astra_edu.course.check.question import question
from astra_edu.course.check.verdict import NoAnswerError, Verdict
from astra_edu.network.graph import GraphNetwork
from astra_edu.run.link_times import link_name, link_times

CABLES = 3
"""How many may be added."""
FASTER = 1.9


@question
def cables(answer: Answer) -> Verdict:
    """cables(graph): the two racks and at most three more cables; the direct all-reduce 1.9 times as fast."""
    try:
        graph = call(answer, {"graph": racks()})
        network = GraphNetwork(graph)
        added = _added(graph)
    except NoAnswerError as problem:
        return problem.verdict
    except ConfigError as error:
        return Verdict(False, f"That is no network: {error}")
    if isinstance(added, str):
        return Verdict(False, added)
    before = all_reduce(GraphNetwork(racks()), "direct").total_ns
    result = all_reduce(network, "direct", record=True)
    faster = before / result.total_ns
    used = {frozenset(map(str, time.link)) for time in link_times(result)}
    if unused := [ends for ends in added if frozenset(ends) not in used]:
        return Verdict(False, f"No message takes the cable between {' and '.join(unused[0])}: another way is shorter.")
    if faster >= FASTER:
        return Verdict(
            True, f"Right: {faster:.2f} times as fast. More ways where everybody has to pass, or a wider one."
        )
    busiest = link_times(result)[0]
    spare = CABLES - sum(added.values())
    more = f" You have {spare} cable{'s' if spare > 1 else ''} left." if spare else ""
    return Verdict(
        False,
        f"It is {faster:.2f} times as fast; {FASTER} are wanted. The busiest link is now {link_name(busiest.link)}."
        f"{more}",
    )


def _added(graph: Any) -> Counter[tuple[str, str]] | str:
    """How many cables were added between which two nodes, or what is wrong with them."""
    old = racks()
    if set(range(8)) != {node for node in graph if isinstance(node, int)}:
        return "The eight NPUs, 0 to 7, should all be there, and no others."
    if graph.is_directed():
        return "A cable goes both ways: return the undirected graph that you were given, with more edges."
    if missing := [edge for edge in old.edges if not graph.has_edge(*edge)]:
        return f"The cable between {missing[0][0]} and {missing[0][1]} is gone. Add cables; take none away."
    found: Counter[tuple[str, str]] = Counter()
    for a, b, attributes in graph.edges(data=True):
        before = old.edges[a, b]["bandwidth"] if old.has_edge(a, b) else 0
        count, rest = divmod(attributes["bandwidth"] - before, BANDWIDTH)
        if attributes["latency"] != LATENCY or rest or count < 0:
            return (
                f"Between {a} and {b}: a cable has {BANDWIDTH} GB/s and {LATENCY} ns; two with the same ends are one "
                "edge with twice the GB/s."
            )
        if count:
            found[str(a), str(b)] = int(count)
    if not found:
        return "The graph is as it was: no cable was added."
    if found.total() > CABLES:
        return f"Those are {found.total()} more cables; there are {CABLES}."
    return found
