"""Faults of fat trees and rails."""

from tools.mutants.fault import Fault

CLUSTERS = "astra_edu/network/clusters.py"
TREE = "tests/network/test_clusters.py::TestFatTree::test_"
RAILS = "tests/network/test_clusters.py::TestRails::test_"

FAULTS = [
    Fault(
        "oversubscribed leaves have as much up as down",
        CLUSTERS,
        "outside.bandwidth / low / spines",
        "outside.bandwidth / spines",
        f"{TREE}bisection_is_half_of_all_cards_over_the_ratio[2]",
    ),
    Fault(
        "each spine has all that a leaf has",
        CLUSTERS,
        "up = per_leaf * outside.bandwidth / ratio / spines",
        "up = per_leaf * outside.bandwidth / ratio",
        f"{RAILS}bisection",
    ),
    Fault(
        "a computer's NPUs hang on leaves of their own in a fat tree",
        CLUSTERS,
        'f"leaf {npu // (npus * per_leaf)}"',
        'f"leaf {npu % (nodes // per_leaf)}"',
        f"{TREE}links_between_pairs",
    ),
    Fault(
        "pods have the spines of the first",
        CLUSTERS,
        'f"spine {leaf // per_pod}.{spine}"',
        'f"spine 0.{spine}"',
        f"{TREE}links_between_pairs",
    ),
    Fault(
        "PXN goes to the receiver's rail by way of the wrong NPU",
        CLUSTERS,
        "here = source // npus * npus + to % npus",
        "here = source // npus * npus + (to + 1) % npus",
        f"{RAILS}links_between_pairs",
    ),
    Fault(
        "all messages to a rank take one spine",
        CLUSTERS,
        'f"spine {to // npus % spines}"',
        'f"spine {to % npus % spines}"',
        f"{RAILS}spines_are_used_evenly",
    ),
    Fault(
        "a bisection's ends are switches that are called so",
        CLUSTERS,
        "first, second = object(), object()",
        'first, second = "all", "others"',
        "tests/network/test_clusters.py::test_bisection_is_the_same_however_switches_are_called[names2]",
    ),
    Fault(
        "a bisection cuts a quarter of the NPUs off",
        CLUSTERS,
        "half = network.npus // 2",
        "half = network.npus // 4",
        f"{TREE}bisection_is_half_of_all_cards_over_the_ratio[1]",
    ),
]
