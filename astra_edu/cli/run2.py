"""`run2`: the options of ASTRA-sim 2.x's programs, so that its examples' scripts work with one word changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os.path import isfile

import click

from astra_edu.base.errors import ConfigError
from astra_edu.cli.commands import LenientCommand, file_option, number_option, warnings_said
from astra_edu.formats import load_astra_sim
from astra_edu.run.simulate import simulate
from astra_edu.traces.load import load_trace
from astra_edu.traces.trace_files import is_trace


@click.command(cls=LenientCommand, context_settings={"ignore_unknown_options": True, "allow_extra_args": True})
@file_option(
    "workload-configuration", "Execution traces: PREFIX for PREFIX.0.et, PREFIX.1.et, ..., or one JSON file", "PREFIX"
)
@file_option("system-configuration", "System file (JSON)")
@file_option("remote-memory-configuration", "Remote memory file (JSON)")
@file_option("network-configuration", "Network file (YAML)")
@click.option(
    "--comm-group-configuration",
    metavar="FILE",
    help="Process groups (JSON). [default: PREFIX.groups.json, if there is one]",
)
@click.option(
    "--congestion-aware/--congestion-unaware",
    help="Which of ASTRA-sim's two analytical programs this is: whether messages wait for each other on the links. "
    "[default: unaware]",
)
@number_option("num-queues-per-dim", 1, "Queues that the active chunks of a dimension are divided over.")
@number_option("injection-scale", 1.0, "Multiplies the endpoint delay of the system file.")
@click.option(
    "--rendezvous-protocol", type=bool, is_flag=False, flag_value="true", default=False, metavar="[true|false]",
    help="A message waits for its receiver's request. [default: false; alone: true]",
)  # fmt: skip
@click.option("--compute-scale", type=float, help="Without effect, as in ASTRA-sim 2.x.")
@click.option("--comm-scale", type=float, help="Without effect, as in ASTRA-sim 2.x.")
@click.option("--logging-configuration", metavar="FILE", help="Without effect: what is logged goes to the screen.")
@click.option("--logging-folder", metavar="FOLDER", help="Without effect.")
def run2(
    workload_configuration: str,
    system_configuration: str,
    remote_memory_configuration: str,
    network_configuration: str,
    comm_group_configuration: str | None,
    congestion_aware: bool,
    num_queues_per_dim: int,
    injection_scale: float,
    rendezvous_protocol: bool,
    **without_effect: object,
) -> None:
    """Run execution traces as ASTRA-sim 2.x does.

    Says when each NPU has finished, and how much of that was not computation. The options are those of its programs
    AstraSim_Analytical_Congestion_Aware and _Unaware; a script that calls one of them works with
    "python -m astra_edu run2 --congestion-aware" (or --congestion-unaware) in its place.
    """
    for option, value in without_effect.items():
        name = f"--{option.replace('_', '-')}"
        if option.endswith("scale") and value not in (None, 1):
            click.echo(f"Warning: {name} has no effect, as in ASTRA-sim 2.x.", err=True)
        elif option.startswith("logging") and value is not None:
            click.echo(f"Warning: {name} has no effect here: nothing is logged but what you see.", err=True)
    if isfile(workload_configuration) and not is_trace(workload_configuration):
        raise ConfigError(f"{workload_configuration} is a workload of ASTRA-sim 1.0; the command for it is run.")
    none = comm_group_configuration is not None and "empty" in comm_group_configuration  # ASTRA-sim's word for it
    groups: Mapping[str, Sequence[int]] | str | None = {} if none else comm_group_configuration
    with warnings_said():
        platform = load_astra_sim(
            network_configuration,
            system_configuration,
            injection_scale,
            num_queues_per_dim,
            rendezvous_protocol,
            memory=remote_memory_configuration,
            congestion_aware=congestion_aware,
        )
        trace = load_trace(workload_configuration, groups, check=not platform.system.replay_only)
        result = simulate(trace, platform)
    for npu, (finish, exposed) in enumerate(zip(result.finish_ns, result.exposed_ns, strict=True)):
        click.echo(f"sys[{npu}] finished, {finish} cycles, exposed communication {exposed} cycles.")
    kind = "aware" if congestion_aware else "unaware"
    click.echo(f"{result} (1 cycle = 1 ns; congestion-{kind})")
