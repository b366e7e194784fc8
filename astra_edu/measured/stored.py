"""The fitted parameters that ship, and which of them a job takes."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from astra_edu.measured.parameters import MemoryParameters, Parameters
from astra_edu.measured.stacks import STACKS
from astra_edu.workload.compute.alike import kind_of

FILE = Path(__file__).with_name("parameters.json")


@dataclass(frozen=True)
class Fitted:
    """Parameters of a stack on some machines, and the sources of the runs that they were fitted to."""

    stack: str
    machines: tuple[str, ...]
    sources: tuple[str, ...]
    time: Parameters
    memory: MemoryParameters | None = None


@cache
def every() -> tuple[Fitted, ...]:
    """All that ship, as `python -m astra_edu.measured fit` has stored them."""
    return tuple(
        Fitted(
            each["stack"],
            tuple(each["machines"]),
            tuple(each["sources"]),
            Parameters(**each["time"]),
            MemoryParameters(**each["memory"]) if each.get("memory") else None,
        )
        for each in json.loads(FILE.read_text(encoding="utf-8"))
    )


def closest(machine: str, stack: str) -> Fitted | None:
    """Those of the stack on the machine; else on a like one; else of a like stack there, or of any; else None."""

    def near(each: Fitted) -> tuple[bool, bool, bool, bool]:
        of_kind = any(kind_of(machine) == kind_of(other) for other in each.machines)
        same, like = each.stack == stack, _family(each.stack) == _family(stack)
        return (same and machine in each.machines, same and of_kind, like and of_kind, of_kind)

    found = max(every(), key=near, default=None)
    return found if found is not None and any(near(found)) else None


def _family(stack: str) -> str:
    return next((each.family for each in STACKS if each.name == stack), "")


def parameters_for(machine: str, stack: str) -> Parameters:
    """What a job takes; where nothing like it was measured, the values that every fit begins with."""
    found = closest(machine, stack)
    return found.time if found else Parameters()


def memory_for(machine: str, stack: str) -> MemoryParameters:
    """The same for what is kept."""
    found = closest(machine, stack)
    return found.memory if found and found.memory else MemoryParameters()
