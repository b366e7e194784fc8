"""The two kinds of JSON that Chakra's own programs know, each for one NPU: read only.

The jsonizer writes protobuf's JSON, the metadata and one object a node, one after the other. The feeder reads an
object with a list "workload_graph"; of a node it takes the keys that are listed here, and no control dependencies.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from astra_edu.base.errors import ConfigError, whole
from astra_edu.traces.messages import metadata_and_nodes
from astra_edu.traces.node import Metadata, Node, NodeType
from astra_edu.traces.plain import node_from_plain
from astra_edu.traces.schema import messages

_FEEDER_FIELDS = {"Id": "id", "Name": "name", "runtime": "duration_micros", "data_deps": "data_deps"}
_FEEDER_ATTRIBUTES = (
    *("is_cpu_op", "num_ops", "tensor_size", "comm_type", "comm_priority", "comm_size"),
    *("comm_src", "comm_dst", "comm_tag"),
)


def from_jsonizer(documents: Iterable[Any], where: str) -> tuple[Metadata, tuple[Node, ...]]:
    """What the jsonizer wrote. Raises ConfigError naming the node for what isn't in Chakra's schema."""

    def parsed() -> Iterator[tuple[str, Any]]:
        for number, document in enumerate(documents):
            place = f"{where}, node number {number}" if number else f"{where}, its metadata"
            yield place, _message(messages().node if number else messages().metadata, document, place)

    return metadata_and_nodes(parsed())


def from_feeder(graph: Any, where: str) -> tuple[Metadata, tuple[Node, ...]]:
    """The nodes of a "workload_graph". Raises ConfigError naming the node for what makes no node."""
    if not isinstance(graph, list):
        raise ConfigError(f"{where}: workload_graph is {graph!r:.60}; a list of nodes is expected.")
    return Metadata(""), tuple(_from_feeder(values, f"{where}, node number {k}") for k, values in enumerate(graph, 1))


def _from_feeder(values: Any, where: str) -> Node:
    if not isinstance(values, Mapping) or "Id" not in values or "NodeType" not in values:
        raise ConfigError(f"{where} is {values!r:.60}; it needs an Id and a NodeType.")
    kind = whole(f"{where}: NodeType", values["NodeType"], at_least=0)
    if kind > max(NodeType):
        raise ConfigError(f"{where}: its NodeType is {kind}; 0 to {max(NodeType)} is known.")
    plain: dict[str, Any] = {ours: values[theirs] for theirs, ours in _FEEDER_FIELDS.items() if theirs in values}
    attributes = {name: values[name] for name in _FEEDER_ATTRIBUTES if name in values}
    return node_from_plain({**plain, "type": NodeType(kind).name, "attr": attributes}, where)


def _message(kind: Any, document: Any, where: str) -> Any:
    from google.protobuf.json_format import ParseDict, ParseError

    if not isinstance(document, dict):
        raise ConfigError(f"{where} is {document!r:.60}; an object is expected.")
    try:
        return ParseDict(document, kind())
    except (ParseError, TypeError, ValueError, RecursionError, AttributeError) as error:
        raise ConfigError(f"{where}: {str(error)[:200]}") from None
