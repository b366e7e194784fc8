"""The Pareto frontier against its definition."""

from hypothesis import given
from hypothesis import strategies as st

from astra_edu.explore.frontier import frontier

VALUES = st.one_of(st.integers(0, 6), st.just(float("nan")), st.just(float("inf")))


def beaten(one, other, more):
    """Whether `other` is as good in one and better in the other."""
    (a, b), (c, d) = ([-v if way else v for v, way in zip(point, more, strict=True)] for point in (one, other))
    return c <= a and d <= b and (c < a or d < b)


@given(st.lists(st.tuples(VALUES, VALUES), max_size=30), st.tuples(st.booleans(), st.booleans()))
def test_on_the_frontier_is_who_isn_t_beaten(points, more):
    drawn = [p for p in points if all(abs(value) < 9 for value in p)]
    wanted = [n for n, p in enumerate(points) if p in drawn and not any(beaten(p, other, more) for other in drawn)]
    found = frontier([x for x, _ in points], [y for _, y in points], more)
    assert sorted(found) == wanted
    xs = [points[n][0] for n in found]
    assert xs == sorted(xs, reverse=more[0])
