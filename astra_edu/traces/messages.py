"""Nodes and metadata as Chakra's protobuf messages, and back, with nothing lost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, cast

from astra_edu.base.errors import ConfigError, suggestion
from astra_edu.traces.node import FIELDS, Attribute, Metadata, Node, NodeType, Tensors
from astra_edu.traces.schema import MEMBERS, messages


def node_of(message: Any) -> Node:
    """The node that a message holds. Raises ConfigError for a type that Chakra doesn't have, or a name twice."""
    name = f"node {message.id} ({message.name[:60]})"
    try:
        kind = NodeType(message.type)
    except ValueError:
        raise ConfigError(f"{name}: its type is {message.type}; 0 to {max(NodeType)} is known.") from None
    return Node(
        id=message.id,
        name=message.name,
        type=kind,
        data_deps=tuple(message.data_deps),
        ctrl_deps=tuple(message.ctrl_deps),
        duration_micros=message.duration_micros,
        start_time_micros=message.start_time_micros,
        attributes=_attributes(message.attr, name),
        inputs=_tensors(message, "inputs"),
        outputs=_tensors(message, "outputs"),
    )


def metadata_of(message: Any) -> Metadata:
    """The metadata that a message holds. Raises ConfigError for an attribute that is there twice."""
    return Metadata(message.version, _attributes(message.attr, "metadata"))


def metadata_and_nodes(parsed: Iterable[tuple[object, Any]]) -> tuple[Metadata, tuple[Node, ...]]:
    """What a file's messages hold. parsed: (how error sentences call it, message), the first one the metadata.

    Raises ConfigError for what node_of and metadata_of refuse, and for a number that two nodes have.
    """
    metadata = None
    nodes: dict[int, Node] = {}
    for place, message in parsed:
        try:
            if metadata is None:
                metadata = metadata_of(message)
                continue
            node = node_of(message)
        except ConfigError as error:
            raise ConfigError(f"{place}: {error}") from error
        if node.id in nodes:
            names = f"{nodes[node.id].name[:60]}, {node.name[:60]}"
            raise ConfigError(f"{place}: two nodes have the number {node.id} ({names}).")
        nodes[node.id] = node
    return metadata or Metadata(), tuple(nodes.values())


def node_message(node: Node) -> Any:
    """The message for a node. Raises ConfigError for what the schema has no place for."""
    try:
        message = messages().node(**{field: getattr(node, field) for field in FIELDS})
        for field, texts in (("inputs", node.inputs), ("outputs", node.outputs)):
            if texts is not None:
                getattr(message, field).SetInParent()
                for text, value in texts._asdict().items():
                    setattr(getattr(message, field), text, value)
    except (TypeError, ValueError, OverflowError) as error:
        raise ConfigError(f"{node.label} doesn't fit into Chakra's schema: {error}.") from error
    _add_attributes(message, node.attributes, node.label)
    return message


def metadata_message(metadata: Metadata) -> Any:
    """The message for a file's metadata. Raises ConfigError for what the schema has no place for."""
    try:
        message = messages().metadata(version=metadata.version)
    except (TypeError, ValueError, OverflowError) as error:
        raise ConfigError(f"the metadata doesn't fit into Chakra's schema: {error}.") from error
    _add_attributes(message, metadata.attributes, "metadata")
    return message


def strange_field(message: Any) -> str | None:
    """A field that doesn't belong into a message that was parsed: what is wrong with it; None where all is well.

    protobuf itself passes over fields with unknown numbers, and over those whose bytes are of the wrong kind.
    """
    from google.protobuf.unknown_fields import UnknownFieldSet

    for part in _parts(message):
        for unknown in cast(Iterable[Any], UnknownFieldSet(part)):  # its type stubs don't say that it can be iterated
            known = part.DESCRIPTOR.fields_by_number.get(unknown.field_number)
            owner = part.DESCRIPTOR.name
            if known is None:
                return f"field {unknown.field_number}, which {owner} doesn't have in Chakra's schema 0.0.4 to 1.0.0"
            return f"bytes of the wrong kind (wire type {unknown.wire_type}) in the field {owner}.{known.name}"
    return None


def _parts(message: Any) -> Iterator[Any]:
    yield message
    for field, value in message.ListFields():
        if field.message_type is not None:
            inside = [value] if hasattr(value, "DESCRIPTOR") else value
            yield from chain.from_iterable(map(_parts, inside))


def _attributes(listed: Any, owner: str) -> dict[str, Attribute]:
    attributes = {}
    for one in listed:
        member = one.WhichOneof("value") or ""
        value: Any = getattr(one, member) if member else None
        if member.endswith("_list"):
            value = tuple(value.values)
        if one.name in attributes:
            raise ConfigError(f"{owner} has the attribute {one.name[:60]!r} twice.")
        attributes[one.name] = Attribute(value, member, one.doc_string)
    return attributes


def _tensors(message: Any, field: str) -> Tensors | None:
    if not message.HasField(field):
        return None
    texts = getattr(message, field)
    return Tensors(texts.values, texts.shapes, texts.types)


def _add_attributes(message: Any, attributes: Mapping[str, Attribute], owner: str) -> None:
    for name, attribute in attributes.items():
        value, member, doc = attribute
        if member and member not in MEMBERS:
            raise ConfigError(f"{owner}, attribute {name}: its member is {member!r}; {suggestion(member, MEMBERS)}")
        try:
            one = message.attr.add(name=name, doc_string=doc)
            if member.endswith("_list"):
                values = getattr(one, member)
                values.SetInParent()
                values.values.extend(value)
            elif member:
                setattr(one, member, value)
        except (TypeError, ValueError, OverflowError) as error:
            raise ConfigError(f"{owner}, attribute {name}: {value!r:.60} is no {member} ({error}).") from error
