"""Sweeps: every point once, wherever it runs, and nothing lost that was finished."""

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import nullcontext, suppress
from functools import partial
from pathlib import Path
from threading import Lock

import numpy as np
import pandas as pd
import pytest

import astra_edu as ae
from astra_edu.explore.points import plain
from astra_edu.explore.store import opened

pytest.importorskip("pyarrow", reason='a sweep\'s store is in the extra "explore"')
pytest.importorskip("cloudpickle")

GRID = {"npus": [4, 8, 16], "bandwidth": [25, 50], "splits": [1, 4]}


def ring(npus, bandwidth, splits):
    network = (ae.Dimension.of("Ring", npus, bandwidth, 500),)
    platform = ae.Platform(network, ae.SystemConfig.of("ring", splits=splits))
    return ae.simulate(ae.Workload.micro("all-reduce", 2**20), platform)


def direct():
    """The same in three loops."""
    return [ring(npus, gb, splits).total_ns for npus in (4, 8, 16) for gb in (25, 50) for splits in (1, 4)]


def test_a_row_for_each_point_in_order_with_what_a_loop_gives():
    table = ae.sweep(ring, GRID)
    assert list(table) == [
        *("npus", "bandwidth", "splits", "at_least_ns", "total_ns", "compute_ns", "exposed_ns"),
        *("message_bytes", "network_cost", "error", "seconds"),
    ]
    assert table["total_ns"].tolist() == direct()
    assert (table["error"] == "").all()
    assert table["npus"].tolist() == [4] * 4 + [8] * 4 + [16] * 4


def test_an_error_is_a_row():
    table = ae.sweep(ring, {"npus": [8], "bandwidth": [50, 0], "splits": [4]})
    assert table["error"].tolist() == ["", "ConfigError: bandwidth is 0; it must be greater than 0."]
    assert table["total_ns"].isna().tolist() == [False, True]
    twice = ae.sweep(lambda npus: {"npus": 1}, {"npus": [8]})
    assert twice["error"].tolist() == ["ConfigError: the run gives npus, which is a setting's name."]


def test_settings_inside_of_what_is_given():
    given = {"workload": ae.Workload.micro("all-reduce", 2**20), "platform": ae.preset("ring")}
    table = ae.sweep(ae.simulate, {"platform.network[0].bandwidth": [25, 50]}, given=given)
    assert table["platform.network[0].bandwidth (GB/s of 2**30)"].tolist() == [25, 50]
    assert table["total_ns"].tolist() == [ring(8, gb, 4).total_ns for gb in (25, 50)]


def test_seeds_are_a_point_s_own_whatever_else_is_run():
    def noisy(npus, seed):
        return {"drawn": seed % 1000}

    first = ae.sweep(noisy, {"npus": [1, 2, 3]})
    assert first["seed"].nunique() == 3
    assert ae.sweep(noisy, {"npus": [3, 1]})["drawn"].tolist() == [first["drawn"][2], first["drawn"][0]]
    assert set(ae.sweep(noisy, {"npus": [1, 2, 3]}, seed=1)["seed"]).isdisjoint(first["seed"])
    assert ae.sweep(noisy, {"npus": [1]}, given={"seed": 7})["drawn"].tolist() == [7]


@pytest.mark.parametrize("make", [lambda: ThreadPoolExecutor(2), lambda: ProcessPoolExecutor(2)])
def test_an_executor_gives_the_same_table(make):
    def local(npus, bandwidth, splits):  # no other process can import it
        return ring(npus, bandwidth, splits)

    with make() as executor:
        table = ae.sweep(local, GRID, executor)
    assert table.drop(columns="seconds").equals(ae.sweep(local, GRID).drop(columns="seconds"))


def test_points_are_run_once_and_added_to_a_store(tmp_path):
    log, store = tmp_path / "log", tmp_path / "deep" / "runs.parquet"

    def logged(n):
        with log.open("a") as file:
            file.write(f"{n}\n")
        return {"square": n * n, "name": str(n), "both": n if n % 2 else "even"}

    first = ae.sweep(logged, {"n": range(5)}, store=store)
    assert first["square"].tolist() == [0, 1, 4, 9, 16]
    again = ae.sweep(logged, {"n": [3, 7, 1]}, store=store)
    assert again["square"].tolist() == [9, 49, 1]
    assert again["both"].tolist() == [3, 7, 1]
    assert log.read_text().split() == ["0", "1", "2", "3", "4", "7"]
    kept = pd.read_parquet(store)
    assert sorted(kept["n"]) == [0, 1, 2, 3, 4, 7]
    assert kept["point"].is_unique
    assert [path.name for path in store.parent.iterdir()] == ["runs.parquet"]


def test_what_failed_is_run_again(tmp_path):
    log, store = tmp_path / "log", tmp_path / "runs.parquet"

    def failing(n):
        with log.open("a") as file:
            file.write(f"{n}\n")
        if n == 1 and log.read_text().count("1") == 1:
            raise OSError("the disk is full")
        return n

    first = ae.sweep(failing, {"n": [1, 2]}, store=store)
    assert first["error"].tolist() == ["OSError: the disk is full", ""]
    assert ae.sweep(failing, {"n": [1, 2]}, store=store)["error"].tolist() == ["", ""]
    assert log.read_text().split() == ["1", "2", "1"]


class Times:
    def __init__(self, factor):
        self.factor = factor

    def __call__(self, n):
        return n * self.factor

    def twice(self, n):
        return 2 * n * self.factor


def times(factor):
    return lambda n: n * factor


@pytest.mark.parametrize(
    "both",
    [
        (Times(2), Times(3)),
        (Times(2).twice, Times(3).twice),
        (times(2), times(3)),
        (lambda n: n, lambda n: -n),
        (partial(pow, 2), partial(pow, 3)),
        (partial(pow, 2), partial(pow, 2.5)),
    ],
    ids=["objects", "methods", "closures", "lambdas", "partials", "arguments"],
)
def test_one_function_s_results_are_never_another_s(both, tmp_path):
    first, second = both
    if isinstance(first, partial):
        first, second = (lambda n, f=one: f(n) for one in both)
    store = tmp_path / "runs.parquet"
    found = ae.sweep(first, {"n": [3]}, store=store)
    assert ae.sweep(first, {"n": [3]}, store=store)["value"].tolist() == found["value"].tolist()
    with pytest.raises(ae.ConfigError, match="another function"):
        ae.sweep(second, {"n": [3]}, store=store)


def test_large_arrays_are_told_apart(tmp_path):
    one, other = np.zeros(5000), np.zeros(5000)
    other[2500] = 1

    def total(n, a):
        return float(a.sum())

    assert ae.sweep(total, {"n": [1], "a": [one, other]})["value"].tolist() == [0, 1]
    ae.sweep(total, {"n": [1]}, store=tmp_path / "runs.parquet", given={"a": one})
    with pytest.raises(ae.ConfigError, match="another function"):
        ae.sweep(total, {"n": [1]}, store=tmp_path / "runs.parquet", given={"a": other})


class MuteError(Exception):
    def __str__(self):
        raise RuntimeError


def test_strange_functions_and_values_are_told_apart_or_told(tmp_path):
    def mute(n):
        raise MuteError

    def grow(n):
        n.append(9)
        return len(n)

    assert ae.sweep(mute, {"n": [1]})["error"].tolist() == ["MuteError: it says nothing that can be read"]
    assert ae.sweep(grow, {"n": [[1], [2]]})["n"].tolist() == ["[1]", "[2]"]
    assert ae.sweep(partial(lambda n, seed: seed, seed=42), {"n": [1]})["value"].tolist() == [42]
    assert ae.sweep(lambda n: n, {"n": [10**400]})["n"].tolist() == [10**400]
    assert plain({"tree", "ring"}) == plain({"ring", "tree"}) == "{'ring', 'tree'}"
    frames = [pd.DataFrame({"a": range(2000)}), pd.DataFrame({"a": [*range(1999), 0]})]
    frames[1].loc[1000, "a"] = -1
    assert plain(frames[0]) != plain(frames[1])
    with pytest.raises(ae.ConfigError, match="executor is"):
        ae.sweep(ring, GRID, ThreadPoolExecutor)


def test_a_sweep_s_own_columns_are_nobody_else_s():
    table = ae.sweep(lambda n: {"seconds": n}, {"n": [1]})
    assert table["error"].tolist()[0].startswith("ConfigError: seconds is the name of a number that the run gives;")
    with pytest.raises(ae.ConfigError, match="error is the name of a setting"):
        ae.sweep(lambda error: 1, {"error": [1]})


def test_a_store_is_one_sweep_s_at_a_time_and_its_pool_s_processes_have_no_part(tmp_path):
    store = tmp_path / "runs.parquet"
    with opened(store, "somebody"), pytest.raises(ae.ConfigError, match="another sweep is writing into"):
        ae.sweep(ring, GRID, store=store)
    with opened(tmp_path / "other.parquet", "somebody"), ProcessPoolExecutor(2) as pool:
        ae.sweep(ring, {"npus": [4], "bandwidth": [50], "splits": [1]}, pool, store)
        assert ae.sweep(ring, GRID, pool, store)["total_ns"].tolist() == direct()


def test_a_table_from_a_store_is_the_table_that_was_run(tmp_path):
    rows = [
        {"a": 1, "b": 1.5, "c": "x"},
        {"c": "y", "a": 2.5},
        {"a": None, "d": True, "b": None},
        {"a": 2**70, "b": 2, "e": float("nan"), "f": float("inf")},
        {"a": True, "f": 1.5, "b": 3},
        {},
    ]

    def odd(n):
        if n == 6:
            raise OSError
        return rows[n]

    def same(one, other):
        pd.testing.assert_frame_equal(one.drop(columns="seconds"), other.drop(columns="seconds"))

    store = tmp_path / "runs.parquet"
    for some in ([5, 3], [4], range(7), range(7), [4], [2, 0]):
        same(ae.sweep(odd, {"n": some}, store=store), ae.sweep(odd, {"n": some}))
    more = ae.sweep(lambda n, m=0: n + m, {"n": [1]}, store=tmp_path / "more.parquet")
    assert more["value"].tolist() == [1]


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit])
def test_a_stop_in_a_thread_stops_and_runs_nothing_again(stop):
    runs = []

    def stopping(n):
        runs.append(n)
        if n == 20:
            raise stop
        return n

    with ThreadPoolExecutor(2) as pool, pytest.raises(stop):
        ae.sweep(stopping, {"n": range(40)}, pool)
    assert len(runs) == len(set(runs))


@pytest.mark.parametrize("make", [lambda: None, lambda: ThreadPoolExecutor(2), lambda: ProcessPoolExecutor(2)])
def test_what_a_run_changes_is_its_own(make):
    def grows(n, given, shared):
        given.append(n)
        shared[0] += 1
        return 100 * len(given) + int(shared[0])

    given, shared = [0], np.zeros(2)
    with make() or nullcontext() as executor:
        table = ae.sweep(grows, {"n": range(8), "shared": [shared]}, executor, given={"given": given})
    assert table["value"].tolist() == [201] * 8
    assert given == [0]


def countdown():
    def down(x, times=0):
        return times if x < 1 else down(x - 1, times + 1)

    return down


def there_and_back():
    def there(x):
        return back(x)

    def back(x):
        return there(x - 1) if x > 0 else never if x > 5 else 7

    if there is back:
        never = 1
    return there


class Whole:
    def __init__(self):
        self.whole = self

    def __call__(self, x):
        return 2 * x


@pytest.mark.parametrize(("run", "values"), [(countdown(), [1, 2]), (there_and_back(), [7, 7]), (Whole(), [2, 4])])
def test_a_function_that_calls_itself_is_kept_in_a_store(run, values, tmp_path):
    for _ in range(2):
        table = ae.sweep(run, {"x": [1, 2]}, store=tmp_path / "found.parquet", progress=False)
        assert table["value"].tolist() == values
    with pytest.raises(ae.ConfigError, match="the runs of another function"):
        ae.sweep(bool, {"x": [1, 2]}, store=tmp_path / "found.parquet", progress=False)


def test_half_letters_are_told(tmp_path):
    store = tmp_path / "runs.parquet"

    def half(n):
        if n == 2:
            raise OSError("\udfff")
        return {"\ud800": 1} if n else {"a": "\ud800"}

    errors = ae.sweep(half, {"n": [0, 1, 2]}, store=store)["error"].tolist()
    told = "ConfigError: '\\ud800' can't be kept: '\\ud800' is half of a letter, which no file holds."
    assert errors == [told, told, "OSError: \\udfff"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda table: table.drop_columns(["square"]), "sweep wrote it: square\\."),
        (lambda table: table.drop_columns(["point"]), "sweep wrote it: point\\."),
        (lambda table: table.rename_columns({"square": "q"}), "sweep wrote it: q, square\\."),
        (lambda table: table.select(table.column_names[::-1]), "sweep wrote it: their order\\."),
    ],
)
def test_a_file_that_was_edited_is_refused(change, words, tmp_path):
    from pyarrow import parquet

    def squared(n):
        return {"square": n * n}

    store = tmp_path / "runs.parquet"
    ae.sweep(squared, {"n": [1, 2]}, store=store)
    table = parquet.read_table(store)
    parquet.write_table(change(table).replace_schema_metadata(table.schema.metadata), store)
    with pytest.raises(ae.ConfigError, match=words):
        ae.sweep(squared, {"n": [1, 2]}, store=store)


def test_an_empty_journal_is_nobody_s(tmp_path):
    store = tmp_path / "runs.parquet"
    with suppress(KeyboardInterrupt), opened(store, "somebody"):
        raise KeyboardInterrupt
    assert ae.sweep(lambda n: n, {"n": [1]}, store=store)["value"].tolist() == [1]


def test_an_executor_that_is_shut_down_and_what_cannot_be_sent_are_told():
    pool = ProcessPoolExecutor(1)
    pool.shutdown()
    with pytest.raises(ae.ConfigError, match="the executor or a process of it has ended"):
        ae.sweep(ring, GRID, pool)
    with ProcessPoolExecutor(1) as pool, pytest.raises(ae.ConfigError, match="can't be sent to another process"):
        ae.sweep(lambda n, lock: n, {"n": [1]}, pool, given={"lock": Lock()})


def test_a_store_of_another_function_or_of_none_is_refused(tmp_path):
    store = tmp_path / "runs.parquet"
    ae.sweep(ring, {"npus": [8], "bandwidth": [50], "splits": [4]}, store=store)
    with pytest.raises(ae.ConfigError, match="another function, or of this one before it was changed"):
        ae.sweep(lambda npus: npus, {"npus": [8]}, store=store)
    with pytest.raises(ae.ConfigError, match="another function"):
        ae.sweep(ring, {"npus": [8]}, store=store, given={"bandwidth": 50, "splits": 1})
    pd.DataFrame({"a": [1]}).to_parquet(store)
    with pytest.raises(ae.ConfigError, match="holds no sweep"):
        ae.sweep(ring, GRID, store=store)
    store.write_bytes(b"nothing")
    with pytest.raises(ae.ConfigError, match="can't be read as a Parquet file"):
        ae.sweep(ring, GRID, store=store)
    store.unlink()
    (tmp_path / "runs.parquet.journal").write_bytes(b"nothing at all, and much of it" * 100)
    with pytest.raises(ae.ConfigError, match="is no sweep's journal"):
        ae.sweep(ring, GRID, store=store)
    with pytest.raises(ae.ConfigError, match=r"kept in a Parquet file, such as 'runs\.parquet'"):
        ae.sweep(ring, GRID, store=tmp_path / "runs.csv")
    with pytest.raises(ae.ConfigError, match="executor is 2"):
        ae.sweep(ring, GRID, executor=2)


SLOW = """
import sys, time
import astra_edu as ae
from concurrent.futures import ProcessPoolExecutor

def slow(n):
    time.sleep(0.01)
    with open(sys.argv[1] + "/log", "a") as file:
        file.write(f"{n}\\n")
    return {"square": n * n}

if __name__ == "__main__":
    executor = ProcessPoolExecutor(2) if sys.argv[2] == "2" else None
    table = ae.sweep(slow, {"n": range(150)}, executor, store=sys.argv[1] + "/runs.parquet", progress=False)
    print(table["square"].sum())
"""


def started(tmp_path, workers):
    program = tmp_path / "slow.py"
    program.write_text(SLOW)
    return subprocess.Popen(
        [sys.executable, str(program), str(tmp_path), str(workers)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


@pytest.mark.skipif(os.name == "nt", reason="kills by signals")
@pytest.mark.parametrize(("workers", "flying"), [(1, 1), (2, 4 * 25)])
def test_a_killed_sweep_goes_on_where_it_was(tmp_path, workers, flying):
    log, kills = tmp_path / "log", 0
    for _ in range(2):
        before = len(log.read_text().split()) if log.exists() else 0
        process, end = started(tmp_path, workers), time.monotonic() + 60
        while (len(log.read_text().split()) if log.exists() else 0) < before + 20 and process.poll() is None:
            assert time.monotonic() < end
            time.sleep(0.005)
        kills += process.poll() is None
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    done = started(tmp_path, workers)
    out, err = done.communicate(timeout=120)
    assert done.returncode == 0, err
    assert int(out) == sum(n * n for n in range(150))
    runs = [int(line) for line in log.read_text().split()]
    assert set(runs) == set(range(150))
    assert len(runs) <= 150 + kills * flying
    assert [path.name for path in tmp_path.glob("runs*")] == ["runs.parquet"]
    assert len(pd.read_parquet(tmp_path / "runs.parquet")) == 150


@pytest.mark.skipif(os.name == "nt", reason="interrupts by a signal")
def test_an_interrupted_sweep_keeps_what_is_finished(tmp_path):
    process, log = started(tmp_path, 1), tmp_path / "log"
    end = time.monotonic() + 60
    while not log.exists() or len(log.read_text().split()) < 10:
        assert time.monotonic() < end
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode != 0
    assert "KeyboardInterrupt" in err
    kept = pd.read_parquet(tmp_path / "runs.parquet")
    assert len(log.read_text().split()) - 1 <= len(kept) < 150


def test_a_worker_that_dies_is_told_and_what_was_finished_is_kept(tmp_path):
    store = tmp_path / "runs.parquet"

    def deadly(n):
        if n == 40:
            os._exit(1)
        return n

    with (
        ProcessPoolExecutor(2) as executor,
        pytest.raises(ae.ConfigError, match="the executor or a process of it has ended"),
    ):
        ae.sweep(deadly, {"n": range(60)}, executor, store=store)
    assert 0 < len(pd.read_parquet(store)) < 60


def test_dask_s_cluster_with_a_worker_killed_midway_gives_the_whole_table():
    distributed = pytest.importorskip("distributed")

    def slow(n):
        time.sleep(0.02)
        return {"square": n * n}

    with (
        distributed.LocalCluster(2, threads_per_worker=1, dashboard_address=None, host="127.0.0.1") as cluster,
        distributed.Client(cluster) as client,
    ):
        pids = list(client.run(os.getpid).values())
        killed = []

        def outcomes():
            time.sleep(0.5)
            os.kill(pids[0], signal.SIGKILL if hasattr(signal, "SIGKILL") else signal.SIGTERM)
            killed.append(pids[0])

        with ThreadPoolExecutor(1) as beside:
            death = beside.submit(outcomes)
            table = ae.sweep(slow, {"n": range(100)}, client.get_executor())
            death.result()
    assert killed
    assert (table["error"] == "").all()
    assert table["square"].tolist() == [n * n for n in range(100)]


def test_the_package_says_what_is_missing_without_pyarrow(tmp_path):
    code = "import sys; sys.modules['pyarrow'] = None; import astra_edu as ae; "
    code += "ae.sweep(abs, {'x': [1]}, store='runs.parquet')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert 'a store wants PyArrow: pip install "astra-edu[explore]".' in done.stderr
    assert not Path(tmp_path, "runs.parquet").exists()


def test_without_progress_a_run_shows_no_bar_of_its_own_either():
    def run(x, progress=True):
        return {"bar": progress, "value": x}

    def other(x, progress=0.5):  # means something else
        return {"bar": progress, "value": x}

    assert ae.sweep(run, {"x": [1]}, progress=False)["bar"].tolist() == [False]
    assert ae.sweep(run, {"x": [1]})["bar"].tolist() == [True]
    assert ae.sweep(run, {"x": [1]}, given={"progress": True}, progress=False)["bar"].tolist() == [True]
    assert ae.sweep(other, {"x": [1]}, progress=False)["bar"].tolist() == [0.5]
    assert ae.search({"x": [1, 2]}, "value", run=run, progress=False).best["bar"] is False
