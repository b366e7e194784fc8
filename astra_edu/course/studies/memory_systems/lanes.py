"""Tasks on lanes: a lane does its tasks in the order given, each as soon as what it needs is done."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, eq=False)
class Span:
    """A task as it ran. kind: what it is counted as. cause: what it waited for last, which ended when it started."""

    lane: str
    kind: str
    start_ns: float
    end_ns: float
    cause: Span | None


@dataclass
class Lanes:
    """A plan that is timed while it is made: `add` says when the task runs."""

    spans: list[Span] = field(default_factory=list)
    _last: dict[str, Span] = field(default_factory=dict)

    def add(self, lane: str, kind: str, ns: float, after: Sequence[Span] = ()) -> Span:
        """Put a task at the end of its lane. after: what it needs."""
        before = [*after, *([self._last[lane]] if lane in self._last else [])]
        cause = max(before, key=lambda span: span.end_ns, default=None)
        start = cause.end_ns if cause else 0.0
        span = self._last[lane] = Span(lane, kind, start, start + ns, cause)
        self.spans.append(span)
        return span

    def works(self, lane: str) -> Iterator[tuple[str, float]]:
        """What the lane does: kinds of tasks, and for how long."""
        return ((span.kind, span.end_ns - span.start_ns) for span in self.spans if span.lane == lane)

    def waits(self, lane: str) -> Iterator[tuple[str, float]]:
        """What the lane waits for while it is idle, until everything is done: kinds of tasks, and for how long.

        While a task waits, the kind is that of the task it waits for; while that one waits, too, of the one it waits
        for in turn.
        """
        done = 0.0
        for span in self.spans:
            if span.lane == lane:
                yield from _back(span.cause, done)
                done = span.end_ns
        yield from _back(max(self.spans, key=lambda span: span.end_ns), done)


def _back(span: Span | None, since: float) -> Iterator[tuple[str, float]]:
    """The chain of causes that ends with `span`, back to the time `since`."""
    while span is not None and span.end_ns > since:
        yield span.kind, span.end_ns - max(span.start_ns, since)
        span = span.cause
