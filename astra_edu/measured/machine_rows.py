"""What a row ran on, and in how many bits."""

from __future__ import annotations

import re
from dataclasses import replace

from astra_edu.base.errors import ConfigError
from astra_edu.measured.cells import Row, number, plain, text, whole
from astra_edu.measured.stacks import Stack
from astra_edu.workload.compute import Machine, machine
from astra_edu.workload.compute.machines import named_machine
from astra_edu.workload.compute.operator import near

FORMATS = (
    (r"fp8|float8|int8|mx8|e4m3|e5m2|hybrid|\b8", 8),
    (r"fp4|float4|\b4", 4),
    (r"16|half|mixed|amp", 16),
    (r"32|single", 32),
)
"""How number formats are written, in bits; the first that a row's precision has."""

CARDS = re.compile(
    r"(\d+)\s*[xX×*]\s*(\d+)\s*"
    r"(?:G(?:b(?![a-z])|(?![bB]))|(?i:gb?)(?=\s*(?i:(ro?ce|ib|infiniband|ethernet|efa|opa|hdr|ndr)\b))|(?i:gb(ps|e|it)))"
)
RATE = re.compile(r"(\d+)\s*(?:(?!GBps)(?i:g(?:bps|be|bit))|Gb?/s)")
"""A network in a machine's name: 4x100Gb, 4X100GB RoCE, or 400Gbps; memory is in GB, and its bandwidth in GB/s."""

LARGEST = 1024
"""NPUs of a computer that are proposed, at most."""
CHIPS = 8
"""MI250X in a computer, where each of a module's two chips is counted, as on Frontier."""


def bits_of(row: Row, stack: Stack, on: Machine) -> int:
    """Bits of the products' numbers. Where the row doesn't say, or says which may be (MLPerf's closed division), those
    of the stack that the machine has, else 16. Raises ConfigError for a format that isn't known.
    """
    precision = text(row, "precision")
    if not precision or "closed" in precision:
        bits = next((bits for pattern, bits in FORMATS if precision and re.search(pattern, precision)), stack.bits)
        return bits if bits in on.device.peaks else 16
    for pattern, bits in FORMATS:
        if re.search(pattern, precision):
            return bits
    raise ConfigError(f"precision is {precision}; fp32, bf16, fp16, fp8 and fp4 are known.")


def machine_of(row: Row) -> Machine:
    """What a row ran on, in nodes of gpus_per_node where these are no trays, with the network that its name has.

    Raises ConfigError for an unknown one.
    """
    if not text(row, "hardware"):
        raise ConfigError("hardware isn't given.")
    found = named_machine("hardware", plain(str(row["hardware"])))
    box = whole(row, "gpus_per_node", found.node)
    if found.name == "mi250x" and box == CHIPS:
        found = machine("mi250x-gcd")
    found = found if found.tray or found.wiring == "Torus" else replace(found, node=box)
    nic = nic_of(plain(str(row["hardware"])), found)
    return found if nic is None else replace(found, nic_bytes_per_s=nic)


def check_computers(row: Row, npus: int, on: Machine) -> None:
    """Raises ConfigError where a row's own computers can't have so many NPUs between them. Trays and tori needn't be
    used as a whole.
    """
    node = on.node
    if number(row, "gpus_per_node") is None or on.tray or on.wiring == "Torus" or npus <= node or npus % node == 0:
        return
    several = [each for each in range(1, min(2 * node, LARGEST) + 1) if npus % each == 0]
    raise ConfigError(
        f"gpus is {npus}, and computers of {node} have {npus // node * node} or {-(-npus // node) * node}; "
        f"gpus_per_node {near(node, several)} would do."
    )


def half_of(precision: str) -> str:
    """The format of 16 bits that words for a precision name; "" where they name none.

    >>> from astra_edu.measured.machine_rows import half_of
    >>> half_of("amp_bf16"), half_of("float16"), half_of("mixed"), half_of("fp8")
    ('bf16', 'fp16', '', '')
    """
    return next(
        (
            half
            for half, words in (("bf16", r"bf16|bfloat"), ("fp16", r"fp16|float16|half"))
            if re.search(words, precision)
        ),
        "",
    )


def nic_of(name: str, on: Machine) -> float | None:
    """Bytes/s of each NPU's network, one direction, where a machine's name says; of a computer, unless it says "per
    GPU" or has the rate of one NPU's own card.

    >>> from astra_edu.measured.machine_rows import nic_of
    >>> from astra_edu.workload.compute import machine
    >>> a100 = machine("a100")
    >>> [nic_of(name, a100) for name in ("A100-80GB, 4x100Gb RoCE per node", "A100 400Gbps", "A100 200Gbps", "A100")]
    [6250000000.0, 6250000000.0, 25000000000.0, None]
    """
    cards, rate = CARDS.search(name), RATE.search(name)
    if not cards and not rate:
        return None
    gigabits = int(cards[1]) * int(cards[2]) if cards else int(rate[1]) if rate else 0
    bytes_per_s = gigabits * 1e9 / 8
    each = re.search(r"per (gpu|npu|chip)", name.lower()) or (not cards and bytes_per_s == on.nic_bytes_per_s)
    found = bytes_per_s if each else bytes_per_s / (on.tray or on.node)
    return found if found > 0 else None
