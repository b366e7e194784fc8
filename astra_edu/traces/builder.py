"""A trace put together in a cell: one operation after the other, each with what it waits for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from astra_edu.base.errors import ConfigError, whole
from astra_edu.base.units import format_bytes
from astra_edu.traces.arguments import (
    Micros,
    On,
    Ops,
    Ring,
    Size,
    Uses,
    involved,
    npu_count,
    one_of,
    operation_name,
    parents,
    places,
    size_of,
    times,
)
from astra_edu.traces.known import Known
from astra_edu.traces.make import COMM_TYPES
from astra_edu.traces.make_shared import nodes_of
from astra_edu.traces.node import CommType, NodeType
from astra_edu.traces.operation import Operation, listed
from astra_edu.traces.shifted_messages import shifted_messages
from astra_edu.traces.trace import Trace


class Builder:
    """A trace for `npus` NPUs that grows with every call; build() makes the Trace that ae.simulate takes.

        trace = Builder(npus=8)
        backward = trace.compute("backward", micros=50)
        gradients = trace.all_reduce("gradients", "1 MiB", after=backward)
        trace.compute("update", micros=5, after=gradients)
        ae.simulate(trace.build(), platform)

    after: what must be over before it starts; one operation, a list of them, or None. An NPU waits for those of them
    that are on it; each NPU must have one at least. on: the NPUs that have it, by default all. Every method returns
    the Operation, for `after=` of others, and raises ConfigError for what makes no trace.

    >>> trace = ae.traces.Builder(npus=4)
    >>> backward = trace.compute("backward", micros=50)
    >>> gradients = trace.all_reduce("gradients", "1 MiB", after=backward)
    >>> update = trace.compute("update", micros=5, after=gradients)
    >>> platform = ae.TracePlatform(ae.Block("Ring", 4, 50, 500), ae.TraceSystem.of("ring"))
    >>> ae.simulate(trace.build(), platform).total_ns
    87362
    """

    def __init__(self, npus: int) -> None:
        """Nothing to do yet. npus: how many there are."""
        self.npus = npu_count(npus)
        self.operations: list[Operation] = []
        self.groups: dict[str, tuple[int, ...]] = {}
        self._known = Known(self.npus, self.groups)
        self._next, self._tag = 1, 0

    def compute(
        self,
        name: str,
        micros: Micros | None = None,
        *,
        num_ops: int | None = None,
        tensor_size: Size | None = None,
        after: Ops = None,
        on: On = None,
    ) -> Operation:
        """The NPU computes, one computation at a time.

        micros: for how long, in whole µs (a computation of 0 µs takes 1 ns in ASTRA-sim); one number, or one for each
        of its NPUs. num_ops, tensor_size: operations and bytes, from which a system with the roofline on finds the
        time in place of micros.
        """
        operation_name(name)
        if micros is None and num_ops is None:
            raise ConfigError(f"{name}: for how long? Give micros, or num_ops and tensor_size for a roofline.")
        words = [] if micros is None else ["{time}"]
        attributes: dict[str, Any] = {"is_cpu_op": False}
        if num_ops is not None or tensor_size is not None:
            if num_ops is None or tensor_size is None:
                raise ConfigError(f"{name}: the roofline takes num_ops and tensor_size together.")
            operations = whole(f"{name}: num_ops", num_ops, at_least=0)
            attributes |= {"num_ops": operations, "tensor_size": (size := size_of(name, tensor_size, at_least=1))}
            words.append(f"{operations:,} operations on {format_bytes(size)}")
        return self._add(name, NodeType.COMP_NODE, f"compute {', '.join(words)}", attributes, after, on, micros or 0)

    def cpu(self, name: str, micros: Micros, *, after: Ops = None, on: On = None) -> Operation:
        """The NPU's CPU works for `micros` µs, one such operation at a time, while the NPU may compute."""
        return self._add(name, NodeType.COMP_NODE, "CPU, {time}", {"is_cpu_op": True}, after, on, micros)

    def load(self, name: str, bytes: Size, *, after: Ops = None, on: On = None) -> Operation:
        """Read from remote memory. To the NPU that is a communication, of which it has one at a time."""
        return self._memory(name, NodeType.MEM_LOAD_NODE, bytes, after, on)

    def store(self, name: str, bytes: Size, *, after: Ops = None, on: On = None) -> Operation:
        """Write to remote memory. To the NPU that is a communication, of which it has one at a time."""
        return self._memory(name, NodeType.MEM_STORE_NODE, bytes, after, on)

    def all_reduce(
        self, name: str, bytes: Size, *, after: Ops = None, on: On = None, group: Ring = None, involved_dim: Uses = None
    ) -> Operation:
        """Everybody gets the sum. bytes: an NPU's whole buffer. An NPU is in one collective (or send) at a time.

        group: the NPUs of a process group in the order of its ring, or several such groups, each for itself; by
        default all NPUs. involved_dim: for each dimension of the network whether it runs over it; by default over all.
        """
        return self._collective(name, "all_reduce", bytes, after, on, group, involved_dim)

    def all_gather(
        self, name: str, bytes: Size, *, after: Ops = None, on: On = None, group: Ring = None, involved_dim: Uses = None
    ) -> Operation:
        """Everybody gets everybody's block. bytes: of one block, what an NPU brings. The rest as in all_reduce."""
        return self._collective(name, "all_gather", bytes, after, on, group, involved_dim)

    def reduce_scatter(
        self, name: str, bytes: Size, *, after: Ops = None, on: On = None, group: Ring = None, involved_dim: Uses = None
    ) -> Operation:
        """Everybody gets a share of the sum. bytes: an NPU's whole buffer. The rest as in all_reduce."""
        return self._collective(name, "reduce_scatter", bytes, after, on, group, involved_dim)

    def all_to_all(
        self, name: str, bytes: Size, *, after: Ops = None, on: On = None, group: Ring = None, involved_dim: Uses = None
    ) -> Operation:
        """Everybody sends everybody else something. bytes: an NPU's whole buffer. The rest as in all_reduce."""
        return self._collective(name, "all_to_all", bytes, after, on, group, involved_dim)

    def broadcast(
        self, name: str, bytes: Size, micros: Micros, *, after: Ops = None, on: On = None, group: Ring = None
    ) -> Operation:
        """One NPU's data for all. ASTRA-sim 2.x only lets it take `micros` µs, whatever its bytes and the network."""
        size = size_of(name, bytes, at_least=1)
        attributes = {"is_cpu_op": False, "comm_type": int(CommType.BROADCAST), "comm_size": size}
        words = f"broadcast of {format_bytes(size)}, {{time}}"
        return self._add(name, NodeType.COMM_COLL_NODE, words, attributes, after, on, micros, group)

    def send(self, name: str, bytes: Size, to: int, *, on: int, after: Ops = None, tag: int = 0) -> Operation:
        """NPU `on` sends NPU `to` a message; over when it has arrived.

        It needs a receive there with the same size and tag; several with equal tags are matched in the order in which
        they start. message(...) makes both.
        """
        return self._send_or_receive(name, NodeType.COMM_SEND_NODE, bytes, on, to, after, tag)

    def receive(self, name: str, bytes: Size, source: int, *, on: int, after: Ops = None, tag: int = 0) -> Operation:
        """NPU `on` waits for a message of NPU `source`; see send. Any number of receives can wait at once."""
        return self._send_or_receive(name, NodeType.COMM_RECV_NODE, bytes, on, source, after, tag)

    def message(
        self, name: str, bytes: Size, source: int, to: int, *, after: Ops = None
    ) -> tuple[Operation, Operation]:
        """(send, receive) of a message from NPU `source` to NPU `to`, with a tag that no other message has.

        after: what the sender waits for. Whatever needs the data has to wait for the receive.
        """
        self._tag += 1
        sent = self.send(name, bytes, to, on=source, after=after, tag=self._tag)
        return sent, self.receive(name, bytes, source, on=to, tag=self._tag)

    def messages(
        self, name: str, bytes: Size, sources: range, to: range, *, after: Ops = None
    ) -> tuple[Operation, Operation]:
        """(sends, receives) of a message from each of `sources` to the NPU of `to` in its place, as message makes them.

        sources, to: consecutive NPUs, as many of either. The nodes have the numbers and tags that message would give
        them, called for one pair after the other; but there are two operations only, whose numbers and tags go in steps
        from NPU to NPU.

        >>> trace = ae.traces.Builder(npus=4)
        >>> forward = trace.compute("forward", micros=50, on=range(2))
        >>> trace.messages("activations", "1 MiB", range(0, 2), range(2, 4), after=forward)[1]
        <3 activations: receive 1 MiB from NPUs 0 and 1, on NPUs 2 and 3>
        >>> [node.number("comm_src") for node in trace.build().nodes[3]]
        [1]
        """
        made = shifted_messages(self, name, bytes, sources, to, after, self._next, self._tag + 1)
        self.operations += made
        self._next += 2 * len(sources)
        self._tag += len(sources)
        return made

    def build(self) -> Trace:
        """What there is so far, as a Trace.

        NPUs that do the same share their nodes, so that one can stand for all; where they do the same up to names, with
        other peers, groups, numbers and tags, their nodes are made when they are asked for.
        """
        if not self.operations:
            raise ConfigError("the trace has no operations yet; begin with compute(...) or all_reduce(...).")
        return Trace(nodes_of(self.npus, self.operations), self.groups)

    def __repr__(self) -> str:
        lines = [f"<trace for {self.npus} NPUs, being built: {len(self.operations)} operations>"]
        lines += [f"  {operation!r}" for operation in self.operations[:40]]
        if len(self.operations) > 40:
            lines.append(f"  and {len(self.operations) - 40} more")
        return "\n".join(lines)

    def _memory(self, name: str, type: NodeType, bytes: Size, after: Ops, on: On) -> Operation:
        size = size_of(name, bytes, at_least=1)
        words = f"{'load' if type is NodeType.MEM_LOAD_NODE else 'store'} {format_bytes(size)}"
        return self._add(name, type, words, {"is_cpu_op": False, "tensor_size": size}, after, on)

    def _collective(self, name: str, kind: str, bytes: Size, after: Ops, on: On, group: Ring, dims: Uses) -> Operation:
        size = size_of(name, bytes, at_least=1)
        attributes: dict[str, Any] = {"is_cpu_op": False, "comm_type": int(COMM_TYPES[kind]), "comm_size": size}
        words = f"{kind.replace('_', '-')} of {format_bytes(size)}"
        if dims is not None:
            if group is not None:
                raise ConfigError(f"{name}: a process group has no dimensions; give group or involved_dim.")
            attributes["involved_dim"] = uses = tuple(involved(name, dims))
            words += f" over dimension {', '.join(str(d) for d, use in enumerate(uses) if use)}"
        return self._add(name, NodeType.COMM_COLL_NODE, words, attributes, after, on, 0, group)

    def _send_or_receive(
        self, name: str, type: NodeType, bytes: Size, on: int, other: int, after: Ops, tag: int
    ) -> Operation:
        operation_name(name)
        sends = type is NodeType.COMM_SEND_NODE
        here = one_of(f"{name}: on", on, self.npus)
        there = one_of(f"{name}: {'to' if sends else 'source'}", other, self.npus)
        if here == there:
            raise ConfigError(f"{name}: NPU {here} can't send itself a message.")
        source, destination = (here, there) if sends else (there, here)
        size, tag = size_of(name, bytes, at_least=0), whole(f"{name}: tag", tag, at_least=0)
        attributes = {"is_cpu_op": False, "comm_src": source, "comm_dst": destination}
        attributes |= {"comm_tag": tag, "comm_size": size}
        words = f"{'send' if sends else 'receive'} {format_bytes(size)} {'to' if sends else 'from'} NPU {there}"
        return self._add(name, type, words + (f", tag {tag}" if tag else ""), attributes, after, here)

    def _add(
        self,
        name: str,
        type: NodeType,
        words: str,
        attributes: Mapping[str, Any],
        after: Ops,
        on: On,
        micros: Micros = 0,
        group: Ring = None,
    ) -> Operation:
        operation_name(name)
        groups, ring = self._known.groups(name, group)
        npus = places(name, ring if groups and on is None else on, self.npus)
        if groups and on is not None and (outside := [npu for npu in npus if npu not in groups]):
            raise ConfigError(f"{name}: {listed(outside)} can't take part; group has {listed(sorted(groups))}.")
        waits = parents(name, after, npus, self)
        taken = times(name, micros, len(npus))
        kinds = self._known.attributes(attributes)
        operation = Operation(self._next, name, type, npus, waits, words, taken, kinds, groups, None, self)
        self.operations.append(operation)
        self._next += 1
        return operation
