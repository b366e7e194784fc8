"""Two passes that run together, cut into chunks, so that what one sends to experts hides behind the other's computing.

As DeepSeek-V3's pairs of a forward and a backward pass do (arXiv 2412.19437, figure 4): one chunk of either in turn,
each behind the other pass's chunk and, if it goes on after an all-to-all, behind that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from astra_edu.traces.passes_of_operators import Piece
from astra_edu.workload.strategies import Communication


class Chunk(NamedTuple):
    """Pieces of a pass up to what is sent to experts, or from them, then: operators with theirs. of: which pass."""

    of: int
    pieces: tuple[Piece, ...]
    sent: tuple[tuple[str, Communication], ...] = ()

    @property
    def cut(self) -> list[Chunk]:
        """Two of about the same length, or nothing where it has only one piece."""
        ends = list(accumulate(map(_ns, self.pieces)))[:-1]
        if not ends:
            return []
        half = _length(self) / 2
        at = 1 + min(range(len(ends)), key=lambda k: abs(ends[k] - half))
        return [self._replace(pieces=self.pieces[:at], sent=()), self._replace(pieces=self.pieces[at:])]


def routed(pieces: Iterable[Piece]) -> bool:
    """Whether a pass waits for what is sent to experts."""
    return any(piece.action == "wait" and one.group == "expert" for piece in pieces for one in piece.sent)


def alternating(one: Sequence[Piece], other: Sequence[Piece]) -> Iterator[Chunk]:
    """The chunks of two passes in turn. Of the pass with fewer the longest are cut, as far as they can be.

    >>> from astra_edu.traces.passes_of_operators import Piece
    >>> from astra_edu.traces.passes_together import alternating
    >>> sent = tuple(ae.communications("mixtral-8x7b", ae.Strategy(data=8, expert=8, micro_batch=1)))
    >>> tokens = next(one for one in sent if one.group == "expert")
    >>> ahead = [Piece("compute", "attention", 10), Piece("wait", "route", sent=(tokens,)), Piece("compute", "up", 10)]
    >>> back = [Piece("compute", name, 10) for name in ("head", "norm")]
    >>> [(chunk.of, *(piece.name for piece in chunk.pieces)) for chunk in alternating(back, ahead)]
    [(0, 'head'), (1, 'attention'), (0, 'norm'), (1, 'up')]
    """
    chunks = [list(_chunks(k, pieces)) for k, pieces in enumerate((one, other))]
    few, many = sorted(chunks, key=len)
    while len(few) < len(many) and (longest := max((each for each in few if each.cut), key=_length, default=None)):
        at = few.index(longest)
        few[at : at + 1] = longest.cut
    for turn in range(len(many)):
        yield from (each[turn] for each in chunks if turn < len(each))


def _chunks(of: int, pieces: Iterable[Piece]) -> Iterator[Chunk]:
    own, sent = list[Piece](), list[tuple[str, Communication]]()
    for piece in pieces:
        for part in [piece._replace(sent=(one,)) for one in piece.sent] if piece.action == "wait" else [piece]:
            if routed([part]):
                sent.append((part.name, part.sent[0]))
                continue
            if sent:
                yield Chunk(of, tuple(own), tuple(sent))
                own, sent = [], []
            own.append(part)
    yield Chunk(of, tuple(own), tuple(sent))


def _length(chunk: Chunk) -> float:
    return sum(map(_ns, chunk.pieces))


def _ns(piece: Piece) -> float:
    return piece.ns + sum(piece.items_ns)
