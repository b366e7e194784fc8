"""The instructors' plans: what the room is asked has the answer that stands there, and the screen shows it."""

import json
import math
import re
from functools import cache
from pathlib import Path

import pytest
from project.test_instructor import rows

import astra_edu as ae
from astra_edu.base.units import GIB
from astra_edu.workload.strategies.tables import sent_by_content

ROOT = Path(__file__).resolve().parents[2]
INPUTS = ROOT / "exercises" / "inputs" / "asplos2022"
NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")


@cache
def instrument(notebook: str, name: str, which: int = 0):
    """An instrument as a notebook makes it."""
    cells = json.loads((ROOT / "notebooks" / f"{notebook}.ipynb").read_text(encoding="utf-8"))["cells"]
    calls = [
        found[0]
        for cell in cells
        if cell["cell_type"] == "code" and (found := re.search(rf"ae\.{name}\([\s\S]*\)", "".join(cell["source"])))
    ]
    return eval(calls[which], {"ae": ae})


def answer(shown):
    return shown.answer(shown.values)


def times(workload, network, system, passes=1, **how):
    platform = ae.load_astra_sim(network=INPUTS / f"{network}.json", system=INPUTS / f"{system}.txt")
    return ae.simulate(ae.load_workload(INPUTS / f"{workload}.txt", **how), platform, passes=passes)


def start():
    return [f"{answer(instrument('00_start_here', 'Explorer')).value:.3f}"]


def memory():
    gib = answer(instrument("10_why_distributed", "CutTheModel")).value
    return [str(math.ceil(gib * GIB / ae.device("a100").memory_bytes)), f"{gib:,.0f}"]


def cuts():
    def sent(batch, **how):
        return f"{sum(sent_by_content(ae.model('gpt3'), ae.Strategy(**how, batch=batch)).values()) / GIB:,.0f}"

    assert sent(16, data=8) == sent(32, data=8)
    return [sent(32, tensor=8), sent(16, tensor=8), sent(32, data=8)]


def steps(*algorithms):
    return [str(ae.schedule("all-reduce", algorithm, 8).step_count) for algorithm in algorithms]


def wires():
    shown = instrument("02_topologies", "Explorer")
    found = []
    for topology in ("Ring", "FullyConnected", "Switch"):
        shown.set(topology_0=topology, algorithm_0="ring")
        found.append(f"{answer(shown).value:,.0f}")
    return found


def twice_the_compute():
    now, then = (times("ex3/vgg16", "ex3/dgx2", "ex3/dgx2", compute_scale=scale) for scale in (0.41, 0.205))
    shorter = f"{1 - then.total_ns / now.total_ns:.0%}"[:-1]
    waits = answer(instrument("03_inside_astra_sim", "TrainingIteration", 1)).value
    return [shorter, f"{then.total_ns / 1000:,.0f}", f"{now.total_ns / 1000:,.0f}", f"{waits:.1f}"]


def share():
    now = times("ex3/vgg16", "ex3/dgx2", "ex3/dgx2", compute_scale=0.41)
    waits = answer(instrument("03_inside_astra_sim", "TrainingIteration", 1)).value
    return [f"{waits:.1f}", f"{now.exposed_ns / 1000:,.0f}", f"{now.total_ns / 1000:,.0f}"]


@cache
def themis():
    folder = ROOT / "exercises" / "inputs" / "asplos2023" / "ex3-1"
    return [
        ae.simulate(
            ae.load_workload(folder / "all_reduce.txt", comm_scale=1024),
            ae.load_astra_sim(network=folder / "3d_switch.json", system=folder / f"3d_switch_{name}.txt"),
        ).total_ns
        for name in ("baseline", "themis")
    ]


def chunks():
    found = answer(instrument("04_hierarchical_and_themis", "ChunksOverDimensions"))
    assert found.value == "dimension 0"
    return [*(f"{float(us):.0f}" for us in re.findall(r"([\d.]+) µs", found.why)), times_as_fast()]


def times_as_fast():
    baseline, ours = themis()
    return f"{baseline / ours:.2f}"


def tutorials_case():
    return [times_as_fast(), *(f"{ns / 1000:,.0f}" for ns in reversed(themis()))]


def growth():
    one, more = (times("ex2/all_reduce", "ex2/ring", "ex2/ring", comm_scale=scale).total_ns for scale in (1, 1024))
    return [f"{more / one:.0f}"]


def systems():
    runs = [
        times(f"ex3/{work}", f"ex3/{name}", f"ex3/{name}", compute_scale=scale).total_ns
        for work in ("vgg16", "gpt3")
        for name, scale in (("tpu", 1), ("dgx2", 0.41))
    ]
    assert runs[0] < runs[1]
    assert runs[2] > runs[3]
    vgg, gpt = [f"{ns / 1e3:,.0f}" for ns in runs[:2]], [f"{ns / 1e6:,.0f}" for ns in reversed(runs[2:])]
    return [*vgg, "2", *gpt]  # DGX-2


def orders():
    both = [times(f"ex4/{name}", "ex4/torus", "ex4/torus", passes=20) for name in ("vanilla", "reorder")]
    assert both[0].total_ns == both[1].total_ns
    return [f"{both[0].total_ns / 1000:,.2f}", "4"]  # question 4


def wafer():
    found = answer(instrument("24_case_studies", "CaseStudies"))
    assert found.value.startswith("W-1D")
    return [f"{float(ms):.0f}" for ms in re.findall(r"([\d.]+) ms", found.why)]


def congestion():
    ns = [
        ae.simulate(
            ae.traces.collective("all_reduce", "1 GiB", npus=64),
            ae.TracePlatform(
                ae.Block("Switch", 64, bandwidth=50, latency=500),
                ae.TraceSystem.of("direct", splits=4, optimization="localBWAware"),
                congestion_aware=aware,
            ),
        ).total_ns
        for aware in (True, False)
    ]
    return [f"{ns[0] / ns[1]:.0f}", f"{round(ns[0] / 1000, -2):,.0f}", f"{ns[1] / 1000:.0f}"]


def which_dimension():
    found = answer(instrument("05_what_if", "WhatIf"))
    assert found.value == "dimension 1"
    now, first, second = (f"{float(us.replace(',', '')):,.0f}" for us in re.findall(r"([\d,.]+) µs", found.why))
    return [second, now, first]


PLANS = {
    "three_hours.md": {
        "Start": start,
        "Why training is distributed": memory,
        "Parallelism": cuts,
        "Collectives": lambda: steps("ring", "direct", "halving-doubling"),
        "Topologies": lambda: [*wires(), f"{answer(instrument('02_topologies', 'Explorer', 1)).value:,.0f}"],
        "Inside ASTRA-sim": twice_the_compute,
        "Chunks over dimensions": chunks,
        "Exercise 2, in pairs": growth,
        "Exercise 3, in pairs": systems,
        "Exercise 4, from the solution": orders,
        "What comes after": wafer,
    },
    "one_hour.md": {
        "Start": start,
        "Demonstration 1: collectives": lambda: steps("ring", "direct"),
        "The same on three networks": wires,
        "Demonstration 2: a training iteration": share,
        "Demonstration 3: Themis": tutorials_case,
        "Demonstration 3, second part: congestion": congestion,
        "What comes after": which_dimension,
    },
}


@pytest.mark.parametrize(("page", "what"), [(page, what) for page, asked in PLANS.items() for what in asked])
def test_the_answer_to_a_question_of_a_plan_is_the_simulator_s(page, what):
    (row,) = (row for row in rows(page) if row[2] == what)
    assert NUMBER.findall(row[5]) == PLANS[page][what]()


@pytest.mark.parametrize("page", PLANS)
def test_every_question_of_a_plan_is_tested(page):
    assert {row[2] for row in rows(page) if row[4]} == PLANS[page].keys()
