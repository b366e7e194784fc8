"""How fast the widgets answer in a real Chromium: the first picture, a frame while dragging, a slider of Python's."""

import pytest

import astra_edu as ae
from astra_edu.course.widgets import handout

FIRST_PICTURE = """() => new Promise((done) => {
  const root = document.createElement("div"), start = performance.now();
  document.body.append(root);
  astraWidget.render({ model: astraModels[0], el: root });
  requestAnimationFrame(() => requestAnimationFrame(() => { root.remove(); done(performance.now() - start); }));
})"""

ONE_FRAME = """(share) => {
  const deck = document.querySelector(".astra-player").astraDeck, start = performance.now();
  deck.position = deck.total * share;
  deck.views.forEach((view) => view.draw());
  document.querySelector(".astra-player").getBoundingClientRect();
  return performance.now() - start;
}"""

BETWEEN_FRAMES = """() => new Promise((done) => {
  const range = document.querySelector(".astra-range"), times = [];
  const tick = (now) => {
    times.push(now);
    if (times.length > 120) return done(times.slice(1).map((t, i) => t - times[i]));
    range.value = range.max * (0.5 + 0.5 * Math.sin(times.length / 8));
    range.dispatchEvent(new Event("input"));
    requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
})"""

KEY_TO_PICTURE = """([handle, key]) => new Promise((done) => {
  const shown = () => SHOWN, before = shown(), start = performance.now();
  const look = () => {
    if (shown() === before) return setTimeout(look);
    const arrived = performance.now() - start;
    requestAnimationFrame(() => setTimeout(() => done([arrived, performance.now() - start])));
  };
  handle.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  look();
})"""
SLIDER_TO_PICTURE = KEY_TO_PICTURE.replace(
    "SHOWN", '[...document.querySelectorAll(".astra-player")].at(-1).astraDeck.data'
).replace(  # what a key does to a slider of the browser's own
    'handle.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));',
    """handle.value = Number(handle.value) + (key === "ArrowRight" ? 1 : -1);
  handle.dispatchEvent(new Event("input", { bubbles: true }));""",
)
WHAT_IF_TO_PICTURE = SLIDER_TO_PICTURE.replace(
    '[...document.querySelectorAll(".astra-player")].at(-1).astraDeck.data',
    'document.querySelector(".astra-timeline").astraTimeline.run',
)
WHAT_IF = 'import astra_edu as ae\nae.WhatIf("dgx2", "VGG-16", compute_scale=0.41, ask=False)'


@pytest.fixture
def page(open_page, npus):
    return open_page(handout.page([ae.Player(ae.schedule("all-reduce", "ring", npus))]))


@pytest.mark.parametrize("npus", [16, 64])
def test_one_frame(benchmark, report, page, npus):
    times = [page.evaluate(ONE_FRAME, i / 60) for i in range(60)]
    benchmark.pedantic(lambda: page.evaluate(ONE_FRAME, 0.4), rounds=5)
    report(times, f"work for one frame at {npus} NPUs")


@pytest.mark.parametrize("npus", [16, 64])
def test_between_frames_while_dragging(benchmark, report, page, npus):
    times = page.evaluate(BETWEEN_FRAMES)
    benchmark.pedantic(lambda: None, rounds=1)
    report(times, f"between two frames while dragging at {npus} NPUs")


def test_slider_to_picture_in_jupyterlab(benchmark, report, run_all):
    page = run_all("notebooks/00_start_here.ipynb")
    size = page.get_by_role("slider", name="job, size")
    size.scroll_into_view_if_needed()
    handle = size.element_handle()
    page.wait_for_timeout(5000)
    times = []
    for key in ["ArrowRight", "ArrowLeft"] * 15:
        times.append(page.evaluate(SLIDER_TO_PICTURE, [handle, key]))
        page.wait_for_timeout(150)
    benchmark.pedantic(lambda: None, rounds=1)
    report([shown for _, shown in times], "from a key on a slider to the picture, through the kernel")
    report([arrived for arrived, _ in times], "of which until the new picture's data are there")


def test_what_if_to_picture_in_jupyterlab(benchmark, report, run_cell):
    """VGG-16 on DGX-2: from a key on a bandwidth slider to the simulated, explained and drawn run."""
    page = run_cell("what_if_bench", WHAT_IF, ".astra-timeline")
    handle = page.get_by_role("slider", name="dimension 1, per link").element_handle()
    page.wait_for_timeout(3000)
    times = []
    for key in ["ArrowRight", "ArrowLeft"] * 15:
        times.append(page.evaluate(WHAT_IF_TO_PICTURE, [handle, key]))
        page.wait_for_timeout(300)
    benchmark.pedantic(lambda: None, rounds=1)
    report([shown for _, shown in times], "what-if: from a key to the picture, through the kernel")
    report([arrived for arrived, _ in times], "of which until the new run is there")
