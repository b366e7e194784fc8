"""What one NPU can't know of the others: who of them has its turn first in a ns. Where that matters, it is noticed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import permutations

from astra_edu.clock.foreseen import ForeseenClock
from astra_edu.collectives import Collective
from astra_edu.network.folded import AmbiguousError
from astra_edu.system.policies import Policy
from astra_edu.system.queues import Chunk, Issued, Npus, Phase, Queue, Queues
from astra_edu.system.settings import Settings

_MOST_ENDS = 4
"""Of how many phases that end in the same ns all orders are tried; of more, the order is taken to matter."""

Act = Callable[[Queue], object]


class TiedQueues(Queues):
    """Queues that raise AmbiguousError where two chunks come to one in a ns, and which is first isn't so for all NPUs.

    They come from two dimensions, in which other NPUs sent the last messages of their phases in one ns: those have
    their turns one after the other, and whose partner in one dimension comes before that in the other isn't said.
    """

    def __init__(
        self, dimensions: int, system: Settings, policy: Policy, begin: Callable[..., object], clock: ForeseenClock
    ) -> None:
        """clock: at which phases end. See Queues."""
        super().__init__(dimensions, system, policy, begin)
        self._clock = clock
        self._now: float = -1
        self._came: list[tuple[Phase, int, tuple[int, ...]]] = []

    def over(self, queue: Queue, chunk: Chunk, now: float, npus: Npus = None, others: Npus = None) -> None:
        """See Queues."""
        at, clock = chunk.at + 1, self._clock
        if at < len(chunk.phases):
            to, left, sent = chunk.phases[at], chunk.phase.dimension, clock.foreseen
            if now != self._now:
                self._now = now
                self._came = [(to, left, sent)]
            else:
                for other, dimension, then in self._came:
                    one_queue = (to.dimension, to.queue) == (other.dimension, other.queue)
                    if one_queue and left != dimension and sent[: clock.sent] == then[: clock.sent]:
                        raise AmbiguousError
                self._came.append((to, left, sent))
        super().over(queue, chunk, now, npus, others)


class _WatchedQueue(Queue):
    """A queue that tells what is done to it."""

    watch: Callable[[Queue, Act], object]

    def insert(self, chunk: Chunk, now: float) -> None:
        """See Queue."""
        self.watch(self, lambda queue: queue.insert(chunk, now))
        super().insert(chunk, now)

    def remove(self, chunk: Chunk) -> None:
        """See Queue."""
        self.watch(self, lambda queue: queue.remove(chunk))
        super().remove(chunk)


class WatchedQueues(Queues):
    """Queues that raise AmbiguousError where it matters which of several phases ends first in a ns.

    A policy that lets chunks overtake each other sees other chunks waiting if they come the other way round. Phases of
    one kind that began together end in the same order at all NPUs. What a collective's end sets off comes with the
    last of its phases, which still has its place then.
    """

    def __init__(self, dimensions: int, system: Settings, policy: Policy, begin: Callable[..., object]) -> None:
        """See Queues."""
        super().__init__(dimensions, system, policy, begin)
        self._queues = [[self._watched(queue) for queue in queues] for queues in self._queues]
        self._ends: object = None
        """Of what kind the phase is that ends at the moment."""
        self._now: float = -1
        self._before: dict[int, Queue] = {}
        self._acts: dict[int, dict[object, list[Act]]] = {}
        self._last_phases: dict[Issued, set[tuple[int, Collective, float]]] = {}
        """Of each collective's chunks that are done in this ns: of what kinds their last phases were."""
        self._any_last: set[int] = set()
        """While a collective ends that might as well end with another phase: the queues of all of these."""

    def add(self, chunk: Chunk, now: float) -> None:
        """See Queues."""
        if id(self._queues[chunk.phase.dimension][chunk.phase.queue]) in self._any_last:
            raise AmbiguousError
        super().add(chunk, now)

    def start(self, queue: Queue, now: float, npus: Npus = None) -> None:
        """See Queues."""
        self._note(queue, _fill)
        super().start(queue, now, npus)

    def over(self, queue: Queue, chunk: Chunk, now: float, npus: Npus = None, others: Npus = None) -> None:
        """See Queues."""
        if now != self._now:
            self._now = now
            self._before.clear()
            self._acts.clear()
            self._last_phases.clear()
        self._ends = kind = id(queue), chunk.phase.collective, chunk.started_ns
        if chunk.phases_left == 1:
            kinds = self._last_phases.setdefault(chunk.issued, set())
            kinds.add(kind)
            self._any_last = {one[0] for one in kinds} if len(kinds) > 1 else set()
        super().over(queue, chunk, now, npus, others)
        self._ends = None
        self._any_last = set()
        for key, acts in self._acts.items():
            if len(acts) > 1 and self._ends_matter(self._before[key], list(acts.values())):
                raise AmbiguousError

    def _watched(self, queue: Queue) -> _WatchedQueue:
        watched = _WatchedQueue(queue.places, queue.policy)
        watched.watch = self._note
        return watched

    def _note(self, queue: Queue, act: Act) -> None:
        if self._ends is not None:
            self._before.setdefault(id(queue), _copy(queue))
            self._acts.setdefault(id(queue), {}).setdefault(self._ends, []).append(act)

    @staticmethod
    def _ends_matter(before: Queue, ends: list[list[Act]]) -> bool:
        if len(ends) > _MOST_ENDS:
            return True
        return len({_after(before, order) for order in permutations(ends)}) > 1


def _copy(queue: Queue) -> Queue:
    return Queue(queue.places, queue.policy, list(queue.chunks), queue.running)


def _fill(queue: Queue) -> None:
    queue.running = min(queue.places, len(queue.chunks))


def _after(before: Queue, ends: Iterable[Iterable[Act]]) -> tuple[frozenset[int], tuple[int, ...]] | None:
    """Which chunks have started and which wait in which order; None where the ends can't come in this order."""
    queue = _copy(before)
    try:
        for acts in ends:
            for act in acts:
                act(queue)
    except ValueError:
        return None
    ids = [id(chunk) for chunk in queue.chunks]
    return frozenset(ids[: queue.running]), tuple(ids[queue.running :])
