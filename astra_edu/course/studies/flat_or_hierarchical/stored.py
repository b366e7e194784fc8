"""What was simulated of the designs: results.csv, by `python -m astra_edu.course.studies.flat_or_hierarchical`."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import fields
from pathlib import Path

from astra_edu.course.studies.flat_or_hierarchical.play import Row
from astra_edu.network import Ns3
from astra_edu.network.drops import Packets

FILE = Path(__file__).with_name("results.csv")
NS3 = Ns3("TcpNewReno", segment=8948, min_rto_ns=1_000_000)
"""ns-3's settings but for the buffer: packets of 9,000 bytes, and 1 ms at least until a lost one is sent again."""
OURS = Packets(
    mtu=9000,
    headers=52,
    framing=2,
    window="4 MiB",
    first_rto_ns=1_000_000,
    min_rto_ns=1_000_000,
    timestamp_ns=1_000_000,
    handshake=True,
    whole_ns=True,
)
"""The same of our own packets."""
OURS_NAME = "ae.Packets"


def rows(network: str | None = None) -> tuple[Row, ...]:
    """The stored rows, by the network's name, the seed and the buffer; of all networks, or of one.

    >>> from astra_edu.course.studies.flat_or_hierarchical import rows
    >>> sorted({row.network for row in rows()})
    ['TcpNewReno', 'ae.Packets']
    >>> len(rows("TcpNewReno"))
    24
    """
    if not FILE.exists():
        return ()
    with FILE.open(encoding="utf-8", newline="") as file:
        found = [_row(line) for line in csv.DictReader(file)]
    return tuple(row for row in found if network in (None, row.network))


def _row(line: dict[str, str]) -> Row:
    texts = ("network", "design")
    numbers = [int(line[field.name]) for field in fields(Row) if field.name not in texts]
    return Row(line["network"], line["design"], *numbers)


def store(found: Iterable[Row]) -> None:
    """Write them."""
    with FILE.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, [field.name for field in fields(Row)], lineterminator="\n")
        table.writeheader()
        table.writerows(row.cells() for row in found)
