"""Systolic arrays: SCALE-Sim's cycles, folds that really compute the product, and figures worked out by hand."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from astra_edu.base.errors import ConfigError
from astra_edu.workload.compute.gemm import Gemm
from astra_edu.workload.compute.irregular import IRREGULAR, irregular_foldings
from astra_edu.workload.compute.sparsity import two_of_four
from astra_edu.workload.compute.systolic import AXES, DATAFLOWS, Folding, SystolicArray

np = pytest.importorskip("numpy")

BIG = SystolicArray(128, 128)

small = st.integers(1, 9)
foldings = st.builds(
    Folding,
    st.builds(Gemm, small, small, small, st.integers(1, 3)),
    st.builds(SystolicArray, st.integers(1, 4), st.integers(1, 4), st.integers(1, 5)),
    st.sampled_from(DATAFLOWS),
)


@pytest.mark.parametrize(
    ("gemm", "array", "dataflow", "cycles"),
    [
        ((64, 48, 40), (16, 16), "weight", 989),
        ((64, 48, 40), (16, 16), "output", 839),
        ((64, 48, 40), (16, 16), "input", 1127),
        ((100, 70, 50), (32, 8), "weight", 3059),
        ((100, 70, 50), (32, 8), "output", 3167),
        ((100, 70, 50), (32, 8), "input", 3639),
    ],
)
def test_cycles_are_those_that_scale_sim_reports(gemm, array, dataflow, cycles):
    assert Folding(Gemm(*gemm), SystolicArray(*array), dataflow).cycles == cycles


def test_one_folding_by_hand():
    """K = 40 is cut into 16 + 16 + 8, N = 48 into three times 16; M = 64 streams."""
    found = Folding(Gemm(64, 48, 40), SystolicArray(16, 16), "weight")
    assert (found.spatial_rows, found.spatial_columns, found.temporal) == (40, 48, 64)
    assert found.grid == (3, 3)
    assert found.parts == {"load": 16, "stream": 64, "skew": 30}
    assert [(fold.row, fold.rows, fold.column, fold.columns) for fold in found.folds()] == [
        (row, rows, column, 16) for column in (0, 16, 32) for row, rows in ((0, 16), (16, 16), (32, 8))
    ]
    assert [fold.first_cycle for fold in found.folds()] == [0, 110, 220, 330, 440, 550, 660, 770, 880]
    assert found.mapping_utilisation == pytest.approx(40 / 48)
    assert found.compute_utilisation == pytest.approx(64 * 48 * 40 / (990 * 256))
    assert found.edge_elements == 40 * 48 + 3 * 64 * 40 + 3 * 64 * 48  # weights; inputs, three times; sums, three times
    assert str(found) == (
        "(64 × 40) · (40 × 48) on 16 × 16 PEs, weight stationary: 9 folds of 110 cycles, 989 cycles in all; "
        "83.3% of the PEs hold something, 48.5% of the possible MACs are done"
    )


def stepped(stationary, moving):
    """Run one weight-stationary fold register by register; returns the product and the cycles from the first on.

    stationary: R × C, what the PEs get, a row a cycle, the last one first. moving: T × R; its columns enter the rows of
    the array from the left, each row one cycle after the one above; sums move down and leave at the bottom.
    """
    rows, columns = stationary.shape
    steps = len(moving)
    held, passing, sums = (np.zeros((rows, columns)) for _ in range(3))
    product = np.full((steps, columns), np.nan)
    cycle = 0
    for row in reversed(stationary):
        held = np.vstack([row, held[:-1]])
        cycle += 1
    start = cycle
    while np.isnan(product).any():
        now = cycle - start
        entering = [moving[now - r, r] if 0 <= now - r < steps else 0 for r in range(rows)]
        passing = np.column_stack([entering, passing[:, :-1]])
        sums = np.vstack([np.zeros(columns), sums[:-1]]) + held * passing
        for column in range(columns):
            if 0 <= (t := now - (rows - 1) - column) < steps:
                product[t, column] = sums[-1, column]
        cycle += 1
    return product, cycle


@given(st.integers(1, 5), st.integers(1, 5), st.integers(1, 7))
def test_a_fold_takes_as_long_as_an_array_stepped_through_cycle_by_cycle(rows, columns, steps):
    generator = np.random.default_rng(rows + 10 * columns + 100 * steps)
    weights = generator.integers(-4, 5, (rows, columns)).astype(float)
    inputs = generator.integers(-4, 5, (steps, rows)).astype(float)
    product, cycles = stepped(weights, inputs)
    assert (product == inputs @ weights).all()
    array = SystolicArray(rows, columns)
    assert Folding(Gemm(steps, columns, rows), array, "weight").fold_cycles == cycles
    assert Folding(Gemm(columns, steps, rows), array, "input").fold_cycles == cycles
    # with outputs stationary nothing is loaded first, and the last PE has done its last MAC as late
    assert Folding(Gemm(rows, columns, steps), array, "output").fold_cycles == cycles - rows


@given(foldings)
def test_the_folds_compute_the_product(folding):
    gemm = folding.gemm
    sizes = {"M": gemm.m, "N": gemm.n, "K": gemm.k}
    generator = np.random.default_rng(0)
    left = generator.integers(-9, 10, (gemm.count, gemm.m, gemm.k))
    right = generator.integers(-9, 10, (gemm.count, gemm.k, gemm.n))
    product = np.zeros((gemm.count, gemm.m, gemm.n), int)
    for fold in folding.folds():
        part = {axis: slice(0, size) for axis, size in sizes.items()}
        along, across, _ = AXES[folding.dataflow]
        part[along] = slice(fold.row, fold.row + fold.rows)
        part[across] = slice(fold.column, fold.column + fold.columns)
        m, n, k = part["M"], part["N"], part["K"]
        product[fold.product, m, n] += left[fold.product, m, k] @ right[fold.product, k, n]
    assert (product == left @ right).all()


@given(foldings)
def test_what_is_counted_is_what_the_folds_are(folding):
    folds, array = list(folding.folds()), folding.array
    assert len(folds) == folding.fold_count
    assert folding.cycles == max(fold.first_cycle + fold.cycles for fold in folds) - 1
    assert folding.macs == sum(fold.pes for fold in folds) * folding.temporal
    assert folding.mapping_utilisation == pytest.approx(
        sum(fold.pes for fold in folds) / (len(folds) * array.rows * array.columns)
    )
    assert folding.sizes() == Counter((fold.rows, fold.columns) for fold in folds)
    edges = sum(fold.pes + folding.temporal * (fold.rows + fold.columns) for fold in folds)
    assert folding.edge_elements == edges
    for which in range(array.count):
        own = [fold for fold in folds if fold.array == which]
        assert all(before.first_cycle + before.cycles == after.first_cycle for before, after in pairwise(own))
        assert len(folds) // array.count <= len(own) <= folding.rounds
    assert all(1 <= fold.rows <= array.rows and 1 <= fold.columns <= array.columns for fold in folds)
    assert 0 < folding.compute_utilisation <= folding.mapping_utilisation <= 1


def test_products_follow_each_other():
    one, four = (Folding(Gemm(64, 48, 40, count), SystolicArray(16, 16), "output") for count in (1, 4))
    assert four.cycles == 4 * (one.cycles + 1) - 1
    assert four.compute_utilisation == one.compute_utilisation
    assert [fold.product for fold in four.folds()] == [0] * 12 + [1] * 12 + [2] * 12 + [3] * 12


def test_a_large_array_and_small_ones_by_hand():
    """GNMT's M, N, K = 320, 3072, 4096 with outputs stationary, on 16,384 PEs in each case."""
    gemm = Gemm(320, 3072, 4096)
    found = {}
    for side, count in ((128, 1), (64, 4), (32, 16), (16, 64)):
        array = SystolicArray(side, side, count)
        assert array.pes == 16_384
        found[side] = Folding(gemm, array, "output")
    # 3 × 24 folds on one array; 5 × 48, 10 × 96 and 20 × 192 on four, sixteen and sixty-four
    assert {side: m.rounds for side, m in found.items()} == {128: 72, 64: 60, 32: 60, 16: 60}
    assert {side: m.cycles for side, m in found.items()} == {
        128: 72 * (4096 + 254) - 1,
        64: 60 * (4096 + 126) - 1,
        32: 60 * (4096 + 62) - 1,
        16: 60 * (4096 + 30) - 1,
    }
    assert found[128].mapping_utilisation == pytest.approx(320 / 384)
    assert found[64].mapping_utilisation == 1
    edges = [m.edge_elements for m in found.values()]
    assert edges[0] == 320 * 3072 + 4096 * (320 * 24 + 3072 * 3)
    assert edges == sorted(edges)  # what small arrays cost


def test_more_arrays_than_folds_idle():
    one, many = (Folding(Gemm(100, 100, 7), SystolicArray(128, 128, count), "output") for count in (1, 4))
    assert many.cycles == one.cycles
    assert many.mapping_utilisation == one.mapping_utilisation
    assert many.compute_utilisation == one.compute_utilisation / 4


@pytest.mark.parametrize(("k", "left"), [(1, 1), (2, 2), (3, 2), (4, 2), (5, 3), (6, 4), (7, 4), (4096, 2048)])
def test_two_of_four_leaves_half_of_k(k, left):
    assert two_of_four(Gemm(3, 5, k, 7)) == Gemm(3, 5, left, 7)


@given(st.integers(1, 40), st.integers(0, 99))
def test_two_of_four_is_enough_for_every_such_column(k, seed):
    """However the non-zero values lie, two places for each four take them all."""
    generator = np.random.default_rng(seed)
    column = np.zeros(k)
    for start in range(0, k, 4):
        group = np.arange(start, min(start + 4, k))
        column[generator.permutation(group)[:2]] = 1
    assert column.sum() == two_of_four(Gemm(1, 1, k)).k


def test_where_sparsity_saves_cycles_and_where_it_does_not():
    def cycles(dataflow, *shape):
        gemm = Gemm(*shape)
        return Folding(gemm, BIG, dataflow).cycles, Folding(two_of_four(gemm), BIG, dataflow).cycles

    # K = 1024 lies along the rows in eight folds, then in four of the same length
    assert cycles("weight", 512, 128, 1024) == (8 * 894 - 1, 4 * 894 - 1)
    # K = 128 fits on the array, and so does 64
    assert cycles("weight", 512, 128, 128) == (893, 893)
    assert cycles("input", 128, 512, 128) == (893, 893)
    # K = 384 has three folds, K = 192 still two
    assert cycles("weight", 512, 128, 384) == (3 * 894 - 1, 2 * 894 - 1)
    # K in time: only the streaming halves, not the 254 cycles by which the last PE is late
    assert cycles("output", 128, 128, 1024) == (1024 + 253, 512 + 253)


def test_the_slides_table():
    assert [(row.workload, row.gemm.m, row.gemm.n, row.gemm.k) for row in IRREGULAR] == [
        ("GNMT", 128, 2048, 4096),
        ("GNMT", 320, 3072, 4096),
        ("GNMT", 1632, 36548, 1024),
        ("GNMT", 2048, 4096, 32),
        ("DeepBench", 1024, 16, 500000),
        ("DeepBench", 35, 8457, 2560),
        ("Transformer", 31999, 1024, 84),
        ("Transformer", 84, 1024, 4096),
        ("NCF", 2048, 1, 128),
        ("NCF", 256, 256, 2048),
    ]
    assert [row.application for row in IRREGULAR[::4]] == [
        "machine translation",
        "general workload",
        "collaborative filtering",
    ]


@pytest.mark.parametrize(
    ("shape", "dataflow", "held", "done"),
    [
        # 32 × 16 full folds, each 128 of 510 cycles at work
        ((128, 2048, 4096), "weight", 1, 128 / 510),
        ((128, 2048, 4096), "output", 1, 4096 / 4350),
        ((128, 2048, 4096), "input", 1, 2048 / 2430),
        # K = 32 fills a quarter of the rows, or streams so shortly that filling and emptying takes eight times as long
        ((2048, 4096, 32), "weight", 1 / 4, 2048 / 2430 / 4),
        ((2048, 4096, 32), "output", 1, 32 / 286),
        # 499,968 of K in 3,906 folds and 32 in one more; N = 16 is an eighth of the columns
        ((1024, 16, 500_000), "weight", 3906.25 / 3907 / 8, 3906.25 / 3907 / 8 * 1024 / 1406),
        ((1024, 16, 500_000), "output", 1 / 8, 500_000 / 500_254 / 8),
        # M = 35 of 128 rows; N = 8457 is 66 folds and 9 columns
        ((35, 8457, 2560), "output", 35 / 128 * (66 + 9 / 128) / 67, 35 / 128 * (66 + 9 / 128) / 67 * 2560 / 2814),
        # a matrix times a vector: one column of the array, or all PEs but for one of 383 cycles
        ((2048, 1, 128), "weight", 1 / 128, 2048 / 2430 / 128),
        ((2048, 1, 128), "output", 1 / 128, 128 / 382 / 128),
        ((2048, 1, 128), "input", 1, 1 / 383),
        ((256, 256, 2048), "output", 1, 2048 / 2302),
    ],
)
def test_utilisation_of_irregular_products_by_hand(shape, dataflow, held, done):
    table = irregular_foldings(BIG)
    [found] = [by[dataflow] for row, by in table.items() if (row.gemm.m, row.gemm.n, row.gemm.k) == shape]
    assert found.mapping_utilisation == pytest.approx(held)
    assert found.compute_utilisation == pytest.approx(done)


def test_a_dimension_smaller_than_the_array_leaves_it_idle():
    for by_dataflow in irregular_foldings(BIG).values():
        for found in by_dataflow.values():
            limit = min(1, found.spatial_rows / 128) * min(1, found.spatial_columns / 128)
            assert found.mapping_utilisation <= limit * (1 + 1e-12)
            if limit == 1:
                assert found.mapping_utilisation > 0.8


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: SystolicArray(0, 16), "rows of a systolic array is 0; it must be a whole number, 1 or more"),
        (lambda: SystolicArray(16, 2.5), "columns of a systolic array is 2.5"),
        (lambda: SystolicArray(16, 16, -1), "number of systolic arrays is -1"),
        (lambda: Folding((64, 48, 40), BIG), r"such as Gemm\(64, 48, 40\) for M, N, K, not \(64, 48, 40\)"),
        (lambda: Folding(Gemm(1, 1, 1), 128), r"such as SystolicArray\(128, 128\), not 128"),
        (lambda: Folding(Gemm(1, 1, 1), BIG, "weights"), "did you mean 'weight'"),
        (lambda: Folding(Gemm(1, 1, 1), BIG).fold(1), "fold 1 is asked for; these are the folds 0 to 0"),
        (lambda: Folding(Gemm(1, 1, 1), BIG).fold(-1), "it must be a whole number, 0 or more"),
    ],
)
def test_errors_say_what_would_be_right(make, said):
    with pytest.raises(ConfigError, match=said):
        make()


def test_folds_are_made_one_by_one():
    """So a product of millions of folds costs no more to count than one of ten."""
    found = Folding(Gemm(10**6, 10**6, 10**6), BIG, "output")
    assert found.fold_count == 7813**2
    assert next(found.folds()).first_cycle == 0
    assert found.fold(7813**2 - 1).rows == 10**6 - 7812 * 128
