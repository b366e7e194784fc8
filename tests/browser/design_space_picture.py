"""What is drawn of a design space, read back: axes by their ticks, points and lines by where they are."""

from __future__ import annotations

import math
import re
from typing import Any

from browser.looking import drawn

CIRCLE = re.compile(r"M(-?[\d.]+) (-?[\d.]+)a([\d.]+)")
DIAMOND = re.compile(r"M(-?[\d.]+) (-?[\d.]+)l([\d.]+)")
STRAND = re.compile(r"M(\d+) (\d+)L(\d+) (\d+)")
TIMES = {"k": 1e3, "M": 1e6, "G": 1e9}
UNITS = {"ns": 1, "µs": 1e3, "ms": 1e6}


def number(tick: str) -> float:
    """What a tick says."""
    by = TIMES.get(tick[-1], 1)
    return by * float(tick.rstrip("kMG").replace(",", ""))


def along(ticks: list[tuple[float, float]], log: bool, value: float) -> float:
    """Where a value stands, by the first and the last tick: (place, value) of each."""
    scale = math.log if log else float
    (a, low), (b, high) = ticks[0], ticks[-1]
    return a + (b - a) * (scale(value) - scale(low)) / (scale(high) - scale(low))


class Scatter:
    """The Pareto frontier's picture."""

    def __init__(self, page: Any) -> None:
        self.back = drawn(page, ".astra-design_space .astra-plot canvas:nth-of-type(1)")
        self.front = drawn(page, ".astra-design_space .astra-plot canvas:nth-of-type(2)")
        words = [(e["text"], e["box"]) for e in self.back if e["what"] == "text"]
        self.titles = {text: box for text, box in words if "better" in text}
        size = [next((UNITS[u] for u in UNITS if f", {u} (" in title), 1) for title in self.titles]
        ticks = [(text, box) for text, box in words if "better" not in text]
        bottom = max(box[1] for _, box in ticks)
        self.x = sorted((b[0] + b[2] / 2, size[1] * number(t)) for t, b in ticks if b[1] == bottom)
        self.y = sorted((b[1] + 6, size[0] * number(t)) for t, b in ticks if b[1] < bottom)

    def points(self, entries: list[dict[str, Any]]) -> tuple[list[tuple[float, float]], list[tuple[float, float]]]:
        """The middles of circles, and of diamonds."""
        paths = "".join(e["path"] for e in entries if e["what"] == "shape")
        circles = [(float(x) + float(r), float(y)) for x, y, r in CIRCLE.findall(paths)]
        return circles, [(float(x), float(y) + float(r)) for x, y, r in DIAMOND.findall(paths)]

    @property
    def ring(self) -> tuple[float, float] | None:
        """Around which place a ring is."""
        rings = [e["path"] for e in self.front if e["what"] == "stroke"]
        return (float((m := CIRCLE.match(rings[0]))[1]) + float(m[3]), float(m[2])) if rings else None

    @property
    def line(self) -> str:
        """The frontier's line."""
        return next(e["path"] for e in self.back if e["what"] == "stroke")


def strands(entries: list[dict[str, Any]]) -> list[tuple[set[tuple[int, ...]], str, float]]:
    """For each pair of neighbouring axes: its lines as (x, y, x, y), their colour and how wide they are."""
    found = []
    for entry in entries:
        if entry["what"] == "stroke" and "L" in entry["path"]:
            lines = {tuple(map(int, line)) for line in STRAND.findall(entry["path"])}
            found.append((lines, entry["style"], entry["wide"]))
    return found
