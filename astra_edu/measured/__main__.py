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
@click.option("--store/--no-store", default=True, help="write what is found to spread.csv")
def spread_(store: bool) -> None:
    """Measured over predicted times of the runs that ship, for each kind of them."""
    from astra_edu.measured.runs import runs
    from astra_edu.measured.spread import measured_spread
    from astra_edu.measured.spread import store as stored

    found = measured_spread(runs(), say=click.echo)
    if store:
        stored(found)


@main.command()
@click.option("--store/--no-store", default=True, help="write what is found to beside.csv")
def estimates(store: bool) -> None:
    """Measured over estimated times of the runs that ship, for kinds of machines."""
    from astra_edu.measured.estimated import measured_beside
    from astra_edu.measured.estimated import store as stored
    from astra_edu.measured.runs import runs

    found = measured_beside(runs(), say=click.echo)
    if store:
        stored(found)


@main.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.option("--store/--no-store", default=True, help="write what is found to links.csv")
def links(file: str, store: bool) -> None:
    """Latency and bandwidth of kinds of links, fitted to the collectives of FILE and to those that ship."""
    from astra_edu.measured.links import fit_links
    from astra_edu.measured.links import store as stored

    try:
        found = fit_links(file, say=click.echo)
    except ConfigError as error:
        raise click.ClickException(str(error)) from None
    if store:
        stored(found)


@main.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False))
@click.option("--npus", type=click.IntRange(1), required=True, help="how many trained")
@click.option("--skip", type=click.IntRange(0), default=3, help="logged steps at the beginning that don't count")
def steps(files: tuple[str, ...], npus: int, skip: int) -> None:
    """How the logged steps of MLPerf Training runs (result_*.txt) vary: each run's, divided by its own median."""
    from astra_edu.explore.iteration import StepTimes
    from astra_edu.measured.logged_steps import mlperf_steps, spread_of

    try:
        logged = [mlperf_steps(file).ns.tolist()[skip:] for file in files]
        runs = [StepTimes(0, npus, 0, ns) for ns in logged if ns]
        found = StepTimes(0, npus, 0, [ns / run.p50_ns for run in runs for ns in run.ns])
        spread = spread_of(found.ns, npus)
    except ConfigError as error:
        raise click.ClickException(str(error)) from None
    p50_ns = sorted(run.p50_ns for run in runs)[len(runs) // 2]
    click.echo(
        f"{len(found.ns):,} steps, p50 {p50_ns / 1e9:.3f} s, p95 {found.p95_ns - 1:+.2%}, p99 {found.p99_ns - 1:+.2%}; "
        f"a spread of {spread:.4f} makes that p95"
    )


@main.command()
def parameters() -> None:
    """Each fitted parameter: value, unit, meaning, what it is fitted to, and what 10 % more of it change."""
    from astra_edu.measured.sensitivity import in_words, sensitivity

    click.echo(in_words(sensitivity()))


if __name__ == "__main__":
    main()
