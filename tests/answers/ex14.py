"""Right and wrong answers of exercise 14."""

import math

from astra_edu.course.check.ex14.advice import samples
from astra_edu.course.check.ex14.search import dollars
from astra_edu.course.studies.case_studies.design import JOB, design_cost, train_design

RING, CONNECTED, SWITCH = "Ring", "FullyConnected", "Switch"


def cost(topology, npus, bandwidth, prices, ring=1.0, pairs=0.5, parts=("link", "switch", "NIC")):
    if topology == RING:
        return 64 * ring * prices["link"] * bandwidth
    if topology == CONNECTED:
        return 64 * pairs * (npus - 1) * prices["link"] * bandwidth
    return 64 * sum(prices[part] for part in parts) * bandwidth


def spent(*shape):
    """A design with these (topology, NPUs, share of the money)."""
    prices = dollars(tuple((topology, npus) for topology, npus, _ in shape))

    def design(budget):
        return [(t, n, share * budget / price) for (t, n, share), price in zip(shape, prices, strict=True)]

    return design


def better(first, second, budget, cost=design_cost, rank=samples):
    affordable = [one for one in (first, second) if cost(one) <= budget]
    return max(affordable, key=rank, default=None)


GOOD = spent((RING, 8, 0.46), (CONNECTED, 4, 0.42), (CONNECTED, 2, 0.12))

# check: (right answers, [(a wrong one, words of what it is told)])
QUESTIONS = {
    "dimension_cost": (
        [cost],
        [
            (lambda **c: cost(**c, pairs=1), "Two fully connected NPUs share one link"),
            (lambda **c: cost(**c, ring=2), "Neighbours on a ring share one link"),
            (lambda **c: cost(**c, ring=0.5 if c["npus"] == 2 else 1), "also with n = 2"),
            (lambda **c: cost(**c, ring=2, pairs=1), "count each link once"),
            (lambda **c: cost(**c, ring=(c["npus"] - 1) / c["npus"]), "A ring is closed"),
            (lambda **c: cost(**c) * c["npus"] / 64, "one group of NPUs"),
            (lambda **c: cost(**c) / 64, "one NPU's share"),
            (lambda **c: cost(**c, parts=("link", "switch")), "a NIC, too"),
            (lambda **c: cost(**c, parts=("link",)), "a port for each link"),
            (lambda **c: cost(**c, parts=("switch", "NIC")), "connected to its switch by a link"),
            (lambda **c: cost(**c) / c["bandwidth"], "for each GB/s"),
            (lambda **c: 2 * cost(**c), "too large"),
        ],
    ),
    "throughput": (
        [lambda design: JOB.samples / train_design(design).total_ns * 1e9],
        [
            (lambda design: samples(design) / 8, "iterations a second"),
            (lambda design: samples(design) / 64, "one NPU's share"),
            (lambda design: 8 * samples(design), "as many samples as copies"),
            (lambda design: samples(design) / 1e9, "for each ns"),
            (lambda design: samples(design) / 1e6, "for each µs"),
            (lambda design: samples(design) / 1e3, "for each ms"),
            (lambda design: 8e9 / train_design(design).compute_ns[0], "leaves out the communication"),
            (lambda design: 8e9 / train_design(design).exposed_ns[0], "the exposed communication alone"),
            (lambda design: train_design(design).total_ns / 1e9, "the time of an iteration in seconds"),
        ],
    ),
    "better": (
        [better, lambda first, second, budget: better(second, first, budget)],
        [
            (lambda first, second, budget: None, "you buy none, but one of the two costs"),
            (lambda first, second, budget: first, "you take"),
            (lambda first, second, budget: better(first, second, math.inf), "it can't be paid"),
            (lambda **c: better(**c, rank=lambda one: -design_cost(one)), "what is left of a budget trains nothing"),
            (lambda **c: better(**c, rank=lambda one: -samples(one)), "samples a second rather than"),
            (lambda first, second, budget: [(RING, 64, 1)], "Return one of the two designs, or None"),
            (lambda first, second, budget: "first", "Return one of the two designs, or None"),
        ],
    ),
    "design": (
        [GOOD, spent((RING, 8, 0.46), (CONNECTED, 2, 0.27), (CONNECTED, 4, 0.27))],
        [
            (
                lambda budget: [(RING, 8, 500), (RING, 2, 250), (RING, 4, 250)],
                "too much. That is $128,000 for dimension 0, $118,400 for dimension 1, $118,400 for dimension 2.",
            ),
            (lambda budget: [(SWITCH, 64, 500)], "too much. That is all for one dimension."),
            (spent((RING, 8, 0.23), (CONNECTED, 4, 0.21), (CONNECTED, 2, 0.06)), "are left over"),
            (spent((RING, 8, 0.9), (RING, 8, 0.1)), "Dimension 0 is paid for in vain"),
            (spent((RING, 8, 0.4), (CONNECTED, 4, 0.3), (CONNECTED, 2, 0.3)), "Dimension 2 is paid for in vain"),
            (spent((RING, 8, 0.2), (CONNECTED, 4, 0.7), (CONNECTED, 2, 0.1)), "Dimension 0 is the bottleneck"),
            (spent((SWITCH, 64, 1)), "100% of it goes to switches"),
            (spent((RING, 8, 0.43), (RING, 8, 0.57)), "ports are free"),
            (lambda budget: [(CONNECTED, 8, 5), (RING, 8, 5)], "7 + 2 = 9 ports; it has 6"),
            (lambda budget: [(RING, 16, 5), (RING, 4, 5)], "would end inside dimension 0, a Ring of 16"),
            (lambda budget: [(RING, 8, 5), (RING, 4, 5)], "8 × 4 = 32 NPUs; there are 64"),
            (lambda budget: [("rinng", 8, 5), (RING, 8, 5)], "did you mean 'Ring'"),
            (lambda budget: [(CONNECTED, 2, 1)] * 6, "6 dimensions; 4 is the most"),
            (lambda budget: [(RING, 8), (RING, 8)], "give (topology, NPUs, GB/s of one link)"),
            (lambda budget: [(RING, 8, -1), (RING, 8, 5)], "must be greater than 0"),
            (lambda budget: [(RING, 8, math.nan), (RING, 8, 5)], "finite number"),
            (lambda budget: "Ring", "a design is a list such as"),
        ],
    ),
}
GUESSES = ("predicted_gain",)
