"""Measured collectives, the models of them, and the figures that show both."""

import random
import re
from dataclasses import replace
from itertools import pairwise
from math import inf

import pytest

import astra_edu as ae
from astra_edu.collectives import counts
from astra_edu.measured import (
    SWEEPS,
    TABLES,
    Line,
    Point,
    as_astra_sim_reads,
    bus_bandwidth,
    bus_factor,
    errors,
    fit_line,
    fit_pieces,
    hierarchical,
    in_switch,
    judged,
    ring,
    simulated,
    sweep,
    table,
    tree,
)
from astra_edu.measured.nccl_model import ALGORITHMS, PROTOCOLS, cost, crossover, fastest

MIB, GIB = 2**20, 2**30
HGX = ("hgx-h100-2", "hgx-h100-4", "hgx-h100-8")

JUDGED = {  # name: (pieces, latency in µs and bus bandwidth of the last line, held-out mean and worst error)
    "hgx-h100-2": (1, 46.6, 369.4, 0.010, 0.019),
    "hgx-h100-4": (1, 85.6, 378.5, 0.006, 0.012),
    "hgx-h100-8": (1, 107.8, 378.6, 0.020, 0.048),
    "v100-64": (1, 298.1, 63.4, 0.014, 0.023),
    "a100-8": (1, 54.6, 209.7, 0.154, 0.378),
    "h200-8": (1, 41.2, 440.2, 0.085, 0.192),
    "h100-16": (1, 142.4, 278.5, 0.227, 0.739),
    "a100-16": (1, 44.2, 186.8, 0.170, 0.361),
}
JUDGED_IN_PIECES = {
    "a100-8": (3, 180.3, 229.7, 0.044, 0.114),
    "h200-8": (3, 89.4, 474.8, 0.029, 0.133),
    "h100-16": (3, 888.4, 343.0, 0.026, 0.137),
    "a100-16": (3, 2371.3, 249.1, 0.084, 0.443),
}


# --- tables -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TABLES)
def test_every_table_says_where_it_is_from_and_in_which_units(name):
    found = table(name)
    assert found.title
    assert found.source
    assert found.note
    assert found.rows
    words = {"gpus", "nodes", "system", "collective", "algorithm", "source"}
    units = re.compile(r"bytes|us|astra_sim_us|(algbw|busbw|wire|on|off) \(10\^9 bytes/s\)")
    for row in found.rows:
        assert all(units.fullmatch(column) for column in row.keys() - words)
        for column in row.keys() - words:
            assert row[column] == "" or float(row[column]) > 0


def test_what_is_only_recalled_is_called_unverified():
    assert {name for name in TABLES if "recall" in table(name).note} == {"h100_16", "a100_16"}
    for name in ("h100_16", "a100_16"):
        assert "(unverified)" in table(name).note


@pytest.mark.parametrize("name", SWEEPS)
def test_sweeps_double_from_size_to_size(name):
    found = sweep(name)
    sizes = [point.size for point in found.points]
    assert [b / a for a, b in pairwise(sizes)] == [2] * (len(sizes) - 1)
    assert set(found.simulated) <= set(sizes)
    assert found.halves == (found.points[::2], found.points[1::2])


@pytest.mark.parametrize(
    ("name", "size", "busbw"),
    [  # as the sources print it beside the times
        ("a100-8", 16 * GIB, 234.89),
        ("a100-8", 8 * MIB, 109.93),
        ("h200-8", 16 * GIB, 482.26),
        ("h200-8", MIB, 39.93),
        ("h100-16", 8 * GIB, 338.82),
        ("h100-16", 64 * 1024, 0.77),
        ("a100-16", 8 * GIB, 237.94),
        ("a100-16", GIB, 219.12),
        ("hpe-v100-2", GIB // 2, 22.5),
        ("hpe-v100-4", GIB // 2, 85),
        ("hpe-v100-8", GIB // 2, 134),
    ],
)
def test_bus_bandwidths_are_those_of_the_sources(name, size, busbw):
    found = sweep(name)
    us = dict(found.points)[size]
    assert bus_bandwidth("all-reduce", found.npus, size, us) == pytest.approx(busbw, rel=0.002)


def test_a_table_or_sweep_that_isnt_there_is_named():
    with pytest.raises(ae.ConfigError, match="did you mean 'a100_8'"):
        table("a100-8")
    with pytest.raises(ae.ConfigError, match="did you mean 'hgx-h100-8'"):
        sweep("hgx-h100")


# --- models -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("collective", ["all-reduce", "reduce-scatter", "all-gather"])
@pytest.mark.parametrize("npus", [2, 5, 8])
def test_the_bus_factor_is_what_an_npu_sends_on_a_ring(collective, npus):
    size = 840 * npus
    sent = counts(ae.schedule(collective, "ring", npus), size).sent
    assert bus_factor(collective, npus) * size == sent


def test_factors_of_one():
    assert bus_factor("broadcast", 7) == bus_factor("reduce", 7) == bus_factor("all-reduce", 2) == 1


def test_lines_by_hand():
    assert ring(8, 175, step_us=2) == Line(28, pytest.approx(1e-5))  # 14 steps; 1.75 bytes at 175 a ns
    assert tree(8, 200, step_us=2) == Line(12, pytest.approx(1e-5))
    assert tree(9, 200, step_us=2).latency_us == 16
    assert in_switch(100, link_us=0.5, switch_us=0.1) == Line(1.1, pytest.approx(1e-5))
    assert in_switch(100, pipelined=False).us_per_byte == pytest.approx(2e-5)
    line = Line(20, 1e-5)
    assert line(10**6) == pytest.approx(30)
    assert line.half_size == pytest.approx(2 * 10**6)
    assert line.bandwidth(1) == pytest.approx(100)
    assert Line(20, 0).bandwidth(1) == Line(20, 0).half_size == inf
    assert as_astra_sim_reads(2**30 / 1e9) == 1


def test_a_ring_simulated_alone_on_a_switch_is_its_line():
    on = ae.TracePlatform(ae.Block("Switch", 8, as_astra_sim_reads(200), 500), ae.TraceSystem.of("ring"))
    for size in (MIB, 64 * MIB, GIB):
        simulated = ae.simulate(ae.traces.collective("all_reduce", bytes=size, npus=8), on).total_ns / 1000
        endpoint = 15 * 0.01  # µs
        assert simulated == pytest.approx(ring(8, 200, step_us=1)(size) + endpoint, abs=0.02)


def test_phases_in_turn_are_the_published_sequential_model():
    wanted = (979, 1957, 3915, 7829, 15659, 31317, 62635, 125270, 250540)
    for (size, _), us in zip(sweep("v100-64").points, wanted, strict=True):
        assert hierarchical(size, (8, 150), (8, 12.5)).in_turn_us == pytest.approx(us, abs=1)


def test_the_busier_network_decides_when_phases_overlap():
    phases = hierarchical(GIB, (8, 150), (8, 12.5))
    assert phases.overlapped_us == phases.all_reduce_us == pytest.approx(18_790, abs=1)
    phases = hierarchical(GIB, (8, 15), (8, 12.5))
    assert phases.overlapped_us == 2 * phases.reduce_scatter_us == 2 * phases.all_gather_us


def test_bad_numbers_are_named():
    for wrong, words in (
        (lambda: bus_factor("all-reduce", 1), "npus is 1"),
        (lambda: bus_factor("allreduce", 8), "did you mean 'all-reduce'"),
        (lambda: ring(8, 0), "bandwidth is 0"),
        (lambda: tree(8, 100, step_us=-1), "step_us is -1"),
        (lambda: hierarchical(8, (8, 0), (8, 1)), "bandwidth inside is 0"),
        (lambda: bus_bandwidth("all-reduce", 8, 8, 0), "us is 0"),
    ):
        with pytest.raises(ae.ConfigError, match=words):
            wrong()


# --- fits -------------------------------------------------------------------------------------------------------------


def points_of(model, first=15, count=12):
    return tuple(Point(2**power, model(2**power)) for power in range(first, first + count))


def test_a_line_is_found_again():
    draw = random.Random(1)
    for _ in range(20):
        line = Line(draw.uniform(1, 200), draw.uniform(1e-6, 1e-3))
        found = fit_line(points_of(line))
        assert found.latency_us == pytest.approx(line.latency_us)
        assert found.us_per_byte == pytest.approx(line.us_per_byte)


def test_no_other_line_has_smaller_squares():
    points = sweep("a100-8").points

    def squares(line):
        return sum((line(size) / us - 1) ** 2 for size, us in points)

    best = fit_line(points)
    for latency, slope in ((1.01, 1), (0.99, 1), (1, 1.01), (1, 0.99), (1.01, 0.99)):
        assert squares(best) < squares(Line(best.latency_us * latency, best.us_per_byte * slope))


def test_no_part_of_a_line_is_negative():
    assert fit_line([Point(1000, 1), Point(2000, 3)]).latency_us == 0
    assert fit_line([Point(1000, 3), Point(2000, 1)]).us_per_byte == 0


def test_pieces_are_found_again():
    low, high = Line(40, 1e-4), Line(500, 1e-5)

    def jumps(size):
        return (low if size <= 2**20 else high)(size)

    found = fit_pieces(points_of(jumps), 2)
    assert found.gaps == ((2**20, 2**21),)
    for line, wanted in zip(found.lines, (low, high), strict=True):
        assert line.latency_us == pytest.approx(wanted.latency_us)
    assert found(2**20) == pytest.approx(low(2**20))
    assert found(2**20 + 1) == pytest.approx(high(2**20 + 1))
    assert not found.in_a_gap(2**20)
    assert found.in_a_gap(3 * 2**19)
    assert not found.in_a_gap(2**21)


def test_one_piece_is_a_line():
    points = sweep("a100-8").points
    assert fit_pieces(points, 1).lines == (fit_line(points),)


def test_too_few_points_are_refused():
    with pytest.raises(ae.ConfigError, match="points of two sizes or more, not of 1"):
        fit_line([Point(8, 1)])
    with pytest.raises(ae.ConfigError, match="3 pieces need 6 points or more; there are 5"):
        fit_pieces(points_of(Line(1, 1), count=5), 3)
    with pytest.raises(ae.ConfigError, match="no points"):
        errors(Line(1, 1), [])


def test_errors_are_relative():
    found = errors(Line(0, 1), [Point(10, 20), Point(10, 8)])
    assert (found.mean, found.worst, found.sizes) == (pytest.approx(0.375), 0.5, 2)


def test_what_is_held_out_has_no_influence_on_the_fit():
    known = sweep("a100-8")
    spoilt = replace(known, points=tuple(Point(p.size, p.us * (1 + 9 * (i % 2))) for i, p in enumerate(known.points)))
    for fit in (fit_line, lambda points: fit_pieces(points, 3)):
        assert judged(known, fit).model == judged(spoilt, fit).model
        assert judged(known, fit).fitted == judged(spoilt, fit).fitted
        assert judged(known, fit).held_out != judged(spoilt, fit).held_out


@pytest.mark.parametrize(
    ("name", "latency", "bandwidth"),
    [("hgx-h100-2", 45, 369), ("hgx-h100-4", 85, 377), ("hgx-h100-8", 103, 380), ("a100-8", 56, 211)],
)
def test_fits_to_all_sizes_are_those_known_before(name, latency, bandwidth):
    line = fit_line(sweep(name).points)
    assert line.latency_us == pytest.approx(latency, abs=1)
    assert line.bandwidth(sweep(name).factor) == pytest.approx(bandwidth, abs=1)


def test_the_single_line_of_the_a100_is_15_percent_off_and_36_at_most():
    found = errors(fit_line(sweep("a100-8").points), sweep("a100-8").points)
    assert (found.mean, found.worst) == (pytest.approx(0.154, abs=0.001), pytest.approx(0.362, abs=0.001))


@pytest.mark.parametrize(
    ("name", "wanted"),
    [*JUDGED.items(), *JUDGED_IN_PIECES.items()],
    ids=[*JUDGED, *(f"{n}-3" for n in JUDGED_IN_PIECES)],
)
def test_no_fit_has_drifted(name, wanted):
    pieces, latency, bandwidth, mean, worst = wanted
    found = judged(sweep(name), lambda points: fit_pieces(points, pieces))
    last = found.model.lines[-1]
    assert last.latency_us == pytest.approx(latency, abs=0.1)
    assert last.bandwidth(sweep(name).factor) == pytest.approx(bandwidth, abs=0.1)
    assert (found.held_out.mean, found.held_out.worst) == pytest.approx((mean, worst), abs=0.001)


def test_pieces_are_cut_where_nccl_is_known_to_switch_on_the_h200():
    below, above = judged(sweep("h200-8"), lambda points: fit_pieces(points, 3)).model.gaps[0]
    rows = table("h200_8").rows
    first = next(int(row["bytes"]) for row in rows if row["algorithm"] == "NVLS Simple")
    assert below < first <= above


# --- what the figures of the notebook rest on -------------------------------------------------------------------------


@pytest.mark.parametrize("name", HGX)
def test_the_published_simulation_has_the_measured_bandwidth_in_units_of_2_to_the_30(name):
    found = sweep(name)
    simulated = fit_line([Point(*each) for each in found.simulated.items()])
    assert as_astra_sim_reads(simulated.bandwidth(found.factor)) == pytest.approx(370.67, rel=0.01)


def test_the_gap_of_7_percent_is_that_of_the_units():
    found = sweep("hgx-h100-8")
    for size, us in found.points[4:]:
        assert found.simulated[size] / us - 1 == pytest.approx(-0.068, abs=0.002)
        assert found.simulated[size] * GIB / 1e9 == pytest.approx(us, rel=0.002)


def test_the_gain_of_adding_up_in_the_switch_is_smaller_than_the_ideal():
    rows = [row for row in table("in_switch").rows if (row["system"], row["gpus"]) == ("H200", "8")]
    gains = [float(row["on (10^9 bytes/s)"]) / float(row["off (10^9 bytes/s)"]) for row in rows]
    assert gains == pytest.approx([1.294, 1.312], abs=0.001)
    assert ring(8, 1).us_per_byte / in_switch(1).us_per_byte == 1.75


# --- NCCL's cost model ------------------------------------------------------------------------------------------------


def test_latencies_by_hand():
    assert cost("ring", "Simple", 8, 100).latency_us == pytest.approx(8.4 + 14 * 3.4)
    assert cost("ring", "LL", 16, 100, nodes=2).latency_us == pytest.approx(6.6 + 28 * 0.6 + 2 * 2.7)
    assert cost("tree", "LL128", 32, 100, nodes=4).latency_us == pytest.approx(14 + 2 * (7 * 1.25 + 2 * 8.5))
    assert cost("tree", "LL", 40, 100, nodes=5).latency_us == pytest.approx(6.8 + 2 * (7 * 0.6 + 2 * 5))
    assert cost("ring", "LL128", 8, 100, inside="PCI").latency_us == pytest.approx(14 + 14 * 2.5)


def test_bandwidths_by_hand():
    assert cost("ring", "Simple", 8, 100).bandwidth(1.75) == pytest.approx(100)
    assert cost("ring", "LL", 8, 100).bandwidth(1.75) == pytest.approx(50)
    assert cost("ring", "LL", 8, 235, ll_limit=87.7).bandwidth(1.75) == pytest.approx(87.7)
    assert cost("ring", "LL128", 8, 235, ll_limit=87.7).bandwidth(1.75) == pytest.approx(0.92 * 235)
    assert cost("tree", "Simple", 16, 100, 2).bandwidth(2) == pytest.approx(92)
    assert cost("tree", "LL128", 16, 100, 2).bandwidth(2) == pytest.approx(92 * 120 / 128)
    assert cost("tree", "LL128", 16, 100, 1).bandwidth(2) == pytest.approx(92 * 7 / 9)
    assert cost("tree", "LL", 16, 100, 2).bandwidth(2) == pytest.approx(92 / 3.8)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_rings_grow_in_proportion_and_trees_with_the_logarithm(protocol):
    def latencies(algorithm, nodes):
        return [cost(algorithm, protocol, 8 * n, 100, n).latency_us for n in nodes]

    linear = latencies("ring", (2, 3, 4, 5))
    doubled = latencies("tree", (2, 4, 8, 16))
    for series in (linear, doubled):
        steps = [b - a for a, b in pairwise(series)]
        assert steps[0] > 0
        assert steps == pytest.approx([steps[0]] * 3)


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("nodes", [2, 16, 1024])
def test_at_the_crossover_both_take_as_long(protocol, nodes):
    size = crossover(8 * nodes, 200, nodes, protocol)
    on_ring, on_tree = (cost(algorithm, protocol, 8 * nodes, 200, nodes) for algorithm in ALGORITHMS)
    assert on_ring(size) == pytest.approx(on_tree(size))
    assert on_ring(round(size / 2)) > on_tree(round(size / 2))
    assert on_ring(round(size * 2)) < on_tree(round(size * 2))


def test_a_ring_that_is_always_faster_crosses_at_nothing():
    assert crossover(8, 200, 1, "Simple") == 0


def test_the_fastest_way_is_the_smallest_of_all():
    protocols = [fastest(size, 8, 235, ll_limit=87.7, algorithms=("ring",)).protocol for size in (MIB, 8 * MIB, GIB)]
    assert protocols == ["LL", "LL128", "Simple"]
    for size in (1024, MIB, GIB, 64 * GIB):
        ways = [cost(a, p, 128, 200, 16)(size) for a in ALGORITHMS for p in PROTOCOLS]
        assert fastest(size, 128, 200, 16).us == min(ways)
    assert fastest(1024, 128, 200, 16).algorithm == "tree"
    assert fastest(64 * GIB, 128, 200, 16).algorithm == "ring"


def test_bad_settings_of_the_cost_model_are_named():
    for wrong, words in (
        (lambda: cost("rings", "LL", 8, 100), "did you mean 'ring'"),
        (lambda: cost("ring", "ll", 8, 100), "did you mean 'LL'"),
        (lambda: cost("ring", "LL", 8, 100, inside="network"), "inside is 'network'"),
        (lambda: cost("ring", "LL", 10, 100, nodes=4), "10 NPUs can't be shared out among 4 machines; 8 can"),
        (lambda: cost("ring", "LL", 8, 0), "bandwidth is 0"),
    ):
        with pytest.raises(ae.ConfigError, match=words):
            wrong()


def test_simulated_rings_are_those_by_hand_and_store_and_forward_takes_each_link_in_turn():
    size, switch = 2**28, ae.Block("Switch", 4, bandwidth=100, latency=1000)  # GB/s of 2**30, ns
    through = size / 4 / (100 * 2**30) * 1e6
    assert simulated([switch], [size])[size] == pytest.approx(6 * (through + 2), rel=1e-3)
    assert simulated([switch], [size], aware=True)[size] == pytest.approx(6 * (2 * through + 2), rel=1e-3)
    two = simulated([switch, ae.Block("Switch", 2, bandwidth=10, latency=1000)], [size])[size]
    between = size / 4 / 2 / (10 * 2**30) * 1e6
    assert two == pytest.approx(6 * (through + 2) + 2 * (between + 2), rel=1e-3)


def test_the_percents_of_a_fit_are_its_errors():
    found = judged(sweep("hgx-h100-8"))
    shares = (found.fitted.mean, found.fitted.worst, found.held_out.mean, found.held_out.worst)
    assert found.percents == tuple(f"{100 * share:.1f}%" for share in shares)
