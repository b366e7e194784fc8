"""Figures over time, read back: which look is which work, in whose lane, from when to when, and what stands on it."""

import pytest

pytest.importorskip("matplotlib")

from course.plots.reading import bars, labels, legend, lengths, place, row_of, rows, texts, ticks, told, uprights
from course.plots.samples import MIB, loop, picture, pipeline, step
from matplotlib.colors import to_hex, to_rgb
from matplotlib.patches import StepPatch

import astra_edu as ae
from astra_edu.base.intervals import covered
from astra_edu.traces.make_from_pipeline import from_pipeline
from astra_edu.workload import Layer, Work

PIXEL = 1000  # in the width of the axes, about: what is narrower is drawn together
LANES = {"exposed": "exposed communication"}


def kind_of(words):
    """What work a legend's entry is: "all-reduce (AR)" is all-reduce."""
    return words.partition(" (")[0]


def read(axes, run, lane=lambda row: row):
    """{(lane, kind, from, to) in ns} of all bars that are wider than a pixel, by the legend's words."""
    return {
        (lane(row), kind_of(words), *(round(1000 * end) for end in ends))
        for words, by_row in told(axes).items()
        for row, parts in by_row.items()
        for ends in parts
        if 1000 * (ends[1] - ends[0]) >= run.total_ns / PIXEL
    }


def spans_of(run, npu=0):
    every = [span for span in (*run.timeline, *run.idle) if span.npu == npu]
    return {
        (span.lane, span.kind, round(span.start_ns), round(span.end_ns))
        for span in every
        if span.end_ns - span.start_ns >= run.total_ns / PIXEL
    }


# ------------------------------------------------------------------------------------------------ timeline


def test_the_timeline_says_which_work_is_when_in_which_lane():
    run = loop()
    shown = picture("timeline")
    (axes,) = shown.figure.axes
    assert [row.split(" ")[0] for row in rows(axes)] == ["compute", "exposed", "dimension", "dimension"]
    drawn = read(axes, run, lambda row: " ".join(row.split()[:2]) if row.startswith("dim") else row)
    assert drawn == spans_of(run)
    compute = sum(b - a for lane, _, a, b in spans_of(run) if lane == "compute")
    title, across = labels(axes)[:2]
    assert title.startswith(f"{run.total_ns / 1000:,.3f} µs in all: compute {compute / 1000:,.3f} µs, exposed")
    assert title.endswith(f"exposed communication {run.exposed_ns / 1000:,.3f} µs")
    assert across == "time (µs)"
    assert axes.get_xlim() == (0, run.total_ns / 1000)
    assert axes.get_ylim() == (3.5, -0.5)


def test_what_is_written_on_a_lane_stands_on_what_it_names():
    run = loop()
    (axes,) = picture("timeline").figure.axes
    for text in axes.texts:
        x, y = text.get_position()
        row, words = row_of(axes, y), text.get_text()
        if row == "compute":
            whole = covered([(s.start_ns, s.end_ns) for s in run.timeline if s.lane == "compute" and s.layer == words])
            assert whole
            assert any(s.start_ns <= 1000 * x <= s.end_ns for s in run.timeline if s.layer == words)
        elif row == "exposed communication":
            assert any(
                s.start_ns <= 1000 * x <= s.end_ns and words == f"{(s.end_ns - s.start_ns) / 1000:,.3f} µs"
                for s in run.idle
            )
    assert texts(axes)


def test_the_time_without_compute_is_shaded_through_all_lanes():
    run = loop()
    (axes,) = picture("timeline").figure.axes
    shades = [path.get_extents() for c in axes.collections if (c.get_alpha() or 1) < 0.2 for path in c.get_paths()]
    wide = [s for s in run.idle if s.end_ns - s.start_ns > run.total_ns / PIXEL]
    assert {(round(box.x0 * 1000), round(box.x1 * 1000)) for box in shades} >= {(s.start_ns, s.end_ns) for s in wide}
    assert {(box.y0, box.y1) for box in shades} == {(-0.5, 3.5)}


def test_a_part_of_the_timeline_begins_and_ends_where_it_says():
    run = loop()
    shown = ae.plots.timeline(run, 50_000, 120_000)
    (axes,) = shown.figure.axes
    assert axes.get_xlim() == (50, 120)
    assert labels(axes)[0].startswith(f"50.000 µs to 120.000 µs of {run.total_ns / 1000:,.3f} µs: compute ")
    drawn = {(a, b) for *_, a, b in read(axes, run)}
    assert min(a for a, _ in drawn) >= 50_000
    assert max(b for _, b in drawn) <= 120_000


def test_the_timeline_of_several_npus_has_the_lanes_of_each():
    run = step()
    (axes,) = picture("timeline", 1).figure.axes
    heads = dict.fromkeys(row.split(",")[0] for row in rows(axes))
    assert [*heads] == ["NPU 0", "NPU 3"]
    for npu in (0, 3):
        mine = {
            (lane.partition(", ")[2].replace("exposed", "exposed communication"), *rest)
            for lane, *rest in read(axes, run)
            if lane.startswith(f"NPU {npu},")
        }
        compute = {one for one in mine if one[0] == "compute"}
        assert compute == {one for one in spans_of(run, npu) if one[0] == "compute"}
    assert "NPU 3, compute is busy for" in picture("timeline", 1).alt


# ------------------------------------------------------------------------------------------------ traces


def test_the_trace_timeline_says_which_work_is_when_on_which_npu():
    run = step()
    shown = picture("trace_timeline")
    (axes,) = shown.figure.axes
    names = [*rows(axes)]
    assert [name for name in names if "," in name] == [f"NPU {npu}, compute" for npu in range(4)]
    at = [round(y, 6) for y in axes.get_yticks()]
    assert at == sorted(at)  # from the top, as the axis points down
    assert axes.get_ylim()[0] > axes.get_ylim()[1]
    drawn: dict[int, set] = {}
    heights = {round(y, 6): k // 2 for k, y in enumerate(at)}
    lanes = {round(y, 6): ("compute", "communication")[k % 2] for k, y in enumerate(at)}
    key = {look: kind_of(words) for words, look in legend(shown.figure).items()}
    for bar in bars(axes):
        y = min(heights, key=lambda y: abs(y - bar.middle[1]))
        drawn.setdefault(heights[y], set()).add(
            (lanes[y], key[bar.look], round(1000 * bar.left), round(1000 * bar.right))
        )
    for npu in range(4):
        wanted = {(s.lane, s.kind, s.start_ns, s.end_ns) for s in run.timeline if s.npu == npu}
        wanted = {one for one in wanted if one[0] in ("compute", "communication")}
        idle = {("compute", s.kind, s.start_ns, s.end_ns) for s in run.idle if s.npu == npu}
        assert drawn[npu] == wanted | idle
    for npu in range(4):
        busy = sum(s.end_ns - s.start_ns for s in run.timeline if (s.npu, s.lane) == (npu, "compute"))
        assert f"NPU {npu}: computes {busy / 1000:.3f} µs" in shown.alt
        assert f"done at {run.finish_ns[npu] / 1000:,.3f} µs." in shown.alt
    assert labels(axes)[1] == "time (µs)"


def test_a_triangle_stands_where_a_message_has_arrived():
    ring = ae.TracePlatform(ae.Block("Ring", 2, 50, 500), ae.TraceSystem.of("ring"))
    run = ae.simulate(from_pipeline("1f1b", 2, 2, 12, 24, MIB), ring)
    shown = ae.plots.trace_timeline(run)
    (axes,) = shown.figure.axes
    arrived = sorted(span.end_ns / 1000 for span in run.timeline if span.lane == "receives")
    triangles = [line for line in axes.lines if line.get_marker() == "^"]
    assert arrived
    assert sorted(line.get_xdata()[0] for line in triangles) == arrived
    assert legend(shown.figure)["a message has arrived"].marker == "^"
    for line in triangles:
        whose = {s.npu for s in run.timeline if s.lane == "receives" and s.end_ns == 1000 * line.get_xdata()[0]}
        lane = [name for name in rows(axes) if rows(axes)[name] < line.get_ydata()[0]]
        assert {int(name.split()[1].rstrip(",")) for name in lane if name.startswith("NPU")} >= whose


# ------------------------------------------------------------------------------------------------ chunks


def test_a_chunk_has_its_number_where_it_is():
    run = loop()
    shown = picture("chunks")
    (axes,) = shown.figure.axes
    chosen = [stay for stay in run.stays if stay.issued.what.layer == "fc1"]
    other = [stay for stay in run.stays if stay.issued.what.layer == "fc0"]
    title = labels(axes)[0]
    count = len({stay.chunk for stay in chosen})
    assert title.startswith(f"all-reduce of 1 MiB in {count} chunks, weight gradient of layer fc1")
    begin, end = (1000 * x for x in axes.get_xlim())
    assert (begin, end) == (chosen[0].issued.created_ns, max(stay.end_ns for stay in chosen))
    drawn = told(axes)
    pixel = (end - begin) / 1045
    for stays, kind in ((chosen, None), (other, "other collectives")):
        for stay in stays:
            a, b = max(begin, stay.start_ns), min(end, stay.end_ns)
            if b - a < pixel:
                continue
            name = kind or stay.phase.collective.value
            (words,) = [words for words in drawn if kind_of(words) == name]
            parts = [p for row, each in drawn[words].items() if row.startswith(f"dimension {stay.phase.dimension} ")
                     for p in each]  # fmt: skip
            assert any((round(1000 * x), round(1000 * y)) == (round(a), round(b)) for x, y in parts), stay
    for text in axes.texts:
        x, y = text.get_position()
        number = int(text.get_text().split()[-1])
        lane = row_of(axes, y)
        here = [
            stay
            for stay in chosen
            if stay.start_ns <= 1000 * x <= stay.end_ns and lane.startswith(f"dimension {stay.phase.dimension} ")
        ]
        assert number in [stay.chunk for stay in here]
        if " " in text.get_text():
            short = {"reduce-scatter": "RS", "all-gather": "AG", "all-reduce": "AR"}
            assert text.get_text().split()[0] in [short[stay.phase.collective.value] for stay in here]
    assert [row.split(" ")[1] for row in rows(axes)] == ["0", "1"]
    assert f"from {begin / 1000:,.3f} µs to {end / 1000:,.3f} µs, a lane for each dimension." in shown.alt


def test_the_largest_collective_is_drawn():
    works = Work(20_000, None, 0), Work(0, None, 0)
    sizes = {"small": MIB, "large": 4 * MIB, "middle": 2 * MIB}
    layers = [Layer(name, *works, Work(0, "all-reduce", size)) for name, size in sizes.items()]
    run = ae.simulate(ae.Workload("DATA", layers), ae.preset("ring"))
    (axes,) = ae.plots.chunks(run).figure.axes
    assert labels(axes)[0].startswith("all-reduce of 4 MiB in 4 chunks, weight gradient of layer large")
    begin, end = axes.get_xlim()
    stays = [(stay.issued.what.layer, stay.start_ns / 1000, stay.end_ns / 1000) for stay in run.stays]
    inside = [(layer, max(begin, a), min(end, b)) for layer, a, b in stays if a < end and b > begin]
    drawn = {words: [ends for parts in by_row.values() for ends in parts] for words, by_row in told(axes).items()}
    assert drawn == {
        "all-reduce (AR)": sorted((a, pytest.approx(b)) for layer, a, b in inside if layer == "large"),
        "other collectives": sorted((a, pytest.approx(b)) for layer, a, b in inside if layer != "large"),
    }


# ------------------------------------------------------------------------------------------------ stages


@pytest.mark.parametrize("order", ["1f1b", "gpipe"])
def test_each_stage_has_its_passes_with_their_numbers(order):
    run = pipeline(order)
    shown = ae.plots.stages({"it": run})
    (axes,) = shown.figure.axes
    assert [*rows(axes)] == ["stage 0", "stage 1", "stage 2"]
    drawn = told(axes)
    for words, kind in (("forward (F)", "F"), ("backward (B)", "B")):
        assert drawn[words] == {
            f"stage {stage}": [
                (pytest.approx(s.start_ns / 1000), pytest.approx(s.end_ns / 1000))
                for s in sorted(run.spans, key=lambda s: s.start_ns)
                if (s.stage, s.kind) == (stage, kind)
            ]
            for stage in range(3)
        }
    assert drawn["bubble: nothing to compute"] == {
        f"stage {stage}": [(0, pytest.approx(run.total_ns / 1000))] for stage in range(3)
    }
    cells = {
        (round(text.get_position()[0], 3), text.get_position()[1]): text.get_text()
        for text in axes.texts
        if text.get_text()[0] in "FB0123456789"
    }
    assert cells == {
        (round((s.start_ns + s.end_ns) / 2000, 3), s.stage): f"{s.kind} {s.stage},{s.micro_batch}" for s in run.spans
    }
    over = shown.figure.get_suptitle()
    assert over.startswith("F k,n: forward pass of micro-batch n through part k")
    assert labels(axes)[0] == f"it: {run.total_ns / 1000:,.3f} µs, bubble {100 * run.bubble:.1f} %"
    beside = {text.xy: text.get_text() for text in axes.texts if text.get_text().startswith("idle")}
    assert beside == {
        (1.01, stage): f"idle {100 * run.idle_shares[stage]:.1f} %, keeps {run.in_flight[stage]:.4g}"
        for stage in range(3)
    }
    assert axes.get_ylim() == (2.6, -0.6)
    last = f"stage 0 keeps activations for {run.in_flight[0]:.4g}, stage 2 for {run.in_flight[2]:.4g}."
    assert last in shown.alt


def test_later_virtual_stages_are_paler_and_have_their_letter():
    run = ae.run_pipeline("interleaved", 2, 4, 10_000, 20_000, virtual=2)
    shown = ae.plots.stages({"it": run})
    (axes,) = shown.figure.axes
    fills = {}
    for collection in axes.collections:
        for path in collection.get_paths():
            box = path.get_extents()
            at = (round(1000 * box.x0), round((box.y0 + box.y1) / 2))
            (span,) = [s for s in run.spans if (round(s.start_ns), s.stage) == at]
            fills.setdefault((span.kind, span.virtual_stage), set()).add(to_hex(collection.get_facecolor()[0]))
    assert all(len(each) == 1 for each in fills.values())
    for kind in "FB":
        (first,), (second,) = fills[kind, 0], fills[kind, 1]
        assert sum(to_rgb(second)) > sum(to_rgb(first))
        assert first in {look.face for look in legend(shown.figure).values()}
    said = {text.get_text() for text in axes.texts if not text.get_text().startswith("idle")}
    if any(text[0] == "F" for text in said):
        assert said == {f"{s.kind} {2 * s.virtual_stage + s.stage},{s.micro_batch}" for s in run.spans}
    else:
        assert said == {f"{s.micro_batch}{'ab'[s.virtual_stage]}" for s in run.spans}
    many = ae.plots.stages(ae.run_pipeline("interleaved", 4, 8, 10_000, 20_000, virtual=2)).figure
    assert "its letter the virtual stage's" in many.get_suptitle()
    letters = {text.get_text() for text in many.axes[0].texts if not text.get_text().startswith("idle")}
    assert letters == {f"{n}{letter}" for n in range(8) for letter in "ab"}


def test_runs_share_the_time_that_they_are_drawn_over():
    one, other = picture("stages").figure.axes
    assert one.get_xlim() == other.get_xlim() == (0, max(pipeline().total_ns, pipeline("gpipe").total_ns) / 1000)
    assert other.get_xlabel() == "time (µs)"
    assert one.get_title(loc="left").startswith("1F1B: ")


# ------------------------------------------------------------------------------------------------ layers, utilisation


def test_a_layers_exposed_time_stands_within_its_communication():
    run = loop()
    shown = picture("layers")
    (axes,) = shown.figure.axes
    assert [*rows(axes)] == ["fc0", "fc1", "no layer's"]
    table = run.layers.droplevel("number")
    sums = {
        what: {
            name: sum(table[column][name] for column in table if column.endswith(what)) / 1000 for name in table.index
        }
        for what in (" communication", " exposed")
    }
    found = lengths(axes)
    assert found["communication"] == pytest.approx(sums[" communication"])
    assert {name: found["exposed communication"].get(name, 0) for name in rows(axes)} == pytest.approx(
        {**sums[" exposed"], "no layer's": run.exposed_ns / 1000 - sum(sums[" exposed"].values())}
    )
    high = {
        words: {round(bar.high - bar.low, 3) for bar in bars(axes) if bar.look == look}
        for words, look in legend(shown.figure).items()
    }
    assert high == {"communication": {0.8}, "exposed communication": {0.4}}
    assert labels(axes)[1] == "time (µs)"
    assert "2 of 2 layers communicate." in shown.alt


def test_utilisation_has_a_lane_for_each_dimension_of_each_run():
    shown = picture("utilisation")
    runs = {"1 MiB": loop(), "4 MiB": loop(4 * MIB)}
    period = None
    for axes, (name, run) in zip(shown.figure.axes, runs.items(), strict=True):
        assert labels(axes)[0] == f"{name}: {run.total_ns / 1000:,.3f} µs"
        assert [*rows(axes)] == ["dimension 0", "dimension 1"]
        outlines = [patch.get_data() for patch in axes.patches if isinstance(patch, StepPatch)][::2]
        period = round(1000 * (outlines[0].edges[1] - outlines[0].edges[0]))
        shares = run.utilisation(period)
        for d, (values, _, base) in enumerate(outlines):
            assert [(base - value) / 0.8 for value in values] == pytest.approx(list(shares[f"dimension {d}"]))
            present = covered([ends for npu in run.presence()[f"dimension {d}"].values() for ends in npu])
            words = f"mean {100 * present / run.total_ns:.1f} %"
            assert place(axes, words)[1] == pytest.approx(d + 0.5 - 0.4)
            assert rows(axes)[f"dimension {d}"] == pytest.approx(d + 0.5 - 0.4)
            assert f"dimension {d} {100 * present / run.total_ns:.1f} %" in shown.alt
        full = [line.get_segments()[0][0][1] for line in axes.collections]
        assert full == pytest.approx([-0.3, 0.7])  # where each lane's 100 % is
        assert uprights(axes) == [run.total_ns / 1000]
    last = shown.figure.axes[-1]
    assert labels(last)[1] == f"time (µs), in periods of {period / 1000:,.10g} µs"
    assert last.get_xlim() == (0, max(run.total_ns for run in runs.values()) / 1000)
    assert shown.figure.get_suptitle().startswith("share of each period in which a dimension has a chunk")
    assert picture("utilisation", 1).figure.get_suptitle().endswith("the mean of all NPUs")
    assert ticks(last)
