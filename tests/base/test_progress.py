"""What takes long says how far it is: by a bar from the second second on, or in words for a view, at once."""

import pytest

from astra_edu.base import progress
from astra_edu.base.progress import Bar, told


def test_words_come_at_once_and_then_now_and_then(monkeypatch):
    now, words = [0.0], []
    monkeypatch.setattr(progress, "perf_counter", lambda: now[0])
    with told(words.append), Bar("search", " points", 1000) as bar:
        for done in range(100):
            bar.show(done)
            now[0] += 0.01
    assert words == [f"search: {done} of 1,000 points" for done in (0, 25, 50, 75)]
    assert bar.bar is None


def test_of_bars_within_each_other_the_outer_one_is_told():
    words = []
    with told(words.append):
        with Bar("outer", " steps", 2) as outer:
            with Bar("inner", " steps", 5) as inner:
                inner.show(1)
            outer.show(1)
        with Bar("next", " steps", 3) as after:
            after.show(2)
    assert words == ["outer: 1 of 2 steps", "next: 2 of 3 steps"]


def test_after_an_error_nothing_is_told_any_more():
    words = []
    with pytest.raises(ZeroDivisionError), told(words.append), Bar("search", " points", 2):
        raise ZeroDivisionError
    with Bar("search", " points", 2) as bar:
        assert not bar.told
        bar.show(1)
    assert words == []


@pytest.mark.parametrize("off", ["", "1"])
def test_a_bar_is_shown_from_the_second_second_on_unless_bars_are_off(off, monkeypatch, capsys):
    now = [0.0]
    monkeypatch.setattr(progress, "perf_counter", lambda: now[0])
    monkeypatch.setenv("TQDM_DISABLE", off)
    with Bar("search", " points", 10) as bar:
        bar.show(1)
        assert bar.bar is None
        now[0] = 1.5
        bar.show(4)
    if off:
        assert bar.bar is None
        assert not capsys.readouterr().err
        return
    assert "search" in capsys.readouterr().err
    assert (bar.bar.n, bar.bar.total) == (4, 4)
