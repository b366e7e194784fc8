"""What one NPU computes and which collectives it asks for: ASTRA-sim 1.0's workload file as data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from astra_edu.base.errors import ConfigError, choice, list_of, shown, text_of, whole
from astra_edu.base.table import Registry, first_sentence
from astra_edu.collectives import Collective

if TYPE_CHECKING:
    from astra_edu.workload.npu import Npu, Steps

    Loop = Callable[[Npu], Steps]

LOOPS: Registry[Loop] = Registry("training loops", ["what an NPU does"], lambda loop: [first_sentence(loop)], {})
"""LOOPS[name]: the training loop that a workload file's first word names; see workload.loops."""


@dataclass(frozen=True)
class Work:
    """One of a layer's three phases: compute for compute_ns, then communicate `size` bytes (None: nothing).

    >>> from astra_edu.workload import Work
    >>> Work(compute_ns=2000, collective="all-reduce", size=2**20)
    Work(compute_ns=2000, collective=<Collective.ALL_REDUCE: 'all-reduce'>, size=1048576)
    """

    compute_ns: int
    collective: Collective | None
    size: int

    def __post_init__(self) -> None:
        set_ = object.__setattr__
        if self.collective is not None:
            name = choice("collective", self.collective, list(Collective))
            set_(self, "collective", Collective(name))
        set_(self, "compute_ns", whole("compute time in ns", self.compute_ns, at_least=0))
        set_(self, "size", whole("communication size in bytes", self.size, at_least=0))


@dataclass(frozen=True)
class Layer:
    """A layer: forward pass, input gradient, weight gradient, and the ns it takes to use a finished collective.

    parallelism: how it is spread, in a HYBRID_CUSTOMIZED workload only.

    >>> from astra_edu.workload import Layer, Work
    >>> compute, exchange = Work(1000, None, 0), Work(2000, ae.Collective.ALL_REDUCE, 2**20)
    >>> Layer("fc", compute, compute, exchange).weight_gradient.size
    1048576
    """

    name: str
    forward: Work
    input_gradient: Work
    weight_gradient: Work
    update_ns: int = 0
    parallelism: str = ""

    def __post_init__(self) -> None:
        text_of("name of a layer", self.name)
        text_of(f"parallelism of layer {self.name}", self.parallelism)
        for kind in ("forward", "input_gradient", "weight_gradient"):
            work = getattr(self, kind)
            if not isinstance(work, Work):
                raise ConfigError(
                    f"{kind} of layer {self.name} is {shown(work)}; give Work(compute_ns, collective, size)."
                )
        update = whole(f"update time of layer {self.name} in ns", self.update_ns, at_least=0)
        object.__setattr__(self, "update_ns", update)


@dataclass(frozen=True)
class Workload:
    """A training loop and the layers it goes through. options: the loop's own words in the file's first line.

    >>> from astra_edu.workload import Layer, Work
    >>> compute, exchange = Work(1000, None, 0), Work(2000, ae.Collective.ALL_REDUCE, 2**20)
    >>> layer = Layer("fc", forward=compute, input_gradient=compute, weight_gradient=exchange)
    >>> ae.simulate(ae.Workload("DATA", (layer, layer)), ae.preset("ring"))
    <95.362 µs in all: compute 7000 ns, exposed communication 88.362 µs; 3.5 MiB sent per NPU>
    """

    loop: str
    layers: tuple[Layer, ...]
    options: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        choice("training loop", self.loop, LOOPS)
        layers = list_of("layers", self.layers, "a workload needs one or more, each a Layer(...)")
        if not layers or not all(isinstance(layer, Layer) for layer in layers):
            raise ConfigError("a workload needs one layer or more, each a Layer(...).")
        object.__setattr__(self, "layers", layers)
        words = list_of("options", self.options, "give the words of the file's first line, or ()")
        object.__setattr__(self, "options", tuple(text_of("an option", str(word)) for word in words))

    @classmethod
    def micro(cls, collective: str, size: int, update_ns: int = 1) -> Workload:
        """The workload of exercises 1 and 2: one collective of `size` bytes and nothing else."""
        what = Collective(choice("collective", collective, list(Collective)))
        nothing = Work(0, None, 0)
        return cls("MICRO", (Layer(what.value, nothing, nothing, Work(0, what, size), update_ns),))
