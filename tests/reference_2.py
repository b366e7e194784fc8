"""ASTRA-sim 2.x's answers: the cases in data/astra_sim_2*.jsonl as files and as what they load to.

Each line says what differs from BASE: [topology, NPUs, GB/s, ns] a dimension, the implementations (of all collectives,
or of each), settings, command-line options, and the workload: [collective, bytes], or the different kinds of NPUs by
their nodes and which kind every NPU is. "result" is when NPU 0, the last and the first NPU finish, one number where
that is the same; "more" has exposed and communication time of NPU 0 where they differ from it. "wall_s" is one run of
the whole C++ program on two shared cores. "build" says which program: "upstream" is the main branch of March 2026;
"scheduling keys" the same reading two keys of the system file that only 1.0 reads; "branch" has the network of an
unmerged branch with several congestion-aware dimensions.

The random cases are of the same form, but have "finish_ns" of all NPUs: single collectives, several of them, NPUs that
do different things, messages from NPU to NPU, process groups, Themis.
"""

import json
import warnings
from pathlib import Path

import astra_edu as ae

KEYS = ("all-reduce", "all-gather", "reduce-scatter", "all-to-all")
BASE = {
    "scheduling-policy": "LIFO",
    "endpoint-delay": 10,
    "active-chunks-per-dimension": 1,
    "preferred-dataset-splits": 4,
    "collective-optimization": "localBWAware",
    "local-mem-bw": 1600,
}


def cases(name="astra_sim_2"):
    return [json.loads(line) for line in (Path(__file__).parent / f"data/{name}.jsonl").open()]


def write_files(case, folder):
    """Write the network, system and memory files of a case and return their paths by load_astra_sim's names."""
    columns = zip(*case["network"], strict=True)
    keys = ("topology", "npus_count", "bandwidth", "latency")
    network = "".join(f"{key}: {json.dumps(column)}\n" for key, column in zip(keys, columns, strict=True))
    own = case["implementations"]
    own = [own] * len(KEYS) if isinstance(own[0], str) else own
    system = BASE | case["system"] | {f"{key}-implementation": how for key, how in zip(KEYS, own, strict=True)}
    memory = case.get("memory", {"memory-type": "NO_MEMORY_EXPANSION"})
    texts = {
        "network": network,
        "system": json.dumps({key: value for key, value in system.items() if value is not None}),
        "memory": json.dumps(memory),
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    return {name: folder / name for name in texts}


def inputs(case, folder):
    """The trace and the platform of a case, by way of its files."""
    with warnings.catch_warnings(action="ignore"):
        files = write_files(case, folder)
        platform = ae.load_astra_sim(**files, congestion_aware=case["aware"], **case.get("options", {}))
    work = case["workload"]
    if isinstance(work, list):
        return ae.traces.collective(work[0], bytes=work[1], npus=platform.npus), platform
    return ae.traces.from_nodes([work["nodes"][kind] for kind in work["npus"]], work.get("groups")), platform
