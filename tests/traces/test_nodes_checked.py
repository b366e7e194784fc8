"""What can't be a node of an NPU is refused when a Trace is made of it, with what would be right."""

import pytest

import astra_edu as ae
from astra_edu.traces import Node, NodeType, Trace, attribute_of


def trace_of(*nodes):
    return Trace((nodes, nodes))


@pytest.mark.parametrize("value", [4096, "4096", None, (4096,), {"value": 4096}])
@pytest.mark.parametrize("type_", [NodeType.COMP_NODE, NodeType.COMM_COLL_NODE])
def test_an_attribute_says_how_it_is_written_in_files(value, type_):
    """Without that a size was passed over where nobody asked for it, and elsewhere ended in an AttributeError."""
    right = attribute_of("comm_size", 4096)
    trace_of(Node(1, "sum", type_, attributes={"comm_size": right}))
    with pytest.raises(ae.ConfigError, match=r"NPU 0, node 1 \(sum\): attribute 'comm_size' is .*traces.attribute_of"):
        trace_of(Node(1, "sum", type_, attributes={"comm_type": right, "comm_size": value}))


@pytest.mark.parametrize("parent", ["1", 1.5, None, [], [1]])
@pytest.mark.parametrize("deps", ["data_deps", "ctrl_deps"])
def test_nodes_wait_for_numbers(parent, deps):
    first = Node(1, "first", NodeType.COMP_NODE, duration_micros=5)
    with pytest.raises(ae.ConfigError, match=r"NPU 0: node 2 \(second\) waits for .*, which is no node's number"):
        trace_of(first, Node(2, "second", NodeType.COMP_NODE, duration_micros=5, **{deps: (1, parent)}))
