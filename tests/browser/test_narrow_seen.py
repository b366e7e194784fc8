"""Instruments in a notebook that is 900 pixels wide: JupyterLab leaves some 690 × 610 of them to a cell's output."""

from __future__ import annotations

import pytest

pytest.importorskip("anywidget")

import astra_edu as ae
from browser.looking import saved

pytestmark = pytest.mark.browser

PLACE = {"viewport": {"width": 722, "height": 620}}
WITH_STAGE = (
    *(ae.BuildATrace, ae.CaseStudies, ae.ChunksOverDimensions, ae.CutTheModel, ae.FeedTheNetwork, ae.Folds),
    *(
        ae.HeldAgainst,
        ae.HeldAgainstRuns,
        ae.LinksAndCongestion,
        ae.MemorySystems,
        ae.OrderTheSteps,
        ae.SpendTheBudget,
        ae.Stages,
    ),
    *(ae.TrainingIteration, ae.WhoWaits),
)
WITH_MORE = (ae.Explorer, ae.KeepTraining, ae.WhatIf)
"""Their pictures are as high as the place; they begin in sight."""


def ends(page, selector):
    """Where the last that is shown ends, from above."""
    boxes = [found.bounding_box() for found in page.locator(selector).all() if found.is_visible()]
    return max(box["y"] + box["height"] for box in boxes)


@pytest.fixture
def show(open_page):
    def shown(kind):
        page = open_page(saved(kind()), **PLACE)
        if (button := page.get_by_role("button", name="show me without")).count():
            button.click()
        return page

    return shown


@pytest.mark.parametrize("kind", [*WITH_STAGE, *WITH_MORE])
def test_no_slider_is_squeezed_and_nothing_stands_out_to_the_right(show, kind):
    page = show(kind)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    sliders = [found.bounding_box() for found in page.locator(".astra-setting input").all() if found.is_visible()]
    assert all(box["width"] >= 35 for box in sliders)


@pytest.mark.parametrize("kind", WITH_STAGE)
def test_settings_and_the_stage_are_in_sight_together(show, kind):
    page = show(kind)
    assert ends(page, ".astra-setting") < page.locator(".astra-scene").bounding_box()["y"]
    assert ends(page, ".astra-scene") <= PLACE["viewport"]["height"]


@pytest.mark.parametrize("kind", WITH_MORE)
def test_settings_and_the_beginning_of_a_picture_are_in_sight_together(show, kind):
    page = show(kind)
    assert ends(page, "fieldset") <= 370
    assert page.locator(".astra-headline").bounding_box()["y"] <= PLACE["viewport"]["height"] - 100
