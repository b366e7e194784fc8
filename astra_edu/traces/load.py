"""Traces from and to files: PREFIX.0.et, PREFIX.1.et, ... as ASTRA-sim 2.x has them, or JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from astra_edu.base.errors import ConfigError, choice, flag, instance_of
from astra_edu.base.few_collections import few_collections
from astra_edu.base.files import FileName, path_of, what_is_at
from astra_edu.base.progress import Bar
from astra_edu.traces.accidents import warn_of_accidents
from astra_edu.traces.communication import check_communication
from astra_edu.traces.et_bytes import Reader
from astra_edu.traces.et_file import MOST_NODES, fingerprint, read_et, too_many
from astra_edu.traces.files_alike import FilesAlike
from astra_edu.traces.groups_file import Groups, groups_from, read_groups, recorded_groups
from astra_edu.traces.json_file import JsonTrace, read_json_trace, write_json_trace
from astra_edu.traces.make import groups_of
from astra_edu.traces.missing_parents import without_missing
from astra_edu.traces.node import Metadata, Node
from astra_edu.traces.shared_nodes import SharedNodes
from astra_edu.traces.trace import Trace, check_groups
from astra_edu.traces.trace_files import files_of, is_trace, prefix_of
from astra_edu.traces.write_files import write_ranks

__all__ = ["is_trace", "load_trace", "save_trace"]


FEWEST_ALIKE = 128
"""Of so many files it is looked which are alike; fewer are read sooner than they are compared."""


def load_trace(
    path: FileName,
    groups: FileName | Mapping[Any, Sequence[int]] | None = None,
    check: bool = True,
    missing_parents: str = "refuse",
) -> Trace:
    """Read a trace: by the prefix of its files, by one of them, or from one JSON file for all NPUs.

    groups: process groups, as a mapping or the file of them. By default they are those of PREFIX.groups.json, if there
    is one, or of the JSON file; where that has none, a group has the NPUs that name it. Those that a PyTorch trace
    notes itself are added. Files with the same bytes share their nodes, and files of NPUs that do the same up to peers,
    groups, numbers and tags a template (see Trace.templates): two of each role are read, the others compared with them
    byte by byte. Of different nodes there may be 5 million. check: look at the communication, too (see
    check_communication), and warn of what ASTRA-sim would do by accident; a trace that is only replayed or drawn
    needs none of that.

    missing_parents: "refuse" a node that waits for one that isn't in the file, as ASTRA-sim does, or "ignore" the
    waiting. The latter is for what Chakra's converter makes of PyTorch's traces: mlc-chakra 1.0.0 leaves out the root
    of the operators' tree and keeps the control dependencies on it.

    Raises ConfigError naming file, NPU and node for what can't be read, for NPUs without a file, and for traces that
    can't work out.

    >>> ae.traces.save_trace(ae.traces.collective("all_reduce", "1 MiB", npus=2), "all_reduce")
    >>> ae.traces.load_trace("all_reduce")
    <trace of 2 NPUs, 1 nodes each, all alike>
    """
    with few_collections():
        choice("missing_parents", missing_parents, ("refuse", "ignore"))
        flag("check", check)
        files = files_of(path)
        alone = len(files) == 1 and files[0].suffix == ".json"
        read = read_json_trace(files[0]) if alone else _ranks(files, together=missing_parents == "refuse")
        if missing_parents == "ignore":
            read = read._replace(nodes=without_missing(read.nodes))
        names = tuple(map(str, files * len(read.nodes) if len(files) == 1 else files))
        given, where = dict(read.groups or {}), str(files[0])
        if groups is None and not alone and (beside := Path(f"{prefix_of(files[0])}.groups.json")).is_file():
            groups = beside
        if isinstance(groups, Mapping):
            given, where = groups_from(groups, "groups"), "groups"
        elif groups is not None:
            given, where = read_groups(groups), str(groups)
        try:
            check_groups(given, len(read.nodes))
        except ConfigError as error:
            raise ConfigError(f"{where}: {error}") from None
        all_groups = _with_recorded(given, read.nodes, names)
        if alone and groups is None and read.groups is None:
            all_groups = {name: tuple(members) for name, members in groups_of(read.nodes).items()} | all_groups
        trace = Trace(read.nodes, all_groups, names, read.metadata)
        if check:
            check_communication(trace)
            warn_of_accidents(trace)
        return trace


def save_trace(trace: Trace, path: FileName, compressed: bool = False) -> None:
    """Write a trace: as PREFIX.0.et, PREFIX.1.et, ..., or as one JSON file where `path` ends in .json.

    Process groups are written to PREFIX.groups.json, for ASTRA-sim's --comm-group-configuration. compressed: with
    gzip. From 256 NPUs on, equal files are one with several names (hard links), where the file system has such; of
    those that differ in numbers, peers, tags and groups only, what is equal is encoded once. An error, or Ctrl-C,
    leaves no new files, and says which older ones have been written over.

    Raises ConfigError where the prefix has files of more NPUs already, since they would be read with these, where the
    disk has no room, and for a JSON file of more nodes than can be read again (5 million different ones).

    >>> from pathlib import Path
    >>> ae.traces.save_trace(ae.traces.collective("all_to_all", 4096, npus=2), "exchange")
    >>> sorted(path.name for path in Path().glob("exchange.*"))
    ['exchange.0.et', 'exchange.1.et']
    """
    instance_of("trace", trace, Trace, "give one such as ae.traces.collective(...)")
    flag("compressed", compressed)
    if str(path_of(path)).endswith(".json"):
        write_json_trace(path, trace)
        return
    more = Path(f"{path}.{trace.npus}.et")
    if what_is_at(more, "a trace"):
        raise ConfigError(f"{more} is there already: it is of a trace of more NPUs than these {trace.npus}. Delete it.")
    write_ranks(path, trace, compressed)


def _ranks(files: Sequence[Path], together: bool) -> JsonTrace:
    """What each NPU's file holds; those with the same bytes are read once.

    together: as are, of many, those that are alike up to names, none of which waits for what isn't there.
    """
    together = together and len(files) >= FEWEST_ALIKE
    known: dict[bytes, int] = {}
    prints: dict[tuple[int, int], bytes] = {}
    reader = Reader()
    alike = FilesAlike(len(files), reader)
    with Bar("reading the trace", " files", len(files)) as bar:
        for npu, file in enumerate(files):
            bar.show(npu)
            key, content = fingerprint(file, prints)
            if key in known:
                alike.again(npu, known[key])
            elif not (together and content and alike.same(npu, content)):
                most = max(MOST_NODES - alike.kept, alike.longest)
                read = _rank(file, npu, most, reader, content)
                alike.add(npu, content if together else None, read.metadata[0], read.nodes[0])
                if alike.kept > MOST_NODES:
                    raise ConfigError(too_many(f"{file} (NPU {npu})", MOST_NODES))
            known[key] = npu
    return JsonTrace(alike.nodes, tuple(alike.metadata))


def _rank(file: Path, npu: int, most_nodes: int, reader: Reader, content: bytes | None) -> JsonTrace:
    if file.suffix != ".json":
        metadata, nodes = read_et(file, npu, most_nodes, reader, content)
        return JsonTrace((nodes,), (metadata,))
    read = read_json_trace(file, npu)
    if read.whole:
        raise ConfigError(f"{file} (NPU {npu}) holds the nodes of {len(read.nodes)} NPUs; name it without a number.")
    return read if read.metadata else read._replace(metadata=(Metadata(),))


def _with_recorded(
    given: Groups, nodes: Sequence[tuple[Node, ...]], names: Sequence[str]
) -> dict[str, tuple[int, ...]]:
    groups = dict(given)
    seen: set[int] = set()
    own = [(npu, nodes[npu]) for npu in nodes.first] if isinstance(nodes, SharedNodes) else enumerate(nodes)
    for npu, listed in own:
        if id(listed) in seen:
            continue
        seen.add(id(listed))
        where = f"{names[npu]} (NPU {npu})"
        for name, members in recorded_groups(listed, len(nodes), where).items():
            if groups.setdefault(name, members) != members:
                raise ConfigError(
                    f"{where} notes {list(members)[:20]} as process group {name}; "
                    f"given before was {list(groups[name])[:20]}."
                )
    return groups
