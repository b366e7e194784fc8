"""A run's own words and tables, worked out by hand."""

import pytest

import astra_edu as ae
from astra_edu.collectives import Op
from astra_edu.explain import explain
from astra_edu.explain.phrases import percent, speed
from astra_edu.run.lanes import lanes
from astra_edu.workload import Layer, Work

MIB = 2**20


@pytest.fixture(scope="module")
def run():
    """Forward 10 + 20 µs, backward 30 µs each; then two all-reduces on a ring of 8."""
    works = [
        (Work(10_000, None, 0), Work(5_000, None, 0), Work(30_000, "all-reduce", MIB)),
        (Work(20_000, None, 0), Work(7_000, None, 0), Work(30_000, "all-reduce", 2 * MIB)),
    ]
    layers = [Layer(f"fc{k}", *each) for k, each in enumerate(works)]
    return ae.simulate(ae.Workload("DATA", layers), ae.preset("ring"))


def test_compute_and_exposed_communication_are_the_whole(run):
    assert run.compute_ns == 10_000 + 20_000 + 30_000 + 7_000 + 30_000  # nobody needs layer 0's input gradient
    assert run.exposed_ns == run.total_ns - 97_000
    sent = 2 * 7 / 8 * 3
    assert repr(run) == (
        f"<{run.total_ns / 1000:.3f} µs in all: compute 97.000 µs, exposed communication "
        f"{run.exposed_ns / 1000:.3f} µs; {sent:g} MiB sent per NPU>"
    )
    assert run.title == "1 pass of a DATA workload with 2 layers on 8 NPUs"
    assert run.times == f"compute 97.000 µs, exposed communication {run.exposed_ns / 1000:.3f} µs"


def test_the_tables_of_layers_and_dimensions(run):
    table = run.layers.droplevel("number")
    assert list(table["forward compute"]) == [10_000, 20_000]
    assert list(table["weight gradient compute"]) == [30_000, 30_000]
    assert table["weight gradient communication"]["fc1"] > table["weight gradient exposed"]["fc1"]
    (row,) = run.dimensions.to_dict("records")
    busy = sum(stay.end_ns - stay.start_ns for stay in run.stays)
    assert row["busy"] == busy / run.total_ns
    assert row["chunks"] == 8
    assert row["chunk latency"] == busy / 8
    assert row["queueing"] == sum(stay.start_ns - stay.queued_ns for stay in run.stays) / 8 > 0
    assert row["bytes"] == 2 * 7 * 3 * MIB // 8
    assert row["utilisation"] == row["bytes"] / (2 * 50 * 2**30 / 1e9 * run.total_ns)


def test_the_lanes_are_compute_what_is_exposed_and_the_dimensions(run):
    found = lanes(run)
    assert [(lane.npu, lane.name) for lane in found] == [
        (0, "compute"),
        (0, "exposed communication"),
        (0, "dimension 0"),
    ]
    assert [lane.busy_ns for lane in found[:2]] == [run.compute_ns, run.exposed_ns]
    order = [(span.layer, span.kind) for span in found[0].rows[0]]
    assert order == [
        ("fc0", "forward"),
        ("fc1", "forward"),
        ("fc1", "weight gradient"),
        ("fc1", "input gradient"),
        ("fc0", "weight gradient"),
    ]
    assert {span.kind for row in found[2].rows for span in row} == {"all-reduce"}


def test_speeds_in_words():
    assert speed(50, 100) == "2.00 times as fast"
    assert speed(100, 50) == "2.00 times as long"
    assert speed(100, 100.5) == "the same within 1 %"
    assert percent(1, 4) == "25.0 %"
    assert percent(0.25) == "25.0 %"
    assert percent(1, 0) == "0 %"


def test_an_explanation_says_the_largest_share_and_what_helps(run):
    said = explain(run)
    first = next(iter(said.shares))
    assert said.shares[first] == max(said.shares.values())
    share = 100 * said.shares[first] / run.total_ns
    assert f"Along the critical path, {share:.1f} % of the {run.total_ns / 1000:.3f} µs is {first}" in repr(said)
    slower = sum(total >= 1.01 * said.before_ns for _, total in said.changes)
    (last,) = [sentence for sentence in said.sentences if sentence.startswith("Of the ")]
    assert last.endswith(f" more than 1 % faster and {slower} more than 1 % slower.")
    what, total = min(said.changes, key=lambda change: change[1])
    assert any(
        what in sentence and f"{said.before_ns / total:.2f} times as fast" in sentence for sentence in said.sentences
    )


def test_a_step_says_its_phase_what_it_does_and_where():
    schedule = ae.hierarchical("all-reduce", ["ring", "ring"], (2, 4))
    steps = [(step.phase, step.op, step.dimension) for step in schedule.steps()]
    assert steps == [
        ("reduce-scatter", Op.REDUCE, 0),
        *[("reduce-scatter", Op.REDUCE, 1)] * 3,
        *[("all-gather", Op.COPY, 1)] * 3,
        ("all-gather", Op.COPY, 0),
    ]
    assert repr(schedule).endswith("on 2×4 NPUs: 8 steps, 8 shards>")
    assert ae.schedule("all-to-all", "direct", 4).shard_name(6) == "X1→2"
    assert ae.schedule("all-reduce", "ring", 4).dims == (4,)


def test_a_gather_receives_what_it_does_not_send():
    costs = ae.counts(ae.schedule("gather", "direct", 4), 4 * MIB)
    assert (costs.sent, costs.received, costs.total, costs.fan_in) == (MIB, 3 * MIB, 3 * MIB, 3)
