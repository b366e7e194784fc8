"""Play the four designs by ns-3 and store the rows: `python -m astra_edu.course.studies.flat_or_hierarchical`.

Buffers (in KiB) may be given; the rows that are stored for them are replaced, the others stay.
"""

from __future__ import annotations

import sys
from dataclasses import replace

from astra_edu.base.units import KIB
from astra_edu.course.studies.flat_or_hierarchical.designs import DESIGNS
from astra_edu.course.studies.flat_or_hierarchical.play import BUFFERS, Row, play
from astra_edu.course.studies.flat_or_hierarchical.stored import NS3, rows, store


def main(words: list[str]) -> None:
    """words: buffers in KiB; all without."""
    found = {_key(row): row for row in rows()}
    for size in [int(word) * KIB for word in words] or BUFFERS:
        for design in DESIGNS:
            for row in play(NS3.transport, lambda size: replace(NS3, buffer=size), [size], designs=[design], say=print):
                found[_key(row)] = row
            store(sorted(found.values(), key=_key))


def _key(row: Row) -> tuple[object, ...]:
    order = [design.name for design in DESIGNS].index(row.design)
    return row.network, row.late_us, row.seed, row.buffer_bytes, order


main(sys.argv[1:])
