"""Latency and bandwidth of kinds of links, fitted to measured collectives, and how far off such a line is elsewhere.

A line for each kind of link, number of NPUs and range of sizes: up to 1 MiB and above, as NCCL takes other protocols
there. It is fitted to every other size and judged on those between them; what ships is fitted to all. Not measured,
and so not here: PCIe, TPUs' links (ICI), AMD's and Gaudi's, InfiniBand. Where it isn't said whether it was a ring, it
counts as one.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from astra_edu.base.errors import ConfigError, choice
from astra_edu.base.files import path_of
from astra_edu.measured.cells import empty, number, read_table, records, text, whole
from astra_edu.measured.link_lines import SMALL, Group, LinkClass, lines_of, of_one, too_few, with_steps
from astra_edu.measured.tables import Point, sweep, table

if TYPE_CHECKING:
    from pandas import DataFrame

FILE = Path(__file__).with_name("links.csv")
NODE = 8
"""NPUs of a computer, where a file doesn't say."""
COLLECTIVES = {"allreduce": "all-reduce", "allgather": "all-gather", "reducescatter": "reduce-scatter"}
LINKS = {r"v100": "NVLink 2", r"a100": "NVLink 3", r"h[12]00": "NVLink 4", r"b200": "NVLink 5"}
"""What connects the NPUs of a computer, by how a file names the hardware; the first that fits."""
NEEDED = ("source", "hardware", "collective", "gpus")
SWEPT = (
    ("NVLink 2", "ring", ("hpe-v100-2", "hpe-v100-4", "hpe-v100-8")),
    ("NVLink 3", "not said", ("a100-8",)),
    ("NVLink 4", "ring", ("hgx-h100-2", "hgx-h100-4", "hgx-h100-8")),
    ("Oracle's RDMA", "trees", ("a100-16",)),
    ("Google's a3-mega", "trees", ("h100-16",)),
)
"""Sweeps that ship. Of two machines the bus bandwidth is more than the cards have, which no ring reaches."""
FORMER = {"H200": "NVLink 4", "B200": "NVLink 5"}


def link_classes() -> DataFrame:
    """The lines that ship, one a row, with the columns of LinkClass; `python -m astra_edu.measured links` made them.

    >>> from astra_edu import measured
    >>> found = measured.link_classes().query("link == 'NVLink 4' and algorithm == 'ring' and points > 1")
    >>> found.npus.tolist(), found.latency_us.round().tolist(), found.bandwidth_gb_s.round().tolist()
    ([2, 4, 8], [46.0, 85.0, 103.0], [370.0, 377.0, 380.0])
    """
    import pandas as pd

    return pd.read_csv(FILE)


def fit_links(path: str | Path, say: Callable[[str], None] = print) -> list[LinkClass]:
    """Fit the lines to a CSV file and to the sweeps that ship.

    Columns: source, hardware, collective, gpus; bytes and time_us, or busbw_GBps; link, algorithm,
    gpus_per_node where they are known.
    Sources that ship are taken from their tables. say: is told each line, and each range of sizes that has too few
    (three) for one. Raises ConfigError for a file without those columns, and for cells
    that can't be read.

    >>> from pathlib import Path
    >>> _ = Path("mine.csv").write_text("source,hardware,collective,gpus,busbw_GBps\\nmine,ours,all-reduce,8,170\\n")
    >>> [f"{each.bandwidth_gb_s:g}" for each in ae.measured.fit_links("mine.csv", say=list) if each.source == "mine"]
    ['170']
    """
    path = path_of(path)
    rows = read_table(path, "measured collectives")
    if missing := [name for name in NEEDED if name not in rows.columns]:
        raise ConfigError(f"{path} has no column {', '.join(missing)}; measured collectives need {', '.join(NEEDED)}.")
    found = with_steps(sorted((*_swept(), *_switched(), *_of_rows(records(rows), say)), key=_order))
    for each in found:
        held = (
            "" if each.held_out_mean is None else f", {each.held_out_mean:.1%} off, {each.held_out_worst:.1%} at most"
        )
        latency = "" if each.latency_us is None else f"{each.latency_us:.1f} µs, "
        rate = "no bandwidth" if each.bandwidth_gb_s is None else f"{each.bandwidth_gb_s:.1f} × 10⁹ bytes/s"
        say(f"{each.link}, {each.algorithm}, {each.npus} NPUs: {latency}{rate}{held}")
    return found


def store(found: Sequence[LinkClass]) -> None:
    """Write them to the file that ships."""
    with FILE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(LinkClass._fields)
        writer.writerows(["" if cell is None else cell for cell in each] for each in found)


def _swept() -> Iterator[LinkClass]:
    for link, algorithm, names in SWEPT:
        for name in names:
            one = sweep(name)
            group = Group(link, algorithm, "all-reduce", one.npus, one.nodes, one.source)
            yield from lines_of(group, one.points)
    in_all = sweep("h200-8")
    small, large = ([p for p in in_all.points if (p.size <= SMALL) == first] for first in (True, False))
    yield from lines_of(Group("NVLink 4", "ring (LL)", "all-reduce", 8, 1, in_all.source), small)
    yield from lines_of(Group("NVLink 4", "in the switch", "all-reduce", 8, 1, in_all.source), large)


def _switched() -> Iterator[LinkClass]:
    """What was measured at one size, so large that no latency counts."""
    found = table("in_switch")
    for row in found.rows:
        npus, size, on, off = int(row["gpus"]), int(row["bytes"]), *list(row.values())[3:]
        group = Group(FORMER[row["system"]], "ring", "all-reduce", npus, 1, found.source)
        yield of_one(group, float(off), size)
        if float(on) > 1.05 * float(off):
            yield of_one(group._replace(algorithm="in the switch"), float(on), size)
    across = table("ring_and_tree")
    for row in across.rows:
        if row["algorithm"] == "ring" and not row["system"].startswith("GB200"):
            wire = "RoCE, 200 Gb/s" if "RoCE" in row["system"] else "EFA"
            group = Group(wire, "ring", "all-reduce", int(row["gpus"]), int(row["nodes"]), row["source"])
            yield of_one(group, float(row["busbw (10^9 bytes/s)"]), int(row["bytes"]) if row["bytes"] else None)


def _of_rows(rows: Sequence[Mapping[str, Any]], say: Callable[[str], None]) -> Iterator[LinkClass]:
    shipped = {_owner(sweep(name).source) for _, _, names in SWEPT for name in names} | {_owner(sweep("h200-8").source)}
    timed: dict[Group, dict[int, list[float]]] = {}
    for row in rows:
        group = _group(row)
        if _owner(group.source) in shipped:
            continue
        if (size := number(row, "bytes")) and (us := number(row, "time_us")):
            timed.setdefault(group, {}).setdefault(int(size), []).append(us)
        elif busbw := number(row, "busbw_GBps"):
            yield of_one(group, busbw, int(size) if size else None)
        else:
            raise ConfigError(f"a row of {group.source} has neither bytes and time_us nor busbw_GBps.")
    for group, sizes in timed.items():
        points = [Point(size, sum(us) / len(us)) for size, us in sorted(sizes.items())]
        for sentence in too_few(group, points):
            say(sentence)
        yield from lines_of(group, points)


def _group(row: Mapping[str, Any]) -> Group:
    named = re.sub(r"[^a-z]", "", text(row, "collective"))
    collective = COLLECTIVES[choice("collective", named, COLLECTIVES)]
    for name in ("source", "hardware"):
        if empty(row.get(name)):
            raise ConfigError(f"{name} isn't given.")
    npus, hardware = whole(row, "gpus"), str(row["hardware"])
    nodes = -(-npus // whole(row, "gpus_per_node", NODE))
    link = next((name for pattern, name in LINKS.items() if re.search(pattern, hardware.lower())), hardware)
    if nodes > 1:
        link = f"network of {hardware}"
    given, how = row.get("link"), row.get("algorithm")
    source = re.sub(r"/AR_GPU\d+\w*", "", str(row["source"]))  # vTrain has a file for each number of NPUs
    link, how = link if empty(given) else str(given), "not said" if empty(how) else str(how)
    return Group(link, how, collective, npus, nodes, source)


def _order(each: LinkClass) -> tuple[str, str, str, str, int, int]:
    return each.link, each.algorithm, each.source, each.collective, each.npus, each.smallest or 0


def _owner(source: str) -> str:
    return re.split(r"[@:, ]", source)[0]
