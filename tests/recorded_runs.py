"""Recorded runs whose links are looked at."""

import networkx as nx

import astra_edu as ae

MIB = 2**20


def run(network, algorithm="direct", size=MIB, record=True, **more):
    platform = ae.TracePlatform(network, ae.TraceSystem.of(algorithm), congestion_aware=True, **more)
    return ae.simulate(ae.traces.collective("all_reduce", size, platform.npus), platform, record=record)


def tree(tors=4, per=4, spines=2):
    graph = nx.Graph()
    for npu in range(tors * per):
        graph.add_edge(npu, f"ToR {npu // per}", bandwidth=50, latency=500)
    for tor in range(tors):
        graph.add_edges_from([(f"ToR {tor}", f"spine {s}") for s in range(spines)], bandwidth=50, latency=500)
    return graph


def incast(buffers, senders=8, size=128 * 1024):
    ends = [{"comm_src": n, "comm_dst": 0, "comm_size": size, "comm_tag": n} for n in range(1, senders + 1)]
    nodes = [[{"id": attr["comm_src"], "type": "COMM_RECV_NODE", "attr": attr} for attr in ends]]
    nodes += [[{"id": 1, "type": "COMM_SEND_NODE", "attr": attr}] for attr in ends]
    platform = ae.TracePlatform(ae.Block("Switch", senders + 1, 11.64, 500), congestion_aware=True, buffers=buffers)
    return ae.simulate(ae.traces.from_nodes(nodes), platform, record=True)
