"""Still figures: their words and numbers, and that the numbers are those of what is drawn."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

import astra_edu as ae
from astra_edu.course.plots import (
    chunks,
    compute_and_exposed,
    layers,
    timeline,
    utilisation,
)
from astra_edu.course.plots.looks import EXPOSED, LOOKS, OTHER
from astra_edu.course.plots.timelines.lanes import Block, coarse, rows_of
from astra_edu.run.presets import preset
from astra_edu.workload.layer import Layer, Work

MIB = 2**20
INPUTS = Path(__file__).parents[4] / "exercises" / "inputs"
EX3 = INPUTS / "asplos2022" / "ex3"
RING = ae.Platform(ae.Dimension.of("Ring", 8, 50, 500), ae.SystemConfig.of("ring"))


@pytest.fixture(scope="module")
def vgg():
    """Exercise 3-1 of 2022 on DGX-2, whose V100 computes 1 / 0.41 times as fast."""
    return ae.simulate(ae.load_workload(EX3 / "vgg16.txt", compute_scale=0.41), preset("dgx2"))


@pytest.fixture(scope="module")
def gpt3():
    return ae.simulate(ae.load_workload(EX3 / "gpt3.txt"), preset("tpu"))


@pytest.fixture(scope="module")
def themis():
    """Exercise 3-1 of 2023, without and with Themis."""
    work = ae.load_workload(INPUTS / "asplos2023" / "ex3-1" / "all_reduce.txt", comm_scale=1024)
    return {
        name: ae.simulate(work, preset(p)) for name, p in (("baseline", "3d-switch"), ("Themis", "3d-switch-themis"))
    }


@pytest.fixture(scope="module")
def alone():
    """Communication and nothing else: exercise 1."""
    return ae.simulate(ae.Workload.micro("all-reduce", MIB), RING)


@pytest.fixture(scope="module")
def silent():
    """Compute and nothing else."""
    work = Work(1000, None, 0)
    return ae.simulate(ae.Workload("DATA", (Layer("a", work, work, work), Layer("b", work, work, work))), RING)


@pytest.fixture(scope="module")
def single():
    """One chunk, and a dimension of a single NPU before the one that it uses."""
    network = (ae.Dimension.of("Switch", 1, 50, 500), ae.Dimension.of("Ring", 8, 50, 500))
    return ae.simulate(
        ae.Workload.micro("all-gather", MIB), ae.Platform(network, ae.SystemConfig.of("ring_ring", splits=1))
    )


def rows(picture):
    """The table's rows as lists of cells."""
    return [re.split(r"\s{2,}", line) for line in picture.table.splitlines()]


def lanes(picture):
    return [label.get_text().split("\n")[0] for label in picture.figure.axes[0].get_yticklabels()]


def drawn(picture, look):
    """(lane, from, to) of all that is drawn with a look, in the axes' unit."""
    found = []
    for collection in picture.figure.axes[0].collections:
        if collection.get_label() == look:
            boxes = [path.get_extents() for path in collection.get_paths()]
            found += [(round((box.y0 + box.y1) / 2), box.x0, box.x1) for box in boxes]
    return sorted(found)


def title(picture):
    return picture.figure.axes[0].get_title(loc="left")


def written(picture):
    return [text.get_text() for text in picture.figure.axes[0].texts]


# the timeline


def test_the_timeline_has_a_lane_for_compute_exposed_communication_and_each_dimension(vgg):
    picture = timeline(vgg)
    assert lanes(picture) == ["compute", "exposed", "dimension 0", "dimension 1"]
    assert "5,632.316 µs long. Compute is busy for 751.019 µs (13.3 %)" in picture.alt
    assert "takes 4,881.297 µs (86.7 %); its longest stretch is from 751.065 µs to 5,632.316 µs." in picture.alt
    assert title(picture).endswith("in all: compute 751.019 µs, exposed communication 4,881.297 µs")
    table = rows(picture)
    assert ["exposed", "compute idle", "47", "1.405", "5,632.316", "4,881.297", "86.7 %"] in table
    assert ["dimension 1", "all-reduce", "64", "266.864", "5,616.344", "5,349.480", "95.0 %"] in table
    assert ["all", "1", "0.000", "5,632.316", "5,632.316", "100.0 %"] in table
    assert {"fc1", "fc2", "4,881.251 µs"} <= set(written(picture))


@pytest.mark.parametrize("strategy", [{"tensor": 8, "micro_batch": 32}, {"data": 8, "micro_batch": 4}])
def test_what_is_written_in_a_lane_is_not_higher_than_its_bars(strategy):
    model = ae.transformer("2 blocks", hidden=3072, heads=32, blocks=2, sequence=1024, vocabulary=51_200)
    switch = ae.Platform(ae.Dimension.of("Switch", 8, 200, 500), ae.SystemConfig.of("halvingDoubling", splits=4))
    picture = timeline(ae.simulate(ae.generate_workload(model, ae.Strategy(**strategy), "a100"), switch))
    (axes,) = picture.figure.axes
    picture.figure.draw_without_rendering()
    bars = [path.get_extents() for drawn in axes.collections if drawn.get_zorder() for path in drawn.get_paths()]
    tall = [sorted(axes.transData.transform([(0, bar.y0), (0, bar.y1)])[:, 1]) for bar in bars]
    assert len(axes.texts) > 10
    for text in axes.texts:
        box = text.get_window_extent()
        assert any(low <= box.y0 and box.y1 <= high for low, high in tall), text.get_text()


def test_the_exposed_lane_is_where_compute_is_idle(vgg):
    [(lane, start, end)] = drawn(timeline(vgg), "exposed communication")  # pauses of 1 ns are too narrow
    assert (lane, start, end) == (1, pytest.approx(751.065), pytest.approx(5632.316))
    assert "46 of the pauses of compute are narrower than half a pixel" in timeline(vgg).note


def test_a_part_of_the_timeline_counts_that_part_only(gpt3):
    picture = timeline(gpt3, start_ns=100e6, end_ns=300e6)
    assert "from 100.000 ms to 300.000 ms of 1,655.238 ms" in picture.alt
    assert ["all", "1", "100.000", "300.000", "200.000", "100.0 %"] in rows(picture)
    inside = sum(
        min(span.end_ns, 300e6) - max(span.start_ns, 100e6)
        for span in gpt3.timeline
        if span.lane == "compute" and span.end_ns > 100e6 and span.start_ns < 300e6
    )
    assert f"Compute is busy for {inside / 1e6:.3f} ms (" in picture.alt
    assert picture.figure.axes[0].get_xlim() == (100, 300)


def test_a_timeline_without_compute(alone):
    picture = timeline(alone)
    assert lanes(picture) == ["compute", "exposed", "dimension 0"]
    assert rows(picture)[1][:3] == ["compute", "nothing", "0"]
    assert drawn(picture, "exposed communication") == [(1, 0, pytest.approx(45.681))]
    assert len(drawn(picture, "all-reduce")) == 4


def test_a_timeline_without_communication(silent):
    picture = timeline(silent)
    assert rows(picture)[-2][:3] == ["dimension 0", "nothing", "0"]
    assert not drawn(picture, "exposed communication")
    assert "exposed communication" not in [text.get_text() for text in picture.figure.legends[0].get_texts()]
    assert written(picture) == ["a", "b", "b", "a"]  # forward, then backward
    assert len(drawn(picture, "forward")) == len(drawn(picture, "weight gradient")) == 2


def test_chunks_that_run_at_once_are_drawn_one_above_the_other():
    platform = ae.Platform(RING.network, replace(RING.system, active_chunks=2))
    picture = timeline(ae.simulate(ae.Workload.micro("all-reduce", MIB), platform))
    paths = [p for c in picture.figure.axes[0].collections if c.get_label() == "all-reduce" for p in c.get_paths()]
    assert len({round(path.get_extents().y0, 6) for path in paths}) == 2


@pytest.mark.parametrize("part", [(50_000, None), (10, 10), (-1, None), (0, 0)])
def test_a_part_with_nothing_in_it_is_refused(alone, part):
    with pytest.raises(ae.ConfigError, match="start_ns"):
        timeline(alone, *part)


def test_what_is_narrower_than_a_pixel_is_drawn_together():
    narrow = [Block(k, k + 0.5, "forward") for k in range(1000)]
    wide = Block(2000, 2100, "forward", ("fc1",))
    assert coarse([*narrow, wide], 10) == [wide, Block(0, 1000, "forward")]
    mixed = [Block(0, 1, "forward"), Block(1, 4, "input gradient"), Block(30, 31, "forward")]
    assert coarse(mixed, 10) == [Block(0, 10, "input gradient"), Block(30, 40, "forward")]


def test_rows_keep_apart_what_overlaps():
    a, b, c = Block(0, 10, "forward"), Block(5, 15, "forward"), Block(10, 20, "forward")
    assert rows_of([c, b, a]) == [[a, c], [b]]


# bars


def test_the_bars_end_at_the_total(vgg, alone):
    picture = compute_and_exposed({"DGX-2": vgg, "ring": alone})
    axes = picture.figure.axes[0]
    compute, exposed = axes.containers
    assert [bar.get_width() for bar in compute] == pytest.approx([751.019, 0])
    assert [bar.get_x() + bar.get_width() for bar in exposed] == pytest.approx([5632.316, 45.681])
    assert [text.get_text() for text in axes.texts] == ["5,632.316 µs", "45.681 µs"]
    assert rows(picture)[1:] == [
        ["DGX-2", "751.019", "4,881.297", "5,632.316", "86.7 %"],
        ["ring", "0.000", "45.681", "45.681", "100.0 %"],
    ]
    assert "DGX-2: 5,632.316 µs, of which 751.019 µs compute and 4,881.297 µs exposed" in picture.alt


@pytest.mark.parametrize("draw", [compute_and_exposed, utilisation])
def test_runs_need_names(draw, alone):
    for wrong in ({}, alone, {"ring": 5}):
        with pytest.raises(ae.ConfigError, match="give each run a name"):
            draw(wrong)


# utilisation


def test_themis_stands_below_the_baseline(themis):
    picture = utilisation(themis)
    assert [axes.get_title(loc="left") for axes in picture.figure.axes] == [
        "baseline: 35,008.129 µs",
        "Themis: 13,635.871 µs",
    ]
    assert [[text.get_text() for text in axes.texts] for axes in picture.figure.axes] == [
        ["mean 100.0 %", "mean 12.5 %", "mean 1.6 %"],
        ["mean 99.7 %", "mean 96.6 %", "mean 96.6 %"],
    ]
    assert "baseline, 35,008.129 µs: dimension 0 100.0 %, dimension 1 12.5 %, dimension 2 1.6 %." in picture.alt
    table = rows(picture)
    assert table[2][:8] == ["baseline", "1", "12.5 %", "12.5 %", "12.5 %", "23", "25", "25"]
    assert table[5][5:] == ["100", "100", "100", "85", *["-"] * 6]
    heads = "to 3,501  to 7,002  to 10,502  to 14,003  to 17,504  to 21,005  to 24,506  to 28,007  to 31,507  to 35,008"
    assert table[0][5:] == heads.split("  ")
    assert "from 0 to 3,501 µs, from there to 7,002 µs, and so on" in picture.note


def test_a_utilisation_table_of_a_short_run_has_heads_that_differ(alone):
    heads = rows(utilisation({"ring": alone}))[0][5:]
    assert heads == [f"to {head}" for head in (4.57, 9.14, 13.7, 18.3, 22.8, 27.4, 32, 36.5, 41.1, 45.7)]


def test_utilisation_draws_the_results_own_shares(themis):
    result = themis["Themis"]
    picture = utilisation({"Themis": result}, period_ns=1_000_000)
    outline = picture.figure.axes[0].patches[1]  # of dimension 0, after its filling
    values, edges, baseline = outline.get_data()
    assert [(baseline - value) / 0.8 for value in values] == pytest.approx(
        list(result.utilisation(1_000_000).iloc[:, 0])
    )
    assert list(edges[:3]) == [0, 1000, 2000]


@pytest.mark.parametrize("name", ["alone", "silent", "single"])
def test_utilisation_of_small_runs(name, request):
    result = request.getfixturevalue(name)
    picture = utilisation({name: result})
    assert len(picture.figure.axes[0].get_yticks()) == len(result.logical)
    shares = [row[2] for row in rows(picture)[1 : 1 + len(result.logical)]]
    assert shares == {"alone": ["100.0 %"], "silent": ["0.0 %"], "single": ["0.0 %", "100.0 %"]}[name]


def test_periods_longer_than_a_run_are_refused(alone):
    with pytest.raises(ae.ConfigError, match="less than one period"):
        utilisation({"ring": alone}, period_ns=1_000_000)


# chunks


def test_the_pipeline_shows_every_chunk_in_every_phase(vgg):
    picture = chunks(vgg)
    assert title(picture) == "all-reduce of 196.008 MiB in 4 chunks, weight gradient of layer fc1"
    assert lanes(picture) == ["dimension 0", "dimension 1"]
    assert {f"{what} {chunk}" for what in ("RS", "AR", "AG") for chunk in range(4)} == set(written(picture))
    assert "Dimension 1 is busy with it for 3,621.364 µs (73.7 %): 4 blocks of all-reduce." in picture.alt
    row = ["0", "RS on 0: 888.505 to 1,191.765", "AR on 1: 1,244.981 to 2,150.322", "AG on 0: 2,243.440 to 2,546.571"]
    assert rows(picture)[1] == row
    assert drawn(picture, "all-reduce")[0] == (1, pytest.approx(1244.981), pytest.approx(2150.322))
    assert drawn(picture, "other collectives")


def test_phases_differ_in_colour_and_hatch(vgg):
    of = {c.get_label(): c for c in chunks(vgg).figure.axes[0].collections}
    names = ("reduce-scatter", "all-gather", "all-reduce")
    assert len({tuple(of[name].get_facecolor()[0]) for name in names}) == 3
    assert len({of[name].get_hatch() for name in names}) == 3


def test_figures_and_the_timeline_in_the_browser_look_alike():
    source = (Path(ae.__file__).parent / "course/widgets/static/timeline" / "looks.js").read_text(encoding="utf-8")
    exposed = re.search(r'const EXPOSED = "(.+?)"', source)[1]
    browser = re.findall(r'{ name: (EXPOSED|".+?"), letters: "(.*?)", fill: "(.+?)", hatch: "(.*?)" }', source)
    assert {exposed if name == "EXPOSED" else name.strip('"') for name, *_ in browser} == {*LOOKS} - {OTHER.name}
    for name, letters, fill, hatch in browser:
        look = EXPOSED if name == "EXPOSED" else LOOKS[name.strip('"')]
        assert (look.fill, look.hatch[:1]) == (fill, hatch.replace(r"\\", "\\"))
        assert look is EXPOSED or look.short == letters


def test_a_collective_is_found_by_its_layer_and_work(gpt3):
    picture = chunks(gpt3, layer="concat2", work="input gradient")
    assert title(picture) == "all-gather of 48 MiB in 4 chunks, input gradient of layer concat2"
    assert "Dimension 1 takes no part." in picture.alt
    again = chunks(gpt3, layer="concat2", work="forward", which=1)  # the forward pass is repeated
    assert again.alt != chunks(gpt3, layer="concat2", work="forward").alt


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"layer": "fc9"}, "no collective with layer 'fc9'.*weight gradient of fc1"),
        ({"work": "forward"}, "work 'forward'"),
        ({"which": 1}, "has 1 such"),
        ({"end_ns": 800_000}, "no chunk is on a dimension"),
    ],
)
def test_a_pipeline_that_is_not_there_is_refused(vgg, asked, words):
    with pytest.raises(ae.ConfigError, match=words):
        chunks(vgg, **({"layer": "fc1"} | asked))


def test_a_run_without_collectives_has_no_pipeline(silent):
    with pytest.raises(ae.ConfigError, match="it has none"):
        chunks(silent)


def test_numbers_that_do_not_fit_appear_in_a_part(themis):
    everything = chunks(themis["baseline"])
    assert not written(everything)
    assert "draw a part" in title(everything)
    part = chunks(themis["baseline"], end_ns=5_000_000)
    assert {f"RS {chunk}" for chunk in range(18)} <= set(written(part))
    assert "Drawn is the part from 0.000 µs to 5,000.000 µs." in part.alt
    assert [row[0] for row in rows(part)[1:]] == [str(chunk) for chunk in range(19)]


def test_a_pipeline_of_one_chunk(single):
    picture = chunks(single)
    assert title(picture) == "all-gather of 1 MiB in 1 chunk, weight gradient of layer all-gather"
    assert written(picture) == ["AG 0"]
    assert [lane for lane, *_ in drawn(picture, "all-gather")] == [1]


def test_an_implementation_over_all_npus_is_named_as_such():
    network = tuple(ae.Dimension.of("Switch", n, 50, 500) for n in (4, 2))
    result = ae.simulate(ae.Workload.micro("all-reduce", MIB), ae.Platform(network, ae.SystemConfig.of("oneDirect")))
    labels = [label.get_text() for label in chunks(result).figure.axes[0].get_yticklabels()]
    assert labels == ["dimension 0\nall 8 NPUs", "dimension 1\nSwitch of 2"]


# layers


def test_layers_draw_communication_and_what_of_it_is_exposed(gpt3):
    picture = layers(gpt3)
    communication, exposed = ([bar.get_width() for bar in bars] for bars in picture.figure.axes[0].containers)
    table = gpt3.layers
    of = table.filter(like="communication").sum(axis=1)
    assert communication[:-1] == pytest.approx([time / 1000 for time in of])
    assert sum(exposed) == pytest.approx(gpt3.exposed_ns / 1000)
    assert len(rows(picture)) == 28 + 1 + 1
    assert "19 of 28 layers communicate." in picture.alt


def test_exposed_time_that_is_no_layers_is_shown(vgg):
    picture = layers(vgg)
    assert rows(picture)[1] == ["block1_conv1", "48.568", "48.567"]
    assert rows(picture)[-1] == ["no layer's", "0.000", "4,832.730"]
    assert "4,832.730 µs of exposed time are no layer's" in picture.alt


def test_only_the_layers_that_communicate_most_are_drawn(vgg):
    picture = layers(vgg, most=2)
    assert [row[0] for row in rows(picture)[1:]] == ["fc2", "predictions", "no layer's", "14 more, not drawn"]
    assert lanes(picture) == ["fc2", "predictions", "no layer's"]


def test_layers_without_communication(silent):
    assert "0 of 2 layers communicate" in layers(silent).alt


@pytest.mark.parametrize(
    "draw", [timeline, layers, lambda r: compute_and_exposed({"": r}), lambda r: utilisation({"": r})]
)
@pytest.mark.parametrize("name", ["alone", "silent", "single", "vgg"])
def test_every_run_can_be_drawn(draw, name, request):
    assert "base64,iVBOR" in draw(request.getfixturevalue(name))._repr_html_()
