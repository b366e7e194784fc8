"""`run`: the options of ASTRA-sim 1.0's program, so that the tutorials' scripts work as they are."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from astra_edu.base.errors import ConfigError
from astra_edu.base.files import what_is_at
from astra_edu.base.late import is_a
from astra_edu.cli.commands import ScriptCommand, dimension_option, file_option, number_option, warnings_said
from astra_edu.formats import load_astra_sim, load_workload
from astra_edu.run.reports import write_reports
from astra_edu.run.simulate import simulate

if TYPE_CHECKING:
    from astra_edu.network import Dimension
    from astra_edu.system import Platform

_OVERRIDES = {"units-count": "npus", "links-count": "links", "link-bandwidth": "bandwidth", "link-latency": "latency"}


@click.command(cls=ScriptCommand)
@file_option("network-configuration", "Network file (JSON; YAML where messages wait for each other)")
@file_option("system-configuration", "System file")
@file_option("workload-configuration", "Workload file")
@click.option("--run-name", default="unnamed run", show_default=True, metavar="NAME", help="Name in the reports.")
@click.option("--path", default=".", metavar="FOLDER", help="Where the reports go; made if need be. [default: here]")
@number_option("num-passes", 1, "Passes of the training loop.")
@number_option("comm-scale", 1.0, "Multiplies all sizes of collectives.")
@number_option("compute-scale", 1.0, "Multiplies all compute times.")
@number_option("injection-scale", 1.0, "Multiplies the endpoint delay.")
@number_option("num-queues-per-dim", 1, "Queues that the active chunks of a dimension are divided over.")
@click.option("--rendezvous-protocol", type=bool, default=False, help="1: a message waits for its receiver's request.")
@number_option("total-stat-rows", 1, "How many runs share the reports, one after the other.")
@number_option("stat-row", 0, "Which of them this is; 0 begins new reports.")
@dimension_option("units-count", "npus-count", int, "NPUs")
@dimension_option("links-count", None, int, "Links of an NPU")
@dimension_option("link-bandwidth", "bandwidth", float, "GB/s of a link (2**30 bytes/s)")
@dimension_option("link-latency", "latency", float, "ns of a link")
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
    """Simulate one run as ASTRA-sim 1.0 does and write its six reports (CSV).

    With a network file in YAML, as its congestion-aware program does, which writes four of them. The options are those
    of the programs AnalyticalAstra and AstraCongestion; "python -m astra_edu run" stands in for either.
    """
    platform = load_astra_sim(
        network_configuration, system_configuration, injection_scale, num_queues_per_dim, rendezvous_protocol
    )
    if is_a(platform, "astra_edu.system.trace_config.TracePlatform"):
        both = f"{network_configuration} and {system_configuration}"
        raise ConfigError(f"{both} are files of ASTRA-sim 2.x; the command for them is run2.")
    platform = _overridden(platform, {name.replace("_", "-"): values for name, values in per_dimension.items()})
    workload = load_workload(workload_configuration, comm_scale, compute_scale)
    new = not what_is_at(path, "a folder for the reports")
    with warnings_said():
        result = simulate(workload, platform, num_passes)
    files = write_reports(result, path, run_name, stat_row, total_stat_rows)
    click.echo(f"{run_name}: {result}")
    click.echo(f"{'New folder' if new else 'Folder'} {Path(path)}: {', '.join(file.name for file in files)}")


def _overridden(platform: Platform, values: dict[str, tuple[float, ...]]) -> Platform:
    """The platform with the command line's values in place of the network file's."""
    given = {option: found for option, found in values.items() if found}
    for option, found in given.items():
        if len(found) != len(platform.network):
            raise ConfigError(
                f"--{option} has {len(found)} values, but the network has {len(platform.network)} dimensions; "
                f"give one a dimension."
            )

    if platform.congestion_aware and "links-count" in given:
        raise ConfigError("--links-count has no meaning on a congestion-aware network, whose links are one each.")

    def changed(d: int, dimension: Dimension) -> Dimension:
        changes: dict[str, Any] = {_OVERRIDES[option]: found[d] for option, found in given.items()}
        if platform.congestion_aware:
            changes["links"] = dimension.topology.links_needed(changes.get("npus", dimension.npus))
        try:
            return replace(dimension, **changes)
        except ConfigError as error:
            raise ConfigError(f"dimension {d} with --{', --'.join(given)}: {error}") from error

    if not given:
        return platform
    return replace(platform, network=tuple(changed(d, dimension) for d, dimension in enumerate(platform.network)))
