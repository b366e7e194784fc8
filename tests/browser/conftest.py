"""A real Chromium for the tests of what moves. Without one they are skipped, or fail if one is required: then every
test of this folder that is skipped, for whatever is missing, counts as failed."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

REQUIRED = os.environ.get("ASTRA_REQUIRE_BROWSER") == "1"
ROOT = Path(__file__).parent.parent.parent
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP room.test 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]


def _not_skipped(report: Any) -> Any:
    """The report; a failure in place of a skip where the browser is required."""
    if REQUIRED and report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome, report.longrepr = "failed", f"the browser's tests are required, but: {reason}"
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Of a test with more cases than the two themes the first case is looked at in both, the others in the light.

    What colours are in the dark is said in one place for all cases; python -m tools.test --all looks at each.
    """
    seen = set()
    for item in items:
        case = getattr(item, "callspec", None)
        if case and case.params.get("scheme") == "dark" and len(case.params) > 1:
            test = item.nodeid.partition("[")[0]
            if test in seen:
                item.add_marker(pytest.mark.thorough)
            seen.add(test)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: Any) -> Any:
    """A module whose imports are missing."""
    return _not_skipped((yield))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: Any) -> Any:
    """A test, or what it needs."""
    return _not_skipped((yield))


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """One headless browser for all tests."""
    playwright = pytest.importorskip("playwright.sync_api")
    found = [path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))]
    if not found:
        pytest.skip("Chromium is not installed: apt-get install chromium")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=found[0], args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def left_open() -> dict[str, list[Any]]:
    """{a context's options: pages that nobody uses}: to make one takes four times what another text in it does."""
    return {}


@pytest.fixture
def open_page(chromium: Any, left_open: dict[str, list[Any]], tmp_path: Any) -> Iterator[Callable[..., Any]]:
    """open_page(html, **options): the page of that text, opened from a file; it must make no errors.

    alone: a page that is closed afterwards, for who changes its clock or its media.
    """
    used, errors = [], []

    def wrong(error: Any) -> None:
        errors.append(str(error))

    def opened(html: str, alone: bool = False, **options: Any) -> Any:
        path = tmp_path / f"page{len(used)}.html"
        path.write_text(html, encoding="utf-8")
        options = {"viewport": {"width": 1100, "height": 700}} | options
        free = [] if alone else left_open.setdefault(repr(options), [])
        page = free.pop() if free else chromium.new_page(**options)
        used.append((page, free, alone))
        page.on("pageerror", wrong)
        page.goto(path.as_uri())
        return page

    yield opened
    for page, free, alone in used:
        page.goto("about:blank")
        page.mouse.move(0, 0)
        page.remove_listener("pageerror", wrong)
        if alone:
            page.close()
        else:
            free.append(page)
    assert errors == []


@pytest.fixture(scope="session")
def lab(tmp_path_factory: Any) -> Iterator[tuple[str, str]]:
    """Address and token of a JupyterLab on copies of the notebooks, as `make lab ARGS=--originals` starts it."""
    copy = tmp_path_factory.mktemp("project")
    for folder in ("notebooks", "solutions", "exercises", "tools"):
        shutil.copytree(ROOT / folder, copy / folder)
    environment = os.environ | {"PYTHONPATH": f"{copy}{os.pathsep}{ROOT}", "JUPYTER_CONFIG_DIR": str(copy / "config")}
    command = [sys.executable, "-m", "tools.lab", "--originals", "--no-browser", "--port=8970"]
    server = subprocess.Popen(command, cwd=copy, env=environment, stdout=subprocess.PIPE, text=True)
    seen = []
    for line in server.stdout:
        seen.append(line)
        if found := re.search(r"(http://)\S+?(:\d+)/lab\S*token=(\w+)", line):
            yield f"{found[1]}127.0.0.1{found[2]}", found[3]
            break
    else:
        pytest.fail("JupyterLab didn't start:\n" + "".join(seen))
    server.terminate()
    server.wait(timeout=20)


@pytest.fixture
def run_all(chromium: Any, lab: tuple[str, str]) -> Iterator[Callable[[str], Any]]:
    """run_all(path): the page of that notebook in JupyterLab after Run All Cells; no cell may have failed.

    first: the widget to wait for.
    """
    address, token = lab
    pages = []

    def opened(path: str, first: str = ".astra-player") -> Any:
        page = chromium.new_page(viewport={"width": 1300, "height": 1000})
        pages.append(page)
        page.goto(f"{address}/lab/workspaces/{Path(path).stem}/tree/{path}?token={token}&reset")
        idle = page.get_by_text("Python 3 (ipykernel) | Idle")
        idle.wait_for(timeout=60_000)
        page.click('.lm-MenuBar-itemLabel:text-is("Run")')
        page.click('.lm-Menu-itemLabel:text-is("Run All Cells")')
        page.locator(first).first.wait_for(timeout=60_000)
        idle.wait_for(timeout=60_000)
        assert page.locator('[data-mime-type="application/vnd.jupyter.stderr"]').count() == 0
        return page

    yield opened
    for page in pages:
        page.close()


@pytest.fixture
def run_cell(lab: tuple[str, str], run_all: Callable[..., Any]) -> Callable[..., Any]:
    """run_cell(name, source, first): the page of a new notebook of that one cell in JupyterLab, after it has run."""
    address, token = lab

    def opened(name: str, source: str, first: str) -> Any:
        cell = {
            "cell_type": "code",
            "id": "c",
            "source": source,
            "metadata": {},
            "outputs": [],
            "execution_count": None,
        }
        kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
        content = {"nbformat": 4, "nbformat_minor": 5, "metadata": kernel, "cells": [cell]}
        body = json.dumps({"type": "notebook", "format": "json", "content": content}).encode()
        headers = {"Authorization": f"token {token}", "Content-Type": "application/json"}
        urlopen(Request(f"{address}/api/contents/notebooks/{name}.ipynb", body, headers, method="PUT")).close()
        return run_all(f"notebooks/{name}.ipynb", first)

    return opened
