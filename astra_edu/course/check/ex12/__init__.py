"""Checks for exercise 12, congestion: when a message arrives, which link is to blame, and what helps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from astra_edu.base.units import GIB, bytes_per_ns
from astra_edu.course.check.asked import Answer, call
from astra_edu.course.check.ex12.busiest_link import bottleneck
from astra_edu.course.check.ex12.cases import (
    ALGORITHMS,
    BANDWIDTH,
    CASES,
    LATENCY,
    all_reduce,
    fastest,
    hops,
    time_ns,
)
from astra_edu.course.check.ex12.more_cables import cables
from astra_edu.course.check.judge import judge, prediction
from astra_edu.course.check.mistake import Mistake
from astra_edu.course.check.question import guess, question
from astra_edu.course.check.spelling import named
from astra_edu.course.check.verdict import NoAnswerError, Verdict
from astra_edu.network import Block, Topology

__all__ = ["arrives_ns", "best", "bottleneck", "cables", "crossing", "predicted_factor"]

_SLACK_NS = 5.0  # what whole ns make of a few links
_NO_TIE = "Nearly: exactly opposite is a tie, and a tie goes clockwise."
Links = Sequence[tuple[float, float]]


@guess
def predicted_factor(answer: Answer) -> Verdict:
    """A guess: how many times longer the tutorial's direct all-reduce takes where messages wait for each other."""
    switch = Block(Topology.SWITCH, 64, BANDWIDTH, LATENCY)
    aware, unaware = (all_reduce(switch, "direct", GIB // 4, aware).total_ns for aware in (True, False))
    return prediction(answer, aware / unaware, "times", "An NPU has one link to the switch, and 63 messages for it.")


@question
def arrives_ns(answer: Answer) -> Verdict:
    """arrives_ns(size, links, free_ns): when a message is there that sets off at 0 ns."""

    def arrival(size: float, links: Links, free_ns: Sequence[float]) -> float:
        time = 0.0
        for (bandwidth, latency), free in zip(links, free_ns, strict=True):
            time = max(time, free) + latency + size / bytes_per_ns(bandwidth)
        return time

    def queued(size: float, links: Links, free_ns: Sequence[float]) -> float:
        return arrival(size, links, [0] * len(links)) + sum(free_ns)

    def cut_through(size: float, links: Links, free_ns: Sequence[float]) -> float:
        time = 0.0
        for (_, latency), free in zip(links, free_ns, strict=True):
            time = max(time, free) + latency
        return time + size / bytes_per_ns(min(bandwidth for bandwidth, _ in links))

    def without_latency(size: float, links: Links, free_ns: Sequence[float]) -> float:
        return arrival(size, [(bandwidth, 0) for bandwidth, _ in links], free_ns)

    def once(size: float, links: Links, free_ns: Sequence[float]) -> float:
        return without_latency(size, links, free_ns) + links[0][1]

    def tens(size: float, links: Links, free_ns: Sequence[float]) -> float:
        return arrival(size, [(bandwidth * 1e9 / GIB, latency) for bandwidth, latency in links], free_ns)

    random = Random(12)
    return judge(
        answer,
        arrival,
        [hops(random) for _ in range(8)],
        [
            Mistake(
                lambda **c: arrival(**c | {"free_ns": [0] * len(c["links"])}),
                "Yours never waits for a link that is busy.",
            ),
            Mistake(
                queued, "Nobody waits for a link before the message is there: what has passed by then costs nothing."
            ),
            Mistake(cut_through, "Every link sends the whole message again: it is stored, then forwarded."),
            Mistake(
                lambda **c: max(arrival(**c | {"free_ns": [0] * len(c["links"])}), max(c["free_ns"])),
                "A link that is free at last still has to carry the message.",
            ),
            Mistake(
                lambda **c: arrival(**c | {"free_ns": [c["free_ns"][0]] + [0] * (len(c["links"]) - 1)}),
                "Yours waits for the first link only; any of them may be busy.",
            ),
            Mistake(without_latency, "The latencies are missing.", _SLACK_NS),
            Mistake(once, "Each link has a latency, not just the first one.", _SLACK_NS),
            Mistake(
                lambda **c: arrival(**c | {"size": c["size"] / 1e9}),
                "The bytes take next to no time in yours. Bytes over bytes a second are seconds; ns are asked for.",
                _SLACK_NS,
            ),
            Mistake(tens, 'You took 10⁹ bytes for a GB; the network\'s "GB/s" are 2³⁰ bytes a second.', _SLACK_NS),
        ],
        "Right: at every link the later of two times counts, the message's and the link's.",
        tolerance=1e-4,
        unit="ns",
    )


@question
def crossing(answer: Answer) -> Verdict:
    """crossing(npus): how many messages of a direct reduce-scatter cross one clockwise link of a ring."""

    def messages(npus: int) -> float:
        half = npus // 2
        return half * (half + 1) / 2

    return judge(
        answer,
        messages,
        [{"npus": npus} for npus in (4, 5, 8, 9, 16, 30, 64)],
        [
            Mistake(
                lambda npus: npus - 1,
                "That is how many messages an NPU sends. A link also carries those of others that pass.",
            ),
            Mistake(
                lambda npus: npus * (npus - 1) / 2, "Yours all go clockwise. A message takes the shorter way round."
            ),
            Mistake(lambda npus: npus * (npus - 1), "Those are all messages; each crosses some links only."),
            Mistake(
                lambda npus: npus // 2,
                "That is how many an NPU sends clockwise. Those of the NPUs before it pass here, too.",
            ),
            Mistake(
                lambda npus: messages(npus - 2) if npus % 2 == 0 else messages(npus),
                "You left out who is exactly opposite: a tie goes clockwise.",
            ),
            Mistake(lambda npus: npus**2 / 8, _NO_TIE),
            Mistake(lambda npus: npus**2 // 8, _NO_TIE),
            Mistake(lambda npus: messages(npus) * npus, "That is for all clockwise links together; one is asked for."),
            Mistake(
                lambda npus: 2 * messages(npus),
                "That is for the reduce-scatter and the all-gather; one of them is asked for.",
            ),
        ],
        "Right: with n NPUs about n²/8 messages cross each link, though each NPU sends only n − 1.",
    )


@question
def best(answer: Answer) -> Verdict:
    """best(): letter to algorithm, the fastest of each case where messages wait for each other."""
    try:
        given = call(answer, {})
    except NoAnswerError as problem:
        return problem.verdict
    pairs = given.items() if isinstance(given, Mapping) else []
    given = {named(case, CASES): named(algorithm, ALGORITHMS) for case, algorithm in pairs}
    if given.keys() != CASES.keys() or None in given.values():
        return Verdict(False, f"Return a dict from {', '.join(CASES)} to one of {', '.join(ALGORITHMS)} each.")
    wrong = [letter for letter in CASES if given[letter] != fastest(letter)]
    if not wrong:
        return Verdict(True, "Right: few messages on each link where bytes decide, few steps where latencies do.")
    letter = wrong[0]
    factor = time_ns(letter, given[letter]) / time_ns(letter, fastest(letter))
    hint = {
        "A": "Which links does a message to an NPU far away cross, and who else needs them?",
        "B": "On a switch a step is two links long, and a message is stored in between. Who takes how many steps?",
        "C": "Everybody has a link to everybody: whose messages meet?",
        "D": "64 KiB take little time on a link. What else does a step cost, and how many are there?",
        "E": "How many bytes cross the thin link with each of the algorithms? Count them.",
    }[letter]
    if given[letter] == fastest(letter, aware=False):
        hint = f"That would be the fastest if no message ever waited. {hint}"
    others = f" (Also not yet: {', '.join(wrong[1:])}.)" if wrong[1:] else ""
    return Verdict(False, f"{letter}: another algorithm is {factor:.1f} times as fast. {hint}{others}")
