"""What `explain` says, as text, as a page in a notebook and as tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING

from astra_edu.base.errors import ConfigError
from astra_edu.base.units import format_ns
from astra_edu.explain.elasticities import Dependence
from astra_edu.explain.phrases import percent
from astra_edu.explain.segment import Segment

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Explanation:
    """What bounds a run and what would help. Times in ns.

    bound: what bounds it, a name of `shares`, "scheduling" or "bandwidth of all dimensions". shares: ns of each cause
    on the critical path, largest first; together they are the run's total time. sentences: the same in words.
    changes: (what was changed, the total time it then takes), the fastest first; before_ns is what to compare them
    with: the run as it is, over `passes` passes. path: the critical path. tables: whether a notebook shows shares and
    changes as tables below the sentences. dependence: finds elasticities and independent_of when they are asked for.

    >>> result = ae.simulate(ae.Workload.micro("all-reduce", 2**20), ae.preset("ring"))
    >>> told = result.explain(changes=False)
    >>> for cause, ns in told.shares.items():
    ...     print(f"{cause}: {ns} ns")
    dimension 0's latency: 28000 ns
    dimension 0's bandwidth: 17080 ns
    endpoint delay: 600 ns
    update time: 1 ns
    """

    bound: str
    shares: Mapping[str, float]
    sentences: tuple[str, ...]
    changes: tuple[tuple[str, float], ...]
    before_ns: float
    passes: int
    path: tuple[Segment, ...] = field(repr=False)
    tables: bool = field(default=True, repr=False)
    dependence: Dependence | None = field(default=None, repr=False, compare=False)

    @property
    def elasticities(self) -> pd.DataFrame:
        """A row for each number of platform and workload: per cent that the total changes for 1 % of the number.

        Simulated when asked for, with a little less and a little more of each ("less", "more"; a count's next ones).
        -1: twice as much halves the total. +1: twice as much doubles it. "rounding" says by how much an elasticity may
        be wrong as times are whole ns; steps are as large as that asks for. "smooth" is False where less and
        more of it tell different things: the total has a kink there, or jumps, as where Themis orders chunks anew.

        Of total_ns, over all passes. Times' elasticities less those of bandwidths add up to 1: twice of all latencies,
        delays and compute times at half of all bandwidths make everything take twice as long.

        >>> ring = ae.Platform(ae.Dimension.of("Ring", 8, 50, 500), ae.SystemConfig.of("ring", splits=1))
        >>> run = ae.simulate(ae.Workload.micro("all-reduce", 2**20), ring)
        >>> table = run.explain(changes=False).elasticities
        >>> table["elasticity"].round(2).to_dict()["bandwidth of dimension 0"]
        -0.7
        """
        return self._depends.elasticities

    @property
    def independent_of(self) -> pd.DataFrame:
        """A row for each number and each choice that changes nothing: what was tried, why it is so where it is known.

        Numbers were also halved and doubled. Choices: topology and algorithm of each dimension, policies, scheduling,
        the order of dimensions, whether messages wait for each other; every alternative that can be simulated.

        >>> ring = ae.Platform(ae.Dimension.of("Ring", 8, 50, 500), ae.SystemConfig.of("ring", splits=1))
        >>> run = ae.simulate(ae.Workload.micro("all-reduce", 2**20), ring)
        >>> run.explain(changes=False).independent_of["reason"]["scheduling"]
        'there is one collective'
        """
        return self._depends.independent_of

    @property
    def _depends(self) -> Dependence:
        if self.dependence is None:
            raise ConfigError("this explanation knows no run to change; take the one that run.explain() gives.")
        return self.dependence

    @property
    def table(self) -> pd.DataFrame:
        """A row for the run as it is and for each change: total_ns, and how many times as fast it is."""
        import pandas as pd

        whats, totals = zip(*self._totals, strict=True)
        index = pd.Index(whats, name="change")
        return pd.DataFrame({"total_ns": totals, "times as fast": [self.before_ns / t for t in totals]}, index=index)

    @property
    def _totals(self) -> list[tuple[str, float]]:
        return sorted([("as it is", self.before_ns), *self.changes], key=lambda row: row[1])

    def __repr__(self) -> str:
        return "\n".join(self.sentences)

    def _repr_html_(self) -> str:
        first, *others = map(escape, self.sentences)
        items = "".join(f"<li>{sentence}</li>" for sentence in others)
        parts = [f"<p><strong>{first}</strong></p><ul>{items}</ul>", *(self._tables() if self.tables else ())]
        return f"<div>{''.join(parts)}</div>"

    def _tables(self) -> Iterator[str]:
        total = sum(self.shares.values())
        shares = [(name, format_ns(ns), percent(ns, total)) for name, ns in self.shares.items()]
        yield _table("Shares of the critical path", ("cause", "time", "share"), shares)
        if self.changes:
            tried = [(what, format_ns(ns), f"{self.before_ns / ns:.2f}") for what, ns in self._totals]
            yield _table("Changes, each simulated", ("change", "total", "times as fast"), tried)


def _table(caption: str, head: Sequence[str], rows: Sequence[tuple[str, ...]]) -> str:
    """Closed until it is asked for; the first cell of each row is its heading."""
    first = "".join(f'<th scope="col">{escape(name)}</th>' for name in head)
    body = "".join(
        f'<tr><th scope="row" style="text-align: left">{escape(name)}</th>'
        + "".join(f'<td style="text-align: right">{escape(cell)}</td>' for cell in cells)
        + "</tr>"
        for name, *cells in rows
    )
    return (
        f"<details><summary>{escape(caption)}</summary>"
        f"<table><thead><tr>{first}</tr></thead><tbody>{body}</tbody></table></details>"
    )
