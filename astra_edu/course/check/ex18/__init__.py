"""Checks for exercise 18, incast: which buffer collapses, what a timeout costs, and a cure."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from astra_edu.base.units import KIB
from astra_edu.course.check.asked import Answer, call, listed
from astra_edu.course.check.ex18.cases import (
    BUFFERS,
    LINUX,
    PACKET,
    SENDERS,
    collapsing,
    incast,
    link_ns,
)
from astra_edu.course.check.judge import judge, prediction
from astra_edu.course.check.mistake import Mistake
from astra_edu.course.check.question import guess, question
from astra_edu.course.check.verdict import NoAnswerError, Verdict
from astra_edu.network.drops import Packets

__all__ = ["collapses", "cured", "most_senders", "predicted_factor", "silent_ms", "transfer_us"]

CROWD = 32
SMALL = replace(LINUX, buffer=64 * KIB)
FAST = 1.3


@guess
def predicted_factor(answer: Answer) -> Verdict:
    """A guess: how many times as long the incast of 8 senders takes with 64 KiB of room as with room for everything."""
    factor = incast(SENDERS, SMALL).total_ns / incast(SENDERS, replace(LINUX, buffer=None)).total_ns
    return prediction(answer, factor, "times", "Some packets are dropped, and TCP waits for 200 ms until it notices.")


@question
def transfer_us(answer: Answer) -> Verdict:
    """transfer_us(senders, size, gbit_s): how long the receiver's link takes for what all send, in µs."""

    def right(senders: int, size: int, gbit_s: float) -> float:
        return senders * size * 8 / gbit_s / 1000

    return judge(
        answer,
        right,
        [
            {"senders": senders, "size": size, "gbit_s": gbit_s}
            for senders, size, gbit_s in ((8, 65_536, 10), (2, 1_000_000, 25), (32, 262_144, 100))
        ],
        [
            Mistake(
                lambda senders, size, gbit_s: right(1, size, gbit_s),
                "That is one sender's message. All of them share the receiver's link.",
            ),
            Mistake(
                lambda senders, size, gbit_s: right(senders, size, gbit_s) / 8,
                "A byte has 8 bits, and the link's speed is in bits a second.",
            ),
            Mistake(
                lambda senders, size, gbit_s: right(senders, size, gbit_s) / 64,
                "You divided by 8 where you should multiply: a byte has 8 bits.",
            ),
            Mistake(
                lambda senders, size, gbit_s: right(senders, size, gbit_s) * 1e9 / 2**30,
                "Network speeds are in powers of ten: a Gbit/s is 10⁹ bits a second.",
            ),
            Mistake(
                lambda senders, size, gbit_s: 2 * right(senders, size, gbit_s),
                "Packets don't wait at the switch for the rest of their message: while one is on the last link, the "
                "next is on the first. The last link alone counts.",
            ),
        ],
        "Right: nothing makes it shorter than that, and without losses it takes little more.",
        unit="µs",
    )


@question
def most_senders(answer: Answer) -> Verdict:
    """most_senders(buffer, window): how many senders' first windows fit into a buffer."""

    def right(buffer: int, window: int) -> int:
        return buffer // (window * PACKET)

    return judge(
        answer,
        right,
        [
            {"buffer": kib * KIB, "window": window}
            for kib, window in ((32, 10), (64, 10), (128, 10), (256, 4), (512, 10), (1024, 2))
        ],
        [
            Mistake(
                lambda buffer, window: buffer / (window * PACKET),
                "A number of senders is whole: part of a window that doesn't fit is a loss.",
            ),
            Mistake(
                lambda buffer, window: -(-buffer // (window * PACKET)),
                "You rounded up: the last sender's window doesn't fit any more.",
            ),
            Mistake(
                lambda buffer, window: buffer // PACKET,
                "Those are packets. Each sender sends a window of them at once.",
            ),
            Mistake(
                lambda buffer, window: buffer // (window * 1448),
                "A packet has more than its payload: headers and framing need room as well.",
            ),
            Mistake(
                lambda buffer, window: buffer // (window * 1500),
                "1,500 bytes is what a packet has without the 38 bytes of framing that a link and a queue count.",
            ),
            Mistake(
                lambda buffer, window: buffer // KIB * 1000 // (window * PACKET), "A KiB has 1,024 bytes, not 1,000."
            ),
        ],
        "Right: with more senders than that the first round trip drops packets. Windows grow, so it is no promise.",
    )


@question
def silent_ms(answer: Answer) -> Verdict:
    """silent_ms(timeouts, rto_ms): for how long a sender is silent that meets several timeouts in a row."""

    def right(timeouts: int, rto_ms: float) -> float:
        return float((2**timeouts - 1) * rto_ms)

    return judge(
        answer,
        right,
        [
            {"timeouts": timeouts, "rto_ms": rto_ms}
            for timeouts, rto_ms in ((1, 200), (2, 200), (3, 1), (4, 1), (4, 10), (6, 200))
        ],
        [
            Mistake(
                lambda timeouts, rto_ms: timeouts * rto_ms,
                "All of yours are as long as the first. Each time that nothing is heard it waits twice as long.",
            ),
            Mistake(
                lambda timeouts, rto_ms: 2 ** (timeouts - 1) * rto_ms,
                "That is the last wait alone; those before it count as well.",
            ),
            Mistake(
                lambda timeouts, rto_ms: 2**timeouts * rto_ms, "That is how long the next wait would be, after these."
            ),
            Mistake(
                lambda timeouts, rto_ms: (2 ** (timeouts + 1) - 1) * rto_ms,
                "The first wait is the timeout itself, not twice that.",
            ),
            Mistake(
                lambda timeouts, rto_ms: (2 ** (timeouts + 1) - 2) * rto_ms,
                "The first wait is the timeout itself, not twice that.",
            ),
        ],
        "Right: 1, 3, 7, 15 timeouts' time. Look for these numbers in measured times.",
        unit="ms",
    )


@question
def collapses(answer: Answer) -> Verdict:
    """collapses(): the buffers of BUFFERS (KiB) with which the incast of 8 senders takes 10 times its link's time."""
    try:
        said = call(answer, {})
        given = list(said) if isinstance(said, set) else listed(said)
    except NoAnswerError as problem:
        return problem.verdict
    if given is None or any(isinstance(kib, bool) or kib not in BUFFERS for kib in given):
        return Verdict(False, f"Return a list of some of {', '.join(map(str, BUFFERS))} (KiB).")
    chosen, truth = set(given), set(collapsing())
    if chosen == truth:
        return Verdict(True, "Right: one timeout is enough, whether ten packets are lost for good or one.")
    first = SENDERS * LINUX.initial_window * PACKET / KIB
    if not chosen:
        return Verdict(False, "None? Notebook 21's drops and a timeout of 200 ms against a link's 0.42 ms: try it.")
    if chosen == set(BUFFERS):
        return Verdict(False, "Where everything that is on its way at once fits, nothing is lost at all.")
    if chosen == {kib for kib in BUFFERS if kib < first}:
        return Verdict(
            False,
            f"The first windows, {first:.0f} KiB, are not the most that is on its way: each acknowledgement lets "
            "further packets out.",
        )
    if chosen == {kib for kib in BUFFERS if kib < SENDERS * 64}:
        return Verdict(False, "Not all of the messages must fit at once: the link empties the buffer all the time.")
    wrong = min(chosen ^ truth)
    side = "collapses" if wrong in truth else "doesn't"
    return Verdict(False, f"{wrong} KiB {side}. Run it and look at the timeouts; also: can more room be worse?")


@question
def cured(answer: Answer) -> Verdict:
    """cured(network): ae.Packets in which 32 senders don't collapse, with the same buffer and the same timeout."""
    try:
        given = call(answer, {"network": SMALL})
    except NoAnswerError as problem:
        return problem.verdict
    if not isinstance(given, Packets):
        return Verdict(False, "Return an ae.Packets, such as replace(network, control='newreno').")
    if wrong := _not_allowed(given):
        return Verdict(False, wrong)
    if given == SMALL:
        return Verdict(False, "That is the network as it was.")
    result = incast(CROWD, given)
    factor = result.total_ns / link_ns(CROWD)
    if factor <= FAST:
        return Verdict(
            True, f"Right: {factor:.2f} times the link's time. Who sends less at once, or is paused, loses nothing."
        )
    said = result.statistics
    lost = f"{said['packets_dropped']} packets are dropped, and there are {said['timeouts']} timeouts"
    return Verdict(False, f"It takes {factor:,.1f} times the link's time; {FAST} are wanted. {lost}.")


def _not_allowed(given: Packets) -> str:
    """What was changed that the question leaves as it is, in words."""
    kept: dict[str, Any] = {
        "buffer": "The switch has 64 KiB for each port; that can't be changed.",
        "shared_alpha": "The switch has 64 KiB for each port; that can't be changed.",
        "min_rto_ns": "A shorter timeout hides the loss; find a way not to have one. min_rto_ns stays 200 ms.",
        "first_rto_ns": "Leave timeouts as they are.",
    }
    changed = {field.name for field in fields(Packets) if getattr(given, field.name) != getattr(SMALL, field.name)}
    return next((words for name, words in kept.items() if name in changed), "")
