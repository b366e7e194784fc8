"""Check for exercise 13: durations in ns that stand where µs belong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from random import Random
from typing import Any

from astra_edu.course.check.asked import Answer, Case
from astra_edu.course.check.ex13.broken import Nodes, converted, pipeline
from astra_edu.course.check.ex13.mended import first_fault
from astra_edu.course.check.question import question
from astra_edu.course.check.verdict import Verdict

_KEY = "duration_micros"


@question
def in_microseconds(answer: Answer) -> Verdict:
    """in_microseconds(nodes): the nodes of every NPU, with durations that were ns as whole µs."""
    random = Random(13)
    cases: list[Case] = [{"nodes": converted()[:2]}]
    for npus in (2, 3, 4):
        nodes = pipeline(npus, 2, 4096)
        for node in (node for listed in nodes for node in listed if node["type"] == "COMP_NODE"):
            node[_KEY] = random.choice([0, 400, random.randrange(10**3, 10**9)])
        cases.append({"nodes": nodes})
    return first_fault(answer, cases, _fault, "Right: a µs is a µs again, and the network counts.")


def _fault(given: object, nodes: Nodes) -> str | None:
    if not isinstance(given, Sequence) or isinstance(given, str) or len(given) != len(nodes):
        return (
            f"Your function returns {given!r:.80}; a list with the nodes of each of the {len(nodes)} NPUs is expected."
        )
    for npu, (listed, were) in enumerate(zip(given, nodes, strict=True)):
        if not isinstance(listed, Sequence) or len(listed) != len(were):
            return f"NPU {npu} had {len(were)} nodes; it should keep them all, in their order."
        for now, was in zip(listed, were, strict=True):
            if fault := _fault_of(now, was):
                return f"NPU {npu}, node {was['id']}: {fault}"
    return None


def _fault_of(now: Any, was: Mapping[str, Any]) -> str | None:
    if not isinstance(now, Mapping) or _rest(now) != _rest(was):
        return "only durations are wrong; the rest of the node should stay as it is."
    ns, micros = was.get(_KEY, 0), now.get(_KEY, 0)
    if isinstance(micros, bool) or not isinstance(micros, Real):
        return f"its duration is {micros!r:.60}; that is no number."
    if abs(micros - ns / 1000) < 1:
        return None if isinstance(micros, Integral) else f"its duration is {micros!r}; a trace's numbers are ints."
    if micros == 0:
        return f"its duration is 0 now; it took {ns:,} ns. How many ns are a µs?"
    for factor, words in (
        (1, "is as it was."),
        (1000, "is 1000 times what it was. Are there more µs in it, or fewer?"),
        (1e-6, "is a millionth of what it was; how many ns are a µs?"),
    ):
        if abs(micros - ns * factor) < 1:
            return f"its duration {words}"
    return f"it took {ns:,} ns; {micros:,} µs is another time."


def _rest(node: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in node.items() if key != _KEY}
