"""Faults in networks of flits."""

from tools.mutants.fault import Fault

FABRIC, WIRING, ROUTES, CIRCLE, NETWORK, LOAD = (
    f"astra_edu/network/credits/{name}.py" for name in ("fabric", "wiring", "routes", "circle", "network", "load")
)
FLITS = "tests/network/credits/test_flits.py::test_"
BOOKSIM = "tests/network/credits/test_booksim.py::test_"
ALWAYS = f"{FLITS}every_flit_arrives_once_no_buffer_overflows_and_all_credits_return[wormhole-dimension-order-mesh]"
WHERE = f"{FLITS}a_ring_without_a_dateline_stands_still_and_it_is_said_where"

FAULTS = [
    Fault("flits are sent without credits", FABRIC, "if not out.credits:", "if False:", ALWAYS),
    Fault(
        "a credit is lost with each tail",
        FABRIC,
        "if link.source is not None:",
        "if link.source is not None and channel.sent < packet.flits:",
        ALWAYS,
    ),
    Fault(
        "a channel stays with a packet that has left",
        FABRIC,
        "out.owner = channel.out = None",
        "channel.out = None",
        ALWAYS,
    ),
    Fault(
        "a link sends two flits in a cycle",
        FABRIC,
        "if there.free > cycle:",
        "if False:",
        f"{FLITS}the_slowest_link_sets_the_pace[2]",
    ),
    Fault(
        "a head passes a router a cycle too fast",
        WIRING,
        "1 + (delay > 2)",
        "1",
        f"{BOOKSIM}an_empty_network_s_latencies_are_booksim_s[mesh-transpose]",
    ),
    Fault(
        "all packets go the same way half round a ring",
        WIRING,
        "self._random.choice(paths)",
        "paths[0]",
        f"{FLITS}half_way_round_a_ring_both_ways_are_taken",
    ),
    Fault(
        "nobody changes class at the dateline",
        ROUTES,
        "(here.place <= before.place)",
        "0",
        f"{FLITS}the_classes_of_a_torus_and_a_dragonfly_have_no_circle",
    ),
    Fault(
        "a circle is told the wrong way round",
        CIRCLE,
        "[*steps[1:], steps[0]][:4]",
        "[steps[-1], *steps[:-1]][:4]",
        WHERE,
    ),
    Fault(
        "a deadlock is silent",
        NETWORK,
        "return circle_in_words(self.wiring) if self.fabric.inside else",
        "return",
        WHERE,
    ),
    Fault(
        "utilisation counts flits twice",
        NETWORK,
        "link.sent * link.period / cycles",
        "2 * link.sent / cycles",
        f"{FLITS}what_is_said_of_a_run_adds_up",
    ),
    Fault(
        "a neighbour is one further along one side only",
        LOAD,
        "(source // stride + 1) % side * stride",
        "(source // stride + (stride == 1)) % side * stride",
        f"{BOOKSIM}latency_under_load_is_booksim_s[torus-neighbour-0.6-0.05]",
    ),
]
