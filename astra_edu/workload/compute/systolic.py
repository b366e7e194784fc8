"""A systolic array: how a matrix product is cut into folds that fit on it, and how many cycles they take.

An array of R × C processing elements (PEs), each with one multiplier-accumulator (MAC), works on one fold at a time.
Two of the product's three dimensions lie across the array, one along its rows and one along its columns; the third
one passes by in time. Which is which is the dataflow, named after what stays in the PEs:

    dataflow   along the rows   along the columns   in time
    weight     K                N                   M
    output     M                N                   K
    input      K                M                   N

Cycles are those that SCALE-Sim 3.0.0 reports as compute cycles (Samajdar et al., "A Systematic Methodology for
Characterizing Scalability of DNN Accelerators using SCALE-Sim", ISPASS 2020). The paper's formula has 2R for the
output-stationary dataflow as well, for it counts the R cycles in which the outputs leave the array; the program
doesn't, and neither do we. No fold begins before the one before is over, and memory is never what is waited for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from astra_edu.base.errors import ConfigError, choice, shown, whole
from astra_edu.workload.compute.gemm import Gemm

AXES = {"weight": ("K", "N", "M"), "output": ("M", "N", "K"), "input": ("K", "M", "N")}
"""What lies along the rows, along the columns and in time, by dataflow."""

DATAFLOWS = tuple(AXES)


@dataclass(frozen=True)
class SystolicArray:
    """`count` arrays of `rows` × `columns` PEs, which share out the folds of a product.

    >>> ae.SystolicArray(128, 128).pes, ae.SystolicArray(32, 32, count=16).pes
    (16384, 16384)
    """

    rows: int
    columns: int
    count: int = 1

    def __post_init__(self) -> None:
        for name in ("rows", "columns", "count"):
            what = "number of systolic arrays" if name == "count" else f"{name} of a systolic array"
            object.__setattr__(self, name, whole(what, getattr(self, name), at_least=1))

    @property
    def pes(self) -> int:
        """PEs in all the arrays."""
        return self.rows * self.columns * self.count

    def __str__(self) -> str:
        times = f"{self.count:,} × " if self.count > 1 else ""
        return f"{times}{self.rows:,} × {self.columns:,} PEs"


class Fold(NamedTuple):
    """The part of a product that is on an array at one time: rows × columns of its plane, from (row, column) on.

    product: which of the GEMM's `count` products, from 0. array: which array has it, from 0. It takes the `cycles`
    cycles from first_cycle on; cycles count from 0.

    >>> folding = ae.Folding(ae.Gemm(300, 300, 300), ae.SystolicArray(128, 128))
    >>> last = folding.fold(folding.fold_count - 1)
    >>> last.rows, last.columns, last.first_cycle
    (44, 44, 5456)
    """

    product: int
    array: int
    row: int
    rows: int
    column: int
    columns: int
    first_cycle: int
    cycles: int

    @property
    def pes(self) -> int:
        """PEs that hold something; the others of its array idle."""
        return self.rows * self.columns


@dataclass(frozen=True)
class Folding:
    """A matrix product folded onto systolic arrays. dataflow: "weight", "output" or "input", what stays in the PEs.

    Folds are numbered down the first columns of the plane, then down the next ones, product after product. Several
    arrays take whole folds in turn: fold i is on array i modulo their number. So up to `count` folds run in one round
    of `fold_cycles`, and adding up partial sums of different arrays costs nothing. Raises ConfigError for what is no
    product, array or dataflow.

    >>> product, array = ae.Gemm(300, 300, 300), ae.SystolicArray(128, 128)
    >>> weight, output = (ae.Folding(product, array, dataflow) for dataflow in ("weight", "output"))
    >>> weight.fold_count, weight.cycles
    (9, 6137)
    >>> output.fold_count, output.cycles
    (9, 4985)
    """

    gemm: Gemm
    array: SystolicArray
    dataflow: str = "weight"

    def __post_init__(self) -> None:
        if not isinstance(self.gemm, Gemm):
            raise ConfigError(
                f"a folding needs a product such as Gemm(64, 48, 40) for M, N, K, not {shown(self.gemm)}."
            )
        if not isinstance(self.array, SystolicArray):
            raise ConfigError(f"a folding needs an array such as SystolicArray(128, 128), not {shown(self.array)}.")
        choice("dataflow", self.dataflow, DATAFLOWS)

    @property
    def spatial_rows(self) -> int:
        """The product's dimension along the rows of the array, S_R in SCALE-Sim."""
        return self._size(0)

    @property
    def spatial_columns(self) -> int:
        """The dimension along the columns, S_C."""
        return self._size(1)

    @property
    def temporal(self) -> int:
        """The dimension in time, T."""
        return self._size(2)

    @property
    def grid(self) -> tuple[int, int]:
        """Folds along the rows and along the columns of one product's plane."""
        return -(-self.spatial_rows // self.array.rows), -(-self.spatial_columns // self.array.columns)

    @property
    def fold_count(self) -> int:
        """Folds of all products."""
        down, across = self.grid
        return down * across * self.gemm.count

    @property
    def rounds(self) -> int:
        """Folds that the busiest array has one after the other."""
        return -(-self.fold_count // self.array.count)

    @property
    def parts(self) -> dict[str, int]:
        """The cycles of a fold by what they are for. All folds take the same, however few PEs they need.

        load: to put what is stationary into the PEs, a row a cycle. stream: the other operand passes by. skew: the
        last PE begins and ends so much later than the first.
        """
        load = {} if self.dataflow == "output" else {"load": self.array.rows}
        return load | {"stream": self.temporal, "skew": self.array.rows + self.array.columns - 2}

    @property
    def fold_cycles(self) -> int:
        """Cycles of one fold: 2R + C + T − 2, or R + C + T − 2 with outputs stationary."""
        return sum(self.parts.values())

    @property
    def cycles(self) -> int:
        """Cycles until the busiest array is through, as SCALE-Sim reports them: the last one's number, from 0."""
        return self.rounds * self.fold_cycles - 1

    @property
    def macs(self) -> int:
        """Multiplications, each with its addition, of all products."""
        return self.gemm.flops // 2

    @property
    def mapping_utilisation(self) -> float:
        """Share of an array's PEs that hold something, as a mean over the folds."""
        held = self.spatial_rows * self.spatial_columns * self.gemm.count
        return held / (self.fold_count * self.array.rows * self.array.columns)

    @property
    def compute_utilisation(self) -> float:
        """Share of the MACs that all PEs could do in the time (which has one cycle more than the last one's number)."""
        return self.macs / (self.rounds * self.fold_cycles * self.array.pes)

    @property
    def edge_elements(self) -> int:
        """Elements that go into or out of the arrays, over all folds: what memory has to keep up with."""
        down, across = self.grid
        rows, columns = self.spatial_rows, self.spatial_columns
        return self.gemm.count * (rows * columns + self.temporal * (rows * across + columns * down))

    def fold(self, number: int) -> Fold:
        """Fold `number`, counted from 0. Raises ConfigError where there is none."""
        if whole("a fold's number", number, at_least=0) >= self.fold_count:
            raise ConfigError(f"fold {number:,} is asked for; these are the folds 0 to {self.fold_count - 1:,}.")
        down, across = self.grid
        product, place = divmod(number, down * across)
        column, row = divmod(place, down)
        row, column = row * self.array.rows, column * self.array.columns
        rows = min(self.array.rows, self.spatial_rows - row)
        columns = min(self.array.columns, self.spatial_columns - column)
        turn, array = divmod(number, self.array.count)
        return Fold(product, array, row, rows, column, columns, turn * self.fold_cycles, self.fold_cycles)

    def folds(self) -> Iterator[Fold]:
        """All folds in their order, made one by one: there may be millions."""
        return map(self.fold, range(self.fold_count))

    def sizes(self) -> Counter[tuple[int, int]]:
        """How many folds take rows × columns PEs, by (rows, columns): at the plane's edges they are smaller."""
        down, across = self.grid
        first, last = self.fold(0), self.fold(down * across - 1)
        rows = Counter({first.rows: down - 1}) + Counter([last.rows])
        columns = Counter({first.columns: across - 1}) + Counter([last.columns])
        alike = {(r, c): rows[r] * columns[c] * self.gemm.count for r in rows for c in columns}
        return Counter(alike)

    def __str__(self) -> str:
        several = "folds" if self.fold_count > 1 else "fold"
        return (
            f"{self.gemm} on {self.array}, {self.dataflow} stationary: {self.fold_count:,} {several} of "
            f"{self.fold_cycles:,} cycles, {self.cycles:,} cycles in all; {self.mapping_utilisation:.1%} of the PEs "
            f"hold something, {self.compute_utilisation:.1%} of the possible MACs are done"
        )

    def _size(self, axis: int) -> int:
        size: int = getattr(self.gemm, AXES[self.dataflow][axis].lower())
        return size
