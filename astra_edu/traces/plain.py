"""Nodes as plain dicts, the form of traces in JSON: an attribute is its value wherever that says everything.

Where it doesn't, the attribute is a dict of the member that holds it and of its description, such as
{"uint64_val": 5, "doc": "in bytes"}; bytes are base64 text.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from binascii import Error
from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import isfinite
from sys import float_info
from typing import Any

from astra_edu.base.errors import ConfigError, choice, shown, suggestion, whole, whole_64
from astra_edu.traces.node import FIELDS, Attribute, Metadata, Node, NodeType, Tensors, attribute_of
from astra_edu.traces.quick_node import node_of_fields
from astra_edu.traces.schema import MEMBERS

_LARGEST_DOUBLE = float_info.max
_LARGEST_FLOAT = float.fromhex("0x1.fffffep+127")
_TENSORS = ("inputs", "outputs")
_FIELDS = (*FIELDS, "attr", *_TENSORS)
_KNOWN_FIELDS = frozenset(_FIELDS)
_NUMBERS = (bool, int)
_SHORT = 100


def node_from_plain(values: Mapping[str, Any], where: str) -> Node:
    """The node of such a dict. Raises ConfigError, beginning with `where`, for what makes no node."""
    if type(values) is not dict and not isinstance(values, Mapping):
        raise ConfigError(f"{where} is {shown(values, 80)}; a node is an object with id, name, type and so on.")
    for key in () if values.keys() <= _KNOWN_FIELDS else values:
        if key not in _FIELDS:
            raise ConfigError(f"{where}: unknown field {shown(key)}; {suggestion(key, _FIELDS)}")
    for key in ("id", "type"):
        if key not in values:
            raise ConfigError(f"{where} has no {key}.")
    number = _whole(values, "id", where)
    where = f"{where} (id {number})"
    kind = values["type"]
    if not isinstance(kind, NodeType):
        kind = NodeType[choice(f"{where}: type", kind, NodeType.__members__)]
    attributes = values.get("attr", {})
    if type(attributes) is not dict and not isinstance(attributes, Mapping):
        raise ConfigError(f"{where}: attr is {shown(attributes, 80)}; it should be a dict.")
    name = values.get("name", f"{kind.name.lower()}_{number}")
    return node_of_fields(
        number,
        name if isinstance(name, str) else shown(name),
        kind,
        _numbers(values, "data_deps", where),
        _numbers(values, "ctrl_deps", where),
        _whole(values, "duration_micros", where),
        _whole(values, "start_time_micros", where),
        attributes_from_plain(attributes, where),
        *(_tensors(values[field], f"{where}: {field}") if field in values else None for field in _TENSORS),
    )


def plain_node(node: Node) -> dict[str, Any]:
    """The dict of a node, without the fields that have nothing to say."""
    fields = {key: getattr(node, key) for key in FIELDS} | {"type": node.type.name}
    fields |= {"data_deps": list(node.data_deps), "ctrl_deps": list(node.ctrl_deps)}
    fields["attr"] = plain_attributes(node.attributes)
    kept = {key: value for key, value in fields.items() if value or key in ("id", "name", "type")}
    for field, texts in (("inputs", node.inputs), ("outputs", node.outputs)):
        if texts is not None:
            kept[field] = {text: value for text, value in texts._asdict().items() if value}
    return kept


def metadata_from_plain(values: Any, where: str) -> Metadata:
    """A file's metadata: {"version": ..., "attr": {...}}."""
    if not isinstance(values, Mapping) or values.keys() - {"version", "attr"}:
        raise ConfigError(f'{where} is {shown(values, 80)}; metadata are an object such as {{"version": "0.0.4"}}.')
    version, attributes = values.get("version", ""), values.get("attr", {})
    if not isinstance(version, str) or not isinstance(attributes, Mapping):
        raise ConfigError(
            f"{where}: version is a text and attr an object; they are {shown(version, 40)}, {shown(attributes, 40)}."
        )
    return Metadata(version, attributes_from_plain(attributes, where))


def plain_metadata(metadata: Metadata) -> dict[str, Any]:
    """The dict of a file's metadata."""
    plain: dict[str, Any] = {"version": metadata.version}
    return plain | {"attr": plain_attributes(metadata.attributes)} if metadata.attributes else plain


def attributes_from_plain(values: Mapping[str, Any], where: str) -> dict[str, Attribute]:
    """Attributes from their plain values. Raises ConfigError for values that their members can't hold."""
    found = {}
    for name, value in values.items():
        if type(name) is str and (type(value) in _NUMBERS or (type(value) is str and len(value) < _SHORT)):
            try:
                found[name] = _simple(name, value)
                continue
            except ConfigError:  # said below, with the place where it is
                pass
        place = f"{where}: attribute {name}"
        if isinstance(value, Attribute):
            found[str(name)] = value
        elif value is None:
            found[str(name)] = Attribute(None, "")
        elif isinstance(value, Mapping):
            found[str(name)] = _explicit(value, place)
        else:
            try:
                plain = attribute_of(str(name), value)
            except ConfigError as error:
                raise ConfigError(f"{where}: {error}") from None
            found[str(name)] = plain._replace(value=_checked(plain.value, plain.member, place))
    return found


@lru_cache(maxsize=20_000, typed=True)
def _simple(name: str, value: bool | int | str) -> Attribute:
    """The attribute of a value that most nodes have; equal ones are one."""
    made = attribute_of(name, value)
    return Attribute(_checked(value, made.member, name), made.member)


def plain_attributes(attributes: Mapping[str, Attribute]) -> dict[str, Any]:
    """Attributes as plain values where these say everything, else with their members."""
    return {name: _plain(name, attribute) for name, attribute in attributes.items()}


def _plain(name: str, attribute: Attribute) -> Any:
    value, member, doc = attribute
    kind = MEMBERS.get(member)
    value = list(value) if member.endswith("_list") else value
    if kind == "bytes":
        value = [b64encode(one).decode() for one in value] if isinstance(value, list) else b64encode(value).decode()
    elif not doc and (value is None or attribute_of(name, value) == attribute):
        return value
    return {member: value} | ({"doc": doc} if doc else {})


def _explicit(values: Mapping[str, Any], where: str) -> Attribute:
    members = [key for key in values if key != "doc"]
    doc = values.get("doc", "")
    if len(members) != 1 or not isinstance(doc, str):
        raise ConfigError(
            f'{where} is {shown(dict(values), 80)}; one member and its value are expected, as in {{"int64_val": 5}}.'
        )
    member = members[0]
    if member == "" and values[member] is None:
        return Attribute(None, "", doc)
    if member not in MEMBERS:
        raise ConfigError(f"{where}: its member is {shown(member)}; {suggestion(member, MEMBERS)}")
    return Attribute(_checked(values[member], member, where), member, doc)


def _checked(value: Any, member: str, where: str) -> Any:
    kind = MEMBERS[member]
    if member.endswith("_list"):
        if not isinstance(value, (list, tuple)):
            raise ConfigError(f"{where} is {shown(value, 60)}; {member} needs a list.")
        return tuple(_one(one, kind, where) for one in value)
    return _one(value, kind, where)


def _one(value: Any, kind: str, where: str) -> Any:
    if kind == "bytes":
        if isinstance(value, (bytes, bytearray)):
            return bytes(value)
        try:
            return b64decode(value, validate=True)
        except (Error, TypeError, ValueError):
            pass
    elif kind in ("bool", "string"):
        if type(value) is (bool if kind == "bool" else str):
            return value
    elif kind in ("double", "float"):
        most = _LARGEST_FLOAT if kind == "float" else _LARGEST_DOUBLE
        if type(value) is float and not isfinite(value):
            return value
        if type(value) in (int, float) and abs(value) <= most:
            return float(value)
    elif type(value) is int:
        bits = int(kind[-2:])
        least, most = (0, 2**bits - 1) if kind[0] in "uf" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
        if least <= value <= most:
            return value
        raise ConfigError(f"{where} is {shown(value, 60)}; {kind} holds {least} to {most}.")
    raise ConfigError(f"{where} is {shown(value, 60)}; it should be a {kind}{' in base64' if kind == 'bytes' else ''}.")


def _whole(values: Mapping[str, Any], key: str, where: str) -> int:
    number = values.get(key, 0)
    return number if type(number) is int and 0 <= number < 2**64 else whole_64(f"{where}: {key}", number)


def _numbers(values: Mapping[str, Any], key: str, where: str) -> tuple[int, ...]:
    listed = values.get(key, ())
    if type(listed) in (list, tuple) and all(type(number) is int and 0 <= number < 2**64 for number in listed):
        return tuple(listed)
    if not isinstance(listed, Sequence) or isinstance(listed, (str, bytes)):
        raise ConfigError(f"{where}: {key} is {shown(listed, 80)}; it should be a list of node ids.")
    return tuple(whole(f"{where}: an entry of {key}", number, at_least=0) for number in listed)


def _tensors(values: Any, where: str) -> Tensors:
    known = Tensors._fields
    if not isinstance(values, Mapping) or values.keys() - set(known):
        raise ConfigError(f"{where} is {shown(values, 60)}; an object with {', '.join(known)} is expected.")
    for key, value in values.items():
        if not isinstance(value, str):
            raise ConfigError(f"{where}: {key} is {shown(value, 60)}; it should be a text.")
    return Tensors(**values)
