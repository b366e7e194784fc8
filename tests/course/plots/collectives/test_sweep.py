"""Figures of what collectives cost, over NPUs and over sizes."""

import re

import pytest

import astra_edu as ae
from astra_edu.course.plots import all_reduce_costs, size_sweep

MIB = 2**20
RING = ae.Platform(ae.Dimension.of("Ring", 8, 50, 500), ae.SystemConfig.of("ring"))


def rows(picture):
    """The table's rows as lists of cells."""
    return [re.split(r"\s{2,}", line) for line in picture.table.splitlines()]


def test_the_cost_figure_draws_what_its_table_says():
    picture = all_reduce_costs(npus=(2, 4, 8), algorithms=("ring", "direct"))
    steps, traffic = picture.figure.axes
    assert [list(line.get_ydata()) for line in steps.get_lines()] == [[2, 2, 2], [2, 6, 14]]
    assert [list(line.get_ydata()) for line in traffic.get_lines()] == [[1, 1.5, 1.75]] * 2
    assert [text.get_text() for text in traffic.texts] == ["ring", "direct"]
    assert "ring          8     14                  1.750       1" in picture.table


def test_an_algorithm_looks_alike_in_both_halves_and_as_its_name():
    looks = {}
    for axes in all_reduce_costs().figure.axes:
        for line, text in zip(axes.get_lines(), axes.texts, strict=True):
            assert text.get_color() == line.get_color()
            looks.setdefault(text.get_text(), set()).add((line.get_color(), line.get_marker()))
    assert len(looks) == 6
    assert all(len(of_both) == 1 for of_both in looks.values())
    assert len(set.union(*looks.values())) == len(looks)


def test_equal_lines_take_turns_so_that_each_is_seen():
    steps, _ = all_reduce_costs(npus=(2, 4, 8), algorithms=("direct", "single-master")).figure.axes
    one, other = steps.get_lines()
    assert list(one.get_ydata()) == list(other.get_ydata()) == [2, 2, 2]
    assert (one.get_markevery(), other.get_markevery()) == ((0, 2), (1, 2))
    assert one.get_linestyle() == other.get_linestyle() == "--"


def test_the_sweep_names_floor_and_slope_of_exercise_2():
    sizes = [MIB << power for power in range(11)]
    times = [ae.simulate(ae.Workload.micro("all-reduce", size), RING).total_ns for size in sizes]
    picture = size_sweep(sizes, {"Ring": times})
    assert "latency floor of 28.6 µs and grows by 17.10 µs per MiB to 17,534.2 µs" in picture.alt
    assert rows(picture)[-3:] == [["1024", "17,534.229"], ["floor", "28.6"], ["slope per MiB", "17.10"]]
    linear, logarithmic = picture.figure.axes
    assert list(linear.get_lines()[0].get_ydata()) == [time / 1000 for time in times]
    assert logarithmic.get_xscale() == "log"
    floor, slope = logarithmic.get_lines()[-2:]
    assert floor.get_ydata()[0] == pytest.approx(28.6, abs=0.05)
    assert floor.get_label() == "latency floor: 28.6 µs"
    assert slope.get_ydata()[-1] == pytest.approx(17.1 * 1024, rel=0.001)
    assert [text.get_text().split("\n")[0] for text in linear.texts] == ["bandwidth slope", "latency floor 28.6 µs,"]


def test_every_series_of_a_sweep_has_its_floor_and_slope():
    picture = size_sweep([MIB, 2 * MIB, 4 * MIB], {"a": [3000, 5000, 9000], "b": [1000, 2000, 4000]})
    assert rows(picture)[-2:] == [["floor", "1.0", "none"], ["slope per MiB", "2.00", "1.00"]]
    assert "a starts at 3.0 µs, has a latency floor of 1.0 µs" in picture.alt
    assert "b starts at 1.0 µs, has no latency floor" in picture.alt
    labels = [text.get_text() for text in picture.figure.axes[0].get_legend().get_texts()]
    assert labels == ["a: floor 1.0 µs, slope 2.00 µs/MiB", "b: no floor, slope 1.00 µs/MiB"]


def test_a_sweep_without_a_floor_draws_none():
    picture = size_sweep([MIB, 2 * MIB], {"b": [1000, 2000]})
    assert len(picture.figure.axes[1].get_lines()) == 1


@pytest.mark.parametrize(
    ("sizes", "series", "words"),
    [
        ([1], {"a": [1]}, "two or more"),
        ([2, 1], {"a": [1, 2]}, "larger than the one before"),
        ([1, 2], {}, "no series"),
        ([1, 2], {"a": [1]}, "a has 1 times for 2 sizes"),
    ],
)
def test_a_sweep_that_cannot_be_drawn_says_why(sizes, series, words):
    with pytest.raises(ae.ConfigError, match=words):
        size_sweep(sizes, series)
