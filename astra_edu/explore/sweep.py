"""A sweep: a function run on every point of a grid, here or by other processes, and never twice."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from astra_edu.base.errors import ConfigError, flag, function, shown, whole
from astra_edu.base.files import FileName
from astra_edu.base.progress import Bar
from astra_edu.explore.given import check, column
from astra_edu.explore.points import Point, key_of, plain, points_of
from astra_edu.explore.store import Outcome, opened
from astra_edu.explore.task import Task

if TYPE_CHECKING:
    import pandas as pd


def sweep(
    run: Callable[..., Any],
    grid_or_points: Any,
    executor: Executor | None = None,
    store: FileName | None = None,
    *,
    given: Mapping[str, Any] = {},
    seed: int = 0,
    progress: bool = True,
) -> pd.DataFrame:
    """Run a function on every point, and return a table with a row for each, in order.

    run: takes a point's settings by name and returns numbers by name, one number, or a simulated run, of which its
    times in ns and its bytes are taken. grid_or_points: name -> values, of which every combination is run; or points
    as mappings or a DataFrame. given: what every run is called with, too; a run that changes it changes a copy of its
    own. A setting may be inside of it: "platform.network[1].bandwidth", "strategy.tensor", of a GraphNetwork
    "network.graph[0][8].bandwidth"; where it has a unit, its column's name says it, too:
    "platform.network[1].bandwidth (GB/s of 2**30)". executor: of concurrent.futures or like those, such as Dask's
    `Client.get_executor()`; None runs in this process. store: a Parquet file that keeps what has been run: after a
    stop at any moment only what was in flight is run again, and other points are added. seed: where `run` takes a
    `seed`, each point has one of its own, made from this one and its settings. progress: False shows no bar,
    nor those of a run that takes `progress`.

    A point that fails has a sentence in the column "error"; with a store it is run again the next time. Raises
    ConfigError for points that make no sense, and for a store of another function.

    >>> work, platform = ae.Workload.micro("all-reduce", 2**20), ae.preset("ring")
    >>> splits = {"platform.system.splits": [1, 4, 16]}
    >>> table = ae.sweep(ae.simulate, splits, given={"workload": work, "platform": platform})
    >>> table["at_least_ns"].tolist()
    [24231, 45681, 131425]
    """
    function("run", run, "give a function of the settings")
    flag("progress", progress)
    if isinstance(executor, type) or (executor is not None and not hasattr(executor, "submit")):
        raise ConfigError(f"executor is {shown(executor)}; give one such as concurrent.futures.ProcessPoolExecutor().")
    task = Task(run, check(given), progress)
    points = seeded(run, points_of(grid_or_points), task.given, whole("seed", seed, at_least=0))
    keys = [key_of(point) for point in points]
    settings = {column(name): [plain(point[name]) for point in points] for name in points[0]}
    with opened(store, task.whose if store is not None else "") as kept, Bar("sweep", " points", len(points)) as bar:
        todo = [(key, point) for key, point in zip(keys, points, strict=True) if not kept.knows(key)]
        done = len(points) - len(todo)
        for outcomes in task.here(todo) if executor is None else task.elsewhere(todo, executor):
            kept.add(outcomes)
            done += len(outcomes)
            if progress:
                bar.show(done)
        table = _table(settings, [kept.known[key] for key in keys])
    table.attrs |= {"settings": list(settings), "names": list(points[0])}  # what the columns don't say
    return table


def seeded(run: Callable[..., Any], points: list[Point], given: Mapping[str, Any], seed: int) -> list[Point]:
    """The points with a seed each, where the function takes one that nobody gives."""
    try:
        takes = "seed" in inspect.signature(run).parameters
    except (TypeError, ValueError):
        takes = False
    bound = isinstance(run, partial) and "seed" in run.keywords
    if not takes or bound or "seed" in given or "seed" in points[0]:
        return points
    own = (int(sha256(f"{seed} {key_of(point)}".encode()).hexdigest()[:8], 16) for point in points)
    return [{**point, "seed": one} for point, one in zip(points, own, strict=True)]


def _table(settings: dict[str, list[Any]], outcomes: Sequence[Outcome]) -> pd.DataFrame:
    import pandas as pd

    names = dict.fromkeys(name for each in outcomes for name in each.found)
    found = {name: [each.found.get(name) for each in outcomes] for name in names}
    more = {"error": [each.error for each in outcomes], "seconds": [each.seconds for each in outcomes]}
    return pd.DataFrame(settings | found | more)
