"""The presets, and the tutorials' input files that are written from them."""

from dataclasses import replace

import pytest

import astra_edu as ae
from astra_edu.run.presets import PRESETS, one_switch, preset
from tools.tutorial_inputs import FOLDER, files

PUBLISHED = {"dgx-a100", "dgx-h100", "hgx-h100", "hls-gaudi2", "tpu-v5p"}
SOURCES = {
    name: ae.machine(of).source
    for name, of in (
        *(
            ("dgx-a100", "a100"),
            ("dgx-h100", "h100"),
            ("dgx-h100-sharp", "h100"),
            ("gb200-nvl72", "gb200"),
            ("hls-gaudi2", "gaudi2"),
        ),
        *(("tpu-v4", "tpu-v4"), ("tpu-v5p", "tpu-v5p")),
    )
}

GB_PER_S = 2**30 / 10**9  # bytes per ns


def stored():
    found = {path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*.*") if path.is_file()}
    return {path for path in found if not path.startswith("pytorch/")}  # recorded, not written


def test_every_stored_input_file_is_one_the_tool_writes():
    assert stored() == set(files())


@pytest.mark.parametrize("path", files())
def test_a_stored_input_file_is_what_the_tool_writes(path):
    assert (FOLDER / path).read_text() == files()[path]


@pytest.mark.parametrize(
    ("name", "network", "system"),
    [
        ("ring", "asplos2022/ex1/ring", "asplos2022/ex1/ring"),
        ("switch", "asplos2022/ex2/switch", "asplos2022/ex2/switch"),
        ("fully-connected", "asplos2022/ex2/fullyconnected", "asplos2022/ex2/fullyconnected"),
        ("dgx2", "asplos2022/ex3/dgx2", "asplos2022/ex3/dgx2"),
        ("tpu", "asplos2022/ex3/tpu", "asplos2022/ex3/tpu"),
        ("torus", "asplos2022/ex4/torus", "asplos2022/ex4/torus"),
        ("3d-switch", "asplos2023/ex3-1/3d_switch", "asplos2023/ex3-1/3d_switch_baseline"),
        ("3d-switch-themis", "asplos2023/ex3-1/3d_switch", "asplos2023/ex3-1/3d_switch_themis"),
    ],
)
def test_a_tutorials_preset_is_what_its_files_say(name, network, system):
    assert preset(name) == ae.load_astra_sim(FOLDER / f"{network}.json", FOLDER / f"{system}.txt")


@pytest.mark.parametrize(
    ("path", "loop", "layers", "compute_ns", "sent"),
    [
        # sums over the files of the repository astra-sim/tutorials: ns of all phases, bytes of all collectives
        ("asplos2022/ex3/vgg16", "DATA", 16, 1835238, 276715088),
        ("asplos2022/ex3/gpt3", "HYBRID_TRANSFORMER_FWD_IN_BCKWD", 28, 1073293389, 11502206976),
        ("asplos2022/ex4/vanilla", "DATA", 4, 122606, 267008),
        ("asplos2022/ex4/reorder", "DATA_REORDER", 4, 122606, 267008),
    ],
)
def test_a_workload_file_has_the_tutorials_sums(path, loop, layers, compute_ns, sent):
    head, count, *rows = (FOLDER / f"{path}.txt").read_text().splitlines()
    cells = [row.split() for row in rows]  # as they stand: reading them rounds to ASTRA-sim's 32-bit floats
    assert (head.split()[0], int(count), len(rows)) == (loop, layers, layers)
    assert sum(int(row[column]) for row in cells for column in (2, 5, 8)) == compute_ns
    assert sum(int(row[column]) for row in cells for column in (4, 7, 10)) == sent
    assert ae.load_workload(FOLDER / f"{path}.txt").loop == loop


def test_names_are_the_keys_and_every_preset_says_where_its_figures_are_from():
    for name, entry in PRESETS.items():
        assert entry.name == name
        assert entry.title
        assert "astra-sim/tutorials, asplos" in entry.source or "unverified" in entry.source or name in PUBLISHED
        assert entry.source.endswith(SOURCES.get(name, ""))


@pytest.mark.parametrize(
    ("name", "npus", "bandwidths"),
    [
        ("dgx2", 256, [150, 6.25]),
        ("tpu", 256, [124, 124]),
        ("torus", 64, [64, 32, 32]),
        ("w-2d", 512, [250, 250]),
        ("conv-3d", 512, [200, 100, 50]),
        ("conv-4d", 512, [250, 200, 100, 50]),
        ("zion", 128, [300 / GB_PER_S, 25 / GB_PER_S]),
        ("dgx-h100-sharp", 256, [450 / GB_PER_S, 50 / GB_PER_S]),
        ("tpu-v4", 4096, [90 / GB_PER_S] * 3),
        ("tpu-v5p", 8960, [200 / GB_PER_S] * 3),
    ],
)
def test_bandwidth_of_an_npu_in_each_dimension(name, npus, bandwidths):
    platform = preset(name)
    assert platform.npus == npus
    assert [d.injection_bandwidth / GB_PER_S for d in platform.network] == pytest.approx(bandwidths)


@pytest.mark.parametrize(
    ("hierarchy", "flat"), [("conv-3d", "w-1d-350"), ("w-2d", "w-1d-500"), ("conv-4d", "w-1d-600")]
)
def test_the_flat_wafers_are_the_hierarchies_on_one_switch(hierarchy, flat):
    assert one_switch(preset(hierarchy)) == preset(flat)


def test_one_switch_takes_the_sum_of_the_bandwidths_and_the_slowest_link():
    (dimension,) = one_switch(preset("torus")).network
    assert (dimension.npus, dimension.links, dimension.bandwidth, dimension.latency) == (64, 1, 128, 1)
    assert one_switch(preset("3d-switch")).system.splits == 64


@pytest.mark.parametrize("name", [name for name in PRESETS if not name.endswith("themis")])
def test_every_preset_runs_an_all_reduce_no_faster_than_its_bandwidth(name):
    platform = preset(name)
    result = ae.simulate(ae.Workload.micro("all-reduce", 2**30), platform)
    sent = 2 * (platform.npus - 1) / platform.npus * 2**30
    assert result.total_ns > sent / sum(d.injection_bandwidth for d in platform.network)


@pytest.mark.parametrize("row", [row for row in ae.measured.table("hgx_h100").rows if row["gpus"] == "8"][2:])
def test_hgx_h100_takes_what_its_authors_simulated(row):
    """Of 128 MiB and more; their plots, to a pixel."""
    took = ae.simulate(ae.Workload.micro("all-reduce", int(row["bytes"])), preset("hgx-h100")).total_ns
    assert took / 1000 == pytest.approx(float(row["astra_sim_us"]), rel=0.03)


def test_an_unknown_name_is_answered_with_the_nearest():
    with pytest.raises(ae.ConfigError, match=r"preset is 'dgx'; did you mean 'dgx2'\? Allowed: ring, "):
        preset("dgx")


def test_sharp_is_dgx_h100_whose_switches_add_up():
    """All-reduces: S up and down the NVLink, twice (reduce-scatter, all-gather), an eighth of it over InfiniBand."""
    plain, sharp = preset("dgx-h100"), preset("dgx-h100-sharp")
    assert sharp.network == plain.network
    assert sharp.system.all_to_all == plain.system.all_to_all
    size = 2**30
    work = ae.Workload.micro("all-reduce", size)
    one = ae.Platform(sharp.network, replace(sharp.system, splits=1))
    ns = ae.simulate(work, one).total_ns
    nvlink, infiniband = 450, 50  # bytes/ns
    assert ns == pytest.approx(size / nvlink + size / 8 / infiniband + size * 7 / 8 / nvlink, rel=0.01)
    chunks, without = ae.simulate(work, sharp).total_ns, ae.simulate(work, plain).total_ns
    assert size * (1 + 7 / 8) / nvlink < chunks < min(ns, without)
    assert "NVLS on 8 H200 takes 1/0.6 of the time" in PRESETS["dgx-h100-sharp"].source
