"""Play the four designs and store the rows: `python -m astra_edu.course.studies.flat_or_hierarchical`.

By ns-3, where it is installed, with one seed; by ae.Packets with five. Buffers (in KiB) may be given; the rows that are
stored for them are replaced, the others stay.
"""

from __future__ import annotations

import sys
from dataclasses import replace

from astra_edu.base.units import KIB
from astra_edu.course.studies.flat_or_hierarchical.designs import DESIGNS
from astra_edu.course.studies.flat_or_hierarchical.play import BUFFERS, Row, play
from astra_edu.course.studies.flat_or_hierarchical.stored import NS3, OURS, OURS_NAME, rows, store
from astra_edu.network.ns3.installed import missing

SEEDS = (1, 2, 3, 4, 5)


def main(words: list[str]) -> None:
    """words: buffers in KiB; all without."""
    found = {_key(row): row for row in rows()}
    sizes = [int(word) * KIB for word in words] or BUFFERS
    for row in play(OURS_NAME, lambda size: replace(OURS, buffer=size), sizes, seeds=SEEDS, say=print):
        found[_key(row)] = row
    store(sorted(found.values(), key=_key))
    if why := missing():
        print(why)
        return
    for size in sizes:
        for design in DESIGNS:
            for row in play(NS3.transport, lambda size: replace(NS3, buffer=size), [size], designs=[design], say=print):
                found[_key(row)] = row
            store(sorted(found.values(), key=_key))


def _key(row: Row) -> tuple[object, ...]:
    order = [design.name for design in DESIGNS].index(row.design)
    return row.network, row.late_us, row.seed, row.buffer_bytes, order


main(sys.argv[1:])
