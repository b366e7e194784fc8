"""Makes the files in tests/data/chakra with the commands of the mlc-chakra package (1.0.0).

    python -m venv chakra && chakra/bin/pip install mlc-chakra==1.0.0
    python -m tools.chakra_inputs chakra/bin tests/data/chakra

Its trace_link also needs et_replay, of facebookresearch/param. The recording linked is exercises/inputs/pytorch/mlp;
what trace_link asks for and the recording leaves out is filled in: the process' number, default attributes, and one
ProfilerStep over the whole run, without which it stops.
"""

import gzip
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import astra_edu as ae
from astra_edu.workload import Layer, Work

RECORDED = Path(__file__).parents[1] / "exercises/inputs/pytorch"
GENERATED = ("ALL_GATHER", "BROADCAST", "one_remote_mem_load_node", "two_comp_nodes_dependent")
DEFAULTS = {"rf_id": 0, "fw_parent": 0, "seq_id": -1, "scope": 0, "tid": 1, "fw_tid": 0, "op_schema": ""}


def main(programs: Path, folder: Path) -> None:
    """programs: the folder of the package's commands."""
    folder.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        made = Path(name)
        run(made, programs / "chakra_generator", "--num_npus", "2")
        converted(made, programs)
        for rank in range(2):
            linked(made, programs, rank)
        for prefix in (*GENERATED, "text", "linked"):
            for rank in range(2):
                content = (made / f"{prefix}.{rank}.et").read_bytes()
                packed = gzip.compress(content, mtime=0) if prefix == "linked" else content
                (folder / f"{prefix}.{rank}.et").write_bytes(packed)


def run(made: Path, *words: object) -> None:
    """One command, in the folder where things are made."""
    subprocess.run([str(word) for word in words], cwd=made, check=True, stdout=subprocess.DEVNULL)


def converted(made: Path, programs: Path) -> None:
    """Two layers, data parallel, one without communication in the end: a text workload, converted."""
    nothing = Work(3000, None, 0)
    layers = [Layer(f"layer{k}", nothing, Work(4000, None, 0), Work(5000, "all-reduce", 4096 * k)) for k in (1, 2)]
    ae.save_workload(ae.Workload("DATA", layers), made / "text.txt")
    where = ("--input", "text.txt", "--output", "text", "--num-npus", 2, "--num-passes", 1)
    run(made, programs / "chakra_converter", "--log-filename", "log", "Text", *where)


def linked(made: Path, programs: Path, rank: int) -> None:
    """A recorded process: host and device traces linked, and converted."""
    host = json.loads((RECORDED / f"mlp.{rank}.host.json").read_text())
    kineto = json.loads((RECORDED / f"mlp.{rank}.kineto.json").read_text())
    host |= {"pid": 100 + rank, "time": "2026-01-01 00:00:00", "start_ts": 0, "finish_ts": 10**9}
    for node in host["nodes"]:
        filled(node)
    events = [event for event in kineto["traceEvents"] if event.get("ph") == "X"]
    for event in events:
        event |= {"pid": 100 + rank, "tid": 1}
    start, end = min(event["ts"] for event in events), max(event["ts"] + event["dur"] for event in events)
    step = {"External id": 10**6, "Record function id": 0, "Ev Idx": len(events)}
    whole = {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#0", "ts": start, "dur": end - start}
    kineto["traceEvents"].append(whole | {"pid": 100 + rank, "tid": 1, "args": step})
    kineto |= {"schemaVersion": 1, "deviceProperties": [], "distributedInfo": {"rank": rank}}
    (made / f"host.{rank}.json").write_text(json.dumps(host))
    (made / f"kineto.{rank}.json").write_text(json.dumps(kineto))
    traces = ("--chakra-host-trace", made / f"host.{rank}.json", "--chakra-device-trace", made / f"kineto.{rank}.json")
    run(made, programs / "chakra_trace_link", "--rank", rank, *traces, "--output-file", made / f"linked.{rank}.json")
    where = ("--input", f"linked.{rank}.json", "--output", f"linked.{rank}.et")
    run(made, programs / "chakra_converter", "--log-filename", "log", "PyTorch", *where)


def filled(node: dict[str, Any]) -> None:
    """Give a node of a host trace what trace_link and the converter ask for."""
    there = {one["name"] for one in node["attrs"]}
    node["attrs"] += [{"name": name, "type": "", "value": DEFAULTS[name]} for name in DEFAULTS if name not in there]
    for side in ("inputs", "outputs"):
        node[side].setdefault("shapes", [[] for _ in node[side]["values"]])
        node[side].setdefault("strides", [[] for _ in node[side]["values"]])


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]))
