"""Chakra's messages for the protobuf package, made at run time: no generated code whose version has to fit.

The schema is that of Chakra 0.0.4 to 1.0.0. protobuf itself is imported when the first file is read or written.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from astra_edu.traces.node import NodeType

if TYPE_CHECKING:
    from google.protobuf.descriptor_pb2 import FileDescriptorProto

KINDS = (
    *("double", "float", "int32", "int64", "uint32", "uint64", "sint32", "sint64"),
    *("fixed32", "fixed64", "sfixed32", "sfixed64", "bool", "string", "bytes"),
)
"""The kinds of value that an attribute can hold, in the order of their field numbers."""

MEMBERS = {f"{kind}_{form}": kind for kind in KINDS for form in ("val", "list")}
"""Every member of AttributeProto's value, with the kind of its value or of its list's values."""

_PACKAGE = "chakra"
FIRST_MEMBER = 3
"""The number of the first of them."""

_FIELDS = {
    "GlobalMetadata": ("version: string", "attr: AttributeProto*"),
    "IOInfo": ("values: string", "shapes: string", "types: string"),
    "Node": (
        *("id: uint64", "name: string", "type: NodeType", "ctrl_deps: uint64*", "data_deps: uint64*"),
        *("start_time_micros: uint64", "duration_micros: uint64", "inputs: IOInfo", "outputs: IOInfo"),
        "attr: AttributeProto*",
    ),
    **{f"{kind.capitalize()}List": (f"values: {kind}*",) for kind in KINDS},
}
"""Every message but AttributeProto: its fields, numbered from 1; * for those that repeat."""


class MessageClasses(NamedTuple):
    """The classes of the two messages that a trace file consists of."""

    metadata: Any
    node: Any


@cache
def messages() -> MessageClasses:
    """The message classes. They live in a pool of their own, where no installed Chakra package is in their way."""
    from google.protobuf import descriptor_pool, message_factory

    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(_file().SerializeToString())

    def message(name: str) -> Any:
        return message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{_PACKAGE}.{name}"))

    return MessageClasses(message("GlobalMetadata"), message("Node"))


def _file() -> FileDescriptorProto:
    from google.protobuf.descriptor_pb2 import FileDescriptorProto

    file = FileDescriptorProto(name="chakra.proto", package=_PACKAGE, syntax="proto3")
    types = file.enum_type.add(name="NodeType")
    for node_type in NodeType:
        types.value.add(name=node_type.name, number=node_type)

    for name, fields in _FIELDS.items():
        message = file.message_type.add(name=name)
        for number, field in enumerate(fields, start=1):
            _add(message, number, *field.split(": "))

    attribute = file.message_type.add(name="AttributeProto")
    _add(attribute, 1, "name", "string")
    _add(attribute, 2, "doc_string", "string")
    attribute.oneof_decl.add(name="value")
    for number, (member, kind) in enumerate(MEMBERS.items(), start=FIRST_MEMBER):
        _add(attribute, number, member, f"{kind.capitalize()}List" if member.endswith("_list") else kind)
        attribute.field[-1].oneof_index = 0
    return file


def _add(message: Any, number: int, name: str, kind: str) -> None:
    field = message.field.add(name=name, number=number)
    repeated, kind = kind.endswith("*"), kind.rstrip("*")
    field.label = field.LABEL_REPEATED if repeated else field.LABEL_OPTIONAL
    if kind in KINDS:
        field.type = getattr(field, f"TYPE_{kind.upper()}")
    else:
        field.type = field.TYPE_ENUM if kind == "NodeType" else field.TYPE_MESSAGE
        field.type_name = f".{_PACKAGE}.{kind}"
