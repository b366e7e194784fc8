"""Kinds of links: the fit against lines that are known, the figures that ship, and the machines' own beside them."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

import astra_edu as ae
from astra_edu import measured
from astra_edu.base.errors import ConfigError
from astra_edu.measured import links
from astra_edu.measured.__main__ import main
from astra_edu.measured.link_lines import Group, sent
from astra_edu.measured.nccl_model import HOP_US

GB = 10**9
SIZES = [2**power for power in range(21, 31)]


def written(rows: list[dict[str, object]]) -> Path:
    path = Path("mine.csv")
    pd.DataFrame(rows).to_csv(path, index=False)
    return path


def fitted(rows: list[dict[str, object]]) -> pd.DataFrame:
    """What is fitted to a file, without what ships."""
    said: list[str] = []
    found = pd.DataFrame(measured.fit_links(written(rows), said.append), columns=measured.LinkClass._fields)
    assert len(said) == len(found)
    return found[found.source.isin({row["source"] for row in rows})].reset_index(drop=True)


def rows_of(npus: int, start_us: float, step_us: float, rate: float, **more: object) -> list[dict[str, object]]:
    """All-reduces round a ring as its line has them. rate: 10⁹ bytes/s."""
    line = measured.ring(npus, rate, step_us)
    row = {"source": "mine", "hardware": "Abacus", "collective": "AllReduce", "gpus": npus} | more
    return [row | {"bytes": size, "time_us": start_us + line(size)} for size in SIZES]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_lines_that_are_known_are_found_again():
    found = fitted([row for npus in (2, 4, 8) for row in rows_of(npus, 20, 3, 250)])
    assert found.npus.tolist() == [2, 4, 8]
    assert found.bandwidth_gb_s.tolist() == pytest.approx([250] * 3, abs=0.01)
    assert found.latency_us.tolist() == pytest.approx([20 + 3 * 2 * (npus - 1) for npus in (2, 4, 8)], abs=0.01)
    assert found.step_us.tolist() == pytest.approx([3] * 3, abs=0.01)
    assert found.held_out_worst.max() < 1e-6
    assert set(found.link) == {"Abacus"}
    assert set(found.points) == {len(SIZES)}


def test_steps_of_one_collective_and_of_three_numbers_of_npus_only():
    """Of an all-gather's ring there are half as many; one number of NPUs says nothing of steps."""
    rows = [row for npus in (2, 4, 8) for row in rows_of(npus, 20, 3, 250)]
    for row in rows_of(8, 20, 3, 250, collective="ReduceScatter") + rows_of(4, 20, 3, 250, collective="ReduceScatter"):
        rows.append(row)
    for npus in (2, 4, 8):
        rows += [row | {"time_us": row["time_us"] / 2} for row in rows_of(npus, 40, 6, 250, collective="AllGather")]
    found = fitted(rows).groupby("collective")
    assert found.step_us.mean()["all-reduce"] == pytest.approx(3, abs=0.01)
    assert found.step_us.mean()["all-gather"] == pytest.approx(6, abs=0.01)
    assert found.step_us.count()["reduce-scatter"] == 0


def test_what_is_held_out_says_how_far_off_it_is():
    """Every other size takes twice as long: a line through the others is half of that."""
    rows = rows_of(8, 20, 3, 250)
    for row in rows[1::2]:
        row["time_us"] *= 2
    found = fitted(rows).iloc[0]
    assert found.held_out_mean == pytest.approx(0.5, abs=0.001)
    assert found.held_out_worst == pytest.approx(0.5, abs=0.001)


def test_small_sizes_have_a_line_of_their_own():
    small = [
        row | {"bytes": 2**power, "time_us": 40} for power, row in zip((10, 15, 20), rows_of(8, 0, 0, 1), strict=False)
    ]
    found = fitted(small + rows_of(8, 100, 0, 250))
    assert found.largest.tolist() == [2**20, SIZES[-1]]
    assert found.latency_us.tolist() == pytest.approx([40, 100], abs=0.1)


def test_what_goes_through_one_npus_link():
    def of(algorithm: str, collective: str, npus: int, nodes: int) -> float:
        return sent(Group("", algorithm, collective, npus, nodes, ""))

    assert of("ring", "all-reduce", 8, 1) == 1.75
    assert of("ring", "all-gather", 8, 1) == 0.875
    assert of("ring", "all-reduce", 16, 2) == 1.875 / 8
    assert of("trees", "all-reduce", 16, 2) == 1 / 8  # on two machines each byte goes there once and comes back once
    assert of("in the switch", "all-reduce", 8, 1) == 1


def test_nodes_links_and_algorithms_of_a_file():
    other = {"hardware": "Abacus", "link": "wire", "algorithm": "trees"}
    found = fitted(rows_of(16, 20, 3, 250) + rows_of(16, 20, 3, 250, source="others", **other))
    assert found.link.tolist() == ["network of Abacus", "wire"]
    assert found.nodes.tolist() == [2, 2]
    assert fitted(rows_of(16, 20, 3, 250, gpus_per_node=4)).nodes.tolist() == [4]
    assert found.algorithm.tolist() == ["not said", "trees"]
    assert found.bandwidth_gb_s.tolist() == pytest.approx([250 / 8, 250 / 1.875 / 8], abs=0.01)


def test_a_bus_bandwidth_alone_has_no_latency():
    row = {"source": "mine", "hardware": "8 H100", "collective": "all-gather", "gpus": 8, "busbw_GBps": 300}
    found = fitted([row]).iloc[0]
    assert (found.link, found.bandwidth_gb_s, found.points) == ("NVLink 4", 300, 1)
    assert pd.isna(found.latency_us)
    assert pd.isna(found.held_out_mean)


def test_sources_that_ship_are_taken_from_their_tables():
    row = {"hardware": "8 H100", "collective": "all-gather", "gpus": 8, "busbw_GBps": 1}
    both = [row | {"source": "stas00/ml-engineering@1: x"}, row | {"source": "mine"}]
    assert fitted(both).source.tolist() == ["mine"]


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"collective": "AllReduce", "gpus": 8}, "neither bytes and time_us nor busbw_GBps"),
        ({"collective": "Alreduce", "gpus": 8, "busbw_GBps": 1}, "did you mean 'allreduce'"),
        ({"collective": "AllReduce", "gpus": 1.5, "busbw_GBps": 1}, "gpus is 1.5"),
        ({"collective": "AllReduce", "gpus": 8, "busbw_GBps": -1}, "busbw_GBps is -1"),
        ({"collective": "AllReduce", "busbw_GBps": 1}, "has no column gpus"),
    ],
)
def test_rows_that_cannot_be_read_are_named(row, words):
    with pytest.raises(ConfigError, match=words):
        measured.fit_links(written([{"source": "mine", "hardware": "x"} | row]))


def test_a_file_that_is_none():
    with pytest.raises(ConfigError, match="can't be read as a CSV file of measured collectives"):
        measured.fit_links("nowhere.csv")


# --- what ships -------------------------------------------------------------------------------------------------------


def test_the_stored_figures_are_those_of_the_sweeps_that_ship(monkeypatch):
    """Those of other files were made with them: vTrain's and nanotron's."""
    stored = measured.link_classes()
    own = stored[~stored.source.str.contains("vTrain|nanotron")].reset_index(drop=True)
    path = written([{"source": "mine", "hardware": "zzz", "collective": "all-reduce", "gpus": 8, "busbw_GBps": 1}])
    monkeypatch.setattr(links, "FILE", Path("links.csv").absolute())
    run = CliRunner().invoke(main, ["links", str(path)])
    assert run.exit_code == 0, run.output
    again = measured.link_classes().query("source != 'mine'").reset_index(drop=True)
    pd.testing.assert_frame_equal(own, again)


def test_the_command_stores_nothing_it_should_not(monkeypatch):
    monkeypatch.setattr(links, "FILE", Path("links.csv").absolute())
    good = written([{"source": "mine", "hardware": "zzz", "collective": "all-reduce", "gpus": 8, "busbw_GBps": 1}])
    assert CliRunner().invoke(main, ["links", str(good), "--no-store"]).exit_code == 0
    bad = written([{"source": "mine"}])
    assert "has no column hardware" in CliRunner().invoke(main, ["links", str(bad)]).output
    assert not Path("links.csv").exists()


def of(link: str, npus: int, algorithm: str = "ring", source: str = "", many: bool = True) -> pd.Series:
    """A line that ships, of large sizes."""
    found = measured.link_classes()
    found = found[(found.link == link) & (found.npus == npus) & (found.algorithm == algorithm)]
    found = found[found.source.str.contains(source) & ((found.points > 1) == many) & ~(found.largest <= 2**20)]
    assert len(found) == 1
    return found.iloc[0]


def test_lines_known_before():
    """The fits of the HGX-H100 that were made by hand: 45 µs and 369, 85 and 377, 103 and 380."""
    for npus, latency, rate in ((2, 45, 369), (4, 85, 377), (8, 103, 380)):
        found = of("NVLink 4", npus)
        assert found.latency_us == pytest.approx(latency, abs=1)
        assert found.bandwidth_gb_s == pytest.approx(rate, abs=1)


def test_two_sources_of_a_link_agree():
    for npus in (2, 4, 8):
        ours = of("NVLink 2", npus).bandwidth_gb_s
        assert ours == pytest.approx(of("NVLink 2", npus, "not said", "vTrain").bandwidth_gb_s, rel=0.01)
    vtrain, other = of("NVLink 3", 8, "not said", "vTrain"), of("NVLink 3", 8, "not said", "ml-engineering")
    assert vtrain.bandwidth_gb_s == pytest.approx(other.bandwidth_gb_s, rel=0.05)


def test_lines_within_a_computer_hold_for_sizes_that_they_have_not_seen():
    found = measured.link_classes()
    inside = found[(found.nodes == 1) & (found.points > 6) & (found.algorithm != "in the switch")]
    assert len(inside) == 17
    vtrain = inside[inside.source.str.contains("vTrain")]
    assert len(vtrain) == 14
    assert vtrain.held_out_mean.max() < 0.02
    assert vtrain.held_out_worst.max() < 0.21  # its smallest size, 2 MiB


def test_over_two_machines_no_single_line_holds():
    for link in ("Oracle's RDMA", "Google's a3-mega"):
        assert of(link, 16, "trees").held_out_mean > 0.1


@pytest.mark.parametrize(
    ("machine", "link", "algorithm", "source", "many", "share"),
    [  # what is reached of the makers' figure, in large collectives of 8 NPUs
        ("v100", "NVLink 2", "not said", "vTrain", True, 0.907),  # rings over 6 links: headers of packets
        ("a100", "NVLink 3", "not said", "vTrain", True, 0.756),
        ("h100", "NVLink 4", "ring", "", True, 0.844),
        ("b200", "NVLink 5", "ring", "", False, 0.758),
        ("h200", "NVLink 4", "in the switch", "", True, 0.581),  # a byte goes up and down once, and added up on the way
        ("b200", "NVLink 5", "in the switch", "", False, 0.532),
    ],
)
def test_links_of_machines_are_the_makers_and_less_is_reached(machine, link, algorithm, source, many, share):
    """Kept so: a share of it is a parameter of `predict`, which was fitted to runs."""
    found = of(link, 8, algorithm, source, many)
    reached = found.bandwidth_gb_s * GB / ae.machine(machine).link_bytes_per_s
    assert reached == pytest.approx(share, abs=0.002)


def test_network_cards_of_machines_are_the_makers_and_less_is_reached():
    efa = of("EFA", 32, many=False).bandwidth_gb_s * GB
    assert efa / ae.machine("h200").nic_bytes_per_s == pytest.approx(0.912, abs=0.002)
    roce = of("RoCE, 200 Gb/s", 40, many=False)  # half of what the machine has, as that has 400 Gb/s
    assert roce.bandwidth_gb_s / 25 == pytest.approx(0.95, abs=0.002)
    trees = of("Oracle's RDMA", 16, "trees").bandwidth_gb_s * GB
    assert trees / ae.machine("a100-40").nic_bytes_per_s == pytest.approx(0.53, abs=0.01)


@pytest.mark.parametrize(
    ("machine", "link", "source", "step_us"),
    [
        ("v100", "NVLink 2", "vTrain", 4.78),
        ("a100", "NVLink 3", "vTrain", 2.17),
        ("h100", "NVLink 4", "ASTRA-sim", 4.46),
    ],
)
def test_a_ring_step_takes_longer_than_two_links_of_a_machine(machine, link, source, step_us):
    """A machine's is of messages through a switch alone, of NPUs that are ready; a step of NCCL's waits for flags, too.

    NCCL's own model has 3.4 µs for it (Simple, NVLink): between what is measured.
    """
    found = measured.link_classes()
    (step,) = set(found[(found.link == link) & found.source.str.contains(source)].step_us.dropna())
    assert step == step_us
    assert 1.1 < step * 1000 / (2 * ae.machine(machine).link_ns) < 2.6
    assert 0.6 < step / HOP_US["NVLink"]["ring"][2] < 1.5


@pytest.mark.parametrize("times", [[5.0] * 9, [90.0 - place for place in range(9)]])
def test_times_that_do_not_grow_have_a_latency_and_no_bandwidth(times: list[float]):
    row = {"source": "mine", "hardware": "Abacus", "collective": "all-reduce", "gpus": 8}
    found = fitted([row | {"bytes": 2**power, "time_us": us} for power, us in zip(range(4, 13), times, strict=True)])
    assert found.bandwidth_gb_s.isna().tolist() == [True]
    assert times[-1] <= found.latency_us[0] <= times[0]


@pytest.mark.parametrize("name", ["source", "hardware"])
def test_a_row_of_nothing_known_is_refused(name: str):
    row = {"source": "mine", "hardware": "Abacus", "collective": "all-reduce", "gpus": 8, "busbw_GBps": 170}
    with pytest.raises(ConfigError, match=f"{name} isn't given"):
        measured.fit_links(written([row, row | {name: None}]))


@pytest.mark.parametrize("strange", [None, b"mine.csv", 5, "\0"])
def test_what_is_no_path_is_refused(strange: object):
    with pytest.raises(ConfigError, match="is no path"):
        measured.fit_links(strange)


def test_a_range_of_too_few_sizes_is_said_to_be_left_out(tmp_path):
    lines = [f"mine,ours,all-reduce,8,{2**k},{10 + 2**k / 1000}" for k in (10, 12, 14, 24, 30)]
    path, said = tmp_path / "mine.csv", []
    path.write_text("\n".join(["source,hardware,collective,gpus,bytes,time_us", *lines]))
    found = [each for each in measured.fit_links(path, say=said.append) if each.source == "mine"]
    assert [each.points for each in found] == [3]
    assert "ours, not said, 8 NPUs: only 2 sizes above 1 MiB; a line takes 3. Left out." in said
    assert not any("up to 1 MiB" in words for words in said)


def test_several_times_of_a_size_are_averaged():
    rows = rows_of(8, 20, 3, 250)
    twice = [row | {"time_us": share * float(str(row["time_us"]))} for row in rows for share in (0.9, 1.1)]
    one, both = fitted(rows), fitted(twice)
    for name in ("latency_us", "bandwidth_gb_s", "points"):
        assert both[name].tolist() == pytest.approx(one[name].tolist(), rel=1e-3)
