"""The local memory of an NPU over time, as ASTRA-sim 2.x's "track-local-mem" counts it.

A node of a trace may say which tensors it reads and writes: in its attributes `inputs` and `outputs`, each a list of
texts, name and bytes by turns. A tensor takes its room from when the node that writes it starts until the last node
that reads it has ended; one that nobody has written before, from 0 ns; one that nobody reads, to the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from astra_edu.base.errors import ConfigError
from astra_edu.traces import Node
from astra_edu.traces.ran import Ran


@dataclass(frozen=True)
class KeptTensor:
    """A tensor in local memory from start_ns to end_ns; None: to the end."""

    name: str
    tensor_bytes: int
    start_ns: int
    end_ns: int | None = None


@dataclass(frozen=True)
class LocalMemory:
    """What an NPU has in its local memory. tensors: by the time at which they came; usage: (ns, bytes from then on)."""

    tensors: tuple[KeptTensor, ...]

    @property
    def usage(self) -> tuple[tuple[int, int], ...]:
        """(ns, bytes from then on), wherever a tensor comes or goes."""
        changes: dict[int, int] = {}
        for tensor in self.tensors:
            changes[tensor.start_ns] = changes.get(tensor.start_ns, 0) + tensor.tensor_bytes
            if tensor.end_ns is not None:
                changes[tensor.end_ns] = changes.get(tensor.end_ns, 0) - tensor.tensor_bytes
        usage, kept = [], 0
        for time, change in sorted(changes.items()):
            kept += change
            usage.append((time, kept))
        return tuple(usage)

    @property
    def peak_bytes(self) -> int:
        """The most at any time; 0 where no tensor is named."""
        return max((kept for _, kept in self.usage), default=0)


def local_memory_of(ran: Sequence[Ran]) -> LocalMemory:
    """The local memory of the NPU that ran these nodes, in the order in which they ended.

    Raises ConfigError for a node without inputs or outputs, for lists that aren't name and bytes by turns, and for a
    tensor that is written twice: ASTRA-sim stops at all of them.
    """
    sizes: dict[str, int] = {}
    came: dict[str, int] = {}
    gone: dict[str, int] = {}
    for _, node, _, start, end in ran:
        for name, tensor_bytes in _tensors(node, "inputs"):
            came.setdefault(name, 0)
            sizes.setdefault(name, tensor_bytes)
            gone[name] = end
        for name, tensor_bytes in _tensors(node, "outputs"):
            if name in came:
                raise ConfigError(f"{node.label} writes the tensor {name[:60]!r}, which is there already.")
            came[name], sizes[name] = start, tensor_bytes
    kept = [KeptTensor(name, sizes[name], start, gone.get(name)) for name, start in came.items()]
    return LocalMemory(tuple(sorted(kept, key=lambda tensor: tensor.start_ns)))


def _tensors(node: Node, what: str) -> Iterator[tuple[str, int]]:
    """(name, bytes) of what a node reads or writes; what has 0 bytes doesn't count."""
    attribute = node.attributes.get(what)
    if attribute is None:
        raise ConfigError(
            f"{node.label} has no attribute {what}, so its tensors aren't known: give a list of texts, name and bytes "
            "by turns (empty for none)."
        )
    texts = attribute.value if isinstance(attribute.value, (list, tuple)) else ()
    names, sizes = texts[::2], texts[1::2]
    if len(names) != len(sizes) or not all(str(size).isascii() and str(size).isdigit() for size in sizes):
        raise ConfigError(f"{node.label}: {what} is {list(texts)!r:.60}; name and bytes by turns are expected.")
    for name, size in zip(names, sizes, strict=True):
        if int(size):
            yield str(name), int(size)
