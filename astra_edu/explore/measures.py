"""What a table says of one run: numbers by name, with their units in the names."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Number
from typing import Any

from astra_edu.base.errors import ConfigError, shown
from astra_edu.explore.points import letters, plain

OF_A_RUN = ("total_ns", "compute_ns", "exposed_ns", "message_bytes", "network_cost", "memory_bytes")
"""What is taken of a simulated run or an estimate, where it has it."""


def measures(result: Any) -> dict[str, Any]:
    """The columns of what a run gave: a run's times, numbers by name (a named tuple's, too), or one as "value".

    Of a run "at_least_ns" comes first: its total, or what its links allow at least, if that is more than ASTRA-sim's
    contention-free model says. Raises ConfigError for anything else.

    >>> from astra_edu.explore.measures import measures
    >>> found = measures(ae.simulate(ae.Workload.micro("all-reduce", 2**20), ae.preset("ring")))
    >>> found["at_least_ns"], found["message_bytes"]
    (45681, 1835008)
    """
    if hasattr(result, "_asdict"):  # a named tuple
        result = result._asdict()
    if isinstance(result, Mapping):
        if wrong := [name for name in result if not isinstance(name, str)]:
            raise ConfigError(f"the run gave {shown(wrong[0])} as the name of a number; names are texts.")
        return {letters(name): plain(value) for name, value in result.items()}
    if hasattr(result, "total_ns"):
        least = max(result.total_ns, getattr(result, "bound_ns", None) or 0)
        found = {name: plain(getattr(result, name)) for name in OF_A_RUN if hasattr(result, name)}
        return {"at_least_ns": plain(least)} | found
    if isinstance(result, Number | str) or hasattr(result, "item"):
        return {"value": plain(result)}
    raise ConfigError(f"the run gave {shown(result)}; let it give numbers by name, such as {{'total_ns': 45_681}}.")
