"""Messages between two rows of NPUs, as the two operations that they are for a Builder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from astra_edu.base.errors import ConfigError
from astra_edu.base.units import format_bytes
from astra_edu.traces.arguments import Ops, Size, consecutive, operation_name, parents, size_of
from astra_edu.traces.node import NodeType, attribute_of
from astra_edu.traces.operation import Operation, listed
from astra_edu.traces.shared_nodes import Step

if TYPE_CHECKING:
    from astra_edu.traces.builder import Builder


def shifted_messages(
    trace: Builder, name: str, bytes: Size, sources: range, to: range, after: Ops, number: int, tag: int
) -> tuple[Operation, Operation]:
    """(sends, receives); see Builder.messages. number, tag: the first that is free."""
    operation_name(name)
    here, there = consecutive(f"{name}: sources", sources, trace.npus), consecutive(f"{name}: to", to, trace.npus)
    if len(here) != len(there):
        raise ConfigError(f"{name}: {len(here)} NPUs can't send to {len(there)}; name as many.")
    if here == there:
        raise ConfigError(f"{name}: {listed(here)} can't send themselves messages.")
    size = size_of(name, bytes, at_least=0)
    given = {"is_cpu_op": False, "comm_src": here[0], "comm_dst": there[0], "comm_tag": tag, "comm_size": size}
    attributes = {key: attribute_of(key, value) for key, value in given.items()}
    text, waits, step = format_bytes(size), parents(name, after, here, trace), Step(2, 1)
    sends, receives = f"send {text} to {listed(there)}", f"receive {text} from {listed(here)}"
    return (
        Operation(number, name, NodeType.COMM_SEND_NODE, here, waits, sends, 0, attributes, {}, step, trace),
        Operation(number + 1, name, NodeType.COMM_RECV_NODE, there, (), receives, 0, attributes, {}, step, trace),
    )
