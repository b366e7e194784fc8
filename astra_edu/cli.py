"""The command line: `run` takes the options of ASTRA-sim 1.0's program, `run2` those of 2.x's.

So the tutorials' scripts work as they are.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path
from typing import Any

import click

from astra_edu.errors import ConfigError
from astra_edu.execution import TracePlatform
from astra_edu.formats import load_astra_sim, load_workload
from astra_edu.network import Dimension
from astra_edu.reports import write_reports
from astra_edu.simulate import simulate
from astra_edu.system import Platform
from astra_edu.traces import Trace

_OVERRIDES = {"units-count": "npus", "links-count": "links", "link-bandwidth": "bandwidth", "link-latency": "latency"}


class Refused(click.ClickException):
    """Something in the files or the options that can't be simulated."""

    exit_code = 2


class ScriptCommand(click.Command):
    """A command whose options may have several values in a row, "--units-count 4 4 2", and ends errors with code 2."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Write such an option once for each of its values, as click wants it."""
        several = {name for p in self.params if isinstance(p, click.Option) and p.multiple for name in p.opts}
        return super().parse_args(ctx, list(_one_by_one(args, several)))

    def invoke(self, ctx: click.Context) -> Any:
        """Run it; what can't be simulated is one sentence, not a traceback."""
        try:
            return super().invoke(ctx)
        except ConfigError as error:
            raise Refused(str(error)) from error


def _one_by_one(args: Sequence[str], several: set[str]) -> Iterator[str]:
    option = ""
    for arg, following in zip_longest(args, args[1:], fillvalue="--"):
        if arg.startswith("--"):
            option = name if (name := arg.partition("=")[0]) in several else ""
            if option == arg:
                if following.startswith("--"):
                    raise click.BadOptionUsage(option, f"Option {option!r} needs a value for each dimension.")
                continue
        elif option:
            arg = f"{option}={arg}"
        yield arg


def _file(option: str, what: str) -> Callable[[Any], Any]:
    return click.option(f"--{option}", required=True, metavar="FILE", help=f"{what}.")


def _number(option: str, default: float, what: str) -> Callable[[Any], Any]:
    return click.option(f"--{option}", type=type(default), default=default, show_default=True, help=what)


def _per_dimension(option: str, kind: type, what: str) -> Callable[[Any], Any]:
    values = f"{what}; one value for each dimension, in place of the network file's."
    return click.option(f"--{option}", type=kind, multiple=True, metavar="VALUE ...", help=values)


@click.group()
def main() -> None:
    """Simulate distributed deep-learning training as ASTRA-sim's analytical mode does."""


@main.command(cls=ScriptCommand)
@_file("network-configuration", "Network file (JSON)")
@_file("system-configuration", "System file")
@_file("workload-configuration", "Workload file")
@click.option("--run-name", default="unnamed run", show_default=True, metavar="NAME", help="Name in the reports.")
@click.option("--path", default=".", metavar="FOLDER", help="Where the reports go; made if need be. [default: here]")
@_number("num-passes", 1, "Passes of the training loop.")
@_number("comm-scale", 1.0, "Multiplies all sizes of collectives.")
@_number("compute-scale", 1.0, "Multiplies all compute times.")
@_number("injection-scale", 1.0, "Multiplies the endpoint delay.")
@_number("num-queues-per-dim", 1, "Queues that the active chunks of a dimension are divided over.")
@click.option("--rendezvous-protocol", type=bool, default=False, help="1: a message waits for its receiver's request.")
@_number("total-stat-rows", 1, "How many runs share the reports, one after the other.")
@_number("stat-row", 0, "Which of them this is; 0 begins new reports.")
@_per_dimension("units-count", int, "NPUs")
@_per_dimension("links-count", int, "Links of an NPU")
@_per_dimension("link-bandwidth", float, "GB/s of a link (2**30 bytes/s)")
@_per_dimension("link-latency", float, "ns of a link")
def run(
    network_configuration: str,
    system_configuration: str,
    workload_configuration: str,
    run_name: str,
    path: str,
    num_passes: int,
    comm_scale: float,
    compute_scale: float,
    injection_scale: float,
    num_queues_per_dim: int,
    rendezvous_protocol: bool,
    total_stat_rows: int,
    stat_row: int,
    **per_dimension: tuple[float, ...],
) -> None:
    """Simulate one run and write ASTRA-sim's six reports (CSV)."""
    platform = load_astra_sim(
        network_configuration, system_configuration, injection_scale, num_queues_per_dim, rendezvous_protocol
    )
    if isinstance(platform, TracePlatform):
        raise ConfigError(f"{network_configuration} is for ASTRA-sim 2.x; the command for it is run2.")
    platform = _overridden(platform, {name.replace("_", "-"): values for name, values in per_dimension.items()})
    workload = load_workload(workload_configuration, comm_scale, compute_scale)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = simulate(workload, platform, num_passes)
    for warning in caught:
        click.echo(f"Warning: {warning.message}", err=True)
    folder = Path(path)
    where = f"Folder {folder}" if folder.is_dir() else f"New folder {folder}"
    files = write_reports(result, folder, run_name, stat_row, total_stat_rows)
    click.echo(f"{run_name}: {result}")
    click.echo(f"{where}: {', '.join(file.name for file in files)}")


@main.command(cls=ScriptCommand, context_settings={"ignore_unknown_options": True, "allow_extra_args": True})
@_file("workload-configuration", "Prefix of the execution traces, PREFIX.0.et, PREFIX.1.et, ..., or a JSON file")
@_file("system-configuration", "System file (JSON)")
@_file("remote-memory-configuration", "Remote memory file (JSON)")
@_file("network-configuration", "Network file (YAML)")
@click.option("--comm-group-configuration", default="empty", metavar="FILE", help="Process groups (JSON).")
@_number("num-queues-per-dim", 1, "Queues that the active chunks of a dimension are divided over.")
@_number("injection-scale", 1.0, "Multiplies the endpoint delay.")
@click.option("--rendezvous-protocol", type=bool, default=False, help="true: a message waits for a request.")
@click.option("--congestion-aware/--congestion-unaware", default=False, help="Whether messages wait for each other.")
@_number("compute-scale", 1.0, "Read, and without effect, as in ASTRA-sim.")
@_number("comm-scale", 1.0, "Read, and without effect, as in ASTRA-sim.")
@click.option("--logging-configuration", default="empty", hidden=True)
@click.option("--logging-folder", default="log", hidden=True)
def run2(
    workload_configuration: str,
    system_configuration: str,
    remote_memory_configuration: str,
    network_configuration: str,
    comm_group_configuration: str,
    num_queues_per_dim: int,
    injection_scale: float,
    rendezvous_protocol: bool,
    congestion_aware: bool,
    **_: object,
) -> None:
    """Run execution traces as ASTRA-sim 2.x does and print when each NPU finishes."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        platform = load_astra_sim(
            network_configuration,
            system_configuration,
            injection_scale,
            num_queues_per_dim,
            rendezvous_protocol,
            memory=remote_memory_configuration,
            congestion_aware=congestion_aware,
        )
        groups = None if "empty" in comm_group_configuration else comm_group_configuration
        trace = load_workload(workload_configuration, groups=groups)
        if not isinstance(platform, TracePlatform) or not isinstance(trace, Trace):
            raise ConfigError("these are files of ASTRA-sim 1.0; the command for them is run.")
        result = simulate(trace, platform)
    for warning in caught:
        click.echo(f"Warning: {warning.message}", err=True)
    for npu, (finish, exposed) in enumerate(zip(result.finish_ns, result.exposed_ns, strict=True)):
        click.echo(f"sys[{npu}] finished, {finish} cycles, exposed communication {exposed} cycles.")
    click.echo(f"{result} (1 cycle = 1 ns)")


def _overridden(platform: Platform, values: dict[str, tuple[float, ...]]) -> Platform:
    """The platform with the command line's values in place of the network file's."""
    given = {option: found for option, found in values.items() if found}
    for option, found in given.items():
        if len(found) != len(platform.network):
            raise ConfigError(
                f"--{option} has {len(found)} values, but the network has {len(platform.network)} dimensions; "
                f"give one a dimension."
            )

    def changed(d: int, dimension: Dimension) -> Dimension:
        changes: dict[str, Any] = {_OVERRIDES[option]: found[d] for option, found in given.items()}
        try:
            return replace(dimension, **changes)
        except ConfigError as error:
            raise ConfigError(f"dimension {d} with --{', --'.join(given)}: {error}") from error

    if not given:
        return platform
    return replace(platform, network=tuple(changed(d, dimension) for d, dimension in enumerate(platform.network)))
