"""A run that is stopped by Ctrl-C or a notebook's stop button leaves what has happened until then."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import local
from typing import Any

from astra_edu.base.errors import ConfigError
from astra_edu.base.so_far import LEFT, LeavesSomething
from astra_edu.base.units import format_ns


class _Here(local):
    """Of this thread: for each run that has begun in it, the outermost first, what is followed; None before that."""

    def __init__(self) -> None:
        """Nothing has begun."""
        self.followed: list[Any] = []


_here = _Here()


class Interrupted(LeavesSomething):
    """A run was interrupted. so_far: what has happened until then, as a Run; its total_ns is when it was stopped. Of a
    search for the fastest it is the best result so far.

    It goes on like every KeyboardInterrupt: what comes after the run isn't done either.

    >>> layers = [ae.workload.Layer("fc", *[ae.workload.Work(10_000, None, 0)] * 3)]
    >>> @ae.LOOPS.add("HALF")
    ... def half(npu):
    ...     "Computes, and then somebody presses Ctrl-C."
    ...     yield from npu.compute(npu.layers[0].forward)
    ...     raise KeyboardInterrupt
    >>> try:
    ...     run = ae.simulate(ae.Workload("HALF", layers), ae.preset("ring"))
    ... except ae.Interrupted as stopped:
    ...     run = stopped.so_far
    >>> run.total_ns, run.interrupted
    (10000, True)
    """

    def __init__(self, so_far: Any, done: str, best: str = "") -> None:
        """done: how much of it, in words: "1,200 of 5,000 nodes". best: of a search, what so_far is, in words."""
        at = "" if best else f" at {format_ns(so_far.total_ns)} of simulated time,"
        has = best or "what has happened until then"
        super().__init__(f"interrupted{at} after {done}; ae.so_far() has {has}.")
        self.so_far = so_far
        self._given = so_far, done, best
        LEFT[:] = [so_far]

    def __reduce__(self) -> tuple[type[Interrupted], tuple[Any, str, str]]:
        """Of what it was made of, so that it comes back from another process."""
        return type(self), self._given


def so_far() -> Any:
    """What had happened in the run that was interrupted last, or what a search had found, for those who haven't caught
    ae.Interrupted.

    Raises ConfigError where none was, or where something else has been interrupted since then, and has left nothing.

    >>> run = ae.simulate(ae.Workload.micro("all-reduce", 4096), ae.preset("ring"))
    >>> stopped = ae.Interrupted(run, "1 of 1 layers")
    >>> ae.so_far() is run
    True
    """
    if not LEFT:
        raise ConfigError("no run has been interrupted, or something else since then, of which nothing is left.")
    return LEFT[0]


@contextmanager
def leaves_so_far(left: Callable[[Any], tuple[Any, str]]) -> Iterator[None]:
    """Within it a run is prepared, followed and put into a result. A KeyboardInterrupt, wherever it comes, is an
    Interrupted. What an earlier run has left is back only when this one has gone on to its end.

    left: of what is followed, or None where nothing is yet, (what has happened until then, how much that is in words).
    """
    before = list(LEFT)
    LEFT.clear()
    _here.followed.append(None)
    depth = len(_here.followed)
    try:
        yield
    except KeyboardInterrupt:
        with suppress(ConfigError):  # of a job that would have been refused a moment later
            raise Interrupted(*left(_here.followed[depth - 1])) from None
        raise
    except Exception:
        LEFT[:] = before
        raise
    else:
        LEFT[:] = before
    finally:
        del _here.followed[depth - 1 :]


@contextmanager
def follows(followed: Any) -> Iterator[None]:
    """Within it a run goes on, and afterwards what it has brought is made of it; an error shows that it was in vain."""
    here = _here.followed or [None]  # outside of leaves_so_far nobody asks
    here[-1] = followed
    try:
        yield
    except Exception:
        here[-1] = None
        raise


@contextmanager
def part_of_more() -> Iterator[None]:
    """Within it a run is one of many that something else asks for: interrupted or not, it leaves nothing of its own."""
    before = list(LEFT)
    try:
        yield
    except Interrupted:
        raise KeyboardInterrupt from None
    finally:
        LEFT[:] = before
