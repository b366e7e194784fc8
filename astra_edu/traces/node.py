"""One node of an execution trace (Chakra): an operation of one NPU and what it waits for.

A node is kept as its file has it, so that writing it again gives the same bytes. What the simulator reads of it are
the properties; they take any number type, as ASTRA-sim 2.x does since its third feeder.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from types import MappingProxyType
from typing import Any, NamedTuple

from astra_edu.base.errors import ConfigError, shown, text_of
from astra_edu.collectives import Collective


class NodeType(IntEnum):
    """What a node is, numbered as in Chakra's schema.

    >>> ae.traces.NodeType.COMM_SEND_NODE.value
    5
    """

    INVALID_NODE = 0
    METADATA_NODE = 1
    MEM_LOAD_NODE = 2
    MEM_STORE_NODE = 3
    COMP_NODE = 4
    COMM_SEND_NODE = 5
    COMM_RECV_NODE = 6
    COMM_COLL_NODE = 7


class CommType(IntEnum):
    """Which collective a COMM_COLL_NODE is, numbered as in Chakra's schema.

    >>> ae.traces.CommType.ALL_TO_ALL.value
    6
    """

    ALL_REDUCE = 0
    REDUCE = 1
    ALL_GATHER = 2
    GATHER = 3
    SCATTER = 4
    BROADCAST = 5
    ALL_TO_ALL = 6
    REDUCE_SCATTER = 7
    REDUCE_SCATTER_BLOCK = 8
    BARRIER = 9


COLLECTIVES = {
    CommType.ALL_REDUCE: Collective.ALL_REDUCE,
    CommType.ALL_GATHER: Collective.ALL_GATHER,
    CommType.REDUCE_SCATTER: Collective.REDUCE_SCATTER,
    CommType.ALL_TO_ALL: Collective.ALL_TO_ALL,
}
"""The collectives that ASTRA-sim 2.x carries out; BROADCAST is replayed, the others it refuses."""


class Attribute(NamedTuple):
    """The value of an attribute and the member of Chakra's AttributeProto that holds it, e.g. "int64_val".

    >>> attribute = ae.traces.attribute_of("comm_size", 4096)
    >>> attribute.value, attribute.member
    (4096, 'int64_val')
    """

    value: Any
    member: str
    doc: str = ""


class Metadata(NamedTuple):
    """What a trace file says of itself before its first node: the schema's version and what the recorder noted."""

    version: str = "0.0.4"
    attributes: Mapping[str, Attribute] = MappingProxyType({})


class Tensors(NamedTuple):
    """The inputs or outputs of a node: three texts, empty in traces that no framework recorded.

    >>> ae.traces.Tensors(shapes="[[2, 3]]", types='["Tensor(float)"]').shapes
    '[[2, 3]]'
    """

    values: str = ""
    shapes: str = ""
    types: str = ""


FIELDS = ("id", "name", "type", "duration_micros", "start_time_micros", "data_deps", "ctrl_deps")
"""What of a node has the same name in files, whether Chakra's or in JSON."""


@dataclass(frozen=True, slots=True)
class Node:
    """One operation.

    data_deps, ctrl_deps: ids of the nodes that must be over before it starts. duration_micros and start_time_micros
    in µs, whole. inputs, outputs: None where the file has none.

    >>> node = ae.traces.collective("all_reduce", 4096, npus=2).nodes[0][0]
    >>> node.type, node.comm_type, node.number("comm_size")
    (<NodeType.COMM_COLL_NODE: 7>, <CommType.ALL_REDUCE: 0>, 4096)
    """

    id: int
    name: str
    type: NodeType
    data_deps: tuple[int, ...] = ()
    ctrl_deps: tuple[int, ...] = ()
    duration_micros: int = 0
    start_time_micros: int = 0
    attributes: Mapping[str, Attribute] = field(default_factory=dict)
    inputs: Tensors | None = None
    outputs: Tensors | None = None

    @property
    def label(self) -> str:
        """How error sentences call it."""
        return f"node {self.id} ({self.name[:60]})"

    @property
    def parents(self) -> set[int]:
        """The numbers of the nodes that it waits for, whichever way."""
        return {*self.data_deps, *self.ctrl_deps}

    def number(self, name: str, default: int | None = None) -> int:
        """Attribute `name` as a whole number. Raises ConfigError where it is missing without default, or no number."""
        attribute = self.attributes.get(name)
        if attribute is None:
            if default is None:
                raise ConfigError(f"{self.label} has no attribute {name}.")
            return default
        value = attribute.value
        if type(value) is int and 0 <= value < 2**64:
            return value
        if not (type(value) is float and value.is_integer() and 0 <= value < 2**64):
            raise ConfigError(
                f"{self.label}: {name} is {shown(value)} ({attribute.member}); a whole number of 0 or more is needed."
            )
        return int(value)

    @property
    def is_cpu_op(self) -> bool:
        """Whether the CPU carries it out, not the NPU. Raises ConfigError for what says neither true nor false."""
        attribute = self.attributes.get("is_cpu_op")
        if attribute is None or attribute.value is None:
            return False
        if type(attribute.value) not in (bool, int, float) or attribute.value not in (0, 1):
            raise ConfigError(f"{self.label}: is_cpu_op is {attribute.value!r:.60}; it must be true or false.")
        return bool(attribute.value)

    @property
    def group(self) -> str:
        """The name of its process group; empty for all NPUs."""
        attribute = self.attributes.get("pg_name")
        name = "" if attribute is None else str(attribute.value)
        return "" if name == "0" else name

    @property
    def involved(self) -> tuple[bool, ...] | None:
        """For each dimension whether a collective runs over it; None where the node doesn't say."""
        attribute = self.attributes.get("involved_dim")
        if attribute is None:
            return None
        if attribute.member != "bool_list":
            raise ConfigError(f"{self.label}: involved_dim is a {attribute.member}; a bool_list is needed.")
        if not all(type(use) in (bool, int) and use in (0, 1) for use in attribute.value):
            raise ConfigError(f"{self.label}: involved_dim is {attribute.value!r:.60}; give true or false for each.")
        return tuple(bool(use) for use in attribute.value)

    @property
    def comm_type(self) -> CommType:
        """Which collective it is. Raises ConfigError for a number that Chakra doesn't have."""
        number = self.number("comm_type")
        try:
            return CommType(number)
        except ValueError:
            raise ConfigError(f"{self.label}: comm_type is {number}; 0 to 9 is known.") from None

    @property
    def collective(self) -> Collective | None:
        """The collective that ASTRA-sim 2.x carries out; None for a BROADCAST, whose duration it replays.

        Raises ConfigError for those that it refuses.
        """
        kind = self.comm_type
        if kind in COLLECTIVES or kind is CommType.BROADCAST:
            return COLLECTIVES.get(kind)
        raise ConfigError(
            f"{self.label} is {kind.name}; ASTRA-sim 2.x carries out "
            f"{', '.join(known.name for known in COLLECTIVES)}, and replays BROADCAST."
        )


def attribute_of(name: str, value: object, member: str | None = None) -> Attribute:
    """An attribute for a plain Python value, in the member that ASTRA-sim's own traces use for it.

    Raises ConfigError for values that no attribute can hold.

    >>> ae.traces.attribute_of("comm_size", 4096)
    Attribute(value=4096, member='int64_val', doc='')
    >>> ae.traces.attribute_of("is_cpu_op", True)
    Attribute(value=True, member='bool_val', doc='')
    """
    text_of("name of an attribute", name)
    if member is None:
        if isinstance(value, bool):
            member = "bool_val"
        elif isinstance(value, int):
            member = INTEGERS.get(name, "int64_val")
        elif isinstance(value, float):
            member = "double_val"
        elif isinstance(value, str):
            member = "string_val"
        elif isinstance(value, (bytes, bytearray)):
            member = "bytes_val"
        elif isinstance(value, Sequence):
            member = _list_member(name, value)
        else:
            raise ConfigError(
                f"attribute {name} is {shown(value)}; it can be a number, a text, true or false, or a list."
            )
    return Attribute(tuple(value) if isinstance(value, list) else value, member)


INTEGERS = {
    "num_ops": "int64_val",
    "comm_type": "int64_val",
    "comm_size": "int64_val",
    "tensor_size": "uint64_val",
    "comm_priority": "int32_val",
    "comm_src": "int32_val",
    "comm_dst": "int32_val",
    "comm_tag": "int32_val",
}
"""The members of attributes with whole numbers where they aren't int64_val, and of those that a reader looks for."""


def _list_member(name: str, values: Sequence[object]) -> str:
    for kind, member in ((bool, "bool_list"), (int, "int64_list"), (float, "double_list"), (str, "string_list")):
        if all(type(value) is kind for value in values):
            return member
    raise ConfigError(f"attribute {name} is {shown(list(values))}; a list holds values of one kind.")
