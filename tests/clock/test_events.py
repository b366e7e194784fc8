"""Events of one ns keep their order, all that one NPU does is one turn, and nothing is kept that nobody needs."""

import gc
from weakref import ref

import pytest

import astra_edu as ae
from astra_edu.base.few_collections import NEW_OBJECTS, few_collections
from astra_edu.clock.events import Clock, Event, Turns
from astra_edu.network.links import Links
from astra_edu.network.messages import Messages
from astra_edu.run.everyone import Everyone


def told(clock, story):
    clock.run()
    return "".join(story)


@pytest.mark.parametrize("more", [0, 1, 2])
def test_what_comes_for_this_ns_happens_after_what_was_foreseen(more):
    clock, story = Clock(), []

    def first(_):
        story.append("a")
        clock.schedule(5, story.append, "z")
        clock.schedule(5, story.append, "!")

    clock.schedule(5, first, None)
    for letter in "bc"[:more]:
        clock.schedule(5, story.append, letter)
    assert told(clock, story) == "a" + "bc"[:more] + "z!"
    assert clock.now == 5


@pytest.mark.parametrize("more", [0, 1, 2])
def test_a_turn_stands_where_its_first_was_foreseen_and_takes_all_of_its_ns(more):
    clock, story = Clock(), []
    turns, others = Turns(clock), Turns(clock)

    def first(_):
        story.append("a")
        turns.after(0, again)
        others.after(0, story.append, "y")

    def again(_):
        story.append("d")
        turns.after(0, story.append, "e")

    turns.after(5, first)
    others.after(5, story.append, "x")
    for letter in "bc"[:more]:
        turns.after(5, story.append, letter)
    assert told(clock, story) == "a" + "bc"[:more] + "dexy"


def test_a_clock_that_schedules_in_its_own_way_is_asked_for_every_turn():
    asked = []

    class Own(Clock):
        def schedule(self, at_ns, do, what):
            asked.append(at_ns)
            super().schedule(at_ns, do, what)

    clock = Own()
    Turns(clock).after(7, lambda _: None)
    clock.run()
    assert asked == [7]


def test_an_event_that_is_none_says_so():
    with pytest.raises(NotImplementedError):
        Event().happen()


@pytest.mark.parametrize("rendezvous", [False, True])
@pytest.mark.parametrize("how", ["ring", "direct", "direct2", "halvingDoubling"])
def test_no_channel_is_kept_after_its_messages(how, rendezvous):
    block = ae.Block("Ring", 8, 50, 500)
    platform = ae.TracePlatform(block, ae.TraceSystem.of(how, splits=3, rendezvous=rendezvous), congestion_aware=True)
    run = Everyone(ae.traces.collective("all_reduce", "1 MiB", npus=8), platform, Links(platform.network))
    run.run()
    assert run.messages.sent
    assert not run.messages.ends


def test_messages_meet_in_their_order_by_a_lane_and_without_one():
    block = ae.Block("Ring", 4, 50, 500)
    links = Links((block,))
    messages, story = Messages(links), []
    lane = messages.lane(0, 1, 5, 4096)
    messages.receive(1, 0, 5, 4096, story.append, "first")
    lane.send()
    lane.leave()
    assert not messages.ends
    lane = messages.lane(0, 1, 5, 4096)
    lane.send()
    links.run()
    messages.receive(1, 0, 5, 4096, story.append, "second")
    lane.leave()
    links.run()
    assert story == ["first", "second"]
    assert not messages.ends


def test_a_lane_that_is_left_is_found_by_the_other_end():
    links = Links((ae.Block("Ring", 4, 50, 500),))
    messages, story = Messages(links), []
    lane = messages.lane(0, 1, 5, 4096)
    lane.send()
    lane.leave()
    assert messages.unmatched() == [((5, 0, 1, 4096), True)]
    messages.receive(1, 0, 5, 4096, story.append, "there")
    links.run()
    assert story == ["there"]


def test_the_collector_is_as_before_also_after_an_error_and_where_it_was_off():
    before = gc.get_threshold()
    seen = []

    def fails():
        with few_collections(), few_collections():
            seen.append(gc.get_threshold()[0])
            raise KeyError

    with pytest.raises(KeyError):
        fails()
    assert seen == [NEW_OBJECTS]
    assert gc.get_threshold() == before
    gc.set_threshold(0)
    with few_collections():
        assert gc.get_threshold()[0] == 0
    gc.set_threshold(*before)


def test_the_collector_is_as_before_also_where_a_look_for_garbage_is_interrupted(monkeypatch, nothing_frozen):
    def pressed():
        raise KeyboardInterrupt

    before = gc.get_threshold()
    monkeypatch.setattr("astra_edu.base.few_collections._worked", 1e9)
    monkeypatch.setattr("astra_edu.base.few_collections._took", 0.02)
    with monkeypatch.context() as within:
        within.setattr(gc, "collect", pressed)
        with pytest.raises(KeyboardInterrupt), few_collections():
            pass
    assert gc.get_threshold() == before


def test_what_a_run_made_is_old_at_once_and_garbage_is_found_when_much_has_aged(monkeypatch, nothing_frozen):
    class Ring:
        def __init__(self):
            self.self = self

    def collected(objects):
        seen = []
        gc.callbacks.append(lambda phase, about: phase == "stop" and seen.append((about["generation"], gone() is None)))
        with few_collections():
            kept = [[] for _ in range(objects)]
            ring = Ring()
            gone = ref(ring)
            del ring
        more = [[] for _ in range(100)]
        gc.callbacks.pop()
        return seen, gone, kept, more

    gc.collect()
    monkeypatch.setattr("astra_edu.base.few_collections._aged", 0)
    monkeypatch.setattr("astra_edu.base.few_collections._worked", -60.0)
    monkeypatch.setattr("astra_edu.base.few_collections.NEW_OBJECTS", 20_000)
    seen, gone, *_ = collected(15_000)
    assert seen == []
    assert gone() is not None
    seen, *_ = collected(15_000)
    assert seen == [(2, True)]
    assert gone() is None
    monkeypatch.setattr("astra_edu.base.few_collections._worked", -60.0)
    seen, gone, *_ = collected(15_000)
    assert seen == []
    assert gone() is not None
    monkeypatch.setattr("astra_edu.base.few_collections._worked", 60.0)  # few objects that may be large
    monkeypatch.setattr("astra_edu.base.few_collections._took", 1.0)
    assert collected(10)[0] == [(2, True)]
    assert gone() is None


def test_what_is_frozen_stays_so(nothing_frozen):
    gc.collect()
    gc.freeze()
    frozen = gc.get_freeze_count()
    with few_collections():
        pass
    assert gc.get_freeze_count() == frozen


def test_what_is_frozen_is_counted_rarely_as_that_takes_its_time(monkeypatch, nothing_frozen):
    clock, counted = iter(range(1000)), []
    monkeypatch.setattr("astra_edu.base.few_collections.perf_counter", lambda: next(clock))
    monkeypatch.setattr("astra_edu.base.few_collections._worked", -1e9)
    monkeypatch.setattr("astra_edu.base.few_collections.RARELY", 20)
    for frozen in (0, 7):
        monkeypatch.setattr(gc, "get_freeze_count", lambda frozen=frozen: counted.append(frozen) or frozen)
        for _ in range(30):
            with few_collections():
                pass
    assert counted.count(0) == 30
    assert 3 < counted.count(7) < 10
