"""Faults in synthesized collectives and their bounds."""

from tools.mutants.fault import Fault

MATCHING, STEPPED, BOUND, FRONT = (
    f"astra_edu/explore/synthesis/{name}.py" for name in ("matching", "stepped", "lower_bound", "__init__")
)
TESTS = "tests/explore/test_synthesis.py::test_"
RANDOM = f"{TESTS}it_is_proved_counted_and_simulated_on_random_graphs_and_never_faster_than_the_bound"
ONE_EACH = f"{TESTS}no_link_has_two_shards_at_once_neither_in_the_plan_nor_in_a_step"
OPTIMUM = f"{TESTS}the_known_optimum_is_reached"
HAND = f"{TESTS}bounds_by_hand"

FAULTS = [
    Fault(
        "a link takes another shard before the first is there",
        MATCHING,
        "any(self.free[link] > now for link in way.links)",
        "any(self.free[link] > now for link in way.links[1:])",
        f"{ONE_EACH}[1]",
    ),
    Fault(
        "an NPU gets a shard twice",
        MATCHING,
        "        self.gets[way.destination] |= 1 << shard\n",
        "",
        f"{RANDOM}[0]",
    ),
    Fault(
        "what many NPUs have goes first",
        MATCHING,
        "for level in self.copies if wanted & level",
        "for level in reversed(self.copies) if wanted & level",
        f"{OPTIMUM}[Torus4x4-16-4-15-all-gather]",
    ),
    Fault(
        "a reduce-scatter runs over links the wrong way round",
        MATCHING,
        "Planned(each.way.back, each.shard",
        "Planned(each.way, each.shard",
        f"{RANDOM}[1]",
    ),
    Fault(
        "an NPU sends on what comes in the same step",
        STEPPED,
        "max(arrived[there], number + 1)",
        "max(arrived[there], number)",
        f"{RANDOM}[0]",
    ),
    Fault(
        "a link has two shards in a step",
        STEPPED,
        "used |= dict.fromkeys(way.links, number + 1)",
        "used |= dict.fromkeys(way.links, number)",
        f"{ONE_EACH}[0]",
    ),
    Fault(
        "steps wait for what comes later",
        STEPPED,
        "                floors[k] = sent\n",
        "                floors[k] = 0\n",
        f"{TESTS}links_that_differ_lose_less_in_mended_steps",
    ),
    Fault(
        "messages take a shorter way than was planned",
        FRONT,
        "    graph = with_ways(graph, ways)\n",
        "",
        f"{TESTS}a_message_takes_the_way_that_was_planned",
    ),
    Fault(
        "an all-reduce's sums need not come in",
        BOUND,
        "2 * (len(with_npus) - 1) * shards",
        "(len(with_npus) - 1) * shards",
        f"{HAND}[all-reduce-network1-136717]",
    ),
    Fault(
        "a bound counts an NPU's own shards",
        BOUND,
        "_one_by_one(into[npu], (npus - 1) * parts",
        "_one_by_one(into[npu], npus * parts",
        f"{HAND}[reduce-scatter-network3-20031]",
    ),
    Fault(
        "cuts are taken for wider than they are",
        BOUND,
        "more = _over_cut(links, inside, shards, shard_bytes)",
        "more = 0",
        f"{TESTS}the_bound_is_no_less_than_that_of_the_worst_cut",
    ),
    Fault(
        "the same seed gives another schedule",
        MATCHING,
        "Random(seed)",
        "Random()",
        f"{TESTS}the_same_seed_gives_the_same_schedule",
    ),
    Fault(
        "what takes no time stays in its order when it is turned round",
        "astra_edu/explore/synthesis/matching.py",
        "for each in reversed(planned)",
        "for each in planned",
        "tests/explore/test_synthesis.py::test_shards_that_take_no_time_stay_in_order",
    ),
]
