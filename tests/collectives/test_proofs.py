"""Every schedule does what its collective promises: on sets of contributors and on real arrays."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import PAIRS, hierarchical_schedules, schedules

import astra_edu as ae
from astra_edu.collectives.arrays import expected, run
from astra_edu.collectives.schedule import Op, Rounds

ANY_SCHEDULE = st.one_of(schedules(), hierarchical_schedules())


@pytest.mark.parametrize(("collective", "algorithm"), PAIRS)
@pytest.mark.parametrize("npus", [2, 4, 8, 16])
def test_every_algorithm_is_proven_for_every_collective_it_knows(collective, algorithm, npus):
    ae.prove(ae.schedule(collective, algorithm, npus))


@given(ANY_SCHEDULE)
def test_symbolic_proof(schedule):
    ae.prove(schedule)


@settings(max_examples=200)
@given(ANY_SCHEDULE, st.integers(0, 40), st.sampled_from(["i8", "u2", "f8", "c16"]), st.integers(0, 2**32))
def test_proof_on_arrays(schedule, length, dtype, seed):
    rng = np.random.default_rng(seed)
    own_blocks = schedule.collective in ("all-gather", "gather")
    lengths = rng.integers(0, 7, schedule.npus) if own_blocks else [length] * schedule.npus
    inputs = [rng.integers(0, 9, n).astype(dtype) for n in lengths]
    for got, wanted in zip(run(schedule, inputs), expected(schedule, inputs), strict=True):
        np.testing.assert_array_equal(got, wanted)
        assert got.dtype == wanted.dtype


@given(ANY_SCHEDULE)
def test_symmetric_and_uniform_are_true_claims(schedule):
    for group in schedule.groups:
        steps = [[group.transfers(s, npu) for npu in range(schedule.npus)] for s in range(group.count)]
        shapes = [[_shape(sends, schedule) for sends in by_npu] for by_npu in steps]
        if group.symmetric:
            assert all(shape == by_npu[0] for by_npu in shapes for shape in by_npu)
        if group.uniform:
            assert all(by_npu[0] == shapes[0][0] for by_npu in shapes)


def _shape(sends, schedule):
    """How many shards go how far (either way round) from one NPU."""
    n = schedule.npus
    if schedule.algorithm == "halving-doubling" or len(schedule.dims) > 1:
        return len(sends), len({t.destination for t in sends})
    return sorted(min((t.destination - t.source) % n, (t.source - t.destination) % n) for t in sends)


def broken(schedule, change):
    """The schedule with every (step, npu) -> sends of its first group passed through `change`."""
    first = schedule.groups[0]
    rule = first.rule
    bad = replace(first, rule=lambda s, i: change(s, i, list(rule(s, i))), symmetric=False, uniform=False)
    return replace(schedule, groups=(bad, *schedule.groups[1:]))


RING = ae.schedule("all-reduce", "ring", 4)


def test_a_lost_transfer_is_named():
    lost = broken(RING, lambda s, i, sends: [] if (s, i) == (2, 1) else sends)
    with pytest.raises(
        ae.ProofError, match=r"NPU \d's shard X2 \(shard 2\) must hold .* lacks the data of NPUs 0, 1, 3"
    ):
        ae.prove(lost)


def test_a_shard_sent_twice_is_named_with_step_and_npus():
    twice = broken(RING, lambda s, i, sends: sends * 2 if (s, i) == (1, 3) else sends)
    with pytest.raises(
        ae.ProofError, match=r"Step 2: NPU 3 sends shard X1 \(shard 1\) to NPU 0, which would add .* second time"
    ):
        ae.prove(twice)


def test_sending_what_one_has_not_got_is_named():
    gather = ae.schedule("all-gather", "ring", 4)
    wrong = broken(gather, lambda s, i, sends: [(2, 3)] if (s, i) == (0, 1) else sends)
    with pytest.raises(
        ae.ProofError, match=r"Step 1: NPU 1 sends shard X3 \(shard 3\) to NPU 2, but NPU 1 has no copy"
    ):
        ae.prove(wrong)


def test_stopping_one_step_early_is_named_with_the_step_that_touched_it_last():
    short = replace(RING, groups=(RING.groups[0], replace(RING.groups[1], count=2)))
    with pytest.raises(ae.ProofError, match=r"After step 5, NPU 0's shard X1 .*last step that changed it was step \d"):
        ae.prove(short)


@pytest.mark.parametrize(
    ("send", "words"),
    [
        ((9, 0), "there is no NPU 9; NPUs are 0 to 3"),
        ((-1, 0), "there is no NPU -1"),
        ((1, 7), "there is no shard 7; shards are 0 to 3"),
        ((0, 0), "an NPU doesn't send to itself"),
    ],
)
def test_impossible_transfers_are_named(send, words):
    with pytest.raises(ae.ProofError, match=words):
        ae.prove(broken(RING, lambda s, i, sends: [send] if (s, i) == (0, 0) else sends))


def test_copying_a_partial_sum_over_a_better_one_is_caught():
    copied = replace(RING, groups=(replace(RING.groups[0], op=Op.COPY), RING.groups[1]))
    with pytest.raises(ae.ProofError, match="lacks the data of"):
        ae.prove(copied)


def test_doing_nothing_is_no_all_reduce():
    idle = replace(RING, groups=(Rounds("all-gather", Op.COPY, 0, lambda s, i: []),))
    with pytest.raises(ae.ProofError, match="no step ever brought it there"):
        ae.prove(idle)


def test_arrays_of_the_wrong_number_are_refused():
    with pytest.raises(ae.ConfigError, match="3 arrays for 4 NPUs"):
        run(RING, [np.ones(4)] * 3)
