"""Figures of training, read back: parts of bars, curves and their names, marks of what was measured, who does what."""

import pytest

pytest.importorskip("matplotlib")

import itertools

from course.plots.reading import (
    Stroke,
    bars,
    curves,
    heights,
    key_of,
    labels,
    legend,
    lengths,
    place,
    rows,
    stroke_of,
    texts,
    ticks,
    told,
    uprights,
)
from course.plots.samples import STRATEGIES, _stale, estimates, jobs, loop, picture, pipeline, step, trainings, workers
from matplotlib.colors import to_hex

import astra_edu as ae
from astra_edu import measured
from astra_edu.workload.strategies.tables import sent_by_content


def test_bars_of_runs_say_what_is_compute_and_what_is_not():
    runs = {"loop": loop(), "trace": step(), "pipeline": pipeline()}
    shown = ae.plots.compute_and_exposed(runs)
    (axes,) = shown.figure.axes
    last = step().last
    parts = {
        "loop": (loop().compute_ns, loop().exposed_ns),
        "trace": (step().compute_ns[last], step().exposed_ns[last]),
        "pipeline": (pipeline().ideal_ns, pipeline().total_ns - pipeline().ideal_ns),
    }
    assert [*rows(axes)] == [*runs]
    assert told(axes) == {
        "compute": {name: [(0, pytest.approx(first / 1000))] for name, (first, _) in parts.items()},
        "exposed communication": {
            name: [(pytest.approx(parts[name][0] / 1000), pytest.approx(sum(parts[name]) / 1000))]
            for name in ("loop", "trace")
        },
        "bubble": {
            "pipeline": [(pytest.approx(parts["pipeline"][0] / 1000), pytest.approx(runs["pipeline"].total_ns / 1000))]
        },
    }
    assert texts(axes) == [f"{sum(each) / 1000:,.3f} µs" for each in parts.values()]
    assert [text.xy for text in axes.texts] == [
        (pytest.approx(sum(each) / 1000), k) for k, each in enumerate(parts.values())
    ]
    assert labels(axes)[1] == "time (µs)"


def test_training_bars_are_relative_to_the_reference():
    shown = picture("training_bars")
    for number, (axes, (name, runs)) in enumerate(zip(shown.figure.axes, jobs().items(), strict=True)):
        whole = runs["Ring"].total_ns
        assert labels(axes)[0] == name
        first = shown.figure.axes[0]
        assert [*rows(first)] == ["Ring", "Switch"]
        middles = {bar.middle[1] for bar in bars(axes)}
        assert middles == {0, 1}
        found = {
            words: {
                row: (bar.left, bar.right)
                for bar in bars(axes)
                if bar.look == look
                for row in [[*runs][round(bar.middle[1])]]
            }
            for words, look in legend(shown.figure).items()
        }
        last = {row: run.last for row, run in runs.items()}
        assert found["compute"] == {
            row: (0, pytest.approx(run.compute_ns[last[row]] / whole)) for row, run in runs.items()
        }
        assert {row: ends[1] for row, ends in found["exposed communication"].items()} == {
            row: pytest.approx(run.total_ns / whole) for row, run in runs.items()
        }
        assert texts(axes) == [f"{run.total_ns / whole:.2f}" for run in runs.values()]
        assert [label.get_text() for label in axes.get_yticklabels()] == (["", ""] if number else ["Ring", "Switch"])
    assert shown.figure.axes[0].xaxis.get_label().get_text() == "time of an iteration (Ring = 1)"


def test_communication_is_split_into_what_is_sent():
    shown = picture("communication")
    (axes,) = shown.figure.axes
    sent = {name: sent_by_content(ae.model("vgg16"), strategy) for name, strategy in STRATEGIES.items()}
    found = lengths(axes)
    shorts = {"activations": "A", "input gradients": "IG", "weight gradients": "WG"}
    assert found == {
        f"{content} ({short})": {
            name: pytest.approx(sizes[content] / 2**20) for name, sizes in sent.items() if sizes[content]
        }
        for content, short in shorts.items()
    }
    for text in axes.texts:
        x, y = text.get_position() if not hasattr(text, "xy") else text.xy
        row = ["data", "tensor"][round(y)]
        if text.get_text() in shorts.values():
            (words,) = [words for words in found if words.endswith(f"({text.get_text()})")]
            assert any(a < x < b for a, b in told(axes)[words][row])
        else:
            assert x == pytest.approx(sum(sent[row].values()) / 2**20)
    assert [text for text in texts(axes) if "MiB" in text] == ["462 MiB", "52.5 MiB"]
    assert labels(axes)[1] == "MiB that an NPU sends in an iteration"
    assert "vgg" in shown.alt.lower()


def test_scaling_has_its_speed_ups_and_its_efficiencies():
    shown = picture("scaling")
    left, right = shown.figure.axes
    rates = {"data": {2: 100, 4: 195, 8: 370}, "tensor": {2: 80, 4: 120, 8: 160}}
    assert curves(left, legend(shown.figure)) == {
        "ideal": [(2, 1), (4, 2), (8, 4)],
        **{
            name: [(n, pytest.approx(rate / series[2])) for n, rate in series.items()] for name, series in rates.items()
        },
    }
    key = {name: look for name, look in legend(shown.figure).items() if name != "ideal"}
    assert curves(right, key) == {
        name: [(n, pytest.approx(2 * rate / series[2] / n)) for n, rate in series.items()]
        for name, series in rates.items()
    }
    assert heights(right) == [1]
    assert labels(left) == ("speed-up over 2 NPUs", "NPUs", "", ("log", "log"))
    assert labels(right) == ("efficiency", "NPUs", "", ("log", "linear"))
    assert ticks(left) == ticks(right) == ["2", "4", "8"]
    assert [label.get_text() for label in left.get_yticklabels()] == ["1", "2", "4"]
    shown.figure.draw_without_rendering()
    assert "100%" in [label.get_text() for label in right.get_yticklabels()]
    assert "data: 8 NPUs are 3.7 times as fast as 2, an efficiency of 92.5 %." in shown.alt


def test_losses_end_at_their_names_and_the_target_is_where_it_says():
    shown = picture("loss_curves")
    (axes,) = shown.figure.axes
    said = curves(axes)
    for name, each in trainings().items():
        first, last = said[name][0], said[name][-1]
        assert first == (
            pytest.approx(each.samples[0] or each.samples[1]),
            pytest.approx(each.losses[bool(not each.samples[0])]),
        )
        assert last[0] <= each.samples[-1]
        assert min(each.losses) <= last[1] <= max(each.losses)
        assert place(axes, name) == pytest.approx(last)
        (text,) = [text for text in axes.texts if text.get_text() == name]
        assert to_hex(text.get_color()) == legend(shown.figure)[name].colour
    assert heights(axes) == [2]
    assert place(axes, " 2") == (0, 2)
    assert labels(axes) == ("", "samples looked at", "loss above the smallest one", ("log", "log"))
    assert axes.get_xlim() == (1, max(each.samples[-1] for each in trainings().values()))
    over_time = picture("loss_curves", 1).figure.axes[0]
    assert labels(over_time)[3] == ("linear", "log")
    assert over_time.get_xlabel().startswith("time (")
    low, high = axes.get_ylim()
    assert high == pytest.approx(2 * max(each.losses[0] for each in trainings().values()))
    assert low < min(y for curve in said.values() for _, y in curve)


def test_iterations_are_split_into_what_their_time_goes_into():
    shown = picture("iteration_times")
    (axes,) = shown.figure.axes
    found = estimates()
    unit, name = (1e6, "ms") if max(each.total_ns for each in found.values()) >= 1e8 else (1e3, "µs")
    assert lengths(axes) == {
        kind: {row: pytest.approx(each.split[kind] / unit) for row, each in found.items() if each.split[kind]}
        for kind in ("compute", "tensor group", "exchange", "update")
        if any(each.split[kind] for each in found.values())
    }
    assert [*rows(axes)] == [*found]
    assert texts(axes) == [f"{each.total_ns / unit:,.3f} {name}" for each in found.values()]
    assert labels(axes)[1] == f"time ({name})"
    starts = {row: sorted(ends for by_row in told(axes).values() for ends in by_row.get(row, [])) for row in found}
    for ends in starts.values():
        assert ends[0][0] == 0
        assert all(before[1] == pytest.approx(after[0]) for before, after in itertools.pairwise(ends))


def test_what_was_measured_is_marked_at_a_hundred():
    shown = picture("validation")
    (axes,) = shown.figure.axes
    compared = {f"{row.model}, {row.recompute}": row for row in measured.megatron()[:2]}
    assert [*rows(axes)] == [*compared]
    mark = legend(shown.figure)["measured"]
    assert isinstance(mark, Stroke)
    marks = [line for line in axes.lines if stroke_of(line) == mark]
    assert [(line.get_xdata()[0], round(sum(line.get_ydata()) / 2)) for line in marks] == [(100, 0), (100, 1)]
    for k, (name, row) in enumerate(compared.items()):
        took = row.predicted()
        ends = {words: by_row[name] for words, by_row in told(axes).items() if name in by_row}
        assert {words: parts[0][1] - parts[0][0] for words, parts in ends.items()} == {
            kind: pytest.approx(ns / row.seconds / 1e7) for kind, ns in took.split.items() if ns
        }
        off = took.total_ns / row.seconds / 1e9 - 1
        words = f"{'+' if off > 0 else '−'}{abs(100 * off):.1f} % of {row.seconds:.2f} s"
        assert place(axes, words) == (pytest.approx(max(100, 100 + 100 * off)), k)
        assert f"predicted {took.total_ns / 1e9:.2f} s, measured {row.seconds:.2f} s" in shown.alt
    assert labels(axes)[1] == "predicted time, in % of the measured time"


def test_workers_say_what_they_do_when():
    shown = picture("worker_timeline")
    names = {
        "compute": "compute",
        "communicate": "communicate",
        "queue": "queue for the server",
        "wait": "wait for other workers",
    }
    for axes, (name, run) in zip(shown.figure.axes, workers().items(), strict=True):
        wanted: dict = {}
        for span in run.spans:
            if span.start_ns < 12_000 and span.end_ns > span.start_ns:
                ends = (pytest.approx(span.start_ns / 1000), pytest.approx(min(12_000, span.end_ns) / 1000))
                wanted.setdefault(names[span.kind], {}).setdefault(f"worker {span.worker}", []).append(ends)
        found = {words: by_row for words, by_row in told(axes).items() if by_row}
        assert found == {
            words: {row: sorted(ends, key=lambda one: one[0].expected) for row, ends in by_row.items()}
            for words, by_row in wanted.items()
        }
        assert [*rows(axes)] == ["worker 0", "worker 1", "worker 2"]
        assert labels(axes)[0] == f"{name}: {run.updates_per_s:,.0f} updates/s"
        assert axes.get_xlim() == (0, 12)
    assert labels(shown.figure.axes[-1])[1] == "time (µs)"


def test_staleness_is_a_histogram_of_all_updates():
    shown = picture("staleness")
    for axes, (name, run) in zip(shown.figure.axes, _stale().items(), strict=True):
        count = sum(run.staleness.values())
        found = {round(bar.middle[0]): bar.high for bar in bars(axes)}
        assert found == {steps: pytest.approx(100 * n / count) for steps, n in run.staleness.items() if n}
        mean = sum(steps * n for steps, n in run.staleness.items()) / count
        assert uprights(axes) == [pytest.approx(mean)]
        assert place(axes, f"mean {mean:.2f}")[0] == pytest.approx(mean)
        assert labels(axes)[:2] == (name, "staleness (steps)")
        assert f"{name}: from {min(run.staleness)} to {max(run.staleness)} steps, {mean:.2f} on average." in shown.alt
    assert shown.figure.axes[0].get_ylabel() == "share of updates (%)"
    assert not key_of(shown.figure.axes[0])


def test_every_part_of_an_iteration_has_its_own_look():
    from astra_edu.course.plots.training.validation import KINDS, WORDS

    assert [*KINDS] == [*WORDS]
    assert [*next(iter(estimates().values())).split] == [*KINDS]
    assert len({(look.fill, look.hatch) for look in KINDS.values()}) == len(KINDS)
