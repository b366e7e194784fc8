"""What happens in the same nanosecond happens in the order in which it was foreseen."""

from astra_edu.clock.lookback import LoopClock as Clock
from astra_edu.clock.lookback import lookback
from astra_edu.clock.loop_turns import LoopTurns, TurnsClock


def told(clock, story):
    clock.run()
    return "".join(story)


def test_who_began_to_wait_earlier_comes_first():
    clock, story = Clock(), []
    clock.after(3, lambda: clock.after(7, lambda: story.append("late")))
    clock.after(10, lambda: story.append("early "))
    assert told(clock, story) == "early late"


def test_among_those_who_began_in_the_same_ns_their_beginnings_decide():
    """Both begin their last wait at 5 ns; one of them was bound to be there since 0, the other since 2."""
    clock, story = Clock(), []
    clock.after(2, lambda: clock.after(3, lambda: clock.after(5, lambda: story.append("second"))))
    clock.after(5, lambda: clock.after(5, lambda: story.append("first ")))
    assert told(clock, story) == "first second"


def test_an_event_at_the_end_of_several_waits_counts_them_all():
    """It ends at 10 after waits of 4 and 2 ns; an event foreseen at 5 comes before it, one foreseen at 9 after it."""
    clock, story = Clock(), []

    def over(event):
        clock.came(event)
        story.append(event.what)

    clock.after(5, lambda: clock.after(5, lambda: story.append("a ")))
    clock.after(9, lambda: clock.after(1, lambda: story.append("c")))
    clock.after_waits(10, lookback([4, 2]), 0, over, "b ")
    assert told(clock, story) == "a b c"


def test_ranks_decide_between_equal_histories():
    clock, story = Clock(), []
    for rank in (2, 0, 1):
        clock.after_waits(10, lookback([4, 2, 1]), rank, lambda event: story.append(event.what), str(rank))
    assert told(clock, story) == "012"


def test_what_is_woken_goes_on_before_anything_else():
    clock, story = Clock(), []
    door = clock.env.event()

    def waits():
        yield door
        story.append("woken ")

    clock.env.process(waits())
    clock.after(5, lambda: (story.append("wakes "), clock.wake(door)))
    clock.after(5, lambda: story.append("next"))
    assert told(clock, story) == "wakes woken next"


def test_all_that_an_npu_does_in_a_ns_stands_where_the_first_of_it_was_foreseen():
    clock, story = TurnsClock(), []
    zero, one = clock.zero, LoopTurns(clock)
    zero.after(9, lambda _: story.append("0a "))
    one.after(9, lambda _: story.append("1"))
    zero.after(9, lambda _: story.append("0b "))
    assert told(clock, story) == "0a 0b 1"


def test_three_waits_back_are_told_apart():
    """Both wait from 4 to 7 and from 7 to 10; what has been known for longer had begun to wait for 4 at 1, not at 0."""
    clock, story = Clock(), []
    clock.after_waits(10, lookback([3, 3, 3]), 0, lambda event: story.append(event.what), "second")
    clock.after(4, lambda: clock.after(3, lambda: clock.after(3, lambda: story.append("first "))))
    assert told(clock, story) == "first second"
