"""A run that is stopped by Ctrl-C or a notebook's stop button leaves what has happened until then."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from astra_edu.base.errors import ConfigError
from astra_edu.base.units import format_ns

_last: list[Any] = []


class Interrupted(KeyboardInterrupt):
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
        _last[:] = [so_far]

    def __reduce__(self) -> tuple[type[Interrupted], tuple[Any, str, str]]:
        """Of what it was made of, so that it comes back from another process."""
        return type(self), self._given


def so_far() -> Any:
    """What had happened in the run that was interrupted last, or what a search had found, for those who haven't caught
    ae.Interrupted.

    Raises ConfigError where none was.

    >>> run = ae.simulate(ae.Workload.micro("all-reduce", 4096), ae.preset("ring"))
    >>> stopped = ae.Interrupted(run, "1 of 1 layers")
    >>> ae.so_far() is run
    True
    """
    if not _last:
        raise ConfigError("no run has been interrupted since Python was started.")
    return _last[0]


@contextmanager
def part_of_more() -> Iterator[None]:
    """Within it a run is one of many that something else asks for: interrupted, it leaves nothing of its own behind."""
    before = list(_last)
    try:
        yield
    except Interrupted:
        _last[:] = before
        raise KeyboardInterrupt from None
