"""What nccl-tests print: text of several versions and launchers, JSON, and what can't be read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from astra_edu import measured
from astra_edu.base.errors import ConfigError
from astra_edu.measured.nccl_tests import COLLECTIVES

RANKS = "\n".join(f"#  Rank  {k} Group  0 Pid  {900 + k} on  node-0 device  {k} [0x0{k}] NVIDIA H100" for k in range(8))
HEAD = "# nThread 1 nGpus 8 minBytes 1024 maxBytes 2048 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1"
NEW = """#
#                                                              out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
        1024           256     float     sum      -1    30.00    0.03    0.06      0    29.00    0.04    0.06    N/A
        2048           512     float     sum      -1    31.50    0.07    0.11      3      N/A     N/A     N/A    N/A
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 0.08
"""
OLD = """#       size         count    type   redop     time   algbw   busbw  error     time   algbw   busbw  error
#        (B)    (elements)                      (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
        1024           256   float     sum    30.00    0.03    0.06  0e+00    29.00    0.04    0.06  0e+00
"""


def read(folder: Path, text: str, **more: str):
    path = folder / "out.txt"
    path.write_text(text, encoding="utf-8")
    return measured.nccl_tests(path, **more)


def test_every_number_of_the_text_is_there(tmp_path: Path):
    found = read(
        tmp_path, f"$ ./build/all_reduce_perf -b 1K -e 2K -f 2 -g 8\n{HEAD}\n#\n# Using devices\n{RANKS}\n{NEW}"
    )
    assert found.collective.unique().tolist() == ["all-reduce"]
    assert found.npus.tolist() == [8, 8, 8]
    assert found.bytes.tolist() == [1024, 1024, 2048]
    assert found.elements.tolist() == [256, 256, 512]
    assert found.in_place.tolist() == [False, True, False]
    assert found.time_us.tolist() == [30.0, 29.0, 31.5]
    assert found.algbw_GBps.tolist() == [0.03, 0.04, 0.07]
    assert found.busbw_GBps.tolist() == [0.06, 0.06, 0.11]
    assert found.wrong.isna().tolist() == [False, True, False]
    assert found.wrong[2] == 3


def test_the_older_table_without_a_root_and_ranks(tmp_path: Path):
    found = read(tmp_path, OLD, collective="reduce-scatter")
    assert found.collective.tolist() == ["reduce-scatter"] * 2
    assert found.npus.isna().all()
    assert found.time_us.tolist() == [30.0, 29.0]


@pytest.mark.parametrize("prefix", ["[1,0]<stdout>:", "0: ", "3:"])
def test_lines_that_a_launcher_has_labelled(tmp_path: Path, prefix: str):
    plain = f"{HEAD}\n{RANKS}\n{NEW}"
    labelled = "\n".join(prefix + line for line in plain.splitlines())
    assert read(tmp_path, labelled).equals(read(tmp_path, plain))


def test_several_runs_in_one_file(tmp_path: Path):
    one, other = f"all_gather_perf\n{HEAD}\n{RANKS}\n{NEW}", f"alltoall_perf\n{HEAD}\n{RANKS.splitlines()[0]}\n{NEW}"
    found = read(tmp_path, one + other)
    assert found.groupby("collective", sort=False).npus.first().to_dict() == {"all-gather": 8, "all-to-all": 1}


@pytest.mark.parametrize(("program", "name"), COLLECTIVES.items())
def test_every_program_is_known(tmp_path: Path, program: str, name: str):
    assert read(tmp_path, f"# Collective test starting: {program}_perf\n{OLD}").collective.unique().tolist() == [name]


def test_json(tmp_path: Path):
    half = {"time": 30.0, "alg_bw": 0.03, "bus_bw": 0.06, "nwrong": 0}
    size = {"size": 1024, "count": 256, "type": "float", "redop": "sum", "root": -1}
    results = [{**size, "out_of_place": half, "in_place": {**half, "time": 29.0, "nwrong": "N/A"}}]
    given = {"args": ["all_reduce_perf", "-J"], "config": {"devices": [{"rank": 0}, {"rank": 1}]}, "results": results}
    found = read(tmp_path, json.dumps(given))
    assert found.time_us.tolist() == [30.0, 29.0]
    assert found.npus.tolist() == [2, 2]
    assert found.collective.unique().tolist() == ["all-reduce"]
    assert found.wrong.isna().tolist() == [False, True]


EACH = """#       size         count      type   redop    root     time   algbw   busbw  #wrong    i_min    i_max    i_p99    i_cv%     time   algbw   busbw  #wrong    i_min    i_max    i_p99    i_cv% {more}
        1024           256     float     sum      -1    30.00    0.03    0.06       0     1.00     2.00     3.00     4.00    29.00    0.04    0.06       0     5.00     6.00     7.00     8.00 {cells}
"""  # noqa: E501


@pytest.mark.parametrize(("more", "cells"), [("", ""), ("timestamp", "2026-01-02 03:04:05")])
def test_columns_of_each_iteration_and_when_it_ended_are_not_taken_for_times(tmp_path: Path, more: str, cells: str):
    found = read(tmp_path, EACH.format(more=more, cells=cells), collective="all-reduce")
    assert found.time_us.tolist() == [30.0, 29.0]
    assert found.in_place.tolist() == [False, True]
    assert found.busbw_GBps.tolist() == [0.06, 0.06]


def test_a_run_without_a_name_has_not_the_name_of_the_one_before(tmp_path: Path):
    one = f"# Collective test starting: all_reduce_perf\n{HEAD}\n{RANKS}\n{NEW}"
    one += "# Collective test concluded: all_reduce_perf\n"
    found = read(tmp_path, f"{one}{HEAD}\n{RANKS}\n{NEW}")
    assert found.collective.tolist() == ["all-reduce"] * 3 + [""] * 3


def test_the_groups_of_a_split_run_have_their_own_collectives(tmp_path: Path):
    ranks = "\n".join(
        f"#  Rank  {k} Group  {k % 4} Pid  900 on  node-0 device  {k} [0x0{k}] NVIDIA H100" for k in range(8)
    )
    assert read(tmp_path, f"{HEAD}\n{ranks}\n{NEW}").npus.unique().tolist() == [2]


def test_lines_that_end_as_windows_ends_them(tmp_path: Path):
    plain = f"all_reduce_perf\n{HEAD}\n{RANKS}\n{NEW}"
    path = tmp_path / "windows.txt"
    path.write_bytes(plain.replace("\n", "\r\n").encode())
    assert measured.nccl_tests(path).equals(read(tmp_path, plain))


@pytest.mark.parametrize(
    ("ranks", "threads", "gpus", "npus"),
    [((0,), 1, 8, 8), ((0, 4), 2, 2, 8), ((0, 1, 2, 3), 1, 4, 4), ((0, 1, 2), 1, 1, 3)],
)
def test_json_that_lists_the_first_device_of_a_process(tmp_path: Path, ranks, threads, gpus, npus):
    """As their JSON does: it reads one line of the several that a process with -g 8 has made."""
    half = {"time": 30.0, "alg_bw": 0.03, "bus_bw": 0.06, "nwrong": None}
    config = {"nthreads": threads, "ngpus": gpus, "devices": [{"rank": rank, "group": 0} for rank in ranks]}
    results = [{"size": 1024, "count": 256, "type": "float", "out_of_place": half, "in_place": None}]
    given = {"args": ["alltoallv_perf"], "env": ["PWD=/home/all_gather_perf"], "config": config, "results": results}
    found = read(tmp_path, json.dumps(given))
    assert found.npus.tolist() == [npus]
    assert found.collective.tolist() == [""]
    assert found.wrong.isna().all()


def test_the_simulator_is_told_the_bus_bandwidth_as_they_count_it(tmp_path: Path):
    found = read(
        tmp_path, f"all_reduce_perf\n{HEAD}\n{RANKS}\n{NEW.replace('30.00    0.03    0.06', '0.01  102.40  179.20')}"
    )
    row = found.iloc[0]
    assert measured.bus_bandwidth(row.collective, int(row.npus), int(row.bytes), row.time_us) == pytest.approx(
        row.busbw_GBps
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nothing of the kind\n", "has no measured collective in it"),
        ("", "has no measured collective in it"),
        (NEW.replace("0.03", "x"), "out.txt, line 5: algbw is 'x'"),
        (NEW.replace("0.03    0.06      0 ", "0.03    0.06 "), "line 5 has 12 cells under 13 columns"),
        (NEW.replace("30.00", "-30.0"), "line 5: time is '-30.0'; it must be a number, 0 or more"),
        (NEW.replace("    time ", " cputime "), "line 5 has the host's time"),
        (NEW.replace("algbw   busbw", "algbw   max  "), "line 5 is under other columns than time, algbw, busbw, wrong"),
        ('{"results": [{"in_place": {"cpu_time": 1}}]}', "result 0 has the host's time"),
        ('{"results": 3}', "JSON without a list of results"),
        ('{"results": [3]}', "result 0 is 3"),
        ('{"results": [{"size": 1, "out_of_place": {"time": 1}}]}', "result 0: alg_bw is None"),
        ("{", "begins as JSON and isn't"),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path: Path, text: str, said: str):
    with pytest.raises(ConfigError, match=said):
        read(tmp_path, text)


def test_a_file_that_is_not_there():
    with pytest.raises(ConfigError, match=r"nowhere\.txt can't be read: No such file"):
        measured.nccl_tests("nowhere.txt")


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ("allreduce", "all-reduce"),
        ("AllReduce", "all-reduce"),
        ("all_reduce_perf", "all-reduce"),
        ("all-to-all", "all-to-all"),
        ("alltoall", "all-to-all"),
        ("sendrecv", "send-receive"),
    ],
)
def test_a_collective_has_one_name_however_it_is_written(tmp_path: Path, given: str, found: str):
    assert read(tmp_path, OLD, collective=given).collective.unique().tolist() == [found]


@pytest.mark.parametrize("given", ["alreduce", "all reduce twice", 8])
def test_a_collective_that_there_is_not_is_refused_with_the_nearest(tmp_path: Path, given):
    with pytest.raises(ConfigError, match=r"collective is .*; .*Allowed: all-reduce, all-gather, "):
        read(tmp_path, OLD, collective=given)
    with pytest.raises(ConfigError, match="did you mean 'all-reduce'"):
        read(tmp_path, OLD, collective="alreduce")


def test_a_file_called_after_its_program_says_the_collective(tmp_path: Path):
    path = tmp_path / "all_gather_perf.8gpus.log"
    path.write_text(OLD)
    assert measured.nccl_tests(path).collective.unique().tolist() == ["all-gather"]
    assert measured.nccl_tests(path, "all-reduce").collective.unique().tolist() == ["all-reduce"]
    path.write_text(f"# Collective test starting: broadcast_perf\n{OLD}")
    assert measured.nccl_tests(path).collective.unique().tolist() == ["broadcast"]


def test_times_of_nobody_knows_what_are_warned_of(tmp_path: Path):
    with pytest.warns(UserWarning, match="out.txt doesn't say whose times these are; give the collective") as said:
        assert read(tmp_path, OLD).collective.unique().tolist() == [""]
    assert len(said) == 1
