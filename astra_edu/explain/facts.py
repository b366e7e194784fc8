"""What `explain` needs to know of a kind of run: where its time goes, what to change, what to say."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

from astra_edu.base.errors import ConfigError, text_of
from astra_edu.explain.inputs import Inputs
from astra_edu.explain.segment import Segment
from astra_edu.system import Platform, TracePlatform
from astra_edu.traces import Trace
from astra_edu.workload import Workload

Shares = Mapping[str, float]


@dataclass(frozen=True)
class Change:
    """Another workload or platform to try, and what it is in words, after which "would make it" can follow.

    For a run of a trace, another trace or another platform of its kind. cause: the share of time that it is about (see
    shares), or a constant of `changes`; "" for a change of your own.

    >>> from dataclasses import replace
    >>> work, ring = ae.Workload.micro("all-reduce", 2**20), ae.preset("ring")
    >>> wider = replace(ring, network=(replace(ring.network[0], bandwidth=100),))
    >>> told = ae.simulate(work, ring).explain([ae.Change("links of 100 GB/s", platform=wider)])
    >>> told.changes
    (('links of 100 GB/s', 37113),)
    """

    description: str
    workload: Workload | Trace | None = None
    platform: Platform | TracePlatform | None = None
    cause: str = ""

    def __post_init__(self) -> None:
        text_of("description of a change", self.description)


@dataclass(frozen=True)
class Tried:
    """What came of the changes. before_ns: the run as it is, over `passes` passes; totals: of each change, in ns.

    left_out: changes that the model can't judge: more bytes would be on a dimension's links than they carry.
    untried: how many more there were, too many for a run of this size.
    """

    before_ns: float
    passes: int
    totals: tuple[tuple[Change, float], ...]
    left_out: tuple[Change, ...] = ()
    untried: int = 0


class Facts(NamedTuple):
    """How a kind of run is explained.

    path(run): its critical path. shares(run, path): ns of each cause on it, largest first. changes(run, shares,
    wanted): what came of the changes; wanted: True for ours, else one's own. bound(run, shares, tried): what bounds the
    run. sentences(run, shares, bound, tried): all that is to be said, the most important first. inputs(run,
    shares): all that it is told, to be changed. tables: whether a notebook shows shares and changes as tables, too.
    """

    path: Callable[[Any], tuple[Segment, ...]]
    shares: Callable[[Any, Sequence[Segment]], Shares]
    changes: Callable[[Any, Shares, bool | Iterable[Change]], Tried]
    bound: Callable[[Any, Shares, Tried], str]
    sentences: Callable[[Any, Shares, str, Tried], Iterator[str]]
    inputs: Callable[[Any, Shares], Inputs]
    tables: bool


def largest_first(parts: Iterable[tuple[str, float]]) -> Shares:
    """The shares of the causes in (cause, ns), added up, without what takes no time."""
    found: dict[str, float] = {}
    for cause, ns in parts:
        found[cause] = found.get(cause, 0) + ns
    return MappingProxyType(dict(sorted(((cause, ns) for cause, ns in found.items() if ns), key=lambda item: -item[1])))


def with_change(change: Change, workload: object, platform: object) -> tuple[Any, Any]:
    """A run's workload and platform with a change. Raises ConfigError for a change of another kind of run."""
    found = change.workload or workload, change.platform or platform
    kinds = type(workload), type(platform)
    if not all(isinstance(each, kind) for each, kind in zip(found, kinds, strict=True)):
        one, other = (kind.__name__ for kind in kinds)
        raise ConfigError(f"the change {change.description!r} is not of a {one} or a {other}, as this run is.")
    return found


def largest(run: object, shares: Shares, tried: Tried) -> str:
    """The bound where nothing but the critical path says what it is: its largest share."""
    return next(iter(shares))
