"""Pictures of links, and the link player: what they show of a run, and what they refuse."""

import json
import re
from xml.etree import ElementTree

import pytest

pytest.importorskip("matplotlib")
pytest.importorskip("anywidget")
pytest.importorskip("networkx")


from recorded_runs import run, tree
from stills import still_of

import astra_edu as ae
from astra_edu.course.plots.network.link_use import link_use
from astra_edu.course.widgets.link_player import LinkPlayer
from astra_edu.course.widgets.network_layout import HEIGHT, RADIUS, WIDTH, layout, radius_of
from astra_edu.network.as_graph import links_of
from astra_edu.network.graph import GraphNetwork
from astra_edu.run.link_times import link_times


@pytest.fixture(scope="module")
def ring():
    return run(ae.Block("Ring", 8, 50, 500))


@pytest.fixture(scope="module")
def switch():
    return run(ae.Block("Switch", 8, 50, 500))


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
    nodes = {name: (x, y) for name, x, y, *_ in player.data["nodes"]}
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
    assert still_of(data).startswith("<svg")


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
