"""Pictures of links, and the link player: what they show of a run, and what they refuse."""

import json
import re
from xml.etree import ElementTree

import pytest

pytest.importorskip("matplotlib")
pytest.importorskip("anywidget")
pytest.importorskip("networkx")

import networkx as nx

import astra_edu as ae
from astra_edu.course.plots.network.link_use import busiest_links, busy_shares, link_use
from astra_edu.course.plots.network.queues import goodput, queue_length, waiting_bytes
from astra_edu.course.widgets.link_player import LinkPlayer
from astra_edu.course.widgets.network_layout import HEIGHT, RADIUS, WIDTH, layout, radius_of
from astra_edu.network.as_graph import links_of
from astra_edu.network.buffers import SwitchBuffers
from astra_edu.network.graph import GraphNetwork
from astra_edu.run.link_times import link_times

MIB = 2**20


def run(network, algorithm="direct", size=MIB, record=True, **more):
    platform = ae.TracePlatform(network, ae.TraceSystem.of(algorithm), congestion_aware=True, **more)
    return ae.simulate(ae.traces.collective("all_reduce", size, platform.npus), platform, record=record)


@pytest.fixture(scope="module")
def ring():
    return run(ae.Block("Ring", 8, 50, 500))


@pytest.fixture(scope="module")
def switch():
    return run(ae.Block("Switch", 8, 50, 500))


def tree(tors=4, per=4, spines=2):
    graph = nx.Graph()
    for npu in range(tors * per):
        graph.add_edge(npu, f"ToR {npu // per}", bandwidth=50, latency=500)
    for tor in range(tors):
        graph.add_edges_from([(f"ToR {tor}", f"spine {s}") for s in range(spines)], bandwidth=50, latency=500)
    return graph


def test_shares_add_up_to_the_time_that_links_send(ring):
    for period in (777, 5000, ring.total_ns, 3 * ring.total_ns):
        shares = busy_shares(ring, period)
        for time in link_times(ring):
            assert sum(shares[time.link]) * period == pytest.approx(time.busy_ns)
            assert all(0 <= share <= 1 for share in shares[time.link])


def test_the_heat_map_has_a_row_for_each_link(ring):
    picture = link_use(ring)
    chart, bars, *_ = picture.figure.axes
    labels = [text.get_text() for text in chart.get_yticklabels()]
    assert labels[:4] == ["0 → 1", "0 → 7", "1 → 0", "1 → 2"]
    assert len(labels) == len(bars.patches) == 16
    (mesh,) = chart.collections
    assert mesh.get_array().shape[0] == 16
    assert mesh.get_array().max() == pytest.approx(1)
    assert picture.alt.startswith("Heat-map of 16 links over")
    assert picture.table.count("\n") == 16
    first = next(time for time in link_times(ring) if time.link == (0, 1))
    assert f"{100 * first.share:.1f} %" in _row(picture, "0 → 1")


def _row(picture, link):
    return next(line for line in picture.table.splitlines() if line.startswith(link))


def test_many_links_are_named_by_kind_and_the_idle_left_out():
    result = run(GraphNetwork(tree(4, 8)), size=2 * MIB)
    chart, *_ = link_use(result).figure.axes
    assert [text.get_text() for text in chart.get_yticklabels()] == [
        "32 ×\nNPU → switch",
        "8 ×\nswitch → switch",
        "32 ×\nswitch → NPU",
    ]
    few = link_use(result, order="busy", most=5)
    chart, *_ = few.figure.axes
    assert [text.get_text() for text in chart.get_yticklabels()] == [
        "ToR 0 → spine 0",
        *(f"ToR {n} → spine 0" for n in (1, 2, 3)),
        "spine 0 → ToR 0",
    ]
    assert f"the 5 busiest of {len(link_times(result))} links" in few.alt


def test_the_busiest_links_as_bars(ring, switch):
    picture = busiest_links({"ring": ring, "switch": switch}, most=3)
    titles = [axes.get_title(loc="left") for axes in picture.figure.axes]
    assert titles[0].startswith("ring: 50.850 µs, 3 of 16 links")
    widths = [[bar.get_width() for bar in axes.patches] for axes in picture.figure.axes]
    assert widths == [[time.share for time in link_times(result)[:3]] for result in (ring, switch)]
    assert len({bar.get_hatch() for axes in picture.figure.axes for bar in axes.patches}) == 2  # a kind each
    assert "switch: 16 of 16 links are busiest" in picture.alt
    assert busiest_links(ring).table.count("\n") == 10


def incast(buffers, senders=8, size=128 * 1024):
    ends = [{"comm_src": n, "comm_dst": 0, "comm_size": size, "comm_tag": n} for n in range(1, senders + 1)]
    nodes = [[{"id": attr["comm_src"], "type": "COMM_RECV_NODE", "attr": attr} for attr in ends]]
    nodes += [[{"id": 1, "type": "COMM_SEND_NODE", "attr": attr}] for attr in ends]
    platform = ae.TracePlatform(ae.Block("Switch", senders + 1, 11.64, 500), congestion_aware=True, buffers=buffers)
    return ae.simulate(ae.traces.from_nodes(nodes), platform, record=True)


def test_what_waits_in_front_of_a_link():
    endless = incast(SwitchBuffers(None))
    times, lengths = waiting_bytes(endless, ("switch 0.0", 0))
    assert times[0] == 0 == lengths[0]
    assert sum(use.size for use in endless.uses if use.link == ("switch 0.0", 0)) == 8 * 128 * 1024
    peak = max(lengths)
    assert 7 * 128 * 1024 <= peak < 8 * 128 * 1024  # one of eight is gone when all are there
    assert lengths[-1] <= 4096
    dropped = incast(SwitchBuffers(128 * 1024))
    picture = queue_length({"endless": endless, "dropped": dropped}, ("switch 0.0", 0))
    assert f"{len(dropped.lost)} packets lost" in picture.alt
    assert max(waiting_bytes(dropped, ("switch 0.0", 0))[1]) <= 128 * 1024
    marks = [line for line in picture.figure.axes[1].lines if line.get_marker() == "x"]
    assert len(marks[0].get_xdata()) == len(dropped.lost)
    with pytest.raises(ae.ConfigError, match="no message uses the link"):
        waiting_bytes(endless, ("switch 0.0", 99))


def test_goodput_over_senders():
    picture = goodput([1, 2, 4], {"drop": [10, 5, 1], "credit": [10, 11, 12]}, 12.5)
    axes = picture.figure.axes[0]
    assert [list(line.get_ydata()) for line in axes.lines[:2]] == [[10, 5, 1], [10, 11, 12]]
    assert len({line.get_marker() for line in axes.lines[:2]}) == 2
    assert "drop: from 10.00 to 1.00, lowest 1.00." in picture.alt
    with pytest.raises(ae.ConfigError, match="2 values for 3"):
        goodput([1, 2, 4], {"drop": [1, 2]}, 12.5)


@pytest.mark.parametrize("draw", [link_use, busiest_links, LinkPlayer])
def test_a_run_without_a_record_is_refused(draw):
    with pytest.raises(ae.ConfigError, match="record=True"):
        draw(run(ae.Block("Ring", 4, 50, 500), record=False))


def test_wrong_settings_are_told(ring):
    with pytest.raises(ae.ConfigError, match="period_ns is 0"):
        link_use(ring, period_ns=0)
    with pytest.raises(ae.ConfigError, match="Allowed: name, busy"):
        link_use(ring, order="time")
    with pytest.raises(ae.ConfigError, match="at least one"):
        busiest_links({})
    with pytest.raises(ae.ConfigError, match="at least one"):
        queue_length({}, (0, 1))


@pytest.mark.parametrize(
    "network",
    [
        (ae.Block("Switch", 8, 50, 500),),
        (ae.Block("Ring", 9, 50, 500),),
        (ae.Block("Ring", 4, 50, 500), ae.Block("Ring", 3, 50, 500)),
        (ae.Block("Switch", 4, 50, 500), ae.Block("Switch", 4, 50, 500)),
        GraphNetwork(tree()),
        GraphNetwork(tree(8, 16, 8)),
    ],
)
def test_nodes_stand_apart_and_in_the_picture(network):
    platform = ae.TracePlatform(network, congestion_aware=True)
    links = list(links_of(platform.network))
    nodes = list(dict.fromkeys(end for link in links for end in link))
    places = layout(nodes, links, platform.dims)
    assert set(places) == set(nodes)
    assert all(0 <= x <= WIDTH and 0 <= y <= HEIGHT for x, y in places.values())
    radius = radius_of(places)
    assert 3 < radius <= RADIUS
    points = list(places.values())
    assert all(abs(a[0] - b[0]) + abs(a[1] - b[1]) > 2 * radius for k, a in enumerate(points) for b in points[:k])


def test_switches_stand_above_the_npus_in_layers():
    links = list(GraphNetwork(tree()).links)
    nodes = list(dict.fromkeys(end for link in links for end in link))
    y = {node: place[1] for node, place in layout(nodes, links, (16,)).items()}
    assert y["spine 0"] < y["ToR 0"] < y[0]


def test_places_of_ones_own(switch):
    places = {npu: (npu, 0) for npu in range(8)} | {"switch 0.0": (3.5, 1)}
    player = LinkPlayer(switch, places)
    nodes = {name: (x, y) for name, x, y, _ in player.data["nodes"]}
    assert nodes["0"][0] < nodes["7"][0]
    assert nodes["switch 0.0"][1] < nodes["3"][1]  # y upwards
    with pytest.raises(ae.ConfigError, match=r"no place for 'switch 0\.0'"):
        LinkPlayer(switch, {npu: (npu, 0) for npu in range(8)})


def test_the_players_payload_has_every_message(switch):
    data = LinkPlayer(switch).data
    assert len(data["uses"]) == 6 * 8 * len(switch.uses)
    assert [name for *_, name, _, _, _, _, _, _ in data["links"]][:2] == ["0 → switch 0.0", "switch 0.0 → 1"]
    sent = sum(time.busy_ns for time in link_times(switch)) / len(link_times(switch)) / switch.total_ns
    assert sum(data["busy"]) / len(data["busy"]) == pytest.approx(sent, abs=2e-3)


def test_a_still_picture_is_an_svg_with_a_description(switch):
    player = LinkPlayer(switch)
    root = ElementTree.fromstring(player.svg(12_000))
    texts = [element.text for element in root.iter() if element.text]
    assert any(text.startswith("At 12.000 µs of 41.086 µs. Busiest so far: 0 → switch 0.0: 99.9 %") for text in texts)
    assert texts.count("+2") == 8
    rects = [element for element in root.iter() if element.tag.endswith("rect") and element.get("width") == "8"]
    assert len(rects) == sum(use.start_ns <= 12_000 < use.end_ns for use in switch.uses)
    assert player.svg() == player.svg(10**12)
    assert "+2" not in player.svg()


def test_a_notebook_stores_words_and_a_picture(ring):
    data, _ = LinkPlayer(ring)._repr_mimebundle_()
    assert "8 of 16 links are busiest" in data["text/plain"]
    assert data["image/svg+xml"].startswith("<svg")


def test_the_page_needs_no_network(tmp_path, ring):
    html = LinkPlayer(ring, time=1000).save_html(tmp_path / "links.html").read_text(encoding="utf-8")
    assert not re.findall(r'(?:src|href)="?https?:', html)
    (state,) = json.loads(re.search(r'id="astra-states">(.*?)</script>', html, re.DOTALL)[1])
    assert state["time"] == 1000


def test_time_stays_in_the_run(ring):
    player = LinkPlayer(ring)
    player.time = 10**9
    assert player.time == ring.total_ns
    with pytest.raises(ae.ConfigError, match="time"):
        player.time = -1


@pytest.mark.parametrize(
    ("block", "words"),
    [
        (ae.Block("Ring", 300, 50, 500), "300 nodes, too many to watch; 200 are the most"),
        (ae.Block("FullyConnected", 30, 50, 500), "870 links"),
    ],
)
def test_too_much_to_watch_is_told(block, words):
    attr = {"comm_src": 0, "comm_dst": 1, "comm_size": 1000, "comm_tag": 1}
    nodes = [[{"id": 1, "type": "COMM_SEND_NODE", "attr": attr}], [{"id": 1, "type": "COMM_RECV_NODE", "attr": attr}]]
    trace = ae.traces.from_nodes(nodes + [[]] * (block.npus - 2))
    result = ae.simulate(trace, ae.TracePlatform(block, congestion_aware=True), record=True)
    with pytest.raises(ae.ConfigError, match=words):
        LinkPlayer(result)
    assert link_use(result).table.count("\n") == 1
