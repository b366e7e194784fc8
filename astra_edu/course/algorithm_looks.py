"""The one colour of a collective algorithm, in figures and in instruments alike; beside it a marker or a hatch.

Algorithms that work alike share a look: all trees, all that go by way of one NPU. A topology that stands for the
algorithm that suits it, as in a legend of three networks, has that one's look.
"""

from __future__ import annotations

from typing import NamedTuple


class Family(NamedTuple):
    """How algorithms of a kind are drawn. names: theirs, in small letters.

    colour and marker: of a line. pale: of a filled piece, (on light, on dark), with its hatch.
    """

    names: tuple[str, ...]
    colour: str
    marker: str
    pale: tuple[str, str]
    hatch: str


FAMILIES = {
    "ring": Family(("ring", "bidirectional-ring"), "#0072B2", "o", ("#9ecbe8", "#2f6f9c"), ""),
    "direct": Family(("direct", "onedirect", "fullyconnected"), "#D55E00", "s", ("#f2a58a", "#a04a2a"), "/"),
    "halving-doubling": Family(
        ("halving-doubling", "halvingdoubling", "onehalvingdoubling", "switch"),
        "#009E73",
        "^",
        ("#a9dcc3", "#2b7355"),
        "\\",
    ),
    "tree": Family(
        ("tree", "binary-tree", "double-binary-tree", "doublebinarytree", "tree-root-last", "tree-root-first"),
        "#CC79A7",
        "D",
        ("#e2b6d2", "#8a3a6c"),
        "x",
    ),
    "by way of one": Family(
        ("single-master", "parameter-server", "central server", "by way of one"),
        "#E69F00",
        "v",
        ("#f3c97a", "#7d5a10"),
        ".",
    ),
    "in the switch": Family(("in-switch",), "#F0E442", "*", ("#f7f0a0", "#6b661a"), "o"),
    "naive": Family(("naive",), "#56B4E9", "P", ("#cfe6f5", "#274f6b"), "-"),
}
"""Okabe and Ito's colours, which people with any colour vision can tell apart."""
_OF = {name: family for family in FAMILIES.values() for name in family.names}


def family_of(name: str) -> Family | None:
    """The family of an algorithm, as "ring", "Ring" or "ring all-reduce" names it; None for any other name.

    >>> from astra_edu.course.algorithm_looks import family_of
    >>> family_of("double-binary-tree") == family_of("tree all-reduce"), family_of("ring of 8")
    (True, None)
    """
    return _OF.get(name.lower().removesuffix(" all-reduce"))
