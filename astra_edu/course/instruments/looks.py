"""What things look like in every instrument: a colour on light and on dark paper, and a hatch beside it."""

from __future__ import annotations

from astra_edu.course.algorithm_looks import FAMILIES

LOOKS: dict[str, tuple[str, str, str]] = {
    "weights": ("#9ecbe8", "#2f6f9c", ""),
    "parameters": ("#9ecbe8", "#2f6f9c", ""),
    "gradients": ("#f6c98b", "#8f5f12", "/"),
    "optimiser state": ("#cbb9e8", "#64499c", "\\"),
    "activations": ("#a9dcc3", "#2b7355", "."),
    "partial sums": ("#f8cfa6", "#8a4a14", "x"),
    "complete": ("#a9dcc3", "#2b7355", ""),
    "compute": ("#87c5a0", "#2f7d52", ""),
    "forward": ("#87c5a0", "#2f7d52", ""),
    "backward": ("#f6c98b", "#8f5f12", "/"),
    "computed again": ("#cfe3b4", "#5c7a2c", "-"),
    "tensor group": ("#f2a58a", "#a04a2a", "/"),
    "data group": ("#9ecbe8", "#2f6f9c", "\\"),
    "bubble and transfers": ("#d4d4d4", "#55585e", "."),
    "update": ("#cbb9e8", "#64499c", "x"),
    "embeddings": ("#f3e08c", "#7d6c14", "-"),
    "reduce-scatter": ("#f8cfa6", "#8a4a14", "/"),
    "all-gather": ("#9ecbe8", "#2f6f9c", "\\"),
    "all-reduce": ("#cbb9e8", "#64499c", "x"),
    "whole run": ("#d4d4d4", "#55585e", ""),
    "links in a node": ("#a9dcc3", "#2b7355", ""),
    "links between nodes": ("#f2a58a", "#a04a2a", "/"),
    "NPUs": ("#d4d4d4", "#55585e", "."),
    "message": ("#f3e08c", "#7d6c14", ""),
    "wrong": ("#f28e8e", "#b3261e", "x"),
    "bytes on links": ("#9ecbe8", "#2f6f9c", "\\"),
    "waiting to start": ("#d4d4d4", "#55585e", "."),
    "begins here": ("#a9dcc3", "#2b7355", ""),
    "comes later": ("#cfe3b4", "#5c7a2c", "-"),
    "own data": ("#9ecbe8", "#2f6f9c", ""),
    "received": ("#f6c98b", "#8f5f12", "/"),
    "read from HBM": ("#f2a58a", "#a04a2a", "/"),
    "written to HBM": ("#cbb9e8", "#64499c", "x"),
    "sent": ("#d4d4d4", "#55585e", "."),
    "left for training": ("#87c5a0", "#2f7d52", ""),
    "communication": ("#f2a58a", "#a04a2a", "/"),
    "exposed communication": ("#f2a58a", "#a04a2a", "/"),
    "here": ("#9ecbe8", "#2f6f9c", ""),
    "published": ("#f3e08c", "#7d6c14", "-"),
    "can be sent": ("#a9dcc3", "#2b7355", "."),
    **{name: (*family.pale, family.hatch) for name, family in FAMILIES.items()},
    "remote memory": ("#f6c98b", "#8f5f12", "/"),
    "out-node fabric": ("#e3bcd4", "#8a3f6c", "-"),
    "in-node fabric": ("#9ecbe8", "#2f6f9c", "\\"),
    "NPU": ("#e4e6ea", "#4b4f57", ""),
    "link": ("#b9bcc2", "#6b6f78", ""),
    "slowest stage": ("#f2a58a", "#b5432a", "x"),
}
"""name: (on light, on dark, hatch); also of each family of algorithms, such as "ring".

The text on the first is dark, on the second light.
"""
