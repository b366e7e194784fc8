"""The figure of prediction errors, read back: each run where its ratio is, the median and the middle two thirds."""

import statistics

import pandas as pd
import pytest

pytest.importorskip("matplotlib")

from course.plots.reading import Stroke, labels, legend, points, rows, stroke_of, table, ticks, uprights
from course.plots.samples import SAMPLES, picture, some_runs

import astra_edu as ae
from astra_edu import measured

SOURCES = {"internevo": 28, "megatron_llama": 2, "simumax_b200": 23}


def drawn(axes, words):
    """{row: the points that look as the legend says of these words}."""
    look = legend(axes.figure)[words]
    lines = [line for line in axes.lines if stroke_of(line) == look and len(line.get_xdata())]
    return [points(line) for line in lines]


@pytest.fixture(scope="module")
def ratios():
    """Measured / predicted by source, ascending; from the predictions alone and the table of runs."""
    runs = some_runs(*SOURCES)
    predicted = measured.predict(runs).predicted_ms
    took = runs.iter_time_ms.fillna(runs.gbs_seq * runs.seq / runs.gpus / runs.tokens_per_s_per_gpu * 1e3)
    found = {source: sorted((took / predicted)[runs.source_id == source]) for source in SOURCES}
    assert {source: len(each) for source, each in found.items()} == SOURCES
    return found


def test_every_run_is_a_dot_in_its_source_s_row(ratios):
    (axes,) = picture("prediction_errors").figure.axes
    assert rows(axes) == {f"{source} ({runs})": place for place, (source, runs) in enumerate(SOURCES.items())}
    shown = drawn(axes, "a run")
    for place, (source, line) in enumerate(zip(SOURCES, shown, strict=True)):
        assert sorted(x for x, _ in line) == pytest.approx(ratios[source])
        assert all(abs(y - place) < 0.4 for _, y in line)
        assert len({y for _, y in line}) == len(line)


def test_the_median_and_the_middle_two_thirds_are_marked_where_they_are(ratios):
    (axes,) = picture("prediction_errors").figure.axes
    medians = {source: statistics.median(each) for source, each in ratios.items()}
    assert drawn(axes, "median") == [[(pytest.approx(x), y)] for y, x in enumerate(medians.values())]
    ranges = drawn(axes, "middle two thirds")
    assert [{y for _, y in line} for line in ranges] == [{0}, {2}]  # none of two runs
    for (low, high), source in zip(
        ([x for x, _ in line] for line in ranges), ("internevo", "simumax_b200"), strict=True
    ):
        assert 0.6 < statistics.fmean(0.9999 * low <= ratio <= 1.0001 * high for ratio in ratios[source]) < 0.74
        assert low <= medians[source] <= high


def test_the_legend_has_what_only_a_later_source_has_and_a_long_name_leaves_room():
    name = "a source whose runs were given a name that leaves no room for them"
    runs = some_runs("megatron_llama", "simumax_b200").replace({"source_id": {"megatron_llama": name}})
    found = ae.plots.prediction_errors(runs)
    (axes,) = found.figure.axes
    assert "middle two thirds" in legend(axes.figure)
    (shown,) = [label for label in rows(axes) if label.startswith("a source")]
    assert len(shown) < 30
    assert name in found.table
    assert "middle two thirds" not in legend(ae.plots.prediction_errors(some_runs("megatron_llama")).figure)


def test_looks_differ_in_more_than_colour():
    looks = legend(picture("prediction_errors").figure)
    assert {*looks} == {"a run", "median", "middle two thirds"}
    assert len({(look.marker, look.lined) for look in looks.values()}) == 3
    assert all(isinstance(look, Stroke) for look in looks.values())


def test_the_axis_says_what_it_is_and_one_is_marked():
    for which, what in ((0, "time"), (1, "memory")):
        (axes,) = picture("prediction_errors", which).figure.axes
        assert labels(axes).title == f"Measured over predicted {what} of training runs, by source"
        assert labels(axes).across == f"measured {what} / predicted {what} (a ratio; 1: as predicted)"
        assert labels(axes).scales == ("log", "linear")
        assert uprights(axes) == [1]
        assert [float(tick) for tick in ticks(axes)] == pytest.approx(list(axes.get_xticks()))
        low, high = axes.get_xlim()
        assert all(low < x < high for line in drawn(axes, "a run") for x, _ in line)


def test_the_words_and_the_table_are_those_of_the_runs(ratios):
    shown = picture("prediction_errors")
    for (source, each), cells in zip(ratios.items(), table(shown)[1:], strict=True):
        middle, off = statistics.median(each), [abs(1 / ratio - 1) for ratio in each]
        assert cells[:3] == [source, str(len(each)), f"{middle:.3f}"]
        assert cells[5:] == [f"{100 * pick(off):.1f} %" for pick in (statistics.median, statistics.fmean)]
        assert f"{source}, {len(each)} runs: median {middle:.2f}, " in shown.alt
        assert f"all from {min(each):.2f} to {max(each):.2f}." in shown.alt
    assert table(shown)[2][3:5] == ["-", "-"]


def test_of_memory_the_ratios_are_those_of_memory():
    runs = some_runs("torchtitan")
    kept = runs.mem_GB * [2**30 / 1e9 if "gib" in note.lower() else 1 for note in runs.note.fillna("")]
    ratios = (kept / measured.predict(runs).predicted_GB).dropna()
    (line,) = drawn(picture("prediction_errors", 1).figure.axes[0], "a run")
    assert sorted(x for x, _ in line) == pytest.approx(sorted(ratios))


def test_what_was_compared_already_is_drawn_as_well():
    runs = some_runs("simumax_b200")
    assert ae.plots.prediction_errors(measured.compared(runs)).table == ae.plots.prediction_errors(runs).table


def test_runs_without_a_name_are_called_runs():
    shown = ae.plots.prediction_errors(some_runs("simumax_b200").drop(columns="source_id"))
    assert "runs, 23 runs: median" in shown.alt
    assert [*rows(shown.figure.axes[0])] == ["runs (23)"]


def test_what_can_t_be_drawn_is_a_sentence():
    runs = some_runs("simumax_b200")
    for does, words in (
        (lambda: ae.plots.prediction_errors(runs, of="tim"), "did you mean 'time'"),
        (lambda: ae.plots.prediction_errors(some_runs("internevo"), of="memory"), "a measured and a predicted memory"),
        (lambda: ae.plots.prediction_errors(runs.head(0)), "a measured and a predicted time"),
        (lambda: ae.plots.prediction_errors(None), "rows"),
        (
            lambda: ae.plots.prediction_errors(runs.assign(mem_GB=1e17), of="memory"),
            "mem_GB is 1e\\+17, and b200 has 193.3",
        ),
        (lambda: ae.plots.prediction_errors(runs.assign(mem_GB=1e300), of="memory"), "mem_GB is 1e\\+300"),
        (lambda: ae.plots.prediction_errors(runs.assign(mem_GB=1e-300), of="memory"), "see whether its unit is right"),
        (lambda: ae.plots.prediction_errors(pd.DataFrame({"gpus": [-1]})), "a measured and a predicted time"),
    ):
        with pytest.raises(ae.ConfigError, match=words):
            does()


def test_a_picture_is_saved_with_its_words_and_always_as_the_same_file(tmp_path):
    shown, again = (SAMPLES["prediction_errors"][1]() for _ in range(2))
    for ending in ("svg", "png", "pdf"):
        files = [tmp_path / f"{name}.{ending}" for name in ("one", "two")]
        for one, file in zip((shown, again), files, strict=True):
            one.save(file)
        assert files[0].read_bytes() == files[1].read_bytes()
    assert shown.alt in (tmp_path / "one.svg").read_text(encoding="utf-8")
    assert shown.alt.encode() in (tmp_path / "one.png").read_bytes()
    with pytest.raises(ae.ConfigError, match=r"errors.gif must end with .svg, .png, .pdf"):
        shown.save(tmp_path / "errors.gif")
    with pytest.raises(ae.ConfigError, match="can't be written: No such file or directory"):
        shown.save(tmp_path / "nowhere" / "errors.svg")
    for strange in (None, 5, b"errors.svg"):
        with pytest.raises(ae.ConfigError, match="is no path"):
            shown.save(strange)
