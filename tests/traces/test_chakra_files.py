"""Files that the programs of mlc-chakra 1.0.0 have written (tools/chakra_inputs.py), by what their inputs say."""

from pathlib import Path

import pytest

import astra_edu as ae
from astra_edu.traces import CommType, NodeType
from astra_edu.traces.et_file import read_et

CHAKRA = Path(__file__).parents[1] / "data/chakra"


def load(name, **more):
    return ae.traces.load_trace(CHAKRA / name, **more)


def total_ns(trace):
    network = ae.Block("FullyConnected", trace.npus, 50, 500)
    return ae.simulate(trace, ae.TracePlatform(network, ae.TraceSystem.of("ring"))).total_ns


def test_the_generator_s_files():
    (gather,) = load("ALL_GATHER").nodes[1]
    assert (gather.comm_type, gather.number("comm_size")) == (CommType.ALL_GATHER, 65536)
    (broadcast,) = load("BROADCAST").nodes[0]
    assert (broadcast.collective, total_ns(load("BROADCAST"))) == (None, 1)
    first, second = load("two_comp_nodes_dependent").nodes[0]
    assert (second.data_deps, total_ns(load("two_comp_nodes_dependent"))) == ((first.id,), 2 * 5000)
    (memory,) = load("one_remote_mem_load_node").nodes[0]
    assert (memory.type, memory.number("tensor_size")) == (NodeType.MEM_LOAD_NODE, 1024)


def test_the_converter_s_file_is_the_loop_with_its_nanoseconds_as_microseconds():
    with pytest.warns(UserWarning, match="the converter copies it as µs"):
        trace = load("text")
    found = trace.describe()
    assert [(row.collective, row.nodes, row.bytes) for row in found.collectives] == [("all-reduce", 4, 2 * 3 * 4096)]
    assert found.critical_path_us == 3000 + 3000 + 5000 + 4000 + 5000  # forward twice, then backward; layer 1 has no IG
    by_name = {node.name: node for node in trace.nodes[0]}
    sums = by_name["COMM_COLL_NODE_layer2_ALLREDUCE"]
    assert sums.number("comm_size") == 2 * 4096
    assert sums.data_deps == (by_name["COMP_NODE_layer2_BWD_WG"].id,)


def test_what_trace_link_and_the_converter_make_of_a_recording_waits_for_a_root_that_is_gone():
    with pytest.raises(
        ae.ConfigError, match=r"waits for node 0, which isn't there\. .* missing_parents='ignore' loads"
    ):
        load("linked")
    trace = load("linked", missing_parents="ignore")
    for npu in range(2):
        _, read = read_et(CHAKRA / f"linked.{npu}.et", npu)
        gone = {parent for node in read for parent in node.parents} - {node.id for node in read}
        assert gone == {0}
        assert [node.data_deps for node in trace.nodes[npu]] == [node.data_deps for node in read]
    found = trace.describe()
    assert {row.kind for row in found.kinds} == {"CPU", "note"}  # it makes collectives of NCCL's kernels only
    assert found.critical_path_us <= max(row.cpu_us for row in found.computing)
    with pytest.raises(ae.ConfigError, match="after an INVALID or METADATA node ASTRA-sim looks for nodes to start"):
        total_ns(trace)  # all wait for a METADATA node


def test_missing_data_dependencies_are_left_out_on_demand_only(tmp_path):
    nodes = [{"id": 1, "type": "COMP_NODE", "data_deps": [7]}]
    path = tmp_path / "t.json"
    path.write_text(f'{{"trace": [{str(nodes).replace(chr(39), chr(34))}]}}')
    with pytest.raises(ae.ConfigError, match=r"waits for node 7, which isn't there\.$"):
        ae.traces.load_trace(path)
    assert ae.traces.load_trace(path, missing_parents="ignore").nodes[0][0].data_deps == ()
    with pytest.raises(ae.ConfigError, match="missing_parents is 'yes'"):
        ae.traces.load_trace(path, missing_parents="yes")
