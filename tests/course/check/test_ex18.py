"""Exercise 18: what its words rely on."""

from dataclasses import replace

import pytest

pytest.importorskip("networkx")

from answers.ex18 import fit

from astra_edu.course.check import ex18
from astra_edu.course.check.ex18 import CROWD, FAST, SMALL
from astra_edu.course.check.ex18.cases import BUFFERS, COLLAPSED, LINUX, SENDERS, collapsing, incast, slowdown


def test_a_buffer_collapses_clearly_or_not_at_all():
    found = {kib: slowdown(SENDERS, replace(LINUX, buffer=kib * 1024)) for kib in BUFFERS}
    assert all(factor > 40 * COLLAPSED or factor < 1.1 for factor in found.values())
    assert collapsing() == tuple(kib for kib, factor in found.items() if factor > COLLAPSED) == (16, 32, 64, 128)


def test_128_kib_hold_the_first_windows_and_collapse_all_the_same():
    assert fit(128 * 1024, LINUX.initial_window) == SENDERS
    assert incast(SENDERS, replace(LINUX, buffer=128 * 1024)).statistics["timeouts"] >= 1


def test_the_guess_is_answered_with_two_runs():
    verdict = ex18.predicted_factor(lambda: 5)
    assert verdict.guess
    small, endless = (incast(SENDERS, network).total_ns for network in (SMALL, replace(LINUX, buffer=None)))
    assert f"{small / endless:,.6g} times" in verdict.message
    assert small / endless > 100


def test_what_isnt_a_cure_misses_by_far_and_what_is_has_room_to_spare():
    for cure in (replace(SMALL, pfc_xoff="32 KiB"), replace(SMALL, window=1538)):
        assert slowdown(CROWD, cure) < 1.1 < FAST
    assert slowdown(CROWD, replace(SMALL, control="dctcp", ecn_kmin="30 KiB")) > 50
    assert 32 * 1538 < SMALL.buffer < 2 * 32 * 1538
