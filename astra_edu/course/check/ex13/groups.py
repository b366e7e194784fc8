"""Check for exercise 13: NPUs that don't do in a process group what its other members do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from random import Random
from typing import Any

from astra_edu.course.check.asked import Answer, Case
from astra_edu.course.check.ex13.broken import GROUPS, Groups, Nodes, grouped, quarrel, shuffled
from astra_edu.course.check.ex13.mended import same_finds
from astra_edu.course.check.question import question
from astra_edu.course.check.verdict import NoAnswerError, Verdict

Calls = tuple[Any, ...]
Found = tuple[str, int]

_SLIPS = ("size", "kind", "missing", "twice", "order", "stranger", "first")


@question
def disagreeing(answer: Answer) -> Verdict:
    """disagreeing(nodes, groups): for every group at odds, the NPUs that don't do what most of its members do."""
    random = Random(13)
    cases: list[Case] = [
        {"nodes": grouped(GROUPS, 2, 4096), "groups": GROUPS},
        {"nodes": quarrel(), "groups": GROUPS},
    ]
    cases += [_with_a_slip(slip, random) for slip in _SLIPS]
    return same_finds(
        answer,
        cases,
        _finds,
        _at_odds,
        [
            (lambda nodes, groups: set(), "You find nobody. In some of the cases NPUs are at odds."),
            (
                lambda nodes, groups: _at_odds(nodes, groups, strangers=False),
                "You look at the members. Somebody who isn't one may name the group, too.",
            ),
            (
                lambda nodes, groups: _at_odds(nodes, groups, essence=lambda kind, size: kind),
                "The same collective of another size is another collective.",
            ),
            (
                lambda nodes, groups: _at_odds(nodes, groups, essence=lambda kind, size: size),
                "As many bytes in another collective are another collective.",
            ),
            (
                lambda nodes, groups: _at_odds(nodes, groups, ordered=False),
                "The order counts as well: a member that begins with the second collective waits for all others.",
            ),
            (
                lambda nodes, groups: _at_odds(nodes, groups, numbered=False),
                "Nodes may stand in a file in any order; an NPU goes by their numbers.",
            ),
            (
                lambda nodes, groups: _at_odds(nodes, groups, majority=False),
                "You compare with the first member. What if it is the first one that is wrong? Go by what most do.",
            ),
            (
                lambda nodes, groups: {(name, npu) for name, _ in _at_odds(nodes, groups) for npu in groups[name]},
                "Those are all members of the groups at odds. Who of them is to blame?",
            ),
        ],
        "Right: all members start the same collectives in the same order, or nobody gets anywhere.",
    )


def _with_a_slip(slip: str, random: Random) -> Case:
    """Groups of four NPUs, since of two that are at odds nobody can say which is wrong."""
    groups = {str(1 + k): random.sample(range(4 * k, 4 * k + 4), 4) for k in range(random.randrange(2, 4))}
    nodes = grouped(groups, 4, 2 ** random.randrange(8, 20))
    name = random.choice(list(groups))
    npu = groups[name][0] if slip == "first" else random.choice(groups[name][1:])
    own, number = nodes[npu], random.randrange(4)
    attributes = own[number]["attr"]
    match slip:
        case "size" | "first":
            attributes["comm_size"] += 512
        case "kind":
            attributes["comm_type"] = 2
        case "missing":
            del own[-1]
        case "twice":
            own.append(own[-1] | {"id": len(own)})
        case "order":
            own[0]["attr"], own[1]["attr"] = own[1]["attr"], own[0]["attr"]
        case "stranger":
            attributes["pg_name"] = next(other for other in groups if other != name)
    return {"nodes": shuffled(nodes, random), "groups": groups}


def _at_odds(
    nodes: Nodes,
    groups: Groups,
    essence: Callable[[int, int], object] = lambda kind, size: (kind, size),
    strangers: bool = True,
    ordered: bool = True,
    numbered: bool = True,
    majority: bool = True,
) -> set[Found]:
    """(group, NPU) of everybody at odds. What is False isn't looked at."""
    found: set[Found] = set()
    for name, members in groups.items():
        calls = {npu: _calls(nodes[npu], name, essence, ordered, numbered) for npu in range(len(nodes))}
        counts = Counter(calls[npu] for npu in members)
        usual = counts.most_common(1)[0][0] if majority else calls[members[0]]
        found |= {(name, npu) for npu in members if calls[npu] != usual}
        found |= {(name, npu) for npu in calls if strangers and npu not in members and calls[npu]}
    return found


def _calls(
    own: Sequence[Mapping[str, Any]],
    name: str,
    essence: Callable[[int, int], object],
    ordered: bool,
    numbered: bool,
) -> Calls:
    listed = sorted(own, key=lambda node: node["id"]) if numbered else own
    calls = [
        essence(node["attr"]["comm_type"], node["attr"]["comm_size"])
        for node in listed
        if node["attr"]["pg_name"] == name
    ]
    return tuple(calls if ordered else sorted(calls, key=repr))


def _finds(given: Any) -> set[Found]:
    if not isinstance(given, Mapping) or not all(
        isinstance(npus, Iterable) and not isinstance(npus, str) for npus in given.values()
    ):
        raise NoAnswerError(
            False,
            f'Your function returns {given!r:.80}; a dict is expected: the NPUs of each group, as in {{"1": [3]}}.',
        )
    return {(str(name), npu) for name, npus in given.items() for npu in npus}
