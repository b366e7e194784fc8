"""Right and wrong answers of exercise 18."""

from dataclasses import replace

import pytest

pytest.importorskip("networkx")


def transfer(senders, size, gbit_s):
    return senders * size * 8 / (gbit_s * 1e9) * 1e6


def fit(buffer, window):
    senders = 0
    while (senders + 1) * window * 1538 <= buffer:
        senders += 1
    return senders


def silent(timeouts, rto_ms):
    return sum(rto_ms * 2**k for k in range(timeouts))


def changed(**settings):
    return lambda network: replace(network, **settings)


# check: (right answers, [(a wrong one, words of what it is told)])
QUESTIONS = {
    "transfer_us": (
        [transfer],
        [
            (lambda senders, size, gbit_s: transfer(1, size, gbit_s), "share the receiver's link"),
            (lambda senders, size, gbit_s: transfer(senders, size, gbit_s) / 8, "A byte has 8 bits"),
            (lambda senders, size, gbit_s: transfer(senders, size, gbit_s) / 64, "should multiply"),
            (lambda senders, size, gbit_s: transfer(senders, size, gbit_s) * 1e9 / 2**30, "powers of ten"),
            (lambda senders, size, gbit_s: 2 * transfer(senders, size, gbit_s), "The last link alone"),
            (lambda senders, size, gbit_s: transfer(senders, size, gbit_s) / 1000, "That is in ms"),
            (lambda senders, size, gbit_s: 1 + transfer(senders, size, gbit_s), "too large"),
        ],
    ),
    "most_senders": (
        [fit],
        [
            (lambda buffer, window: buffer / (window * 1538), "whole"),
            (lambda buffer, window: fit(buffer, window) + 1, "rounded up"),
            (lambda buffer, window: buffer // 1538, "Those are packets"),
            (lambda buffer, window: buffer // (window * 1448), "more than its payload"),
            (lambda buffer, window: buffer // (window * 1500), "framing"),
            (lambda buffer, window: buffer // 1024 * 1000 // (window * 1538), "1,024 bytes"),
            (lambda buffer, window: 2 * fit(buffer, window), "too large"),
        ],
    ),
    "silent_ms": (
        [silent],
        [
            (lambda timeouts, rto_ms: timeouts * rto_ms, "twice as long"),
            (lambda timeouts, rto_ms: 2 ** (timeouts - 1) * rto_ms, "the last wait alone"),
            (lambda timeouts, rto_ms: 2**timeouts * rto_ms, "the next wait"),
            (lambda timeouts, rto_ms: 2 * silent(timeouts, rto_ms), "not twice that"),
            (lambda timeouts, rto_ms: silent(timeouts + 1, rto_ms), "not twice that"),
            (lambda timeouts, rto_ms: silent(timeouts, rto_ms) / 1000, "in seconds"),
            (lambda timeouts, rto_ms: silent(timeouts, rto_ms) + 1, "too large"),
        ],
    ),
    "collapses": (
        [lambda: [16, 32, 64, 128], lambda: (128, 64, 32, 16), lambda: {16, 32, 64, 128}],
        [
            (lambda: [], "None"),
            (lambda: [16, 32, 64, 128, 256, 512], "nothing is lost at all"),
            (lambda: [16, 32, 64], "are not the most"),
            (lambda: [16, 32, 64, 128, 256], "Not all of the messages"),
            (lambda: [16, 32], "64 KiB collapses"),
            (lambda: [32, 64, 128], "16 KiB collapses"),
            (lambda: [16, 32, 64, 128, 512], "512 KiB doesn't"),
            (lambda: [48], "Return a list"),
            (lambda: "all", "Return a list"),
            (lambda: 64, "Return a list"),
        ],
    ),
    "cured": (
        [changed(pfc_xoff="32 KiB"), changed(window=1538), changed(pfc_xoff="32 KiB", control="none")],
        [
            (changed(), "as it was"),
            (changed(buffer="1 MiB"), "can't be changed"),
            (changed(buffer=None), "can't be changed"),
            (changed(min_rto_ns=1_000_000), "hides the loss"),
            (changed(first_rto_ns=1), "Leave timeouts"),
            (changed(shared_alpha=8), "can't be changed"),
            (changed(control="newreno"), "timeouts"),
            (changed(control="dctcp", ecn_kmin="30 KiB"), "1.3 are wanted"),
            (changed(initial_window=1), "packets are dropped"),
            (lambda network: None, "Return an ae.Packets"),
            (lambda network: "pfc", "Return an ae.Packets"),
        ],
    ),
}
GUESSES = ("predicted_factor",)
