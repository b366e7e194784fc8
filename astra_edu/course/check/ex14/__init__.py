"""Checks for exercise 14, a platform under a budget: what a network costs, what it brings, and which one to build."""

from __future__ import annotations

from functools import lru_cache
from random import Random
from typing import Any

from astra_edu.base.errors import ConfigError
from astra_edu.course.check.asked import Answer, call, number, whole_number
from astra_edu.course.check.ex14.advice import advice, paid, samples
from astra_edu.course.check.ex14.search import best
from astra_edu.course.check.judge import judge, prediction
from astra_edu.course.check.mistake import Mistake
from astra_edu.course.check.question import guess, question
from astra_edu.course.check.spelling import named
from astra_edu.course.check.verdict import NoAnswerError, Verdict
from astra_edu.course.studies.case_studies.design import JOB, NPUS, Design, design_cost, network, train_design
from astra_edu.network import Topology
from astra_edu.network.cost import DOLLARS_PER_GB_S

GOOD = 0.95
"""So much of the best known throughput is enough."""
SMALL, LARGE = 30_000, 300_000
BUDGETS = tuple(sorted(Random(14).sample(range(30_000, 300_000, 5_000), 3)))
"""US dollars."""

_DESIGNS: tuple[Design, ...] = (
    (("Ring", 8, 100.0), ("Ring", 8, 50.0)),
    (("Switch", 8, 60.0), ("Ring", 8, 80.0)),
    (("FullyConnected", 4, 50.0), ("FullyConnected", 2, 80.0), ("Ring", 8, 60.0)),
    (("Ring", 4, 150.0), ("FullyConnected", 2, 60.0), ("Switch", 8, 12.0)),
    (("Switch", 64, 50.0),),
)


@guess
def predicted_gain(answer: Answer) -> Verdict:
    """A guess: how many times the throughput ten times the budget buys."""
    gain = best(LARGE).throughput / best(SMALL).throughput
    return prediction(
        answer, gain, "times", "A network can only take away what is exposed: computing takes as long as before."
    )


@question
def dimension_cost(answer: Answer) -> Verdict:
    """dimension_cost(topology, npus, bandwidth, prices): dollars for a dimension of 64 NPUs."""

    def cost(
        topology: str,
        npus: int,
        bandwidth: float,
        prices: dict[str, float],
        ring: float = 1,
        pairs: float = 0.5,
        parts: tuple[str, ...] = ("link", "switch", "NIC"),
    ) -> float:
        match topology:
            case "Ring":
                each = ring * prices["link"]
            case "FullyConnected":
                each = pairs * (npus - 1) * prices["link"]
            case _:
                each = sum(prices[part] for part in parts)
        return NPUS * each * bandwidth

    return judge(
        answer,
        cost,
        [
            {"topology": topology, "npus": npus, "bandwidth": bandwidth, "prices": dict(DOLLARS_PER_GB_S[kind])}
            for topology, npus, bandwidth, kind in (
                ("Ring", 8, 100, "Node"),
                ("Ring", 16, 25, "Pod"),
                ("Ring", 2, 50, "Node"),
                ("FullyConnected", 8, 20, "Node"),
                ("FullyConnected", 4, 50, "Pod"),
                ("Switch", 8, 30, "Node"),
                ("Switch", 4, 12.5, "Pod"),
            )
        ],
        [
            Mistake(lambda **c: cost(**c, pairs=1), "Two fully connected NPUs share one link; you pay for it twice."),
            Mistake(lambda **c: cost(**c, ring=2), "Neighbours on a ring share one link; you pay for it twice."),
            Mistake(
                lambda **c: cost(**c, ring=0.5 if c["npus"] == 2 else 1),
                "A ring of n has n links, also with n = 2: there are two links between the same two NPUs.",
            ),
            Mistake(
                lambda **c: cost(**c, ring=2, pairs=1),
                "Every link has two ends, and you pay for both: count each link once.",
            ),
            Mistake(
                lambda **c: cost(**c, ring=(c["npus"] - 1) / c["npus"]),
                "A ring is closed: its last NPU has a link to the first one.",
            ),
            Mistake(
                lambda **c: cost(**c) * c["npus"] / NPUS,
                f"That is one group of NPUs; all {NPUS} NPUs are in such a group.",
            ),
            Mistake(lambda **c: cost(**c) / NPUS, f"That is one NPU's share; {NPUS} are asked for."),
            Mistake(
                lambda **c: cost(**c, parts=("link", "switch")), "An NPU on a switch between nodes needs a NIC, too."
            ),
            Mistake(
                lambda **c: cost(**c, parts=("link",)), "The switch itself isn't free: it has a port for each link."
            ),
            Mistake(lambda **c: cost(**c, parts=("switch", "NIC")), "An NPU is connected to its switch by a link."),
            Mistake(lambda **c: cost(**c) / c["bandwidth"], "The prices are for each GB/s."),
        ],
        "Right. Each part is paid for its GB/s, so a slow link is a cheap one.",
    )


@question
def throughput(answer: Answer) -> Verdict:
    """throughput(design): samples a second, of all NPUs together."""
    return judge(
        answer,
        lambda design: samples(design),
        [{"design": list(design)} for design in _DESIGNS[:3]],
        [
            Mistake(
                lambda design: samples(design) / JOB.samples,
                "That is iterations a second; an iteration trains on the samples of all copies.",
            ),
            Mistake(lambda design: samples(design) / NPUS, "That is one NPU's share; all of them are asked for."),
            Mistake(
                lambda design: samples(design) * NPUS / JOB.samples,
                "NPUs of a tensor group work on the same sample: there are as many samples as copies of the model.",
            ),
            Mistake(lambda design: samples(design) / 1e9, "That is samples for each ns; the time is in ns."),
            Mistake(lambda design: samples(design) / 1e3, "That is samples for each ms; a second is asked for."),
            Mistake(lambda design: samples(design) / 1e6, "That is samples for each µs; a second is asked for."),
            Mistake(
                lambda design: JOB.samples / train_design(design).compute_ns[0] * 1e9,
                "That leaves out the communication: the iteration is over when its last collective is.",
            ),
            Mistake(
                lambda design: JOB.samples / train_design(design).exposed_ns[0] * 1e9,
                "That is the exposed communication alone; computing takes its time, too.",
            ),
            Mistake(lambda design: train_design(design).total_ns / 1e9, "That is the time of an iteration in seconds."),
        ],
        "Right: the samples of all copies, over the time of an iteration.",
        tolerance=1e-6,
    )


@question
def better(answer: Answer) -> Verdict:
    """better(first, second, budget): the faster one of those that can be paid, or None."""
    cases = _pairs()
    try:
        given = [call(answer, {"first": list(a), "second": list(b), "budget": budget}) for a, b, budget in cases]
    except NoAnswerError as problem:
        return problem.verdict
    for chosen, (first, second, budget) in zip(given, cases, strict=True):
        wrong = _chosen(chosen, (first, second), budget)
        if wrong:
            return Verdict(False, wrong)
    return Verdict(True, "Right: first what can be paid, then what is fastest.")


@question
def design(answer: Answer) -> Verdict:
    """design(budget): the dimensions of a network for so many dollars."""
    shares = {}
    for budget in BUDGETS:
        try:
            given = call(answer, {"budget": budget})
        except NoAnswerError as problem:
            return problem.verdict
        try:
            found = _listed(given)
            if found is None:
                network(given)
                raise ConfigError(f"a design is a list of (topology, NPUs, GB/s), not {given!r:.60}.")
            cost = design_cost(found)
        except ConfigError as error:
            return Verdict(False, f"With ${budget:,.0f}: {error}")
        if cost > budget * (1 + 1e-9):
            over = cost - budget
            return Verdict(
                False,
                f"With ${budget:,.0f} your design costs ${cost:,.0f}: ${over:,.0f} too much. {_each(found)}",
            )
        shares[budget] = samples(found) / best(budget).throughput, found
    said = ", ".join(f"{share:.1%} with ${budget:,.0f}" for budget, (share, _) in shares.items())
    said = f"Of the best throughput known your designs reach {said}."
    worst = min(shares, key=lambda budget: shares[budget][0])
    if shares[worst][0] >= GOOD:
        return Verdict(True, f"Right. {said}")
    return Verdict(False, f"{said} {GOOD:.0%} is asked for. With ${worst:,.0f}: {advice(shares[worst][1], worst)}")


def _each(design: Design) -> str:
    """What each dimension costs."""
    dollars = paid(design)
    if len(dollars) == 1:
        return "That is all for one dimension."
    return "That is " + ", ".join(f"${cost:,.0f} for dimension {d}" for d, cost in enumerate(dollars)) + "."


def _chosen(chosen: Any, offered: tuple[Design, Design], budget: float) -> str:
    """What is wrong with the choice; empty if nothing is."""
    affordable = [design for design in offered if design_cost(design) <= budget]
    if chosen is None:
        least = min(map(design_cost, offered))
        return f"With ${budget:,.0f} you buy none, but one of the two costs ${least:,.0f}." if affordable else ""
    listed = _listed(chosen)
    if listed is None or listed not in offered:
        return f"Return one of the two designs, or None; you return {chosen!r:.80}."
    if listed not in affordable:
        return f"With ${budget:,.0f} you buy a design that costs ${design_cost(listed):,.0f}: it can't be paid."
    fastest = max(affordable, key=samples)
    if listed == fastest:
        return ""
    cheaper = design_cost(listed) < design_cost(fastest)
    why = " Yours is the cheaper one, but what is left of a budget trains nothing." if cheaper else ""
    return (
        f"Both can be paid with ${budget:,.0f}, and you take {samples(listed):,.0f} samples a second rather than "
        f"{samples(fastest):,.0f}.{why}"
    )


@lru_cache(maxsize=1)
def _pairs() -> tuple[tuple[Design, Design, int], ...]:
    """(first, second, budget): both can be paid, either way round; then only one, the faster or the slower; or none."""
    random, cases = Random(14), []
    slow_and_dear = sorted(_DESIGNS, key=design_cost)
    for rich in (True, True, False, False, None):
        a, b = random.sample(slow_and_dear, 2)
        low, high = sorted((design_cost(a), design_cost(b)))
        budget = 1.1 * high if rich else (low + high) / 2 if rich is False else 0.9 * low
        cases += [(a, b, int(budget)), (b, a, int(budget))]
    return tuple(cases)


def _listed(given: Any) -> Design | None:
    """A design as a tuple of tuples, so that lists and tuples are equal; None for anything else."""
    try:
        return tuple(
            (named(topology, map(str, Topology)) or str(topology), whole_number(npus), number(bandwidth))
            for topology, npus, bandwidth in given
        )
    except (TypeError, ValueError):  # a NoAnswerError is one
        return None
