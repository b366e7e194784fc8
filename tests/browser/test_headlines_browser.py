"""The number that leads, as the browser shows it: from files, and Explorer and WhatIf in JupyterLab with a kernel."""

from __future__ import annotations

import json
from urllib.request import Request, urlopen

import pytest

pytest.importorskip("anywidget")

import astra_edu as ae
from astra_edu.course.widgets import handout

pytestmark = pytest.mark.browser

GIB = 2**30
MODEL = "the messages share links; ASTRA-sim's contention-free model says"
SETUP = """import astra_edu as ae
from IPython.display import display
def platform(algorithm):
    network = ae.Dimension.of("Switch", 16, 50, 500), ae.Dimension.of("Ring", 2, 50, 500)
    return ae.Platform(network, ae.SystemConfig.of(f"{algorithm}_ring", splits=1))
"""
CELL = (
    SETUP
    + """display(ae.Explorer("all-reduce", "{0}", (("Switch", 16, 50, 500),), 2**30, splits=1, ask=False))
display(ae.WhatIf(platform("{0}"), ae.Workload.micro("all-reduce", 2**30)))"""
)


def run(algorithm):
    network = ae.Dimension.of("Switch", 16, 50, 500)
    platform = ae.Platform((network,), ae.SystemConfig.of(algorithm, splits=1))
    return ae.simulate(ae.Workload.micro("all-reduce", GIB), platform)


def test_a_timeline_is_headed_by_the_bound(open_page):
    for algorithm, title in (("direct", "at least 37,500.001 µs in all"), ("ring", "37,536.341 µs in all")):
        page = open_page(ae.Timeline(run(algorithm)).page())
        assert page.locator(".astra-title").inner_text() == title
        assert (f"{MODEL} 2,502.433 µs; compute 0 ns" in page.locator("body").inner_text()) == (algorithm == "direct")


def test_a_player_is_headed_by_the_bound(open_page):
    network = ae.Dimension.of("Switch", 16, 50, 500)
    for algorithm, title in (
        ("direct", f"direct all-reduce on 16 NPUs, at least 37,500.000 µs: {MODEL} 2,502.432 µs"),
        ("ring", "ring all-reduce on 16 NPUs"),
    ):
        schedule = ae.schedule("all-reduce", algorithm, 16)
        player = ae.Player(schedule, ae.time_schedule(schedule, network, GIB), topology="Switch")
        page = open_page(handout.page([player], "Test"))
        assert page.locator(".astra-title").inner_text() == title


@pytest.fixture
def notebook(chromium, lab):
    """notebook(path, cell): a new notebook of this cell after Run All Cells, in JupyterLab."""
    address, token = lab
    pages = []

    def opened(path, cell):
        of = {"cell_type": "code", "id": "c", "source": cell, "metadata": {}, "outputs": [], "execution_count": None}
        kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
        content = {"nbformat": 4, "nbformat_minor": 5, "metadata": kernel, "cells": [of]}
        body = json.dumps({"type": "notebook", "format": "json", "content": content}).encode()
        headers = {"Authorization": f"token {token}", "Content-Type": "application/json"}
        urlopen(Request(f"{address}/api/contents/{path}", body, headers, method="PUT")).close()
        page = chromium.new_page(viewport={"width": 1400, "height": 1250})
        pages.append(page)
        page.goto(f"{address}/lab/workspaces/headlines{len(pages)}/tree/{path}?token={token}&reset")
        page.get_by_text("Python 3 (ipykernel) | Idle").wait_for(timeout=90_000)
        page.click('.lm-MenuBar-itemLabel:text-is("Run")')
        page.click('.lm-Menu-itemLabel:text-is("Run All Cells")')
        page.locator(".astra-total").first.wait_for(timeout=90_000)
        page.locator(".astra-player").first.wait_for(timeout=90_000)
        return page

    yield opened
    for page in pages:
        page.close()


def headlines(page):
    """What stands in bold over Explorer's player, and over WhatIf's timeline and in its title."""
    page.locator(".astra-headline").first.wait_for(timeout=20_000)
    page.locator(".astra-timeline .astra-title").first.wait_for(timeout=20_000)
    return (
        page.locator(".astra-headline").first.inner_text(),
        page.locator(".astra-total").first.inner_text(),
        page.locator(".astra-timeline .astra-title").first.inner_text(),
    )


def test_explorer_and_what_if_lead_with_the_bound(notebook):
    explorer, what_if, timeline = headlines(notebook("notebooks/shared.ipynb", CELL.replace("{0}", "direct")))
    assert explorer == f"at least 37,500.000 µs: {MODEL} 2,502.433 µs"
    assert what_if.startswith("at least 37,500.001 µs in all: ")
    assert MODEL in what_if
    assert timeline == "at least 37,500.001 µs in all"


def test_explorer_and_what_if_are_as_they_were_where_nothing_is_shared(notebook):
    explorer, what_if, timeline = headlines(notebook("notebooks/free.ipynb", CELL.replace("{0}", "ring")))
    assert explorer == "37,536.341 µs: 1.875 GiB sent by the busiest NPU, 1 chunk of 30 steps"
    assert what_if == timeline
    assert "least" not in what_if
