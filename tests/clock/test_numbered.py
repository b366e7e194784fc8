"""A clock that numbers what it foresees: what is put in afterwards stands where it would have stood."""

from random import Random

import pytest
from halves import half

from astra_edu.clock.events import Call
from astra_edu.clock.numbered import NumberedClock


def test_what_is_put_in_comes_by_its_number():
    clock, story = NumberedClock(), []
    left_out = []
    for k in range(6):
        if k in (1, 4):
            left_out.append(clock.count)
            clock.count += 1
        else:
            clock.add(7, Call(story.append, k))
    for k, order in zip((4, 1), reversed(left_out), strict=True):
        clock.put(7, order, Call(story.append, k))
    clock.run()
    assert story == [0, 1, 2, 3, 4, 5]


def test_what_is_put_into_the_ns_that_happens_comes_before_what_was_foreseen_later():
    clock, story = NumberedClock(), []

    def first(_):
        story.append("first")
        clock.add(5, Call(story.append, "foreseen now"))
        clock.put(5, order, Call(story.append, "second"))

    clock.add(5, Call(first, None))
    order, clock.count = clock.count, clock.count + 1
    clock.add(5, Call(story.append, "third"))
    clock.run()
    assert story == ["first", "second", "third", "foreseen now"]


@pytest.mark.parametrize("seed", half(range(30)))
def test_leaving_out_and_putting_in_changes_nothing(seed):
    """Against all events added at once: each has a number and a ns, some are put in up to that ns."""
    stories = []
    for late in (False, True):
        random, clock, story = Random(seed), NumberedClock(), []

        def happens(what, random=random, clock=clock, story=story, late=late):
            number, more = what
            story.append((clock.now, number))
            for k in range(more):
                at, again = clock.now + random.randrange(4), random.randrange(3) if number < 300 else 0
                event = Call(happens, (clock.count, again))
                if late and k % 2:
                    order, clock.count = clock.count, clock.count + 1
                    clock.put(at, order, event)
                else:
                    clock.add(at, event)

        for k in range(20):
            clock.add(k % 3, Call(happens, (clock.count, 2)))
        clock.run()
        stories.append(story)
    assert stories[0] == stories[1]
    assert stories[0] == sorted(stories[0])
