"""The site of `make site` in browsers that reach nothing but it: pages that play, the course with its kernel."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

pytest.importorskip("anywidget")
pytest.importorskip("jupyterlite_core")

from browser.firefox import Firefox
from browser.pyodide_release import release
from tools.site import lite, pages
from tools.site.release import Release

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parent.parent.parent
EXERCISE = "ex1_getting_started.ipynb"
NOTEBOOK = "notebooks/01_collectives.ipynb"
SHOWN = "ChunksOverDimensions"
READY = "() => window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'"
CELLS = "[...window.jupyterapp.shell.currentWidget.content.model.cells].filter(({ type }) => type === 'code')"
RUN_ALL = "() => void window.jupyterapp.commands.execute('notebook:run-all-cells')"
RUN_FIRST = """(source) => {
  const { commands, shell } = window.jupyterapp;
  const { content } = shell.currentWidget;
  content.activeCellIndex = content.widgets.findIndex(({ model }) => model.type === "code");
  content.activeCell.model.sharedModel.setSource(source);
  void commands.execute("notebook:run-cell");
}"""
RAN = f"""() => {{
  const all = {CELLS};
  return all[0].executionCount && all.every(({{ executionState }}) => executionState === "idle");
}}"""
KEPT = "async (urls) => (await Promise.all(urls.map((url) => caches.match(url)))).every(Boolean)"
COUNT_UNREGISTERED = """{
  window.unregistered = 0;
  const { unregister } = ServiceWorkerRegistration.prototype;
  ServiceWorkerRegistration.prototype.unregister = function () {
    window.unregistered += 1;
    return unregister.call(this);
  };
}"""
FILL = """(sources) => {
  const { cells } = window.jupyterapp.shell.currentWidget.content.model;
  sources.forEach((source, i) => source === null || cells.get(i).sharedModel.setSource(source));
}"""


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *words: Any) -> None:
        pass


class Site:
    """A folder that is served, until it is cut off."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
        Thread(target=self._server.serve_forever, daemon=True).start()
        self.address = f"http://127.0.0.1:{self._server.server_port}/"

    def cut(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture(scope="module")
def built(tmp_path_factory: Any) -> Path:
    folder: Path = tmp_path_factory.mktemp("site")
    kept = ROOT / ".cache" / "pyodide"
    kept.mkdir(parents=True, exist_ok=True)
    pages.build(folder, only=[SHOWN])
    (folder / "work").mkdir()
    missing = lite.build(folder / "work", folder, Release(release(kept)), bundle=True)
    assert missing == ["pyyaml"]  # no pure wheel, and the carrier hasn't it; the files of 2.x's networks need it
    return folder


@pytest.fixture
def site(built: Path) -> Iterator[Site]:
    served = Site(built)
    yield served
    served.cut()


@pytest.fixture
def tab(chromium: Any, site: Site) -> Iterator[Callable[[str], Any]]:
    """tab(path): that page of the site, in a tab that has asked for nothing but it at the end."""
    context, outside = chromium.new_context(viewport={"width": 1280, "height": 800}), []
    page = context.new_page()
    page.on("request", lambda asked: outside.append(asked.url))

    def opened(path: str) -> Any:
        page.goto(site.address + path)
        return page

    yield opened
    context.close()
    assert [url for url in outside if not url.startswith((site.address, "data:", "blob:"))] == []


def in_the_lab(tab: Callable[[str], Any], notebook: str) -> Any:
    page = tab(f"lite/lab/index.html?path={notebook}")
    page.wait_for_function(READY, timeout=60_000, polling=250)
    return page


def run_all(page: Any) -> list[dict[str, Any]]:
    """Run all cells; the code cells then."""
    page.evaluate(RUN_ALL)
    page.wait_for_function(RAN, timeout=90_000, polling=250)
    found: list[dict[str, Any]] = page.evaluate(f"() => {CELLS}.map((cell) => cell.sharedModel.toJSON())")
    return found


def texts(cell: dict[str, Any]) -> str:
    """All that a cell has printed or shown as text."""
    return json.dumps(cell["outputs"], ensure_ascii=False)


def test_the_front_page_plays_at_once_and_is_small(tab, built):
    assert sum((built / name).stat().st_size for name in ("index.html", "site.css", "sw.js")) < 200_000
    page = tab("")
    page.locator(".astra-widget").focus()
    page.keyboard.press("ArrowRight")
    page.locator(".astra-where", has_text="step 1 of 14").wait_for()
    assert page.get_by_role("link", name="Open the course").get_attribute("href").endswith("00_start_here.ipynb")


def test_every_link_of_the_front_page_leads_to_a_file_or_to_what_the_whole_site_has(tab, built):
    links = tab("").eval_on_selector_all("a", "(all) => all.map((a) => a.getAttribute('href'))")
    assert len(links) > 30
    for link in links:
        path, _, notebook = link.partition("?path=")
        whole = path.startswith("docs/") or (path.startswith("instruments/") and SHOWN not in path)
        assert whole or (built / path).exists(), link
        assert not notebook or (built / "lite" / "files" / notebook).exists(), link


def test_an_instrument_answers_on_its_page(tab):
    page = tab(f"instruments/{SHOWN}.html")
    page.get_by_role("button", name="show me without").click()
    before = page.locator(".astra-headline").inner_text()
    page.get_by_role("slider", name="bandwidth of the others").focus()
    page.keyboard.press("ArrowLeft")
    page.wait_for_function("(before) => document.querySelector('.astra-headline').textContent !== before", arg=before)
    assert "µs" in page.locator(".astra-headline").inner_text()


def answers() -> list[str | None]:
    """Exercise 1's cells as they are solved; None where nothing is to be filled in."""
    solved, open_ = (
        json.loads((ROOT / folder / EXERCISE).read_text(encoding="utf-8"))["cells"]
        for folder in ("solutions", "exercises")
    )
    return [
        "".join(ours["source"]) if ours["source"] != theirs["source"] else None
        for ours, theirs in zip(solved, open_, strict=True)
    ]


def check_exercise_1(cells: list[dict[str, Any]]) -> None:
    """As many verdicts as in the stored solution, all of them right."""
    solved = json.loads((ROOT / "solutions" / EXERCISE).read_text(encoding="utf-8"))
    stored = [cell for cell in solved["cells"] if cell["cell_type"] == "code"]
    assert len(cells) == len(stored)
    verdicts = [texts(cell) for cell in cells if "✓" in texts(cell)]
    assert len(verdicts) == sum("✓" in texts(cell) for cell in stored) > 4
    assert not any('"output_type": "error"' in texts(cell) for cell in cells)


def check_notebook_01(cells: list[dict[str, Any]]) -> None:
    """It has run to its end and prints what is stored."""
    stored = json.loads((ROOT / NOTEBOOK).read_text(encoding="utf-8"))
    assert all(cell["execution_count"] for cell in cells)
    assert not any('"output_type": "error"' in texts(cell) for cell in cells)

    def printed(cell: dict[str, Any]) -> str:
        streams = [output["text"] for output in cell["outputs"] if output["output_type"] == "stream"]
        return "".join("".join(text) for text in streams)

    expected = [printed(cell) for cell in stored["cells"] if cell["cell_type"] == "code"]
    assert [printed(cell) for cell in cells] == expected
    assert any(expected)


def cut_off(page: Any, tab: Callable[[str], Any], site: Site) -> None:
    """Look at a page of each kind, wait until all that a kernel loads is kept, and cut the network."""
    tab(f"instruments/{SHOWN}.html").locator(".astra-widget").wait_for()
    tab("").locator(".astra-widget").wait_for()
    page.wait_for_function("async () => (await navigator.serviceWorker.getRegistrations()).length === 2")
    files = json.loads((site.folder / "lite/static/pyodide/pyodide-lock.json").read_text(encoding="utf-8"))["packages"]
    kept = [f"{site.address}lite/static/pyodide/{each['file_name']}" for each in files.values()]
    page.wait_for_function(KEPT, arg=kept, timeout=60_000, polling=250)
    site.cut()


def stepped(page):
    """Whether a key has moved the first player by a step; a page that is busy with its start may not have heard it."""
    player = page.locator(".astra-player").first
    player.focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    page.wait_for_timeout(1000)
    return player.locator(".astra-where", has_text="step 1 of 14").is_visible()


def test_exercise_1_is_solved_notebook_01_prints_what_is_stored_and_all_is_there_when_the_network_is_cut(tab, site):
    page = in_the_lab(tab, f"exercises/{EXERCISE}")
    page.evaluate(FILL, answers())
    check_exercise_1(run_all(page))
    page.evaluate("() => window.jupyterapp.commands.execute('docmanager:save')")
    page.goto("about:blank")
    check_notebook_01(run_all(in_the_lab(tab, NOTEBOOK)))
    cut_off(page, tab, site)
    tab("").get_by_role("link", name="Open the course").wait_for()
    tab(f"instruments/{SHOWN}.html").get_by_role("button", name="commit").wait_for()
    page.add_init_script(COUNT_UNREGISTERED)
    in_the_lab(tab, f"exercises/{EXERCISE}")
    assert any(stepped(page) for _ in range(60))
    assert "Loading widget" not in page.locator("body").inner_text()
    page.evaluate(RUN_FIRST, "from astra_edu.check import progress; print(progress('ex1'))")
    page.wait_for_function(f"() => {CELLS}[0].outputs.length", timeout=60_000, polling=250)
    first = page.evaluate(f"() => {CELLS}[0].sharedModel.toJSON()")
    assert "Exercise 1: 5 of 5 right" in texts(first)
    assert page.evaluate("window.unregistered") == 0


def test_notebook_00_finds_its_files_over_plain_http_too(chromium, site):
    page = chromium.new_page()
    page.goto(f"{site.address.replace('127.0.0.1', 'room.test')}lite/lab/index.html?path=notebooks/00_start_here.ipynb")
    assert not page.evaluate("window.isSecureContext")
    page.wait_for_function(READY, timeout=60_000, polling=250)
    cells = run_all(page)
    page.close()
    assert not any('"output_type": "error"' in texts(cell) for cell in cells)
    assert "45.681" in "".join(map(texts, cells))


def test_firefox_plays_answers_and_solves_exercise_1(site, tmp_path):
    firefox = Firefox(tmp_path)
    try:
        firefox.goto(site.address)
        firefox.wait_for("!!document.querySelector('.astra-widget')")
        firefox.evaluate("document.querySelector('.astra-widget').focus()")
        firefox.press("ArrowRight")
        firefox.wait_for("document.querySelector('.astra-where').textContent.includes('step 1 of 14')")
        firefox.goto(f"{site.address}instruments/{SHOWN}.html")
        shown = "[...document.querySelectorAll('button')].find((one) => one.textContent === 'show me without')"
        firefox.wait_for(f"!!{shown}")
        firefox.evaluate(f"{shown}.click()")
        firefox.wait_for("document.querySelector('.astra-headline').textContent.includes('µs')")
        firefox.goto(f"{site.address}lite/lab/index.html?path=exercises/{EXERCISE}")
        firefox.wait_for(f"({READY})()", 60)
        firefox.evaluate(f"({FILL})({json.dumps(answers())})")
        firefox.evaluate(f"({RUN_ALL})()")
        firefox.wait_for(f"({RAN})()", 90)
        check_exercise_1(firefox.evaluate(f"{CELLS}.map((cell) => cell.sharedModel.toJSON())"))
        assert len(firefox.requests) > 50
        assert [url for url in firefox.requests if not url.startswith((site.address, "data:", "blob:"))] == []
        assert firefox.errors == []
    finally:
        firefox.close()
