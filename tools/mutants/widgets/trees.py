"""Faults in trees as the player draws them, and in whose data all-to-all's table says there are."""

from tools.mutants.fault import Fault

WIDGETS = "astra_edu/course/widgets"
SEEN = "tests/browser/test_player_seen.py"
TREES = f"{SEEN}::test_trees_are_drawn_as_trees"
WHOSE = f"{SEEN}::test_all_to_alls_table_says_whose_data_they_are"

FAULTS = [
    Fault(
        "trees: they stand in a circle",
        f"{WIDGETS}/drawing.py",
        "if networks[0].own_links else",
        "if networks[0].switched else",
        TREES,
    ),
    Fault(
        "trees: also where NPUs stand in a ring",
        f"{WIDGETS}/drawing.py",
        "if networks[0].own_links else",
        "if networks[0] else",
        f"{SEEN}::test_a_network_of_fewer_links_is_drawn_whatever_the_algorithm",
    ),
    Fault(
        "trees: a star is one, too",
        f"{WIDGETS}/tree_layout.py",
        "MOST_TREES, LEAST_LEVELS = 2, 3",
        "MOST_TREES, LEAST_LEVELS = 2, 2",
        f"{SEEN}::test_what_is_no_tree_or_a_star_stands_in_a_circle",
    ),
    Fault(
        "trees: the root is at the bottom",
        f"{WIDGETS}/tree_layout.py",
        "TOP + tree.depth(npu) / (tree.levels - 1)",
        "TOP + (1 - tree.depth(npu) / (tree.levels - 1))",
        TREES,
    ),
    Fault(
        "trees: leaves lie on each other",
        f"{WIDGETS}/tree_layout.py",
        "float(leaves), leaves + 1",
        "float(leaves // 2), leaves + 1",
        TREES,
    ),
    Fault(
        "trees: the second tree has the first one's ways",
        f"{WIDGETS}/static/player/stage.js",
        '`,${stage.trees[shard]}` : ""}`',
        '"" : ""}`',
        TREES,
    ),
    Fault(
        "trees: the second tree's wires are missing",
        f"{WIDGETS}/tree_layout.py",
        "for tree, nodes in zip(trees.trees, places, strict=True)\n        for",
        "for tree, nodes in zip(trees.trees[:1], places, strict=False)\n        for",
        TREES,
    ),
    Fault(
        "trees: an NPU of the second tree has another's number",
        f"{WIDGETS}/static/player/stage.js",
        "stage.twins.map((places) => places[npu])",
        "stage.twins.map((places) => places.at(-npu))",
        TREES,
    ),
    Fault(
        "trees: the names are swapped",
        f"{WIDGETS}/tree_layout.py",
        "enumerate(of) if other == tree]",
        "enumerate(of) if other != tree]",
        TREES,
    ),
    Fault(
        "all-to-all: who owns what is not said",
        f"{WIDGETS}/static/player/table.js",
        "{ source: 0, destination: npus - 1 }",
        "{ source: npus - 1, destination: 0 }",
        WHOSE,
    ),
    Fault(
        "all-to-all: what has come is said to be awaited",
        f"{WIDGETS}/static/player/table.js",
        "set ? data.words.got : data.words.waits",
        "set ? data.words.waits : data.words.got",
        WHOSE,
    ),
    Fault(
        "all-to-all: pairs of large numbers are cut off",
        f"{WIDGETS}/holdings.py",
        '" ✓" if n <= 8 else ""',
        '" ✓"',
        f"{SEEN}::test_pairs_of_16_npus_fit_into_their_cells",
    ),
]
