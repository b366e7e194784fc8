"""What hypothesis draws from: every algorithm for every collective it knows, over small systems."""

from hypothesis import strategies as st

import astra_edu as ae
from astra_edu.collectives import algorithms_for
from astra_edu.collectives.collective import ROOTED

PAIRS = [(collective, name) for collective in ae.Collective for name in algorithms_for(collective)]

POWERS_OF_TWO = ("halving-doubling", "tree-root-last", "tree-root-first")


def sizes(algorithm: str):
    """Numbers of NPUs that the algorithm works for."""
    return st.sampled_from([2, 4, 8, 16]) if algorithm in POWERS_OF_TWO else st.integers(2, 17)


@st.composite
def schedules(draw):
    collective, algorithm = draw(st.sampled_from(PAIRS))
    npus = draw(sizes(algorithm))
    root = draw(st.integers(0, npus - 1)) if collective in ROOTED else 0
    return ae.schedule(collective, algorithm, npus, root)


@st.composite
def hierarchical_schedules(draw):
    collective = draw(st.sampled_from(["reduce-scatter", "all-gather", "all-reduce", "all-to-all"]))
    dims = draw(st.lists(st.integers(2, 4), min_size=1, max_size=4).filter(lambda d: _product(d) <= 36))
    names = [draw(st.sampled_from(_known(collective, size))) for size in dims]
    return ae.hierarchical(collective, names, dims)


def _known(collective: str, size: int) -> list[str]:
    names = {"ring", "direct", "bidirectional-ring", "halving-doubling"} & set(algorithms_for(collective))
    return sorted(names - ({"halving-doubling"} if size & (size - 1) else set()))


def _product(dims):
    total = 1
    for size in dims:
        total *= size
    return total
