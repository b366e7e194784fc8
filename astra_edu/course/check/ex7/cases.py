"""The cases of exercise 7: three blocks of GPT-3 on 16 × 16 NPUs, with more and fewer tokens at a time."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from astra_edu.base.errors import choice
from astra_edu.network import Dimension
from astra_edu.run.simulate import simulate
from astra_edu.system import Platform, SystemConfig
from astra_edu.workload.models import Model, transformer
from astra_edu.workload.strategies import Strategy, communications, generate_workload

GROUP = 16
INSIDE, BETWEEN = 150, 50  # GB/s
ORDERS = ("tensor-first", "data-first")

CASES = {
    "A": ("16 sequences of 2,048 tokens", 16, 2048),
    "B": ("1 sequence of 512 tokens", 1, 512),
    "C": ("1 sequence of 2,048 tokens", 1, 2048),
}
"""What each group of 16 trains on at once: in words, sequences, tokens."""

PLATFORM = Platform(
    (Dimension.of("Switch", GROUP, INSIDE, 500), Dimension.of("Switch", GROUP, BETWEEN, 500)),
    SystemConfig.of("halvingDoubling_halvingDoubling"),
)
"""16 machines of 16 NPUs: 150 GB/s inside, 50 GB/s between them."""


def bytes_of(case: str) -> tuple[float, float]:
    """What an NPU sends in its tensor group, and among the copies."""
    _, sequences, tokens = CASES[choice("case", case, CASES)]
    sent = communications(_blocks(tokens), Strategy(data=GROUP, tensor=GROUP, micro_batch=sequences))
    tensor, data = (sum(one.sent_bytes for one in sent if one.group == group) for group in ("tensor", "data"))
    return tensor, data


@cache
def time_ns(case: str, order: str) -> float:
    """How long an iteration takes on V100s, by the same kind of loop in both orders."""
    _, sequences, tokens = CASES[choice("case", case, CASES)]
    strategy = Strategy(data=GROUP, tensor=GROUP, micro_batch=sequences, placement=choice("order", order, ORDERS))
    work = generate_workload(_blocks(tokens), strategy, "v100")
    if order == "tensor-first":
        work = replace(work, loop="HYBRID_DATA_MODEL", options=())
    return simulate(work, PLATFORM, progress=False).total_ns


@cache
def _blocks(tokens: int) -> Model:
    return transformer("3 blocks", hidden=12_288, heads=96, blocks=3, sequence=tokens, vocabulary=50_257)
