"""ASTRA-sim 1.0's answers: the cases in data/astra_sim_1_*.jsonl and what they load to.

The figures are those of the C++ simulator at tags tutorial-asplos2022 and tutorial-asplos2023, for the
tutorials' exercises (named asplos...), for workloads that generate_workload made (generated/...), and for random
configurations (all others).
"""

import json
from dataclasses import replace
from pathlib import Path

import astra_edu as ae
from astra_edu.formats import parse_network, parse_system, parse_workload

DATA = Path(__file__).parent / "data"
CASES = [json.loads(line) for path in sorted(DATA.glob("astra_sim_1_*.jsonl")) for line in path.open()]
NOT_MATCHED = [json.loads(line) for line in (DATA / "not_matched.jsonl").open()]


def inputs_of(case):
    """The workload, the platform and the number of passes of a case."""
    args = case["args"]
    system = parse_system("".join(f"{key}: {value}\n" for key, value in case["system"].items()))
    system = replace(
        system.with_injection_scale(args.get("injection-scale", 1)),
        queues=args.get("num-queues-per-dim", 1),
        rendezvous=args.get("rendezvous-protocol") == "true",
    )
    platform = ae.Platform(parse_network(json.dumps(case["network"])), system)
    work = parse_workload(case["workload"], args["comm-scale"], args["compute-scale"])
    return work, platform, args["num-passes"]
