"""What is gathered when all gradients are added up waits for every one of them, by few dependencies."""

from __future__ import annotations

import pytest

import astra_edu as ae
from astra_edu.traces import CommType, Node

SIZES = {"hidden": 1024, "heads": 16, "blocks": 4, "sequence": 512, "vocabulary": 1000}


def before(nodes: tuple[Node, ...], those: set[int]) -> set[int]:
    """All that some nodes wait for, at last."""
    parents = {node.id: {*node.data_deps, *node.ctrl_deps} for node in nodes}
    found, left = set[int](), set(those)
    while left:
        left = set().union(*(parents[one] for one in left)) - found
        found |= left
    return found


@pytest.mark.parametrize("overlap", [(), ("gradients",)])
@pytest.mark.parametrize("more", [{"zero": 1}, {"zero": 2}, {"zero": 2, "shard_group": 2}, {"zero": 1, "pipeline": 2}])
def test_the_last_gathers_wait_for_all_gradients_by_few_dependencies(more, overlap):
    cut = ae.Strategy(data=4, batch=64, overlap=overlap, **more)
    trace = ae.traces.from_strategy(ae.transformer("m", **SIZES), cut, "a100")
    for nodes in trace.nodes:
        gathers = {node.id for node in nodes if node.name.startswith("update ")}
        sums = {
            node.id
            for node in nodes
            if "weight gradients" in node.name and node.comm_type in (CommType.REDUCE_SCATTER, CommType.ALL_REDUCE)
        }
        assert gathers
        assert sums
        for one in gathers:
            assert sums <= before(nodes, {one})
        assert sum(len(node.data_deps) + len(node.ctrl_deps) for node in nodes) < 4 * len(nodes)
