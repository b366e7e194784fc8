"""The timeline: what another result costs in Python, and one frame in a real Chromium."""

from dataclasses import replace
from itertools import cycle
from pathlib import Path

import pytest

import astra_edu as ae
from astra_edu.course.widgets import Timeline

FILES = Path(__file__).parent.parent / "exercises" / "inputs" / "asplos2023" / "ex3-1"

ONE_FRAME = """([share, at]) => {
  const view = document.querySelector(".astra-timeline").astraTimeline;
  const length = view.run.total * share, from = (view.run.total - length) * at;
  view.look(from, from + length);
  const start = performance.now();
  view.draw();
  view.context.getImageData(0, 0, 1, 1);
  return performance.now() - start;
}"""


def run(splits):
    """Three dimensions, six spans for each split."""
    found = ae.load_astra_sim(network=FILES / "3d_switch.json", system=FILES / "3d_switch_themis.txt")
    return ae.simulate(
        ae.Workload.micro("all-reduce", 2**26), replace(found, system=replace(found.system, splits=splits))
    )


@pytest.mark.parametrize("splits", [350, 1700])
def test_another_result(benchmark, splits):
    timeline, runs = Timeline(run(4)), cycle([run(splits), run(splits + 1)])

    def show():
        timeline.result = replace(next(runs))  # a copy that has not made its spans yet

    benchmark.pedantic(show, rounds=20)
    print(f"\n{len(timeline.result.timeline):,} spans")


@pytest.mark.parametrize("share", [1.0, 0.1, 0.01])
def test_one_frame_of_ten_thousand_spans(benchmark, open_page, share):
    page = open_page(Timeline(run(1700)).page())
    times = sorted(page.evaluate(ONE_FRAME, [share, i / 60]) for i in range(60))
    benchmark.pedantic(lambda: page.evaluate(ONE_FRAME, [share, 0.4]), rounds=5)
    benchmark.extra_info["median_ms"] = round(times[30], 2)
    print(f"\n{share:.0%} of the run in sight: median {times[30]:.1f} ms, slowest {times[-1]:.1f} ms a frame")
