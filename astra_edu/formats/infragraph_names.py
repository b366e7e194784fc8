"""Names in InfraGraph: components with Python slices, spelled out as "server.0.nic.1"."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import product

from astra_edu.base.errors import ConfigError

MOST_PARTS = 1_000_000

_SEGMENT = re.compile(r"([^\[\].]+)(?:\[([^\[\]]*)\])?")
_SLICE = re.compile(r"(-?\d*)(:-?\d*)?(:-?\d*)?")


def segment(text: str, where: str) -> tuple[str, str | None]:
    """(name, what is in its brackets, or None) of "nic[0:2]"."""
    match = _SEGMENT.fullmatch(text.strip())
    if not match:
        raise ConfigError(f"{where}: {text!r:.60} is no name with a slice, such as nic[0:2].")
    return match[1], match[2]


def indexes(slice_text: str | None, count: int, where: str) -> list[int]:
    """The numbers that a slice takes of `count`: "", ":", "0", "0:2", "::2"; all where there is none."""
    if slice_text is None or slice_text.strip() in ("", ":"):
        return list(range(count))
    if not _SLICE.fullmatch(slice_text.strip()):
        raise ConfigError(f"{where}: [{slice_text:.60}] is no index and no slice, such as [0] or [0:2].")
    parts = [int(part) if part else None for part in slice_text.strip().split(":")]
    if len(parts) == 1:
        found = [parts[0]] if parts[0] is not None else []
    else:
        start, stop, *step = parts
        if step and step[0] is not None and step[0] <= 0:
            raise ConfigError(f"{where}: the step of [{slice_text}] must be 1 or more.")
        taken = range(start or 0, count if stop is None else stop, (step[0] if step else None) or 1)
        found = list(taken[: count + 1])
    if outside := [number for number in found if number is None or not 0 <= number < count]:
        raise ConfigError(f"{where}: [{slice_text}] asks for number {outside[0]}; there are 0 to {count - 1}.")
    return [number for number in found if number is not None]


def expanded(text: str, where: str) -> list[str]:
    """A node of an annotation: "server.0.xpu.1" as it is, "server[0:2]xpu[0]" spelled out."""
    if "[" not in text:
        return [text]
    found, many = [], 1
    for name, inside in re.findall(r"\.?([^\[\].]+)\[([^\[\]]*)\]", text):
        bounds = inside.split(":")
        if not all(part.isdigit() for part in bounds) or len(bounds) > 2:
            raise ConfigError(f"{where}: {text!r:.60} needs whole numbers in its brackets, such as server[0:2].")
        start, stop = int(bounds[0]), int(bounds[-1]) + (len(bounds) == 1)
        many *= max(0, stop - start)
        if many > MOST_PARTS:
            raise ConfigError(f"{where}: {text!r:.60} stands for over {MOST_PARTS:,} components.")
        found.append([f"{name}.{number}" for number in range(start, stop)])
    return [".".join(parts) for parts in product(*found)]


def stem(node: str) -> str:
    """The instance of a full name."""
    return node.partition(".")[0]


def paths(counts: Mapping[str, int], parts: list[tuple[str, str | None]], where: str) -> list[str]:
    """All that a path of names with slices stands for. counts: of each name, how many there are."""
    each = [[f"{name}.{i}" for i in indexes(inside, counts[name], where)] for name, inside in parts]
    return [".".join(one) for one in product(*each)]
