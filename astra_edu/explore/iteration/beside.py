"""How much longer measured steps took than estimates at peak rates: a range beside an estimate.

By kind of machine, and by how long an NPU computes for a micro-batch: small pieces of work wait for their launches.
`python -m astra_edu.measured estimates` makes the lines, from 16-bit training whose recomputation is known, not below
5 % of the peak; nanotron's and vTrain's runs are sweeps of good and bad strategies, most others were tuned.
"""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path
from typing import NamedTuple

from astra_edu.workload.compute import DEVICES, Calibration, Device
from astra_edu.workload.compute.alike import kind_of

FILE = Path(__file__).with_name("beside.csv")
BITS = 16
BELOW_MS = (10.0, 30.0, 100.0, float("inf"))
"""Of an NPU's computing for a micro-batch, both passes."""


class Beside(NamedTuple):
    """Measured / estimated, below which 16, 50 and 84 % of the runs are, of a kind of machines, where computing for a
    micro-batch is estimated at less than `below_ms`, and no less than in the line before."""

    machines: str
    below_ms: float
    runs: int
    low: float
    middle: float
    high: float


def beside(machine: str, compute_ms: float) -> Beside | None:
    """What was measured of runs on like machines with as much computing for a micro-batch; None of fewer than five.

    >>> from astra_edu.explore.iteration.beside import beside
    >>> little, much = beside("a100", 5), beside("a100", 500)
    >>> little.middle > much.middle > 1
    True
    """
    below = next(limit for limit in BELOW_MS if compute_ms < limit or limit == BELOW_MS[-1])
    return next((line for line in _lines() if (line.machines, line.below_ms) == (kind_of(machine), below)), None)


def ratios_of(device: Device, bits: int, compute_ms: float) -> Calibration | Beside | None:
    """What was measured of iterations like one, as multiples of it: around what a calibrated device says, or above what
    one says that is in DEVICES as it is; None for others, and for numbers of other than 16 bits.
    """
    if bits != BITS:
        return None
    if device.calibration or DEVICES.get(device.name) != device:
        return device.calibration
    return beside(device.name, compute_ms)


def in_words(found: Calibration | Beside | None, device: Device | None) -> dict[str, str]:
    """The same as lines of a table, and whose rates a calibrated device has."""
    lines = {}
    if isinstance(found, Calibration):
        lines["measured"] = (
            f"runs took {found.low:.2f} to {found.high:.2f} times what is predicted (two thirds of them)"
        )
    if device and device.calibration:
        lines["  rates"] = f"those that runs of {device.calibration.stack} reach"
    if not isinstance(found, Beside):
        return lines
    return {
        "measured": f"runs like it took {found.low:.2f} to {found.high:.2f} times as long (two thirds of them)",
        "  rates": "the device's peaks, which no run reaches; measured.device has a calibrated one",
    }


@cache
def _lines() -> tuple[Beside, ...]:
    with FILE.open(encoding="utf-8", newline="") as file:
        return tuple(
            Beside(
                row["machines"], float(row["below_ms"]), int(row["runs"]), *(float(row[k]) for k in Beside._fields[3:])
            )
            for row in csv.DictReader(file)
        )
