"""What people give to a Builder's methods, checked: NPUs, groups, sizes, times, and what an operation waits for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from astra_edu.base.errors import ConfigError, instance_of, shown, whole, whole_64
from astra_edu.base.units import parse_bytes
from astra_edu.system.trace_config import MOST_NPUS
from astra_edu.traces.operation import Operation, listed

Size = int | str
Micros = int | Sequence[int]
On = int | Iterable[int] | None
Ops = Operation | Iterable[Operation | None] | None
Ring = Sequence[int] | Sequence[Sequence[int]] | None
Uses = Sequence[bool] | None


class Rings(tuple[tuple[int, ...], ...]):
    """Process groups that never change, so that a Builder looks at them once."""


def npu_count(npus: object) -> int:
    """How many NPUs a trace is for. Raises ConfigError for more than a network can have."""
    count = whole("npus", npus, at_least=1)
    if count > MOST_NPUS:
        raise ConfigError(f"npus is {count:,}; {MOST_NPUS:,} is the most.")
    return count


def operation_name(name: object) -> str:
    """The name of an operation. Raises ConfigError for what is no text."""
    return (
        name
        if type(name) is str
        else instance_of("an operation's name", name, str, "it comes first and is a text, such as 'forward'")
    )


def one_of(what: str, npu: object, npus: int) -> int:
    """The number of an NPU. Raises ConfigError where there is none such; what: how the sentence calls it."""
    number = whole(what, npu, at_least=0)
    if number >= npus:
        raise ConfigError(f"{what} is {number}; there are the NPUs 0 to {npus - 1}.")
    return number


def places(name: str, on: On, npus: int) -> Sequence[int]:
    """The NPUs that an operation is on, ascending; a range where they are consecutive. on: None for all."""
    if on is None:
        return range(npus)
    if isinstance(on, range) and on.step == 1 and len(on) and on.start >= 0 and on.stop <= npus:
        return on
    given = on if isinstance(on, Iterable) else [on]
    found = sorted({one_of(f"{name}: on", npu, npus) for npu in given})
    if not found:
        raise ConfigError(f"{name}: on names no NPU; leave it out for all of them.")
    consecutive = range(found[0], found[-1] + 1)
    return consecutive if len(consecutive) == len(found) else tuple(found)


def consecutive(what: str, npus: object, count: int) -> range:
    """Consecutive NPUs. Raises ConfigError for anything else."""
    if not isinstance(npus, range) or npus.step != 1 or not npus or npus.start < 0 or npus.stop > count:
        raise ConfigError(
            f"{what} is {shown(npus, 60)}; give a range of the NPUs 0 to {count - 1}, such as range(0, 2)."
        )
    return npus


def several_groups(name: str, group: Ring, npus: int) -> Iterator[tuple[int, ...]]:
    """The members of each process group; `group` may be one of them, or a list of several. None: nothing."""
    seen: set[int] = set()
    for part in _parts(name, group):
        members = tuple(one_of(f"{name}: a member of its group", npu, npus) for npu in part)
        if len(members) < 2 or len(set(members)) < len(members):
            raise ConfigError(f"{name}: a group is {list(members)}; it needs two NPUs or more, each once.")
        if twice := sorted(seen.intersection(members)):
            raise ConfigError(f"{name}: {listed(twice)} would be in two of its groups.")
        seen.update(members)
        yield members


def _parts(name: str, group: object) -> list[Iterable[Any]]:
    if group is None:
        return []
    if not isinstance(group, Iterable) or isinstance(group, str):
        raise ConfigError(f"{name}: group is {shown(group, 60)}; list its NPUs, such as [0, 1], or several such lists.")
    given = list(group)
    nested = [part for part in given if isinstance(part, Iterable)]
    if nested and len(nested) < len(given):
        raise ConfigError(f"{name}: group is {shown(given, 60)}; list NPUs, or lists of NPUs, but not both.")
    return nested or [given]


def parents(name: str, after: Ops, npus: Sequence[int], trace: object) -> tuple[Operation, ...]:
    """What an operation of a trace waits for. npus: where it is.

    Raises ConfigError for what is no operation of this trace, and where an NPU would wait for what isn't on it.
    """
    if type(after) is tuple and len(after) == 1 and isinstance(one := after[0], Operation):
        usual = one.trace is trace and one.npus == npus
        if usual:
            return (one,)
    given = after if isinstance(after, Iterable) and not isinstance(after, str) else [after]
    named = [parent for parent in given if parent is not None]
    for parent in named:
        if not isinstance(parent, Operation):
            raise ConfigError(
                f"{name}: after is {shown(parent, 60)}; give what compute(...), all_reduce(...) or another "
                "method of this "
                "trace has returned, or a list of that."
            )
        if parent.trace is not trace:
            raise ConfigError(f"{name}: it can't wait for {parent.name}, which belongs to another trace.")
        if parent.npus != npus and not any(map(parent.is_on, npus)):
            raise ConfigError(
                f"{name} on {listed(npus)} can't wait for {parent.name}, which is on {listed(parent.npus)} only: an "
                "NPU waits for its own operations. From another NPU it takes a message or a collective."
            )
    found = tuple(dict.fromkeys(named))
    if not found or any(parent.npus == npus for parent in found):
        return found
    if alone := [npu for npu in npus if not any(parent.is_on(npu) for parent in found)]:
        names = " and ".join(parent.name for parent in found)
        raise ConfigError(
            f"{name}: on {listed(alone)} it would wait for nothing, as {names} {'is' if len(found) == 1 else 'are'} "
            "elsewhere. Give on=..., or what it has to wait for there."
        )
    return found


def involved(name: str, dims: Iterable[bool]) -> list[bool]:
    """For each dimension whether a collective runs over it. Raises ConfigError if it runs over none."""
    if not isinstance(dims, Iterable) or isinstance(dims, str):
        raise ConfigError(
            f"{name}: involved_dim is {shown(dims, 60)}; give True or False for each dimension of the network."
        )
    uses = list(dims)
    if not all(isinstance(use, bool) for use in uses) or not any(uses):
        raise ConfigError(
            f"{name}: involved_dim is {uses}; give True or False for each dimension, and one True at least."
        )
    return uses


def size_of(name: str, size: Size, at_least: int) -> int:
    """A size in bytes, as a number or a text such as "1 MiB"."""
    operation_name(name)
    try:
        found = parse_bytes(size)
    except ConfigError as error:
        raise ConfigError(f"{name}: {error}") from None
    return whole(f"{name}: bytes", found, at_least)


def times(name: str, micros: Micros, npus: int) -> int | tuple[int, ...]:
    """Whole µs: one number for all NPUs of an operation, or one for each."""
    if type(micros) is int and 0 <= micros < 2**64:
        return micros
    if not isinstance(micros, Sequence) or isinstance(micros, str):
        return _whole(name, micros)
    if len(micros) != npus:
        raise ConfigError(f"{name}: micros has {len(micros)} numbers for {npus} NPUs; give one for all, or {npus}.")
    found = tuple(_whole(name, one) for one in micros)
    return found if len(set(found)) > 1 else found[0]


def _whole(name: str, micros: object) -> int:
    try:
        return whole_64(f"{name}: micros", micros)
    except ConfigError as error:
        raise ConfigError(f"{error} (Traces have whole µs; shorter times take num_ops and a roofline.)") from None
