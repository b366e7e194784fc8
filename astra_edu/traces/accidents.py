"""What ASTRA-sim would do by accident with a trace: no errors, but each worth a sentence before anybody believes it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Iterator, Mapping
from operator import attrgetter

from astra_edu.base.units import format_ns
from astra_edu.traces.node import INTEGERS, Attribute, CommType, Node, NodeType
from astra_edu.traces.renamed import ENDS, MESSAGES
from astra_edu.traces.shared_nodes import SharedNodes
from astra_edu.traces.trace import Trace

Attributes = Collection[Mapping[str, Attribute]]

_MINUTE = 60_000_000
_DURATION = attrgetter("duration_micros")
_READ_IN_2024 = INTEGERS | {"is_cpu_op": "bool_val", "pg_name": "string_val"}
_COMMUNICATION = (NodeType.COMM_COLL_NODE, NodeType.COMM_SEND_NODE)


def warn_of_accidents(trace: Trace) -> None:
    """Warn once of every kind of accident, with how many nodes it concerns and where the first is.

    The kinds: attributes whose member the ASTRA-sim of 2024 reads as 0, communication of 0 bytes, computations that
    seem to be noted in ns where µs are meant, and NPUs without nodes.
    """
    for warning in accidents_of(trace):
        warnings.warn(warning, stacklevel=3)


def accidents_of(trace: Trace) -> tuple[str, ...]:
    """The sentences that warn_of_accidents warns with."""
    kept = [node.attributes for nodes in trace.templates.templates for node in nodes]
    attributes = dict(zip(map(id, kept), kept, strict=True)).values()  # those that nodes share once
    return (
        *_other_members(trace, attributes),
        *_nothing_to_send(trace, attributes),
        *_nanoseconds(trace),
        *_idle(trace),
    )


def _other_members(trace: Trace, attributes: Attributes) -> Iterator[str]:
    members = {(name, attribute.member) for one in attributes for name, attribute in one.items()}
    for name, member in _READ_IN_2024.items():
        if all(other == member for of, other in members if of == name):
            continue

        def elsewhere(node: Node, name: str = name, member: str = member) -> bool:
            attribute = node.attributes.get(name)
            return attribute is not None and attribute.member != member

        found = _found(trace, elsewhere, name)
        if found is None:
            continue
        count, where, node = found
        used = node.attributes[name].member
        why = " A collective then has 0 bytes: so did those whose times the MICRO'24 tutorial prints."
        yield (
            f"{name} of {count} is a {used} (first {where}). ASTRA-sim's reader of 2025 converts it; the one of the "
            f"MICRO'24 tutorial reads {member} only and takes 0 for all else.{why if name == 'comm_size' else ''}"
        )


def _nothing_to_send(trace: Trace, attributes: Attributes) -> Iterator[str]:
    if all(one["comm_size"].value for one in attributes if "comm_size" in one):
        return

    def nothing(node: Node) -> bool:
        kind, size = node.attributes.get("comm_type"), node.attributes.get("comm_size")
        replayed = node.type is NodeType.COMM_COLL_NODE and kind is not None and kind.value == CommType.BROADCAST
        return node.type in _COMMUNICATION and size is not None and not size.value and not replayed

    if found := _found(trace, nothing):
        count, where, _ = found
        yield f"0 bytes are communicated by {count} (first {where}): of them only latency is left. Is comm_size wrong?"


def _nanoseconds(trace: Trace) -> Iterator[str]:
    texts = {attribute.value for one in trace.metadata if (attribute := one.attributes.get("input_file"))}
    noted = {word for text in texts if isinstance(text, str) for word in text.split()}

    def copied(node: Node) -> bool:
        return node.type is NodeType.COMP_NODE and node.duration_micros > 0 and str(node.duration_micros) in noted

    def long(node: Node) -> bool:
        return node.type is NodeType.COMP_NODE and node.duration_micros >= _MINUTE

    if noted and (found := _found(trace, copied)):
        count, where, node = found
        yield (
            f"duration_micros of {count} is a number of the text workload that Chakra's converter made the trace of "
            f"(first {where}, {node.duration_micros}). There it is in ns: the converter copies it as µs, so that "
            "computing takes 1000 times as long and communication seems to cost nothing."
        )
        return
    longest = max((max(map(_DURATION, nodes), default=0) for nodes in trace.templates.templates), default=0)
    if longest >= _MINUTE and (found := _found(trace, long)):
        count, where, node = found
        yield (
            f"a minute or longer is computed by each of {count} (first {where}, "
            f"{format_ns(node.duration_micros * 1000)}). "
            f"duration_micros is in µs; if {node.duration_micros} is meant in ns, divide it by 1000."
        )


def _idle(trace: Trace) -> Iterator[str]:
    shared = trace.templates
    idle = [npu for nodes, npus in zip(shared.templates, shared.members, strict=True) if not nodes for npu in npus]
    if idle:
        npus = f"{len(idle)} of {trace.npus} NPUs have" if len(idle) > 1 else "one NPU has"
        yield f"{npus} no nodes (first {trace.where(min(idle))}): done at 0 ns. Was its trace cut off?"


def _found(trace: Trace, accident: Callable[[Node], bool], name: str = "") -> tuple[str, str, Node] | None:
    """("how many nodes", where the first is, the first); None where there is none. name: of an attribute without which,
    or with 0, it is none.
    """
    first: tuple[int, int] | None = None
    total = 0
    shared = trace.templates
    for template, nodes in enumerate(shared.templates):
        for place, node in enumerate(nodes):
            if accident(node):
                count, npu = _not_0(shared, template, node, name)
                total += count
                first = min(first or (npu, place), (npu, place)) if count else first
    if first is None:
        return None
    npu, place = first
    node = trace.nodes[npu][place]
    return f"{total} node{'s' if total > 1 else ''}", f"{trace.where(npu)}, {node.label}", node


def _not_0(shared: SharedNodes, template: int, node: Node, name: str) -> tuple[int, int]:
    """(on how many of a template's NPUs an attribute of a node isn't 0, the first of them). All NPUs without a name."""
    npus = shared.members[template]
    value, step = node.attributes[name].value if name else 1, _step(shared, template, node, name)
    if not npus or not (value or step):
        return 0, -1
    past, left = divmod(-value, step) if step else (0, 1)
    zero = shared.first[template] + past
    if left or not 0 <= zero < len(shared) or shared.of[zero] != template:
        return len(npus), npus[0]
    return len(npus) - 1, next((npu for npu in npus if npu != zero), -1)


def _step(shared: SharedNodes, template: int, node: Node, name: str) -> int:
    """By how much an attribute of a message is larger for each further NPU."""
    if node.type not in MESSAGES or type(node.attributes[name].value if name else None) is not int:
        return 0
    if name in ENDS:
        return int(shared.shifts)
    steps = shared.steps[template] if shared.steps else {}
    return steps[node.id].tag if name == "comm_tag" and node.id in steps else 0
