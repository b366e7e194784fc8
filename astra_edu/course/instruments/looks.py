"""What things look like in every instrument: a colour on light and on dark paper, and a hatch beside it."""

from __future__ import annotations

LOOKS: dict[str, tuple[str, str, str]] = {
    "weights": ("#9ecbe8", "#2f6f9c", ""),
    "parameters": ("#9ecbe8", "#2f6f9c", ""),
    "gradients": ("#f6c98b", "#8f5f12", "/"),
    "optimiser state": ("#cbb9e8", "#64499c", "\\"),
    "activations": ("#a9dcc3", "#2b7355", "."),
    "partial sums": ("#f8cfa6", "#8a4a14", "x"),
    "complete": ("#a9dcc3", "#2b7355", ""),
    "compute": ("#87c5a0", "#2f7d52", ""),
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
    "begins here": ("#a9dcc3", "#2b7355", ""),
    "comes later": ("#cfe3b4", "#5c7a2c", "-"),
    "sends": ("#f6c98b", "#8f5f12", "/"),
    "queues for the server": ("#f3e08c", "#7d6c14", "."),
    "waits for others": ("#d4d4d4", "#55585e", "x"),
    "bulk-synchronous": ("#cbb9e8", "#64499c", ""),
    "bounded staleness": ("#f2a58a", "#a04a2a", "/"),
    "asynchronous": ("#a9dcc3", "#2b7355", "-"),
}
"""name: (on light, on dark, hatch). The text on the first is dark, on the second light."""
