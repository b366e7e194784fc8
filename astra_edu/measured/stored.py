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
    """Those of the stack on the machine; else on a like one; else of a like stack, or of any, on the machine or else on
    a like one; else None.
    """

    def near(each: Fitted) -> tuple[bool, ...]:
        on, of_kind = machine in each.machines, any(kind_of(machine) == kind_of(other) for other in each.machines)
        same, like = each.stack == stack, _family(each.stack) == _family(stack)
        return (same and on, same and of_kind, like and on, like and of_kind, on, of_kind)

    found = max(every(), key=near, default=None)
    return found if found is not None and any(near(found)) else None


def _family(stack: str) -> str:
    return next((each.family for each in STACKS if each.name == stack), "")


def parameters_for(machine: str, stack: str) -> Parameters:
    """What a job takes; where nothing like it was measured, the values that every fit begins with."""
    found = closest(machine, stack)
    return found.time if found else Parameters()


def memory_for(machine: str, stack: str) -> MemoryParameters | None:
    """What a stack's runs were measured to keep: on the machine, else on a like one, else on any; of Megatron's family,
    whose code is the same, also another's. None where nobody measured it: what others keep says nothing of it.
    """

    def near(each: Fitted) -> tuple[bool, ...]:
        return (
            each.stack == stack,
            machine in each.machines,
            any(kind_of(machine) == kind_of(m) for m in each.machines),
        )

    alike = [each for each in every() if each.memory and each.stack == stack]
    alike += [each for each in every() if each.memory and _family(each.stack) == _family(stack) == "Megatron"]
    found = max(alike, key=near, default=None)
    return found.memory if found else None
