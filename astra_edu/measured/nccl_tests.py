"""What nccl-tests (and rccl-tests) print, as a table: their text, with lines of launchers around it, and their JSON."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from astra_edu.base.errors import ConfigError, shown, suggestion
from astra_edu.base.warned import warn

if TYPE_CHECKING:
    from pandas import DataFrame

COLLECTIVES = {
    "all_reduce": "all-reduce",
    "all_gather": "all-gather",
    "reduce_scatter": "reduce-scatter",
    "alltoall": "all-to-all",
    "broadcast": "broadcast",
    "reduce": "reduce",
    "sendrecv": "send-receive",
    "gather": "gather",
    "scatter": "scatter",
    "hypercube": "hypercube",
}
"""The programs' names without _perf, and what they measure; the first that a line has in it."""

HALF = ("time", "algbw", "busbw", "wrong")
"""What is printed out of place, and again in place; -S, and the report of each iteration, print more behind that."""
EXPECTED = "the output of a program of nccl-tests, such as all_reduce_perf -b 8 -e 8G -f 2 -g 8, or its JSON (-J)"


class Measured(NamedTuple):
    """A measured collective. npus: None where the output doesn't say. algbw, busbw: 10⁹ bytes/s. wrong: None where
    nothing was checked."""

    collective: str
    npus: int | None
    bytes: int
    elements: int
    type: str
    in_place: bool
    time_us: float
    algbw: float
    busbw: float
    wrong: int | None


def nccl_tests(path: str | Path, collective: str = "") -> DataFrame:
    """The measured collectives of a file of nccl-tests, two for each size: out of place and in place.

    Columns: collective, npus, bytes (of the whole buffer, as nccl-tests counts it), elements, type, in_place, time_us,
    algbw_GBps and busbw_GBps (10⁹ bytes/s), wrong (elements). collective: where neither the file nor its name says it
    ("" and a warning where nothing does); "allreduce" and "all_reduce_perf" are all-reduce, too.
    Times that weren't measured ("N/A") have no row. Several runs, one behind the other, may be in one file.
    Raises ConfigError for a file without such a table, for a line of it that can't be read, and for a collective that
    there isn't.

    >>> from pathlib import Path
    >>> text = '''# nThread 1 nGpus 2 minBytes 8 maxBytes 8 step: 2(factor) warmup iters: 5 iters: 20
    ... #  Rank  0 Group  0 Pid 7 on host device  0 [0x07] GPU
    ... #  Rank  1 Group  0 Pid 7 on host device  1 [0x0b] GPU
    ... #       size    count    type   redop   root    time  algbw  busbw #wrong    time  algbw  busbw #wrong
    ...      1048576   262144   float     sum     -1   50.00  20.97  20.97      0   49.00  21.40  21.40      0
    ... '''
    >>> _ = Path("all_reduce.txt").write_text(text)
    >>> from astra_edu import measured
    >>> found = measured.nccl_tests("all_reduce.txt", "all-reduce")
    >>> found.time_us.tolist(), found.npus.tolist()
    ([50.0, 49.0], [2, 2])
    """
    import pandas as pd

    try:
        text = Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise ConfigError(f"{path} can't be read: {error.strerror}; give {EXPECTED}.") from None
    rows = list(_of_json(str(path), text) if text.lstrip().startswith("{") else _of_text(str(path), text))
    if not rows:
        raise ConfigError(f"{path} has no measured collective in it; give {EXPECTED}.")
    named = _collective(collective) if collective else ""
    by_file = _named(Path(path).name)
    rows = [row._replace(collective=named or row.collective or by_file) for row in rows]
    if not all(row.collective for row in rows):
        warn(
            f"{path} doesn't say whose times these are; give the collective, such as "
            'nccl_tests(path, "all-reduce"), or call the file after its program, such as all_reduce_perf.log.',
            stacklevel=2,
        )
    columns = [{"algbw": "algbw_GBps", "busbw": "busbw_GBps"}.get(name, name) for name in Measured._fields]
    return pd.DataFrame(rows, columns=columns).astype({"npus": "Int64", "wrong": "Int64"})


def _collective(name: object) -> str:
    """A collective however it is written. Raises ConfigError for none, with the nearest."""
    letters = re.sub(r"[\W_]|perf$", "", name.lower()) if isinstance(name, str) else ""
    for program, found in COLLECTIVES.items():
        if letters in (program.replace("_", ""), found.replace("-", "")):
            return found
    raise ConfigError(f"collective is {shown(name)}; {suggestion(name, COLLECTIVES.values())}")


def _named(words: str) -> str:
    found = re.search(rf"\b({'|'.join(COLLECTIVES)})_(?:perf|test|bench)", words)
    return COLLECTIVES[found[1]] if found else ""


def _of_text(path: str, text: str) -> Iterator[Measured]:
    """Line by line: programs are named, ranks listed, a head names the columns, and sizes follow."""
    collective, used, columns = "", False, list[str]()
    groups: dict[int, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        words = re.sub(r"^\s*(\[[\d,]+\]<\w+>:?|\d+:)\s*", "", line).strip()  # of mpirun --tag-output, srun --label
        if "concluded" not in words and (named := _named(words)):
            collective, used = named, False
        if re.match(r"#\s*nThread", words):
            groups, columns = {}, []
            collective, used = ("" if used else collective), False  # another run may be another program's
        elif rank := re.match(r"#\s+Rank\s+(\d+)\s+(?:Group\s+(\d+))?", words):
            groups[int(rank[1])] = int(rank[2] or 0)
        elif re.match(r"#\s+size\s+count\s+type\b.*time\b", words):
            columns = words.lstrip("#").replace("timestamp", "date clock").split()
        elif columns and re.match(r"\d+\s+\d+\s+[a-z]", words):
            used = True
            yield from _of_line(f"{path}, line {number}", words.split(), columns, collective, _npus(groups))


def _npus(groups: Mapping[int, int]) -> int | None:
    """How many ranks share a collective, which runs in each group by itself (NCCL_TESTS_SPLIT)."""
    sizes = set(Counter(groups.values()).values())
    return sizes.pop() if len(sizes) == 1 else None


def _of_line(where: str, cells: list[str], columns: list[str], collective: str, npus: int | None) -> Iterator[Measured]:
    if len(cells) != len(columns):
        raise ConfigError(f"{where} has {len(cells)} cells under {len(columns)} columns: {' '.join(cells)}")
    starts = [k for k, name in enumerate(columns) if name == HALF[0]]
    for in_place, first in enumerate(starts):
        if (
            tuple(name.replace("#wrong", "wrong").replace("error", "wrong") for name in columns[first : first + 4])
            != HALF
        ):
            raise ConfigError(f"{where} is under other columns than {', '.join(HALF)}: {' '.join(columns)}")
        half = cells[first : first + len(HALF)]
        if half[0] == "N/A":
            continue
        time, algbw, busbw = (_number(where, name, cell) for name, cell in zip(HALF[:3], half[:3], strict=True))
        wrong = None if half[3] == "N/A" else int(_number(where, "wrong", half[3]))
        size, count = (int(_number(where, columns[k], cells[k])) for k in (0, 1))
        yield Measured(collective, npus, size, count, cells[2], bool(in_place), time, algbw, busbw, wrong)
    if not starts:
        raise ConfigError(f"{where} has the host's time (-C), not the collective's: {' '.join(columns)}")


def _of_json(path: str, text: str) -> Iterator[Measured]:
    """-J: a list of results, each with what was measured out of place and in place."""
    try:
        given = json.loads(text)
    except ValueError as error:
        raise ConfigError(f"{path} begins as JSON and isn't: {error}.") from None
    results, setting = given.get("results"), given.get("config")
    if not isinstance(results, list):
        raise ConfigError(f"{path} is JSON without a list of results; give {EXPECTED}.")
    setting = setting if isinstance(setting, Mapping) else {}
    devices = setting.get("devices")
    npus = _npus_of_json(devices, setting) if isinstance(devices, list) else None
    collective = _named(json.dumps(given.get("args")))
    for k, each in enumerate(results):
        where = f"{path}, result {k}"
        if not isinstance(each, Mapping):
            raise ConfigError(f"{where} is {shown(each)}; it must have size, count, type and what was measured.")
        for in_place, key in enumerate(("out_of_place", "in_place")):
            if not isinstance(half := each.get(key), Mapping):
                continue
            if "cpu_time" in half:
                raise ConfigError(f"{where} has the host's time (-C), not the collective's.")
            if half.get("time") is None:
                continue
            time, algbw, busbw = (_number(where, name, half.get(name)) for name in ("time", "alg_bw", "bus_bw"))
            size, count = (int(_number(where, name, each.get(name))) for name in ("size", "count"))
            checked = half.get("nwrong")
            wrong = int(_number(where, "nwrong", checked)) if isinstance(checked, int | float) else None
            yield Measured(
                collective, npus, size, count, str(each.get("type")), bool(in_place), time, algbw, busbw, wrong
            )


def _npus_of_json(devices: list[Any], setting: Mapping[str, Any]) -> int | None:
    """Of the devices, only each process's first one may be listed, which has nthreads × ngpus of them."""
    each = [setting.get(name, 1) for name in ("nthreads", "ngpus")]
    if not all(isinstance(number, int) for number in each):
        return None
    own, groups = each[0] * each[1], {}
    for one in devices:
        if not isinstance(one, Mapping) or not isinstance(rank := one.get("rank"), int):
            return None
        groups[rank] = one.get("group", 0)
    if all(rank % own == 0 for rank in groups):
        groups = {rank + k: group for rank, group in groups.items() for k in range(own)}
    return _npus(groups)


def _number(where: str, name: str, value: Any) -> float:
    try:
        found = float(value)
    except (TypeError, ValueError):
        found = float("nan")
    if not 0 <= found < float("inf"):
        raise ConfigError(f"{where}: {name} is {shown(value)}; it must be a number, 0 or more.")
    return found
