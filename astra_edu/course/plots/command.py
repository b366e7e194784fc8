"""`measured FILE.csv`: how far predictions are from measured training runs, source by source."""

from __future__ import annotations

import click

from astra_edu.base.errors import ConfigError
from astra_edu.cli.commands import ScriptCommand


@click.command(cls=ScriptCommand)
@click.argument("file", required=False, type=click.Path(exists=True, dir_okay=False))
@click.option("--figure", type=click.Path(dir_okay=False), help="draw the errors of times, too: a .svg, .png or .pdf")
def measured(file: str | None, figure: str | None) -> None:
    """How far predicted times and memories are from the measured runs of a CSV FILE, or of those that ship."""
    from astra_edu.measured.goals import agreement, agreement_in_words
    from astra_edu.measured.runs import runs
    from astra_edu.measured.table import compared, error_table, in_words, load, refusals

    found = compared(load(file) if file else runs())
    click.echo(in_words(error_table(found)))
    if kinds := agreement_in_words(agreement(found)):
        click.echo(f"\nKinds of runs, and the errors that were to be reached:\n{kinds}")
    if not (without := refusals(found)).empty:
        click.echo(f"\nWithout a prediction, {without.runs.sum():,} runs:")
        for each in without.itertuples():
            click.echo(f"{each.runs:>6,}  {str(each.source) or '-'}: {each.refused!s}")
    if figure:
        try:
            from astra_edu.course.plots import prediction_errors
        except ImportError as error:
            raise ConfigError(
                f"a figure needs the notebooks' packages: {error}; install astra-edu[notebook]."
            ) from None
        prediction_errors(found).save(figure)
