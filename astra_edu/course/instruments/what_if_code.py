"""A platform and a workload as the lines of Python that build them, and as files for ASTRA-sim."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path

from astra_edu.formats import save_astra_sim, save_workload
from astra_edu.network import Dimension
from astra_edu.run.presets import PRESETS
from astra_edu.system import Platform, SystemConfig
from astra_edu.workload import Layer, Work, Workload

NAMES = ("network.json", "system.txt", "workload.txt")
COLLECTIVES = ("all_reduce", "all_gather", "reduce_scatter", "all_to_all")


def code(platform: Platform, workload: Workload, passes: int, loaded: str = "") -> str:
    """Lines that build both and simulate them. loaded: the expression that makes the workload, if a file does."""
    built = _platform(platform)
    work = loaded or _workload(workload)
    heads = ["import astra_edu as ae"]
    if "Implementation" in built:
        heads.append("from astra_edu.system import Implementation")
    if "Layer(" in work:
        heads += ["from astra_edu.collectives import Collective", "from astra_edu.workload import Layer, Work"]
    heads.sort(key=lambda line: (line.startswith("from"), line))
    more = "" if passes == 1 else f", passes={passes}"
    lines = [*heads, "", built, f"work = {work}", f"result = ae.simulate(work, platform{more})", "print(result)"]
    return "\n".join(lines) + "\n"


def loading(path: Path, compute_scale: float, comm_scale: float) -> str:
    """The expression that loads a workload file."""
    scales = "".join(
        f", {name}={scale}"
        for name, scale in (("compute_scale", compute_scale), ("comm_scale", comm_scale))
        if scale != 1
    )
    return f'ae.load_workload("{path.as_posix()}"{scales})'


def save(folder: str, platform: Platform, workload: Workload, passes: int) -> list[str]:
    """Write network.json, system.txt and workload.txt, and say how to run them. Raises ConfigError if that fails."""
    target = Path(folder.strip() or ".")
    names = [str(target / name) for name in NAMES]
    save_astra_sim(platform, *names[:2])
    save_workload(workload, names[2])
    return [f"Written: {', '.join(names)}.", *how_to_run(platform, passes, names)]


def how_to_run(platform: Platform, passes: int, names: Sequence[str]) -> list[str]:
    """What to say of the three files with these names."""
    files = zip(("network", "system", "workload"), names, strict=True)
    options = [f"--{kind}-configuration={name}" for kind, name in files]
    options += [f"--num-passes={passes}"] * (passes > 1)
    options += [f"--num-queues-per-dim={platform.system.queues}"] * (platform.system.queues > 1)
    options += ["--rendezvous-protocol=1"] * platform.system.rendezvous
    return [
        f"To run them here: python -m astra_edu run {' '.join(options)}",
        "The same options are those of ASTRA-sim 1.0's own program; scales are in the files already.",
    ]


def _platform(platform: Platform) -> str:
    name = next((name for name, preset in PRESETS.items() if preset.platform == platform), None)
    if name:
        return f'platform = ae.preset("{name}")'
    network = "".join(f"    {_dimension(dimension)},\n" for dimension in platform.network)
    return f"network = (\n{network})\nsystem = {_system(platform.system)}\nplatform = ae.Platform(network, system)"


def _dimension(dimension: Dimension) -> str:
    values = [f'"{dimension.topology}"']
    for field in fields(Dimension)[1:]:
        value = getattr(dimension, field.name)
        if value != field.default:
            values.append(f"{field.name}={_number(value)}")
    return f"ae.Dimension({', '.join(values)})"


def _system(system: SystemConfig) -> str:
    joined = {name: "_".join(how.spelling for how in getattr(system, name)) for name in COLLECTIVES}
    settings = [
        f"{field.name}={_number(getattr(system, field.name))}"
        for field in fields(SystemConfig)
        if field.name not in COLLECTIVES and (field.name == "splits" or getattr(system, field.name) != field.default)
    ]
    own = joined["all_reduce"]
    usual = SystemConfig.of(own, splits=system.splits)
    if all(getattr(system, name) == getattr(usual, name) for name in COLLECTIVES):
        return f"ae.SystemConfig.of({', '.join([_quoted(own), *settings])})"
    each = [f'Implementation.parse_all("{joined[name]}")' for name in COLLECTIVES]
    return "ae.SystemConfig(\n" + "".join(f"    {value},\n" for value in [*each, *settings]) + ")"


def _workload(workload: Workload) -> str:
    first = workload.layers[0]
    size, what = first.weight_gradient.size, first.weight_gradient.collective
    if what and workload == Workload.micro(what.value, size):
        return f'ae.Workload.micro("{what}", {size:_})'
    layers = "".join(f"        {_layer(layer)},\n" for layer in workload.layers)
    return f"ae.Workload(\n    {_quoted(workload.loop)},\n    (\n{layers}    ),\n    {_strings(workload.options)},\n)"


def _layer(layer: Layer) -> str:
    values = [_quoted(layer.name), *map(_work, (layer.forward, layer.input_gradient, layer.weight_gradient))]
    values.append(str(layer.update_ns))
    return f"Layer({', '.join(values + [_quoted(layer.parallelism)] * bool(layer.parallelism))})"


def _work(work: Work) -> str:
    what = f"Collective.{work.collective.name}" if work.collective else "None"
    return f"Work({work.compute_ns:_}, {what}, {work.size:_})"


def _number(value: object) -> str:
    if isinstance(value, float) and value == int(value):
        return str(int(value))
    return _quoted(value) if isinstance(value, str) else repr(value)


def _quoted(text: str) -> str:
    return '"' + repr(str(text))[1:-1].replace('"', '\\"') + '"'


def _strings(values: tuple[str, ...]) -> str:
    return f"({', '.join(map(_quoted, values))}{',' * (len(values) == 1)})"
