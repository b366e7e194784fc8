"""A sweep's file: Parquet when all is done, and until then beside it a journal that every finished point is in.

The journal is SQLite's, which loses nothing that was committed, however the process ends.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from astra_edu.base.errors import ConfigError
from astra_edu.base.files import FileName, path_of, ready_folder, write_bytes
from astra_edu.base.locked import locked

if TYPE_CHECKING:
    import sqlite3

JOURNAL = ".journal"
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
        """Whether a point needn't be run: it has run, or its settings make no sense."""
        found = self.known.get(key)
        return found is not None and (not found.error or found.error.startswith(ConfigError.__name__))

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
    ready_folder(file.parent, "the sweep's file")
    import sqlite3  # which a browser's Python hasn't

    with locked(file.parent, patience_s=2):
        journal = file.with_name(file.name + JOURNAL)
        known = _of_parquet(file, whose)
        with closing(sqlite3.connect(journal)) as connection:
            known |= _of_journal(connection, whose, journal)
            try:
                yield Store(known, connection)
            finally:
                if known:
                    write_bytes(file, [_as_parquet(known, whose)])
        journal.unlink(missing_ok=True)


def _of_journal(journal: sqlite3.Connection, whose: str, path: Path) -> dict[str, Outcome]:
    from sqlite3 import DatabaseError

    try:
        with journal:
            journal.execute("CREATE TABLE IF NOT EXISTS about (whose TEXT)")
            journal.execute("CREATE TABLE IF NOT EXISTS points (key TEXT PRIMARY KEY, found TEXT, error TEXT, s REAL)")
        told = journal.execute("SELECT whose FROM about").fetchone()
        if told is None:
            with journal:
                journal.execute("INSERT INTO about VALUES (?)", (whose,))
        else:
            _same(told[0], whose, path)
        rows = journal.execute("SELECT key, found, error, s FROM points").fetchall()
    except DatabaseError as error:
        raise ConfigError(f"{path} is no sweep's journal ({error}); delete it, or name another store.") from None
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
    known = {}
    for row in table.to_pylist():
        measured = {name: row[name] for name in about["measures"] if row[name] is not None}
        found = {name: json.loads(value) if name in about["json"] else value for name, value in measured.items()}
        known[row["point"]] = Outcome(row["point"], found, row["error"], row["seconds"])
    return known


def _as_parquet(known: Mapping[str, Outcome], whose: str) -> bytes:
    """A row for each point: its key, its settings, its measures, error and seconds."""
    pyarrow, parquet = _pyarrow()
    outcomes = list(known.values())
    settings = [json.loads(each.key) for each in outcomes]
    measures = list(dict.fromkeys(name for each in outcomes for name in each.found))
    columns: dict[str, Any] = {"point": [each.key for each in outcomes]}
    columns |= {name: [each.get(name) for each in settings] for each in settings[:1] for name in each}
    columns |= {name: [each.found.get(name) for each in outcomes] for name in measures}
    columns |= {"error": [each.error for each in outcomes], "seconds": [each.seconds for each in outcomes]}
    arrays, as_json = {}, []
    for name, values in columns.items():
        try:
            arrays[name] = pyarrow.array(values)
        except (pyarrow.ArrowException, OverflowError):
            as_json.append(name)
            arrays[name] = pyarrow.array([None if value is None else json.dumps(value) for value in values])
    about = {"whose": whose, "measures": measures, "json": as_json}
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
