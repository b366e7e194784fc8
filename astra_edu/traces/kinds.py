"""What a node of an execution trace does, in the words of every figure and timeline."""

from __future__ import annotations

from astra_edu.traces.node import COLLECTIVES, CommType, Node, NodeType
from astra_edu.traces.outline import Unit, unit_of

OTHER = "other collectives"


def kind_of(node: Node) -> str:
    """ "compute", "CPU", "send", "receive", "memory access", a collective's name, "note", or "other collectives".

    >>> import astra_edu as ae
    >>> kind_of(ae.traces.collective("all_reduce", bytes=4096, npus=4).nodes[0][0])
    'all-reduce'
    """
    if node.type in (NodeType.METADATA_NODE, NodeType.INVALID_NODE):
        return "note"
    if unit_of(node) is Unit.CPU:
        return "CPU"
    match node.type:
        case NodeType.COMP_NODE:
            return "compute"
        case NodeType.COMM_SEND_NODE:
            return "send"
        case NodeType.COMM_RECV_NODE:
            return "receive"
        case NodeType.MEM_LOAD_NODE | NodeType.MEM_STORE_NODE:
            return "memory access"
    if node.comm_type is CommType.BROADCAST:
        return "broadcast"
    return COLLECTIVES[node.comm_type].value if node.comm_type in COLLECTIVES else OTHER
