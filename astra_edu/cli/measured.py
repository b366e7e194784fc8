"""`measured FILE.csv`: how far predictions are from measured training runs, source by source."""

from __future__ import annotations

import click

from astra_edu.cli.commands import ScriptCommand


@click.command(cls=ScriptCommand)
@click.argument("file", required=False, type=click.Path(exists=True, dir_okay=False))
def measured(file: str | None) -> None:
    """How far predicted times and memories are from the measured runs of a CSV FILE, or of those that ship."""
    from astra_edu.measured.runs import runs
    from astra_edu.measured.table import error_table, in_words, load, refusals

    rows = load(file) if file else runs()
    click.echo(in_words(error_table(rows)))
    if not (without := refusals(rows)).empty:
        click.echo(f"\nWithout a prediction, {without.runs.sum():,} runs:")
        for each in without.itertuples():
            click.echo(f"{each.runs:>6,}  {str(each.source) or '-'}: {each.refused!s}")
