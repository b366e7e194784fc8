"""Right and wrong answers of exercise 13."""

from collections import Counter

import astra_edu as ae
from astra_edu.course.check import ex13

GIB, MIB = 2**30, 2**20
Attribute = ae.traces.Attribute


def rate(size, npus, time_ns):
    return 2 * size * (npus - 1) / npus / time_ns * 1e9 / GIB


def readable(attributes, member_of=ex13.MEMBERS.get):
    return {name: Attribute(a.value, member_of(name, a.member)) for name, a in attributes.items()}


def times(nodes, change):
    """The nodes with other durations."""
    return [
        [
            {**node, "duration_micros": change(node["duration_micros"])} if "duration_micros" in node else node
            for node in own
        ]
        for own in nodes
    ]


def ends(nodes, end, *names):
    names = names or ("comm_src", "comm_dst", "comm_tag", "comm_size")
    wanted = [node["attr"] for own in nodes for node in own if node["type"] == f"COMM_{end}_NODE"]
    return Counter(tuple(values[name] for name in names) for values in wanted)


def unmatched(nodes):
    sent, received = ends(nodes, "SEND"), ends(nodes, "RECV")
    return [message for message in sent | received if sent[message] != received[message]]


def careless(nodes, *names):
    """Whoever only compares these attributes."""
    sent, received = ends(nodes, "SEND", *names), ends(nodes, "RECV", *names)
    every = ("comm_src", "comm_dst", "comm_tag", "comm_size")
    places = [every.index(name) for name in names]
    return [message for message in unmatched(nodes) if sent[key(message, places)] != received[key(message, places)]]


def key(message, places):
    return tuple(message[place] for place in places)


def calls(nodes, npu, name, sort=True, keep=lambda kind, size: (kind, size)):
    own = sorted(nodes[npu], key=lambda node: node["id"]) if sort else nodes[npu]
    wanted = [node["attr"] for node in own if node["attr"]["pg_name"] == name]
    return [keep(values["comm_type"], values["comm_size"]) for values in wanted]


def disagreeing(nodes, groups, who=lambda nodes, members: range(len(nodes)), usual=None, of=calls):
    usual = usual or (lambda lists: max(lists, key=lists.count))
    found = {}
    for name, members in groups.items():
        expected = usual([of(nodes, npu, name) for npu in members])
        wrong = [npu for npu in who(nodes, members) if of(nodes, npu, name) != (expected if npu in members else [])]
        if wrong:
            found[name] = wrong
    return found


def files(network, system, bandwidth=lambda gb_s: gb_s * 1e9 / GIB, names=None, **changes):
    names = names or (lambda key, listed, dims: (listed * dims)[:dims])
    dims = len(network["bandwidth"])
    named = {key: names(key, listed, dims) for key, listed in system.items() if key.endswith("-implementation")}
    return network | {"bandwidth": [bandwidth(gb_s) for gb_s in network["bandwidth"]]}, system | named | changes


def in_place_untrimmed(network, system):
    for key, names in system.items():
        if key.endswith("-implementation"):
            names *= len(network["topology"])
    network["bandwidth"] = [gb_s * 1e9 / GIB for gb_s in network["bandwidth"]]
    return network, system


def only_all_reduce(key, listed, dims):
    return (listed * dims)[:dims] if "all-reduce" in key else listed


# check: (right answers, [(a wrong one, words of what it is told)])
QUESTIONS = {
    "sent_gb_s": (
        [rate, lambda size, npus, time_ns: 2 * size * (npus - 1) / npus / 2**30 / (time_ns * 1e-9)],
        [
            (lambda **c: rate(**c) * GIB / 1e9, "10⁹ bytes a second"),
            (lambda **c: rate(**c) * GIB, "bytes a second; how many"),
            (lambda **c: rate(**c) * GIB / 1e18, "bytes in a ns"),
            (lambda **c: rate(**c) / 1e9, "ns for seconds"),
            (lambda **c: rate(**c) / 1e3, "ns for µs"),
            (lambda **c: rate(**c) / 2, "have to come back"),
            (lambda **c: rate(**c) * 8, "bits"),
            (lambda **c: rate(**c) * c["npus"], "one is asked for"),
            (lambda size, npus, time_ns: size / time_ns * 1e9 / GIB, "the size over the time"),
            (lambda size, npus, time_ns: 2 * size / time_ns * 1e9 / GIB, "Nearly"),
            (lambda **c: rate(**c) * 1.5, "too large"),
        ],
    ),
    "readable": (
        [readable, lambda attributes: dict(reversed(readable(attributes).items()))],
        [
            (lambda attributes: attributes, "comm_size is in uint64_val, where the reader of 2024 doesn't look"),
            (lambda attributes: readable(attributes, lambda name, _: "int64_val"), "is_cpu_op is in int64_val"),
            (
                lambda attributes: readable(
                    attributes, lambda name, was: "int64_val" if "size" in name or "ty" in name else was
                ),
                "doesn't look for it. It is right in 1 of the 5 cases tried",
            ),
            (
                lambda attributes: readable(attributes, lambda name, _: ex13.MEMBERS.get(name, "int64_val")),
                "involved_dim isn't in the table; leave it",
            ),
            (lambda attributes: {name: a for name, a in attributes.items() if name in ex13.MEMBERS}, "comm_size is in"),
            (
                lambda attributes: {name: a for name, a in readable(attributes).items() if name in ex13.MEMBERS},
                "is lost",
            ),
            (lambda attributes: {name: a.value for name, a in attributes.items()}, "should still be an Attribute"),
            (lambda attributes: readable(attributes) | {"comm_size": Attribute(0, "int64_val")}, "and is 0 now"),
            (lambda attributes: readable(attributes) | {"bytes": Attribute(0, "int64_val")}, "wasn't there before"),
        ],
    ),
    "in_microseconds": (
        [
            lambda nodes: times(nodes, lambda ns: round(ns / 1000)),
            lambda nodes: times(nodes, lambda ns: ns // 1000),
            lambda nodes: tuple(map(tuple, times(nodes, lambda ns: -(-ns // 1000)))),
        ],
        [
            (lambda nodes: nodes, "NPU 0, node 0: its duration is as it was."),
            (lambda nodes: times(nodes[:1], lambda ns: ns // 1000) + nodes[1:], "NPU 1, node 0: its duration is as it"),
            (lambda nodes: times(nodes[:1], lambda ns: ns // 1000), "the nodes of each of the 2 NPUs"),
            (lambda nodes: times(nodes, lambda ns: ns / 1000), "its duration is 9.412; a trace's numbers are ints"),
            (lambda nodes: times(nodes, lambda ns: ns * 1000), "1000 times what it was"),
            (lambda nodes: times(nodes, lambda ns: ns / 10**6), "a millionth of what it was"),
            (lambda nodes: times(nodes, lambda ns: ns // 10**6), "its duration is 0 now; it took 9,412 ns"),
            (lambda nodes: times(nodes, lambda ns: 0), "its duration is 0 now; it took 9,412 ns"),
            (lambda nodes: times(nodes, lambda ns: ns // 100), "it took 9,412 ns; 94 µs is another time"),
            (lambda nodes: times(nodes, str), "that is no number"),
            (lambda nodes: [own[:-1] for own in nodes], "NPU 0 had 20 nodes"),
            (lambda nodes: [[{**node, "name": "x"} for node in own] for own in nodes], "the rest of the node"),
            (lambda nodes: [[None for _ in own] for own in nodes], "the rest of the node"),
        ],
    ),
    "unmatched": (
        [unmatched, lambda nodes: set(unmatched(nodes)), lambda nodes: [list(m) for m in 2 * unmatched(nodes)]],
        [
            (lambda nodes: [], "You find none"),
            (lambda nodes: list(ends(nodes, "SEND") - ends(nodes, "RECV")), "what is sent and not received"),
            (lambda nodes: list(ends(nodes, "RECV") - ends(nodes, "SEND")), "what is waited for and never sent"),
            (lambda nodes: set(ends(nodes, "RECV")) ^ set(ends(nodes, "SEND")), "count them"),
            (lambda nodes: [(b, a, tag, size) for a, b, tag, size in unmatched(nodes)], "the wrong way round"),
            (lambda nodes: careless(nodes, "comm_src", "comm_dst", "comm_tag"), "A receive of another size"),
            (lambda nodes: careless(nodes, "comm_src", "comm_dst", "comm_size"), "A receive with another tag"),
            (lambda nodes: unmatched(nodes)[:1], "Not right in"),
            (lambda nodes: [(0, 1, 2, 3)], "1 too many, such as (0, 1, 2, 3)"),
            (lambda nodes: [(0, 1)], "a list of (sender, receiver, tag, size) is expected"),
            (lambda nodes: [([], [], [], [])], "there are lists where numbers should be"),
        ],
    ),
    "disagreeing": (
        [
            disagreeing,
            lambda nodes, groups: {name: set(npus) for name, npus in disagreeing(nodes, groups).items()},
            lambda nodes, groups: dict.fromkeys(groups, ()) | disagreeing(nodes, groups),
        ],
        [
            (lambda nodes, groups: {}, "You find nobody"),
            (
                lambda nodes, groups: disagreeing(nodes, groups, who=lambda nodes, members: members),
                "Somebody who isn't one",
            ),
            (
                lambda nodes, groups: disagreeing(nodes, groups, of=lambda *c: calls(*c, keep=lambda kind, _: kind)),
                "of another size",
            ),
            (
                lambda nodes, groups: disagreeing(nodes, groups, of=lambda *c: calls(*c, keep=lambda _, size: size)),
                "in another collective",
            ),
            (
                lambda nodes, groups: disagreeing(nodes, groups, of=lambda *c: sorted(calls(*c))),
                "The order counts",
            ),
            (
                lambda nodes, groups: disagreeing(nodes, groups, of=lambda *c: calls(*c, sort=False)),
                "in any order",
            ),
            (lambda nodes, groups: disagreeing(nodes, groups, usual=lambda lists: lists[0]), "Go by what most do"),
            (
                lambda nodes, groups: {name: groups[name] + npus for name, npus in disagreeing(nodes, groups).items()},
                "Not right in",
            ),
            (lambda nodes, groups: {name: [*groups[name]] for name in disagreeing(nodes, groups)}, "Who of them is"),
            (lambda nodes, groups: list(disagreeing(nodes, groups)), "a dict is expected"),
            (lambda nodes, groups: {"1": "2"}, "a dict is expected"),
        ],
    ),
    "corrected": (
        [
            files,
            lambda network, system: list(files(network, system, lambda gb_s: round(gb_s * 0.931323, 3))),
            lambda network, system: files(
                network, system, names=lambda _, one, dims: one + ["ring"] * (dims - len(one))
            ),
        ],
        [
            (lambda network, system: (network, system), "450 as on the data sheet, but the file's GB are others"),
            (lambda network, system: files(network, system, lambda gb_s: gb_s * GIB / 1e9), "more GB of 2³⁰ bytes"),
            (lambda network, system: files(network, system, lambda gb_s: gb_s / 1.024), "three such steps"),
            (lambda network, system: files(network, system, lambda gb_s: gb_s * 1e9), "is in bytes a second"),
            (lambda network, system: files(network, system, lambda gb_s: gb_s / 2), "is 225, for 450 × 10⁹"),
            (
                lambda network, system: files(network, system, lambda gb_s: round(gb_s * 1e9 / GIB, 1)),
                "rounded too much",
            ),
            (lambda network, system: files(network, system, str), "that is no number"),
            (
                lambda network, system: (files(network, system)[0], system),
                "all-reduce-implementation has 1 of 2 entries",
            ),
            (
                lambda network, system: files(network, system, names=only_all_reduce),
                "all-gather-implementation has 1 of",
            ),
            (
                lambda network, system: files(network, system, names=lambda _, one, dims: one * (dims + 1)),
                "had 1 entry and has 3 now, for 2 dimensions; with more entries than dimensions ASTRA-sim stops",
            ),
            (
                lambda network, system: files(network, system, names=lambda _, one, dims: one * 2),
                "With other files, for 1 dimension: all-reduce-implementation had 1 entry and has 2 now",
            ),
            (in_place_untrimmed, "implementation had 2 entries and has 4 now, for 2 dimensions"),
            (
                lambda network, system: files(network, system, names=lambda _, one, dims: ["ring"] * dims),
                "what is there already may stay",
            ),
            (
                lambda network, system: files(
                    network, system, names=lambda _, one, dims: one + ["oneRing"] * (dims - len(one))
                ),
                "takes all NPUs as one dimension",
            ),
            (
                lambda network, system: files(
                    network, system, names=lambda _, one, dims: one + ["tree"] * (dims - len(one))
                ),
                "all-reduce-implementation is 'tree'",
            ),
            (
                lambda network, system: files(
                    network, system, names=lambda _, one, dims: one + ["halvingDoubling"] * (dims - len(one))
                ),
                "an all-to-all can be ring or direct",
            ),
            (lambda network, system: files(network, system, names=lambda *_: "ring"), "a list of names is expected"),
            (
                lambda network, system: files(network, system, **{"local-mem-bw": system["local-mem-bw"] * 1e9 / GIB}),
                "two kinds of GB",
            ),
            (lambda network, system: files(network, system, **{"endpoint-delay": 0}), "has nothing to do with it"),
            (lambda network, system: files(network, system, **{"G": 0}), "G isn't in both"),
            (lambda network, system: files(network | {"latency": [1, 1]}, system), "doesn't contradict it"),
            (lambda network, system: files(network, system)[::-1], "keys should stay as they are: topology"),
            (lambda network, system: files(network, system)[0], "`return network, system`"),
        ],
    ),
}
GUESSES = ("speedup",)
