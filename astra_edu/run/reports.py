"""The six CSV files that ASTRA-sim 1.0 leaves behind: the same names, and the same cells in the same places.

Its congestion-aware program leaves four of them; it measures no bytes. Times are in µs and sizes in MiB ("MB" in the
headers), with six decimals. Several runs share the files: run number 0 begins them, each later one fills in its own
rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from os import PathLike
from pathlib import Path
from typing import NamedTuple

from astra_edu.base.errors import ConfigError, instance_of, whole
from astra_edu.base.files import ready_folder, write_bytes
from astra_edu.base.intervals import common_stretches, stretches_of_shares
from astra_edu.base.locked import locked
from astra_edu.base.units import MIB, format_ns
from astra_edu.run.report_csv import Report
from astra_edu.run.result import Result
from astra_edu.system.queues import Issued, Stay

PERIOD_NS = 10_000
"""How long the periods of the dimension utilisation are."""

MOST_ROWS = 1_000_000
"""Of a file, for all runs together."""
MOST_PERIODS = 10_000_000

_PERIOD_US = PERIOD_NS // 1000
_BLOCK = 1000
"""Of periods: as many lines differ only in the digits in front of their last three and the 0 of ten µs."""
_NAMED_DIMENSIONS = 7
_DIMENSION_ROWS = 10


class ReportRow(NamedTuple):
    """One run's place in the files: its name, its row among `rows` runs (from 0), the folder, and what it brought."""

    result: Result
    folder: Path
    name: str
    row: int
    rows: int


def write_reports(
    result: Result, folder: str | PathLike[str] = ".", name: str = "unnamed run", row: int = 0, rows: int = 1
) -> list[Path]:
    """Write tutorial_result.csv and its companions into `folder`, which is made if need be; return their paths.

    name: the run's, in every file. row: which of the `rows` runs it is, from 0; run 0 overwrites files of that name,
    the others add to them. Raises ConfigError for a row that isn't there, a name that can't be part of a file's name,
    and files that can't be read or written.
    """
    rows = whole("total-stat-rows", rows, at_least=1)
    row = whole("stat-row", row, at_least=0)
    if row >= rows:
        raise ConfigError(f"stat-row is {row}; of total-stat-rows = {rows} the last one is {rows - 1}.")
    each = max(_DIMENSION_ROWS, len(result.running))
    if rows * each > MOST_ROWS:
        raise ConfigError(
            f"total-stat-rows is {rows:,}; with {each} rows for each run {MOST_ROWS // each:,} is the most."
        )
    _check_name(name)
    run = ReportRow(result, ready_folder(folder, "a folder for the reports"), name, row, rows)
    with locked(run.folder):
        of_the_network = () if result.platform.congestion_aware else (_backend, _dimensions)
        return [report(run) for report in (_tutorial, _end_to_end, _detailed, *of_the_network, _utilisation)]


def _check_name(name: str) -> None:
    text = instance_of("run-name", name, str, "it must be a text")
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        raise ConfigError(
            f"run-name is {text!r}: the console's encoding can't hold its letters. Set PYTHONUTF8=1, or a locale such "
            "as C.UTF-8, or take plain letters."
        )
    if not text or not text.isprintable() or "/" in text or "\\" in text:
        raise ConfigError(f"run-name is {text!r}; it becomes part of a file's name, so no / or \\ can be in it.")


def _table(run: ReportRow, file: str, height: int, width: int, own: Iterable[int]) -> Report:
    """A new file for run 0; for later ones the file that is there, with their `own` rows emptied."""
    return Report(run.folder / file, height, width, own if run.row else None)


def _tutorial(run: ReportRow) -> Path:
    table = _table(run, "tutorial_result.csv", run.rows + 1, 5, [run.row + 1])
    headers = ("Name", "TotalTime(us)", "ComputeTime(us)", "ExposedCommunicationTime(us)", "TotalMessageSize(MB)")
    congestion_aware = run.result.platform.congestion_aware
    if table.fresh or congestion_aware:  # whose program writes them for every run, in front of what is there
        table.put(0, 0, *headers)
    sent = "(not measured)" if congestion_aware else _mib(run.result.message_bytes)
    table.put(run.row + 1, 0, run.name, *_times(run.result), sent)
    return table.save()


def _backend(run: ReportRow) -> Path:
    result = run.result
    table = _table(run, "backend_end_to_end.csv", run.rows + 1, 8 + _NAMED_DIMENSIONS, [run.row + 1])
    if table.fresh:
        names = ("RunName", "CommsTime", "ComputeTime", "ExposedCommsTime", "Cost", "TotalPayloadSize")
        dims = [f"PayloadSize_Dim{d}" for d in range(_NAMED_DIMENSIONS)]
        table.put(0, 0, *names, "DPCommsTime", "MPCommsTime", *dims)
    data_parallel = result.running[0].weight_gradient.exposed_ns / 1000
    model_parallel = result.total_ns / 1000 - _compute_us(result) - data_parallel
    sent = [_mib(size) for size in result.message_bytes_per_dimension]
    sent += ["-1"] * (_NAMED_DIMENSIONS - len(sent))
    cost = f"{result.network_cost:.6f}"
    table.put(run.row + 1, 0, run.name, *_times(result), cost, _mib(result.message_bytes))
    table.put(run.row + 1, 6, f"{data_parallel:.6f}", f"{model_parallel:.6f}", *sent)
    return table.save()


def _dimensions(run: ReportRow) -> Path:
    first = run.row * _DIMENSION_ROWS + 1
    own = range(first, first + _DIMENSION_ROWS)
    table = _table(run, "backend_dim_info.csv", run.rows * _DIMENSION_ROWS + 1, 3, own)
    if table.fresh:
        table.put(0, 0, "RunName", "DimensionIndex", "AverageChunkLatency")
    for d in range(len(run.result.logical)):
        table.put(first + d, 0, run.name, str(d), _us(run.result.chunk_latency_ns(d)))
    return table.save()


def _end_to_end(run: ReportRow) -> Path:
    result = run.result
    table = _layers_table(run, "EndToEnd.csv")
    if table.fresh:
        kinds = [f"{kind} {what}" for what in ("compute", "exposed comm", "total comm") for kind in ("fwd", "wg", "ig")]
        table.put(0, 2, *kinds, "workload finished at", "total comp", "total exposed comm")
    for layer in result.running:
        tasks = (layer.forward, layer.weight_gradient, layer.input_gradient)
        times = [task.computed_ns for task in tasks], [t.exposed_ns for t in tasks], [t.communication_ns for t in tasks]
        cells = [_us(ns) for kind in times for ns in kind]
        table.put(layer.index * run.rows + 1 + run.row, 2, *cells, _us(result.total_ns))
    table.put(1 + run.row, 12, *_times(result)[1:])
    return table.save()


def _detailed(run: ReportRow) -> Path:
    result = run.result
    table = _layers_table(run, "detailed.csv")
    collectives = _collectives(result)
    end = 2
    for layer in result.running:
        queued, messages = _delays(collectives.get(layer.index, ()))
        if table.fresh and layer.index == 0:
            waits = [f"queuing delay phase {phase}" for phase in range(len(queued))]
            table.put(0, 2, *waits, *(f"network delay phase {phase}" for phase in range(1, len(messages) + 1)))
        table.put(layer.index * run.rows + 1 + run.row, 2, *map(_us, [*queued, *messages]))
        end = 2 + len(queued) + len(messages)
    dims = range(len(result.logical))
    if table.fresh:
        table.put(0, end, *(f"avg chunk delay dimension {d + 1}" for d in dims))
    table.put(1 + run.row, end, *(_us(result.chunk_latency_ns(d)) for d in dims))
    return table.save()


def _layers_table(run: ReportRow, file: str) -> Report:
    """A table with a block of rows for each layer, in it a row for each run, the names already there."""
    layers = run.result.running
    own = [layer.index * run.rows + 1 + run.row for layer in layers]
    table = _table(run, file, len(layers) * run.rows + 20, 50, own)
    for layer in layers:
        if table.fresh:
            table.put(layer.index * run.rows + 1, 0, layer.name)
        table.put(layer.index * run.rows + 1 + run.row, 1, run.name)
    return table


def _utilisation(run: ReportRow) -> Path:
    """How much of each period a dimension has a chunk, waiting or running, in percent."""
    result = run.result
    count = int(result.total_ns) // PERIOD_NS
    if count > MOST_PERIODS:
        raise ConfigError(
            f"the run takes {format_ns(result.total_ns)}; of its utilisation, a row every {PERIOD_NS // 1000} µs, "
            f"{MOST_PERIODS:,} rows are the most. Scale it down (compute-scale, comm-scale)."
        )
    dims = range(len(result.logical))
    busy = [[(s.queued_ns, s.end_ns) for s in result.stays if s.phase.dimension == d] for d in dims]
    shares = [stretches_of_shares(intervals, PERIOD_NS, count) for intervals in busy]
    lines = [",".join((" time (us) ", *(f"dim{d + 1} util" for d in dims), "")), "\n"]
    for begin, end, alike in common_stretches(shares):  # as text at once: there may be millions of lines
        cells = ".000000" + "".join(f",{share * 100:.6f}" for share in alike) + ",\n"
        lines += _lines(begin + 1, end + 1, cells)
    path = run.folder / f"{run.name}_dimension_utilization.csv"
    return write_bytes(path, (line.encode() for line in [*lines, "," * len(dims), "\n"]))


def _lines(begin: int, end: int, cells: str) -> Iterator[str]:
    """The lines of the periods from begin to end, which have the same cells: each begins with its number, as µs."""
    first, last = -(-begin // _BLOCK), end // _BLOCK
    if first < last:  # whole blocks, of which only the digits in front differ
        block = "".join(f"\0{ending:03}0{cells}" for ending in range(_BLOCK))
        yield from _lines(begin, first * _BLOCK, cells)
        for k in range(first, last):
            yield block.replace("\0", str(k))
        begin = last * _BLOCK
    if begin < end:
        yield cells.join(map(str, range(begin * _PERIOD_US, end * _PERIOD_US, _PERIOD_US))) + cells


def _collectives(result: Result) -> dict[int, list[list[list[Stay]]]]:
    """For each layer (by its number) its collectives, in the order of their first stays: the stays of each chunk."""
    layers = {id(task): layer.index for layer in result.running for task in layer.tasks}
    found: dict[Issued, dict[int, list[Stay]]] = {}
    for stay in result.stays:
        found.setdefault(stay.issued, {}).setdefault(stay.chunk, []).append(stay)
    of_layers: dict[int, list[list[list[Stay]]]] = {}
    for issued, chunks in found.items():
        of_layers.setdefault(layers[id(issued.what)], []).append(list(chunks.values()))
    return of_layers


def _delays(own: Sequence[list[list[Stay]]]) -> tuple[Sequence[float], Sequence[float]]:
    """(ns in the queue before each phase, ns of a message in each phase): means over a layer's collectives.

    A collective's are means over its chunks. Before its first queue a chunk waits 0 ns for being queued at all.
    """
    queued = [_means([[0, *(s.start_ns - s.queued_ns for s in stays)] for stays in chunks]) for chunks in own]
    messages = [_means([[s.phase.duration.message_ns for s in stays] for stays in chunks]) for chunks in own]
    return _means(queued), _means(messages)


def _means(rows: Sequence[Sequence[float]]) -> list[float]:
    """The mean of every column; where a row is shorter, it counts as 0."""
    return [sum(column) / len(rows) for column in zip_longest(*rows, fillvalue=0)]


def _times(result: Result) -> tuple[str, str, str]:
    """Total, compute and exposed time."""
    compute = _compute_us(result)
    return _us(result.total_ns), f"{compute:.6f}", f"{result.total_ns / 1000 - compute:.6f}"


def _compute_us(result: Result) -> float:
    """The compute time, added up as ASTRA-sim does: the last of six decimals may depend on the order."""
    total = 0.0
    for layer in result.running:
        for task in (layer.forward, layer.weight_gradient, layer.input_gradient):
            total += task.computed_ns / 1000
    return total


def _us(ns: float) -> str:
    """µs; "-nan", as C++ prints it, for the mean of nothing."""
    return f"{ns / 1000:.6f}" if ns == ns else "-nan"


def _mib(size: int) -> str:
    return f"{size / MIB:.6f}"
