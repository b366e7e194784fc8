"""Exercise 16's laws: what no run can be below or above, and which of them a card breaks."""

from __future__ import annotations

from collections.abc import Mapping

from astra_edu.course.check.ex16.card import Card

LAWS = ("operations", "bytes", "memory", "pipeline")
"""What each is about: the peak, the links, what is kept, who waits for whom."""


def most_tokens_per_s(flops_per_token: float, bits: int, peaks: Mapping[int, float]) -> float:
    """Tokens/s of an NPU at its peak for numbers of so many bits, in TFLOP/s."""
    return peaks[bits] * 1e12 / flops_per_token


def least_exchange_ms(gradient_bytes: float, copies: int, gbit_s: float) -> float:
    """ms in which a network card has sent what an all-reduce among the copies needs."""
    return 2 * (copies - 1) / copies * gradient_bytes / (gbit_s / 8 * 1e9) * 1e3


def least_state_gb(
    parameters: float,
    tensor: int,
    pipeline: int,
    copies: int,
    zero: int,
    each: tuple[float, float, float] = (2, 2, 12),
) -> float:
    """10⁹ bytes of model state. each: bytes of a parameter, its gradient and its optimiser state."""
    shared = (size / (copies if zero >= stage else 1) for size, stage in zip(each, (3, 2, 1), strict=True))
    return sum(shared) * parameters / (tensor * pipeline) / 1e9


def least_iteration_ms(pass_ms: float, pipeline: int, virtual: int, micro_batches: int) -> float:
    """ms in which every micro-batch has been through all stages, forwards and backwards."""
    return (micro_batches + (pipeline - 1) / virtual) * pass_ms


def bounds(card: Card) -> dict[str, tuple[float, float]]:
    """For each law of which the card says enough: (what it claims, what that can be at most or at least).

    >>> from astra_edu.course.check.ex16.laws import bounds
    >>> from astra_edu.course.check.ex16.sets import cards
    >>> [sorted(bounds(card)) for card in cards(1) if card.measured]
    [['operations']]
    """
    found = {"operations": (card.tokens_per_s, most_tokens_per_s(card.flops_per_token, card.bits, card.peaks))}
    if card.exchange_ms is not None:
        least = least_exchange_ms(card.gradient_bytes, card.copies, card.gbit_s)
        found["bytes"] = (card.exchange_ms, least)
    if card.state_gb is not None:
        least = least_state_gb(card.parameters, card.tensor, card.pipeline, card.copies, card.zero)
        found["memory"] = (card.state_gb, least)
    if card.pass_ms is not None:
        least = least_iteration_ms(card.pass_ms, card.pipeline, card.virtual, card.micro_batches)
        found["pipeline"] = (card.iteration_ms, least)
    return found


def broken(card: Card) -> str:
    """The law that a card breaks, "" if it breaks none."""
    for law, (claimed, bound) in bounds(card).items():
        if claimed > bound if law == "operations" else claimed < bound:
            return law
    return ""
