"""The figure of the loss."""

import re

import numpy as np
import pytest

import astra_edu as ae
from astra_edu.course.plots.training.descent import loss_curves
from astra_edu.course.studies.synchronisation import (
    Cluster,
    ComputeTimes,
    asynchronous,
    bulk_synchronous,
)
from astra_edu.course.studies.synchronisation.sgd import Regression, Training, descend, train

PROBLEM = Regression()

JITTER = ComputeTimes("exponential", 1000, 0.5)


@pytest.fixture(scope="module")
def trainings():
    cluster = Cluster(4, JITTER, 50, 10, 100)
    return {
        name: train(PROBLEM, run, 8, 0.5)
        for name, run in (("BSP", bulk_synchronous(cluster, 90_000)), ("async", asynchronous(cluster, 90_000)))
    }


def test_the_figure_of_losses_has_its_words_and_numbers(trainings):
    picture = loss_curves(trainings, target=0.1)
    head, *rows = [re.split(r"\s{2,}", line) for line in picture.table.splitlines()]
    assert head == ["time (µs)", "BSP", "async"]
    assert rows[0] == ["0", "17", "17"]
    assert rows[-1] == ["stays below 0.1 from", *(f"{t.time_to(0.1) / 1000:,.0f}" for t in trainings.values())]
    for row in rows[2:-2]:
        place = max(t.times_ns[-1] for t in trainings.values()) / 10 * (rows.index(row))
        assert row[1:] == [f"{t.at(place * 1.0001):.2g}" for t in trainings.values()]
    assert f"BSP: from 17 to {trainings['BSP'].losses[-1]:.2g}, below 0.1 from {rows[-1][1]} µs on." in picture.alt


def test_the_lines_are_means_of_the_losses(trainings):
    axes = loss_curves(trainings).figure.axes[0]
    for line, training in zip(axes.get_lines(), trainings.values(), strict=True):
        x, y = line.get_data()
        assert 20 < len(x) <= 82
        assert (x[0], y[0]) == (0, pytest.approx(training.losses[0]))
        assert np.exp(np.mean(np.log(y[-10:]))) == pytest.approx(
            np.exp(np.mean(np.log(training.losses[-30:]))), rel=0.5
        )
    assert len({line.get_linestyle() for line in axes.get_lines()}) == 2
    assert len({line.get_marker() for line in axes.get_lines()}) == 2
    assert {text.get_text() for text in axes.texts} == {"BSP", "async"}


def test_the_figure_over_samples_is_logarithmic():
    plans = {"1": descend(PROBLEM, (1, 0.05, 2000)), "512": descend(PROBLEM, (512, 1.0, 5120))}
    picture = loss_curves(plans, over="samples")
    assert picture.figure.axes[0].get_xscale() == "log"
    lines = [re.split(r"\s{2,}", line) for line in picture.table.splitlines()]
    assert [line[0] for line in lines] == ["samples", "1", "4", "16", "64", "256", "1,024", "4,096"]
    assert lines[-1][1] == "-"
    assert lines[-1][2] == f"{plans['512'].losses[8]:.2g}"


def test_a_training_that_diverges_is_said_to(trainings):
    run = bulk_synchronous(Cluster(2, ComputeTimes(mean_ns=1000)), 90_000)
    picture = loss_curves(trainings | {"too fast": train(PROBLEM, run, 8, 5.0)}, target=0.1)
    assert "diverged" in picture.table
    assert "to diverged, doesn't stay below 0.1." in picture.alt
    assert picture.table.splitlines()[-1].endswith("never")
    axes = picture.figure.axes[0]
    assert max(axes.get_lines()[2].get_ydata()) <= axes.get_ylim()[1]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({}, "has none"),
        ([1], "must give each training a name"),
        ({"a": 1}, "must give each training a name"),
        ({"a": Training((0,), (0,), (1.0,))}, "without a step"),
    ],
)
def test_figures_of_nothing(wrong, words):
    with pytest.raises(ae.ConfigError, match=words):
        loss_curves(wrong)


def test_other_axes_are_refused(trainings):
    with pytest.raises(ae.ConfigError, match="over is 'steps'"):
        loss_curves(trainings, over="steps")
