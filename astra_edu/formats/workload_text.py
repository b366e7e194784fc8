"""ASTRA-sim 1.0's workload file: the loop, the number of layers, and one line of twelve columns a layer."""

from __future__ import annotations

import re

from astra_edu.base.errors import ConfigError, choice, instance_of, positive, shown, text_of
from astra_edu.base.units import float32
from astra_edu.collectives import Collective
from astra_edu.formats.kinds import looks_like
from astra_edu.workload import LOOPS, Layer, Work, Workload

_COLLECTIVES = {
    "NONE": None,
    "ALLREDUCE": Collective.ALL_REDUCE,
    "ALLGATHER": Collective.ALL_GATHER,
    "REDUCESCATTER": Collective.REDUCE_SCATTER,
    "ALLTOALL": Collective.ALL_TO_ALL,
}
_WRITTEN = {collective: word for word, collective in _COLLECTIVES.items()}
COLUMNS = 12
_DEPENDENCY = re.compile(r"-?[0-9]{1,9}")


def parse_workload(text: str, comm_scale: float = 1, compute_scale: float = 1, name: str = "workload file") -> Workload:
    """The workload in a file's text, its sizes and compute times scaled as by ASTRA-sim's command line.

    Raises ConfigError naming file, line, column, value and what is allowed.

    >>> from astra_edu.formats import parse_workload
    >>> work = parse_workload("MICRO\\n1\\nconv -1 5 NONE 0 5 NONE 0 5 ALLREDUCE 1024 1\\n")
    >>> work.loop, work.layers[0].name, work.layers[0].weight_gradient
    ('MICRO', 'conv', Work(compute_ns=5, collective=<Collective.ALL_REDUCE: 'all-reduce'>, size=1024))
    """
    instance_of(text_of("name", name), text, str, "give the file's text")
    comm, compute = _scale("comm_scale", comm_scale), _scale("compute_scale", compute_scale)
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        raise ConfigError(f"{name} is empty; it begins with a training loop, such as MICRO or DATA.")
    loop, *options = lines[0].split()
    if loop not in LOOPS and looks_like(text):
        raise ConfigError(f"{name} doesn't begin with a training loop.{looks_like(text)}")
    choice(f"{name}: the training loop", loop, LOOPS)
    count = _number(f"{name}, line 2: the number of layers", lines[1].split()[0] if len(lines) > 1 else "")
    rows = lines[2:]
    if count < 1 or len(rows) != count:
        raise ConfigError(f"{name}: line 2 says {count} layers, but {len(rows)} lines with layers follow.")
    columns = COLUMNS + (1 if loop == "HYBRID_CUSTOMIZED" else 0)
    layers = tuple(_layer(row.split(), columns, comm, compute, f"{name}, layer {i}") for i, row in enumerate(rows))
    return Workload(loop, layers, tuple(options))


def format_workload(workload: Workload) -> str:
    """The workload file's text. Raises ConfigError for what `parse_workload` couldn't read again.

    >>> from astra_edu.formats import format_workload
    >>> print(format_workload(ae.Workload.micro("all-reduce", 2**20)), end="")
    MICRO
    1
    all-reduce -1 0 NONE 0 0 NONE 0 0 ALLREDUCE 1048576 1
    """
    instance_of("workload", workload, Workload, "give one such as ae.load_workload(...) returns")
    _check_words(workload)
    head = " ".join((workload.loop, *workload.options))
    rows = [
        " ".join(
            [layer.name, "-1"]
            + [
                f"{work.compute_ns} {_written(work.collective)} {work.size}"
                for work in (layer.forward, layer.input_gradient, layer.weight_gradient)
            ]
            + [str(layer.update_ns)]
            + ([layer.parallelism] if layer.parallelism else [])
        )
        for layer in workload.layers
    ]
    text = "\n".join([head, str(len(rows)), *rows]) + "\n"
    _check_readable(text)
    return text


def _check_words(workload: Workload) -> None:
    for layer in workload.layers:
        if not isinstance(layer.name, str) or layer.name.split() != [layer.name]:
            raise ConfigError(
                f"a workload file can't hold a layer called {layer.name!r:.60}: a name is one word, without spaces."
            )
    if [word for option in workload.options for word in option.split()] != list(workload.options):
        raise ConfigError(f"a workload file can't hold the options {workload.options!r:.80}: each is one word.")


def _check_readable(text: str) -> None:
    try:
        parse_workload(text)
    except ConfigError as error:
        raise ConfigError(f"this workload can't be written, as it couldn't be read again: {error}") from None


def _written(collective: Collective | None) -> str:
    if collective not in _WRITTEN:
        raise ConfigError(f"a workload file has no word for {collective}; it has {', '.join(_COLLECTIVES)}.")
    return _WRITTEN[collective]


def _layer(row: list[str], columns: int, comm: float, compute: float, where: str) -> Layer:
    if len(row) != columns:
        raise ConfigError(
            f"{where} has {len(row)} columns; it needs {columns}: name, dependency, then compute ns, collective and "
            f"bytes for the forward pass, the input gradient and the weight gradient, then the update time in ns."
        )
    name = row[0]
    where = f"{where} ({name:.60})"
    if not _DEPENDENCY.fullmatch(row[1]):
        raise ConfigError(f"{where}: the dependency is {shown(row[1], 40)}; it must be a whole number, usually -1.")
    forward, input_gradient, weight_gradient = (
        _work(row[start : start + 3], comm, compute, f"{where}, {phase}")
        for start, phase in ((2, "forward pass"), (5, "input gradient"), (8, "weight gradient"))
    )
    update_ns = _number(f"{where}: the update time", row[11])
    return Layer(name, forward, input_gradient, weight_gradient, update_ns, *row[COLUMNS:])


def _work(cells: list[str], comm: float, compute: float, where: str) -> Work:
    word = choice(f"{where}: the collective", cells[1], _COLLECTIVES)
    compute_ns = _number(f"{where}: the compute time", cells[0])
    size = _number(f"{where}: the size", cells[2])
    return Work(
        _scaled(f"{where}: compute_scale", compute_ns, compute),
        _COLLECTIVES[word],
        _scaled(f"{where}: comm_scale", size, comm),
    )


def _scale(name: str, value: float) -> float:
    return float32(positive(name, value))


def _scaled(where: str, value: int, scale: float) -> int:
    """ASTRA-sim multiplies in 32-bit floats, which keep 24 bits of a large size."""
    if float32(value) * scale >= 2**63:
        raise ConfigError(f"{where} makes {value} times {scale:g}, which is more than ASTRA-sim's 64 bits hold.")
    return int(float32(float32(value) * scale))


def _number(where: str, word: str) -> int:
    if not word.isascii() or not word.isdigit():
        raise ConfigError(f"{where} is {shown(word)}; it must be a whole number, 0 or more.")
    if len(word) > 19 or int(word) >= 2**63:
        raise ConfigError(f"{where} is {word:.30}; that is more than ASTRA-sim's 64 bits hold.")
    return int(word)
