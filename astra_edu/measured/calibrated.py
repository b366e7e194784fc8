"""Devices and platforms as measured runs of a software stack reach them, for estimates, searches, workloads and traces.

Products, attention, memory and launches are what `predict` takes; what else it takes of a step stands in the device's
`calibration`. Left out: conversions to 8 bits and fewer, memory, an all-to-all's own share of the links, and what
frameworks do by rules of their own. Traces leave out what a calibration says of collectives, hosts, steps and updates.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from astra_edu.base.errors import ConfigError, choice, instance_of
from astra_edu.measured.reached import reached
from astra_edu.measured.spread import runs_of_kind, spread_for
from astra_edu.measured.stacks import OTHERS, STACKS, Stack, stack_of
from astra_edu.measured.stored import Fitted, closest, every
from astra_edu.system import Platform
from astra_edu.system.implementation import Implementation
from astra_edu.workload.compute import Calibration, Device, Machine
from astra_edu.workload.compute import machine as named_machine
from astra_edu.workload.compute.alike import kind_of


@dataclass(frozen=True)
class _Known:
    """What is known of a machine with a stack."""

    machine: Machine
    stack: Stack
    fitted: Fitted


def device(machine: str | Machine, system: str = "") -> Device:
    """A machine's device as runs of a software stack reach its peaks; `source` says which runs, and how many.

    system: the stack, as `runs()` has it, such as "nanotron" or "Megatron-LM"; without one that of which most runs on
    such a machine are known. Where none of its own are, those of a like stack or machine count. Raises ConfigError for
    a stack that isn't known, and for a machine like which none was measured.

    >>> from astra_edu import measured
    >>> h100 = measured.device("h100", "Megatron-LM")
    >>> h100.matrix_efficiency, h100.kernels.launch_ns, h100.calibration.stack
    (0.8287, 5814.0, 'Megatron-Bridge')
    >>> measured.device("h100").calibration.stack
    'nanotron'
    """
    known = _known(machine, system)
    on, stack, given = known.machine, known.stack, known.fitted.time
    spread = spread_for(stack.name, on.name)
    of = f"{spread.runs:,} runs of {spread.stack or 'all stacks'} on {spread.machines or 'all machines'}"
    why = ", of which most are known," if not system else ""
    calibration = Calibration(
        known.fitted.stack,
        spread.low,
        spread.high,
        update_bytes=given.optimiser_bytes,
        sum_bytes=stack.adds_bytes,
        micro_batch_ns=given.micro_batch_us * 1e3,
        step_ns=given.step_ms * 1e6,
        collective_ns=given.collective_us * 1e3,
        send_ns=given.host_tensor_us * 1e3,
        grows=given.host_tensor_grows,
        apart=given.host_pipeline,
    )
    source = (
        f"{on.device.source}; calibrated to runs of {known.fitted.stack}{why} on {', '.join(known.fitted.machines)}, "
        f"its range by {of}"
    )
    return replace(reached(on.device, given), source=source, calibration=calibration)


def platform(machine: str | Machine, npus: int, system: str = "", per_node: int | None = None) -> Platform:
    """So many NPUs of a machine, its links and network cards as collectives of a stack's runs reach them.

    system: as in `device`. per_node: NPUs used of a domain, all by default. Switches have rings, whose steps take the
    latency that was fitted; collectives are one chunk. Raises ConfigError as `device` and `Machine.platform`.

    >>> from astra_edu import measured
    >>> pods = measured.platform("h100", 64, "nanotron")
    >>> [(each.npus, round(each.bandwidth), each.latency) for each in pods.network]
    [(8, 419, 1278.5), (8, 21, 9035.0)]
    """
    known = _known(machine, system)
    on, given = known.machine, known.fitted.time
    switched = on.wiring == "Switch"
    found = replace(
        on,
        link_bytes_per_s=on.link_bytes_per_s * given.link,
        nic_bytes_per_s=on.nic_bytes_per_s * given.nic,
        link_ns=given.link_us * 1e3 / (2 if switched else 1),
        nic_ns=given.nic_us * 1e3 / 2,
    ).platform(npus, per_node)
    ring = Implementation.parse("ring")
    own = tuple(
        ring if str(dimension.topology) == "Switch" else how
        for dimension, how in zip(found.network, found.system.all_reduce, strict=True)
    )
    system_ = replace(found.system, all_reduce=own, all_gather=own, reduce_scatter=own)
    return replace(found, system=system_)


def _known(machine: str | Machine, system: str) -> _Known:
    """Raises ConfigError as `device`."""
    on = named_machine(machine)
    instance_of("system", system, str, 'give the name of a stack, such as "nanotron"')
    stack = stack_of(system.lower() or _most(on.name).lower())
    if system and stack is OTHERS:
        choice("system", system, sorted({each.name for each in STACKS}))
    found = closest(on.name, stack.name)
    if found is None or not _like(found, on.name):
        those = ", ".join(sorted({name for each in every() for name in each.machines}))
        raise ConfigError(
            f"a device like {on.name} can't be calibrated, as none of the runs that parameters were fitted to was on "
            f'one: they were on {those}. ae.device("{on.name}") has its peaks.'
        )
    return _Known(on, stack, found)


def _most(name: str) -> str:
    """The stack of which most runs on the machine are known, or on machines like it."""
    here = [each for each in every() if name in each.machines] or [each for each in every() if _like(each, name)]
    return max((each.stack for each in here), key=lambda stack: runs_of_kind(stack, name), default="")


def _like(fitted: Fitted, name: str) -> bool:
    return any(kind_of(each) == kind_of(name) for each in fitted.machines)
