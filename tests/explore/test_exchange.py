"""How late the exchange of gradients makes the passes: by hand, and the search's matrices against the queue."""

from random import Random

import pytest

from astra_edu.explore.iteration.exchange import FOLLOWED, exchanged_ns, exchanging_ns, exposed_ns
from astra_edu.explore.iteration.network_times import Took
from astra_edu.explore.iteration.parts import Step
from astra_edu.explore.iteration.plan_bound import Behind, behind


def operator(forward: float, backward: float, gathers: tuple[float, float] = (0, 0), exchange: float = 0) -> Step:
    took = Took(round(exchange), exchange) if exchange else None
    return Step(forward, backward, forward + backward, 0, 0, gathers_ns=gathers, exchange=took)


def test_a_pass_waits_for_parameters_behind_gradients_and_goes_on_beside_gradients_alone():
    """The second operator's gradients are on the network from 20 to 50; the first gathers for 4 of its 10 ns."""
    last = operator(5, 10, exchange=30)
    assert exposed_ns([operator(5, 10), last], 1) == 20
    assert exposed_ns([operator(5, 10, (0, 4)), last], 1) == 30
    assert exposed_ns([operator(5, 10, (0, 4)), last], 1, hides=False) == 30


def test_gradients_of_each_pass_follow_those_of_the_one_before():
    """Known at 10 and 20 of a pass, 12 ns each: on the network until 34, 58 and 124."""
    two = [operator(5, 10, exchange=12)] * 2
    assert [exchanged_ns([(start, two) for start in starts]) for starts in ((0,), (0, 20), (0, 20, 90))] == [
        34,
        58,
        124,
    ]
    assert exchanging_ns(two) == 24
    assert exchanged_ns([]) == 0


def test_gathered_behind_the_block_before_parameters_are_late_if_gradients_are_before_them():
    """The backward pass begins at 20, the last block's parameters take 3 ns, those of the first 3 or 43 from 23 on."""

    def block(gather: float, exchange: float) -> Step:
        took = Took(round(exchange), exchange)
        return Step(10, 10, 20, 0, 0, gathers_ns=(0, gather), hidden_ns=(0, gather), exchange=took)

    passes = 40
    assert exposed_ns([block(3, 2), block(3, 40)], 1, numbers=[0, 1]) == (33 + 40 + 2) - passes
    assert exposed_ns([block(43, 2), block(3, 40)], 1, numbers=[0, 1]) == (23 + 43 + 40 + 2) - passes
    three = [block(3, 2), block(3, 1), block(3, 40)]
    assert exposed_ns(three, 1, numbers=[0, 1, 2]) == (30 + 3 + 10 + 40 + 3 + 10 + 2) - 60


def test_it_falls_behind_by_as_much_in_each_micro_batch_and_no_more_where_it_is_waited_for():
    beside = [operator(10, 20, exchange=50)]
    assert [exposed_ns(beside, times) for times in (1, 2, 3, 1000)] == [50, 70, 90, 50 + 999 * 20]
    waited = [operator(10, 20, (1, 0), 50)]
    assert [exposed_ns(waited, times) for times in (1, 2, 1000)] == [50, 100, 50_000]
    early = [operator(10, 20, exchange=8)]
    assert [exposed_ns(early, times) for times in (1, 2, 1000)] == [8, 8, 8]


@pytest.mark.parametrize("seed", range(200))
def test_the_matrices_of_a_search_say_what_the_queue_does(seed: int):
    dice = Random(seed)
    steps = [
        operator(
            dice.randint(0, 9),
            dice.randint(0, 20),
            (0, dice.choice([0, 0, dice.randint(1, 15)])),
            dice.choice([0, dice.randint(1, 40)]),
        )
        for _ in range(dice.randint(1, 8))
    ]
    cuts = sorted(dice.sample(range(len(steps) + 1), min(2, len(steps))))
    groups = [steps[a:b] for a, b in zip((0, *cuts), (*cuts, len(steps)), strict=True)]
    late_ns = free = exchanged = 0.0
    whole = Behind()
    for group in reversed(groups):
        late, free, exchanged = behind(group).of(max(0.0, free), max(0.0, exchanged))
        late_ns += late
        whole = whole.then(behind(group))
    assert late_ns + max(0.0, exchanged) == exposed_ns(steps, 1)
    late, _, exchanged = whole.of(0.0, 0.0)
    assert late + max(0.0, exchanged) == exposed_ns(steps, 1)
    later = behind(steps)
    assert later.more(later) == 0
    other = behind([step._replace(backward_ns=step.backward_ns + 1) for step in steps])
    for free, exchanged in ((0, 0), (30, 50), (5, 0)):
        ends, others = (sum(part.of(free, exchanged)[::2]) for part in (later, other))
        assert ends <= others + later.more(other)


def test_after_some_micro_batches_the_rest_is_reckoned():
    steps = [operator(7, 20, (3, 0), 11), operator(5, 10, (0, 4), 30)]
    assert exposed_ns(steps, 40) == pytest.approx(
        exposed_ns(steps, FOLLOWED) + (40 - FOLLOWED) * (exposed_ns(steps, FOLLOWED) - exposed_ns(steps, FOLLOWED - 1))
    )
