"""axe-core finds nothing in any widget's page, in either theme: names, roles, contrast, what a keyboard reaches."""

from __future__ import annotations

from functools import cache

import pytest

pytest.importorskip("anywidget")
pytest.importorskip("axe_playwright_python")

from axe_playwright_python.sync_playwright import Axe
from course.instruments.test_looks import TRAINED
from course.widgets.test_design_space import TABLE
from recorded_runs import run as recorded

import astra_edu as ae
from browser.looking import SCHEMES, saved

pytestmark = pytest.mark.browser

MAKE = {
    "BandwidthSliders": lambda: ae.BandwidthSliders(*TRAINED),
    "BuildATrace": ae.BuildATrace,
    "CaseStudies": lambda: ae.CaseStudies("job=all-reduce"),
    "ChunksOverDimensions": ae.ChunksOverDimensions,
    "CutTheModel": lambda: ae.CutTheModel("model=22b tensor=4 data=1 pipeline=1"),
    "DesignSpace": lambda: ae.DesignSpace(TABLE),
    "DesignSpace, parallel": lambda: ae.DesignSpace(TABLE, "parallel"),
    "DesignSpace, heat": lambda: ae.DesignSpace(TABLE, "heat"),
    "FeedTheNetwork": ae.FeedTheNetwork,
    "Explorer": lambda: ae.Explorer(network=(("Ring", 4, 50, 500), ("Switch", 2, 50, 500)), ask=False),
    "Explorer, asking": lambda: ae.Explorer("all-gather", network=(("Ring", 4, 50, 500), ("Switch", 2, 50, 500))),
    "Folds": lambda: ae.Folds(ae.Gemm(6, 5, 7), ae.SystolicArray(3, 4)),
    "HeldAgainst": ae.HeldAgainst,
    "HeldAgainstRuns": ae.HeldAgainstRuns,
    "KeepTraining": ae.KeepTraining,
    "MemorySystems": ae.MemorySystems,
    "LinkPlayer": lambda: ae.LinkPlayer(recorded(ae.Block("Ring", 4, 50, 500), "ring")),
    "LinksAndCongestion": ae.LinksAndCongestion,
    "OrderTheSteps": lambda: ae.OrderTheSteps("first=E"),
    "Player": lambda: ae.Player(ae.schedule("all-reduce", "ring", 8)),
    "SpendTheBudget": lambda: ae.SpendTheBudget("npus=64 tensor=4 pipeline=2"),
    "Stages": ae.Stages,
    "WhatIf": lambda: ae.WhatIf("torus", "all-reduce", ask=False),
    "WhoWaits": ae.WhoWaits,
    "TrainingIteration": ae.TrainingIteration,
    "Timeline": lambda: ae.Timeline(ae.simulate(ae.Workload.micro("all-reduce", 2**20), ae.preset("torus"))),
}


@cache
def page_of(name):
    return saved(MAKE[name]())


def found(page):
    """What axe-core complains of: (theme, rule, how bad, the first place). In the dark only contrast is another."""
    complaints = []
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        options = {"resultTypes": ["violations"]} | ({"runOnly": ["color-contrast"]} if scheme == "dark" else {})
        violations = Axe().run(page, options=options).response["violations"]
        complaints += [(scheme, one["id"], one["impact"], one["nodes"][0]["html"][:200]) for one in violations]
    page.emulate_media(color_scheme="light")  # as others who use this page expect it
    return complaints


@pytest.mark.parametrize("name", MAKE)
def test_a_widgets_page_breaks_no_rule(open_page, name):
    page = open_page(page_of(name), color_scheme="light")
    page.locator(".astra-widget").first.wait_for()
    for closed in page.locator("summary").all():
        if closed.is_visible():
            closed.click()
    assert found(page) == []


def test_an_instrument_breaks_no_rule_once_it_has_answered(open_page):
    page = open_page(page_of("CutTheModel"), color_scheme="light")
    page.locator(".astra-fields input").first.check()
    page.get_by_role("button", name="commit").click()
    page.locator(".astra-result").wait_for()
    assert found(page) == []


def test_a_words_meaning_breaks_no_rule(open_page):
    page = open_page(page_of("Player"), color_scheme="light")
    page.locator(".astra-term").first.focus()
    page.locator(".astra-meaning:popover-open").wait_for()
    assert found(page) == []
