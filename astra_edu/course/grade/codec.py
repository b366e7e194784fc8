"""Values as JSON, between the process of a student's notebook and the one that judges it: nothing in it can run.

What is a value goes by its value: numbers, texts, lists, dicts, arrays, graphs, and this package's own data, which are
made anew through their constructors. What does something (a function, a generator, an NPU) stays where it is and goes
by reference (see peer.py). Of anything else, its type's name and what it looks like are left.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from importlib import import_module
from typing import Any

from astra_edu.base.errors import ConfigError
from astra_edu.traces.builder import Builder

Json = Any
MOST_VALUES = 300_000
MOST_DEEP = 60
LONGEST_TEXT = 1_000_000
"""Characters of a text, and hexadecimal digits of a number."""
LONGEST_LOOK = 500
_PACKAGE = f"{__name__.partition('.')[0]}."
_NUMBERS = {"Fraction": Fraction, "Decimal": Decimal, "complex": complex}
_SEQUENCES: dict[str, Callable[[list[Any]], Any]] = {
    "tuple": tuple,
    "set": set,
    "frozenset": frozenset,
    "list": list,
}


class TooLargeError(Exception):
    """A value that is more than an answer can be; the message says so."""


class Opaque:
    """A value of a type that isn't sent: only its look is left, and its type's name."""

    def __init__(self, look: str) -> None:
        """Keep how it looks."""
        self._look = look

    def __repr__(self) -> str:
        return self._look


@dataclass
class Encoder:
    """by_reference(value): what stands for a value that isn't sent, None where only its look is left."""

    by_reference: Callable[[Any], Json | None]
    count: int = 0

    def encode(self, value: Any, depth: int = 0) -> Json:
        """The value as JSON. Raises TooLargeError."""
        self.count += 1
        if self.count > MOST_VALUES or depth > MOST_DEEP:
            raise TooLargeError(f"more than {MOST_VALUES:,} values" if depth <= MOST_DEEP else "nested without end")
        if value is None or type(value) in (bool, float):
            return value
        if (reference := self.by_reference(value)) is not None:
            return reference
        if type(value).__module__ != "numpy" and (found := _scalar(value)) is not None:
            return found
        for encode in (self._own, self._many, self._outside):
            if (found := encode(value, depth + 1)) is not None:
                return found
        return {"t": "opaque", "c": type(value).__name__[:100], "v": look(value)}

    def _list(self, values: Any, depth: int) -> list[Json]:
        return [self.encode(value, depth) for value in values]

    def _pairs(self, found: Mapping[Any, Any], depth: int) -> list[Json]:
        return [self._list(pair, depth) for pair in found.items()]

    def _many(self, value: Any, depth: int) -> Json | None:
        for name in _SEQUENCES:
            if isinstance(value, _SEQUENCES[name]):  # type: ignore[arg-type]
                return {"t": name, "v": self._list(value, depth)}
        if isinstance(value, range):
            return {"t": "range", "v": self._list((value.start, value.stop, value.step), depth)}
        if isinstance(value, Mapping):
            return {"t": "dict", "v": self._pairs(value, depth)}
        return None

    def _own(self, value: Any, depth: int) -> Json | None:
        """This package's data: what their constructors take."""
        kind = type(value)
        name = f"{kind.__module__}:{kind.__qualname__}"
        if not name.startswith(_PACKAGE):
            return None
        if isinstance(value, Builder):
            return {"t": "builder"}
        if isinstance(value, Enum):
            return {"t": "enum", "c": name, "v": value.name}
        if isinstance(value, tuple) and hasattr(value, "_asdict"):
            return {"t": "named", "c": name, "v": self._pairs(value._asdict(), depth)}
        if _frozen(kind):
            given = {one.name: getattr(value, one.name) for one in fields(value) if one.init}
            return {"t": "data", "c": name, "v": self._pairs(given, depth)}
        return None

    def _outside(self, value: Any, depth: int) -> Json | None:
        """Arrays and graphs: their packages are there if there is one of them."""
        numpy, networkx = sys.modules.get("numpy"), sys.modules.get("networkx")
        if numpy and isinstance(value, numpy.bool_ | numpy.number):
            return {"t": "numpy", "c": value.dtype.name, "v": self.encode(value.item(), depth)}
        if numpy and (isinstance(value, numpy.ndarray) or hasattr(value, "to_numpy")):
            array = numpy.asarray(value)
            if array.size > MOST_VALUES:
                raise TooLargeError(f"more than {MOST_VALUES:,} values")
            return {"t": "array", "v": self.encode(array.tolist(), depth)}
        if networkx and isinstance(value, networkx.Graph):
            edges = value.edges(keys=True, data=True) if value.is_multigraph() else value.edges(data=True)
            kind = "Multi" * value.is_multigraph() + "Di" * value.is_directed() + "Graph"
            parts = (dict(value.graph), list(value.nodes(data=True)), list(edges))
            return {"t": "graph", "c": kind, "v": self._list(parts, depth)}
        return None


def _scalar(value: Any) -> Json | None:
    if isinstance(value, Enum):
        return None
    if isinstance(value, bool):
        return bool(value)
    if isinstance(value, int):
        digits = hex(int(value))
        if len(digits) > LONGEST_TEXT:
            raise TooLargeError("a number of too many digits")
        return int(value) if abs(value) < 2**63 else {"t": "int", "v": digits}
    if isinstance(value, float):
        return float(value)
    if isinstance(value, str | bytes) and len(value) > LONGEST_TEXT:
        raise TooLargeError(f"a text of more than {LONGEST_TEXT:,} characters")
    if isinstance(value, str):
        return {"t": "str", "v": str(value).encode("utf-8", "backslashreplace").decode()}
    if isinstance(value, bytes | bytearray):
        return {"t": "bytes", "v": bytes(value).hex()}
    return next(({"t": t, "v": str(value)} for t, kind in _NUMBERS.items() if isinstance(value, kind)), None)


def look(value: Any) -> str:
    """How a value looks, cut off where that is long."""
    try:
        return repr(value)[:LONGEST_LOOK]
    except Exception:  # a repr that breaks is no reason to stop
        return f"a value of type {type(value).__name__}"


def decode(data: Json, referred: Callable[[Json], Any]) -> Any:
    """The value that JSON stands for; referred(data): what is meant by a reference.

    Raises ValueError, TypeError, KeyError or ConfigError for what no encoder makes.
    """
    if data is None or isinstance(data, bool | int | float):
        return data
    kind, value = data["t"], data.get("v")

    def inner(part: Json) -> Any:
        return decode(part, referred)

    match kind:
        case "str":
            return str(value)
        case "int":
            return int(value, 16)
        case "bytes":
            return bytes.fromhex(value)
        case "list" | "tuple" | "set" | "frozenset":
            return _SEQUENCES[kind]([inner(part) for part in value])
        case "range":
            return range(*map(inner, value))
        case "dict":
            return {inner(key): inner(one) for key, one in value}
        case "numpy":
            return import_module("numpy").dtype(str(data["c"])).type(inner(value))
        case "array":
            return import_module("numpy").asarray(inner(value))
        case "graph":
            return _graph(str(data["c"]), *map(inner, value))
        case "builder":
            return Builder(1)
        case "enum":
            return _class(data["c"], Enum)[str(value)]
        case "named" | "data":
            made = _class(data["c"], tuple if kind == "named" else object)
            return made(**{str(inner(name)): inner(one) for name, one in value})
        case "opaque":
            return type(str(data["c"]) or "object", (Opaque,), {})(str(value))
        case name if name in _NUMBERS:
            return _NUMBERS[name](value)
    return referred(data)


def _class(name: str, base: type) -> Any:
    """One of this package's classes of data; nothing else is called."""
    module, _, path = name.partition(":")
    if not module.startswith(_PACKAGE) or module not in sys.modules:
        raise ConfigError(f"{name[:100]} is none of this package's data.")
    found: Any = sys.modules[module]
    for part in path.split("."):
        found = getattr(found, part)
    if not isinstance(found, type) or not issubclass(found, base) or not (base is not object or _frozen(found)):
        raise ConfigError(f"{name[:100]} is none of this package's data.")
    return found


def _frozen(kind: type) -> bool:
    """Whether it is a class of data that never changes."""
    return is_dataclass(kind) and kind.__dataclass_params__.frozen  # type: ignore[attr-defined]


def _graph(kind: str, of_graph: dict[str, Any], nodes: list[Any], edges: list[Any]) -> Any:
    if kind not in ("Graph", "DiGraph", "MultiGraph", "MultiDiGraph"):
        raise ConfigError(f"{kind[:100]} is no graph.")
    graph = getattr(import_module("networkx"), kind)(**of_graph)
    graph.add_nodes_from(nodes)
    graph.add_edges_from(edges)
    return graph
