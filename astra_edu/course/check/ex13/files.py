"""Check for exercise 13: a platform's files that don't say what the data sheet does."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from numbers import Real
from random import Random
from typing import Any

from astra_edu.base.errors import ConfigError
from astra_edu.base.units import GIB
from astra_edu.course.check.asked import Answer, Case
from astra_edu.course.check.ex13.broken import NETWORK, SYSTEM
from astra_edu.course.check.ex13.mended import first_fault
from astra_edu.course.check.question import question
from astra_edu.course.check.verdict import Verdict
from astra_edu.system import Implementation

_TOLERANCE = 1e-3
_PAIRWISE = ("ring", "direct")
_SHOWN: Case = deepcopy({"network": NETWORK, "system": SYSTEM})  # as they were, whatever an answer has done to them


@question
def corrected(answer: Answer) -> Verdict:
    """corrected(network, system): both, with bandwidths in the file's units and no dimension that nobody uses."""
    random = Random(13)
    cases: list[Case] = [_SHOWN]
    for dims in (1, 2, 3):
        network = {
            "topology": [random.choice(["Ring", "Switch", "FullyConnected"]) for _ in range(dims)],
            "npus_count": [random.choice([2, 4, 8]) for _ in range(dims)],
            "bandwidth": [random.choice([12.5, 25, 100, 300, 900]) for _ in range(dims)],
            "latency": [random.choice([300, 700, 2000]) for _ in range(dims)],
        }
        names = {
            key: [random.choice(["ring", "direct"])] * random.choice([1, dims])
            for key in _SHOWN["system"]
            if key.endswith("-implementation")
        }
        cases.append(
            {"network": network, "system": _SHOWN["system"] | names | {"local-mem-bw": random.randrange(500, 5000)}}
        )
    return first_fault(answer, cases, _fault, "Right: the same bytes a second, and every dimension takes part.")


def _fault(given: object, network: Mapping[str, Any], system: Mapping[str, Any]) -> str | None:
    if (
        not isinstance(given, (tuple, list))
        or len(given) != 2
        or not all(isinstance(part, Mapping) and part for part in given)
    ):
        what = "nothing" if given is None else f"a {type(given).__name__}"
        return f"Your function returns {what}; a network and a system are expected, as in `return network, system`."
    dims = len(network["topology"])
    fault = _fault_of_network(given[0], network) or _fault_of_system(given[1], system, dims)
    if fault and network != _SHOWN["network"]:
        return f"With other files, for {_dimensions(dims)}: {fault}"
    return fault


def _fault_of_network(now: Mapping[str, Any], was: Mapping[str, Any]) -> str | None:
    if list(now) != list(was):
        return f"the network's keys should stay as they are: {', '.join(was)}."
    for key in ("topology", "npus_count", "latency"):
        if now[key] != was[key]:
            return f"the network's {key} was {was[key]} and is {now[key]!r:.60}; the data sheet doesn't contradict it."
    bandwidths = now["bandwidth"]
    if not isinstance(bandwidths, (list, tuple)) or len(bandwidths) != len(was["bandwidth"]):
        return f"the network's bandwidth is {bandwidths!r:.60}; a number for each dimension is expected."
    for found, sheet in zip(bandwidths, was["bandwidth"], strict=True):
        if not isinstance(found, Real) or isinstance(found, bool):
            return f"a bandwidth of the network is {found!r:.60}; that is no number."
        ratio = float(found) / sheet
        for factor, words in (
            (1e9 / GIB, None),
            (1, f"is {found:g} as on the data sheet, but the file's GB are others: 2³⁰ bytes."),
            (GIB / 1e9, "is larger than on the data sheet. Are there more GB of 2³⁰ bytes in it, or fewer?"),
            (1000 / 1024, "is right for KB and KiB; between 10⁹ and 2³⁰ there are three such steps."),
            (1e9, "is in bytes a second; the file has GB."),
        ):
            if abs(ratio / factor - 1) < _TOLERANCE:
                if words:
                    return f"a bandwidth of the network {words}"
                break
        else:
            if found in (round(sheet * 1e9 / GIB, digits) for digits in range(3)):
                return f"a bandwidth of the network is {found:g}: that is rounded too much; a file may have decimals."
            return f"a bandwidth of the network is {found:g}, for {sheet:g} × 10⁹ bytes a second on the data sheet."
    return None


def _fault_of_system(now: Mapping[str, Any], was: Mapping[str, Any], dims: int) -> str | None:
    if now.keys() != was.keys():
        return (
            f"the system's keys should stay as they are; {', '.join(map(str, now.keys() ^ was.keys()))} isn't in both."
        )
    for key, value in was.items():
        if key.endswith("-implementation"):
            if fault := _fault_of_names(now[key], value, key, dims):
                return fault
        elif key == "local-mem-bw":
            if now[key] != value:
                return "local-mem-bw is in 10⁹ bytes a second already: the file has two kinds of GB."
        elif now[key] != value:
            return f"{key} was {value!r} and is {now[key]!r:.60}; it has nothing to do with it."
    return None


def _dimensions(count: int) -> str:
    return "1 dimension" if count == 1 else f"{count} dimensions"


def _entries(count: int) -> str:
    return "1 entry" if count == 1 else f"{count} entries"


def _fault_of_names(names: Any, were: list[str], key: str, dims: int) -> str | None:
    if not isinstance(names, (list, tuple)) or not all(isinstance(name, str) for name in names):
        return f"{key} is {names!r:.60}; a list of names is expected."
    if len(names) < dims:
        return f"{key} has {len(names)} of {dims} entries; what becomes of the dimensions without one?"
    if len(names) > dims:
        return (
            f"{key} had {_entries(len(were))} and has {len(names)} now, for {_dimensions(dims)}; with more entries "
            "than dimensions ASTRA-sim stops."
        )
    if list(names[: len(were)]) != were:
        return f"{key} was {were} and is {list(names)}; what is there already may stay."
    for name in names:
        try:
            how = Implementation.parse(name, key)
        except ConfigError as error:
            return str(error)
        if how.flat:
            return f"{key}: {name} takes all NPUs as one dimension; the others have to be named one by one."
        if "all-to-all" in key and how.algorithm not in _PAIRWISE:
            return f"{key}: an all-to-all can be {' or '.join(_PAIRWISE)}, not {name}."
    return None
