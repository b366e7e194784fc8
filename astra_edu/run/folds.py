"""Along which dimensions a trace's run on a congestion-aware platform looks the same from NPU to NPU.

Moved round in such a dimension, each NPU has the nodes of the one in whose place it comes, with the NPUs that they send
to and receive from and their process groups moved as well. Network and algorithms treat it as they treat that one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from astra_edu.network.folding import Folding
from astra_edu.run.roles.fewest import LOOKS
from astra_edu.run.roles.parts import essence, sketch
from astra_edu.run.roles.refine import numbered
from astra_edu.run.roles.structure import Structure
from astra_edu.system.endpoint import TAGS
from astra_edu.system.implementation import Implementation
from astra_edu.system.inter_dimension import kind_of
from astra_edu.system.trace_config import TracePlatform
from astra_edu.traces import COLLECTIVES, Node, NodeType, Trace

_MEMORY = (NodeType.MEM_LOAD_NODE, NodeType.MEM_STORE_NODE)
STREAMS = 500
"""Process groups whose numbers are equal modulo this may have the same tags."""

Groups = Mapping[str, tuple[int, ...]]


@dataclass
class Folds:
    """How a run folds. kinds: for each process group the number of the one that stands for it."""

    folding: Folding
    kinds: Mapping[int, int]
    structure: Structure
    _channels: dict[tuple[int, int], Mapping[tuple[int, int], int]] = field(default_factory=dict)

    def tag(self, source: int, destination: int, tag: int, message_bytes: int) -> int:
        """What stands for the tag of a node's message, as it may be another on each NPU of a role."""
        return self._sent(source, destination)[tag, message_bytes]

    def own_tag(self, source: int, destination: int, number: int) -> int:
        """The tag of a node's message for which a number stands."""
        return next(tag for (tag, _), channel in self._sent(source, destination).items() if channel == number)

    def _sent(self, source: int, destination: int) -> Mapping[tuple[int, int], int]:
        channels = self._channels.get((source, destination))
        if channels is None:
            slot = self.structure.slot_of(source, destination)
            channels = self._channels[source, destination] = self.structure.channels(source, slot, sending=True)
        return channels


@dataclass(frozen=True)
class _Ways:
    """How NPUs may be moved in each dimension, and groups: whether their rings may begin anywhere."""

    may: tuple[bool, ...]
    xor: tuple[bool, ...]
    rotates: bool


def folds(trace: Trace, platform: TracePlatform) -> Folds | None:
    """The roles of a run's NPUs; None where there are as many as NPUs, or nobody has shown that there are fewer.

    The trace's communication must have been checked. In each dimension the smallest stride is taken that leaves trace
    and platform as they are. A mesh doesn't fold, nor does a dimension over which a tree runs, nor anything where NPUs
    share more than links: with a bus, Themis, custom collectives or remote memory.
    """
    system = platform.system
    if not platform.congestion_aware or not platform.blocks or platform.buffers or system.bus:
        return None
    if system.custom or system.custom_nodes or kind_of(system.inter_dimension).together:
        return None
    nodes = [node for nodes in trace.templates.templates for node in nodes]
    if any(node.type in _MEMORY for node in nodes):
        return None
    ways = _ways(trace, platform, [node for node in nodes if node.type is NodeType.COMM_COLL_NODE])
    if not ways or not any(ways.may):
        return None
    strides = _by_sight(trace, platform.dims, ways)
    if not any(strides):
        return None
    structure = _Compared(trace, platform, fixed=True)
    npus = _Npus.of(trace, structure)
    if not _tags_differ(npus.groups) or not _tags_fit(structure):
        return None
    dims = platform.dims
    smallest, images = list(dims), []
    for d, alone in enumerate(strides):
        for folding in alone:
            moved = [npus.moved(folding, by, trace.groups, ways.rotates) for by in folding.movements]
            if all(image is not None for image in moved):
                smallest[d] = folding.strides[d]
                images += [image for image in moved if image]
                break
    folding = Folding(dims, tuple(smallest), ways.xor)
    kinds = _kinds(trace, images)
    if not any(folding.folded) or not _apart(npus.groups, kinds):
        return None
    return Folds(folding, kinds, structure)


class _Compared(Structure):
    """A structure in which all templates are compared, however few they are."""

    @cached_property
    def alike(self) -> list[int]:
        """See Structure."""
        nodes = self.shared.templates
        sketches = [sketch(one) for one in nodes]
        count = Counter(sketches)
        looks = zip(nodes, self.parts, sketches, strict=True)
        return numbered(essence(one, parts) if count[look] > 1 else look for one, parts, look in looks)[0]


def _by_sight(trace: Trace, dims: tuple[int, ...], ways: _Ways) -> list[list[Folding]]:
    """For each dimension the foldings of it alone that leave every NPU's nodes as they look at first sight."""
    found: list[list[Folding]] = [[] for _ in dims]
    for d in (d for d, may in enumerate(ways.may) if may):
        strides = [k for k in range(1, 2 if ways.xor[d] else dims[d]) if dims[d] % k == 0]
        found[d] = [Folding(dims, (*dims[:d], stride, *dims[d + 1 :]), ways.xor) for stride in strides]
    for look in LOOKS:
        looks, _ = numbered(map(look, trace.templates.templates))
        of = [looks[template] for template in trace.templates.of]
        found = [[folding for folding in alone if _keeps(folding, of)] for alone in found]
        if not any(found):
            break
    return found


def _keeps(folding: Folding, looks: Sequence[int]) -> bool:
    """Whether NPUs look like those in whose places they come."""
    return all(looks[folding.move(npu, by)] == look for by in folding.movements for npu, look in enumerate(looks))


@dataclass(frozen=True)
class _Npus:
    """What NPUs do: equal colours mean equal nodes up to peers and groups, which are here by first mention.

    peers: for each number the peer of each NPU, or how many NPUs there are. groups: of each NPU.
    """

    colours: Sequence[int]
    peers: Sequence[Sequence[int]]
    groups: Sequence[tuple[str, ...]]

    @classmethod
    def of(cls, trace: Trace, structure: Structure) -> _Npus:
        """Those of a trace."""
        named = [tuple(parts.groups) for parts in structure.parts]
        groups = []
        for npu, template in enumerate(trace.templates.of):
            own = trace.templates.groups_of(npu) if named[template] else {}
            groups.append(tuple(own.get(name, name) for name in named[template]) if own else named[template])
        coloured = structure.coloured()
        return cls(coloured.colours, coloured.peers, groups)

    def moved(self, folding: Folding, by: int, groups: Groups, rotates: bool) -> dict[str, str] | None:
        """For each group the one in whose place it comes, where a movement changes nothing; else None."""
        to = [folding.move(npu, by) for npu in range(folding.npus)]
        colours = self.colours
        if any(colours[npu] != colours[other] for npu, other in enumerate(to)):
            return None
        for peers in self.peers:
            there = [*to, folding.npus]  # who has no such peer is moved to who has none
            if any(there[peers[npu]] != peers[other] for npu, other in enumerate(to)):
                return None
        image: dict[str, str] = {}
        for npu, other in enumerate(to):
            for one, two in zip(self.groups[npu], self.groups[other], strict=True):
                if image.setdefault(one, two) != two:
                    return None
        for one, two in image.items():
            ours, theirs = [to[npu] for npu in groups[one]], list(groups[two])
            if len(ours) != len(theirs):
                return None
            if len(ours) < folding.npus and ours != theirs and not (rotates and _is_rotation(ours, theirs)):
                return None
        return image


def _ways(trace: Trace, platform: TracePlatform, collectives: Sequence[Node]) -> _Ways | None:
    """What algorithms and topologies allow; None where that is nothing."""
    used: list[list[Implementation]] = [[] for _ in platform.dims]
    rotates = True
    for node in collectives:
        collective = COLLECTIVES.get(node.comm_type)
        if collective is None or platform.system.replay_only:
            continue
        hows = platform.implementations(collective)
        members = trace.groups[node.group] if node.group else ()
        if node.group and len(members) < platform.npus:
            how = hows[0] if len(hows) == 1 else Implementation.parse("ring")
            rotates = rotates and how.traits.tokens and not how.traits.exchanges
            continue
        if hows[0].flat and len(platform.dims) > 1:
            return None
        involved = None if node.group else node.involved
        for d, how in enumerate(hows):
            if involved is None or (d < len(involved) and involved[d]):
                used[d].append(how)
    xor = tuple(any(how.traits.exchanges for how in hows) for hows in used)
    may = tuple(
        block.topology.in_astra_sim
        and all(how.traits.tokens and how.traits.exchanges is swaps for how in hows)
        and (not swaps or (block.topology.equidistant and block.npus & (block.npus - 1) == 0))
        for block, hows, swaps in zip(platform.blocks, used, xor, strict=True)
    )
    return _Ways(may, tuple(a and b for a, b in zip(may, xor, strict=True)), rotates)


def _is_rotation(ours: Sequence[int], theirs: Sequence[int]) -> bool:
    if ours[0] not in theirs:
        return False
    begin = theirs.index(ours[0])
    return [*theirs[begin:], *theirs[:begin]] == list(ours)


def _tags_differ(groups: Sequence[tuple[str, ...]]) -> bool:
    """Whether no NPU has two groups whose messages may be taken for each other's."""
    return all(len({0, *(int(name) % STREAMS for name in names)}) == len(names) + 1 for names in set(groups))


def _tags_fit(structure: Structure) -> bool:
    """Whether all tags of messages are their own, as ASTRA-sim takes them modulo a number."""
    tags = (
        tag + structure.npus * max(steps, default=0)
        for parts in structure.parts
        for channels, steps in zip((*parts.sends, *parts.receives), (*parts.steps, *parts.steps), strict=True)
        for tag, _ in channels
    )
    return max(tags, default=0) < TAGS


def _kinds(trace: Trace, images: Sequence[Mapping[str, str]]) -> dict[int, int]:
    """For each group the smallest number of those that it may be moved to."""
    kinds = {name: name for name in trace.groups}

    def root(name: str) -> str:
        while kinds[name] != name:
            name = kinds[name]
        return name

    for image in images:
        for one, two in image.items():
            first, other = sorted((root(one), root(two)), key=int)
            kinds[other] = first
    return {int(name): int(root(name)) for name in kinds}


def _apart(groups: Sequence[tuple[str, ...]], kinds: Mapping[int, int]) -> bool:
    """Whether no NPU is in two groups that stand for each other."""
    return all(len({kinds[int(name)] for name in names}) == len(names) for names in set(groups))
