"""Traces of exchanged embeddings: HYBRID_DLRM's loop, once for each micro-batch."""

from __future__ import annotations

from collections import Counter

import pytest

import astra_edu as ae
from astra_edu.traces import NodeType


@pytest.mark.parametrize("order", ["1f1b", "gpipe", "zb-h1"])
@pytest.mark.parametrize("zero", [0, 1, 2])
def test_what_is_sent_is_what_communications_says(zero: int, order: str):
    strategy = ae.Strategy(data=4, batch=96, micro_batch=8, zero=zero, exchange_embeddings=True, pipeline_order=order)
    trace = ae.traces.from_strategy("dlrm", strategy, "a100")
    wanted, found = Counter[str](), Counter[str]()
    for one in ae.communications("dlrm", strategy):
        assert one.collective
        wanted[one.collective.value] += one.size * one.times
    for node in trace.nodes[3]:
        if node.type is NodeType.COMM_COLL_NODE:
            found[node.comm_type.name.lower().replace("_", "-")] += node.number("comm_size")
    assert found == wanted


def test_weights_of_an_order_that_splits_passes_come_after_inputs():
    strategy = ae.Strategy(data=4, exchange_embeddings=True, pipeline_order="zb-h1")
    names = [node.name for node in ae.traces.from_strategy("dlrm", strategy, "a100").nodes[0]]
    kinds = [name[0] for name in names]
    assert kinds == sorted(kinds, key="FBW".index)
    assert all(("weight gradient" in name) == (name[0] == "W") for name in names)


def test_virtual_stages_and_other_numbers_of_npus_are_refused():
    virtual = ae.Strategy(data=4, exchange_embeddings=True, pipeline_order="interleaved", virtual=2)
    with pytest.raises(ae.ConfigError, match=r"one part of the model on its NPUs, not 2; use virtual=1 and 1f1b"):
        ae.traces.from_strategy("dlrm", virtual, "a100")
    with pytest.raises(ae.ConfigError, match="takes 4 NPUs, but the network has 8"):
        ae.traces.from_strategy("dlrm", ae.Strategy(data=4, exchange_embeddings=True), "a100", 8)
