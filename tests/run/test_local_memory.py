"""Local memory over time, counted as ASTRA-sim 2.2.0's source says (astra-sim/workload/LocalMemUsageTracker.cc)."""

import pytest
from platforms_2 import SYSTEM, write

import astra_edu as ae

RING = ae.TracePlatform(ae.Block("Ring", 2, 50, 500), ae.TraceSystem.of("ring"))


def memory(*nodes):
    """Of nodes of 1 us, one after the other, by their (inputs, outputs)."""
    listed = [
        {
            "id": number, "type": "COMP_NODE", "duration_micros": 1, "data_deps": [number - 1] if number else [],
            "attr": {"inputs": inputs, "outputs": outputs},
        }
        for number, (inputs, outputs) in enumerate(nodes)
    ]  # fmt: skip
    return ae.simulate(ae.traces.from_nodes([listed] * 2), RING).local_memory(1)


def test_a_tensor_is_there_from_its_writers_start_to_its_last_readers_end():
    found = memory(
        (["x", "100"], ["a", "40"]), (["a", "40"], ["b", "7"]), (["a", "40", "b", "7"], ["c", "1", "d", "0"])
    )
    assert found.usage == ((0, 140), (1000, 47), (2000, 48), (3000, 1))
    assert found.peak_bytes == 140
    assert [(tensor.name, tensor.start_ns, tensor.end_ns) for tensor in found.tensors] == [
        ("x", 0, 1000), ("a", 0, 3000), ("b", 1000, 3000), ("c", 2000, None),
    ]  # fmt: skip


def test_what_is_read_before_anybody_writes_it_has_been_there_from_the_start():
    assert memory(([], ["a", "1"]), (["weights", "64"], [])).usage == ((0, 65), (2000, 1))


def test_no_tensors_no_memory():
    found = memory(([], []))
    assert (found.usage, found.peak_bytes) == ((), 0)


@pytest.mark.parametrize(
    ("nodes", "words"),
    [
        ([(["x"], [])], r"node 0 .*: inputs is \['x'\]; name and bytes by turns"),
        ([([], ["x", "many"])], "outputs is .*; name and bytes by turns"),
        ([([], ["x", "1"]), ([], ["x", "1"])], "node 1 .* writes the tensor 'x', which is there already"),
    ],
)
def test_what_astra_sim_stops_at(nodes, words):
    with pytest.raises(ae.ConfigError, match=words):
        memory(*nodes)


def test_a_node_that_does_not_name_its_tensors():
    result = ae.simulate(ae.traces.collective("all_reduce", 4096, npus=2), RING)
    with pytest.raises(ae.ConfigError, match="has no attribute inputs, so its tensors aren't known"):
        result.local_memory()


def test_the_key_of_the_system_file_is_not_passed_over_in_silence(tmp_path):
    with pytest.warns(UserWarning, match=r"system.json: track-local-mem is set; no trace of the local memory"):
        ae.load_astra_sim(**write(tmp_path, system=SYSTEM | {"track-local-mem": 1}))
