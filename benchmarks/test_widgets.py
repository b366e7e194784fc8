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
        explorer.values = explorer.values | {"size": next(sizes)}

    benchmark.pedantic(move, rounds=40)


def test_cut_the_model_follows_a_slider(benchmark):
    """Every setting is a new one: estimate, memory, collectives, the stage and what can't be chosen are worked out."""
    cut = ae.CutTheModel("model=22b")
    places = [(t, d, p) for t in (1, 2, 4, 8) for d in (1, 2, 4, 8) for p in (1, 2, 4)]
    settings = cycle([{"tensor": t, "data": d, "pipeline": p} for t, d, p in places])

    def move():
        cut.values = cut.values | next(settings)

    benchmark.pedantic(move, rounds=len(places))
