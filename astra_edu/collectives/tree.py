"""Binary trees: log2(n) levels up, log2(n) levels down, for any n.

The tree is the in-order one of NCCL (`src/graph/trees.cc`): odd NPUs are leaves, and an NPU whose lowest set
bit is b has its children b/2 to either side of it. It needs no table: parents and children are arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from astra_edu.base.errors import ConfigError
from astra_edu.collectives.algorithm import Algorithm
from astra_edu.collectives.collective import Collective, block_count
from astra_edu.collectives.schedule import Op, Rounds
from astra_edu.collectives.traits import Traits


class Tree(NamedTuple):
    """A rooted tree over NPUs 0 .. n-1: parent and children of each, by number."""

    parents: tuple[int | None, ...]
    children: tuple[tuple[int, ...], ...]

    def heights(self) -> list[int]:
        """For each NPU the levels below it: 0 for a leaf."""
        found = [0] * len(self.parents)
        for npu, below in enumerate(self.children):
            height, here = 0, None if below else npu
            while here is not None and (here == npu or found[here] < height):
                found[here] = height
                here, height = self.parents[here], height + 1
        return found

    def depth(self, npu: int) -> int:
        """Levels above `npu`: 0 for the root."""
        parent = self.parents[npu]
        return 0 if parent is None else self.depth(parent) + 1

    def below(self, npu: int) -> list[int]:
        """`npu` and everybody under it."""
        return [npu] + [low for child in self.children[npu] for low in self.below(child)]


def binary_tree(n: int, rename: Callable[[int], int] = lambda npu: npu) -> Tree:
    """The in-order binary tree with root 0, its NPUs renamed by `rename` (a permutation of 0 .. n-1)."""
    parents: list[int | None] = [None] * n
    children: list[list[int]] = [[] for _ in range(n)]
    for npu in range(1, n):
        bit = npu & -npu
        up = (npu ^ bit) | (bit << 1)
        parent = up if up < n else npu ^ bit
        parents[rename(npu)] = rename(parent)
        children[rename(parent)].append(rename(npu))
    return Tree(tuple(parents), tuple(tuple(c) for c in children))


def rooted_at(n: int, root: int) -> Tree:
    """The binary tree turned so that `root` is its root."""
    return binary_tree(n, lambda npu: (npu + root) % n)


def mirrored(n: int) -> Tree:
    """The second tree of a double binary tree: a leaf of the first is an inner node here (for even n, always)."""
    if n % 2 == 0:
        return binary_tree(n, lambda npu: n - 1 - npu)
    return binary_tree(n, lambda npu: (npu + 1) % n)


def perfect(n: int, root_first: bool) -> Tree:
    """A root with one child, and under it a perfect binary tree whose NPUs are numbered from left to right.

    The root is NPU 0 or the last one. Raises ConfigError unless n is a power of two.
    """
    if n & (n - 1):
        raise ConfigError(f"a tree of this kind needs a power of two of NPUs; {n} is none, {1 << n.bit_length()} is.")
    parents: list[int | None] = [None] * n
    children: list[list[int]] = [[] for _ in range(n)]
    root, first = (0, 1) if root_first else (n - 1, 0)

    def plant(low: int, high: int, parent: int) -> None:
        middle = (low + high) // 2
        parents[middle] = parent
        children[parent].append(middle)
        if low < middle:
            plant(low, middle - 1, middle)
            plant(middle + 1, high, middle)

    plant(first, first + n - 2, root)
    return Tree(tuple(parents), tuple(tuple(c) for c in children))


def reduce(n: int, root: int) -> tuple[Rounds, ...]:
    """Every NPU adds what its children send and passes the sum to its parent."""
    return (_up([rooted_at(n, root)]),)


def broadcast(n: int, root: int) -> tuple[Rounds, ...]:
    """Every NPU passes what its parent sent to its children."""
    return (_down([rooted_at(n, root)]),)


def all_reduce(n: int) -> tuple[Rounds, ...]:
    """Up the tree as a reduce, down it as a broadcast."""
    tree = binary_tree(n)
    return (_up([tree]), _down([tree]))


def root_last_all_reduce(n: int) -> tuple[Rounds, ...]:
    """ASTRA-sim's first tree: up to the last NPU and down again."""
    trees = [perfect(n, root_first=False)]
    return (_up(trees), _down(trees))


def root_first_all_reduce(n: int) -> tuple[Rounds, ...]:
    """ASTRA-sim's second tree: up to NPU 0 and down again."""
    trees = [perfect(n, root_first=True)]
    return (_up(trees), _down(trees))


def double_all_reduce(n: int) -> tuple[Rounds, ...]:
    """Two trees at once, each with half of the data: nobody is idle, as an inner node of one is a leaf of the other."""
    trees = [binary_tree(n), mirrored(n)]
    return (_up(trees), _down(trees))


def scatter(n: int, root: int) -> tuple[Rounds, ...]:
    """Every NPU hands each child the blocks of everybody below that child."""
    tree = rooted_at(n, root)
    depth = [tree.depth(npu) for npu in range(n)]

    def rule(s: int, i: int) -> list[tuple[int, int]]:
        return [(c, block) for c in tree.children[i] for block in tree.below(c)] if depth[i] == s else []

    return (Rounds("scatter", Op.COPY, max(depth), rule, symmetric=False, uniform=False),)


def gather(n: int, root: int) -> tuple[Rounds, ...]:
    """Every NPU hands its parent its own block and those of everybody below it."""
    tree = rooted_at(n, root)
    heights = tree.heights()

    def rule(s: int, i: int) -> list[tuple[int, int]]:
        parent = tree.parents[i]
        return [(parent, block) for block in tree.below(i)] if parent is not None and heights[i] == s else []

    return (Rounds("gather", Op.COPY, heights[root], rule, symmetric=False, uniform=False),)


def _up(trees: list[Tree]) -> Rounds:
    """Reduce tree t's shard t towards its root; an NPU sends once everything below it has arrived."""
    heights = [tree.heights() for tree in trees]

    def rule(s: int, i: int) -> list[tuple[int, int]]:
        return [
            (parent, shard)
            for shard, tree in enumerate(trees)
            if heights[shard][i] == s and (parent := tree.parents[i]) is not None
        ]

    count = max(max(row) for row in heights)
    return Rounds("reduce", Op.REDUCE, count, rule, symmetric=False, uniform=False)


def _down(trees: list[Tree]) -> Rounds:
    """Broadcast tree t's shard t from its root."""
    npus = range(len(trees[0].parents))
    depths = [[tree.depth(npu) for npu in npus] for tree in trees]

    def rule(s: int, i: int) -> list[tuple[int, int]]:
        return [
            (child, shard) for shard, tree in enumerate(trees) if depths[shard][i] == s for child in tree.children[i]
        ]

    count = max(max(row) for row in depths)
    return Rounds("broadcast", Op.COPY, count, rule, symmetric=False, uniform=False)


def _two_shards(collective: Collective, npus: int) -> int:
    return 2 * block_count(collective, npus)


BINARY_TREE = Algorithm(
    "binary-tree",
    {
        Collective.ALL_REDUCE: all_reduce,
        Collective.BROADCAST: broadcast,
        Collective.REDUCE: reduce,
        Collective.SCATTER: scatter,
        Collective.GATHER: gather,
    },
    block_count,
)
DOUBLE_BINARY_TREE = Algorithm("double-binary-tree", {Collective.ALL_REDUCE: double_all_reduce}, _two_shards)
ROOT_LAST = Algorithm(
    "tree-root-last",
    {Collective.ALL_REDUCE: root_last_all_reduce},
    block_count,
    Traits(tree=True, twin="tree-root-first", most_npus=(2**12, 2**12)),
    spellings=("doubleBinaryTree",),
)
ROOT_FIRST = Algorithm(
    "tree-root-first",
    {Collective.ALL_REDUCE: root_first_all_reduce},
    block_count,
    Traits(tree=True, twin="tree-root-last", most_npus=(2**12, 2**12)),
)
