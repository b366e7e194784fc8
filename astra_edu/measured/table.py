"""Tables of measured runs: loaded from files, and held against the predictions, source by source."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from astra_edu.base.errors import ConfigError
from astra_edu.base.warned import warn
from astra_edu.measured.cells import Row, empty, read_table, records
from astra_edu.measured.checked import FILE, SAID, check_measured, place, wrong_cells
from astra_edu.measured.jobs import job_of
from astra_edu.measured.measured_time import kept_bytes, ran, seconds_of, usable
from astra_edu.measured.runs import COLUMNS

if TYPE_CHECKING:
    from pandas import DataFrame

NEEDED = ("model", "hardware", "gpus", "seq", "system")
"""Columns without which nothing can be said."""

BESIDE = ("compared_source", "compared_ran", "time_error", "memory_error")
"""What `compared` puts beside the predictions."""

SPELLED = {
    "gpus": ("number of gpus", "n gpus", "num gpus", "world size", "npus", "devices"),
    "gpus_per_node": ("node size", "num gpus per node"),
    "tp": ("tensor parallel", "tensor parallel size", "tensor model parallel size"),
    "pp": ("pipeline parallel", "pipeline parallel size", "pipeline model parallel size"),
    "vp": ("virtual pipeline", "virtual stages", "vpp"),
    "dp": ("data parallel", "data parallel size"),
    "cp": ("context parallel", "context parallel size"),
    "ep": ("expert parallel", "expert parallel size", "expert model parallel size"),
    "gbs_seq": ("gbs", "global batch", "global batch size", "batch size"),
    "mbs": ("micro batch", "micro batch size", "per device batch size"),
    "grad_acc": (
        "gradient accumulation",
        "gradient accumulation steps",
        "grad acc steps",
        "num micro batches",
        "micro batches",
    ),
    "seq": ("seq len", "seq length", "sequence length"),
    "iter_time_ms": ("step time ms", "iteration time ms", "time ms"),
    "mem_GB": ("memory GB", "peak memory GB"),
    "recompute": ("recomputation", "activation checkpointing"),
    "sharding": ("zero stage", "fsdp"),
    "layers": ("num layers", "number of layers"),
    "hidden": ("hidden size",),
    "heads": ("num heads", "attention heads", "num attention heads"),
    "ffn": ("ffn hidden size", "intermediate size"),
    "vocab": ("vocab size", "vocabulary", "vocabulary size"),
    "params_B": ("parameters B",),
    "mfu_pct": ("mfu",),
    "hfu_pct": ("hfu",),
}
"""Other ways in which columns are written, with a space between words."""
NEAR = 0.84

NAN = float("nan")


def load(path: str | Path) -> DataFrame:
    """Measured runs from a CSV file (also gzip) with the columns of those that ship: `runs` says what each is, and in
    which unit. Only model, hardware, gpus, seq and system have to be there; columns of other names aren't read, and one
    that looks misspelled is warned of, as are cells that no run can have, with their lines. Raises ConfigError naming
    the columns that are missing, and for what is no file of that kind.

    >>> from astra_edu import measured
    >>> measured.runs().to_csv("mine.csv", index=False)
    >>> len(measured.load("mine.csv"))
    2677
    """
    rows = read_table(path, "measured runs")
    if missing := [name for name in NEEDED if name not in rows.columns]:
        raise ConfigError(
            f"{path} has no column {', '.join(missing)}; measured runs need {', '.join(NEEDED)}.{_near(rows, missing)}"
        )
    for name, meant in misspelled(rows.columns).items():
        warn(
            f"{path}: column {name!r} isn't one of those that are read ({', '.join(COLUMNS)}); did you mean {meant!r}?",
            stacklevel=2,
        )
    rows.attrs[FILE] = str(path)
    if wrong := list(wrong_cells(rows)):
        more = f" {len(wrong) - SAID:,} more cells are wrong." if len(wrong) > SAID else ""
        warn(f"{' '.join(wrong[:SAID])}{more}", stacklevel=2)
    return rows


def misspelled(columns: Iterable[str]) -> dict[str, str]:
    """Columns that aren't read, but look like one that is and isn't there: {name: what it may have been meant for}.

    >>> from astra_edu.measured.table import misspelled
    >>> misspelled(["model", "micro_batchsize", "sharding", "Shardings", "precison", "my notes"])
    {'micro_batchsize': 'mbs', 'precison': 'precision'}
    """
    names = [str(name) for name in columns]
    ways = {_plain(way): known for known in COLUMNS for way in (known, *SPELLED.get(known, ()))}
    found: dict[str, str] = {}
    for name in names:
        near = get_close_matches(_plain(name), ways, n=1, cutoff=NEAR) if name not in COLUMNS else []
        if near and ways[near[0]] not in names:
            found[name] = ways[near[0]]
    return found


def _plain(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum())


def _near(rows: DataFrame, missing: Sequence[str]) -> str:
    """A sentence for whoever wrote needed columns in another way, else what columns there are."""
    names = [str(name) for name in rows.columns]
    if len(names) == 1 and (mark := next((mark for mark in ";\t|" if mark in names[0]), "")):
        return f" Its cells are separated by {mark!r}; write commas."
    like = {name.strip().lower(): name for name in names}
    if renamed := [f"{like[name]!r} as {name}" for name in missing if name in like]:
        return f" Write {', '.join(renamed)}."
    return f" It has {', '.join(names[:12])}{', ...' if len(names) > 12 else ''}."


def compared(rows: DataFrame) -> DataFrame:
    """The predictions beside what was measured: the columns of `predict`, then compared_source, compared_ran, and
    time_error and memory_error as parts of the measured value; `rows.join` takes them beside measured runs' own. What
    it made before, it gives back as it is.

    Errors only of runs that ran, not below 5 % of the peak; empty where nothing was measured or predicted. Raises
    ConfigError as `predict` does, and naming the row for a measured value of a run that ran that is no number above 0,
    a percentage above 100, or more than twice the machine's memory.

    >>> from astra_edu import measured
    >>> found = measured.compared(measured.runs().query("source_id == 'simumax_b200'"))
    >>> bool(found.time_error.abs().max() < 0.1)
    True
    """
    from astra_edu.measured.predicted import predict

    if {"refused", *BESIDE} <= set(getattr(rows, "columns", ())):
        return rows
    found, each_row = predict(rows), records(rows)
    for label, row in zip(rows.index, each_row, strict=True):
        try:
            if ran(row):
                check_measured(row)
        except ConfigError as error:
            raise ConfigError(f"{place(rows, label)}: {error}") from None
    errors = [
        (_time_error(row, ms), _memory_error(row, gigabytes)) if not refused and usable(row) else (NAN, NAN)
        for row, ms, gigabytes, refused in zip(
            each_row, found.predicted_ms, found.predicted_GB, found.refused, strict=True
        )
    ]
    times, memories = ([pair[k] for pair in errors] for k in (0, 1))
    names, ended = [_source(row) for row in each_row], [ran(row) for row in each_row]
    return found.assign(compared_source=names, compared_ran=ended, time_error=times, memory_error=memories)


def _time_error(row: Row, ms: float) -> float:
    seconds = seconds_of(row, job_of(row))
    return ms / 1e3 / seconds - 1 if seconds else NAN


def _memory_error(row: Row, gigabytes: float) -> float:
    kept = kept_bytes(row)
    return gigabytes * 1e9 / kept - 1 if kept else NAN


def _source(row: Row) -> str:
    name = row.get("source_id")
    return "" if empty(name) else str(name)


def error_table(rows: DataFrame) -> DataFrame:
    """For each source: runs, how many are predicted, and how far off time and memory are, in the median and on average;
    of the runs that ran how many are said to fit, of the others how many are said not to.

    rows: measured runs, or what `compared` made of them. Runs without a source_id are one source, "". Raises
    ConfigError for anything but a DataFrame with a row or more, and for a measured value that is no number above 0.

    >>> from astra_edu import measured
    >>> table = measured.error_table(measured.runs().query("source_id == 'simumax_b200'"))
    >>> int(table.predicted["simumax_b200"])
    23
    """
    import pandas as pd

    found = compared(rows)
    if found.empty:
        raise ConfigError("there are no runs; give a row or more.")
    lines = []
    for name, each in found.groupby("compared_source", sort=True):
        predicted = each[each.refused == ""]
        done, failed = predicted[predicted.compared_ran], predicted[~predicted.compared_ran]
        sizes = [predicted[column].abs() for column in ("time_error", "memory_error")]
        lines.append(
            {
                "source": name,
                "runs": len(each),
                "predicted": len(predicted),
                "time, median": sizes[0].median(),
                "time, mean": sizes[0].mean(),
                "memory, median": sizes[1].median(),
                "memory, mean": sizes[1].mean(),
                "ran, said to fit": done.fits.mean() if len(done) else NAN,
                "failed, said not to": 1 - failed.fits.mean() if len(failed) else NAN,
            }
        )
    return pd.DataFrame(lines).set_index("source")


def refusals(rows: DataFrame) -> DataFrame:
    """Why runs have no prediction: source, refused (a sentence), and how many runs, most first. rows: as `error_table`
    takes them, or none. Raises ConfigError as `compared` does.

    >>> from astra_edu import measured
    >>> why = measured.refusals(measured.runs().query("source_id == 'megatron_bridge'"))
    >>> why.refused[0], int(why.runs[0])
    ("hardware isn't given.", 8)
    """
    found = compared(rows).query("refused != ''").rename(columns={"compared_source": "source"})
    counted = found.groupby(["source", "refused"]).size().reset_index(name="runs")
    return counted.sort_values(["runs", "source", "refused"], ascending=[False, True, True], ignore_index=True)


def in_words(table: DataFrame) -> str:
    """The table of errors for a terminal: parts as percentages, "-" where there is nothing to say."""

    def cell(column: str, value: float) -> str:
        if value != value:
            return "-"
        return f"{value:,.0f}" if column in ("runs", "predicted") else f"{value:.1%}"

    rows = [[str(name), *(cell(c, row[c]) for c in table.columns)] for name, row in table.iterrows()]
    lines = [["source", *table.columns], *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])]) for line in lines)
