"""`python -m astra_edu grade FOLDER`: the command."""

from __future__ import annotations

import time
from pathlib import Path

import click

from astra_edu.base.errors import ConfigError


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--exercises", default="", metavar="1,2", help="Only these; all, if not given.")
@click.option("--workers", default=2, show_default=True, type=click.IntRange(1, 64), help="Notebooks at once.")
@click.option("--minutes", default=5.0, show_default=True, type=click.FloatRange(0.1), help="At most, for a notebook.")
@click.option(
    "--seconds", default=60, show_default=True, type=click.IntRange(1), help="At most, for a cell or question."
)
@click.option("--memory", default=4.0, show_default=True, type=click.FloatRange(1), help="GiB, for a notebook.")
@click.option("--out", type=click.Path(path_type=Path), help="Where the report goes; FOLDER-graded, if not given.")
@click.option("--course", type=click.Path(path_type=Path), help="The folder with exercises/ and solutions/.")
def grade(
    folder: Path,
    exercises: str,
    workers: int,
    minutes: float,
    seconds: int,
    memory: float,
    out: Path | None,
    course: Path | None,
) -> None:
    """Grade the answered notebooks (*.ipynb) in FOLDER: tables, a page for each student, and one for the class.

    Stopped, it goes on where it was; a notebook that has changed is graded again. To grade all of them again, delete
    the report's folder.
    """
    try:
        from astra_edu.course.grade.grading import Settings, grade_all
        from astra_edu.course.grade.report import write_report
    except ImportError as error:
        raise click.ClickException(
            f"Grading needs the notebooks' packages: {error}. Install astra-edu[notebook]."
        ) from None
    chosen = tuple(f"ex{name.strip().removeprefix('ex')}" for name in exercises.split(",") if name.strip())
    where = out or folder.resolve().with_name(f"{folder.resolve().name}-graded")
    settings = Settings(exercises=chosen, workers=workers, minutes=minutes, seconds=seconds, memory_gib=memory)
    if course is not None:
        settings = Settings(course, chosen, workers, minutes, seconds, memory)
    start = time.monotonic()
    try:
        results = grade_all(folder, where / "kept", settings, click.echo)
        page = write_report(results, where)
    except ConfigError as error:
        raise click.ClickException(str(error)) from None
    click.echo(f"{len(results)} notebooks in {time.monotonic() - start:.0f} s. The class: {page}")
