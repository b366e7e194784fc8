"""Descent by workers with clocks: each gradient on what its worker had read, and what follows from that."""

from dataclasses import replace
from itertools import islice
from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import astra_edu as ae
from astra_edu.course.studies.synchronisation import (
    Cluster,
    ComputeTimes,
    Run,
    Update,
    asynchronous,
    bounded_staleness,
    bulk_synchronous,
)
from astra_edu.course.studies.synchronisation.sgd import Regression, Training, descend, train

PROBLEM = Regression()
SMALL = Regression(samples=32, features=3, seed=5)
JITTER = ComputeTimes("exponential", 1000, 0.5)


def whole_loss(problem, w):
    x, y = problem.data
    return float(np.mean((x @ w - y) ** 2) / 2)


# The problem.


@given(st.lists(st.floats(-5, 5), min_size=3, max_size=3))
def test_the_excess_is_what_the_loss_is_above_its_smallest(w):
    w = np.array(w)
    assert SMALL.excess(w) == pytest.approx(whole_loss(SMALL, w) - whole_loss(SMALL, SMALL.optimum), abs=1e-9)


@given(st.lists(st.floats(-5, 5), min_size=3, max_size=3))
def test_the_gradient_is_that_of_the_loss(w):
    w, step = np.array(w), 1e-4
    gradient = SMALL.gradient(w, range(SMALL.samples))
    for i, direction in enumerate(np.eye(3) * step):
        slope = (whole_loss(SMALL, w + direction) - whole_loss(SMALL, w - direction)) / (2 * step)
        assert gradient[i] == pytest.approx(slope, abs=1e-6)


def test_the_mean_of_the_samples_gradients_is_the_whole_one():
    w = np.array([1.0, -2.0, 0.5])
    alone = [SMALL.gradient(w, [row]) for row in range(SMALL.samples)]
    assert np.mean(alone, axis=0) == pytest.approx(SMALL.gradient(w, range(SMALL.samples)))


def test_the_problem_comes_again_and_depends_on_its_seed():
    assert (Regression().data[0] == PROBLEM.data[0]).all()
    assert not np.allclose(replace(PROBLEM, seed=2).data[0], PROBLEM.data[0])
    x, _ = PROBLEM.data
    assert x.std(axis=0)[[0, -1]] == pytest.approx([1, 1 / 3], rel=0.1)
    assert abs(PROBLEM.optimum) == pytest.approx(np.full(8, 3), abs=0.4)


def test_without_noise_the_optimum_is_the_truth():
    exact = replace(SMALL, noise=0)
    assert abs(exact.optimum) == pytest.approx(np.full(3, 3))
    assert whole_loss(exact, exact.optimum) == pytest.approx(0)


def test_a_workers_batches_are_its_own_and_come_again():
    mine = list(islice(PROBLEM.batches(1, 4), 50))
    assert mine == list(islice(PROBLEM.batches(1, 4), 50)) != list(islice(PROBLEM.batches(2, 4), 50))
    assert {len(rows) for rows in mine} == {4}
    assert all(0 <= row < 512 for rows in mine for row in rows)
    assert next(SMALL.batches(0, 99)) == list(range(32))


# Training on the log of a run.


def test_every_gradient_is_of_the_version_that_was_read():
    """Two workers, both of which have read version 0; then worker 1 goes on from version 1."""
    updates = (Update(0, 0, 0, 0, 10), Update(1, 0, 0, 1, 20), Update(1, 1, 1, 2, 30))
    training = train(SMALL, Run("by hand", 2, 40, (), updates), batch=2, rate=0.4)
    first, second = SMALL.batches(0, 2), SMALL.batches(1, 2)
    w0 = np.zeros(3)
    w1 = w0 - 0.2 * SMALL.gradient(w0, next(first))
    w2 = w1 - 0.2 * SMALL.gradient(w0, next(second))
    w3 = w2 - 0.2 * SMALL.gradient(w1, next(second))
    assert training.losses == pytest.approx([SMALL.excess(w) for w in (w0, w1, w2, w3)])
    assert training.times_ns == (0, 10, 20, 30)
    assert training.samples == (0, 2, 4, 6)


def test_the_gradients_of_one_step_are_of_the_same_version_and_averaged():
    updates = (Update(0, 0, 0, 0, 10), Update(1, 0, 0, 0, 10), Update(0, 1, 1, 1, 20), Update(1, 1, 1, 1, 20))
    training = train(SMALL, Run("by hand", 2, 40, (), updates), batch=2, rate=0.4)
    first, second = SMALL.batches(0, 2), SMALL.batches(1, 2)
    w = np.zeros(3)
    wanted = [SMALL.excess(w)]
    for _ in range(2):
        w = w - 0.4 * (SMALL.gradient(w, next(first)) + SMALL.gradient(w, next(second))) / 2
        wanted.append(SMALL.excess(w))
    assert training.losses == pytest.approx(wanted)
    assert training.samples == (0, 4, 8)


@given(st.integers(1, 6), st.integers(0, 99), st.floats(0, 1))
@settings(max_examples=30)
def test_a_bound_of_0_goes_where_bulk_synchronous_goes(n, seed, messages):
    """As long as all have pulled before the first one pushes again: else someone reads it, and is a step ahead."""
    cluster = Cluster(n, replace(JITTER, seed=seed), 70 * messages, 100 * messages, 500 * messages)
    bounded = train(SMALL, bounded_staleness(cluster, 40_000, 0), 4, 0.3)
    synchronous = train(SMALL, bulk_synchronous(cluster, 40_000), 4, 0.3)
    at_round_ends = bounded.losses[::n]
    together = min(len(at_round_ends), len(synchronous.losses))
    assert together > 2
    assert at_round_ends[:together] == pytest.approx(synchronous.losses[:together], rel=1e-6)


def test_one_worker_is_the_same_in_all_modes():
    cluster = Cluster(1, JITTER)
    runs = [mode(cluster, 50_000) for mode in (bulk_synchronous, asynchronous)]
    assert train(SMALL, runs[0], 4, 0.3).losses == train(SMALL, runs[1], 4, 0.3).losses


def test_stale_gradients_allow_smaller_steps_only():
    """With 8 workers alike, every gradient is 7 steps old: that diverges beyond a rate of 1.73 by the sum, not 2.07."""
    cluster = Cluster(8, ComputeTimes(mean_ns=1000), transfer_ns=10)
    synchronous, stale = (mode(cluster, 200_000) for mode in (bulk_synchronous, asynchronous))
    top = np.linalg.eigvalsh(PROBLEM.curvature)[-1]
    limits = [2 / top, 2 * np.sin(np.pi / 30) * 8 / top]
    assert limits == pytest.approx([2.07, 1.73], abs=0.01)
    below, between = [
        [train(PROBLEM, run, 512, rate).losses[-1] for run in (synchronous, stale)] for rate in (1.6, 1.9)
    ]
    assert max(below) < 0.001
    assert between[0] < 0.001
    assert between[1] > 1e6


def test_a_training_that_diverges_goes_to_infinity_without_a_warning(recwarn):
    run = bulk_synchronous(Cluster(1, ComputeTimes(mean_ns=1)), 3000)
    training = train(SMALL, run, 32, 50.0)
    assert training.losses[-1] == inf
    assert descend(SMALL, (32, 50.0, 32 * 3000)).losses[-1] == inf
    assert len(recwarn) == 0


def test_without_waiting_a_straggler_costs_little_and_with_it_much():
    quick, slow = (Cluster(8, replace(JITTER, spread=0.2, slow=slow), 60, 1, 100) for slow in (1, 4))
    until, target = 150_000, 0.2
    times = {
        (mode.__name__, cluster is slow): train(PROBLEM, mode(cluster, until), 4, 0.5).time_to(target)
        for mode in (bulk_synchronous, asynchronous)
        for cluster in (quick, slow)
    }
    assert times["bulk_synchronous", True] > 2 * times["bulk_synchronous", False]
    assert times["asynchronous", True] < 1.4 * times["asynchronous", False]
    assert times["asynchronous", False] < times["bulk_synchronous", False]


# One worker, and the rule of thumb.


def test_the_whole_batch_falls_as_the_curvature_says():
    training = descend(PROBLEM, (512, 0.7, 20 * 512))
    shrink = np.eye(8) - 0.7 * PROBLEM.curvature
    away = -PROBLEM.optimum
    for step in range(21):
        wanted = away @ PROBLEM.curvature @ away / 2
        assert training.losses[step] == pytest.approx(wanted)
        away = shrink @ away


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_stochastic_is_ahead_far_from_the_optimum_and_the_whole_batch_close_to_it(seed):
    problem = replace(PROBLEM, seed=seed)
    single, every = descend(problem, (1, 0.05, 20_000)), descend(problem, (512, 1.0, 20_000))
    both = descend(problem, (1, 0.05, 400), (512, 1.0, 19_600))
    assert single.samples_to(1) * 5 < every.samples_to(1)
    floor = float(np.median(single.losses[-5000:]))
    assert floor > 0.01
    assert every.losses[-1] < floor / 50
    assert both.losses[-1] < every.losses[-1]
    assert both.samples_to(1) == single.samples_to(1)


def test_a_smaller_rate_has_a_lower_floor():
    floors = [np.median(descend(PROBLEM, (1, rate, 16_000)).losses[-6_000:]) for rate in (0.05, 0.01)]
    assert floors[0] > 3 * floors[1]


def test_a_plan_by_hand():
    rows, w = SMALL.batches(0, 2), np.zeros(3)
    wanted = [SMALL.excess(w)]
    for _ in range(3):
        w = w - 0.1 * SMALL.gradient(w, next(rows))
        wanted.append(SMALL.excess(w))
    w = w - 0.2 * SMALL.gradient(w, next(SMALL.batches(1, 4)))
    assert descend(SMALL, (2, 0.1, 6), (4, 0.2, 4)).losses == pytest.approx([*wanted, SMALL.excess(w)])


def test_a_plan_is_followed_part_by_part():
    training = descend(PROBLEM, (1, 0.05, 10), (4, 0.1, 9), (1000, 0.5, 512), sample_ns=2.5)
    assert training.samples == (*range(11), 14, 18, 530)
    assert training.times_ns == tuple(2.5 * count for count in training.samples)


def test_no_more_samples_are_counted_than_the_problem_has():
    run = bulk_synchronous(Cluster(2, ComputeTimes(mean_ns=1000)), 3500)
    assert train(SMALL, run, 1000, 0.1).samples == train(SMALL, run, 32, 0.1).samples == (0, 64, 128, 192)


def test_what_a_training_can_be_asked():
    training = Training((0, 10, 20, 30), (0, 4, 8, 12), (9.0, 1.0, 2.0, 0.5))
    assert [training.time_to(loss) for loss in (9, 3, 1, 0.7, 0.1)] == [0, 10, 30, 30, inf]
    assert [training.samples_to(loss) for loss in (2, 0.1)] == [4, inf]
    assert [training.at(time) for time in (0, 9, 10, 25, 99)] == [9, 9, 1, 2, 0.5]
    for wrong, words in (
        (lambda: training.at(-1), "time_ns is -1; it must be 0 or more"),
        (lambda: training.time_to(float("nan")), "loss is nan"),
        (lambda: training.samples_to("low"), "loss is 'low'"),
    ):
        with pytest.raises(ae.ConfigError, match=words):
            wrong()
    assert repr(training) == "<3 steps, excess loss from 9 to 0.5>"


RUN = bulk_synchronous(Cluster(2, JITTER), 5000)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda: Regression(samples=15), "samples is 15; 8 features need 16 or more"),
        (lambda: Regression(features=0), "features is 0"),
        (lambda: Regression(noise=-1), "noise is -1"),
        (lambda: Regression(far=0), "far is 0"),
        (lambda: Regression(seed=object()), "seed is <object"),
        (lambda: descend(PROBLEM, (16, 0.1)), r"a part of the plan is \(16, 0.1\); give \(batch, rate, samples\)"),
        (lambda: descend(PROBLEM, 5), "a part of the plan is 5"),
        (lambda: descend(RUN, (16, 0.1, 200)), "takes a Regression"),
        (lambda: train(RUN, PROBLEM, 4, 0.1), "got Run and Regression"),
        (lambda: train(PROBLEM, RUN, 0, 0.1), "batch is 0"),
        (lambda: train(PROBLEM, RUN, 4, 0), "rate is 0"),
        (lambda: descend(PROBLEM, (8, 0.1, 4)), "samples is 4; it must be a whole number, 8 or more"),
        (lambda: descend(PROBLEM, (1, 0.1, 4), sample_ns=0), "sample_ns is 0"),
    ],
)
def test_what_makes_no_sense(wrong, words):
    with pytest.raises(ae.ConfigError, match=words):
        wrong()
