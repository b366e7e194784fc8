"""How fast the instruments answer: a key to its picture, simulated anew or not, and frames while playing."""

import pytest

import astra_edu as ae

LIVE = (
    "CaseStudies",
    "ChunksOverDimensions",
    "CutTheModel",
    "Explorer",
    "FeedTheNetwork",
    "Folds",
    "HeldAgainstRuns",
    "KeepTraining",
    "LinksAndCongestion",
    "MemorySystems",
    "OrderTheSteps",
    "SpendTheBudget",
    "Stages",
    "TrainingIteration",
    "WhatIf",
    "WhoWaits",
)
MOVE = """([control, by]) => new Promise((done) => {
  const shown = () => document.querySelector(".astra-instrument details pre").textContent, before = shown();
  const start = performance.now();
  if (control.tagName === "SELECT") control.selectedIndex += by;
  else control.value = Number(control.value) + by;
  control.dispatchEvent(new Event(control.tagName === "SELECT" ? "change" : "input", { bubbles: true }));
  const look = () => {
    if (performance.now() - start > 4000) return done(null);
    if (shown() === before) return setTimeout(look);
    requestAnimationFrame(() => setTimeout(() => done([shown(), performance.now() - start])));
  };
  look();
})"""
STEP = """(key) => new Promise((done) => {
  const root = document.querySelector(".astra-instrument"), start = performance.now();
  root.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  requestAnimationFrame(() => setTimeout(() => done(performance.now() - start)));
})"""
WHILE_PLAYING = """() => new Promise((done) => {
  const times = [];
  document.querySelector(".astra-instrument").dispatchEvent(new KeyboardEvent("keydown", { key: " ", bubbles: true }));
  const tick = (now) => {
    times.push(now);
    if (times.length > 120) return done(times.slice(1).map((t, i) => t - times[i]));
    requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
})"""


@pytest.mark.parametrize("name", LIVE)
def test_key_to_picture_through_the_kernel(benchmark, report, run_cell, name):
    """Every control of an instrument, one value on and back: settings that are new, and those that were seen before."""
    page = run_cell(
        f"bench_{name}", f"import astra_edu as ae\nshown = ae.{name}()\nshown.dismiss()\nshown", ".astra-widget"
    )
    page.locator(".astra-instrument").wait_for()
    page.wait_for_timeout(3000)
    new, known, seen = [], [], set()
    for control in page.locator(".astra-setting :is(select, input[type=range])").element_handles():
        for by in (1, 1, -1, -1) if control.is_visible() else ():
            if found := page.evaluate(MOVE, [control, by]):
                text, ms = found
                (known if text in seen else new).append(ms)
                seen.add(text)
            page.wait_for_timeout(150)
    benchmark.pedantic(lambda: None, rounds=1)
    report(known, f"{name}: from a key to the picture of a setting that was seen before")
    report(new, f"{name}: from a key to the picture of a new setting, simulated")


@pytest.mark.parametrize("name", LIVE)
def test_key_to_the_next_step(benchmark, report, open_page, name):
    """A step on the stage, on a saved page."""
    shown = getattr(ae, name)()
    shown.dismiss()
    page = open_page(shown.page())
    times = [page.evaluate(STEP, key) for key in ["ArrowRight", "ArrowLeft"] * 20]
    benchmark.pedantic(lambda: None, rounds=1)
    report(times, f"{name}: from a key to the next step")


@pytest.mark.parametrize("name", ["CutTheModel", "Explorer"])
def test_between_frames_while_playing_with_16_npus(benchmark, report, open_page, name):
    shown = (
        ae.CutTheModel("tensor=8 data=2") if name == "CutTheModel" else ae.Explorer(network=(("Ring", 16, 50, 500),))
    )
    shown.dismiss()
    page = open_page(shown.page())
    times = page.evaluate(WHILE_PLAYING)
    benchmark.pedantic(lambda: None, rounds=1)
    report(times, f"{name}: between two frames while playing with 16 NPUs")
