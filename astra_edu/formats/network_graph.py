"""A network that is a graph, as a file: NetworkX's node-link JSON, which many tools read and write.

ASTRA-sim has no such file. Beside nodes and edges, the graph's own attributes say how messages find their way.
"""

from __future__ import annotations

import json
from typing import Any

from astra_edu.base.errors import ConfigError, instance_of
from astra_edu.formats.json_objects import parse_object
from astra_edu.network.graph import GraphNetwork
from astra_edu.network.shortest import LinkName, natural

LARGEST = 16 * 2**20
_KEYS = ("directed", "multigraph", "graph", "nodes", "edges", "links")
_SETTINGS = ("npus", "dims", "shortest", "ties")


def parse_graph(text: str, name: str = "graph file") -> GraphNetwork:
    """The network in a node-link JSON. Raises ConfigError naming the file, what is wrong in it and what is expected.

    Its "graph" may have GraphNetwork's npus, dims, shortest, ties, and routes as a list of ways. NetworkX's older
    "links" do for "edges".

    >>> from astra_edu.formats import format_graph, parse_graph
    >>> ring = ae.GraphNetwork(ae.as_graph(ae.Block("Ring", 4, bandwidth=50, latency=500)))
    >>> parse_graph(format_graph(ring)) == ring
    True
    """
    content = parse_object(text, name, _KEYS, LARGEST)
    graph = _graph(content, name)
    settings = content.get("graph", {})
    if not isinstance(settings, dict):
        raise ConfigError(f"{name}: graph is {settings!r:.60}; an object with attributes is expected.")
    routes = {(way[0], way[-1]): way for way in _list(settings, "routes", name) if _is_way(way, name)}
    try:
        return GraphNetwork(graph, routes=routes, **{key: settings[key] for key in _SETTINGS if key in settings})
    except ConfigError as error:
        raise ConfigError(f"{name}: {error}") from None


def format_graph(network: GraphNetwork) -> str:
    """The file's text: an edge a line, once where both directions are alike everywhere.

    >>> from astra_edu.formats import format_graph
    >>> text = format_graph(ae.GraphNetwork(ae.as_graph(ae.Block("Ring", 4, bandwidth=50, latency=500))))
    >>> print(*[line.strip() for line in text.splitlines() if "source" in line][:2], sep="\\n")
    {"source": 0, "target": 1, "bandwidth": 50.0, "latency": 500.0},
    {"source": 0, "target": 3, "bandwidth": 50.0, "latency": 500.0},
    """
    instance_of("network", network, GraphNetwork, "give an ae.GraphNetwork")
    links = network.links
    both = all(links.get((head, tail)) == block for (tail, head), block in links.items())
    shown = {_one_way(link, both): block for link, block in links.items()}
    settings: dict[str, Any] = {key: getattr(network, key) for key in _SETTINGS}
    if network.own_ways:
        settings["routes"] = list(network.own_ways.values())
    edges = [
        {"source": tail, "target": head, "bandwidth": block.bandwidth, "latency": block.latency}
        for (tail, head), block in sorted(shown.items(), key=lambda item: _rank(item[0]))
    ]
    parts = {
        "directed": json.dumps(not both),
        "multigraph": "false",
        "graph": json.dumps(settings),
        "nodes": f"[{', '.join(json.dumps({'id': node}) for node in network.nodes)}]",
        "edges": "[\n    " + ",\n    ".join(map(json.dumps, edges)) + "\n  ]",
    }
    return "{\n" + ",\n".join(f'  "{key}": {part}' for key, part in parts.items()) + "\n}\n"


def _one_way(link: LinkName, both: bool) -> LinkName:
    """The name under which a link and its way back are the same one."""
    return link if not both else min(link, link[::-1], key=_rank)


def _rank(link: LinkName) -> list[tuple[bool, object]]:
    """NPUs first, then switches by their names."""
    return [(isinstance(end, str), natural(end)) for end in link]


def _graph(content: dict[str, Any], name: str) -> Any:
    import networkx as nx

    for key in ("directed", "multigraph"):
        if not isinstance(content.get(key, False), bool):
            raise ConfigError(f"{name}: {key} is {content[key]!r:.60}; it must be true or false.")
    if content.get("multigraph"):
        raise ConfigError(f"{name} is a multigraph; give parallel links as one edge with the sum of bandwidths.")
    graph: Any = nx.DiGraph() if content.get("directed") else nx.Graph()
    for node in _list(content, "nodes", name):
        if not isinstance(node, dict) or not _is_node(node.get("id")):
            raise ConfigError(f'{name}: a node is {node!r:.60}; one looks like {{"id": 0}} or {{"id": "spine 1"}}.')
        graph.add_node(node["id"])
    for edge in _list(content, "edges" if "edges" in content else "links", name):
        if not isinstance(edge, dict) or not all(_is_node(edge.get(end)) for end in ("source", "target")):
            raise ConfigError(
                f'{name}: an edge is {edge!r:.60}; one looks like {{"source": 0, "target": "spine 1", "bandwidth": 50, '
                '"latency": 500}.'
            )
        tail, head = edge.pop("source"), edge.pop("target")
        if strange := [end for end in (tail, head) if end not in graph]:
            raise ConfigError(
                f"{name}: an edge leads from {tail!r:.40} to {head!r:.40}; {strange[0]!r:.40} is no node."
            )
        if graph.has_edge(tail, head):
            raise ConfigError(
                f"{name}: there are two edges from {tail!r:.40} to {head!r:.40}; add up their bandwidths."
            )
        graph.add_edge(tail, head)
        graph.edges[tail, head].update(edge)
    return graph


def _list(content: dict[str, Any], key: str, name: str) -> list[Any]:
    found = content.get(key, [])
    if not isinstance(found, list):
        raise ConfigError(f"{name}: {key} is {found!r:.60}; a list is expected.")
    return found


def _is_node(value: object) -> bool:
    return isinstance(value, (int, str)) and not isinstance(value, bool)


def _is_way(way: object, name: str) -> bool:
    if not isinstance(way, list) or len(way) < 2 or not all(map(_is_node, way)):
        raise ConfigError(f'{name}: a route is {way!r:.60}; one looks like [0, "spine 1", 5].')
    return True
