"""A card of exercise 16: a training run, and what somebody says of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from astra_edu.course.plots import text_table


@dataclass(frozen=True, repr=False)
class Card:
    """What is known of a run, and behind that what is claimed. None: the sheet doesn't say.

    measured: whether it is a row of `measured.runs()`. bits: of the numbers that are multiplied. peaks: TFLOP/s of an
    NPU, dense, by these bits. flops_per_token: of training, forwards and backwards, nothing twice. parameters: of the
    model. tensor, pipeline, virtual, copies: sizes of groups, zero: ZeRO's stage. micro_batches: of a copy.
    gradient_bytes: what an NPU exchanges with the copies. gbit_s: of its network card, in 10⁹ bits/s. pass_ms: a
    micro-batch in the fastest stage, forwards and backwards.

    Claimed: tokens_per_s of an NPU, iteration_ms, mfu, exchange_ms (the exchange of gradients by itself, hidden or not)
    and state_gb (10⁹ bytes of parameters, gradients and optimiser state on the NPU that keeps most).
    """

    name: str
    number: int
    source: str
    job: str
    measured: bool
    bits: int
    peaks: Mapping[int, float]
    flops_per_token: float
    parameters: float
    tensor: int
    pipeline: int
    virtual: int
    copies: int
    zero: int
    micro_batches: int
    gradient_bytes: float
    gbit_s: float
    tokens_per_s: float
    iteration_ms: float
    pass_ms: float | None = None
    mfu: float | None = None
    exchange_ms: float | None = None
    state_gb: float | None = None

    def __repr__(self) -> str:
        return f"<card {self.name} of set {self.number}>"


def sheet(cards: Sequence[Card]) -> str:
    """All cards side by side, as text.

    >>> from astra_edu.course.check import ex16
    >>> print(ex16.sheet(ex16.cards(1)).splitlines()[0].split())
    ['A', 'B', 'C', 'D', 'E']
    """

    def shown(value: float | None, form: str, unit: str = "") -> str:
        return "-" if value is None else f"{value:{form}}{unit}"

    rows = [
        ["bits of a number", *(str(card.bits) for card in cards)],
        ["peak for these (TFLOP/s)", *(f"{card.peaks[card.bits]:,.0f}" for card in cards)],
        ["10⁹ operations a token", *(f"{card.flops_per_token / 1e9:,.1f}" for card in cards)],
        ["10⁹ parameters", *(f"{card.parameters / 1e9:,.1f}" for card in cards)],
        ["tensor × stages × copies", *(f"{card.tensor} × {card.pipeline} × {card.copies}" for card in cards)],
        ["virtual stages", *(str(card.virtual) for card in cards)],
        ["ZeRO", *("-" if card.measured else str(card.zero) for card in cards)],
        ["micro-batches of a copy", *(str(card.micro_batches) for card in cards)],
        ["a micro-batch, one stage (ms)", *(shown(card.pass_ms, ",.2f") for card in cards)],
        ["10⁹ bytes of gradients", *(f"{card.gradient_bytes / 1e9:,.2f}" for card in cards)],
        ["network card (Gbit/s)", *(f"{card.gbit_s:,.0f}" for card in cards)],
        ["CLAIMED tokens/s of an NPU", *(f"{card.tokens_per_s:,.1f}" for card in cards)],
        ["CLAIMED MFU", *(shown(card.mfu, ".1%") for card in cards)],
        ["CLAIMED iteration (ms)", *(f"{card.iteration_ms:,.1f}" for card in cards)],
        ["CLAIMED exchange (ms)", *(shown(card.exchange_ms, ",.2f") for card in cards)],
        ["CLAIMED model state (10⁹ bytes)", *(shown(card.state_gb, ",.2f") for card in cards)],
    ]
    jobs = "\n".join(f"{card.name}  {card.job}\n   {card.source}" for card in cards)
    return f"{text_table(['', *(card.name for card in cards)], rows)}\n\n{jobs}"
