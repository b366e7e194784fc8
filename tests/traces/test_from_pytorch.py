"""Traces from PyTorch's profiler: a recorded run of two processes, small files by hand, and torch where it is there."""

import json
from importlib.util import find_spec
from pathlib import Path

import pytest

import astra_edu as ae
from astra_edu.traces import CommType, NodeType
from astra_edu.traces.make_from_pytorch import from_pytorch
from astra_edu.traces.pytorch_files import read_recording
from astra_edu.traces.pytorch_recorder import record_pytorch

RECORDED = Path(__file__).parents[2] / "exercises/inputs/pytorch"
HOSTS = [RECORDED / f"mlp.{rank}.host.json" for rank in (0, 1)]
TIMES = [RECORDED / f"mlp.{rank}.kineto.json" for rank in (0, 1)]
LINEAR = [(512 * 1024 + 1024), (1024 * 1024 + 1024), (1024 * 512 + 512)]  # parameters of the recorded model's layers


def says(words):
    return pytest.raises(ae.ConfigError, match=words)


def platform(npus, bandwidth=1):
    return ae.TracePlatform((ae.Block("FullyConnected", npus, bandwidth, 500),), ae.TraceSystem.of("direct"))


# ------------------------------------------------------------------- a run of two processes, recorded on a CPU


@pytest.fixture(scope="module")
def recorded():
    return from_pytorch(HOSTS, TIMES)


def test_the_gradients_of_each_layer_are_all_reduced(recorded):
    for nodes in recorded.nodes:
        sent = [node for node in nodes if node.type is NodeType.COMM_COLL_NODE]
        assert [node.comm_type for node in sent] == [CommType.ALL_REDUCE] * 3
        assert [node.number("comm_size") for node in sent] == [4 * count for count in reversed(LINEAR)]


def test_computations_are_the_operators_that_the_program_calls(recorded):
    names = [node.name for node in recorded.nodes[0] if node.type is NodeType.COMP_NODE]
    assert names[:6] == ["aten::linear", "aten::relu", "aten::linear", "aten::relu", "aten::linear",
                         "aten::broadcast_tensors"]  # fmt: skip
    assert names.count("aten::linear") == 3
    assert names.count("aten::mm") == 5  # of the backward pass; those of the forward pass are inside aten::linear
    assert "aten::addmm" not in names


def test_times_are_the_recorded_ones_in_whole_microseconds(recorded):
    events = json.loads(TIMES[0].read_text())["traceEvents"]
    first = next(event["dur"] for event in events if event["name"] == "aten::linear")
    assert recorded.nodes[0][0].duration_micros == round(first)
    assert all(node.duration_micros for node in recorded.nodes[0] if node.type is NodeType.COMP_NODE)


def test_an_all_reduce_overlaps_with_the_backward_pass_that_goes_on(recorded):
    nodes = {node.id: node for node in recorded.nodes[0]}
    sent = [node for node in nodes.values() if node.type is NodeType.COMM_COLL_NODE]
    before = nodes[sent[0].data_deps[0]]
    following = [node for node in nodes.values() if before.id in node.data_deps and node is not sent[0]]
    assert [node.name for node in following] == ["aten::threshold_backward"]
    waits = [node for node in nodes.values() if {one.id for one in sent} & {*node.data_deps}]
    assert [node.name for node in waits] == ["aten::as_strided"] * 3  # the gradients, read out of each bucket
    run = ae.simulate(recorded, platform(2))
    ran = {one.node.id: one for one in run.ran}
    assert all(ran[one.id].start_ns >= ran[parent].end_ns for one in sent for parent in one.data_deps)
    assert sum(run.communication_ns) > 5 * sum(run.exposed_ns)


def test_the_recorded_run_takes_as_long_as_in_astra_sim_2(recorded):
    """Congestion-aware, 4 splits, local-mem-bw 50."""
    system = ae.TraceSystem.of("direct", splits=4, local_memory_bandwidth=50, optimization="localBWAware")
    pair = ae.TracePlatform((ae.Block("FullyConnected", 2, 1, 500),), system, congestion_aware=True)
    assert ae.simulate(recorded, pair).finish_ns == (42_315_572, 42_718_092)


def test_nothing_waits_for_what_it_waits_for_anyway(recorded):
    for nodes in recorded.nodes:
        above = {}
        for node in nodes:
            assert not any(
                parent in above[other] for parent in node.data_deps for other in node.data_deps if other != parent
            )
            above[node.id] = {*node.data_deps, *(one for parent in node.data_deps for one in above[parent])}


def test_one_process_for_many():
    trace = from_pytorch(HOSTS[0], TIMES[0], npus=8)
    assert trace.npus == 8
    assert trace.alike
    assert ae.simulate(trace, platform(8)).one_for_all
    assert from_pytorch(str(HOSTS[0]), [TIMES[0]]).npus == 1


# -------------------------------------------------------------------------------------------- files by hand


def tensor(number, elements=1000, storage=None):
    return [number, number if storage is None else storage, 0, elements, 4, "cpu"]


def call(number, name, parent=1, inputs=(), outputs=(), values=None, types=None, schema=True, thread=1):
    given = [*inputs] if values is None else values
    kinds = types or ["Tensor(float)" if isinstance(value, list) else "Int" for value in given]
    attributes = [{"name": "rf_id", "value": number}, {"name": "tid", "value": thread}]
    if schema:
        attributes.append({"name": "op_schema", "value": name})
    return {
        "id": number,
        "name": name,
        "ctrl_deps": parent,
        "inputs": {"values": given, "types": kinds},
        "outputs": {"values": [*outputs], "types": ["Tensor(float)"] * len(outputs)},
        "attrs": attributes,
    }


def files(folder, nodes, micros, groups=None, kernels=(), rank=0):
    """Both files of a process. micros: number of a call to its µs; kernels: (number, µs)."""
    nodes = [call(1, "[pytorch|profiler|execution_trace|process]", schema=False), *nodes]
    if groups:
        listed = json.dumps([{"pg_name": name, "ranks": ranks} for name, ranks in groups.items()])
        nodes.append(call(2, "## process_group:init ##", values=[listed], types=["String"], schema=False))
    names = {node["id"]: node["name"] for node in nodes}
    events = [
        {
            "ph": "X",
            "cat": "cpu_op",
            "name": names.get(number),
            "dur": time,
            "args": {"External id": 100 + number, "Record function id": number},
        }
        for number, time in micros.items()
    ]
    events += [{"ph": "X", "cat": "kernel", "dur": time, "args": {"External id": 100 + k}} for k, time in kernels]
    host, kineto = folder / f"{rank}.host.json", folder / f"{rank}.kineto.json"
    host.write_text(json.dumps({"schema": "1.1.1-chakra.0.0.4", "nodes": nodes}))
    kineto.write_text(json.dumps({"traceEvents": [{"ph": "M", "name": "process_name"}, *events]}))
    return host, kineto


def named(trace, npu=0):
    names = {node.id: node.name for node in trace.nodes[npu]}
    return {node.name: sorted(names[parent] for parent in node.data_deps) for node in trace.nodes[npu]}


def test_what_is_inside_an_operator_is_part_of_it(tmp_path):
    inner = [call(4, "aten::addmm", parent=3), call(5, "aten::mul", parent=4)]
    label = call(6, "AddmmBackward0", schema=False)
    nodes = [call(3, "aten::linear", outputs=[tensor(1)]), *inner, label, call(7, "aten::mm", parent=6)]
    trace = from_pytorch(*files(tmp_path, nodes, {3: 50.0, 4: 40.0, 5: 30.0, 6: 25.0, 7: 20.0}))
    assert [(node.name, node.duration_micros) for node in trace.nodes[0]] == [("aten::linear", 50), ("aten::mm", 20)]


def test_operators_wait_for_their_thread_and_for_their_data(tmp_path):
    nodes = [
        call(3, "a", outputs=[tensor(1)]),
        call(4, "b", outputs=[tensor(2)], thread=2),
        call(5, "c", inputs=[tensor(1)], thread=2),
        call(6, "d"),
        call(7, "writes it again", inputs=[tensor(9, storage=2)], outputs=[tensor(9, storage=2)]),
    ]
    trace = from_pytorch(*files(tmp_path, nodes, dict.fromkeys(range(3, 8), 10.0)))
    assert named(trace) == {"a": [], "b": [], "c": ["a", "b"], "d": ["a"], "writes it again": ["b", "d"]}


def test_short_operators_are_left_out_and_their_time_is_not(tmp_path):
    nodes = [call(3 + k, f"o{k}") for k in range(5)]
    trace = from_pytorch(*files(tmp_path, nodes, {3: 10.0, 4: 0.3, 5: 0.3, 6: 0.3, 7: 5.2}))
    assert [(node.name, node.duration_micros) for node in trace.nodes[0]] == [("o0", 10), ("o2", 1), ("o4", 5)]
    assert named(trace)["o4"] == ["o2"]
    nearest = from_pytorch(*files(tmp_path, nodes, {3: 10.0, 4: 0.3, 5: 0.3, 6: 0.3, 7: 5.2}), rounding="nearest")
    assert named(nearest) == {"o0": [], "o4": ["o0"]}


@pytest.mark.parametrize(
    ("name", "values", "kind", "size"),
    [
        ("c10d::allreduce_", [[tensor(1), tensor(2)]], CommType.ALL_REDUCE, 8000),
        ("c10d::allgather_", [[[tensor(1), tensor(2)]], [tensor(3)]], CommType.ALL_GATHER, 4000),
        ("c10d::_allgather_base_", [tensor(1, 2000), tensor(3)], CommType.ALL_GATHER, 4000),
        ("c10d::_reduce_scatter_base_", [tensor(1), tensor(3, 2000)], CommType.REDUCE_SCATTER, 8000),
        ("c10d::alltoall_base_", [tensor(1), tensor(3)], CommType.ALL_TO_ALL, 4000),
        ("c10d::broadcast_", [[tensor(1)]], CommType.BROADCAST, 4000),
        ("c10d::barrier", [tensor(1, 1)], CommType.ALL_REDUCE, 1),
        ("_c10d_functional::all_gather_into_tensor", [tensor(1)], CommType.ALL_GATHER, 4000),
    ],
)
def test_collectives(tmp_path, name, values, kind, size):
    nodes = [call(3, name, values=values, types=["GenericList[Tensor(float)]"] * len(values)), call(4, "aten::add")]
    trace = from_pytorch(*files(tmp_path, nodes, {3: 12.0, 4: 5.0}), npus=2)
    node = trace.nodes[0][0]
    assert (node.comm_type, node.number("comm_size")) == (kind, size)
    assert node.duration_micros == (12 if kind is CommType.BROADCAST else 0)
    assert named(trace)["aten::add"] == ([name] if name == "c10d::barrier" else [])
    ae.simulate(trace, platform(2))


def test_what_uses_gathered_data_waits_for_them(tmp_path):
    gather = call(3, "c10d::_allgather_base_", values=[tensor(1, 2000), tensor(3)], types=["Tensor(float)"] * 2)
    nodes = [gather, call(5, "aten::mul"), call(6, "aten::add", inputs=[tensor(1)])]
    trace = from_pytorch(*files(tmp_path, nodes, {3: 9.0, 5: 7.0, 6: 7.0}), npus=2)
    assert named(trace)["aten::mul"] == []
    assert named(trace)["aten::add"] == ["aten::mul", "c10d::_allgather_base_"]
    nodes.insert(1, call(4, "_c10d_functional::wait_tensor", values=[tensor(1)]))
    trace = from_pytorch(*files(tmp_path, nodes, {3: 9.0, 4: 0.0, 5: 7.0, 6: 7.0}), npus=2)
    assert named(trace)["aten::mul"] == ["c10d::_allgather_base_"]


def test_a_collective_inside_an_operator_opens_it(tmp_path):
    nodes = [
        call(3, "mine::layer"),
        call(4, "aten::mm", parent=3),
        call(5, "c10d::allreduce_", parent=3, values=[[tensor(1)]], types=["GenericList[Tensor(float)]"]),
    ]
    trace = from_pytorch(*files(tmp_path, nodes, {3: 50.0, 4: 20.0, 5: 30.0}), npus=2)
    assert named(trace) == {"aten::mm": [], "c10d::allreduce_": ["aten::mm"]}


def details(number, parent, group):
    values = [[[tensor(1)]], 31, [group, "a name"], 0, "allreduce", [], [], 0, 1, 2]
    return call(number, "record_param_comms", parent, values=values, types=["List"] * len(values), schema=False)


def test_process_groups(tmp_path):
    groups = {"0": [], "5": [0, 2], "6": [1, 3]}
    reduce = call(3, "c10d::allreduce_", values=[[tensor(1)]], types=["GenericList[Tensor(float)]"])
    ranks = [
        files(tmp_path, [reduce, details(4, 3, "5" if rank % 2 == 0 else "6")], {3: 9.0}, groups, rank=rank)
        for rank in range(4)
    ]
    trace = from_pytorch([host for host, _ in ranks], [kineto for _, kineto in ranks])
    assert [trace.groups[nodes[0].group] for nodes in trace.nodes] == [(0, 2), (1, 3)] * 2
    ae.simulate(trace, platform(4))
    with says("node 3 .c10d::allreduce_.: process group 5 is .0, 2., but there are files of 2 processes"):
        from_pytorch([host for host, _ in ranks[:2]], [kineto for _, kineto in ranks[:2]])
    gloo = files(tmp_path, [reduce], {3: 9.0}, groups, rank=9)
    with says("PyTorch hasn't recorded in which of the 3 process groups it is"):
        from_pytorch(*gloo, npus=4)


def test_messages(tmp_path):
    types = ["GenericList[Tensor(float)]", "Object", "Int", "Int"]
    send = call(3, "c10d::send", values=[[tensor(1)], "<Object>", 1, 7], types=types)
    receive = call(3, "c10d::recv_", values=[[tensor(1)], "<Object>", 0, 7], types=types)
    use = call(4, "aten::add", inputs=[tensor(1)])
    ranks = [files(tmp_path, [first, use], {3: 9.0, 4: 5.0}, rank=k) for k, first in enumerate((send, receive))]
    trace = from_pytorch([host for host, _ in ranks], [kineto for _, kineto in ranks])
    assert [nodes[0].type.name for nodes in trace.nodes] == ["COMM_SEND_NODE", "COMM_RECV_NODE"]
    run = ae.simulate(trace, platform(2))
    arrives = 500 + int(4000 / (2**30 / 1e9))
    assert run.finish_ns == (arrives + 5000, arrives + 5000)


def test_on_an_accelerator_the_kernels_time_counts(tmp_path):
    nodes = [call(3, "aten::linear"), call(4, "aten::addmm", parent=3), call(5, "aten::view"), call(6, "aten::relu")]
    both = files(tmp_path, nodes, dict.fromkeys((3, 4, 5, 6), 40.0), kernels=[(4, 100.0), (4, 50.0), (6, 8.0)])
    assert [(node.name, node.duration_micros) for node in from_pytorch(*both).nodes[0]] == [
        ("aten::linear", 150), ("aten::relu", 8)
    ]  # fmt: skip


def test_an_older_kineto_without_record_function_numbers(tmp_path):
    host, kineto = files(tmp_path, [call(3, "aten::mm")], {3: 5.0})
    event = {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "dur": 5, "args": {"External id": 3}}
    kineto.write_text(json.dumps({"traceEvents": [event]}))
    assert [node.duration_micros for node in from_pytorch(host, kineto).nodes[0]] == [5]
    kernel = event | {"cat": "kernel", "name": "gemm"}  # its number is the correlation's, not the operator's
    kineto.write_text(json.dumps({"traceEvents": [event, kernel]}))
    with says("has kernels, and no event has a 'Record function id'"):
        from_pytorch(host, kineto)


def test_the_schema_of_2023(tmp_path):
    host, kineto = files(tmp_path, [call(3, "c10d::allreduce_", values=[[tensor(1)]], types=["Tensor"])], {3: 5.0})
    old = [
        {"id": number, "parent": 1, "name": name, "rf_id": number, "tid": 1, "op_schema": name, "inputs": inputs}
        | {"input_types": ["GenericList[Tensor(float)]"] * len(inputs), "outputs": [], "output_types": []}
        for number, name, inputs in ((1, "process", []), (3, "c10d::allreduce_", [[tensor(1)]]))
    ]
    host.write_text(json.dumps({"schema": "1.0.1", "nodes": old}))
    (node,) = from_pytorch(host, kineto, npus=4).nodes[0]
    assert (node.comm_type, node.number("comm_size")) == (CommType.ALL_REDUCE, 4000)


def test_times_of_another_run_are_given_to_no_operator(tmp_path):
    names = ["aten::mm", "aten::add", "aten::mul", "aten::div"]
    host, _ = files(tmp_path, [call(3 + k, name) for k, name in enumerate(names)], {})
    micros = dict.fromkeys(range(3, 7), 5.0)
    _, kineto = files(tmp_path, [call(3 + k, names[k - 1]) for k in range(4)], micros, rank=1)
    with says("1.kineto.json calls only 0 of 4 operators as .*0.host.json calls those of the same number"):
        from_pytorch(host, kineto)
    _, half = files(tmp_path, [call(3, "aten::mm"), call(4, "aten::add"), call(5, "x"), call(6, "y")], micros, rank=2)
    assert len(from_pytorch(host, half).nodes[0]) == 4


def test_a_file_of_pytorch_is_no_trace_by_itself_and_it_says_who_reads_it(tmp_path):
    host, kineto = files(tmp_path, [call(3, "aten::mm")], {3: 5.0})
    with says("0.host.json is an execution trace of PyTorch; traces.from_pytorch reads it with"):
        ae.traces.load_trace(host)
    with says(r"0.kineto.json is the profiler's trace of PyTorch \(Kineto\); traces.from_pytorch takes it"):
        ae.traces.load_trace(kineto)


def test_labels_that_another_thread_hung_under_a_later_call(tmp_path):
    nodes = [call(3, "gloo:all_reduce", parent=4, schema=False), call(4, "aten::mm")]
    host, kineto = files(tmp_path, nodes, {3: 7.0, 4: 5.0})
    assert [operator.parent for operator in read_recording(host, kineto).operators] == [1, 3, 1]
    assert [node.name for node in from_pytorch(host, kineto).nodes[0]] == ["aten::mm"]


# --------------------------------------------------------------------------------------------- bad input


def test_files_that_are_none_of_pytorch_s(tmp_path):
    host, kineto = files(tmp_path, [call(3, "aten::mm")], {3: 5.0})
    with says("no such file; PyTorch's execution trace"):
        from_pytorch(tmp_path / "nothing.json", kineto)
    with says("has no list 'nodes'"):
        from_pytorch(kineto, kineto)
    with says("has no list 'traceEvents'"):
        from_pytorch(host, host)
    (tmp_path / "cut.json").write_text(host.read_text()[:-40])
    with says(r"cut.json, line 1, column \d+: no JSON"):
        from_pytorch(tmp_path / "cut.json", kineto)
    (tmp_path / "deep.json").write_text("[" * 100_000)
    with says("nested deeper"):
        from_pytorch(tmp_path / "deep.json", kineto)
    of_types = {"outputs": {"values": [1], "types": []}}
    for damage in ({"attrs": 5}, {"inputs": None}, {"id": "x"}, {"id": 1e999}, {"ctrl_deps": -1e999}, of_types):
        (tmp_path / "odd.json").write_text(json.dumps({"nodes": [call(3, "aten::mm") | damage]}))
        with says("odd.json, node 0 isn't as in PyTorch's execution traces"):
            from_pytorch(tmp_path / "odd.json", kineto)
    with says("two nodes have the id 3; aten::mm and aten::add"):
        from_pytorch(*files(tmp_path, [call(3, "aten::mm"), call(3, "aten::add")], {3: 5.0}))


@pytest.mark.parametrize("number", [[], {"a": 1}, [1, 2]])
def test_an_event_whose_number_is_none(tmp_path, number):
    host, kineto = files(tmp_path, [call(3, "aten::mm")], {3: 5.0})
    event = {"ph": "X", "cat": "kernel", "dur": 5, "args": {"External id": number}}
    kineto.write_text(json.dumps({"traceEvents": [event]}))
    with says("an event's External id is .*; it must be a number"):
        from_pytorch(host, kineto)


def test_files_that_do_not_belong_together(tmp_path):
    host, kineto = files(tmp_path, [call(3, "aten::mm")], {8: 5.0})
    with says("has the time of no operator in"):
        from_pytorch(host, kineto)
    with says("2 host files and 1 of Kineto"):
        from_pytorch([host, host], kineto)
    with says("there are no files"):
        from_pytorch([], [])
    with says("npus=4 is for a single process"):
        from_pytorch(HOSTS, TIMES, npus=4)
    kineto.write_text(json.dumps({"traceEvents": [5, {"ph": "X"}, {"ph": "X", "dur": "long", "args": {}}]}))
    with says("has no operators with a time"):
        from_pytorch(host, kineto)


def test_collectives_that_astra_sim_has_not(tmp_path):
    reduce = call(3, "c10d::reduce_", values=[[tensor(1)]], types=["GenericList[Tensor(float)]"])
    with says("node 3 .c10d::reduce_.: ASTRA-sim 2.x doesn't carry out"):
        from_pytorch(*files(tmp_path, [reduce], {3: 5.0}), npus=2)


def test_a_collective_in_an_odd_file_is_an_error_too(tmp_path):
    send = call(3, "c10d::send", values=[[tensor(1)]], types=["GenericList[Tensor(float)]"])
    with says("node 3 .c10d::send.: its arguments"):
        from_pytorch(*files(tmp_path, [send], {3: 5.0}), npus=2)
    for member in ("first", 1e999, None):
        groups = files(tmp_path, [call(3, "aten::mm")], {3: 5.0}, {"0": [member]})
        with says("its process groups can't be read"):
            from_pytorch(*groups)


# ------------------------------------------------------------------------------------------------- torch


@pytest.mark.skipif(find_spec("torch") is None, reason="torch isn't installed")
def test_a_model_of_one_s_own(tmp_path):
    import torch

    model = torch.nn.Sequential(torch.nn.Linear(256, 512), torch.nn.ReLU(), torch.nn.Linear(512, 64))
    data = torch.randn(128, 256)
    ran = []

    def step():
        ran.append(model(data).sum().backward())

    host, kineto = record_pytorch(step, tmp_path / "new" / "run", warm_up=2)
    assert len(ran) == 3
    trace = from_pytorch(host, kineto, npus=4)
    names = [node.name for node in trace.nodes[0]]
    assert names[:3] == ["aten::linear", "aten::relu", "aten::linear"]
    assert ae.simulate(trace, platform(4)).compute_ns[0] > 0


@pytest.mark.skipif(find_spec("torch") is not None, reason="torch is installed")
def test_recording_without_torch(tmp_path):
    with says("needs PyTorch 2.4 or newer"):
        record_pytorch(lambda: None, tmp_path / "run")
