"""Settings for every test."""

import gc
import os
import shutil
from collections.abc import Iterator

import halves
import pytest
from forgotten import forget_widgets
from hypothesis import settings

settings.register_profile("explore", deadline=None)  # pytest --hypothesis-profile=explore: other examples every time
settings.register_profile("same_everywhere", deadline=None, derandomize=True)
settings.register_profile("fewer", deadline=None, derandomize=True, max_examples=25)
settings.load_profile("same_everywhere")


def pytest_configure(config: pytest.Config) -> None:
    """Without the thorough tests examples are fewer, too. What a default costs is said to users, and tests know."""
    halves.thorough = config.option.markexpr != "not thorough"
    if not halves.thorough and not config.option.hypothesis_profile:
        settings.load_profile("fewer")
    config.addinivalue_line("filterwarnings", "ignore:SystemConfig.of cuts every collective into 4 chunks")


LONGEST = (
    *("project/test_compiled.py", "course/grade/test_grading.py", "project/test_students.py"),
    *("course/grade/test_same_verdicts.py", "browser/test_site.py", "browser/test_jupyterlab.py"),
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Few long tests first, so that at the end no worker waits for another; the browser's last, as it runs a loop.

    A process in which Playwright has been started has a running event loop, where others can't be.
    """

    def turn(item: pytest.Item) -> tuple[bool, int]:
        path = item.path.as_posix()
        first = [k for k, name in enumerate(LONGEST) if path.endswith(f"tests/{name}")]
        return "/tests/browser/" in path, first[0] if first else len(LONGEST)

    items.sort(key=turn)


def pytest_collection_finish() -> None:
    """What collecting has made lasts: no later collection of garbage goes through it, which takes 0.3 s each time."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def nothing_frozen(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """For one test, as in any other process: few_collections() leaves alone what somebody has frozen."""
    gc.unfreeze()
    monkeypatch.setattr("astra_edu.base.few_collections._frozen_until", 0.0)
    yield
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="module", autouse=True)
def _widgets() -> Iterator[None]:
    """Widgets of one module's tests don't fill the memory of the next ones'."""
    yield
    forget_widgets()


@pytest.fixture
def registries() -> Iterator[None]:
    """What a test registers is forgotten after it."""
    import astra_edu as ae
    from astra_edu.collectives import registry
    from astra_edu.network.topologies import TOPOLOGIES
    from astra_edu.system.inter_dimension import INTER_DIMENSION
    from astra_edu.system.policies import QUEUE_POLICIES

    tables = (ae.LOOPS, ae.ORDERS, registry._ALGORITHMS, TOPOLOGIES, INTER_DIMENSION, QUEUE_POLICIES)
    before = [dict(table) for table in tables]
    yield
    for table, entries in zip(tables, before, strict=True):
        for name in set(table) - set(entries):
            del table[name]


@pytest.fixture(scope="session")
def node() -> str:
    """Where node is. Without it the test is skipped, or fails if the browser's tests are required."""
    found = shutil.which("node") or shutil.which("nodejs")
    missing = "node is not installed: apt-get install nodejs"
    if not found and os.environ.get("ASTRA_REQUIRE_BROWSER") == "1":
        pytest.fail(missing)
    if not found:
        pytest.skip(missing)
    return str(found)
