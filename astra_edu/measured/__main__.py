"""`python -m astra_edu.measured fit FILE`: fit the parameters that ship to a file of measured runs, and store them."""

from __future__ import annotations

import click

from astra_edu.base.errors import ConfigError


@click.group()
def main() -> None:
    """Measured training runs, and the parameters that predict them."""


@main.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.option("--only", multiple=True, help="stacks or machines whose name has this in it; may be repeated")
@click.option("--store/--no-store", default=True, help="write what is found to parameters.json")
def fit(file: str, only: tuple[str, ...], store: bool) -> None:
    """Fit to every other run of FILE; print how well the rest is predicted.

    What is stored changes ranges, figure and table, too: run `spread`, and `python -m tools.errors`, after it.
    """
    from astra_edu.measured.fitting import fit_all

    try:
        fit_all(file, only, store, say=click.echo)
    except ConfigError as error:
        raise click.ClickException(str(error)) from None


@main.command("spread")
def spread_() -> None:
    """Measured over predicted times of the runs that ship, for each kind of them; stores them in spread.csv."""
    from astra_edu.measured.runs import runs
    from astra_edu.measured.spread import measured_spread, store

    store(measured_spread(runs(), say=click.echo))


@main.command()
def parameters() -> None:
    """Each fitted parameter: value, unit, meaning, what it is fitted to, and what 10 % more of it change."""
    from astra_edu.measured.sensitivity import in_words, sensitivity

    click.echo(in_words(sensitivity()))


if __name__ == "__main__":
    main()
