"""The bars and sentences of a folding: where its cycles go, which dataflow takes the fewest, and what holds nothing."""

from __future__ import annotations

from astra_edu.base.units import several
from astra_edu.course.instruments.folds_job import all_cycles, by_dataflow, counted
from astra_edu.course.instruments.folds_said import percent
from astra_edu.course.instruments.folds_stage import DONE, IDLE, NOW, SHOWN, Limits, drawn_rounds, every
from astra_edu.course.instruments.scene import Bar, Bars, Part
from astra_edu.workload.compute.systolic import AXES, Folding


def cycle_bars(folding: Folding) -> Bars:
    """The cycles of all rounds, by what they are for, with each dataflow."""
    bars = []
    for dataflow, other in by_dataflow(folding).items():
        parts = tuple(Part(name, other.rounds * cycles) for name, cycles in other.parts.items() if cycles)
        bars.append(Bar(f"{dataflow} stationary", parts, counted(all_cycles(other))))
    return Bars("Cycles, by dataflow", tuple(bars), "all rounds")


def share_bars(folding: Folding) -> Bars:
    """What holds something, and what is done of what could be."""
    held, done = folding.mapping_utilisation, folding.compute_utilisation
    bars = (
        Bar("PEs holding something", (Part(NOW, 100 * held), Part(IDLE, 100 * (1 - held))), percent(held)),
        Bar("MACs done", (Part(DONE, 100 * done), Part("not done", 100 * (1 - done))), percent(done)),
    )
    return Bars("Share of the PEs, and of the MACs possible in all cycles", bars, "%")


def sentences(folding: Folding, limits: Limits = SHOWN) -> tuple[str, ...]:
    """How many folds there are, how long each is, which of them leave PEs idle, and what isn't drawn."""
    found = [_folds(folding), _cycles(folding), _edges(folding)]
    if (one := every(folding, limits)) > 1:
        drawn = len(drawn_rounds(folding, limits))
        found.append(f"One round in {counted(one)} is drawn, and the last: {drawn} of {counted(folding.rounds)}.")
    return tuple(found)


def _folds(folding: Folding) -> str:
    along, across, _ = AXES[folding.dataflow]
    array, (down, wide) = folding.array, folding.grid
    rows = f"⌈{counted(folding.spatial_rows)} / {counted(array.rows)}⌉"
    columns = f"⌈{counted(folding.spatial_columns)} / {counted(array.columns)}⌉"
    folds = f"⌈{along} / R⌉ × ⌈{across} / C⌉ = {rows} × {columns} = {counted(down)} × {counted(wide)}"
    if folding.gemm.count > 1:
        folds += f" folds of each of {counted(folding.gemm.count)} products, {counted(folding.fold_count)} in all"
    else:
        folds += f" = {several(folding.fold_count, 'fold')}"
    if array.count > 1:
        folds += f", of which {array.count} arrays take one each in a round: {several(folding.rounds, 'round')}"
    return f"{folds}."


def _cycles(folding: Folding) -> str:
    parts = " + ".join(f"{name} {counted(cycles)}" for name, cycles in folding.parts.items())
    rounds = several(folding.rounds, "fold" if folding.array.count == 1 else "round")
    return (
        f"A fold takes {parts} = {counted(folding.fold_cycles)} cycles, however few PEs it needs; {rounds} "
        f"{'take' if folding.rounds > 1 else 'takes'} {counted(all_cycles(folding))}. The number that SCALE-Sim "
        f"reports is one less, {counted(folding.cycles)}: it is the last cycle’s, and they count from 0."
    )


def _edges(folding: Folding) -> str:
    array, sizes = folding.array, folding.sizes()
    full = sizes.pop((array.rows, array.columns), 0)
    if not sizes:
        return f"Every fold fills its {counted(array.rows)} × {counted(array.columns)} PEs."
    edges = ", ".join(f"{counted(many)} of {counted(r)} × {counted(c)}" for (r, c), many in sizes.items())
    some = f"{counted(full)} fold{'s fill their' if full > 1 else ' fills its'}" if full else "No fold fills its"
    return (
        f"{some} {counted(array.rows)} × {counted(array.columns)} PEs; at the edges of the plane {edges} "
        f"leave the others idle."
    )


def why_held(folding: Folding) -> str:
    """How the share of PEs that hold something comes about."""
    along, across, _ = AXES[folding.dataflow]
    array, (down, wide) = folding.array, folding.grid
    rows, columns = folding.spatial_rows, folding.spatial_columns
    return (
        f"{along} takes {counted(rows)} of {counted(down)} × {counted(array.rows)} rows and {across} "
        f"{counted(columns)} of {counted(wide)} × {counted(array.columns)} columns: "
        f"{percent(rows / (down * array.rows))} × {percent(columns / (wide * array.columns))} = "
        f"{percent(folding.mapping_utilisation)}."
    )


def why_done(folding: Folding) -> str:
    """How the share of MACs that are done comes about."""
    _, _, in_time = AXES[folding.dataflow]
    part = (
        f"{in_time} streams in {counted(folding.temporal)} of a fold’s {counted(folding.fold_cycles)} cycles, and "
        f"{percent(folding.mapping_utilisation)} of the PEs hold something"
    )
    places = folding.rounds * folding.array.count
    if places > folding.fold_count:
        part += f", on {counted(folding.fold_count)} of {counted(places)} places in the rounds"
    return f"{part}: that leaves {percent(folding.compute_utilisation)}."


def why_fewest(folding: Folding) -> str:
    """The cycles with each dataflow."""
    said = (
        f"{dataflow} {counted(other.rounds)} × {counted(other.fold_cycles)} = {counted(all_cycles(other))}"
        for dataflow, other in by_dataflow(folding).items()
    )
    return f"Rounds × cycles of a fold: {'; '.join(said)}."


def others(folding: Folding) -> dict[str, str]:
    """Why dataflows that aren't the best aren't: without loading where that isn't enough, or with too many rounds."""
    found = {}
    fewest = min(by_dataflow(folding).values(), key=all_cycles)
    for dataflow, other in by_dataflow(folding).items():
        if all_cycles(other) > all_cycles(fewest):
            more = "more rounds" if other.rounds > fewest.rounds else "longer folds"
            no_load = "Without loading, but with" if dataflow == "output" else "It has"
            found[dataflow] = f"{no_load} {more}."
    return found
