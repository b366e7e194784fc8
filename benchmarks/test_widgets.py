"""How fast the widgets answer, on the side of Python."""

from itertools import cycle

import pytest

import astra_edu as ae
from astra_edu.course.widgets import Player


@pytest.mark.parametrize("npus", [8, 16, 64])
def test_make_a_player(benchmark, npus):
    schedule = ae.schedule("all-reduce", "ring", npus)
    time = ae.time_schedule(schedule, [ae.Dimension.of("Ring", npus, 50, 500)], 2**20)
    benchmark(Player, schedule, time)


@pytest.mark.parametrize("npus", [8, 16])
def test_explorer_follows_a_slider(benchmark, npus):
    explorer = ae.Explorer(network=(("Ring", npus, 50, 500),))
    sizes = cycle([2**21, 2**20])

    def move():
        explorer.size.value = next(sizes)

    benchmark.pedantic(move, rounds=40)
