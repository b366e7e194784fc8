"""What is simulated of a training iteration: a workload, its training loop, and sixteen DGX-2 of another bandwidth."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from astra_edu.base.errors import ConfigError
from astra_edu.base.units import MIB
from astra_edu.collectives import Collective
from astra_edu.course.instruments.setting import Values
from astra_edu.course.instruments.training_waits import TrainingRun, training_run
from astra_edu.formats.workload_text import format_workload, parse_workload
from astra_edu.run.presets import preset
from astra_edu.run.simulate import simulate
from astra_edu.system import Platform
from astra_edu.workload import LOOPS, Layer, Work, Workload
from astra_edu.workload.npu import Npu, Steps, Task
from astra_edu.workload.strategies.generate import generate_workload
from astra_edu.workload.strategies.strategy import Strategy

if TYPE_CHECKING:
    from astra_edu.workload.layer import Loop

OWN = "own"
FIVE, VGG, GPT = "five-layers", "vgg16", "gpt3"
LOOPS_OF = {
    FIVE: ("DATA", "DATA_REORDER", "MODEL", "HYBRID_DATA_MODEL"),
    VGG: ("DATA", "DATA_REORDER"),
    GPT: ("HYBRID_TRANSFORMER_FWD_IN_BCKWD", "HYBRID_TRANSFORMER"),
}
"""The loops that each workload has collectives for, its own first."""
NODE = 16
"""NPUs of a DGX-2, which share a layer's weights in the hybrid loop."""
V100 = 0.41
"""The times of VGG-16's file on the tutorial's V100."""


def five_layers(loop: str = "DATA") -> Workload:
    """Three convolutions, which compute much and have few weights, and two layers that are the other way round.

    What one NPU does; in the hybrid loop it has a share of each layer's weights.

    >>> five_layers().layers[0].weight_gradient
    Work(compute_ns=60000, collective=<Collective.ALL_REDUCE: 'all-reduce'>, size=262144)
    """
    rows = (
        ("conv1", 60, 16, 0.25),
        ("conv2", 100, 8, 1),
        ("conv3", 100, 4, 4),
        ("fc1", 20, 1, 64),
        ("fc2", 10, 1, 16),
    )
    share = NODE if loop == "HYBRID_DATA_MODEL" else 1
    layers = []
    for name, microseconds, activations, weights in rows:
        passed, gradients = (
            Work(microseconds * 1000, Collective.ALL_REDUCE, round(mib * MIB)) for mib in (activations, weights / share)
        )
        layers.append(Layer(name, passed, passed, gradients, 1))
    return Workload(loop, tuple(layers))


def workload(values: Values) -> Workload:
    """The workload with its training loop. Raises ConfigError for a loop it has no collectives for."""
    name = values["workload"]
    loop = LOOPS_OF[name][0] if values["loop"] == OWN else values["loop"]
    if loop not in LOOPS_OF[name]:
        raise ConfigError(f"{name} has no collectives for {loop}; take its own loop, or {' or '.join(LOOPS_OF[name])}.")
    if name == FIVE:
        return five_layers(loop)
    if name == VGG:
        return replace(_vgg16(), loop=loop)
    made = _gpt3()
    return made if loop == made.loop else replace(made, loop=loop, options=made.options[:2])


@lru_cache(maxsize=1)
def _vgg16() -> Workload:
    return _read(generate_workload("vgg16", Strategy(data=256), "tutorial-46"), V100)


@lru_cache(maxsize=1)
def _gpt3() -> Workload:
    cut = Strategy(tensor=16, data=16, micro_batch=16, recompute="full")
    return _read(generate_workload("gpt3-tutorial", cut, "tutorial-62"), 1)


def _read(made: Workload, compute_scale: float) -> Workload:
    """As it comes back from its file, whose numbers ASTRA-sim reads as 32-bit floats."""
    return parse_workload(format_workload(made), compute_scale=compute_scale)


def platform(values: Values) -> Platform:
    """Sixteen DGX-2, with so many times their bandwidth."""
    machines, times = preset("dgx2"), values["bandwidth"]
    network = tuple(replace(dimension, bandwidth=times * dimension.bandwidth) for dimension in machines.network)
    system = replace(
        machines.system,
        scheduling=values["scheduling"],
        splits=values["splits"],
        active_chunks=values["active"],
    )
    return replace(machines, network=network, system=system)


def run(values: Values) -> TrainingRun:
    """The iterations, simulated. Raises ConfigError for what can't be."""
    workload(values)
    return _run(tuple(values.items()))


@lru_cache(maxsize=256)
def _run(values: tuple[tuple[str, Any], ...]) -> TrainingRun:
    named = dict(values)
    work, on, passes = workload(named), platform(named), named["iterations"]
    if named["overlap"]:
        return training_run(simulate(work, on, passes, progress=False))
    loop = LOOPS[work.loop]
    LOOPS[work.loop] = without_overlap(loop)  # under its name, which says over which dimensions collectives run
    try:
        return training_run(simulate(work, on, passes, progress=False))
    finally:
        LOOPS[work.loop] = loop


def without_overlap(loop: Loop) -> Loop:
    """The same loop on an NPU that computes only while no collective is on its way.

    >>> without_overlap(ae.LOOPS["DATA"]).__doc__
    'What the NPU has issued it waits for before it computes on.'
    """

    def waiting(npu: Npu) -> Steps:
        """What the NPU has issued it waits for before it computes on."""
        return loop(_Waits(npu))  # type: ignore[arg-type]

    return waiting


class _Waits:
    """An NPU that waits for everything that is on its way before it computes."""

    def __init__(self, npu: Npu) -> None:
        self._npu = npu

    def __getattr__(self, name: str) -> Any:
        return getattr(self._npu, name)

    def compute(self, task: Task) -> Steps:
        for layer in self._npu.layers:
            for other in layer.tasks:
                yield from self._npu.wait(other)
        yield from self._npu.compute(task)


def code(values: Values) -> str:
    """The same in Python."""
    work, own = workload(values), values["loop"] == OWN
    names = ["five_layers"] * (values["workload"] == FIVE) + ["without_overlap"] * (not values["overlap"])
    head = "from dataclasses import replace\n"
    if names:
        head += f"from astra_edu.course.instruments.training_job import {', '.join(names)}\n"
    made = _CODE.get(values["workload"], f'work = five_layers("{work.loop}")')
    if values["workload"] != FIVE and not own:
        made += f'\nwork = replace(work, loop="{work.loop}", options={work.options!r})'
    simulated = f"ae.simulate(work, platform, passes={values['iterations']})"
    if values["overlap"]:
        last = f"print({simulated})"
    else:
        last = f"""loop = ae.LOOPS[work.loop]
ae.LOOPS[work.loop] = without_overlap(loop)
print({simulated})
ae.LOOPS[work.loop] = loop"""
    return f'''{head}{made}
machines = ae.preset("dgx2")
platform = replace(machines,
    network=tuple(replace(each, bandwidth={values["bandwidth"]} * each.bandwidth) for each in machines.network),
    system=replace(machines.system, scheduling="{values["scheduling"]}", splits={values["splits"]},
        active_chunks={values["active"]}))
{last}'''


_CODE = {
    VGG: f"""from astra_edu.formats import format_workload, parse_workload
work = ae.generate_workload("vgg16", ae.Strategy(data=256), "tutorial-46")
work = parse_workload(format_workload(work), compute_scale={V100})""",
    GPT: """from astra_edu.formats import format_workload, parse_workload
cut = ae.Strategy(tensor=16, data=16, micro_batch=16, recompute="full")
work = parse_workload(format_workload(ae.generate_workload("gpt3-tutorial", cut, "tutorial-62")))""",
}
