"""Networks in InfraGraph, the description of systems that ASTRA-sim 3.0 takes: its files read and written.

Its schema (github.com/Keysight/infragraph, 3.1.0): devices have components, links and edges between components;
instances are devices, so many of each; the infrastructure has links and edges between instances. An annotation is a
second file. The scheme one2one ends with the shorter of both sides, as in InfraGraph's own service.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from astra_edu.base.errors import ConfigError, instance_of, text_of
from astra_edu.base.files import FileName, path_of, read_text, write_text
from astra_edu.formats.infragraph_names import expanded, stem
from astra_edu.formats.infragraph_numbers import annotated, attributes_of, link_numbers
from astra_edu.formats.infragraph_parts import Infrastructure, object_in
from astra_edu.network.graph import GraphNetwork

_GIB = 2**30
_NAME = re.compile(r"[\sA-Za-z0-9_()><-]+")
_DOT = "<>"
_WHAT = "an InfraGraph file"
_TARGETS = ("nodes", "edges", "links", "graph")


def load_infragraph(
    path: FileName,
    *,
    links: Mapping[str, Mapping[str, float]] | None = None,
    npus: str = "xpu",
    annotation: FileName | None = None,
    dims: tuple[int, ...] = (),
    shortest: str = "latency",
    ties: str = "next",
) -> GraphNetwork:
    """The network in an InfraGraph file (YAML or JSON), with all its devices spelled out.

    NPUs are the components of the type `npus` ("xpu", or what a custom component says), in the file's order; all
    other components are switches, called by their full name, such as "server.0.nic.1", or by their instance where it
    is one device of one part. links: for each link by name its "bandwidth" in "GB/s" of 2**30 bytes/s and its "latency"
    in ns, where the file leaves them out or they should be others. annotation: a file of InfraGraph's annotations; a
    node's "rank" is its NPU's number, a link's or an edge's "bandwidth" and "latency" ("400 Gbps", "5 ns") go
    before those of the file, others stay attributes of the graph. dims, shortest, ties: as in GraphNetwork; the schema
    doesn't have them.

    Bandwidths become "GB/s"; they and latencies have 12 digits. Raises ConfigError naming the part for what isn't in
    the schema, links without numbers, bandwidths in GT/s (of how many bytes isn't said), and the scheme "ring" (nor is
    how it joins).

    >>> ring = ae.GraphNetwork(ae.as_graph(ae.Block("Ring", 4, bandwidth=50, latency=500)))
    >>> ae.save_infragraph(ring, "ring.yaml")
    >>> ae.load_infragraph("ring.yaml") == ring
    True
    """
    import networkx as nx

    document, name = _document(path), str(path)
    npus = text_of("npus", npus)
    given = instance_of("links", links or {}, Mapping, "give numbers by the names of links")
    system = Infrastructure.of(document, name)
    notes = _annotations(annotation)
    graph: Any = nx.Graph()
    graph.add_nodes_from((node, {"type": kind}) for node, kind in system.nodes.items())
    missing: dict[str, set[str]] = {}
    for edge in dict.fromkeys(system.edges):
        one, other, device, link = edge
        if graph.has_edge(one, other) and graph.edges[one, other]["link"] != link:
            was = graph.edges[one, other]["link"]
            raise ConfigError(f"{name}: {one} and {other} have two links, {was} and {link}; give one with their sum.")
        numbers = link_numbers(system.link(device, link), f"{name}: link {link}", given.get(link, {}))
        numbers |= annotated(notes, link, one, other, annotation)
        if lacking := {"bandwidth", "latency"} - numbers.keys():
            missing.setdefault(link, set()).update(lacking)
        graph.add_edge(one, other, link=link, **numbers)
    if missing:
        words = ", ".join(f"{link} ({', '.join(sorted(numbers))})" for link, numbers in sorted(missing.items()))
        raise ConfigError(
            f"{name}: links without numbers: {words}. Give them, such as "
            f'links={{"{min(missing)}": {{"bandwidth": 25, "latency": 500}}}} (GB/s of 2**30, ns).'
        )
    _annotate(graph, notes, annotation)
    numbered = _numbered(graph, system, npus, name)
    try:
        return GraphNetwork(numbered, dims=dims, shortest=shortest, ties=ties)
    except ConfigError as error:
        raise ConfigError(f"{name}: {error}") from None


def save_infragraph(network: GraphNetwork, path: FileName) -> None:
    """Write a network as an InfraGraph file: JSON where `path` ends in .json, else YAML.

    Its NPUs are the instance "npu" of a device with one xpu, each switch is an instance of its own, and links with the
    same bandwidth and latency are one link. Raises ConfigError for what the schema doesn't have: directions that
    differ, routes of one's own, and names with other signs than letters, digits, spaces and - _ ( ) < > and dots. A dot
    becomes <> and is read as a dot again, as the schema's names have none. dims, shortest and ties aren't written.

    >>> star = ae.GraphNetwork(ae.as_graph(ae.Block("Switch", 3, bandwidth=50, latency=500)))
    >>> ae.save_infragraph(star, "star.json")
    >>> import json
    >>> [one["name"] for one in json.load(open("star.json"))["instances"]]
    ['npu', 'switch 0<>0']
    """
    instance_of("network", network, GraphNetwork, "give an ae.GraphNetwork")
    if network.own_ways:
        raise ConfigError("InfraGraph has no routes; this network has some of its own.")
    for (one, other), block in network.links.items():
        if network.links.get((other, one)) != block:
            raise ConfigError(f"InfraGraph's links are the same in both directions; that from {one} to {other} isn't.")
    switches = [node for node in network.nodes if isinstance(node, str)]
    for switch in switches:
        if not _NAME.fullmatch(switch.replace(".", _DOT)) or _DOT in switch:
            raise ConfigError(
                f"InfraGraph's names have letters, digits, spaces and - _ ( ) < >; a switch is called {switch!r}."
            )
    own = "npu"
    while own in switches:
        own += "_"
    links: dict[tuple[float, float], str] = {}
    edges = []
    places = {node: place for place, node in enumerate(network.nodes)}
    for (one, other), block in network.links.items():
        if places[one] < places[other]:
            link = links.setdefault((block.bandwidth, block.latency), f"link{len(links) + 1}")
            ends = {"ep1": _end(one, own), "ep2": _end(other, own)}
            edges.append({**ends, "scheme": "one2one", "link": link})
    content = {
        "name": "network",
        "devices": [_device("npu", "xpu", "xpu"), *([_device("switch", "asic", "switch")] if switches else [])],
        "links": [_link(name, *numbers) for numbers, name in links.items()],
        "instances": [
            {"name": own, "device": "npu", "count": network.npus},
            *({"name": switch.replace(".", _DOT), "device": "switch", "count": 1} for switch in switches),
        ],
        "edges": edges,
    }
    if str(path_of(path)).endswith(".json"):
        write_text(path, json.dumps(content, indent=1) + "\n")
    else:
        import yaml

        write_text(path, yaml.safe_dump(content, sort_keys=False))


def _device(name: str, component: str, choice: str) -> dict[str, Any]:
    part = {"name": component, "count": 1, "choice": choice, choice: {}}
    return {"name": name, "components": [part], "links": [], "edges": []}


def _link(name: str, bandwidth: float, latency: float) -> dict[str, Any]:
    rate = {"choice": "gigabytes_per_second", "gigabytes_per_second": bandwidth * _GIB / 1e9}
    return {"name": name, "physical": {"bandwidth": rate, "latency": {"choice": "ns", "ns": latency}}}


def _end(node: object, own: str) -> dict[str, str]:
    if isinstance(node, int):
        return {"instance": f"{own}[{node}]", "component": "xpu[0]"}
    return {"instance": f"{str(node).replace('.', _DOT)}[0]", "component": "asic[0]"}


def _document(path: FileName) -> Any:
    text = read_text(path, _WHAT)
    try:
        if text.lstrip().startswith("{"):
            return json.loads(text)
        import yaml

        return yaml.safe_load(text)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path} is no JSON: {error}.") from None
    except yaml.YAMLError as error:
        raise ConfigError(f"{path} is no YAML: {' '.join(str(error).split())[:200]}.") from None


def _annotations(path: FileName | None) -> dict[str, list[Any]]:
    if path is None:
        return {}
    content = object_in(_document(path), _TARGETS, str(path))
    for key, listed in content.items():
        if not isinstance(listed, list):
            raise ConfigError(f"{path}: {key} is {listed!r:.60}; a list is expected.")
    return content


def _annotate(graph: Any, notes: Mapping[str, list[Any]], path: FileName | None) -> None:
    """Give the nodes and the graph what an annotation says of them."""
    for note in notes.get("nodes", ()):
        said = attributes_of(note, f"{path}: nodes")
        for node in expanded(str(note.get("name")), f"{path}: nodes"):
            if node not in graph:
                raise ConfigError(f"{path}: an annotation is for {node}, which isn't in the graph.")
            graph.nodes[node].update(said)
    graph.graph.update(attributes_of({"attributes": notes.get("graph")}, f"{path}: graph"))


def _numbered(graph: Any, system: Infrastructure, npus: str, name: str) -> Any:
    """The graph with NPUs as numbers, and short names of devices of one part."""
    import networkx as nx

    own = [node for node, kind in system.nodes.items() if kind == npus]
    if len(own) < 2:
        there = ", ".join(sorted(set(system.nodes.values())))
        raise ConfigError(f"{name} has {len(own)} components of the type {npus!r}; there are {there}. Give npus=.")
    ranks = {node: graph.nodes[node].get("rank", str(number)) for number, node in enumerate(own)}
    if sorted(map(str, ranks.values())) != sorted(map(str, range(len(own)))):
        raise ConfigError(f"{name}: the ranks of its {len(own)} NPUs must be 0 to {len(own) - 1}, each once.")
    names: dict[str, Any] = {node: int(rank) for node, rank in ranks.items()}
    names |= {
        node: stem(node).replace(_DOT, ".") for node in system.nodes if node not in names and node in system.single
    }
    for node in graph:
        graph.nodes[node]["infragraph"] = node
    numbered: Any = nx.Graph()
    numbered.add_nodes_from(range(len(own)))
    relabelled = nx.relabel_nodes(graph, names)
    numbered.add_nodes_from(relabelled.nodes(data=True))
    numbered.add_edges_from(relabelled.edges(data=True))
    numbered.graph.update(graph.graph)
    return numbered
