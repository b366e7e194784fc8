"""What PyTorch's profiler writes of a run: the operators with their tensors, and how long each of them took.

The execution trace (ExecutionTraceObserver) is a tree of operators, each with the tensors it was given and returned; a
tensor's storage says which operators share data. The profiler's own trace (Kineto, for chrome://tracing) has the
times. Both know an operator by the number of its record function.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from astra_edu.base.errors import ConfigError, shown
from astra_edu.base.files import FileName, read_text
from astra_edu.base.json_text import json_errors

_KERNELS = ("kernel", "gpu_memcpy", "gpu_memset")
_INIT = "process_group:init"


class Tensor(NamedTuple):
    """A tensor: the number of its storage, and its bytes."""

    storage: int
    size: int


class RecordedOperator(NamedTuple):
    """A call. function: the number of its record function. real: whether it is an operator, not a mere label.

    parent: the call in which it is; itself for the outermost, and for labels that PyTorch has hung under a later call.
    inputs, outputs: its tensors, however deep in lists. values: its arguments as they are in the file.
    """

    id: int
    parent: int
    name: str
    function: int
    thread: int
    real: bool
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    values: Sequence[Any]


class Recording(NamedTuple):
    """One process: its operators in the order in which they began, and its process groups by name.

    A group without members is that of all processes. own_us, kernels_us: for each record function how long the call
    took, and how long the kernels that it started on an accelerator.
    """

    where: str
    operators: tuple[RecordedOperator, ...]
    groups: Mapping[str, tuple[int, ...]]
    own_us: Mapping[int, float]
    kernels_us: Mapping[int, float]


def read_recording(host: FileName, kineto: FileName) -> Recording:
    """One process' files. Raises ConfigError for what is no such file, and for two that aren't of the same run."""
    nodes = _listed(host, "PyTorch's execution trace (JSON)", "nodes")
    operators = tuple(sorted((_operator(node, f"{host}, node {k}") for k, node in enumerate(nodes)), key=_by_id))
    for one, following in pairwise(operators):
        if one.id == following.id:
            raise ConfigError(f"{host}: two nodes have the id {one.id}; {one.name:.60} and {following.name:.60}.")
    events = _listed(kineto, "the profiler's trace (Kineto, JSON)", "traceEvents")
    own, kernels, names = _times(events, str(kineto))
    timed = [one for one in operators if one.real and one.function in own]
    if not timed:
        raise ConfigError(f"{kineto} has the time of no operator in {host}; both must be of the same run.")
    same = sum(names[one.function] == one.name for one in timed)
    if 2 * same < len(timed):
        raise ConfigError(
            f"{kineto} calls only {same} of {len(timed)} operators as {host} calls those of the same number: both must "
            "be of the same run."
        )
    return Recording(str(host), operators, _groups(operators, str(host)), own, kernels)


def _by_id(operator: RecordedOperator) -> int:
    return operator.id


def _listed(path: FileName, what: str, key: str) -> list[Any]:
    text = read_text(path, what)
    with json_errors(str(path), f" It should be {what}."):
        found = json.loads(text)
    listed = found.get(key) if isinstance(found, dict) else None
    if not isinstance(listed, list):
        raise ConfigError(f"{path} has no list {key!r}; {what} is expected.")
    return listed


def _operator(node: Any, where: str) -> RecordedOperator:
    try:
        if "attrs" not in node:
            node = _newer(node)
        attributes = {one["name"]: one["value"] for one in node["attrs"]}
        number, parent = int(node["id"]), int(node["ctrl_deps"])
        inputs, outputs = node["inputs"], node["outputs"]
        return RecordedOperator(
            number,
            min(parent, number),
            str(node["name"]),
            int(attributes.get("rf_id", 0)),
            int(attributes.get("tid", 0)),
            bool(attributes.get("op_schema")),
            tuple(_tensors(inputs["values"], inputs["types"])),
            tuple(_tensors(outputs["values"], outputs["types"])),
            list(inputs["values"]),
        )
    except (ArithmeticError, KeyError, RecursionError, TypeError, ValueError, AttributeError) as error:
        raise ConfigError(
            f"{where} isn't as in PyTorch's execution traces of schema 1.0.1 to 1.1.1 ({type(error).__name__} {error})."
        ) from None


def _newer(node: Any) -> dict[str, Any]:
    """A node of schema 1.0.1, of 2023, as later ones have it."""
    return {
        "id": node["id"],
        "name": node["name"],
        "ctrl_deps": node["parent"],
        "inputs": {"values": node["inputs"], "types": node["input_types"]},
        "outputs": {"values": node["outputs"], "types": node["output_types"]},
        "attrs": [{"name": name, "value": node[name]} for name in ("rf_id", "tid", "op_schema")],
    }


def _tensors(values: Any, types: Any) -> Iterator[Tensor]:
    for value, kind in zip(values, types, strict=True):
        if "Tensor" in kind:
            yield from tensors_in(value)


def tensors_in(value: Any) -> Iterator[Tensor]:
    """The tensors of an argument: [id, storage, offset, elements, bytes of each, device], or lists of these."""
    if not isinstance(value, list):
        return
    if len(value) == 6 and isinstance(value[5], str) and all(isinstance(part, int) for part in value[:5]):
        yield Tensor(value[1], value[3] * value[4])
        return
    for part in value:
        yield from tensors_in(part)


def _groups(operators: Sequence[RecordedOperator], where: str) -> dict[str, tuple[int, ...]]:
    found: dict[str, tuple[int, ...]] = {}
    for operator in operators:
        if _INIT in operator.name and operator.values:
            try:
                for group in json.loads(operator.values[0]):
                    found[str(group["pg_name"])] = tuple(int(rank) for rank in group["ranks"])
            except (ArithmeticError, KeyError, RecursionError, TypeError, ValueError) as error:
                raise ConfigError(f"{where}: its process groups can't be read ({error}).") from None
    return found


def _times(events: Sequence[Any], where: str) -> tuple[dict[int, float], dict[int, float], dict[int, str]]:
    """(for each record function its time, that of its kernels, its name); times in µs."""
    own: dict[int, float] = {}
    names: dict[int, str] = {}
    numbered = False
    functions: dict[Any, int] = {}
    started: list[tuple[Any, float]] = []
    for event in events:
        if not isinstance(event, dict) or event.get("ph") != "X":
            continue
        arguments, time = event.get("args"), event.get("dur")
        if not isinstance(arguments, dict) or not isinstance(time, (int, float)) or not 0 <= time < 1e15:
            continue
        external = arguments.get("External id")
        if isinstance(external, (list, dict)):
            raise ConfigError(f"{where}: an event's External id is {shown(external, 60)}; it must be a number.")
        if event.get("cat") in _KERNELS:
            started.append((external, time))
        else:
            numbered = numbered or "Record function id" in arguments
            function = arguments.get("Record function id", external)
            if isinstance(function, int):
                own[function] = time
                names[function] = str(event.get("name"))
                functions[external] = function
    if started and not numbered:
        raise ConfigError(
            f"{where} has kernels, and no event has a 'Record function id' (older PyTorch doesn't write it): which "
            "operator started a kernel can't be told. Record the run with a later PyTorch."
        )
    kernels: dict[int, float] = {}
    for external, time in started:
        if external in functions:
            kernels[functions[external]] = kernels.get(functions[external], 0) + time
    if not own:
        raise ConfigError(f"{where} has no operators with a time and a record function's number.")
    return own, kernels, names
