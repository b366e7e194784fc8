"""Traces in JSON: one file for all NPUs, or one for each, PREFIX.0.json, PREFIX.1.json, and so on.

The file for all is {"trace": [[node, ...], ...], "groups": {"1": [0, 1]}, "metadata": [...]}: for every NPU the list
of its nodes, as dicts of astra_edu.traces.plain; the last two may be missing. The file of one NPU is the list of its
nodes. What Chakra's own programs write or read is read, too; see astra_edu.traces.chakra_json.
"""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from astra_edu.base.errors import ConfigError, suggestion
from astra_edu.base.files import FileName, read_text, write_text
from astra_edu.base.json_text import json_errors, keys_once
from astra_edu.traces.chakra_json import from_feeder, from_jsonizer
from astra_edu.traces.groups_file import groups_from
from astra_edu.traces.node import Metadata, Node
from astra_edu.traces.plain import metadata_from_plain, node_from_plain, plain_metadata, plain_node
from astra_edu.traces.trace import Trace
from astra_edu.traces.write_files import check_size

_WHAT = "a trace in JSON"
_SPACE = re.compile(r"\s*")
_MOST_NPUS = 1_000_000
_KEYS = ("trace", "groups", "metadata")


class JsonTrace(NamedTuple):
    """What JSON files hold. nodes, metadata: for each NPU; whole: whether one file is for all NPUs, not for one."""

    nodes: Sequence[tuple[Node, ...]]
    metadata: tuple[Metadata, ...] = ()
    groups: Mapping[str, tuple[int, ...]] | None = None
    whole: bool = True


def read_json_trace(path: FileName, npu: int | None = None) -> JsonTrace:
    """What is in a JSON file. npu: whose file it is, for error sentences.

    Raises ConfigError naming file, NPU and node for what is no trace.
    """
    where = str(path) if npu is None else f"{path} (NPU {npu})"
    text = read_text(path, _WHAT)
    with json_errors(where):
        return _read(_documents(text, where), where)


def _read(documents: Iterator[Any], where: str) -> JsonTrace:
    first = next(documents)
    if isinstance(first, dict) and (hint := _recorded(first)):
        raise ConfigError(f"{where} is {hint}")
    second = next(documents, None)
    if second is not None or (isinstance(first, dict) and not first.keys() & {"trace", "workload_graph"}):
        following = documents if second is None else chain([second], documents)
        metadata, nodes = from_jsonizer(chain([first], following), where)
        return JsonTrace((nodes,), (metadata,), whole=False)
    if isinstance(first, dict) and "workload_graph" in first:
        metadata, nodes = from_feeder(first["workload_graph"], where)
        return JsonTrace((nodes,), (metadata,), whole=False)
    if isinstance(first, list) and not all(isinstance(listed, list) for listed in first):
        return JsonTrace((_nodes(first, where),), whole=False)
    return _all_npus(first if isinstance(first, dict) else {"trace": first}, where)


def _recorded(document: Mapping[str, Any]) -> str:
    """What a document is that PyTorch wrote, and who reads it; empty for others."""
    if isinstance(document.get("traceEvents"), list):
        return "the profiler's trace of PyTorch (Kineto); traces.from_pytorch takes it with the execution trace."
    if isinstance(document.get("nodes"), list) and "schema" in document:
        return (
            "an execution trace of PyTorch; traces.from_pytorch reads it with the profiler's trace (Kineto), which has "
            "the times."
        )
    return ""


def write_json_trace(path: FileName, trace: Trace) -> None:
    """Write one JSON file for all NPUs, a node a line. What was read from a trace's files stays as it was."""
    check_size(trace)
    made: dict[Hashable, str] = {}
    keys = [trace.templates.key(npu) for npu in range(trace.npus)]
    for key, nodes in zip(keys, trace.nodes, strict=True):
        if key not in made:
            made[key] = _lines([plain_node(node) for node in nodes], 2)
    parts = [f'"trace": {_block([made[key] for key in keys], 1)}']
    if trace.groups:
        listed = ",\n".join(f"  {json.dumps(name)}: {list(npus)}" for name, npus in trace.groups.items())
        parts.append(f'"groups": {{\n{listed}\n }}')
    if trace.metadata:
        parts.append(f'"metadata": {_lines([plain_metadata(one) for one in trace.metadata], 1)}')
    write_text(path, "{\n " + ",\n ".join(parts) + "\n}\n")


def _lines(values: Sequence[Any], depth: int) -> str:
    return _block([json.dumps(value) for value in values], depth)


def _block(items: Sequence[str], depth: int) -> str:
    inner, outer = " " * (depth + 1), " " * depth
    return f"[\n{inner}" + f",\n{inner}".join(items) + f"\n{outer}]" if items else "[]"


def _documents(text: str, where: str) -> Iterator[Any]:
    """The JSON objects and lists in a text, one after the other."""
    decoder = json.JSONDecoder(object_pairs_hook=keys_once(where))
    at = 0
    while (at := _SPACE.match(text, at).end()) < len(text):  # type: ignore[union-attr]
        document, at = decoder.raw_decode(text, at)
        if not isinstance(document, (dict, list)):
            raise ConfigError(f"{where} is JSON, but no trace: {document!r:.60}.")
        yield document


def _all_npus(values: Mapping[str, Any], where: str) -> JsonTrace:
    for key in values:
        if key not in _KEYS:
            raise ConfigError(f"{where}: unknown key {key!r}; {suggestion(key, _KEYS)}")
    listed = values["trace"]
    if not isinstance(listed, list) or not listed:
        raise ConfigError(f"{where}: the trace is {listed!r:.60}; it should be a list with the nodes of every NPU.")
    if len(listed) > _MOST_NPUS:
        raise ConfigError(f"{where} is for {len(listed):,} NPUs; {_MOST_NPUS:,} is the most.")
    same: dict[str, tuple[Node, ...]] = {}
    nodes = []
    for npu, content in enumerate(listed):
        key = json.dumps(content)
        if key not in same:
            same[key] = _nodes(content, f"{where} (NPU {npu})")
        nodes.append(same[key])
    metadata = values.get("metadata", [])
    if not isinstance(metadata, list) or len(metadata) not in (0, len(nodes)):
        raise ConfigError(f"{where}: metadata should be a list with an object for each of the {len(nodes)} NPUs.")
    found = tuple(metadata_from_plain(one, f"{where}: metadata of NPU {npu}") for npu, one in enumerate(metadata))
    groups = groups_from(values["groups"], where) if "groups" in values else None
    return JsonTrace(tuple(nodes), found, groups)


def _nodes(content: Any, where: str) -> tuple[Node, ...]:
    if not isinstance(content, list):
        raise ConfigError(f"{where}: its nodes are {content!r:.60}; they should be a list of objects.")
    return tuple(node_from_plain(values, f"{where}, node number {k}") for k, values in enumerate(content, start=1))
