"""A real Chromium for the tests of what moves. Without one they are skipped, or fail if one is required."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """One headless browser for all tests."""
    playwright = pytest.importorskip("playwright.sync_api")
    found = [path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))]
    if not found:
        missing = "Chromium is not installed: apt-get install chromium"
        if os.environ.get("ASTRA_REQUIRE_BROWSER") == "1":
            pytest.fail(missing)
        pytest.skip(missing)
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=found[0], args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium: Any, tmp_path: Any) -> Iterator[Callable[..., Any]]:
    """open_page(html, **context): the page of that text, opened from a file; it must make no errors."""
    contexts, errors = [], []

    def opened(html: str, **options: Any) -> Any:
        path = tmp_path / f"page{len(contexts)}.html"
        path.write_text(html, encoding="utf-8")
        context = chromium.new_context(**({"viewport": {"width": 1100, "height": 700}} | options))
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(path.as_uri())
        return page

    yield opened
    for context in contexts:
        context.close()
    assert errors == []
