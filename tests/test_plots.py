"""Still figures: their words and numbers, and that the numbers are those of the lines."""

import re

import pytest

import astra_edu as ae
from astra_edu.plots import Picture, all_reduce_costs, size_sweep, text_table

MIB = 2**20


def test_a_figure_comes_with_its_words_and_numbers():
    picture = all_reduce_costs(npus=(2, 4, 8), algorithms=("ring", "naive"))
    html = picture._repr_html_()
    assert re.search(r'<img alt="Two log-log line charts.*src="data:image/png;base64,iVBOR', html)
    assert "<figcaption><pre>algorithm" in html
    assert repr(picture).startswith(picture.alt)


def test_the_cost_figure_draws_what_its_table_says():
    picture = all_reduce_costs(npus=(2, 4, 8), algorithms=("ring", "direct"))
    steps, traffic = picture.figure.axes
    assert [list(line.get_ydata()) for line in steps.get_lines()] == [[2, 2, 2], [2, 6, 14]]
    assert [list(line.get_ydata()) for line in traffic.get_lines()] == [[1, 1.5, 1.75]]
    assert [text.get_text() for text in traffic.texts] == ["ring, direct"]
    assert "ring          8     14                  1.750       1" in picture.table


def test_the_sweep_names_floor_and_slope_of_exercise_2():
    sizes = [MIB << power for power in range(11)]
    platform = ae.Platform(ae.Dimension.of("Ring", 8, 50, 500), ae.SystemConfig.of("ring"))
    times = [ae.simulate(ae.Workload.micro("all-reduce", size), platform).total_ns for size in sizes]
    picture = size_sweep(sizes, {"Ring": times})
    assert "latency floor of 28.6 µs and grows by 17.10 µs per MiB to 17,534.2 µs" in picture.alt
    assert picture.table.splitlines()[-1] == "1024  17,534.229"
    linear, logarithmic = picture.figure.axes
    assert list(linear.get_lines()[0].get_ydata()) == [time / 1000 for time in times]
    assert logarithmic.get_xscale() == "log"


def test_tables_are_aligned():
    assert text_table(["name", "n"], [["a", 10], ["long name", 5]]) == "name        n\na          10\nlong name   5"


def test_alt_text_is_escaped():
    figure = pytest.importorskip("matplotlib.figure").Figure()
    assert 'alt="a &lt; &quot;b&quot;"' in Picture(figure, 'a < "b"', "")._repr_html_()
