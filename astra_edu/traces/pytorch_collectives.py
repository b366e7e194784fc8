"""Which of PyTorch's operators communicate, what each of them sends, and in which process group."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from astra_edu.base.errors import ConfigError
from astra_edu.traces.builder import Builder
from astra_edu.traces.operation import Operation
from astra_edu.traces.pytorch_files import RecordedOperator, Recording, tensors_in

_DETAILS = "record_param_comms"  # an operator's part that names the process group
_DEFAULT = "0"
_OF = ("c10d", "_c10d_functional")

# operator: (the Builder's method, which argument holds what an NPU brings)
_KINDS = {
    "allreduce_": ("all_reduce", 0),
    "allreduce_coalesced_": ("all_reduce", 0),
    "allgather_": ("all_gather", 1),
    "_allgather_base_": ("all_gather", 1),
    "allgather_coalesced_": ("all_gather", 1),
    "allgather_into_tensor_coalesced_": ("all_gather", 1),
    "reduce_scatter_": ("reduce_scatter", 1),
    "_reduce_scatter_base_": ("reduce_scatter", 1),
    "reduce_scatter_tensor_coalesced_": ("reduce_scatter", 1),
    "alltoall_": ("all_to_all", 1),
    "alltoall_base_": ("all_to_all", 1),
    "broadcast_": ("broadcast", 0),
    "send": ("send", 0),
    "recv_": ("receive", 0),
    "barrier": ("barrier", 0),
    "all_reduce": ("all_reduce", 0),
    "all_reduce_": ("all_reduce", 0),
    "all_gather_into_tensor": ("all_gather", 0),
    "reduce_scatter_tensor": ("reduce_scatter", 0),
    "all_to_all_single": ("all_to_all", 0),
}
_NOTHING_SENT = ("wait_tensor",)
_REFUSED = ("reduce_", "gather_", "scatter_")


class RecordedCommunication(NamedTuple):
    """What an operator sends. kind: a Builder's method, or "barrier". group: its members; empty for all NPUs.

    other, tag: of a message, the NPU at its other end and its tag.
    """

    kind: str
    size: int
    group: tuple[int, ...]
    other: int = 0
    tag: int = 0

    @property
    def barrier(self) -> bool:
        """Whether nothing is sent, and everybody waits."""
        return self.kind == "barrier"

    def add(self, trace: Builder, name: str, micros: int, after: Sequence[Operation], npus: range) -> Operation:
        """Put it into a trace."""
        group = self.group or None
        if self.barrier:
            return trace.all_reduce(name, 1, after=after, on=npus, group=group)
        begin: Callable[..., Operation] = getattr(trace, self.kind)
        if self.kind in ("send", "receive"):
            return begin(name, self.size, self.other, on=npus[0], after=after, tag=self.tag)
        times = (micros,) if self.kind == "broadcast" else ()
        return begin(name, self.size, *times, after=after, on=npus, group=group)


def sent_by(
    operator: RecordedOperator, parts: Sequence[RecordedOperator], recording: Recording, npus: int
) -> RecordedCommunication | None:
    """What an operator sends; None for one that doesn't communicate. parts: the calls in it.

    Raises ConfigError for collectives that ASTRA-sim 2.x hasn't, and where nothing says in which group they are.
    """
    of, _, name = operator.name.partition("::")
    if of not in _OF or name in _NOTHING_SENT:
        return None
    where = f"{recording.where}, node {operator.id} ({operator.name})"
    if name in _REFUSED:
        raise ConfigError(f"{where}: ASTRA-sim 2.x doesn't carry out such a collective.")
    if name not in _KINDS:
        return None
    kind, place = _KINDS[name]
    size = sum(tensor.size for argument in operator.values[place : place + 1] for tensor in tensors_in(argument))
    if kind in ("send", "receive"):
        ends = operator.values[2:4]
        if len(ends) < 2 or not all(type(end) is int for end in ends):
            raise ConfigError(f"{where}: its arguments don't say to or from whom, and with which tag.")
        return RecordedCommunication(kind, size, (), ends[0], max(0, ends[1]))
    return RecordedCommunication(kind, max(1, size), _group(parts, recording, npus, where))


def _group(parts: Sequence[RecordedOperator], recording: Recording, npus: int, where: str) -> tuple[int, ...]:
    name = next((found for part in parts if part.name == _DETAILS and (found := _named(part))), None)
    if name is None:
        if len(recording.groups) > 1:
            raise ConfigError(
                f"{where}: PyTorch hasn't recorded in which of the {len(recording.groups)} process groups it is (its "
                "NCCL backend does, Gloo doesn't)."
            )
        name = _DEFAULT
    members = recording.groups.get(name, ())
    if any(member >= npus for member in members):
        raise ConfigError(f"{where}: process group {name} is {list(members)}, but there are files of {npus} processes.")
    return () if len(members) == npus else members


def _named(details: RecordedOperator) -> str | None:
    """The group's name in the details of a collective: the first of two texts."""
    pairs = (value for value in details.values if isinstance(value, list) and len(value) == 2)
    return next((pair[0] for pair in pairs if all(isinstance(part, str) for part in pair)), None)
