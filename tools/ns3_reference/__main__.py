"""`python -m tools.ns3_reference [WORD ...]` plays the cases whose name has every WORD in it and stores the tables."""

from __future__ import annotations

import csv
import sys
from pathlib import Path

from tools.ns3_reference.case import cases
from tools.ns3_reference.play import play

PLACE = Path("tests/data/ns3")


def write(name: str, rows: list[dict[str, object]]) -> None:
    with (PLACE / name).open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        table.writeheader()
        table.writerows(rows)


def main(words: list[str]) -> None:
    """words: which cases, "first" for the first ten; all without."""
    totals, flows, ports = [], [], []
    for case in cases()[:10] if words == ["first"] else cases():
        if words == ["first"] or all(word in case.name for word in words):
            played = play(case)
            totals.append(case.row() | played.total)
            flows += played.flows
            ports += played.ports
            for name, rows in (("cases.csv", totals), ("flows.csv", flows), ("ports.csv", ports)):
                write(name, rows)


main(sys.argv[1:])
