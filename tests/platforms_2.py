"""Platforms of ASTRA-sim 2.x for hypothesis, and the texts of good files."""

import json

from hypothesis import strategies as st

import astra_edu as ae
from astra_edu.collectives import Collective
from astra_edu.system import Bus, Implementation, RemoteMemory

NETWORK = "topology: [ Ring ]\nnpus_count: [ 8 ]\nbandwidth: [ 50.0 ]  # GB/s\nlatency: [ 500.0 ]  # ns\n"
NO_MEMORY = {"memory-type": "NO_MEMORY_EXPANSION"}
SYSTEM = {
    "scheduling-policy": "LIFO",
    "endpoint-delay": 10,
    "active-chunks-per-dimension": 1,
    "preferred-dataset-splits": 4,
    "all-reduce-implementation": ["ring"],
    "all-gather-implementation": ["ring"],
    "reduce-scatter-implementation": ["ring"],
    "all-to-all-implementation": ["ring"],
    "collective-optimization": "localBWAware",
    "local-mem-bw": 50,
}

COLLECTIVES = [Collective.ALL_REDUCE, Collective.ALL_GATHER, Collective.REDUCE_SCATTER, Collective.ALL_TO_ALL]
SPELLINGS = ["ring", "direct", "direct3", "halvingDoubling", "doubleBinaryTree"]
PAIRWISE = ["ring", "direct", "direct2"]
RATES = st.floats(1e-9, 1e15)


def network_text(topology=("Ring",), npus=(8,), bandwidth=(50,), latency=(500,)):
    columns = {"topology": topology, "npus_count": npus, "bandwidth": bandwidth, "latency": latency}
    return "".join(f"{key}: [{', '.join(map(str, column))}]\n" for key, column in columns.items())


def write(folder, network=NETWORK, system=SYSTEM, memory=NO_MEMORY):
    """Write the three files (dicts as JSON) and return their paths by load_astra_sim's names."""
    paths = {}
    for name, content in {"network": network, "system": system, "memory": memory}.items():
        paths[name] = folder / f"{name}.{'yml' if name == 'network' else 'json'}"
        paths[name].write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return paths


def blocks():
    return st.builds(
        ae.Block,
        st.sampled_from(["Ring", "Switch", "FullyConnected"]),
        st.integers(2, 6),
        st.integers(1, 1000) | RATES,
        st.sampled_from([0, 500, 936.25]) | RATES,
    )


@st.composite
def systems(draw, dims):
    known = draw(st.sets(st.sampled_from(COLLECTIVES)))
    implementations = {}
    for collective in sorted(known):
        spellings = PAIRWISE if collective is Collective.ALL_TO_ALL else SPELLINGS
        listed = st.lists(st.sampled_from(spellings), min_size=1, max_size=dims)
        flat = st.sampled_from([["oneRing"], ["oneDirect"], ["oneDirect4"], ["oneHalvingDoubling"]])
        implementations[collective] = tuple(map(Implementation.parse, draw(listed | flat)))
    rates = st.none() | RATES
    bandwidth, peak = draw(rates), draw(rates)
    return ae.TraceSystem(
        implementations=implementations,
        scheduling=draw(st.sampled_from(["LIFO", "FIFO", "EXPLICIT"])),
        endpoint_delay=draw(st.integers(0, 2**31 - 1)),
        splits=draw(st.integers(1, 100_000)),
        active_chunks=draw(st.integers(1, 2**31 - 1)),
        optimization=draw(st.sampled_from(["baseline", "localBWAware"])),
        intra_dimension=draw(st.sampled_from(["FIFO", "SCF", "RG", "lessRemainingPhaseFirst"])),
        inter_dimension=draw(st.sampled_from(["baseline", "roundRobin", "themis", "themisFlex"])),
        local_memory_bandwidth=bandwidth,
        peak_performance=peak,
        roofline=bool(bandwidth and peak) and draw(st.booleans()),
        replay_only=draw(st.booleans()),
        bus=draw(st.none() | st.builds(Bus, *[st.integers(0, 2**31 - 1)] * 3, st.floats(0, 1e15), st.integers(0, 9))),
    )


@st.composite
def memories(draw, npus):
    kind = draw(st.sampled_from(["NO", "PER_NPU", "PER_NODE", "POOL"]))
    if kind == "NO":
        return RemoteMemory()
    name = "MEMORY_POOL" if kind == "POOL" else f"{kind}_MEMORY_EXPANSION"
    large = st.integers(1, 2**64 - 1)
    return RemoteMemory(name, draw(st.just(0) | large), draw(large), draw(st.integers(1, 2 * npus)))


@st.composite
def trace_platforms(draw):
    network = tuple(draw(st.lists(blocks(), min_size=1, max_size=4)))
    system = draw(systems(len(network)))
    bare = ae.TracePlatform(network, system)
    return ae.TracePlatform(network, system, draw(memories(bare.npus)))


@st.composite
def small_platforms(draw):
    """The contents of the files of a platform that is simulated in no time, sensible or not."""
    dims = draw(st.integers(1, 2))
    listed = [st.sampled_from(["Ring", "Switch", "FullyConnected"]), st.sampled_from([2, 3, 4])]
    listed += [st.sampled_from([1, 50]) | RATES, st.sampled_from([0, 500]) | st.floats(0, 1e15)]
    network = network_text(*[[draw(one) for _ in range(dims)] for one in listed])
    hows = st.lists(st.sampled_from([*SPELLINGS, "oneRing", "oneDirect"]), min_size=1, max_size=dims)
    system = {key: draw(hows) if key.endswith("-implementation") else value for key, value in SYSTEM.items()}
    changes = {
        "preferred-dataset-splits": st.integers(1, 9),
        "active-chunks-per-dimension": st.integers(1, 2**31 - 1),
        "endpoint-delay": st.integers(0, 2**31 - 1),
        "local-mem-bw": st.just(0) | RATES,
        "collective-optimization": st.sampled_from(["baseline", "localBWAware"]),
        "inter-dimension-scheduling": st.sampled_from(["ascending", "roundRobin", "themis", "themisFlex"]),
        "intra-dimension-scheduling": st.sampled_from(["FIFO", "smallestFirst", "RG", "lessRemainingPhaseFirst"]),
        "model-shared-bus": st.just(1),
        "L": st.integers(0, 2**31 - 1),
        "G": st.floats(0, 1e15),
    }
    some = draw(st.sets(st.sampled_from(sorted(changes)), max_size=3))
    return {"network": network, "system": system | {key: draw(changes[key]) for key in some}}
