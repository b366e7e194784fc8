"""What ae.Ns3 takes and refuses, what it builds, and what is said where ns-3 isn't installed; none of it needs ns-3."""

import importlib
import platform
import sys
from itertools import pairwise

import networkx as nx
import pytest

import astra_edu as ae
from astra_edu.base.errors import ConfigError
from astra_edu.network.ns3 import installed
from astra_edu.network.ns3.wiring import wiring

ON_TWO = ae.TracePlatform(ae.Block("Switch", 2, 50, 500), ae.TraceSystem.of("ring"))


def refused(**settings) -> str:
    with pytest.raises(ConfigError) as error:
        ae.Ns3(**settings)
    return str(error.value)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"transport": "TcpReno"}, "did you mean 'TcpNewReno'"),
        ({"transport": "TcpDctcp", "queue": "DropTailQueue"}, "TcpDctcp needs marks"),
        ({"transport": "TcpDctcp", "ecn": False}, "TcpDctcp needs marks"),
        ({"queue": "Fifo"}, "Allowed: DropTailQueue, RedQueueDisc"),
        ({"mark": "30 KiB"}, "a DropTailQueue marks nothing"),
        ({"queue": "RedQueueDisc", "buffer": 64_000, "mark": 64_001}, "64,000 is the most"),
        ({"buffer": 1501}, "never holds a packet of 1,502"),
        ({"segment": 65_482}, "65,481 is the most"),
        ({"segment": 0}, "1 or more"),
        ({"segment": 9000, "socket_buffer": 8999}, "a segment has 9,000"),
        ({"socket_buffer": 2**31}, "1,073,741,824 is the most"),
        ({"min_rto_ns": 0}, "min_rto_ns is 0"),
        ({"min_rto_ns": 1.5}, "whole number"),
        ({"initial_window": 2 * 10**6}, "1,000,000 is the most"),
        ({"delayed_ack": 0}, "delayed_ack is 0"),
        ({"ecn": 1}, "True or False"),
    ],
)
def test_what_cannot_be_is_refused_with_what_would_be_right(settings, says):
    assert says in refused(**settings)


def test_dctcp_marks_and_the_others_do_not_unless_asked():
    assert (ae.Ns3().queue, ae.Ns3().ecn, ae.Ns3().mark_bytes) == ("DropTailQueue", False, 0)
    dctcp = ae.Ns3("TcpDctcp", buffer="32 KiB")
    assert (dctcp.queue, dctcp.ecn, dctcp.mark_bytes) == ("RedQueueDisc", True, 16_384)
    assert ae.Ns3("TcpDctcp", buffer=None).mark_bytes == 30_000
    assert ae.Ns3("TcpCubic", queue="RedQueueDisc", mark="8 KiB").mark_bytes == 8192


@pytest.mark.parametrize(
    ("system", "machine", "place"),
    [
        ("win32", "AMD64", "Windows on AMD64"),
        ("darwin", "arm64", "Darwin on arm64"),
        ("linux", "aarch64", "Linux on aarch64"),
        ("emscripten", "wasm32", "a browser"),
    ],
)
def test_where_ns3_does_not_exist_one_sentence_says_so(monkeypatch, system, machine, place):
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr(platform, "machine", lambda: machine)
    monkeypatch.setattr(platform, "system", lambda: place.split(" on ")[0])
    with pytest.raises(ConfigError) as error:
        installed.bindings.__wrapped__()
    assert str(error.value).startswith(f"ns-3 can't be used here ({place}): pip install -e")
    assert "Linux on x86-64" in str(error.value)


def test_where_ns3_is_not_installed_a_run_says_how_to_get_it(monkeypatch):
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(installed, "find_spec", lambda name: None)
    monkeypatch.setattr("astra_edu.network.ns3.inside.bindings", installed.bindings.__wrapped__)
    for word in ("ns-3", ae.Ns3("TcpCubic")):
        with pytest.raises(ConfigError, match=r'^ns-3 isn\'t installed here: pip install -e "\.\[ns3\]"'):
            ae.simulate(ae.traces.collective("all_reduce", 1000, npus=2), ON_TWO, network=word)


def test_what_fails_to_load_is_an_error_with_its_reason(monkeypatch):
    def gone(name):
        raise ImportError("libCling.so: cannot open shared object file")

    monkeypatch.setattr(installed, "missing", lambda: "")
    monkeypatch.setattr(installed, "import_module", gone)
    with pytest.raises(ConfigError, match=r"installed but can't be loaded \(libCling.so"):
        installed.bindings.__wrapped__()


def test_a_folder_that_happens_to_be_called_ns3_is_not_ns3(monkeypatch, tmp_path):
    (tmp_path / "ns3").mkdir()
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    importlib.invalidate_caches()
    assert installed.place() is None


@pytest.mark.parametrize(
    ("network", "nodes", "wires"),
    [
        ((ae.Block("Switch", 4, 50, 500),), 5, 4),
        ((ae.Block("Ring", 4, 50, 500),), 4, 4),
        ((ae.Block("FullyConnected", 4, 50, 500),), 4, 6),
        ((ae.Block("Ring", 4, 50, 500), ae.Block("Switch", 2, 25, 500)), 8 + 4, 2 * 4 + 4 * 2),
    ],
)
def test_each_pair_of_ends_is_one_wire(network, nodes, wires):
    built = wiring(network)
    assert (len(built.nodes), len(built.wires)) == (nodes, wires)
    assert len({frozenset(wire.ends) for wire in built.wires}) == wires
    assert {wire.bits_per_s for wire in built.wires} <= {(50 * 2**33, 50 * 2**33), (25 * 2**33, 25 * 2**33)}


def test_ways_are_the_platforms_and_use_only_wires_that_exist():
    built = wiring((ae.Block("Ring", 6, 50, 500), ae.Block("Switch", 2, 25, 700)))
    ends = {frozenset(map(built.nodes.index, wire.ends)) for wire in built.wires}
    for a in range(12):
        for b in range(12):
            if a != b:
                way = built.way(a, b)
                assert (way[0], way[-1]) == (a, b)
                assert {frozenset(link) for link in pairwise(way)} <= ends
    assert built.way(0, 4) == [0, 5, 4]
    assert built.way(0, 6) == [0, built.nodes.index("switch 1.0"), 6]


def test_what_wires_of_ns3_cannot_be_is_refused():
    with pytest.raises(ConfigError, match="512 NPUs; ns-3 is asked for 256"):
        wiring((ae.Block("Switch", 512, 50, 500),))
    uneven = nx.DiGraph()
    uneven.add_edge(0, 1, bandwidth=50, latency=500)
    uneven.add_edge(1, 0, bandwidth=50, latency=400)
    with pytest.raises(ConfigError, match="latency of 500 ns and the one back 400 ns"):
        wiring(ae.GraphNetwork(uneven))


def test_directions_of_a_wire_keep_their_bandwidths():
    graph = nx.DiGraph()
    graph.add_edge(0, 1, bandwidth=50, latency=500)
    graph.add_edge(1, 0, bandwidth=25, latency=500)
    (wire,) = wiring(ae.GraphNetwork(graph)).wires
    assert dict(zip((wire.ends, wire.ends[::-1]), wire.bits_per_s, strict=True)) == {
        (0, 1): 50 * 2**33,
        (1, 0): 25 * 2**33,
    }
