"""The C++ program's times, kept for where it isn't."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tools.bench_cpp.measure import Measured

FILE = Path(__file__).parent / "stored.json"


@dataclass(frozen=True)
class StoredTimes:
    """cpu, date: where and when they were measured. seconds: by "row/case", CPU seconds of the whole process."""

    cpu: str
    date: str
    seconds: Mapping[str, float]


def load(file: Path = FILE) -> StoredTimes:
    """What is stored; empty where nothing is."""
    if not file.is_file():
        return StoredTimes("no machine", "no day", {})
    return StoredTimes(**json.loads(file.read_text(encoding="utf-8")))


def save(measured: Sequence[Measured], before: StoredTimes, file: Path = FILE) -> None:
    """Store the C++ program's times of these rows, beside what there was of others on the same CPU."""
    new = {
        f"{one.row.name}/{case.name}": round(case.theirs, 4)
        for one in measured
        for case in one.cases
        if case.theirs is not None
    }
    cpu = cpu_name()
    kept = before.seconds if before.cpu == cpu else {}
    content = {"cpu": cpu, "date": date.today().isoformat(), "seconds": dict(sorted({**kept, **new}.items()))}
    file.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def cpu_name() -> str:
    """The processor's name, as Linux says it, or what Python knows."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{names[0]}, {len(names)} cores" if names else platform.processor() or platform.machine()
