"""A sweep's file: Parquet when all is done, and until then beside it a journal that every finished point is in.

The journal is SQLite's, which loses nothing that was committed, however the process ends.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from astra_edu.base.errors import ConfigError
from astra_edu.base.files import FileName, path_of, ready_folder, write_bytes

if TYPE_CHECKING:
    import sqlite3

JOURNAL = ".journal"
KEPT = ["point", "found", "error", "seconds"]
"""Columns that a sweep reads again."""
TOLD = "astra_edu sweep"
"""Under which the file says whose results it holds."""


@dataclass(frozen=True)
class Outcome:
    """What became of a point. key: the point's; found: its measures; error: a sentence, "" where it ran."""

    key: str
    found: Mapping[str, Any]
    error: str
    seconds: float


class Store:
    """What is known of points."""

    def __init__(self, known: dict[str, Outcome], journal: sqlite3.Connection | None) -> None:
        """known: by their keys; journal: where new ones go, if anywhere."""
        self.known = known
        self._journal = journal

    def knows(self, key: str) -> bool:
        """Whether a point has run; one that failed is tried again."""
        return key in self.known and not self.known[key].error

    def add(self, outcomes: Iterable[Outcome]) -> None:
        """Keep them, so that they are there even if this process ends now."""
        new = list(outcomes)
        self.known.update({each.key: each for each in new})
        if self._journal is not None:
            rows = [(each.key, json.dumps(each.found), each.error, each.seconds) for each in new]
            with self._journal:
                self._journal.executemany("INSERT OR REPLACE INTO points VALUES (?, ?, ?, ?)", rows)


@contextmanager
def opened(path: FileName | None, whose: str) -> Iterator[Store]:
    """What a file knows, to be added to; without one, what this process learns.

    whose: what tells the results of one function from another's. Raises ConfigError where the file is another one's,
    can't be read or written, or is in use, and where PyArrow, which reads and writes it, is missing.
    """
    if path is None:
        yield Store({}, None)
        return
    file = path_of(path)
    if file.suffix != ".parquet":
        raise ConfigError(f"store is {str(path)!r}; a sweep is kept in a Parquet file, such as 'runs.parquet'.")
    _pyarrow()
    import sqlite3  # which a browser's Python hasn't

    ready_folder(file.parent, "the sweep's file")
    journal = file.with_name(file.name + JOURNAL)
    try:
        with closing(sqlite3.connect(journal, timeout=0)) as connection:
            _alone(connection, journal)
            known = _of_parquet(file, whose) | _of_journal(connection, whose, journal)
            try:
                yield Store(known, connection)
            finally:
                if known:
                    write_bytes(file, [_as_parquet(known, whose)])
                with suppress(PermissionError):  # Windows removes no open file
                    journal.unlink()
        if os.name == "nt":
            journal.unlink(missing_ok=True)
    except sqlite3.OperationalError as error:
        if "locked" in str(error):
            raise ConfigError(f"another sweep is writing into {file}; wait for it, or name another store.") from None
        raise ConfigError(f"{journal}, which keeps what is finished, can't be written: {error}.") from None
    except sqlite3.DatabaseError as error:
        raise ConfigError(f"{journal} is no sweep's journal ({error}); delete it, or name another store.") from None


def _alone(journal: sqlite3.Connection, path: Path) -> None:
    """Keep every other sweep out of it while this process has it open; those that it starts have no part in that."""
    journal.execute("PRAGMA locking_mode = EXCLUSIVE")
    journal.execute("PRAGMA synchronous = OFF")  # what is written outlives this process, though not a power cut
    with journal:
        journal.execute("BEGIN EXCLUSIVE")
        journal.execute("CREATE TABLE IF NOT EXISTS about (whose TEXT)")
        journal.execute("CREATE TABLE IF NOT EXISTS points (key TEXT PRIMARY KEY, found TEXT, error TEXT, s REAL)")
    if not path.exists():
        raise ConfigError(f"another sweep has just written {path.stem}; start this one again.")


def _of_journal(journal: sqlite3.Connection, whose: str, path: Path) -> dict[str, Outcome]:
    """What it has, after a stop; from now on it is this sweep's."""
    rows = journal.execute("SELECT key, found, error, s FROM points").fetchall()
    if rows:
        _same(journal.execute("SELECT whose FROM about").fetchone()[0], whose, path)
    with journal:
        journal.execute("DELETE FROM about")
        journal.execute("INSERT INTO about VALUES (?)", (whose,))
    return {key: Outcome(key, json.loads(found), error, seconds) for key, found, error, seconds in rows}


def _of_parquet(file: Path, whose: str) -> dict[str, Outcome]:
    pyarrow, parquet = _pyarrow()
    if not file.exists():
        return {}
    try:
        table = parquet.read_table(file)
    except (OSError, pyarrow.ArrowException) as error:
        raise ConfigError(f"{file} can't be read as a Parquet file: {str(error).splitlines()[0]}") from None
    told = (table.schema.metadata or {}).get(TOLD.encode())
    if told is None:
        raise ConfigError(f"{file} holds no sweep; name another store.")
    about = json.loads(told)
    _same(about["whose"], whose, file)
    if table.column_names != about["columns"]:
        changed = sorted(set(table.column_names) ^ set(about["columns"]))
        raise ConfigError(
            f"the columns of {file} were changed since a sweep wrote it: {', '.join(changed) or 'their order'}. Name "
            "another store, or delete the file to run all points again."
        )
    rows = table.select(KEPT).to_pylist()
    return {row["point"]: Outcome(row["point"], json.loads(row["found"]), row["error"], row["seconds"]) for row in rows}


def _as_parquet(known: Mapping[str, Outcome], whose: str) -> bytes:
    """A row for each point: its key, its settings, its measures, error and seconds.

    What was found stands there as JSON, too: a column has one type, which would change what it is the next time.
    """
    pyarrow, parquet = _pyarrow()
    outcomes = list(known.values())
    settings = [json.loads(each.key) for each in outcomes]
    measures = list(dict.fromkeys(name for each in outcomes for name in each.found))
    columns: dict[str, Any] = {"point": [each.key for each in outcomes]}
    columns |= {name: [each.get(name) for each in settings] for name in dict.fromkeys(chain(*settings))}
    columns |= {name: [each.found.get(name) for each in outcomes] for name in measures}
    columns |= {"found": [json.dumps(dict(each.found)) for each in outcomes]}
    columns |= {"error": [each.error for each in outcomes], "seconds": [each.seconds for each in outcomes]}
    arrays = {}
    for name, values in columns.items():
        try:
            arrays[name] = pyarrow.array(values)
        except (pyarrow.ArrowException, OverflowError):
            arrays[name] = pyarrow.array([None if value is None else json.dumps(value) for value in values])
    about = {"whose": whose, "columns": list(columns)}
    out = BytesIO()
    parquet.write_table(pyarrow.table(arrays).replace_schema_metadata({TOLD: json.dumps(about)}), out)
    return out.getvalue()


def _same(told: str, whose: str, file: Path) -> None:
    if told != whose:
        raise ConfigError(
            f"{file} holds the runs of another function, or of this one before it was changed. Name another store, or "
            "delete the file to run all points again."
        )


def _pyarrow() -> tuple[Any, Any]:
    try:
        return import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError:
        raise ConfigError('a store wants PyArrow: pip install "astra-edu[explore]".') from None
